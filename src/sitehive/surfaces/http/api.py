"""One request to the interface, from the first byte to the last.

rate limit → route → credential → (dispatch: access → input → operation) → envelope → log and metrics
"""

from collections.abc import Awaitable, Callable
from functools import partial

from msgspec import Struct

from sitehive.kernel.context import Origin, Viewer
from sitehive.kernel.dispatch import Dispatcher
from sitehive.kernel.errors import Failure, InvalidRequest, RateLimited, Refusal
from sitehive.kernel.limiter import Limiter, Rule, counted_as
from sitehive.kernel.operation import Operation, Registry
from sitehive.surfaces.http.observe import Observer, Outcome
from sitehive.surfaces.http.request import (
    ClientGoneError,
    Networks,
    Receive,
    Request,
    Scope,
    Send,
)
from sitehive.surfaces.http.response import (
    CORS,
    Headers,
    Response,
    preflight,
    rate_limit_headers,
    render_refusal,
    render_result,
)
from sitehive.surfaces.http.router import Params, Router

Identify = Callable[[str | None, Origin], Awaitable[Viewer]]


class Api:
    def __init__(
        self,
        registry: Registry,
        dispatcher: Dispatcher,
        identify: Identify,
        limiter: Limiter,
        rule: Rule | None,
        trusted: Networks,
        observer: Observer,
    ) -> None:
        self._router = Router(registry)
        self._dispatcher = dispatcher
        self._identify = identify
        self._limiter = limiter
        self._rule = rule
        self._trusted = trusted
        self._observer = observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, self._trusted)
        outcome = Outcome(request)
        extra = [*CORS, (b"x-request-id", request.origin.request_id.encode())]
        try:
            response = await self._answer(request, outcome, extra)
        except ClientGoneError:
            # Most likely nobody hears this; but a body that breaks off in the middle of the protocol looks the same.
            response = render_refusal(InvalidRequest("The body could not be read."), request.origin.request_id)
        except Refusal as refusal:
            self._observer.explain(outcome, refusal)
            response = render_refusal(refusal, request.origin.request_id)
        except Exception as error:  # noqa: BLE001  (whatever it was: the client gets an envelope, the log the cause)
            self._observer.crash(outcome, error)
            response = render_refusal(Failure(), request.origin.request_id)
        response.headers = [*response.headers, *extra]
        self._observer.note(outcome, response.status)
        await response.send(send, with_body=request.method != "HEAD")

    async def _answer(self, request: Request, outcome: Outcome, extra: Headers) -> Response:
        request.check_headers()
        if self._rule is not None:
            await self._count(request, self._rule, extra)
        if request.method == "OPTIONS":
            return preflight(self._router.methods(request.path))
        operation, params = self._router.find(request.method, request.path)
        outcome.operation = operation.name
        if operation.access.credential:
            outcome.viewer = await self._identify(request.header(b"authorization"), request.origin)
        read = partial(read_input, request, params)
        result = await self._dispatcher.call(operation, outcome.viewer, request.origin, read)
        return render_result(operation, result, request.origin.request_id)

    async def _count(self, request: Request, rule: Rule, extra: Headers) -> None:
        verdict = await self._limiter.hit(rule, counted_as(request.origin.address))
        extra += rate_limit_headers(rule, verdict)
        if not verdict.allowed:
            raise RateLimited(retry_after=verdict.seconds_to_reset)


async def read_input(request: Request, params: Params, operation: Operation) -> Struct:
    """Decode an operation's input from wherever its fields travel."""
    shape = operation.shape
    if shape.has_body:
        # A POST whose fields may all be left out may leave out the body too; an empty PATCH is a mistake.
        if operation.method == "POST" and shape.may_be_empty and not request.has_body:
            return shape.parse_path(params)
        return shape.parse_json(params, await request.json_body())
    if shape.rest:
        return shape.parse_query(params, request.query())
    return shape.parse_path(params)
