"""Answers: the three envelopes, and the headers that go with them."""

from typing import Any

import msgspec
from msgspec import Struct

from sitehive.kernel.clock import iso, now
from sitehive.kernel.errors import MethodNotAllowed, Refusal
from sitehive.kernel.limiter import Rule, Verdict
from sitehive.kernel.operation import Operation
from sitehive.kernel.paging import Page
from sitehive.surfaces.http.request import Send

Headers = list[tuple[bytes, bytes]]

_encode = msgspec.json.Encoder().encode

JSON: Headers = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]
EXPOSED = b"X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Allow"
CORS: Headers = [(b"access-control-allow-origin", b"*"), (b"access-control-expose-headers", EXPOSED)]


class Response(Struct):
    status: int
    headers: Headers
    body: bytes = b""

    async def send(self, send: Send, *, with_body: bool = True) -> None:
        headers = self.headers
        if self.status != 204:
            headers = [*headers, (b"content-length", b"%d" % len(self.body))]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body if with_body else b""})


class ErrorBody(Struct):
    code: str
    message: str
    details: Any


def render_result(operation: Operation, result: Any, request_id: str) -> Response:
    if operation.envelope == "empty":
        return Response(204, [])
    if operation.envelope == "page":
        page: Page[Any] = result
        body = b'{"data":%b,"pagination":%b,%b}' % (
            _encode(page.items),
            _encode(page.pagination),
            _meta(request_id),
        )
    else:
        body = b'{"data":%b,%b}' % (_encode(result), _meta(request_id))
    return Response(operation.status, JSON, body)


def render_refusal(refusal: Refusal, request_id: str) -> Response:
    error = ErrorBody(refusal.code, refusal.message, refusal.details)
    headers = list(JSON)
    if refusal.retry_after is not None:
        headers.append((b"retry-after", b"%d" % refusal.retry_after))
    if isinstance(refusal, MethodNotAllowed):
        headers.append((b"allow", ", ".join(refusal.allowed).encode()))
    if refusal.status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="sitehive"'))
    return Response(refusal.status, headers, b'{"error":%b,%b}' % (_encode(error), _meta(request_id)))


def preflight(methods: list[str]) -> Response:
    """The answer to OPTIONS. Credentials travel in a header, never in a cookie, so any origin may ask."""
    allowed = ", ".join(methods).encode()
    return Response(
        204,
        [
            (b"allow", allowed),
            (b"access-control-allow-methods", allowed),
            (b"access-control-allow-headers", b"Authorization, Content-Type"),
            (b"access-control-max-age", b"86400"),
        ],
    )


def rate_limit_headers(rule: Rule, verdict: Verdict) -> Headers:
    """The fields of the IETF draft on rate limits."""
    return [
        (b"ratelimit-policy", b'"default";q=%d;w=%d' % (rule.amount, rule.seconds)),
        (b"ratelimit", b'"default";r=%d;t=%d' % (verdict.remaining, verdict.seconds_to_reset)),
    ]


def _meta(request_id: str) -> bytes:
    return f'"meta":{{"requestId":"{request_id}","timestamp":"{iso(now())}"}}'.encode()
