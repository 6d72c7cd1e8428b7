"""The floor: the least that a Python server can do to give the same answers.

It runs the product's statements on the product's file and encodes the same JSON, in the same kind of process behind the
same HTTP server. It does nothing else: no routes, credentials, limits, logs or metrics. What the product needs beyond
this is what the product costs.
"""

import multiprocessing
import secrets
import sys
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

import msgspec
from granian.constants import Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server as Granian
from msgspec import Raw, Struct

from bench.servers import HOST
from sitehive.backends.database.sqlite.connection import connect
from sitehive.cli.serve import HEADER_TIMEOUT
from sitehive.features.users.avatars import Avatars
from sitehive.features.users.store import SELECT
from sitehive.features.users.types import DELETED, USER_TYPES, User, role
from sitehive.kernel import limits
from sitehive.kernel.clock import SECOND, iso, now
from sitehive.kernel.database import Params, Row
from sitehive.kernel.paging import WINDOW, Pagination
from sitehive.settings import Settings, load_settings

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

ONE = SELECT + " where users.site_id = :site_id and users.id = :id"
LISTED = f" where users.site_id = :site_id and users.type <> {DELETED}"
PAGE = SELECT + LISTED + " order by users.id" + WINDOW
TOTAL = "select coalesce(sum(n), 0) from user_counts as users" + LISTED
WHOLE_LIST = "/v1/users"

_encode = msgspec.json.Encoder().encode


class Meta(Struct, rename="camel"):
    request_id: str
    timestamp: str


class One(Struct):
    data: User
    meta: Meta


class Many(Struct):
    data: list[User]
    pagination: Pagination
    meta: Meta


class Floor:
    def __init__(self, settings: Settings) -> None:
        self._connection = connect(settings.data / "sitehive.db")
        self._avatar = Avatars(settings.public_url).url
        self._site_id = self._rows("select id from sites", {})[0][0]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await live(receive, send)
            return
        path: str = scope["path"]
        body = self._list() if path == WHOLE_LIST else self._get(int(path.rpartition("/")[2]))
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _rows(self, sql: str, params: Params) -> Sequence[Row]:
        return self._connection.execute(sql, params).fetchall()

    def _get(self, user_id: int) -> bytes:
        row = self._rows(ONE, {"site_id": self._site_id, "id": user_id})[0]
        return _encode(One(self._user(row, now()), _meta()))

    def _list(self) -> bytes:
        size, moment = limits.PAGE_SIZE, now()
        window = {"site_id": self._site_id, "window_limit": size, "window_offset": 0}
        total = self._rows(TOTAL, {"site_id": self._site_id})[0][0]
        rows = self._rows(PAGE, window)
        pages = -(-total // size)
        pagination = Pagination(1, size, total, pages, has_next=pages > 1, has_prev=False)
        return _encode(Many([self._user(row, moment) for row in rows], pagination, _meta()))

    def _user(self, row: Row, moment: int) -> User:
        user_id, username, email, level, kind, points, created_at, last_login_at, var, last_seen_at = row
        return User(
            id=user_id,
            username=username,
            email=email,
            level=level,
            role=role(level),
            type=kind,
            type_label=USER_TYPES[kind],
            is_online=(last_seen_at or 0) >= moment - limits.ONLINE_WINDOW * SECOND,
            points=points,
            created_at=iso(created_at),
            last_login_at=iso(last_login_at or None),
            avatar=self._avatar(user_id),
            var=Raw(var.encode()),
        )


def _meta() -> Meta:
    return Meta(f"req_{secrets.token_hex(12)}", iso(now()))


async def live(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


def create() -> Floor:
    """What the server process loads."""
    return Floor(load_settings())


def serve(port: int) -> None:
    """Serve the floor with the settings of `sitehive serve`, which this must follow."""
    multiprocessing.set_start_method("spawn")
    Granian(
        "bench.floor:create",
        factory=True,
        address=HOST,
        port=port,
        interface=Interfaces.ASGI,
        workers=1,
        websockets=False,
        loop=Loops.uvloop,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_TIMEOUT),
        log_level=LogLevels.warning,
    ).serve()


if __name__ == "__main__":
    serve(int(sys.argv[sys.argv.index("--port") + 1]))
