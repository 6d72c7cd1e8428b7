"""Reading a request: as far as it is needed, and never more than is allowed."""

from collections.abc import MutableMapping
from typing import Any

import pytest

from sitehive.kernel import limits
from sitehive.kernel.errors import HeadersTooLarge, InvalidRequest, TooLarge
from sitehive.surfaces.http.request import MAX_PARAMETERS, ClientGoneError, Request

JSON = (b"content-type", b"application/json")
Message = MutableMapping[str, Any]


def request(
    headers: list[tuple[bytes, bytes]] | None = None, query: bytes = b"", messages: list[Message] | None = None
) -> Request:
    coming = iter(messages or [])

    async def receive() -> Message:
        return next(coming)

    scope = {"method": "POST", "path": "/", "query_string": query, "headers": headers or [], "client": None}
    return Request(scope, receive, ())


def chunk(body: bytes, *, more: bool = False) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


QUERIES: dict[bytes, dict[str, str]] = {
    b"": {},
    b"a=1&b=2": {"a": "1", "b": "2"},
    b"a=1&a=2": {"a": "2"},
    b"a=": {"a": ""},
    b"a": {"a": ""},
    b"a=b=c": {"a": "b=c"},
    b"a=x+y%20z%2B": {"a": "x y z+"},
    b"a=%C3%A9": {"a": "é"},
    b"%61=1": {"a": "1"},
    b"a=1;b=2": {"a": "1;b=2"},
    b"a=%zz": {"a": "%zz"},
    b"&&a=1&&": {"a": "1"},
}


@pytest.mark.parametrize(("query", "values"), QUERIES.items())
def test_a_query(query: bytes, values: dict[str, str]) -> None:
    assert request(query=query).query() == values


@pytest.mark.parametrize(
    "query", [b"a=%ff", b"a=%C3", b"\xc3\xa9=1", b"%ff=1", b"a=1&" * (MAX_PARAMETERS + 1)], ids=repr
)
def test_a_query_that_cannot_be_read(query: bytes) -> None:
    with pytest.raises(InvalidRequest):
        request(query=query).query()


async def test_a_body_in_pieces() -> None:
    whole = request([JSON], messages=[chunk(b'{"a"', more=True), chunk(b"", more=True), chunk(b": 1}")])
    assert await whole.json_body() == b'{"a": 1}'


@pytest.mark.parametrize("kind", [b"application/json", b"Application/JSON", b"application/json; charset=utf-8"])
async def test_a_body_that_is_said_to_be_json(kind: bytes) -> None:
    assert await request([(b"content-type", kind)], messages=[chunk(b"{}")]).json_body() == b"{}"


@pytest.mark.parametrize(
    "kind", [b"", b"text/json", b"application/json5", b"application/x-www-form-urlencoded", b"\xff"]
)
async def test_a_body_that_is_not(kind: bytes) -> None:
    with pytest.raises(InvalidRequest):
        await request([(b"content-type", kind)], messages=[chunk(b"{}")]).json_body()


async def test_a_body_may_be_so_long_and_no_longer() -> None:
    fits = b"x" * limits.MAX_BODY
    assert await request([JSON], messages=[chunk(fits)]).json_body() == fits
    with pytest.raises(TooLarge):
        await request([JSON], messages=[chunk(fits, more=True), chunk(b"x", more=True)]).json_body()


async def test_a_body_that_says_it_is_too_long_is_not_waited_for() -> None:
    with pytest.raises(TooLarge):
        await request([JSON, (b"content-length", b"%d" % (limits.MAX_BODY + 1))], messages=[]).json_body()


async def test_a_client_that_hangs_up() -> None:
    with pytest.raises(ClientGoneError):
        await request([JSON], messages=[chunk(b"{", more=True), {"type": "http.disconnect"}]).json_body()


def test_headers_may_be_so_large_and_no_larger() -> None:
    request([(b"a", b"x" * (limits.MAX_HEADERS - 1))]).check_headers()
    with pytest.raises(HeadersTooLarge):
        request([(b"a", b"x" * limits.MAX_HEADERS)]).check_headers()


def test_of_a_header_that_is_repeated_every_line_counts() -> None:
    with pytest.raises(HeadersTooLarge):
        request([(b"a", b"x" * 1_000)] * 50).check_headers()


def test_every_request_has_an_id_of_its_own() -> None:
    assert len({request().origin.request_id for _ in range(100)}) == 100
