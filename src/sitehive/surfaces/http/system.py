"""What is served beside the interface: health, metrics, the published document, pictures."""

from collections.abc import Awaitable, Callable, Mapping

import structlog

from sitehive.kernel.errors import Failure, MethodNotAllowed, NotFound, Refusal
from sitehive.surfaces.http.request import Receive, Request, Scope, Send
from sitehive.surfaces.http.response import JSON, Headers, Response, render_refusal

_log = structlog.get_logger()

Serve = Callable[[str], Awaitable[Response]]

# Nothing served here needs to load, run or be framed by anything, unless it says so itself.
LOCKED: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; sandbox"),
]
TEXT: Headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store"), *LOCKED]


class System:
    """Fixed paths, and folders (`/avatars/`) whose handler gets the rest of the path."""

    def __init__(self, paths: Mapping[str, Serve], folders: Mapping[str, Serve]) -> None:
        self._paths = paths
        self._folders = folders

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, ())
        try:
            response = await self._answer(request)
        except Refusal as refusal:
            response = render_refusal(refusal, request.origin.request_id)
        except Exception as error:  # noqa: BLE001  (whatever it was: the client gets an envelope, the log the cause)
            _log.error("crash", path=request.path, request_id=request.origin.request_id, exc_info=error)
            response = render_refusal(Failure(), request.origin.request_id)
        response.headers = [*response.headers, (b"x-request-id", request.origin.request_id.encode())]
        await response.send(send, with_body=request.method != "HEAD")

    async def _answer(self, request: Request) -> Response:
        serve, rest = self._find(request.path)
        if request.method not in {"GET", "HEAD"}:
            raise MethodNotAllowed(["GET", "HEAD"])
        return await serve(rest)

    def _find(self, path: str) -> tuple[Serve, str]:
        if serve := self._paths.get(path):
            return serve, ""
        folder, slash, rest = path[1:].partition("/")
        if slash and (serve := self._folders.get(f"/{folder}/")):
            return serve, rest
        raise NotFound


def text(body: str, status: int = 200) -> Response:
    return Response(status, TEXT, body.encode())


def json(body: bytes) -> Response:
    return Response(200, [*JSON, (b"access-control-allow-origin", b"*")], body)


def lasting(body: bytes, media_type: str) -> Response:
    """Something that never changes at its address."""
    cache = b"public, max-age=31536000, immutable"
    return Response(200, [(b"content-type", media_type.encode()), (b"cache-control", cache), *LOCKED], body)
