"""API keys: spec 2.12 and 4.3."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.scenario import Scenario, play, table

FIELDS = ["id", "name", "prefix", "level", "scopes", "owner", "created_at", "last_used_at", "expires_at", "revoked_at"]
NEW = {"name": "nightly import"}


@table(
    Scenario(
        "a key with every field, shown once",
        "owner",
        "POST /api-keys",
        NEW,
        201,
        check=lambda a: list(a["data"]) == [*FIELDS, "key"],
    ),
    Scenario(
        "it has its creator's level and every scope",
        "owner",
        "POST /api-keys",
        NEW,
        201,
        data={"level": 10, "scopes": ["*"], "expires_at": None},
    ),
    Scenario("of a lower level", "owner", "POST /api-keys", {**NEW, "level": 3}, 201, data={"level": 3}),
    Scenario(
        "with scopes",
        "owner",
        "POST /api-keys",
        {**NEW, "scopes": ["users:read", "sites:read"]},
        201,
        data={"scopes": ["sites:read", "users:read"]},
    ),
    Scenario(
        "with an end",
        "owner",
        "POST /api-keys",
        {**NEW, "expires_at": "2999-01-01T01:00:00+01:00"},
        201,
        data={"expires_at": "2999-01-01T00:00:00.000Z"},
    ),
    Scenario(
        "an end in the past",
        "owner",
        "POST /api-keys",
        {**NEW, "expires_at": "2020-01-01T00:00:00Z"},
        422,
        field="expires_at",
    ),
    Scenario(
        "an end without a zone",
        "owner",
        "POST /api-keys",
        {**NEW, "expires_at": "2999-01-01T00:00:00"},
        422,
        field="expires_at",
    ),
    Scenario(
        "an end beyond all dates",
        "owner",
        "POST /api-keys",
        {**NEW, "expires_at": "9999-12-31T23:59:59-14:00"},
        422,
        field="expires_at",
    ),
    Scenario("an unknown scope", "owner", "POST /api-keys", {**NEW, "scopes": ["cakes:read"]}, 422, field="scopes"),
    Scenario("a malformed scope", "owner", "POST /api-keys", {**NEW, "scopes": ["users"]}, 422),
    Scenario("no scopes at all", "owner", "POST /api-keys", {**NEW, "scopes": []}, 422, field="scopes"),
    Scenario("a level out of range", "owner", "POST /api-keys", {**NEW, "level": 11}, 422, field="level"),
    Scenario("without a name", "owner", "POST /api-keys", {}, 422, field="name"),
    Scenario("an owner cannot be chosen", "owner", "POST /api-keys", {**NEW, "owner": 1}, 422, field="owner"),
    Scenario("admins make none", "chief", "POST /api-keys", NEW, 403),
    Scenario("guests make none", "guest", "POST /api-keys", NEW, 403),
    Scenario(
        "a key makes keys",
        "key",
        "POST /api-keys",
        NEW,
        201,
        check=lambda a: a["data"]["owner"]["username"].startswith("owner-"),
    ),
    Scenario(
        "the list",
        "owner",
        "GET /api-keys",
        check=lambda a: a["pagination"]["totalItems"] == 1 and list(a["data"][0]) == FIELDS,
    ),
    Scenario("admins see none", "chief", "GET /api-keys", status=403),
    Scenario("guests see none", "guest", "GET /api-keys", status=403),
    Scenario("one key", "second", "GET /api-keys/{key}", data={"name": "key-~", "level": 10}),
    Scenario("admins read none", "chief", "GET /api-keys/{key}", status=403),
    Scenario("a missing key", "owner", "GET /api-keys/999999999", status=404),
    Scenario("a new name", "owner", "PATCH /api-keys/{key}", {"name": "renamed"}, data={"name": "renamed"}),
    Scenario("nothing new", "owner", "PATCH /api-keys/{key}", {}, data={"name": "key-~"}),
    Scenario("not a new level", "owner", "PATCH /api-keys/{key}", {"level": 1}, 422, field="level"),
    Scenario("an empty name", "owner", "PATCH /api-keys/{key}", {"name": ""}, 422, field="name"),
    Scenario("a missing key", "owner", "PATCH /api-keys/999999999", {"name": "renamed"}, 404),
    Scenario("a revocation", "owner", "DELETE /api-keys/{key}", status=204),
    Scenario("of a missing key", "owner", "DELETE /api-keys/999999999", status=404),
    Scenario("admins revoke none", "chief", "DELETE /api-keys/{key}", status=403),
)
def test_api_keys(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


def make_key(client: Client, **wanted: Any) -> dict[str, Any]:
    made: dict[str, Any] = client.data("owner", "POST /api-keys", {**NEW, **wanted})
    client.world.credentials["made"] = made["key"]
    return made


def test_the_form_of_a_key(client: Client) -> None:
    made = make_key(client)
    body = made["key"].removeprefix("hive_live_")
    assert (len(body), body.isalnum()) == (36, True)
    assert made["prefix"] == f"hive_live_{body[:4]}…{body[-4:]}"
    assert "key" not in client.data("owner", f"GET /api-keys/{made['id']}")


def test_a_key_acts_as_its_creator(client: Client) -> None:
    make_key(client)
    assert client.data("made", "GET /users/me")["id"] == client.world.ids["owner"]
    assert client.data("made", "GET /users/{bob}")["email"] is not None


def test_a_revoked_key_is_refused_and_stays_readable(client: Client) -> None:
    made = make_key(client)
    assert client.call("made", "GET /users/me").status_code == 200
    client.data("owner", f"DELETE /api-keys/{made['id']}")
    assert client.call("made", "GET /users/me").status_code == 401
    revoked = client.data("owner", f"GET /api-keys/{made['id']}")["revoked_at"]
    assert revoked is not None
    client.data("owner", f"DELETE /api-keys/{made['id']}")
    assert client.data("owner", f"GET /api-keys/{made['id']}")["revoked_at"] == revoked


def test_a_key_of_a_lower_level(client: Client) -> None:
    make_key(client, level=1)
    assert client.data("made", "GET /users/{bob}")["email"] is None
    assert client.call("made", "GET /api-keys").status_code == 403
    assert client.call("made", "DELETE /users/{bob}").status_code == 403


@pytest.mark.parametrize(
    ("route", "body", "status"),
    [
        ("GET /users", None, 200),
        ("PATCH /users/{bob}", {"point": 1}, 403),
        ("GET /sites", None, 403),
        ("POST /api-keys", NEW, 403),
    ],
)
def test_a_key_keeps_within_its_scopes(client: Client, route: str, body: Any, status: int) -> None:
    make_key(client, scopes=["users:read"])
    assert client.call("made", route, body).status_code == status


def test_a_key_cannot_become_its_creator(client: Client) -> None:
    """A new password would open everything that the key was kept from."""
    for wanted in ({"level": 1}, {"level": 8}, {"scopes": ["users:write"]}, {"level": 1, "scopes": ["users:write"]}):
        make_key(client, **wanted)
        assert client.call("made", "PATCH /users/{owner}", {"password": "hijacked it"}).status_code == 403, wanted
    make_key(client, level=8)
    for change in ({"level": 7}, {"type": 2}, {"username": "nobody"}):
        assert client.call("made", "PATCH /users/{owner}", change).status_code == 403, change
    assert client.call("made", "DELETE /users/{owner}").status_code == 403
    make_key(client, scopes=["users:write"])
    assert client.call("made", "PATCH /users/{bob}", {"password": "hijacked it"}).status_code == 403
    assert client.call("made", "PATCH /users/{bob}", {"point": 3}).status_code == 200


def test_a_key_makes_none_that_can_do_more(client: Client) -> None:
    make_key(client, scopes=["api-keys:write", "users:read"])
    assert client.call("made", "POST /api-keys", NEW).status_code == 403
    assert client.call("made", "POST /api-keys", {**NEW, "scopes": ["users:write"]}).status_code == 403
    assert client.call("made", "POST /api-keys", {**NEW, "scopes": ["users:read"]}).status_code == 201


def test_a_key_holds_no_more_than_its_creator_now(client: Client) -> None:
    client.world.credentials["made"] = client.data("second", "POST /api-keys", NEW)["key"]
    client.data("owner", "PATCH /users/{second}", {"level": 1})
    assert client.data("made", "GET /users/me")["level"] == 1
    assert client.call("made", "GET /api-keys").status_code == 403
    client.data("owner", "PATCH /users/{second}", {"type": 2})
    assert client.call("made", "GET /users/me").status_code == 403
    client.data("owner", "DELETE /users/{second}")
    assert client.call("made", "GET /users/me").status_code == 401


def test_a_key_ends(client: Client) -> None:
    end = datetime.now(UTC) + timedelta(seconds=1)
    make_key(client, expires_at=end.isoformat())
    assert client.call("made", "GET /users/me").status_code == 200
    while datetime.now(UTC) < end:
        time.sleep(0.1)
    refused = client.call("made", "GET /users/me")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "expired")


def test_a_mistyped_key(client: Client) -> None:
    key = client.world.credentials["key"]
    wrong = key[:-1] + ("0" if key[-1] != "0" else "1")
    assert client.call("nobody", "GET /users", headers={"Authorization": wrong}).status_code == 401


def test_the_last_use_is_noted(client: Client) -> None:
    client.data("key", "GET /users/me")
    for _ in range(50):
        if client.data("owner", "GET /api-keys/{key}")["last_used_at"]:
            return
        time.sleep(0.1)
    raise AssertionError("the use was never noted")
