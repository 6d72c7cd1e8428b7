"""The product behind HTTP: the other half of the composition root."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sitehive.app import Product, open_product
from sitehive.backends.database.migrate import FromTheFutureError, pending
from sitehive.features.identity.credentials import Credentials
from sitehive.features.users.avatars import draw, is_seed
from sitehive.kernel.dispatch import Dispatcher
from sitehive.kernel.errors import NotFound, Unavailable
from sitehive.logs import configure_logs
from sitehive.settings import Settings, load_settings
from sitehive.surfaces.http import docs
from sitehive.surfaces.http.api import Api
from sitehive.surfaces.http.asgi import App, Server, split
from sitehive.surfaces.http.observe import Observer
from sitehive.surfaces.http.response import Response
from sitehive.surfaces.http.system import Serve, System, json, lasting, text
from sitehive.surfaces.openapi.document import render_document

# How often what was noted in passing (who is online, which keys are used) is written down, in seconds.
FLUSH_EVERY = 1.0
# How often forums whose removal was interrupted are looked for, in seconds.
RESUME_EVERY = 60.0
# How often visitors who have been away for long are dropped, in seconds.
FORGET_EVERY = 3600.0


def create() -> Server:
    """What the server process of a worker loads."""
    configure_logs()
    settings = load_settings()
    return Server(lambda: open_web(settings))


@asynccontextmanager
async def open_web(settings: Settings) -> AsyncIterator[App]:
    async with open_product(settings) as product:
        product.background.every(FLUSH_EVERY, product.presence.flush)
        product.background.every(FLUSH_EVERY, product.key_usage.flush)
        product.background.every(FORGET_EVERY, product.presence.forget)
        product.background.start(product.forum_removal.resume)
        product.background.every(RESUME_EVERY, product.forum_removal.resume)
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
    paths = {"/docs": docs.page, **system_paths(product, observer)}
    return split(api, System(paths, {"/avatars/": avatar, "/docs/": docs.asset}))


def system_paths(product: Product, observer: Observer) -> dict[str, Serve]:
    """What is served for those who watch over the server, and for those who program against it."""
    document = render_document(product.registry, product.settings.public_url)

    async def healthz(_: str) -> Response:
        return text("ok\n")

    async def readyz(_: str) -> Response:
        await check_schema(product)
        return text("ready\n")

    async def metrics(_: str) -> Response:
        return text(observer.render().decode())

    async def openapi(_: str) -> Response:
        return json(document)

    return {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics, "/openapi.json": openapi}


async def check_schema(product: Product) -> None:
    """Refuse to be ready on a database that this version does not fit."""
    try:
        missing = await pending(product.database)
    except FromTheFutureError as error:
        raise Unavailable("The database was made by a newer version.") from error
    if missing:
        raise Unavailable("The database is not up to date; run `sitehive migrate`.")


async def avatar(name: str) -> Response:
    seed = name.removesuffix(".svg")
    if not is_seed(seed):
        raise NotFound
    return lasting(draw(seed), "image/svg+xml")
