"""How an input is put together from path, query, body and values, and what is said of each fault."""

from typing import Annotated, Any

import msgspec
import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from sitehive.kernel.errors import Invalid, InvalidRequest, InvalidSite, Refusal
from sitehive.kernel.fields import Id
from sitehive.kernel.shape import REFUSAL, Shape

Count = Annotated[int, Meta(ge=1, le=10)]


class Thing(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    name: Annotated[str, Meta(min_length=3, max_length=5)]
    count: Count = 1
    open: bool = False
    ratio: float = 0.5
    tags: list[str] = msgspec.field(default_factory=list)
    var: dict[str, Any] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.name == "taboo":
            raise Invalid.field("name", "is not a word we use")


class Search(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    text: str = ""
    count: Count = 1
    open: bool = False
    ratio: float = 0.5


class Place(Struct, forbid_unknown_fields=True):
    site: Annotated[str, Meta(max_length=5, extra={REFUSAL: InvalidSite})]
    count: Count = 1


BODY = Shape.of(Thing, ("id",), from_query=False)
QUERY = Shape.of(Search, ("id",), from_query=True)
SITE = Shape.of(Place, (), from_query=False)


def faults(refusal: Refusal) -> dict[str, str]:
    return {fault.field: fault.message for fault in refusal.details or ()}


def refuse_body(raw: bytes) -> Refusal:
    with pytest.raises(Refusal) as raised:
        BODY.parse_json({"id": 1}, raw)
    return raised.value


def test_fields_are_told_apart_by_where_they_come_from() -> None:
    assert [field.name for field in BODY.path] == ["id"]
    assert [field.name for field in BODY.rest] == ["name", "count", "open", "ratio", "tags", "var"]
    assert BODY.has_body
    assert not QUERY.has_body


def test_a_path_field_that_the_input_lacks_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="colour"):
        Shape.of(Thing, ("id", "colour"), from_query=False)


def test_an_input_that_is_all_path() -> None:
    assert Shape.of(Search, ("id",), from_query=True).parse_path({"id": 7}) == Search(id=7)


def test_a_body_beside_a_path() -> None:
    raw = b'{"name": "abc", "count": 3, "open": true, "ratio": 2, "tags": ["x"], "var": {"a": [1, null]}}'
    thing = Thing(id=7, name="abc", count=3, open=True, ratio=2.0, tags=["x"], var={"a": [1, None]})
    assert BODY.parse_json({"id": 7}, raw) == thing


def test_what_is_left_out_gets_its_default_each_time_anew() -> None:
    first, second = (BODY.parse_json({"id": 1}, b'{"name": "abc"}') for _ in range(2))
    assert first == second == Thing(id=1, name="abc")
    assert isinstance(first, Thing)
    assert isinstance(second, Thing)
    assert first.tags is not second.tags


def test_a_query_is_read_leniently() -> None:
    found = QUERY.parse_query({"id": 7}, {"count": "3", "open": "true", "ratio": "2", "text": "5", "colour": "blue"})
    assert found == Search(id=7, text="5", count=3, open=True, ratio=2.0)


def test_a_query_cannot_replace_what_the_path_says() -> None:
    assert QUERY.parse_query({"id": 7}, {"id": "8"}) == Search(id=7)


@pytest.mark.parametrize(
    "values",
    [{"count": "3"}, {"count": 3.5}, {"count": True}, {"open": "true"}, {"open": 1}, {"name": 5}, {"tags": "x"}],
)
def test_bodies_and_values_are_read_strictly(values: dict[str, Any]) -> None:
    given = {"name": "abc", **values}
    assert set(faults(refuse_body(msgspec.json.encode(given)))) == set(values)
    with pytest.raises(Invalid) as raised:
        BODY.parse_values({"id": 1, **given})
    assert set(faults(raised.value)) == set(values)


def test_every_fault_of_a_body_is_told() -> None:
    refusal = refuse_body(b'{"name": "ab", "count": 11, "open": null, "tags": ["x", 5], "var": [], "colour": 1}')
    assert isinstance(refusal, Invalid)
    assert faults(refusal) == {
        "name": "expected `str` of length >= 3",
        "count": "expected `int` <= 10",
        "open": "expected `bool`, got `null`",
        "tags[1]": "expected `str`, got `int`",
        "var": "expected `object`, got `array`",
        "colour": "is not a known field",
    }


def test_every_fault_of_a_query_is_told() -> None:
    with pytest.raises(InvalidRequest) as raised:
        QUERY.parse_query({"id": 1}, {"count": "x", "open": "maybe", "ratio": "much", "text": "fine", "colour": "blue"})
    assert set(faults(raised.value)) == {"count", "open", "ratio"}


def test_every_fault_of_values_is_told() -> None:
    with pytest.raises(Invalid) as raised:
        BODY.parse_values({"id": 1, "count": 0, "colour": 1})
    assert faults(raised.value) == {
        "name": "is required",
        "count": "expected `int` >= 1",
        "colour": "is not a known field",
    }


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"name": "abc"}, "is required"),
        ({"name": "abc", "id": "x"}, "expected `int`, got `str`"),
        ({"name": "abc", "id": 0}, "expected `int` >= 1"),
    ],
)
def test_among_values_the_fields_of_the_path_are_like_any_other(values: dict[str, Any], told: str) -> None:
    with pytest.raises(Invalid) as raised:
        BODY.parse_values(values)
    assert faults(raised.value) == {"id": told}


