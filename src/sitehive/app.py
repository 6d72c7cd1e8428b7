"""The composition root: the only place, with the command line, that sees every part."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property

import structlog

from sitehive.backends.database import AnyDatabase, open_database
from sitehive.backends.database.migrate import pending
from sitehive.backends.limiter.shared_file import SharedFileLimiter
from sitehive.features.api_keys import operations as api_keys
from sitehive.features.api_keys.usage import KeyUsage
from sitehive.features.identity import operations as identity
from sitehive.features.identity.credentials import Credentials
from sitehive.features.identity.keyring import Keyring
from sitehive.features.identity.passwords import Passwords
from sitehive.features.identity.throttle import LoginThrottle
from sitehive.features.identity.tokens import Tokens
from sitehive.features.online.presence import Presence
from sitehive.features.sites import operations as sites
from sitehive.features.users import operations as users
from sitehive.features.users.avatars import Avatars, draw, is_seed
from sitehive.kernel.background import Background
from sitehive.kernel.context import Services
from sitehive.kernel.dispatch import Dispatcher
from sitehive.kernel.errors import NotFound, Unavailable
from sitehive.kernel.limiter import Limiter
from sitehive.kernel.operation import Registry
from sitehive.logs import configure_logs
from sitehive.settings import Settings, load_settings
from sitehive.surfaces.http import docs
from sitehive.surfaces.http.api import Api
from sitehive.surfaces.http.asgi import App, Server, split
from sitehive.surfaces.http.observe import Observer
from sitehive.surfaces.http.response import Response
from sitehive.surfaces.http.system import System, json, lasting, text
from sitehive.surfaces.openapi.document import render_document

# How often what was noted in passing (who is online, which keys are used) is written down, in seconds.
FLUSH_EVERY = 1.0

_log = structlog.get_logger()


def registry() -> Registry:
    """Every operation of the product."""
    return Registry.of(identity, users, sites, api_keys)


@dataclass
class Product:
    """The parts, put together."""

    settings: Settings
    registry: Registry
    database: AnyDatabase
    limiter: Limiter
    keyring: Keyring
    tokens: Tokens
    passwords: Passwords
    background: Background
    presence: Presence
    key_usage: KeyUsage

    @cached_property
    def services(self) -> Services:
        """What handlers may ask for, by type."""
        return {
            Registry: self.registry,
            Keyring: self.keyring,
            Tokens: self.tokens,
            Passwords: self.passwords,
            LoginThrottle: LoginThrottle(self.limiter),
            Avatars: Avatars(self.settings.public_url),
        }


@asynccontextmanager
async def open_product(settings: Settings) -> AsyncIterator[Product]:
    """Put the parts together, and take them apart again in the opposite order."""
    async with AsyncExitStack() as stack:
        settings.data.mkdir(parents=True, exist_ok=True)
        keyring = Keyring(settings.secrets)
        database = await open_database(settings.database_url, settings.data)
        stack.push_async_callback(database.close)
        limiter = SharedFileLimiter(settings.data / "limits.bin")
        stack.callback(limiter.close)
        passwords = Passwords()
        stack.callback(passwords.close)
        background = Background(lambda error: _log.error("background", exc_info=error))
        stack.push_async_callback(background.close)
        yield Product(
            settings=settings,
            registry=registry(),
            database=database,
            limiter=limiter,
            keyring=keyring,
            tokens=Tokens(keyring),
            passwords=passwords,
            background=background,
            presence=Presence(database),
            key_usage=KeyUsage(database),
        )


@asynccontextmanager
async def open_web(settings: Settings) -> AsyncIterator[App]:
    """The product behind HTTP."""
    async with open_product(settings) as product:
        product.background.every(FLUSH_EVERY, product.presence.flush)
        product.background.every(FLUSH_EVERY, product.key_usage.flush)
        yield web(product)


def web(product: Product) -> App:
    settings, observer = product.settings, Observer()
    credentials = Credentials(
        product.database.reader, product.keyring, product.tokens, product.presence, product.key_usage
    )
    api = Api(
        product.registry,
        Dispatcher(product.database, product.services, product.background),
        credentials.identify,
        product.limiter,
        settings.rate_rule,
        settings.trusted_proxies,
        observer,
    )
    document = render_document(product.registry, settings.public_url)

    async def healthz(_: str) -> Response:
        return text("ok\n")

    async def readyz(_: str) -> Response:
        if await pending(product.database):
            raise Unavailable("The database is not up to date; run `sitehive migrate`.")
        return text("ready\n")

    async def metrics(_: str) -> Response:
        return text(observer.render().decode())

    async def openapi(_: str) -> Response:
        return json(document)

    async def avatar(name: str) -> Response:
        seed = name.removesuffix(".svg")
        if not is_seed(seed):
            raise NotFound
        return lasting(draw(seed), "image/svg+xml")

    paths = {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics, "/openapi.json": openapi}
    paths["/docs"] = docs.page
    return split(api, System(paths, {"/avatars/": avatar, "/docs/": docs.asset}))


def create() -> Server:
    """What the server process of a worker loads."""
    configure_logs()
    settings = load_settings()
    return Server(lambda: open_web(settings))
