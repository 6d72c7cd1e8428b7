"""What an operator sees of each request: one line in the log, and the metrics."""

from time import perf_counter

import structlog

from sitehive.kernel.context import Viewer, describe
from sitehive.kernel.errors import Refusal
from sitehive.surfaces.http.metrics import Metrics
from sitehive.surfaces.http.request import Request

_log = structlog.get_logger()


class Outcome:
    """What is known of a request so far."""

    __slots__ = ("operation", "request", "viewer")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.operation = ""
        self.viewer: Viewer | None = None


class Observer:
    def __init__(self) -> None:
        self._metrics = Metrics()

    def note(self, outcome: Outcome, status: int) -> None:
        request = outcome.request
        seconds = perf_counter() - request.started
        self._metrics.note(outcome.operation, status, seconds)
        _log.info(
            "request",
            method=request.method,
            path=request.path,
            status=status,
            ms=round(seconds * 1000, 2),
            operation=outcome.operation or None,
            request_id=request.origin.request_id,
            ip=request.origin.address,
            **describe(outcome.viewer),
        )

    def explain(self, outcome: Outcome, refusal: Refusal) -> None:
        """Log what lies behind a refusal that is our fault rather than the client's."""
        if refusal.status >= 500:
            _log.error("unavailable", request_id=outcome.request.origin.request_id, exc_info=refusal)

    def crash(self, outcome: Outcome, error: Exception) -> None:
        _log.error("crash", operation=outcome.operation, request_id=outcome.request.origin.request_id, exc_info=error)

    def render(self) -> bytes:
        return self._metrics.render()
