"""Examples for request bodies, taken from those of their fields."""

from typing import Any, get_args, get_origin

from msgspec import Meta


def example_of(kind: Any) -> Any:
    """The first example that a type, or one of the types it is made of, carries."""
    parts = get_args(kind)
    for part in parts:
        if isinstance(part, Meta) and part.examples:
            return part.examples[0]
    found = next((example for part in parts if (example := example_of(part)) is not None), None)
    return [found] if get_origin(kind) is list and found is not None else found
