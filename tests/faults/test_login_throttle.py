"""Guessing passwords: ten failures for each account and address, however they are sent."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.faults.calls import at_once, connecting, login, new_address, serving_pair
from tests.support.server import Server, environment, serving
from tests.support.world import World, make_world

LogIn = Callable[..., httpx.Response]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    environ = environment(tmp_path_factory.mktemp("data"), SITEHIVE_TRUSTED_PROXIES="127.0.0.1")
    with serving_pair(environ) as running:
        yield running


@pytest.fixture
def world(guarded: Server) -> World:
    return make_world(guarded)


@pytest.fixture
def address() -> str:
    return new_address()


def try_(world: World, address: str, who: str, password: str = "wrong", **options: Any) -> httpx.Response:
    with connecting(world.server, address) as http:
        return http.post("/v1/auth/login", json={**login(world, who), "password": password}, **options)


def right(world: World, address: str, who: str) -> int:
    return try_(world, address, who, login(world, who)["password"]).status_code


def test_the_eleventh_try_is_refused_even_if_it_is_right(world: World, address: str) -> None:
    assert [try_(world, address, "alice").status_code for _ in range(10)] == [401] * 10
    refused = try_(world, address, "alice", login(world, "alice")["password"])
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "rate_limited")
    assert 1 <= int(refused.headers["retry-after"]) <= 600


def test_nobody_else_is_held_up(world: World, address: str) -> None:
    at_once(15, lambda _: try_(world, address, "alice"))
    assert right(world, address, "alice") == 429
    assert right(world, address, "bob") == 200
    assert right(world, new_address(), "alice") == 200
    assert right(make_world(world.server), address, "alice") == 200


def test_a_right_password_forgives_what_was_wrong_before(world: World, address: str) -> None:
    for _ in range(2):
        assert [try_(world, address, "alice").status_code for _ in range(9)] == [401] * 9
        assert right(world, address, "alice") == 200


def test_an_account_is_one_account_however_its_name_is_written(world: World, address: str) -> None:
    name = login(world, "alice")["username"]
    with connecting(world.server, address) as http:

        def guess(written: str) -> int:
            wrong = {**login(world, "alice", "wrong"), "username": written}
            return http.post("/v1/auth/login", json=wrong).status_code

        assert [guess(name.upper() if number % 2 else name) for number in range(10)] == [401] * 10
        assert guess(name.title()) == 429


def test_an_unknown_account_is_refused_alike(world: World, address: str) -> None:
    assert [try_(world, address, "stranger").status_code for _ in range(11)] == [401] * 10 + [429]


def test_of_fifty_guesses_at_once_ten_are_looked_at(world: World, address: str) -> None:
    answers = at_once(50, lambda _: try_(world, address, "alice"))
    assert Counter(answer.status_code for answer in answers) == {401: 10, 429: 40}
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in answers if answer.status_code == 429)
    assert right(world, address, "alice") == 429


def test_right_passwords_sent_at_once_do_not_count_against_each_other(world: World, address: str) -> None:
    assert at_once(30, lambda _: right(world, address, "alice")) == [200] * 30


def test_one_address_gets_one_hundred_failures_over_all_accounts(world: World, address: str) -> None:
    answers = at_once(110, lambda number: try_(world, address, f"account-{number}").status_code)
    assert Counter(answers) == {401: 100, 429: 10}
    assert right(world, address, "alice") == 429
    assert right(world, new_address(), "alice") == 200


def test_tries_that_are_refused_are_no_further_failures_of_the_address(world: World, address: str) -> None:
    """Somebody's forgotten program must not lock out everybody else behind the same address."""
    at_once(120, lambda _: try_(world, address, "alice"))
    assert right(world, address, "bob") == 200


def test_an_ipv6_network_counts_as_one_address(world: World) -> None:
    answers = [
        try_(world, "127.0.0.1", "alice", headers={"X-Forwarded-For": f"2001:db8::{number:x}"}).status_code
        for number in range(11)
    ]
    assert answers == [401] * 10 + [429]


def test_counts_outlive_the_server(tmp_path: Path, address: str) -> None:
    environ = environment(tmp_path)
    with serving(environ) as server:
        world = make_world(server)
        assert [try_(world, address, "alice").status_code for _ in range(10)] == [401] * 10
    with serving(environ) as world.server:
        assert right(world, address, "alice") == 429
        assert right(world, address, "bob") == 200
