"""Time: milliseconds inside, ISO 8601 outside, and the same moment both ways."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitehive.kernel.clock import DAY, MINUTE, SECOND, iso, milliseconds, now

LAST = 253_402_300_799_999


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (999, "1970-01-01T00:00:00.999Z"),
        (SECOND, "1970-01-01T00:00:01.000Z"),
        (MINUTE, "1970-01-01T00:01:00.000Z"),
        (DAY, "1970-01-02T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_769_860_800_050, "2026-01-31T12:00:00.050Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (LAST, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_how_a_moment_is_written(moment: int, text: str) -> None:
    assert iso(moment) == text


def test_no_moment_is_nothing() -> None:
    assert iso(None) is None


@example(1_083_601_545_843)
@given(st.integers(0, LAST))
def test_what_is_written_is_the_moment_that_was_kept(moment: int) -> None:
    assert milliseconds(datetime.fromisoformat(iso(moment))) == moment


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        (datetime(2026, 1, 31, 12, tzinfo=UTC), 1_769_860_800_000),
        (datetime(2026, 1, 31, 14, tzinfo=timezone(timedelta(hours=2))), 1_769_860_800_000),
        (datetime(2026, 1, 31, 12, 0, 0, 1_999, tzinfo=UTC), 1_769_860_800_001),
        (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), LAST),
    ],
)
def test_how_a_moment_is_kept(written: datetime, moment: int) -> None:
    assert milliseconds(written) == moment


def test_now_is_now() -> None:
    before = datetime.now(UTC)
    moment = now()
    after = datetime.now(UTC)
    assert milliseconds(before) <= moment <= milliseconds(after)
