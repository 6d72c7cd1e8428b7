"""Who is asking, from where, and what a handler may use."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeVar, cast

from msgspec import Struct

from sitehive.kernel.clock import now
from sitehive.kernel.database import Database, Queries

T = TypeVar("T")
Services = Mapping[type, object]
Effect = Callable[[], Awaitable[None]]

PERSONAS = ("public", *["user"] * 5, *["moderator"] * 2, *["admin"] * 2, "superadmin")

MEMBER, MODERATOR, ADMIN, SUPERADMIN = 1, 6, 8, 10


def persona(level: int) -> str:
    """The word for a permission level."""
    return PERSONAS[level]


class Viewer(Struct, frozen=True):
    """Whoever makes a request. The site comes from the credential and from nowhere else.

    `scopes` is None when the credential is not narrowed to some of its holder's rights.
    """

    site_id: int
    user_id: int = 0
    level: int = 0
    kind: Literal["guest", "login", "key"] = "guest"
    scopes: frozenset[str] | None = None

    @property
    def is_guest(self) -> bool:
        return self.kind == "guest"

    def is_user(self, user_id: int) -> bool:
        return not self.is_guest and self.user_id == user_id


class Origin(Struct, frozen=True):
    """Where a request came from."""

    request_id: str
    address: str
    user_agent: str = ""


class Context:
    """What an operation's handler works with, for the time of one call."""

    __slots__ = ("_database", "_services", "after_commit", "db", "now", "origin", "viewer")

    def __init__(
        self, viewer: Viewer | None, db: Queries, origin: Origin, services: Services, database: Database | None = None
    ) -> None:
        self.viewer = cast("Viewer", viewer)  # None only for operations that take no credential
        self.db = db
        self.origin = origin
        self.now = now()
        self.after_commit: list[Effect] = []
        self._services = services
        self._database = database

    @property
    def site_id(self) -> int:
        return self.viewer.site_id

    def use(self, kind: type[T]) -> T:
        """The one service of this kind that the composition root put together."""
        return cast("T", self._services[kind])

    async def write(self, work: Callable[["Context"], Awaitable[T]]) -> T:
        """Run a transaction from an operation that only reads: for what reading itself changes."""
        if self._database is None:
            raise TypeError("a transaction cannot be opened inside another")
        return await self._database.write(lambda db: work(self.within(db)))

    def within(self, db: Queries) -> "Context":
        """The same call, speaking through another connection."""
        return Context(self.viewer, db, self.origin, self._services)


def describe(viewer: Viewer | None) -> dict[str, Any]:
    """What logs say of a viewer."""
    return {} if viewer is None else {"site": viewer.site_id, "user": viewer.user_id, "as": viewer.kind}
