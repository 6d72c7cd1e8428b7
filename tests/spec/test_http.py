"""What holds for every path: envelopes, methods, bodies, headers."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.support.client import Client
from tests.support.crash import crash
from tests.support.server import Server


@pytest.mark.parametrize(
    "path",
    [
        "/v1/nothing",
        "/v1/users/",
        "/v1//users",
        "/v1/Users",
        "/v1/users/1/2",
        "/v1/",
        "/manage/v1/nothing",
    ],
)
def test_an_unknown_path(client: Client, path: str) -> None:
    answer = client.raw("GET", path, headers={"Authorization": client.world.credentials["owner"]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["/", "/v1", "/nothing", "/favicon.ico", "/v2/users"])
def test_a_path_outside_the_interface(client: Client, path: str) -> None:
    answer = client.raw("GET", path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/users", "GET, HEAD, OPTIONS, POST"),
        ("DELETE", "/v1/users", "GET, HEAD, OPTIONS, POST"),
        ("POST", "/v1/users/1", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("GET", "/v1/auth/login", "OPTIONS, POST"),
        ("TRACE", "/v1/users", "GET, HEAD, OPTIONS, POST"),
    ],
)
def test_a_method_that_a_path_lacks(client: Client, method: str, path: str, allow: str) -> None:
    answer = client.raw(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allow)
    assert answer.json()["error"]["code"] == "invalid_request"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"{", "application/json"),
        (b"", "application/json"),
        (b"\xff\xfe", "application/json"),
        (b'{"site": NaN}', "application/json"),
        (b'{"site": "\\ud800"}', "application/json"),
        (b"site=demo", "application/x-www-form-urlencoded"),
        (b'{"site": "demo"}', "text/plain"),
        (b'{"site": "demo"}', ""),
    ],
)
def test_a_body_that_is_not_json(client: Client, body: bytes, content_type: str) -> None:
    answer = client.raw("POST", "/v1/auth/token", content=body, headers={"Content-Type": content_type})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"[" * 5_000 + b"]" * 5_000,
        b'"demo"',
        b"1",
        b"null",
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"site": 1e999}',
    ],
)
def test_json_of_another_form(client: Client, body: bytes) -> None:
    answer = client.raw("POST", "/v1/users", content=body, headers=headers(client, "alice"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "validation_error")


def headers(client: Client, who: str) -> dict[str, str]:
    return {"Content-Type": "application/json; charset=utf-8", "Authorization": client.world.credentials[who]}


def test_json_may_say_its_charset(client: Client) -> None:
    body = json.dumps({"username": "newcomer", "password": "long enough"}).encode()
    assert client.raw("POST", "/v1/users", content=body, headers=headers(client, "alice")).status_code == 201


def test_a_body_that_is_too_long(client: Client) -> None:
    body = b'{"username": "' + b"a" * (1024 * 1024) + b'"}'
    answer = client.raw("POST", "/v1/users", content=body, headers=headers(client, "alice"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "validation_error")


def test_a_body_that_is_too_long_without_saying_so(client: Client) -> None:
    chunks = (b"a" * 65536 for _ in range(20))
    answer = client.raw("POST", "/v1/users", content=chunks, headers=headers(client, "alice"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "validation_error")


def test_headers_that_are_too_large(client: Client) -> None:
    answer = client.raw("GET", "/v1/users", headers={**headers(client, "alice"), "X-Padding": "a" * 17_000})
    assert (answer.status_code, answer.json()["error"]["code"]) == (431, "invalid_request")


def test_a_refused_caller_learns_nothing_of_the_input(client: Client) -> None:
    """Credential before access, access before input."""
    assert client.raw("POST", "/v1/users", content=b"{").status_code == 401
    assert client.raw("POST", "/v1/users", content=b"{", headers=headers(client, "guest")).status_code == 403
    assert client.raw("POST", "/v1/users", content=b"{", headers=headers(client, "alice")).status_code == 400


def test_head_answers_like_get_without_a_body(client: Client) -> None:
    got = client.call("guest", "GET /users")
    head = client.call("guest", "HEAD /users")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]
    assert client.call("guest", "HEAD /users/999999999").status_code == 404


def test_any_origin_may_ask(client: Client) -> None:
    asked = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization",
    }
    answer = client.raw("OPTIONS", "/v1/users/1", headers=asked)
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "PATCH" in answer.headers["access-control-allow-methods"]
    assert "authorization" in answer.headers["access-control-allow-headers"].lower()
    assert "access-control-allow-credentials" not in answer.headers
    assert client.raw("OPTIONS", "/v1/nothing").status_code == 404


def test_every_answer_has_its_own_id(client: Client) -> None:
    ids = {client.call("guest", "GET /users").headers["x-request-id"] for _ in range(5)}
    assert len(ids) == 5


def test_the_request_id_is_in_the_log(client: Client) -> None:
    request_id = client.call("alice", "GET /users/me").headers["x-request-id"]
    lines = [json.loads(line) for line in client.world.server.log.read_text().splitlines() if request_id in line]
    assert len(lines) == 1
    entry: dict[str, Any] = lines[0]
    assert (entry["operation"], entry["status"], entry["user"]) == ("users.me", 200, client.world.ids["alice"])


def test_health(server: Server) -> None:
    assert httpx.get(f"{server.url}/healthz").text == "ok\n"
    assert httpx.get(f"{server.url}/readyz").text == "ready\n"
    assert httpx.post(f"{server.url}/healthz").status_code == 405


def test_metrics_are_labelled_by_operation(client: Client) -> None:
    client.call("guest", "GET /users")
    text = client.raw("GET", "/metrics").text
    assert 'sitehive_requests_total{operation="users.list",status="200"}' in text
    assert client.world.site not in text


def test_a_crash_is_told_in_the_envelope(tmp_path: Any) -> None:
    """An answer to what nobody foresaw: no internal text for the client, the cause in the log."""
    status, body, log = asyncio.run(crash(tmp_path))
    assert status == 500
    assert json.loads(body)["error"] == {
        "code": "internal_error",
        "message": "Something went wrong on our side.",
        "details": None,
    }
    assert "a secret detail" not in body
    assert "a secret detail" in log
    assert json.loads(body)["meta"]["requestId"] in log
