"""Counting what happens within a window of time."""

from typing import NamedTuple, Protocol


class Rule(NamedTuple):
    """At most `amount` times in `seconds`, for each key."""

    name: str
    amount: int
    seconds: int


class Verdict(NamedTuple):
    allowed: bool
    remaining: int
    seconds_to_reset: int


class Limiter(Protocol):
    """Counts are exact however many callers there are, and shared by every process they must bind."""

    async def hit(self, rule: Rule, key: str) -> Verdict:
        """Count once, and say whether that was still within the rule."""
        ...

    async def refund(self, rule: Rule, key: str) -> None:
        """Take one count back."""
        ...

    async def clear(self, rule: Rule, key: str) -> None:
        """Forget every count."""
        ...
