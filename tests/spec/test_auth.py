"""Authentication: spec 4.1 and 5."""

import base64
import json
from typing import Any

import argon2
import pytest

from tests.support.client import Client
from tests.support.scenario import Scenario, play, table
from tests.support.server import sitehive
from tests.support.snapshot import snapshot
from tests.support.world import PASSWORD, hash_of, set_hash

SITE = "site-~"
ALICE = {"site": SITE, "username": "alice-~", "password": PASSWORD}


def without(member: str) -> dict[str, str]:
    return {name: value for name, value in ALICE.items() if name != member}


@table(
    Scenario(
        "a guest token",
        "nobody",
        "POST /auth/token",
        {"site": SITE},
        check=lambda a: set(a["data"]) == {"token", "site_id"},
    ),
    Scenario("in any case", "nobody", "POST /auth/token", {"site": "SITE-~"}),
    Scenario("without a site", "nobody", "POST /auth/token", {}, 400, "invalid_site"),
    Scenario("an unknown site", "nobody", "POST /auth/token", {"site": "nowhere"}, 400, "invalid_site"),
    Scenario("an empty site", "nobody", "POST /auth/token", {"site": ""}, 400, "invalid_site"),
    Scenario("a site that is no text", "nobody", "POST /auth/token", {"site": 1}, 400, "invalid_site"),
    Scenario("an unknown field", "nobody", "POST /auth/token", {"site": SITE, "level": 10}, 422, field="level"),
    Scenario("no body", "nobody", "POST /auth/token", status=400),
    Scenario(
        "a login by name", "nobody", "POST /auth/login", ALICE, check=lambda a: set(a["data"]) == {"token", "user"}
    ),
    Scenario("in any case", "nobody", "POST /auth/login", {**ALICE, "username": "ALICE-~"}),
    Scenario("a login by e-mail", "nobody", "POST /auth/login", {**without("username"), "email": "Alice@~.example"}),
    Scenario("a wrong password", "nobody", "POST /auth/login", {**ALICE, "password": "wrong"}, 401),
    Scenario("an unknown user", "nobody", "POST /auth/login", {**ALICE, "username": "stranger"}, 401),
    Scenario("a name is no e-mail", "nobody", "POST /auth/login", {**without("username"), "email": "alice-~"}, 401),
    Scenario("a deleted user", "nobody", "POST /auth/login", {**ALICE, "username": "deleted-~"}, 401),
    Scenario("a banned user", "nobody", "POST /auth/login", {**ALICE, "username": "banned-~"}, 403),
    Scenario(
        "a banned user with a wrong password",
        "nobody",
        "POST /auth/login",
        {**ALICE, "username": "banned-~", "password": "wrong"},
        401,
    ),
    Scenario("without a site", "nobody", "POST /auth/login", without("site"), 400, "invalid_site"),
    Scenario("an unknown site", "nobody", "POST /auth/login", {**ALICE, "site": "nowhere"}, 400, "invalid_site"),
    Scenario("without a name", "nobody", "POST /auth/login", without("username"), 422, field="username"),
    Scenario("without a password", "nobody", "POST /auth/login", without("password"), 422, field="password"),
    Scenario("a credential in the header is not looked at", "banned", "POST /auth/login", ALICE),
)
def test_getting_a_token(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


def claims(token: str) -> dict[str, Any]:
    payload = token.split(".")[1]
    decoded: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return decoded


def test_the_claims_of_a_guest(client: Client) -> None:
    answer = client.data("nobody", "POST /auth/token", {"site": client.world.site})
    found = claims(answer["token"])
    assert answer["site_id"] == client.world.site_id
    assert found.pop("exp") - found.pop("iat") == 24 * 60 * 60
    assert found == {
        "iss": "sitehive", "sub": f"site:{client.world.site_id}", "site_id": client.world.site_id, "user_id": 0,
        "level": 0, "persona": "public", "scope": "public:read",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("who", "persona"), [("alice", "user"), ("moderator", "moderator"), ("chief", "admin"), ("owner", "superadmin")]
)
def test_the_claims_of_a_user(client: Client, who: str, persona: str) -> None:
    answer = log_in(client, who)
    found = claims(answer["token"])
    assert (found["user_id"], found["persona"], found["scope"]) == (client.world.ids[who], persona, "*")
    assert found["level"] == answer["user"]["level"]


def test_the_user_in_a_login(client: Client) -> None:
    user = log_in(client, "alice")["user"]
    assert list(user) == ["id", "username", "email", "level", "role", "type", "type_label", "avatar", "created_at"]
    assert user["email"] == f"alice@{client.world.canary}.example"


def test_a_login_is_remembered(client: Client) -> None:
    assert client.data("alice", "GET /users/me")["last_login_at"] is None
    log_in(client, "alice")
    assert client.data("alice", "GET /users/me")["last_login_at"] is not None


def log_in(client: Client, who: str, password: str = PASSWORD) -> Any:
    login = {"site": client.world.site, "username": f"{who}-{client.world.canary}", "password": password}
    return client.data("nobody", "POST /auth/login", login)


def refusal(client: Client, authorization: str) -> tuple[int, str]:
    response = client.call("nobody", "GET /users/me", headers={"Authorization": authorization})
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer nonsense",
        "Bearer a.b.c",
        "Basic YTpi",
        "hive_live_short",
        "hive_live_" + "a" * 36,
        "Bearer " + "a" * 5000,
    ],
)
def test_a_malformed_credential(client: Client, authorization: str) -> None:
    assert refusal(client, authorization) == (401, "unauthorized")


