"""Logs: one JSON object a line for machines, something easier on the eye for a terminal."""

import logging
import sys
from typing import Any

import msgspec
import structlog

_encode = msgspec.json.Encoder(enc_hook=str).encode


def configure_logs() -> None:
    shared: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
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
        logger_factory=structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )


def _render(_logger: Any, _name: str, event: Any) -> bytes:
    return _encode(event)
