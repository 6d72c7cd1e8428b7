"""Prometheus metrics, labelled by operation. No label tells one site or user from another."""

import os
from functools import lru_cache

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

# The workers of one server share their counts through files in this folder. It must be named before they start.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        requests = Counter("sitehive_requests", "Requests answered.", ["operation", "status"], registry=self._registry)
        seconds = Histogram(
            "sitehive_request_seconds",
            "Time to answer a request.",
            ["operation"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._count = lru_cache(maxsize=2048)(requests.labels)
        self._time = lru_cache(maxsize=512)(seconds.labels)

    def note(self, operation: str, status: int, seconds: float) -> None:
        self._count(operation, status).inc()
        self._time(operation).observe(seconds)

    def render(self) -> bytes:
        """All metrics; of all workers together when there are several."""
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self._registry)
        everyone = CollectorRegistry()
        MultiProcessCollector(everyone)  # type: ignore[no-untyped-call]
        return generate_latest(everyone)
