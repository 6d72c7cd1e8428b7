"""Finds the operation behind a method and a path.

Fixed words win over identifiers, and identifiers over names, so that `/dataset/_collections`, `/dataset/12` and
`/dataset/{name}/purge` can live side by side.
"""

from collections.abc import Iterable
from typing import Any, get_args
from urllib.parse import unquote

from sitehive.kernel import limits
from sitehive.kernel.errors import MethodNotAllowed, NotFound
from sitehive.kernel.operation import Operation

Params = dict[str, Any]


class Node:
    __slots__ = ("by_method", "identifier", "name", "words")

    def __init__(self) -> None:
        self.words: dict[str, Node] = {}
        self.identifier: Node | None = None
        self.name: Node | None = None
        self.by_method: dict[str, Operation] = {}


class Router:
    def __init__(self, operations: Iterable[Operation]) -> None:
        self._root = Node()
        for operation in operations:
            self._add(operation)

    def find(self, method: str, path: str) -> tuple[Operation, Params]:
        """The operation, and the values in the path. `path` is still percent-encoded."""
        node, values = self._match(path)
        operation = node.by_method.get("GET" if method == "HEAD" else method)
        if operation is None:
            raise MethodNotAllowed(_allowed(node))
        return operation, dict(zip(operation.path_fields, values, strict=True))

    def methods(self, path: str) -> list[str]:
        """Every method that a path supports."""
        return _allowed(self._match(path)[0])

    def _add(self, operation: Operation) -> None:
        node = self._root
        types = {field.name: field.type for field in operation.shape.path}
        for segment in _segments(f"/{operation.place}{operation.path}"):
            node = _child(node, segment, types)
        if operation.method in node.by_method:
            raise ValueError(f"{operation.name} repeats the route of {node.by_method[operation.method].name}")
        node.by_method[operation.method] = operation

    def _match(self, path: str) -> tuple[Node, list[Any]]:
        found = _descend(self._root, _segments(path), 0)
        if found is None:
            raise NotFound
        return found


def _segments(path: str) -> list[str]:
    return path.split("/")[1:]


def _child(node: Node, segment: str, types: Params) -> Node:
    if not segment.startswith("{"):
        return node.words.setdefault(segment, Node())
    kind = types[segment[1:-1]]
    if int in (kind, *get_args(kind)):
        node.identifier = node.identifier or Node()
        return node.identifier
    node.name = node.name or Node()
    return node.name


def _descend(node: Node, segments: list[str], place: int) -> tuple[Node, list[Any]] | None:
    if place == len(segments):
        return (node, []) if node.by_method else None
    segment = segments[place]
    word = node.words.get(segment)
    if word is not None and (found := _descend(word, segments, place + 1)):
        return found
    for child, value in ((node.identifier, _parse_id(segment)), (node.name, _parse_name(segment))):
        if child is not None and value is not None and (found := _descend(child, segments, place + 1)):
            return found[0], [value, *found[1]]
    return None


def _parse_id(segment: str) -> int | None:
    """A whole number, written in the one way that numbers are written."""
    if not (segment.isascii() and segment.isdigit()) or (segment[0] == "0" and segment != "0"):
        return None
    value = int(segment) if len(segment) <= 19 else limits.MAX_ID + 1
    return value if value <= limits.MAX_ID else None


def _parse_name(segment: str) -> str | None:
    try:
        text = unquote(segment, errors="strict")
    except UnicodeDecodeError:
        return None
    return text if text and "\0" not in text else None


def _allowed(node: Node) -> list[str]:
    methods = set(node.by_method) | {"OPTIONS"}
    return sorted(methods | {"HEAD"} if "GET" in methods else methods)
