"""What the interface needs to know of an HTTP request."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

from sitehive.kernel import limits
from sitehive.kernel.context import Origin
from sitehive.kernel.errors import HeadersTooLarge, InvalidRequest, TooLarge
from sitehive.kernel.limiter import parse_address

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Networks = tuple[IPv4Network | IPv6Network, ...]

# A body must be here by then, in seconds.
BODY_TIMEOUT = 30.0
# Query strings with more parameters than this are refused.
MAX_PARAMETERS = 100


class ClientGoneError(Exception):
    """The client hung up before its request was complete."""


class Request:
    """One request, read as far as it is needed."""

    __slots__ = ("_lines", "_receive", "headers", "method", "origin", "path", "query_string", "started")

    def __init__(self, scope: Scope, receive: Receive, trusted: Networks) -> None:
        self.started = perf_counter()
        self.method: str = scope["method"]
        self.path: str = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
        self.query_string: bytes = scope["query_string"]
        self._lines: list[tuple[bytes, bytes]] = scope["headers"]
        self.headers: dict[bytes, bytes] = dict(self._lines)
        peer = scope["client"][0] if scope.get("client") else "0.0.0.0"  # noqa: S104  (not bound to: unknown)
        forwarded = b""
        if trusted and b"x-forwarded-for" in self.headers:
            forwarded = b",".join(value for name, value in self._lines if name == b"x-forwarded-for")
        self.origin = Origin(
            f"req_{secrets.token_hex(12)}",
            client_address(peer, forwarded, trusted),
            self.header(b"user-agent") or "",
        )
        self._receive = receive

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def check_headers(self) -> None:
        if sum(len(name) + len(value) for name, value in self._lines) > limits.MAX_HEADERS:
            raise HeadersTooLarge

    def query(self) -> dict[str, str]:
        """The query parameters; of one that is repeated, the last counts."""
        if not self.query_string:
            return {}
        try:
            text = self.query_string.decode("ascii")
            return dict(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS))
        except (UnicodeDecodeError, ValueError):
            raise InvalidRequest("The query string cannot be read.") from None

    @property
    def has_body(self) -> bool:
        return self.headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in self.headers

    async def json_body(self) -> bytes:
        """The body, which must be declared as JSON and keep within its limit."""
        kind = (self.header(b"content-type") or "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise InvalidRequest("The body must be JSON, sent with Content-Type: application/json.")
        length = self.headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > limits.MAX_BODY:
            raise TooLarge
        try:
            async with asyncio.timeout(BODY_TIMEOUT):
                return await self._read()
        except TimeoutError:
            raise InvalidRequest("The body took too long to arrive.") from None

    async def _read(self) -> bytes:
        chunks, size, more = [], 0, True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            chunk = message.get("body", b"")
            size += len(chunk)
            if size > limits.MAX_BODY:
                raise TooLarge
            chunks.append(chunk)
            more = message.get("more_body", False)
        return b"".join(chunks)


@lru_cache(maxsize=8192)
def client_address(peer: str, forwarded: bytes, trusted: Networks) -> str:
    """Where a request comes from. What `X-Forwarded-For` says counts only as far as trusted proxies said it."""
    address = parse_address(peer)
    if address is None:
        return peer
    for hop in reversed(forwarded.decode("latin-1").split(",") if forwarded else []):
        if not any(address in network for network in trusted):
            break
        claimed = parse_address(hop.strip())
        if claimed is None:
            break
        address = claimed
    return str(address)
