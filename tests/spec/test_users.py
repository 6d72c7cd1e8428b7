"""Users: spec 2.2, 3.2 and 4.2."""

import json
import time
from typing import Any

from tests.support.client import Client
from tests.support.scenario import Scenario, play, table
from tests.support.server import sitehive
from tests.support.world import PASSWORD

FIELDS = ["id", "username", "email", "level", "role", "type", "type_label", "is_online", "points", "created_at",
          "last_login_at", "avatar", "var"]  # fmt: skip


def usernames(answer: Any) -> list[str]:
    return [user["username"].partition("-")[0] for user in answer["data"]]


def total(number: int) -> Any:
    return lambda answer: answer["pagination"]["totalItems"] == number == len(answer["data"])


@table(
    Scenario("a user has every field", "alice", "GET /users/{bob}", check=lambda a: list(a["data"]) == FIELDS),
    Scenario("one's own profile", "alice", "GET /users/me", data={"id": "$alice", "username": "alice-~"}),
    Scenario("an API key's profile is its creator's", "key", "GET /users/me", data={"id": "$owner"}),
    Scenario("a level 0 user may see their profile", "zero", "GET /users/me", data={"level": 0, "role": "public"}),
    Scenario("a guest has no profile", "guest", "GET /users/me", status=403),
    Scenario("nobody has no profile", "nobody", "GET /users/me", status=401),
    Scenario("guests read users", "guest", "GET /users/{alice}", data={"id": "$alice"}),
    Scenario("a missing user", "alice", "GET /users/999999999", status=404),
    Scenario("a malformed id", "alice", "GET /users/abc", status=404),
    Scenario("an id beyond 64 bits", "alice", "GET /users/9223372036854775808", status=404),
    Scenario("an id with a leading zero", "alice", "GET /users/0{alice}", status=404),
    Scenario("a negative id", "alice", "GET /users/-1", status=404),
    Scenario("one's own e-mail is shown", "alice", "GET /users/{alice}", data={"email": "alice@~.example"}),
    Scenario("others' e-mail is hidden", "alice", "GET /users/{bob}", data={"email": None}),
    Scenario("moderators do not see e-mail either", "moderator", "GET /users/{bob}", data={"email": None}),
    Scenario("admins see e-mail", "admin", "GET /users/{bob}", data={"email": "bob@~.example"}),
    Scenario("a deleted user can be read", "guest", "GET /users/{deleted}", data={"type": 4, "type_label": "Deleted"}),
    Scenario("a banned user can be read", "guest", "GET /users/{banned}", data={"type": 2, "type_label": "Banned"}),
    Scenario("roles follow levels: moderator", "guest", "GET /users/{moderator}", data={"role": "moderator"}),
    Scenario("roles follow levels: admin", "guest", "GET /users/{chief}", data={"role": "admin"}),
    Scenario("roles follow levels: superadmin", "guest", "GET /users/{owner}", data={"role": "superadmin"}),
)
def test_reading_a_user(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


@table(
    Scenario("all but the deleted", "guest", "GET /users", check=total(10)),
    Scenario("in the order of their ids", "guest", "GET /users", check=lambda a: usernames(a)[:2] == ["owner", "second"]),
    Scenario("the deleted, when asked for", "guest", "GET /users?type=4", check=lambda a: usernames(a) == ["deleted"]),
    Scenario("the banned", "guest", "GET /users?type=2", check=lambda a: usernames(a) == ["banned"]),
    Scenario("by level", "guest", "GET /users?level=10", check=lambda a: usernames(a) == ["owner", "second"]),
    Scenario("by level and type", "guest", "GET /users?level=1&type=2", check=total(1)),
    Scenario("search finds part of a name", "guest", "GET /users?search=LIC", check=lambda a: usernames(a) == ["alice"]),
    Scenario("search with two letters", "guest", "GET /users?search=ob", check=lambda a: usernames(a) == ["bob"]),
    Scenario("search with a filter", "guest", "GET /users?search=ann&type=2", check=total(1)),
    Scenario("an empty search is none", "guest", "GET /users?search=", check=total(10)),
    Scenario("a wildcard is a plain character", "guest", "GET /users?search=%25%25%25", check=total(0)),
    Scenario("an underscore too", "guest", "GET /users?search=___", check=total(0)),
    Scenario("quotes too", "guest", 'GET /users?search="a" OR "b"', check=total(0)),
    Scenario("a search for nobody", "guest", "GET /users?search=qqqq", check=lambda a: a["pagination"]["totalPages"] == 0),
    Scenario("an admin's search looks at e-mail", "admin", "GET /users?search=bob@", check=total(1)),
    Scenario("a member's does not", "alice", "GET /users?search=bob@", check=total(0)),
    Scenario("not even at one's own", "alice", "GET /users?search=alice@", check=total(0)),
    Scenario("sorted by name", "guest", "GET /users?sort=username", check=lambda a: usernames(a)[0] == "admin"),
    Scenario("sorted down", "guest", "GET /users?sort=-level", check=lambda a: usernames(a)[:2] == ["second", "owner"]),
    Scenario("admins sort by e-mail", "admin", "GET /users?sort=email", check=lambda a: usernames(a)[0] == "admin"),
    Scenario("members do not", "alice", "GET /users?sort=email", status=400),
    Scenario("an unknown sort", "guest", "GET /users?sort=password", status=400, field="sort"),
    Scenario("a sort with a line break", "guest", "GET /users?sort=email%0A", status=400, field="sort"),
    Scenario("an unknown type", "guest", "GET /users?type=9", status=400, field="type"),
    Scenario("a level out of range", "guest", "GET /users?level=11", status=400, field="level"),
    Scenario("page 0", "guest", "GET /users?page=0", status=400, field="page"),
    Scenario("a limit that is no number", "guest", "GET /users?limit=abc", status=400, field="limit"),
    Scenario("limit 0", "guest", "GET /users?limit=0", status=400),
    Scenario("a limit above 100 counts as 100", "guest", "GET /users?limit=500", check=lambda a: a["pagination"]["limit"] == 100),
    Scenario("a page past the end", "guest", "GET /users?page=99", check=lambda a: a["data"] == [] and a["pagination"]["totalItems"] == 10),
    Scenario("unknown parameters are ignored", "guest", "GET /users?colour=blue", check=total(10)),
    Scenario("a NUL in a search", "guest", "GET /users?search=a%00b", status=400),
    Scenario("bytes that are no text", "guest", "GET /users?search=%ff%fe", status=400),
)  # fmt: skip
def test_listing_users(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


def test_pages_tell_where_they_are(client: Client) -> None:
    answer = client.call("guest", "GET /users?limit=4&page=2").json()
    assert answer["pagination"] == {
        "page": 2, "limit": 4, "totalItems": 10, "totalPages": 3, "hasNext": True, "hasPrev": True,
    }  # fmt: skip
    assert len(answer["data"]) == 4


NESTED: Any = json.loads("[" * 40 + "]" * 40)
NEW = {"username": "newcomer", "password": "long enough"}


@table(
    Scenario("any member creates users", "alice", "POST /users", NEW, 201, data={"level": 1, "type": 1, "points": 0}),
    Scenario("a key may too", "key", "POST /users", NEW, 201),
    Scenario("guests may not", "guest", "POST /users", NEW, 403),
    Scenario("nor may level 0", "zero", "POST /users", NEW, 403),
    Scenario("with an e-mail address", "admin", "POST /users", {**NEW, "email": "n@x.org"}, 201, data={"email": "n@x.org"}),
    Scenario("banned from the start", "alice", "POST /users", {**NEW, "type": 2}, 201, data={"type": 2}),
    Scenario("not deleted from the start", "alice", "POST /users", {**NEW, "type": 4}, 422, field="type"),
    Scenario("a level cannot be chosen", "alice", "POST /users", {**NEW, "level": 10}, 422, field="level"),
    Scenario("nor a site", "owner", "POST /users", {**NEW, "site_id": 1}, 422, field="site_id"),
    Scenario("without a name", "alice", "POST /users", {"password": "long enough"}, 422, field="username"),
    Scenario("without a password", "alice", "POST /users", {"username": "newcomer"}, 422, field="password"),
    Scenario("a short password", "alice", "POST /users", {**NEW, "password": "short"}, 422, field="password"),
    Scenario("a short name", "alice", "POST /users", {**NEW, "username": "ab"}, 422, field="username"),
    Scenario("a name of 32 letters", "alice", "POST /users", {**NEW, "username": "x" * 32}, 201),
    Scenario("a name of 33 letters", "alice", "POST /users", {**NEW, "username": "x" * 33}, 422, field="username"),
    Scenario("a name with a line break", "alice", "POST /users", {**NEW, "username": "new\ncomer"}, 422, field="username"),
    Scenario("a name that ends in a blank", "alice", "POST /users", {**NEW, "username": "newcomer "}, 422, field="username"),
    Scenario("a name with a NUL", "alice", "POST /users", {**NEW, "username": "new\0comer"}, 422),
    Scenario("a name that is a number", "alice", "POST /users", {**NEW, "username": 12345}, 422, field="username"),
    Scenario("a name that is taken", "alice", "POST /users", {**NEW, "username": "bob-~"}, 422, field="username"),
    Scenario("in another case", "alice", "POST /users", {**NEW, "username": "BOB-~"}, 422, field="username"),
    Scenario("even by a deleted user", "alice", "POST /users", {**NEW, "username": "deleted-~"}, 422, field="username"),
    Scenario("an e-mail that is taken", "alice", "POST /users", {**NEW, "email": "Bob@~.EXAMPLE"}, 422, field="email"),
    Scenario("no e-mail address", "alice", "POST /users", {**NEW, "email": "nonsense"}, 422, field="email"),
    Scenario("an e-mail with a line break", "alice", "POST /users", {**NEW, "email": "a@b.org\n"}, 422, field="email"),
    Scenario("an e-mail with an invisible letter", "alice", "POST /users", {**NEW, "email": "a\u200b@b.org"}, 422, field="email"),
    Scenario("an invisible name", "alice", "POST /users", {**NEW, "username": "\u3164\u3164\u3164"}, 422, field="username"),
    Scenario("a name with an invisible mark", "alice", "POST /users", {**NEW, "username": "bob\ufe0f"}, 422, field="username"),
    Scenario("a name with two blanks", "alice", "POST /users", {**NEW, "username": "a\u00a0 b"}, 422, field="username"),
    Scenario("an array", "alice", "POST /users", [1], 422),
    Scenario("unicode names", "alice", "POST /users", {**NEW, "username": "Zoë 中文"}, 201, data={"username": "Zoë 中文"}),
)  # fmt: skip
def test_creating_a_user(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


def test_a_refusal_names_every_fault(client: Client) -> None:
    answer = client.call("alice", "POST /users", {"username": 1, "colour": "blue"}).json()
    assert {fault["field"] for fault in answer["error"]["details"]} == {"username", "password", "colour"}


def test_a_site_may_ask_for_a_level_to_create_users(client: Client) -> None:
    environ = client.world.server.environ
    assert sitehive("site", "config", client.world.site, "user_create_level=8", environ=environ).returncode == 0
    assert client.call("moderator", "POST /users", NEW).status_code == 403
    assert client.call("admin", "POST /users", NEW).status_code == 201


@table(
    Scenario("one's own name", "alice", "PATCH /users/{alice}", {"username": "Alicia"}, data={"username": "Alicia"}),
    Scenario("one's own name in another case", "alice", "PATCH /users/{alice}", {"username": "ALICE-~"}, data={"username": "ALICE-~"}),
    Scenario("one's own e-mail", "alice", "PATCH /users/{alice}", {"email": "a@b.org"}, data={"email": "a@b.org"}),
    Scenario("taking one's e-mail away", "alice", "PATCH /users/{alice}", {"email": None}, data={"email": None}),
    Scenario("one's own metadata", "alice", "PATCH /users/{alice}", {"var": {"a": [1, {"b": None}]}}, data={"var": {"a": [1, {"b": None}]}}),
    Scenario("nothing at all", "alice", "PATCH /users/{alice}", {}, data={"username": "alice-~"}),
    Scenario("a name that is taken", "alice", "PATCH /users/{alice}", {"username": "Bob-~"}, 422, field="username"),
    Scenario("metadata that nests too deep", "alice", "PATCH /users/{alice}", {"var": {"a": NESTED}}, 422, field="var"),
    Scenario("metadata that is no object", "alice", "PATCH /users/{alice}", {"var": [1]}, 422, field="var"),
    Scenario("not one's own level", "alice", "PATCH /users/{alice}", {"level": 10}, 403),
    Scenario("not one's own type", "alice", "PATCH /users/{alice}", {"type": 1}, 403),
    Scenario("not one's own points", "alice", "PATCH /users/{alice}", {"point": 100}, 403),
    Scenario("not the site", "alice", "PATCH /users/{alice}", {"site_id": 1}, 422, field="site_id"),
    Scenario("not the time of creation", "owner", "PATCH /users/{alice}", {"created_at": "2020-01-01T00:00:00Z"}, 422, field="created_at"),
    Scenario("not somebody else", "alice", "PATCH /users/{bob}", {"username": "Robert"}, 403),
    Scenario("moderators do not manage users", "moderator", "PATCH /users/{bob}", {"username": "Robert"}, 403),
    Scenario("guests change nobody", "guest", "PATCH /users/{bob}", {"username": "Robert"}, 403),
    Scenario("admins change those below", "admin", "PATCH /users/{bob}", {"username": "Robert", "point": 5}, data={"username": "Robert", "points": 5}),
    Scenario("admins do not change their equals", "chief", "PATCH /users/{owner}", {"point": 1}, 403),
    Scenario("an admin changes their own points", "admin", "PATCH /users/{admin}", {"point": 1}, data={"points": 1}),
    Scenario("superadmins change everyone", "owner", "PATCH /users/{second}", {"point": 1}, data={"points": 1}),
    Scenario("an admin grants up to their own level", "admin", "PATCH /users/{bob}", {"level": 8}, data={"level": 8}),
    Scenario("and not above it", "admin", "PATCH /users/{bob}", {"level": 9}, 403),
    Scenario("not to themselves either", "admin", "PATCH /users/{admin}", {"level": 9}, 403),
    Scenario("a level out of range", "owner", "PATCH /users/{bob}", {"level": 11}, 422, field="level"),
    Scenario("an unknown type", "owner", "PATCH /users/{bob}", {"type": 3}, 422, field="type"),
    Scenario("a ban", "admin", "PATCH /users/{bob}", {"type": 2}, data={"type": 2, "type_label": "Banned"}),
    Scenario("a revival", "admin", "PATCH /users/{deleted}", {"type": 1}, data={"type": 1}),
    Scenario("somebody missing", "admin", "PATCH /users/999999999", {"point": 1}, 404),
    Scenario("no JSON", "alice", "PATCH /users/{alice}", None, 400),
)  # fmt: skip
def test_changing_a_user(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


@table(
    Scenario("admins delete those below", "admin", "DELETE /users/{bob}", data={"id": "$bob", "type": 4}),
    Scenario("not their equals", "admin", "DELETE /users/{chief}", status=403),
    Scenario("moderators delete nobody", "moderator", "DELETE /users/{bob}", status=403),
    Scenario("members neither", "alice", "DELETE /users/{bob}", status=403),
    Scenario("guests neither", "guest", "DELETE /users/{bob}", status=403),
    Scenario("superadmins delete each other", "owner", "DELETE /users/{second}", data={"type": 4}),
    Scenario("admins may leave", "admin", "DELETE /users/{admin}", data={"type": 4}),
    Scenario("again changes nothing", "admin", "DELETE /users/{deleted}", data={"type": 4}),
    Scenario("somebody missing", "admin", "DELETE /users/999999999", status=404),
)
def test_deleting_a_user(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


def test_totals_follow_every_change(client: Client) -> None:
    def count(query: str = "") -> int:
        number: int = client.call("guest", f"GET /users{query}").json()["pagination"]["totalItems"]
        return number

    made = client.data("alice", "POST /users", NEW)
    assert count() == 11
    client.data("admin", f"DELETE /users/{made['id']}")
    assert (count(), count("?type=4")) == (10, 2)
    client.data("admin", f"PATCH /users/{made['id']}", {"type": 1, "level": 5})
    assert (count(), count("?level=5"), count("?type=4")) == (11, 2, 1)


def test_the_last_superadmin_stays(client: Client) -> None:
    client.data("owner", "PATCH /users/{second}", {"level": 9})
    for change in ({"level": 9}, {"type": 2}, {"type": 4}):
        refused = client.call("owner", "PATCH /users/{owner}", change)
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "validation_error")
    assert client.call("owner", "DELETE /users/{owner}").status_code == 422
    assert client.data("owner", "GET /users/me")["level"] == 10


def test_a_new_user_can_log_in(client: Client) -> None:
    client.data("alice", "POST /users", NEW)
    login = {"site": client.world.site, "username": "NEWCOMER", "password": NEW["password"]}
    assert client.data("nobody", "POST /auth/login", login)["user"]["username"] == "newcomer"


def test_avatars_are_served(client: Client) -> None:
    user = client.data("guest", "GET /users/{alice}")
    path = "/avatars/" + user["avatar"].rpartition("/")[2]
    picture = client.raw("GET", path)
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.headers["x-content-type-options"] == "nosniff"
    assert picture.text.startswith("<svg")
    assert client.raw("GET", "/avatars/../secret.svg").status_code == 404


def test_somebody_who_asks_is_online(client: Client) -> None:
    client.data("bob", "GET /users/me")
    for _ in range(50):
        if client.data("guest", "GET /users/{bob}")["is_online"]:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("bob never came online")
    assert not client.data("guest", "GET /users/{senior}")["is_online"]


def test_passwords_are_nowhere_to_be_seen(client: Client) -> None:
    text = client.call("owner", "GET /users?limit=100").text
    assert "argon2" not in text
    assert PASSWORD not in text
