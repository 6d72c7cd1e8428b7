"""How one flat input is put together from what a caller sends, and what is said when it cannot be.

Query strings are text, so numbers and booleans are read out of it. JSON bodies and scripts carry types, and no
conversion is made. Decoding does no I/O.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import msgspec
from msgspec import UNSET, Struct

from sitehive.kernel.errors import Fault, Invalid, InvalidRequest, Refusal
from sitehive.kernel.fields import holds_nul

Values = Mapping[str, Any]
FieldInfo = msgspec.structs.FieldInfo

# A field may name the refusal that stands in for the usual one: Meta(extra={REFUSAL: InvalidSite}).
REFUSAL = "refusal"
# What a fault is named after that no single field is to blame for.
BODY = "body"


class Shape:
    """An operation's input type, taken apart by where its fields come from."""

    def __init__(self, input_type: type[Struct], path_fields: tuple[str, ...], from_query: bool) -> None:
        self.input = input_type
        self.fields = msgspec.structs.fields(input_type)
        self.path = [field for field in self.fields if field.name in path_fields]
        self.rest = [field for field in self.fields if field.name not in path_fields]
        self.from_query = from_query
        self.has_body = bool(self.rest) and not from_query
        self.may_be_empty = not any(field.required for field in self.rest)
        self.body: type[Struct] = msgspec.defstruct(
            f"{input_type.__name__}Body",
            [_definition(f) for f in self.rest],
            forbid_unknown_fields=True,
            kw_only=True,
        )
        self._decoder = msgspec.json.Decoder(self.body)
        self._names = [field.name for field in self.rest]

    @classmethod
    def of(cls, input_type: type[Struct], path_fields: tuple[str, ...], from_query: bool) -> "Shape":
        names = {field.name for field in msgspec.structs.fields(input_type)}
        if missing := set(path_fields) - names:
            raise TypeError(f"{input_type.__name__} lacks the path fields {sorted(missing)}")
        return cls(input_type, path_fields, from_query)

    def parse_path(self, path: Values) -> Struct:
        """Build an input that is all in the path, already typed by the router."""
        return self.input(**path)

    def parse_query(self, path: Values, query: Values) -> Struct:
        """Build an input from path and query texts; unknown query parameters are ignored."""
        given = {name: query[name] for name in self._names if name in query}
        if any("\0" in text for text in given.values()):
            raise InvalidRequest("A query parameter holds a NUL character.")
        try:
            return msgspec.convert({**given, **path}, self.input, strict=False)
        except msgspec.ValidationError:
            raise InvalidRequest(
                "A query parameter is not valid.", details=_faults(self.rest, given, strict=False)
            ) from None

    def parse_json(self, path: Values, raw: bytes) -> Struct:
        """Build an input from path and a JSON body."""
        try:
            body = self._decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise self._refuse_body(raw) from None
        if b"\\u0000" in raw:
            _refuse_nul(msgspec.json.decode(raw))
        return self.input(**path, **{name: getattr(body, name) for name in self._names})

    def parse_values(self, values: Values) -> Struct:
        """Build an input from values that carry their types, as scripts and commands send them."""
        _refuse_nul(values)
        try:
            return msgspec.convert(dict(values), self.input)
        except msgspec.ValidationError:
            raise _refusal(_faults(self.fields, values), self.fields) from None

    def _refuse_body(self, raw: bytes) -> Refusal:
        try:
            given = msgspec.json.decode(raw)
        except msgspec.ValidationError:
            return Invalid.field(BODY, "a number is out of range")
        except RecursionError:
            return Invalid.field(BODY, "nests too deeply")
        except (msgspec.DecodeError, UnicodeDecodeError):
            return InvalidRequest("The body is not valid JSON.")
        if not isinstance(given, dict):
            return Invalid.field(BODY, "must be a JSON object")
        return _refusal(_faults(self.rest, given), self.rest)


def _faults(fields: Sequence[FieldInfo], given: Values, *, strict: bool = True) -> list[Fault]:
    """Everything wrong with the given fields, where the decoder stops at the first."""
    faults = [fault for field in fields for fault in _check(field, given, strict)]
    known = {field.name for field in fields}
    return faults + [Fault(str(name), "is not a known field") for name in given if name not in known]


def _definition(field: FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    if field.required:
        return field.name, field.type
    if field.default_factory is not msgspec.NODEFAULT:
        return field.name, field.type, msgspec.field(default_factory=field.default_factory)
    return field.name, field.type, field.default


def _check(field: FieldInfo, given: Values, strict: bool) -> list[Fault]:
    value = given.get(field.name, UNSET)
    if value is UNSET:
        return [Fault(field.name, "is required")] if field.required else []
    try:
        msgspec.convert(value, field.type, strict=strict)
    except msgspec.ValidationError as error:
        text, _, place = str(error).partition(" - at `$")
        return [Fault(field.name + place.rstrip("`"), _lower_first(text))]
    return []


def _refuse_nul(values: Values) -> None:
    if held := [Fault(str(name), "may not hold NUL characters") for name in values if holds_nul({name: values[name]})]:
        raise Invalid(details=held)


def _lower_first(text: str) -> str:
    return re.sub(r"^[A-Z](?=[a-z])", lambda match: match[0].lower(), text)


def _refusal(faults: list[Fault], fields: Sequence[FieldInfo]) -> Refusal:
    for field in fields:
        for meta in get_args(field.type)[1:]:
            extra = getattr(meta, "extra", None) or {}
            if REFUSAL in extra and any(fault.field == field.name for fault in faults):
                refusal: Refusal = extra[REFUSAL]()
                return refusal
    return Invalid(details=faults)
