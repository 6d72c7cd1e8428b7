"""Who is online: spec 4.2, `/online`."""

import time
from typing import Any

from tests.support.client import Client
from tests.support.scenario import Scenario, play, table


def wait_until_online(client: Client, count: int) -> Any:
    for _ in range(50):
        answer = client.call("owner", "GET /online").json()
        if answer["pagination"]["totalItems"] >= count:
            return answer
        time.sleep(0.1)
    raise AssertionError("they never came online")


def test_everyone_who_asks_is_online(client: Client) -> None:
    for who in ("alice", "bob", "guest", "key"):
        client.call(who, "GET /users")
    answer = wait_until_online(client, 4)
    names = {item["user"] and item["user"]["username"].partition("-")[0] for item in answer["data"]}
    assert names == {"alice", "bob", None, "owner"}
    assert answer["pagination"]["totalItems"] == 4
    assert {*answer["data"][0]} == {"user", "page", "since", "last_seen_at", "ip", "user_agent"}
    seen_by_member = client.data("alice", "GET /online")
    assert {*seen_by_member[0]} == {"user", "page", "since", "last_seen_at"}
    only = client.call("guest", "GET /online?id={bob}").json()
    assert [item["user"]["id"] for item in only["data"]] == [client.world.ids["bob"]]
    assert only["pagination"]["totalItems"] == 1
    assert client.data("guest", "GET /online?pageid=1") == []


@table(
    Scenario("guests may ask", "guest", "GET /online"),
    Scenario("nobody may not", "nobody", "GET /online", status=401),
    Scenario("a filter that is no number", "guest", "GET /online?id=x", status=400, field="id"),
    Scenario("somebody who is away", "guest", "GET /online?id={senior}", data=[]),
)
def test_asking(scenario: Scenario, client: Client) -> None:
    play(scenario, client)
