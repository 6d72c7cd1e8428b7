"""Messages and conversations: spec 2.6 and 4.6."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.scenario import Scenario, play, table

FIELDS = ["id", "content", "sender", "receiver", "created_at"]


@pytest.fixture(autouse=True)
def messages(client: Client) -> None:
    """Alice wrote twice to bob, bob once to alice, and the moderator once to alice; and nothing else."""
    client.data("alice", "DELETE /messages/{message}")
    for name, sender, receiver in (
        ("first", "alice", "bob"),
        ("second", "alice", "bob"),
        ("answer", "bob", "alice"),
        ("notice", "moderator", "alice"),
    ):
        client.world.ids[name] = send(client, sender, receiver, name)["id"]


def send(client: Client, sender: str, receiver: str, content: str) -> Any:
    return client.data(sender, "POST /messages", {"userid": client.world.ids[receiver], "content": content})


def unread(client: Client, who: str) -> int:
    count: int = client.data(who, "GET /conversations/unread")["unread_count"]
    return count


def texts(*expected: str) -> Any:
    return lambda answer: (
        [message["content"] for message in answer["data"]] == list(expected)
        and answer["pagination"]["totalItems"] == len(expected)
    )


@table(
    Scenario(
        "by id",
        "alice",
        "POST /messages",
        {"userid": "$bob", "content": "Hi"},
        201,
        check=lambda a: list(a["data"]) == FIELDS,
    ),
    Scenario(
        "by name, in any case",
        "alice",
        "POST /messages",
        {"username": "BOB-~", "content": "Hi"},
        201,
        check=lambda a: a["data"]["receiver"]["username"][:3] == "bob",
    ),
    Scenario(
        "with sender and receiver",
        "alice",
        "POST /messages",
        {"userid": "$bob", "content": "Hi"},
        201,
        check=lambda a: (
            (a["data"]["sender"]["username"][:5], a["data"]["receiver"]["username"][:3]) == ("alice", "bob")
        ),
    ),
    Scenario("to nobody", "alice", "POST /messages", {"content": "Hi"}, 422, field="userid"),
    Scenario(
        "to two at once",
        "alice",
        "POST /messages",
        {"userid": "$bob", "username": "bob-~", "content": "Hi"},
        422,
        field="userid",
    ),
    Scenario(
        "to somebody missing", "alice", "POST /messages", {"userid": 999999999, "content": "Hi"}, 422, field="userid"
    ),
    Scenario(
        "to an unknown name",
        "alice",
        "POST /messages",
        {"username": "stranger", "content": "Hi"},
        422,
        field="username",
    ),
    Scenario(
        "to somebody deleted", "alice", "POST /messages", {"userid": "$deleted", "content": "Hi"}, 422, field="userid"
    ),
    Scenario("to oneself", "alice", "POST /messages", {"userid": "$alice", "content": "Hi"}, 422, field="userid"),
    Scenario("without words", "alice", "POST /messages", {"userid": "$bob"}, 422, field="content"),
    Scenario("with blank words", "alice", "POST /messages", {"userid": "$bob", "content": " \n"}, 422, field="content"),
    Scenario(
        "too many words", "alice", "POST /messages", {"userid": "$bob", "content": "é" * 131073}, 422, field="content"
    ),
    Scenario(
        "as somebody else",
        "alice",
        "POST /messages",
        {"userid": "$bob", "content": "Hi", "sender": 1},
        422,
        field="sender",
    ),
    Scenario("guests do not write", "guest", "POST /messages", {"userid": "$bob", "content": "Hi"}, 403),
    Scenario("nor does level 0", "zero", "POST /messages", {"userid": "$bob", "content": "Hi"}, 403),
)
def test_sending(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


@table(
    Scenario(
        "with one user, oldest first", "alice", "GET /messages?userid={bob}", check=texts("first", "second", "answer")
    ),
    Scenario(
        "the other side sees the same", "bob", "GET /messages?userid={alice}", check=texts("first", "second", "answer")
    ),
    Scenario("all of them, newest first", "alice", "GET /messages", check=texts("notice", "answer", "second", "first")),
    Scenario("with a stranger", "alice", "GET /messages?userid={senior}", check=texts()),
    Scenario(
        "in pages",
        "alice",
        "GET /messages?userid={bob}&limit=2&page=2",
        check=lambda a: len(a["data"]) == 1 and a["pagination"]["totalItems"] == 3,
    ),
    Scenario("others' messages are not listed", "moderator", "GET /messages?userid={bob}", check=texts()),
    Scenario("guests have none", "guest", "GET /messages", status=403),
    Scenario("the sender reads one", "alice", "GET /messages/{first}", data={"content": "first"}),
    Scenario("the receiver too", "bob", "GET /messages/{first}", data={"content": "first"}),
    Scenario("nobody else", "senior", "GET /messages/{first}", status=404),
    Scenario("not even an admin", "admin", "GET /messages/{first}", status=404),
    Scenario("nor a superadmin", "owner", "GET /messages/{first}", status=404),
    Scenario("nor a key", "key", "GET /messages/{first}", status=404),
    Scenario("guests read none", "guest", "GET /messages/{first}", status=403),
    Scenario("the sender edits", "alice", "PATCH /messages/{first}", {"content": "better"}, data={"content": "better"}),
    Scenario("the receiver does not", "bob", "PATCH /messages/{first}", {"content": "worse"}, 403),
    Scenario("others cannot even see it", "owner", "PATCH /messages/{first}", {"content": "worse"}, 404),
    Scenario("not to nothing", "alice", "PATCH /messages/{first}", {"content": ""}, 422, field="content"),
    Scenario("the sender deletes", "alice", "DELETE /messages/{first}", status=204),
    Scenario("the receiver deletes", "bob", "DELETE /messages/{first}", status=204),
    Scenario("others cannot", "owner", "DELETE /messages/{first}", status=404),
    Scenario("guests cannot", "guest", "DELETE /messages/{first}", status=403),
    Scenario("a missing message", "alice", "DELETE /messages/999999999", status=404),
    Scenario("guests have no conversations", "guest", "GET /conversations", status=403),
    Scenario("nor unread messages", "guest", "GET /conversations/unread", status=403),
)
def test_messages(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


def test_conversations(client: Client) -> None:
    answer = client.call("alice", "GET /conversations").json()
    latest, older = answer["data"]
    assert list(latest) == ["id", "username", "avatar", "is_online", "last_message", "unread_count", "updated_at"]
    assert (latest["id"], latest["last_message"]["content"], latest["unread_count"]) == (
        client.world.ids["moderator"],
        "notice",
        1,
    )
    assert (older["id"], older["last_message"]["content"], older["unread_count"]) == (
        client.world.ids["bob"],
        "answer",
        1,
    )
    assert older["updated_at"] == older["last_message"]["created_at"]
    assert answer["pagination"]["totalItems"] == 2
    assert client.call("senior", "GET /conversations").json()["pagination"]["totalItems"] == 0


def test_reading_a_conversation_marks_it_read(client: Client) -> None:
    assert (unread(client, "alice"), unread(client, "bob")) == (2, 2)
    client.data("alice", "GET /messages?userid={bob}")
    assert (unread(client, "alice"), unread(client, "bob")) == (1, 2)
    client.data("bob", "GET /messages/{first}")
    assert unread(client, "bob") == 1
    client.data("bob", "GET /messages")
    assert unread(client, "bob") == 1
    client.data("alice", "GET /messages/{first}")
    assert unread(client, "bob") == 1


def test_the_sender_deletes_for_both(client: Client) -> None:
    client.data("alice", "DELETE /messages/{second}")
    for who in ("alice", "bob"):
        assert client.call(who, "GET /messages/{second}").status_code == 404
    assert unread(client, "bob") == 1
    assert texts("first", "answer")(client.call("bob", "GET /messages?userid={alice}").json())


def test_the_receiver_deletes_for_themselves(client: Client) -> None:
    client.data("bob", "DELETE /messages/{second}")
    assert client.call("bob", "GET /messages/{second}").status_code == 404
    assert client.call("alice", "GET /messages/{second}").status_code == 200
    assert unread(client, "bob") == 1
    assert texts("first", "answer")(client.call("bob", "GET /messages?userid={alice}").json())
    client.data("alice", "DELETE /messages/{second}")
    assert client.call("alice", "GET /messages/{second}").status_code == 404


def test_a_conversation_ends_with_its_last_message(client: Client) -> None:
    client.data("alice", "DELETE /messages/{notice}")
    answer = client.call("alice", "GET /conversations").json()
    assert [item["last_message"]["content"] for item in answer["data"]] == ["answer"]
    assert answer["pagination"]["totalItems"] == 1
    client.data("bob", "DELETE /messages/{answer}")
    assert client.data("alice", "GET /conversations")[0]["last_message"]["content"] == "second"


def test_a_message_with_a_deleted_user_stays(client: Client) -> None:
    client.data("owner", "DELETE /users/{bob}")
    assert texts("first", "second", "answer")(client.call("alice", "GET /messages?userid={bob}").json())
    assert client.data("alice", "GET /conversations")[1]["id"] == client.world.ids["bob"]


def test_fifty_at_once(client: Client) -> None:
    """Both write to each other in parallel, while one of them reads: every number stays exact."""

    def write(number: int) -> None:
        sender, receiver = ("alice", "senior") if number % 2 else ("senior", "alice")
        send(client, sender, receiver, f"message {number}")
        if not number % 10:
            assert client.call("alice", "GET /messages?userid={bob}").status_code == 200

    with ThreadPoolExecutor(50) as pool:
        list(pool.map(write, range(50)))
    assert (unread(client, "alice"), unread(client, "senior")) == (25 + 1, 25)
    for who, partner in (("alice", "senior"), ("senior", "alice")):
        listed = client.call(who, "GET /conversations").json()["data"][0]
        assert (listed["id"], listed["unread_count"]) == (client.world.ids[partner], 25)
        answer = client.call(who, f"GET /messages?userid={{{partner}}}&limit=100").json()
        assert (len(answer["data"]), answer["pagination"]["totalItems"]) == (50, 50)
    assert (unread(client, "alice"), unread(client, "senior")) == (1, 0)
