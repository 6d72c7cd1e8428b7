"""Time as the product sees it: milliseconds since the epoch inside, ISO 8601 in UTC outside."""

import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import overload

# The last moment that can be written.
LAST = 253_402_300_799_999
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE


def now() -> int:
    """The current time in milliseconds."""
    return time.time_ns() // 1_000_000


@lru_cache(maxsize=4096)
def _whole_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


@overload
def iso(moment: int) -> str: ...
@overload
def iso(moment: None) -> None: ...
def iso(moment: int | None) -> str | None:
    """Write a moment as `2026-01-31T12:00:00.000Z`.

    Rows of one page were mostly made close together, so the whole seconds are worth remembering.
    """
    if moment is None:
        return None
    seconds, rest = divmod(moment, SECOND)
    return f"{_whole_second(seconds)}.{rest:03d}Z"


def milliseconds(moment: datetime) -> int:
    """The stored form of a moment with a time zone."""
    return (moment - EPOCH) // timedelta(milliseconds=1)
