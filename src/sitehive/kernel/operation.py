"""An operation, declared once. Routes, validation, the published document and scripts all read this declaration."""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct

from sitehive.kernel.access import Access
from sitehive.kernel.context import Context
from sitehive.kernel.paging import Page
from sitehive.kernel.shape import Shape

Handler = Callable[..., Awaitable[Any]]
Envelope = Literal["single", "page", "list", "empty"]
Place = Literal["v1", "manage/v1"]


class NoInput(Struct, frozen=True, forbid_unknown_fields=True):
    """The input of operations that take none."""


@dataclass(frozen=True)
class Operation:
    """One thing the product can do, for whichever surface asks.

    `writes` runs the handler in a transaction. `prepare` runs before it opens: everything slow or outside the
    database (hashing, fetching) happens there, and its result is the handler's third argument.
    """

    name: str
    method: str
    path: str
    access: Access
    handler: Handler
    input: type[Struct]
    output: Any
    envelope: Envelope
    status: int
    writes: bool
    place: Place
    prepare: Handler | None = None
    summary: str = ""
    description: str = ""
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", Shape.of(self.input, self.path_fields, self.from_query))

    @property
    def resource(self) -> str:
        return self.name.partition(".")[0]

    @cached_property
    def scope(self) -> str:
        """What a narrowed API key must hold to call this."""
        return f"{self.resource}:{'write' if self.writes else 'read'}"

    @property
    def path_fields(self) -> tuple[str, ...]:
        return tuple(re.findall(r"{(\w+)}", self.path))

    @property
    def from_query(self) -> bool:
        """Whether fields outside the path come from the query string rather than from a body."""
        return self.method in {"GET", "DELETE"}

    async def invoke(self, ctx: Context, given: Struct, *prepared: Any) -> Any:
        if self.input is NoInput:
            return await self.handler(ctx)
        return await self.handler(ctx, given, *prepared)


def operation(
    name: str,
    route: str,
    *,
    access: Access,
    status: int = 200,
    writes: bool | None = None,
    prepare: Handler | None = None,
    place: Place = "v1",
) -> Callable[[Handler], Operation]:
    """Declare the decorated handler as an operation.

    Its input is the annotation of its second parameter, its output the return annotation. Where each input
    field comes from follows from the route: path, then query for GET and DELETE, body for the rest.
    """
    method, path = route.split(" ")

    def declare(handler: Handler) -> Operation:
        hints = get_type_hints(handler, include_extras=True)
        output = hints.pop("return")
        parameters = list(inspect.signature(handler).parameters)
        doc = inspect.getdoc(handler) or ""
        summary, _, description = doc.partition("\n")
        envelope, item = _envelope(output)
        return Operation(
            name=name,
            method=method,
            path=path,
            access=access,
            handler=handler,
            input=hints[parameters[1]] if len(parameters) > 1 else NoInput,
            output=item,
            envelope=envelope,
            status=204 if envelope == "empty" else status,
            writes=method != "GET" if writes is None else writes,
            place=place,
            prepare=prepare,
            summary=summary.rstrip("."),
            description=description.strip(),
        )

    return declare


def _envelope(output: Any) -> tuple[Envelope, Any]:
    if output is type(None):
        return "empty", None
    if get_origin(output) is Page:
        return "page", get_args(output)[0]
    if get_origin(output) is list:
        return "list", get_args(output)[0]
    return "single", output


class Registry:
    """Every operation there is, by name."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self.by_name: dict[str, Operation] = {}
        for declared in operations:
            if declared.name in self.by_name:
                raise ValueError(f"two operations are called {declared.name}")
            self.by_name[declared.name] = declared

    @classmethod
    def of(cls, *modules: ModuleType) -> "Registry":
        """The operations declared in these modules, in the order of their declaration."""
        return cls(thing for module in modules for thing in vars(module).values() if isinstance(thing, Operation))

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.by_name.values())

    def __getitem__(self, name: str) -> Operation:
        return self.by_name[name]

    @property
    def scopes(self) -> list[str]:
        """Everything that an API key can be narrowed to."""
        resources = {declared.resource for declared in self if declared.access.credential}
        return sorted(f"{resource}:{verb}" for resource in resources for verb in ("read", "write"))
