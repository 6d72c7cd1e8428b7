"""Every operation, as every kind of viewer, on two sites.

A new operation fails here until it has a recipe, so none can be forgotten.
"""

from dataclasses import dataclass
from typing import Any

import pytest

from sitehive.app import registry
from sitehive.kernel.operation import Operation
from tests.support.client import Client
from tests.support.server import Server
from tests.support.snapshot import snapshot
from tests.support.world import PASSWORD, VIEWERS, World, make_world

EVERYONE = frozenset(VIEWERS)
WITH_CREDENTIAL = EVERYONE - {"nobody", "banned"}
MEMBERS = WITH_CREDENTIAL - {"guest"}
ADMINS = frozenset({"admin", "owner", "key"})
SUPERADMINS = frozenset({"owner", "key"})


@dataclass(frozen=True)
class Recipe:
    """How to call an operation so that it succeeds, and for whom. `~` becomes the site's own word."""

    admits: frozenset[str]
    path: str
    body: dict[str, Any] | None = None
    # Further queries that might reach over to another site.
    queries: tuple[str, ...] = ()
    # Those for whom the row does not exist, though the operation would admit them.
    unseen_by: frozenset[str] = frozenset()


RECIPES = {
    "auth.token": Recipe(EVERYONE, "/auth/token", {"site": "site-~"}),
    "auth.login": Recipe(EVERYONE, "/auth/login", {"site": "site-~", "username": "bob-~", "password": PASSWORD}),
    "users.list": Recipe(WITH_CREDENTIAL, "/users", queries=("?search=~", "?search=bob-", "?limit=100&sort=-id", "?type=4")),
    "users.me": Recipe(MEMBERS, "/users/me"),
    "users.get": Recipe(WITH_CREDENTIAL, "/users/{bob}"),
    "users.create": Recipe(MEMBERS, "/users", {"username": "newcomer", "password": "long enough"}),
    "users.update": Recipe(ADMINS, "/users/{bob}", {"username": "Robert"}),
    "users.delete": Recipe(ADMINS, "/users/{bob}"),
    "sites.list": Recipe(WITH_CREDENTIAL, "/sites"),
    "sites.get": Recipe(WITH_CREDENTIAL, "/sites/{site}"),
    "api-keys.list": Recipe(SUPERADMINS, "/api-keys", queries=("?limit=100",)),
    "api-keys.get": Recipe(SUPERADMINS, "/api-keys/{key}"),
    "api-keys.create": Recipe(SUPERADMINS, "/api-keys", {"name": "another"}),
    "api-keys.update": Recipe(SUPERADMINS, "/api-keys/{key}", {"name": "renamed"}),
    "api-keys.delete": Recipe(SUPERADMINS, "/api-keys/{key}"),
    "users.online": Recipe(WITH_CREDENTIAL, "/online", queries=("?id={alice}", "?pageid=1")),
    "forums.list": Recipe(WITH_CREDENTIAL, "/forums", queries=("?parent={forum}", "?userid={alice}", "?search=forum", "?search=~")),
    "forums.get": Recipe(WITH_CREDENTIAL, "/forums/{forum}"),
    "forums.create": Recipe(MEMBERS, "/forums", {"name": "Birds"}),
    "forums.update": Recipe(ADMINS | {"alice", "moderator"}, "/forums/{forum}", {"name": "Renamed"}),
    "forums.delete": Recipe(ADMINS | {"alice", "moderator"}, "/forums/{forum}"),
    "forums.manage": Recipe(ADMINS, "/forums/{forum}", {"position": 3}),
    "posts.list": Recipe(WITH_CREDENTIAL, "/posts", queries=("?forumid={forum}", "?userid={alice}", "?search=~", "?search=po", "?status=0", "?status=3", "?sort=title&limit=100")),
    "posts.get": Recipe(WITH_CREDENTIAL, "/posts/{post}", queries=("?render=html",)),
    "posts.create": Recipe(MEMBERS, "/posts", {"forumid": "$forum", "title": "Hello", "content": "there"}),
    "posts.update": Recipe(ADMINS | {"alice", "moderator"}, "/posts/{post}", {"title": "Renamed"}),
    "posts.delete": Recipe(ADMINS | {"alice", "moderator"}, "/posts/{post}", queries=("?permanent=true",)),
    "posts.restore": Recipe(ADMINS | {"alice", "moderator"}, "/posts/{trash}/restore", unseen_by=frozenset({"senior"})),
    "messages.send": Recipe(MEMBERS, "/messages", {"userid": "$banned", "content": "Hello"}),
    "messages.list": Recipe(MEMBERS, "/messages", queries=("?userid={alice}", "?userid={bob}")),
    "messages.get": Recipe(frozenset({"alice"}), "/messages/{message}", unseen_by=MEMBERS - {"alice"}),
    "messages.update": Recipe(frozenset({"alice"}), "/messages/{message}", {"content": "Changed"}, unseen_by=MEMBERS - {"alice"}),
    "messages.delete": Recipe(frozenset({"alice"}), "/messages/{message}", unseen_by=MEMBERS - {"alice"}),
    "messages.conversations": Recipe(MEMBERS, "/conversations"),
    "messages.unread": Recipe(MEMBERS, "/conversations/unread"),
}  # fmt: skip

