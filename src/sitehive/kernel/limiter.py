"""Counting what happens within a window of time."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple, Protocol

# Providers hand out whole IPv6 networks of this size, so one of them counts as one address.
IPV6_PREFIX = 64


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


@lru_cache(maxsize=8192)
def counted_as(address: str) -> str:
    """The name under which an address is counted: itself, or the network that one IPv6 customer holds."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, IPV6_PREFIX), strict=False))
    return address


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """An address, or None. An IPv4 address in an IPv6 coat is an IPv4 address."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
