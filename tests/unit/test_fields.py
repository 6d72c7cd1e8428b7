"""The parts that fields are made of: folded texts, names that can be seen, metadata within limits."""

import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitehive.kernel import limits
from sitehive.kernel.errors import Invalid
from sitehive.kernel.fields import depth, encode_metadata, fold, holds_nul, is_printable_name

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice", "alice"),
        ("STRASSE", "straße"),
        ("\uff21\uff2c\uff29\uff23\uff25", "alice"),
        ("ﬁne", "fine"),
        ("é", "e\u0301"),
        ("É", "e\u0301"),
        ("Ⅷ", "viii"),
        ("ǅ", "dž"),
        ("Σίσυφος", "σίσυφοσ"),
        ("①", "1"),
        ("\u2126", "ω"),
    ],
)
def test_texts_that_read_alike_are_folded_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"), [("alice", "alicia"), ("e", "é"), ("o", "0"), ("\u0430", "a"), ("a b", "ab")]
)
def test_texts_that_read_otherwise_are_not(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_folding_again_changes_nothing() -> None:
    everything = (chr(code) for code in range(sys.maxunicode + 1))
    assert [ascii(letter) for letter in everything if fold(fold(letter)) != fold(letter)] == []


@given(st.text(), st.text())
def test_nor_does_it_in_company(one: str, other: str) -> None:
    folded = fold(one + other)
    assert fold(folded) == folded


@pytest.mark.parametrize("name", ["alice", "Zoë 中文", "O'Brien-Smith", "🐝", "a", "a\u00a0b", "١٢", "e\u0301", "<b>"])
def test_names_that_can_be_seen(name: str) -> None:
    assert is_printable_name(name)


HIDDEN = {
    "empty": "",
    "blank": " ",
    "a blank before": " alice",
    "a blank behind": "alice ",
    "a hard blank behind": "alice\u00a0",
    "a wide blank before": "\u3000alice",
    "a line break": "ali\nce",
    "a tab": "ali\tce",
    "a NUL": "ali\0ce",
    "delete": "ali\x7fce",
    "a control character": "ali\x85ce",
    "a blank of no width": "ali\u200bce",
    "a joiner": "ali\u200dce",
    "a turn of direction": "ali\u202ece",
    "a byte order mark": "\ufeffalice",
    "a soft hyphen": "ali\u00adce",
    "a line separator": "ali\u2028ce",
    "a paragraph separator": "ali\u2029ce",
    "half a character": "ali\ud800ce",
    "private use": "ali\ue000ce",
    "not a character": "ali\uffffce",
    "a tag": "ali\U000e0061ce",
}


@pytest.mark.parametrize("name", HIDDEN.values(), ids=HIDDEN)
def test_names_that_hide_something(name: str) -> None:
    assert not is_printable_name(name)


@pytest.mark.parametrize(
    ("value", "deep"),
    [
        (None, 0), (5, 0), ("[[[", 0), ({}, 1), ([], 1), ({"a": 1}, 1), ({"a": {}}, 2), ([[], [[]]], 3),
        ({"a": 1, "b": {"c": [1]}}, 3), ([1, [2], [3, [4]], 5], 3),
    ],
)  # fmt: skip
def test_how_deep_a_value_is(value: Any, deep: int) -> None:
    assert depth(value) == deep


def nested(levels: int) -> dict[str, Any]:
    value: Any = {}
    for _ in range(levels - 1):
        value = {"a": value}
    found: dict[str, Any] = value
    return found


def test_depth_is_measured_however_deep() -> None:
    assert depth(nested(100_000)) == 100_000


def test_metadata_may_be_so_deep_and_no_deeper() -> None:
    assert msgspec.json.decode(encode_metadata("var", nested(limits.MAX_DEPTH))) == nested(limits.MAX_DEPTH)
    for levels in (limits.MAX_DEPTH + 1, 100_000):
        with pytest.raises(Invalid) as refusal:
            encode_metadata("var", nested(levels))
        assert [fault.field for fault in refusal.value.details or ()] == ["var"]


def test_metadata_may_be_so_long_and_no_longer() -> None:
    frame = len(b'{"a":""}')
    assert len(encode_metadata("var", {"a": "x" * (limits.MAX_VAR - frame)})) == limits.MAX_VAR
    for text in ("x" * (limits.MAX_VAR - frame + 1), "é" * (limits.MAX_VAR // 2)):
        with pytest.raises(Invalid) as refusal:
            encode_metadata("var", {"a": text})
        assert [fault.field for fault in refusal.value.details or ()] == ["var"]


@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_metadata_come_back_as_they_were(value: dict[str, Any]) -> None:
    assert msgspec.json.decode(encode_metadata("var", value)) == value


@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_a_nul_is_found_wherever_it_is(value: dict[str, Any]) -> None:
    assert holds_nul(value) == ("\\u0000" in msgspec.json.encode(value).decode().replace("\\\\", ""))
