"""The types that input and output fields are made of."""

import unicodedata
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw

from sitehive.kernel import limits
from sitehive.kernel.errors import Invalid

Id = Annotated[int, Meta(ge=1, le=limits.MAX_ID, description="A resource's identifier.", examples=[42])]
Level = Annotated[int, Meta(ge=0, le=10, description="A permission level.", examples=[1])]
Search = Annotated[str, Meta(max_length=limits.MAX_SEARCH, description="A text to look for, in any case.")]
Timestamp = Annotated[
    str,
    Meta(
        description="A moment in UTC, with milliseconds.",
        examples=["2026-01-31T12:00:00.000Z"],
        extra_json_schema={"format": "date-time"},
    ),
]

# Free metadata as clients send it, and as it is sent back: the stored text, never decoded on the way out.
JsonObject = Annotated[dict[str, Any], Meta(description="Free metadata.", examples=[{"city": "Turin"}])]
StoredJson = Annotated[
    Raw,
    Meta(description="Free metadata.", extra_json_schema={"type": "object", "additionalProperties": True}),
]

# Characters that nobody sees: controls, formats, what is not assigned, and letters and marks that are drawn as nothing.
UNSEEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
UNSEEN = {
    *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
}

_encoder = msgspec.json.Encoder()


def fold(text: str) -> str:
    """The form in which names are compared and searched: no case, no compatibility variants."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def is_printable_name(text: str) -> bool:
    """Whether a text can stand as a name: visible, on one line, without blanks at its ends."""
    return bool(text) and text == text.strip() and is_visible(text) and "  " not in unicodedata.normalize("NFKC", text)


def is_visible(text: str) -> bool:
    """Whether every character of a text shows."""
    return not any(unicodedata.category(c) in UNSEEN_CATEGORIES or ord(c) in UNSEEN for c in text)


def encode_metadata(field: str, value: dict[str, Any]) -> str:
    """Encode free metadata for storage, within the limits on depth and size."""
    if depth(value) > limits.MAX_DEPTH:
        raise Invalid.field(field, f"nests deeper than {limits.MAX_DEPTH} levels")
    encoded = _encoder.encode(value)
    if len(encoded) > limits.MAX_VAR:
        raise Invalid.field(field, f"is longer than {limits.MAX_VAR} bytes")
    return encoded.decode()


def depth(value: object) -> int:
    """How deep a JSON value nests; a scalar is depth 0, an object of scalars depth 1."""
    level = 0
    layer = [value] if isinstance(value, dict | list) else []
    while layer:
        level += 1
        layer = [child for parent in layer for child in _children(parent) if isinstance(child, dict | list)]
    return level


def _children(container: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def holds_nul(value: object) -> bool:
    """Whether any text inside a JSON value, keys included, holds a NUL character. Postgres cannot store one."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if "\0" in item:
                return True
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return False