OPERATIONS = list(registry())


def test_every_operation_has_a_recipe() -> None:
    assert {operation.name for operation in OPERATIONS} == set(RECIPES)


def each_operation() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)


def fill(value: Any, target: World) -> Any:
    """`$bob` stands for his id in the target world."""
    if not isinstance(value, str):
        return value
    return target.ids[value[1:]] if value.startswith("$") else value.replace("~", target.canary)


def call(
    client: Client, who: str, operation: Operation, recipe: Recipe, query: str = "", target: World | None = None
) -> Any:
    """Call an operation as somebody of the client's world, with the ids of `target`."""
    target = target or client.world
    body = recipe.body and {name: fill(value, target) for name, value in recipe.body.items()}
    place = "/manage/v1" if operation.place == "manage/v1" else ""
    route = f"{operation.method} {place}{target.fill(recipe.path + query).replace('~', target.canary)}"
    return client.call(who, route, body)


@each_operation()
def test_it_admits_whom_it_should_and_nobody_else(operation: Operation, server: Server) -> None:
    recipe = RECIPES[operation.name]
    other = make_world(server)
    for who in VIEWERS:
        client = Client(make_world(server))
        before = snapshot(client.world)
        answer = call(client, who, operation, recipe)
        assert other.canary not in answer.text
        if who in recipe.admits:
            assert answer.is_success, (who, answer.text)
        else:
            expected = 401 if who == "nobody" else 404 if who in recipe.unseen_by else 403
            assert answer.status_code == expected, (who, answer.text)
            assert snapshot(client.world) == before, f"{who} was refused, and yet something changed"
        client.close()


@each_operation()
def test_it_never_reaches_another_site(operation: Operation, server: Server) -> None:
    recipe = RECIPES[operation.name]
    if not operation.access.credential:
        return  # the site is named in the request, since there is no credential yet to fix it
    other = make_world(server)
    before = snapshot(other)
    for who in VIEWERS:
        client = Client(make_world(server))
        for query in ("", *recipe.queries):
            answer = call(client, who, operation, recipe, query, target=other)
            assert other.canary not in answer.text, (who, query)
            if operation.path_fields and who in recipe.admits:
                assert answer.status_code == 404, (who, answer.text)
            elif recipe.body and "$" in str(recipe.body) and who in recipe.admits:
                assert answer.status_code == 422, (who, answer.text)
        client.close()
    assert snapshot(other) == before


@each_operation()
def test_anothers_row_is_told_from_no_row_by_nothing(operation: Operation, server: Server) -> None:
    if not operation.path_fields:
        return  # it names no row
    recipe = RECIPES[operation.name]
    other, client = make_world(server), Client(make_world(server))
    who = "owner"
    foreign = call(client, who, operation, recipe, target=other)
    gone = World(server, "", 999_999_999, other.canary, dict.fromkeys(other.ids, 999_999_999))
    missing = call(client, who, operation, recipe, target=gone)
    assert foreign.status_code == missing.status_code == 404
    assert foreign.json()["error"] == missing.json()["error"]
    client.close()
