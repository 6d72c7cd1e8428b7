"""Several workers, one server: what one of them has done counts for all of them at once."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.faults.calls import as_, at_once, connecting, login, serving_pair, until_both_answer, workers
from tests.support.server import Server, environment
from tests.support.world import World, make_world

# Each on a connection of its own: that only one of two workers answers all of them does not happen.
OFTEN = 20


@pytest.fixture(scope="module")
def pair(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving_pair(environment(tmp_path_factory.mktemp("data"), database_url)) as running:
        yield running


@pytest.fixture
def world(pair: Server) -> World:
    return make_world(pair)


@pytest.fixture
def http(world: World) -> Iterator[httpx.Client]:
    with connecting(world.server) as client:
        yield client


def ask(http: httpx.Client, world: World, who: str, route: str = "GET /users/me", **options: Any) -> httpx.Response:
    method, path = route.split(" ")
    return http.request(method, "/v1" + world.fill(path), headers=as_(world, who), **options)


def often(http: httpx.Client, world: World, who: str, route: str = "GET /users/me") -> set[tuple[int, str]]:
    """What is answered, over and over."""
    answers = [ask(http, world, who, route) for _ in range(OFTEN)]
    return {(answer.status_code, answer.json().get("error", {}).get("code", "")) for answer in answers}


LOSSES = {
    "a ban": ("PATCH /users/{alice}", {"type": 2}, (403, "forbidden")),
    "a deletion": ("DELETE /users/{alice}", None, (401, "unauthorized")),
    "a new password": ("PATCH /users/{alice}", {"password": "another one"}, (401, "unauthorized")),
}


@pytest.mark.parametrize(("route", "change", "refusal"), LOSSES.values(), ids=LOSSES)
def test_a_token_ends_at_once(
    http: httpx.Client, world: World, route: str, change: Any, refusal: tuple[int, str]
) -> None:
    assert often(http, world, "alice") == {(200, "")}
    assert ask(http, world, "owner", route, json=change).status_code == 200
    assert often(http, world, "alice") == {refusal}
    assert often(http, world, "bob") == {(200, "")}


def test_whoever_is_demoted_loses_their_rights_at_once(http: httpx.Client, world: World) -> None:
    assert often(http, world, "second", "GET /api-keys") == {(200, "")}
    assert ask(http, world, "owner", "PATCH /users/{second}", json={"level": 9}).status_code == 200
    assert often(http, world, "second", "GET /api-keys") == {(403, "forbidden")}
    assert often(http, world, "second") == {(200, "")}


def test_whoever_is_banned_and_forgiven_is_back_at_once(http: httpx.Client, world: World) -> None:
    for kind, expected in ((2, (403, "forbidden")), (1, (200, ""))) * 2:
        assert ask(http, world, "owner", "PATCH /users/{alice}", json={"type": kind}).status_code == 200
        assert often(http, world, "alice") == {expected}


def test_a_revoked_key_ends_at_once(http: httpx.Client, world: World) -> None:
    assert often(http, world, "key") == {(200, "")}
    assert ask(http, world, "owner", "DELETE /api-keys/{key}").status_code == 204
    assert often(http, world, "key") == {(401, "unauthorized")}


def test_a_key_follows_its_creator_at_once(http: httpx.Client, world: World) -> None:
    assert often(http, world, "key", "GET /api-keys") == {(200, "")}
    assert ask(http, world, "second", "PATCH /users/{owner}", json={"level": 9}).status_code == 200
    assert often(http, world, "key", "GET /api-keys") == {(403, "forbidden")}
    assert ask(http, world, "second", "PATCH /users/{owner}", json={"type": 2}).status_code == 200
    assert often(http, world, "key", "GET /users/me") == {(403, "forbidden")}


def test_a_login_after_a_new_password_is_good_at_once(http: httpx.Client, world: World) -> None:
    changed = ask(http, world, "alice", "PATCH /users/{alice}", json={"password": "another one"})
    assert changed.status_code == 200
    answer = http.post("/v1/auth/login", json=login(world, "alice", "another one"))
    world.credentials["alice"] = f"Bearer {answer.json()['data']['token']}"
    assert often(http, world, "alice") == {(200, "")}


def test_of_many_who_want_one_name_one_gets_it(http: httpx.Client, world: World) -> None:
    new = {"username": "newcomer", "password": "long enough"}
    answers = at_once(20, lambda _: ask(http, world, "alice", "POST /users", json=new).status_code)
    assert sorted(answers) == [201] + [422] * 19


def test_the_last_superadmin_stays_whoever_asks_at_the_same_time(http: httpx.Client, world: World) -> None:
    people = ["owner", "second"] * 10
    at_once(20, lambda number: ask(http, world, people[number], f"DELETE /users/{{{people[number]}}}"))
    types = [ask(http, world, "guest", f"GET /users/{{{who}}}").json()["data"]["type"] for who in ("owner", "second")]
    assert sorted(types) == [1, 4]


def counted(http: httpx.Client, operation: str, status: int) -> int:
    pattern = rf'sitehive_requests_total{{operation="{operation}",status="{status}"}} (\S+)'
    found = re.search(pattern, http.get("/metrics").text)
    return int(float(found[1])) if found else 0


def test_the_metrics_add_up(http: httpx.Client, world: World) -> None:
    before = counted(http, "sites.get", 200), counted(http, "sites.get", 404)
    at_once(50, lambda _: ask(http, world, "guest", "GET /sites/{site}"))
    at_once(30, lambda _: ask(http, world, "guest", "GET /sites/999999999"))
    after = {(counted(http, "sites.get", 200), counted(http, "sites.get", 404)) for _ in range(OFTEN)}
    assert after == {(before[0] + 50, before[1] + 30)}


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    with serving_pair(environment(tmp_path)) as server, connecting(server) as http:
        world = make_world(server)
        before = workers(server)
        os.kill(min(before), signal.SIGKILL)
        until_both_answer(server)
        assert often(http, world, "alice") == {(200, "")}
        assert workers(server) & before == {max(before)}
