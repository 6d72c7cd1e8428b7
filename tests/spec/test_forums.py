"""Forums: spec 2.4 and 4.4."""

from typing import Any

import pytest

from tests.support.client import Client
from tests.support.scenario import Scenario, play, table
from tests.support.server import sitehive

FIELDS = ["id", "name", "position", "parent", "owner", "permissions", "created_at"]


@pytest.fixture(autouse=True)
def forums(client: Client) -> None:
    """News of the admin; Talk of alice, with Cats and Dogs below it; and nothing else."""
    client.data("owner", "DELETE /forums/{forum}")
    for name, who, parent in (
        ("news", "admin", 0),
        ("talk", "alice", 0),
        ("cats", "alice", "talk"),
        ("dogs", "bob", "talk"),
    ):
        body = {
            "name": f"{name.title()} {client.world.canary}",
            "parent": client.world.ids[parent] if isinstance(parent, str) else 0,
        }
        client.world.ids[name] = client.data(who, "POST /forums", body)["id"]


def names(answer: Any) -> list[str]:
    return [forum["name"].partition(" ")[0] for forum in answer["data"]]


def listed(*expected: str) -> Any:
    return lambda answer: names(answer) == list(expected) and answer["pagination"]["totalItems"] == len(expected)


@table(
    Scenario("a forum has every field", "guest", "GET /forums/{cats}", check=lambda a: list(a["data"]) == FIELDS),
    Scenario(
        "with its owner and parent",
        "guest",
        "GET /forums/{cats}",
        check=lambda a: a["data"]["parent"]["name"][:4] == "Talk" and a["data"]["owner"]["username"][:5] == "alice",
    ),
    Scenario(
        "at the top there is no parent",
        "guest",
        "GET /forums/{news}",
        data={"parent": None, "permissions": {"create_post": 0, "reply": 0}},
    ),
    Scenario("a missing forum", "guest", "GET /forums/999999999", status=404),
    Scenario("nobody reads none", "nobody", "GET /forums/{news}", status=401),
    Scenario("all forums, in their order", "guest", "GET /forums", check=listed("News", "Cats", "Talk", "Dogs")),
    Scenario("those at the top", "guest", "GET /forums?parent=0", check=listed("News", "Talk")),
    Scenario("those below another", "guest", "GET /forums?parent={talk}", check=listed("Cats", "Dogs")),
    Scenario("below a missing one", "guest", "GET /forums?parent=999999999", check=listed()),
    Scenario("of an owner", "guest", "GET /forums?userid={alice}", check=listed("Cats", "Talk")),
    Scenario("of an owner below another", "guest", "GET /forums?userid={bob}&parent={talk}", check=listed("Dogs")),
    Scenario("by part of a name", "guest", "GET /forums?search=ATS", check=listed("Cats")),
    Scenario("wildcards are plain characters", "guest", "GET /forums?search=%25", check=listed()),
    Scenario(
        "in pages",
        "guest",
        "GET /forums?limit=3&page=2",
        check=lambda a: len(a["data"]) == 1 and a["pagination"]["totalPages"] == 2,
    ),
    Scenario("a filter that is no number", "guest", "GET /forums?parent=x", status=400, field="parent"),
    Scenario(
        "members create forums", "bob", "POST /forums", {"name": "Birds"}, 201, data={"name": "Birds", "position": 3}
    ),
    Scenario("below another", "bob", "POST /forums", {"name": "Birds", "parent": "$talk"}, 201, data={"position": 3}),
    Scenario("guests do not", "guest", "POST /forums", {"name": "Birds"}, 403),
    Scenario("nor does level 0", "zero", "POST /forums", {"name": "Birds"}, 403),
    Scenario("without a name", "bob", "POST /forums", {}, 422, field="name"),
    Scenario("an empty name", "bob", "POST /forums", {"name": ""}, 422, field="name"),
    Scenario("a blank name", "bob", "POST /forums", {"name": "  "}, 422, field="name"),
    Scenario("below a missing one", "bob", "POST /forums", {"name": "Birds", "parent": 999999999}, 422, field="parent"),
    Scenario(
        "permissions are not given here",
        "owner",
        "POST /forums",
        {"name": "Birds", "permissions": {}},
        422,
        field="permissions",
    ),
    Scenario("the owner renames", "alice", "PATCH /forums/{talk}", {"name": "Chat"}, data={"name": "Chat"}),
    Scenario(
        "a moderator renames those of lower levels",
        "moderator",
        "PATCH /forums/{talk}",
        {"name": "Chat"},
        data={"name": "Chat"},
    ),
    Scenario("but not an admin's", "moderator", "PATCH /forums/{news}", {"name": "Old"}, 403),
    Scenario("admins rename every forum", "admin", "PATCH /forums/{dogs}", {"name": "Hounds"}, data={"name": "Hounds"}),
    Scenario("other members do not", "bob", "PATCH /forums/{talk}", {"name": "Chat"}, 403),
    Scenario("guests do not", "guest", "PATCH /forums/{talk}", {"name": "Chat"}, 403),
    Scenario("only the name can be changed", "owner", "PATCH /forums/{talk}", {"position": 5}, 422, field="position"),
    Scenario("a missing forum is not renamed", "owner", "PATCH /forums/999999999", {"name": "Chat"}, 404),
    Scenario("the owner deletes", "bob", "DELETE /forums/{dogs}", status=204),
    Scenario("other members do not", "bob", "DELETE /forums/{cats}", status=403),
    Scenario("guests do not", "guest", "DELETE /forums/{cats}", status=403),
    Scenario("a missing forum is not deleted", "owner", "DELETE /forums/999999999", status=404),
)
def test_forums(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


@table(
    Scenario(
        "an admin sets who may write",
        "admin",
        "PATCH /manage/v1/forums/{talk}",
        {"permissions": {"create_post": 5}},
        data={"permissions": {"create_post": 5, "reply": 0}},
    ),
    Scenario("the place", "admin", "PATCH /manage/v1/forums/{talk}", {"position": 7}, data={"position": 7}),
    Scenario(
        "the parent",
        "admin",
        "PATCH /manage/v1/forums/{dogs}",
        {"parent": "$news"},
        check=lambda a: a["data"]["parent"]["name"][:4] == "News",
    ),
    Scenario("to the top", "admin", "PATCH /manage/v1/forums/{dogs}", {"parent": 0}, data={"parent": None}),
    Scenario("not below itself", "admin", "PATCH /manage/v1/forums/{talk}", {"parent": "$talk"}, 422, field="parent"),
    Scenario(
        "not below its own sub-forum",
        "admin",
        "PATCH /manage/v1/forums/{talk}",
        {"parent": "$cats"},
        422,
        field="parent",
    ),
    Scenario(
        "not below a missing one", "admin", "PATCH /manage/v1/forums/{talk}", {"parent": 999999999}, 422, field="parent"
    ),
    Scenario("a level out of range", "admin", "PATCH /manage/v1/forums/{talk}", {"permissions": {"reply": 11}}, 422),
    Scenario("an unknown permission", "admin", "PATCH /manage/v1/forums/{talk}", {"permissions": {"fly": 1}}, 422),
    Scenario("moderators manage none", "moderator", "PATCH /manage/v1/forums/{talk}", {"position": 7}, 403),
    Scenario("owners neither", "alice", "PATCH /manage/v1/forums/{talk}", {"position": 7}, 403),
    Scenario("a missing forum", "admin", "PATCH /manage/v1/forums/999999999", {"position": 7}, 404),
)
def test_managing_forums(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


def test_a_deleted_forum_leaves_no_orphans(client: Client) -> None:
    post = client.data(
        "bob", "POST /posts", {"forumid": client.world.ids["talk"], "title": "Hello", "content": "there"}
    )
    draft = client.data(
        "bob", "POST /posts", {"forumid": client.world.ids["talk"], "title": "Draft", "content": "x", "status": "draft"}
    )
    client.data("alice", "DELETE /forums/{talk}")
    assert client.call("alice", "GET /forums/{talk}").status_code == 404
    assert client.data("guest", "GET /forums/{cats}")["parent"] is None
    assert listed("News", "Cats", "Dogs")(client.call("guest", "GET /forums?parent=0").json())
    trashed = client.data("bob", f"GET /posts/{post['id']}")
    assert (trashed["status"], trashed["forum"]) == (3, None)
    refused = client.call("bob", f"POST /posts/{post['id']}/restore")
    assert (refused.status_code, refused.json()["error"]["details"][0]["field"]) == (422, "forumid")
    assert client.call("bob", f"PATCH /posts/{post['id']}", {"status": 1}).status_code == 422
    assert client.call("bob", f"POST /posts/{post['id']}/restore", {"forumid": 999999999}).status_code == 422
    restored = client.data("bob", f"POST /posts/{post['id']}/restore", {"forumid": client.world.ids["cats"]})
    assert (restored["status"], restored["forum"]["id"]) == (1, client.world.ids["cats"])
    again = client.data("bob", f"POST /posts/{draft['id']}/restore", {"forumid": client.world.ids["cats"]})
    assert again["status"] == 0


def test_a_site_may_ask_for_a_level_to_create_forums(client: Client) -> None:
    environ = client.world.server.environ
    assert sitehive("site", "config", client.world.site, "forum_create_level=6", environ=environ).returncode == 0
    assert client.call("senior", "POST /forums", {"name": "Birds"}).status_code == 403
    assert client.call("moderator", "POST /forums", {"name": "Birds"}).status_code == 201


def test_a_forum_admits_only_the_levels_it_asks_for(client: Client) -> None:
    client.data("admin", "PATCH /manage/v1/forums/{news}", {"permissions": {"create_post": 5}})
    post = {"forumid": client.world.ids["news"], "title": "Hello", "content": "there"}
    assert client.call("alice", "POST /posts", post).status_code == 403
    assert client.call("senior", "POST /posts", post).status_code == 201
    draft = client.data("senior", "POST /posts", {**post, "status": 0})
    client.data("admin", "PATCH /manage/v1/forums/{news}", {"permissions": {"create_post": 6}})
    assert client.call("senior", f"PATCH /posts/{draft['id']}", {"status": 1}).status_code == 403
    assert client.call(
        "senior", f"PATCH /posts/{draft['id']}", {"title": "Still mine", "forumid": post["forumid"]}
    ).is_success
    elsewhere = client.data("alice", "POST /posts", {**post, "forumid": client.world.ids["talk"]})
    assert (
        client.call("alice", f"PATCH /posts/{elsewhere['id']}", {"forumid": client.world.ids["news"]}).status_code
        == 403
    )