def test_the_scheme_is_read_in_any_case(client: Client) -> None:
    token = client.world.credentials["alice"].removeprefix("Bearer ")
    assert client.call("nobody", "GET /users/me", headers={"Authorization": f"bearer {token}"}).status_code == 200


def test_a_changed_token_is_refused(client: Client) -> None:
    head, payload, signature = client.world.credentials["alice"].split(".")
    forged = claims(client.world.credentials["alice"].removeprefix("Bearer "))
    forged["user_id"], forged["level"] = client.world.ids["owner"], 10
    body = base64.urlsafe_b64encode(json.dumps(forged).encode()).rstrip(b"=").decode()
    assert refusal(client, f"{head}.{body}.{signature}") == (401, "unauthorized")
    assert refusal(client, f"{head}.{payload}.") == (401, "unauthorized")


def test_an_expired_token(client: Client) -> None:
    world = client.world
    name = f"alice-{world.canary}"
    token = sitehive("token", world.site, "--as", name, "--ttl", "0", environ=world.server.environ).stdout.strip()
    assert refusal(client, f"Bearer {token}") == (401, "expired")


def test_an_issued_token_works(client: Client) -> None:
    world = client.world
    printed = sitehive(
        "token", world.site, "--as", f"BOB-{world.canary}", "--json", environ=world.server.environ
    ).stdout
    token = json.loads(printed)["token"]
    assert (
        client.call("nobody", "GET /users/me", headers={"Authorization": f"Bearer {token}"}).json()["data"]["id"]
        == world.ids["bob"]
    )


def test_what_is_taken_away_counts_at_once(client: Client) -> None:
    assert client.data("owner", "PATCH /users/{admin}", {"level": 1})["level"] == 1
    assert client.call("admin", "DELETE /users/{bob}").status_code == 403
    assert client.data("owner", "PATCH /users/{admin}", {"level": 9})["level"] == 9
    assert client.call("admin", "DELETE /users/{bob}").status_code == 200
    client.data("owner", "PATCH /users/{alice}", {"type": 2})
    assert refusal(client, client.world.credentials["alice"]) == (403, "forbidden")
    client.data("owner", "DELETE /users/{alice}")
    assert refusal(client, client.world.credentials["alice"]) == (401, "unauthorized")
    client.data("owner", "PATCH /users/{alice}", {"type": 1})
    assert refusal(client, client.world.credentials["alice"]) == (401, "unauthorized")
    assert log_in(client, "alice")["user"]["type"] == 1


def test_an_outdated_hash_is_renewed_by_a_login(client: Client) -> None:
    weak = argon2.PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(PASSWORD)
    set_hash(client.world, "alice", weak)
    log_in(client, "alice")
    renewed = hash_of(client.world, "alice")
    assert renewed != weak
    assert "m=19456,t=2,p=1" in renewed
    log_in(client, "alice")
    assert hash_of(client.world, "alice") == renewed


def test_a_new_password_ends_every_token(client: Client) -> None:
    before = f"Bearer {log_in(client, 'alice')['token']}"
    client.data("alice", "PATCH /users/{alice}", {"password": "another one"})
    assert refusal(client, before) == (401, "unauthorized")
    assert refusal(client, client.world.credentials["alice"]) == (401, "unauthorized")
    after = f"Bearer {log_in(client, 'alice', 'another one')['token']}"
    assert client.call("nobody", "GET /users/me", headers={"Authorization": after}).status_code == 200
    client.data("owner", "PATCH /users/{alice}", {"password": "a third one"})
    assert refusal(client, after) == (401, "unauthorized")
    again = f"Bearer {log_in(client, 'alice', 'a third one')['token']}"
    assert client.call("nobody", "GET /users/me", headers={"Authorization": again}).status_code == 200


def test_keys_outlive_a_new_password(client: Client) -> None:
    client.data("key", "PATCH /users/{owner}", {"password": "another one"})
    assert client.call("key", "GET /users/me").status_code == 200
    assert client.call("owner", "GET /users/me").status_code == 401


def test_a_site_without_tokens(client: Client) -> None:
    world = client.world
    assert sitehive("site", "config", world.site, "jwt_enabled=false", environ=world.server.environ).returncode == 0
    for who in ("guest", "alice", "owner"):
        refused = client.call(who, "GET /users")
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "jwt_disabled")
    for route, body in (
        ("POST /auth/token", {"site": world.site}),
        ("POST /auth/login", {"site": world.site, "username": "x", "password": "y"}),
    ):
        refused = client.call("nobody", route, body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "jwt_disabled")
    assert client.call("key", "GET /users").status_code == 200
    sitehive("site", "config", world.site, "jwt_enabled=true", environ=world.server.environ)
    assert client.call("alice", "GET /users").status_code == 200


def test_a_removed_site(client: Client) -> None:
    world = client.world
    assert sitehive("site", "delete", world.site, "--yes", environ=world.server.environ).returncode == 0
    for who in ("guest", "alice", "key"):
        refused = client.call(who, "GET /users")
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "invalid_site")
    left = {table: rows for table, rows in snapshot(world).items() if rows and table != "api_keys"}
    assert left == {}


def test_a_wrong_name_and_a_wrong_password_read_the_same(client: Client) -> None:
    answers = []
    for name in (f"alice-{client.world.canary}", "nobody-there"):
        login = {"site": client.world.site, "username": name, "password": "wrong password"}
        answers.append(client.call("nobody", "POST /auth/login", login).json()["error"])
    assert answers[0] == answers[1]