def test_a_body_cannot_say_what_the_path_says() -> None:
    assert faults(refuse_body(b'{"name": "abc", "id": 2}')) == {"id": "is not a known field"}


def test_a_rule_of_the_input_itself_is_told_as_it_is() -> None:
    assert faults(refuse_body(b'{"name": "taboo"}')) == {"name": "is not a word we use"}
    with pytest.raises(Invalid, match="validation"):
        BODY.parse_values({"id": 1, "name": "taboo"})


NOT_JSON = [b"", b" ", b"{", b"{'name': 'abc'}", b'{"name": "abc"} {}', b'{"name": "abc",}', b"NaN", b"\xff\xfe",
            b'{"name": 1, oops', b'{"colour": tru', b'{"name": "a\x00c"}', b'{"name": "\\ud800b"}',
            b"\xef\xbb\xbf{}"]  # fmt: skip


@pytest.mark.parametrize("raw", NOT_JSON, ids=repr)
def test_what_is_not_json_is_said_to_be_so(raw: bytes) -> None:
    refusal = refuse_body(raw)
    assert isinstance(refusal, InvalidRequest)
    assert not refusal.details


@pytest.mark.parametrize(
    "raw",
    [b'{"name": "a\xff"}', b'{"a\xff": 1}', b'{"var": {"a": "\xed\xa0\x80"}}', b'{"name": 1, "a": "\xc3("}'],
    ids=repr,
)
def test_text_that_is_not_utf_8_is_not_json(raw: bytes) -> None:
    assert isinstance(refuse_body(raw), InvalidRequest)


DEEP = b"[" * 5_000 + b"]" * 5_000
OTHER_FORMS = {
    "an array": b"[]",
    "a text": b'"abc"',
    "a number": b"5",
    "nothing": b"null",
    "a number out of range": b'{"name": "abc", "var": {"a": 1e999}}',
    "a number of too many digits": b'{"name": "abc", "count": ' + b"1" * 5_000 + b"}",
    "deep": b'{"name": "abc", "var": {"a": ' + DEEP + b"}}",
    "deep after a fault": b'{"name": 1, "var": {"a": ' + DEEP + b"}}",
    "deep in an unknown field": b'{"name": "abc", "colour": ' + DEEP + b"}",
    "deep and nothing else": DEEP,
}


@pytest.mark.parametrize("raw", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_json_of_another_form_is_refused(raw: bytes) -> None:
    assert type(refuse_body(raw)) is Invalid


@pytest.mark.parametrize(
    "var",
    [{"a": "b\0"}, {"\0": 1}, {"a": [{"b": ["\0"]}]}, {"a": {"b\0": {}}}],
    ids=["text", "name", "deep", "deep name"],
)
def test_no_text_holds_a_nul(var: dict[str, Any]) -> None:
    given = {"name": "abc", "var": var}
    assert isinstance(refuse_body(msgspec.json.encode(given)), Invalid)
    with pytest.raises(Invalid):
        BODY.parse_values({"id": 1, **given})
    with pytest.raises(InvalidRequest):
        QUERY.parse_query({"id": 1}, {"text": "a\0"})


def test_the_letters_that_stand_for_a_nul_are_only_letters() -> None:
    found = BODY.parse_json({"id": 1}, rb'{"name": "abc", "var": {"a": "\\u0000"}}')
    assert found == Thing(id=1, name="abc", var={"a": "\\u0000"})


@pytest.mark.parametrize("raw", [b"{}", b'{"site": 5}', b'{"site": "too long"}', b'{"count": 0}'])
def test_a_field_may_have_a_refusal_of_its_own(raw: bytes) -> None:
    with pytest.raises(InvalidSite):
        SITE.parse_json({}, raw)


def test_which_is_not_given_for_other_fields() -> None:
    with pytest.raises(Invalid) as raised:
        SITE.parse_json({}, b'{"site": "demo", "count": 0}')
    assert set(faults(raised.value)) == {"count"}
