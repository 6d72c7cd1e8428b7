"""From a method and a path to an operation."""

from typing import Any

import pytest
from msgspec import Struct

from sitehive.app import registry
from sitehive.kernel import limits
from sitehive.kernel.access import anyone
from sitehive.kernel.context import Context
from sitehive.kernel.errors import MethodNotAllowed, NotFound
from sitehive.kernel.fields import Id
from sitehive.kernel.operation import Operation, Place, operation
from sitehive.surfaces.http.router import Router


class Nothing(Struct):
    pass


class One(Struct):
    id: Id


class Named(Struct):
    name: str


class Inside(Struct):
    name: str
    id: Id


def route(text: str, given: type[Struct] = Nothing, place: Place = "v1") -> Operation:
    async def handler(ctx: Context, given: Any) -> list[str]:
        return []

    handler.__annotations__["given"] = given
    return operation(f"{place}.{text}", text, access=anyone, place=place)(handler)


OPERATIONS = [
    route("GET /things"),
    route("POST /things"),
    route("GET /things/recent"),
    route("PATCH /things/recent"),
    route("GET /things/{id}", One),
    route("DELETE /things/{id}", One),
    route("GET /things/{name}", Named),
    route("GET /things/{id}/parts", One),
    route("GET /things/{name}/parts/{id}", Inside),
    route("POST /things/{name}/purge", Named),
    route("GET /things/recent/purge"),
    route("POST /only/posts"),
    route("GET /things", place="manage/v1"),
]
ROUTER = Router(OPERATIONS)


def find(method: str, path: str) -> tuple[str, dict[str, Any]]:
    found, values = ROUTER.find(method, path)
    return found.name, values


FOUND: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a fixed path": ("/v1/things", "GET /things", {}),
    "a word before a name": ("/v1/things/recent", "GET /things/recent", {}),
    "a number is an id": ("/v1/things/12", "GET /things/{id}", {"id": 12}),
    "anything else is a name": ("/v1/things/blue", "GET /things/{name}", {"name": "blue"}),
    "a word in another case is a name": ("/v1/things/Recent", "GET /things/{name}", {"name": "Recent"}),
    "the largest id": (f"/v1/things/{limits.MAX_ID}", "GET /things/{id}", {"id": limits.MAX_ID}),
    "no id is larger": (f"/v1/things/{limits.MAX_ID + 1}", "GET /things/{name}", {"name": str(limits.MAX_ID + 1)}),
    "nor that long": (f"/v1/things/{'9' * 5000}", "GET /things/{name}", {"name": "9" * 5000}),
    "a leading zero makes a name": ("/v1/things/012", "GET /things/{name}", {"name": "012"}),
    "so does a sign": ("/v1/things/-1", "GET /things/{name}", {"name": "-1"}),
    "and a digit of another script": ("/v1/things/%D9%A3", "GET /things/{name}", {"name": "٣"}),
    "zero is a number": ("/v1/things/0", "GET /things/{id}", {"id": 0}),
    "an id, then a word": ("/v1/things/12/parts", "GET /things/{id}/parts", {"id": 12}),
    "a number as a name, when only names go on": (
        "/v1/things/12/parts/3",
        "GET /things/{name}/parts/{id}",
        {"name": "12", "id": 3},
    ),
    "a word as a name, when only names go on": (
        "/v1/things/recent/parts/3",
        "GET /things/{name}/parts/{id}",
        {"name": "recent", "id": 3},
    ),
    "an encoded name": ("/v1/things/a%20b%2Fc%C3%A9", "GET /things/{name}", {"name": "a b/cé"}),
    "a plus is a plus": ("/v1/things/a+b", "GET /things/{name}", {"name": "a+b"}),
    "encoded once, decoded once": ("/v1/things/%2541", "GET /things/{name}", {"name": "%41"}),
    "an encoded number is a name": ("/v1/things/%31%32", "GET /things/{name}", {"name": "12"}),
    "an encoded word is a name": ("/v1/things/recen%74", "GET /things/{name}", {"name": "recent"}),
}


@pytest.mark.parametrize(("path", "name", "values"), FOUND.values(), ids=FOUND)
def test_words_win_over_ids_and_ids_over_names(path: str, name: str, values: dict[str, Any]) -> None:
    assert find("GET", path) == (f"v1.{name}", values)


@pytest.mark.parametrize(
    "path",
    ["/", "/v1", "/v1/", "/v1/nothing", "/v1/things/", "/v1//things", "/things", "/v2/things", "/V1/things",
     "/v1/%74hings", "/v1/things/12/", "/v1/things/12/nothing", "/v1/things/a%ff", "/v1/things/a%00b",
     "/v1/things//parts", "/v1/things/blue/parts/x", "/v1/only", "/manage/things", "/manage/v1/things/12"],
)  # fmt: skip
def test_nothing_else_is_found(path: str) -> None:
    with pytest.raises(NotFound):
        ROUTER.find("GET", path)
    with pytest.raises(NotFound):
        ROUTER.methods(path)


def test_places_are_told_apart() -> None:
    assert find("GET", "/manage/v1/things") == ("manage/v1.GET /things", {})


def test_head_is_answered_where_get_is() -> None:
    assert find("HEAD", "/v1/things/12") == ("v1.GET /things/{id}", {"id": 12})
    with pytest.raises(MethodNotAllowed):
        ROUTER.find("HEAD", "/v1/only/posts")


ALLOWED = {
    "/v1/things": ["GET", "HEAD", "OPTIONS", "POST"],
    "/v1/things/recent": ["GET", "HEAD", "OPTIONS", "PATCH"],
    "/v1/things/12": ["DELETE", "GET", "HEAD", "OPTIONS"],
    "/v1/things/blue": ["GET", "HEAD", "OPTIONS"],
    "/v1/only/posts": ["OPTIONS", "POST"],
}


@pytest.mark.parametrize("path", ALLOWED)
@pytest.mark.parametrize("method", ["PUT", "TRACE", "get", "", "POST " * 3])
def test_a_method_that_a_path_lacks_is_told_which_it_has(path: str, method: str) -> None:
    with pytest.raises(MethodNotAllowed) as refusal:
        ROUTER.find(method, path)
    assert refusal.value.allowed == ROUTER.methods(path) == ALLOWED[path]


def test_two_operations_cannot_share_a_route() -> None:
    with pytest.raises(ValueError, match="repeats the route"):
        Router([route("GET /things/{id}", One), route("GET /things/{id}", One)])


def test_every_operation_of_the_product_is_found_by_its_own_route() -> None:
    router = Router(registry())
    for declared in registry():
        path = f"/{declared.place}{declared.path}".replace("{id}", "7").replace("{name}", "seven")
        found, values = router.find(declared.method, path)
        assert found.name == declared.name
        assert set(values) == set(declared.path_fields)
