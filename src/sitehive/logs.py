"""Logs: one JSON object a line for machines, something easier on the eye for a terminal."""

import logging
import os
import sys
from contextlib import suppress
from typing import Any

import msgspec
import structlog

from sitehive.kernel.clock import iso, now

_encode = msgspec.json.Encoder(enc_hook=str).encode


def configure_logs() -> None:
    shared: list[Any] = [
        structlog.processors.add_log_level,
        _add_timestamp,
    ]
    if sys.stderr.isatty():
        structlog.configure(
            processors=[*shared, structlog.dev.ConsoleRenderer()],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
            logger_factory=structlog.PrintLoggerFactory(sys.stderr),
            cache_logger_on_first_use=True,
        )
        return
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, _render],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_: LineLogger(),
        cache_logger_on_first_use=True,
    )


class LineLogger:
    """Writes lines to standard error. A log that cannot be written is no reason to refuse a request."""

    def msg(self, line: bytes) -> None:
        with suppress(OSError):
            os.write(sys.stderr.fileno(), line + b"\n")

    debug = info = warning = error = critical = msg


def _add_timestamp(_logger: Any, _name: str, event: Any) -> Any:
    event["timestamp"] = iso(now())
    return event


def _render(_logger: Any, _name: str, event: Any) -> bytes:
    return _encode(event)
