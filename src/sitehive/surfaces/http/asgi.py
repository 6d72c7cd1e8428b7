"""The ASGI application: opens the product when the server starts, and closes it when the server stops."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import structlog

from sitehive.surfaces.http.request import Receive, Scope, Send

App = Callable[[Scope, Receive, Send], Awaitable[None]]

API_PREFIXES = ("/v1/", "/manage/v1/")

_log = structlog.get_logger()


class Server:
    """What `open_app` opens lives as long as the server process."""

    def __init__(self, open_app: Callable[[], AbstractAsyncContextManager[App]]) -> None:
        self._open_app = open_app
        self._app: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and self._app is not None:
            await self._app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            async with self._open_app() as self._app:
                await send({"type": "lifespan.startup.complete"})
                await receive()
        except Exception as error:
            _log.error("startup", exc_info=error)
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            raise
        await send({"type": "lifespan.shutdown.complete"})


def split(api: App, rest: App) -> App:
    """Send the versioned interfaces to one application and everything else to another."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        chosen = api if scope["path"].startswith(API_PREFIXES) else rest
        await chosen(scope, receive, send)

    return app
