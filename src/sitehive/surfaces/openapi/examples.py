"""Examples for request bodies, taken from those of their fields."""

from typing import Any, get_args

from msgspec import Meta


def example_of(kind: Any) -> Any:
    """The first example that a type, or one of the types it is made of, carries."""
    for part in get_args(kind):
        if isinstance(part, Meta):
            if part.examples:
                return part.examples[0]
        elif (found := example_of(part)) is not None:
            return found
    return None
