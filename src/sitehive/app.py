"""The composition root: the only place, with the command line, that sees every part."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property

import structlog

from sitehive.backends.database import AnyDatabase, open_database
from sitehive.backends.limiter.shared_file import SharedFileLimiter
from sitehive.features.api_keys import operations as api_keys
from sitehive.features.api_keys.usage import KeyUsage
from sitehive.features.forums import operations as forums
from sitehive.features.identity import operations as identity
from sitehive.features.identity.keyring import Keyring
from sitehive.features.identity.passwords import Passwords
from sitehive.features.identity.throttle import LoginThrottle
from sitehive.features.identity.tokens import Tokens
from sitehive.features.messages import operations as messages
from sitehive.features.online import operations as online
from sitehive.features.online.presence import Presence
from sitehive.features.posts import operations as posts
from sitehive.features.posts.removal import ForumRemoval
from sitehive.features.rendering.render import Renderer
from sitehive.features.sites import operations as sites
from sitehive.features.users import operations as users
from sitehive.features.users.avatars import Avatars
from sitehive.kernel.background import Background
from sitehive.kernel.context import Services
from sitehive.kernel.limiter import Limiter
from sitehive.kernel.operation import Registry
from sitehive.settings import Settings

_log = structlog.get_logger()


def registry() -> Registry:
    """Every operation of the product."""
    return Registry.of(identity, users, online, sites, api_keys, forums, posts, messages)


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
    renderer: Renderer
    forum_removal: ForumRemoval

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
            Renderer: self.renderer,
            ForumRemoval: self.forum_removal,
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
        renderer = Renderer()
        stack.callback(renderer.close)
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
            renderer=renderer,
            forum_removal=ForumRemoval(database),
        )
