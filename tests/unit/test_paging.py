"""Pages: where they begin, how many there are, and in which order."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitehive.kernel import limits
from sitehive.kernel.paging import Page, PageQuery, order_by

COLUMNS = {"id": "things.id", "name": "things.name_key"}


@pytest.mark.parametrize(
    ("query", "window"),
    [
        ({}, (limits.PAGE_SIZE, 0)),
        ({"page": 1, "limit": 5}, (5, 0)),
        ({"page": 3, "limit": 5}, (5, 10)),
        ({"page": 2, "limit": 100}, (100, 100)),
        ({"page": 2, "limit": 101}, (100, 100)),
        ({"page": 2, "limit": limits.MAX_ID}, (100, 100)),
    ],
)
def test_where_a_page_begins(query: dict[str, Any], window: tuple[int, int]) -> None:
    found = msgspec.convert(query, PageQuery).window
    assert (found["window_limit"], found["window_offset"]) == window


def test_the_last_page_there_can_be_still_fits_a_database() -> None:
    query = PageQuery(page=limits.MAX_PAGE, limit=limits.MAX_PAGE_SIZE)
    assert query.window["window_offset"] <= limits.MAX_ID


@pytest.mark.parametrize(
    "query", [{"page": 0}, {"page": -1}, {"page": limits.MAX_PAGE + 1}, {"limit": 0}, {"limit": -5}]
)
def test_pages_that_there_cannot_be(query: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(query, PageQuery)


@pytest.mark.parametrize(
    ("total", "page", "pages", "has_next", "has_prev"),
    [
        (0, 1, 0, False, False),
        (1, 1, 1, False, False),
        (10, 1, 1, False, False),
        (11, 1, 2, True, False),
        (11, 2, 2, False, True),
        (35, 2, 4, True, True),
        (35, 9, 4, False, True),
    ],
)
def test_where_a_page_is(total: int, page: int, pages: int, has_next: bool, has_prev: bool) -> None:
    found = Page.of([], total, PageQuery(page=page, limit=10)).pagination
    assert msgspec.to_builtins(found) == {
        "page": page,
        "limit": 10,
        "totalItems": total,
        "totalPages": pages,
        "hasNext": has_next,
        "hasPrev": has_prev,
    }


@given(st.integers(0, 500), st.integers(1, 150))
def test_following_the_pages_meets_everything_once(total: int, limit: int) -> None:
    things, met, page = list(range(total)), [], 1
    while True:
        query = PageQuery(page=page, limit=limit)
        begin = query.window["window_offset"]
        met += things[begin : begin + query.window["window_limit"]]
        if not Page.of([], total, query).pagination.has_next:
            break
        page += 1
    assert met == things


@pytest.mark.parametrize(
    ("sort", "clause"),
    [
        ("name", " order by things.name_key, things.id"),
        ("-name", " order by things.name_key desc, things.id desc"),
        ("id", " order by things.id"),
        ("-id", " order by things.id desc"),
    ],
)
def test_an_order_leaves_no_two_rows_equal(sort: str, clause: str) -> None:
    assert order_by(sort, COLUMNS, "things.id") == clause


@pytest.mark.parametrize("sort", ["", "-", "--name", "name desc", "1", "password"])
def test_an_order_is_only_by_what_is_listed(sort: str) -> None:
    with pytest.raises(KeyError):
        order_by(sort, COLUMNS, "things.id")
