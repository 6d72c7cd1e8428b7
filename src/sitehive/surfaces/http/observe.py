"""What an operator sees of each request: one line in the log, and the metrics."""

import os
from functools import lru_cache
from time import perf_counter

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from sitehive.kernel.context import Viewer, describe
from sitehive.kernel.errors import Refusal
from sitehive.surfaces.http.request import Request

# The workers of one server share their counts through files in this folder.
MULTIPROCESS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)

_log = structlog.get_logger()


class Outcome:
    """What is known of a request so far."""

    __slots__ = ("operation", "request", "viewer")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.operation = ""
        self.viewer: Viewer | None = None


class Observer:
    def __init__(self, *, log_requests: bool = True) -> None:
        self._log_requests = log_requests
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "sitehive_requests", "Requests answered.", ["operation", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "sitehive_request_seconds",
            "Time to answer a request.",
            ["operation"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._count = lru_cache(maxsize=2048)(self._requests.labels)
        self._time = lru_cache(maxsize=512)(self._seconds.labels)

    def note(self, outcome: Outcome, status: int) -> None:
        request = outcome.request
        seconds = perf_counter() - request.started
        self._count(outcome.operation, status).inc()
        self._time(outcome.operation).observe(seconds)
        if self._log_requests:
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
        """The metrics, of all workers together when there are several."""
        if MULTIPROCESS_FOLDER not in os.environ:
            return generate_latest(self._registry)
        everyone = CollectorRegistry()
        MultiProcessCollector(everyone)  # type: ignore[no-untyped-call]
        return generate_latest(everyone)
