"""An operation that fails in a way nobody foresaw, behind the real HTTP surface."""

import io
from pathlib import Path
from typing import Any

import structlog

from sitehive.app import open_product
from sitehive.kernel.access import anyone
from sitehive.kernel.context import Context, Origin, Viewer
from sitehive.kernel.dispatch import Dispatcher
from sitehive.kernel.operation import Registry, operation
from sitehive.settings import Settings
from sitehive.surfaces.http.api import Api
from sitehive.surfaces.http.observe import Observer


@operation("tests.crash", "GET /crash", access=anyone)
async def fail(ctx: Context) -> list[str]:
    """Fail."""
    raise RuntimeError("a secret detail")


async def crash(data: Path) -> tuple[int, str, str]:
    """Call it; answers the status, the body and the log."""
    log = io.StringIO()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(log))
    sent: list[dict[str, Any]] = []
    try:
        async with open_product(Settings(data=data)) as product:
            dispatcher = Dispatcher(product.database, product.services, product.background)
            api = Api(Registry([fail]), dispatcher, _nobody, product.limiter, None, (), Observer())
            await api(_scope(), _receive, _send_to(sent))
    finally:
        structlog.reset_defaults()
    return sent[0]["status"], sent[1]["body"].decode(), log.getvalue()


async def _nobody(authorization: str | None, origin: Origin) -> Viewer:
    return Viewer(0)


async def _receive() -> dict[str, Any]:
    return {"type": "http.request", "body": b""}


def _send_to(sent: list[dict[str, Any]]) -> Any:
    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    return send


def _scope() -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "path": "/v1/crash",
        "raw_path": b"/v1/crash",
        "query_string": b"",
        "headers": [],
        "client": ("127.0.0.1", 1),
    }
