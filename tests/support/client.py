"""A client that checks every answer of the interface against the published document."""

import re
from functools import cache
from typing import Any

import httpx
import jsonschema_rs
import msgspec

from sitehive.app import registry
from sitehive.surfaces.openapi.document import build_document
from tests.support.world import World

Json = Any


@cache
def document() -> dict[str, Any]:
    encoded = msgspec.json.encode(build_document(registry(), "http://localhost:8000"))
    decoded: dict[str, Any] = msgspec.json.decode(encoded)
    return decoded


@cache
def _routes() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """Fixed paths first, as the router prefers them."""
    paths = sorted(document()["paths"].items(), key=lambda item: item[0].count("{"))
    return [
        (re.compile(re.sub(r"{(\w*id)}", r"\\d+", path).replace("{name}", "[^/]+") + "$"), item) for path, item in paths
    ]


@cache
def _validator(schema: bytes) -> jsonschema_rs.Draft202012Validator:
    whole = {**msgspec.json.decode(schema), "components": document()["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def check_conformance(response: httpx.Response) -> None:
    """Fail unless the document foretold this answer: its status, its headers and its body."""
    path, method = response.request.url.path, response.request.method.lower()
    if not path.startswith(("/v1/", "/manage/v1/")) or method == "options":
        return
    body = b"" if method == "head" else response.content
    check_envelope(response, body)
    item = next((item for pattern, item in _routes() if pattern.match(path)), {})
    operation = item.get("get" if method == "head" else method)
    if operation is None:
        assert response.status_code in {404, 405, 429, 431, 500, 503}, (method, path, response.status_code)
        return
    described = operation["responses"].get(str(response.status_code))
    assert described is not None, f"{operation['operationId']} does not document status {response.status_code}"
    if "$ref" in described:
        described = document()["components"]["responses"][described["$ref"].rpartition("/")[2]]
    if body and "content" in described:
        schema = described["content"]["application/json"]["schema"]
        _validator(msgspec.json.encode(schema)).validate(response.json())


def check_envelope(response: httpx.Response, body: bytes) -> None:
    assert response.headers["x-request-id"].startswith("req_")
    assert response.headers["access-control-allow-origin"] == "*"
    if response.status_code == 204:
        assert body == b""
        return
    assert response.headers["content-type"] == "application/json"
    if body:
        answer = response.json()
        assert set(answer) in ({"data", "meta"}, {"data", "pagination", "meta"}, {"error", "meta"})
        assert answer["meta"]["requestId"] == response.headers["x-request-id"]
        assert ("error" in answer) == (response.status_code >= 400)


class Client:
    """Calls the interface as somebody of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._http = httpx.Client(
            base_url=f"{world.server.url}", timeout=30, verify=False, event_hooks={"response": [_read_and_check]}
        )

    def close(self) -> None:
        self._http.close()

    def call(self, who: str, route: str, json: Json = None, **options: Any) -> httpx.Response:
        """`route` is a method and a path below /v1, with names of people for ids: `GET /users/{alice}`."""
        method, path = route.split(" ", 1)
        headers = dict(options.pop("headers", {}))
        if who != "nobody":
            headers.setdefault("Authorization", self.world.credentials[who])
        if json is not None:
            options["json"] = json
        place = "" if path.startswith("/manage/") else "/v1"
        return self._http.request(method, place + self.world.fill(path), headers=headers, **options)

    def raw(self, method: str, path: str, **options: Any) -> httpx.Response:
        """A request just as it is given."""
        return self._http.request(method, path, **options)

    def data(self, who: str, route: str, json: Json = None, **options: Any) -> Any:
        """The `data` of an answer that must be a success."""
        response = self.call(who, route, json, **options)
        assert response.is_success, response.text
        return response.json()["data"] if response.content else None


def _read_and_check(response: httpx.Response) -> None:
    response.read()
    check_conformance(response)
