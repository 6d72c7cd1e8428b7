"""Posts: spec 2.5, 3.1 and 4.5."""

from typing import Any

import pytest

from tests.support.client import Client
from tests.support.scenario import Scenario, play, table
from tests.support.world import add_posts

FIELDS = [
    "id",
    "title",
    "content",
    "status",
    "status_label",
    "format",
    "format_label",
    "thumb",
    "var",
    "forum",
    "owner",
    "created_at",
    "updated_at",
]


@pytest.fixture(autouse=True)
def posts(client: Client) -> None:
    """One post of alice in each status in `talk`, one of the admin in `news`, one of bob; and nothing else."""
    ids = client.world.ids
    for name in ("post", "draft", "trash"):
        client.data("owner", f"DELETE /posts/{{{name}}}?permanent=true")
    for forum in ("talk", "news"):
        ids[forum] = client.data("admin", "POST /forums", {"name": forum})["id"]
    for name, who, forum, status in (
        ("draft", "alice", "talk", 0), ("public", "alice", "talk", 1), ("pending", "alice", "talk", 2), ("trash", "alice", "talk", 3),
        ("official", "admin", "news", 1), ("reply", "bob", "talk", 1),
    ):  # fmt: skip
        body = {
            "forumid": ids[forum],
            "title": f"{name.title()} note",
            "content": f"All about {name} things",
            "status": status,
        }
        ids[name] = client.data(who, "POST /posts", body)["id"]


def titles(answer: Any) -> list[str]:
    return [post["title"].partition(" ")[0].lower() for post in answer["data"]]


def listed(*expected: str) -> Any:
    return lambda answer: titles(answer) == list(expected) and answer["pagination"]["totalItems"] == len(expected)


@table(
    Scenario("a post has every field", "guest", "GET /posts/{public}", check=lambda a: list(a["data"]) == FIELDS),
    Scenario(
        "with its forum and owner",
        "guest",
        "GET /posts/{public}",
        check=lambda a: a["data"]["forum"]["name"] == "talk" and a["data"]["owner"]["username"][:5] == "alice",
    ),
    Scenario(
        "and labels",
        "guest",
        "GET /posts/{public}",
        data={
            "status": 1,
            "status_label": "Published",
            "format": "bbcode",
            "format_label": "BBCode",
            "thumb": "",
            "var": {},
        },
    ),
    Scenario("a draft is for its owner", "alice", "GET /posts/{draft}", data={"status_label": "Draft"}),
    Scenario("and for moderators", "moderator", "GET /posts/{draft}", data={"status": 0}),
    Scenario("not for others", "bob", "GET /posts/{draft}", status=404),
    Scenario("not for guests", "guest", "GET /posts/{draft}", status=404),
    Scenario("pending posts neither", "bob", "GET /posts/{pending}", status=404),
    Scenario("nor the trash", "bob", "GET /posts/{trash}", status=404),
    Scenario("the owner sees the trash", "alice", "GET /posts/{trash}", data={"status": 3, "status_label": "Trash"}),
    Scenario("a missing post", "alice", "GET /posts/999999999", status=404),
    Scenario("nobody reads none", "nobody", "GET /posts/{public}", status=401),
    Scenario(
        "rendered, if asked for",
        "guest",
        "GET /posts/{public}?render=html",
        data={"content_html": "All about public things"},
    ),
    Scenario("only as HTML", "guest", "GET /posts/{public}?render=pdf", status=400, field="render"),
)
def test_reading_a_post(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


@table(
    Scenario("what is published, newest first", "guest", "GET /posts", check=listed("reply", "official", "public")),
    Scenario("others see the same", "bob", "GET /posts", check=listed("reply", "official", "public")),
    Scenario(
        "the owner also sees drafts and pending posts",
        "alice",
        "GET /posts",
        check=listed("reply", "official", "pending", "public", "draft"),
    ),
    Scenario(
        "moderators see them too",
        "moderator",
        "GET /posts",
        check=listed("reply", "official", "pending", "public", "draft"),
    ),
    Scenario("the trash, for its owner", "alice", "GET /posts?status=3", check=listed("trash")),
    Scenario("the trash, for moderators", "moderator", "GET /posts?status=trash", check=listed("trash")),
    Scenario("not for others", "bob", "GET /posts?status=3", check=listed()),
    Scenario("nor for guests", "guest", "GET /posts?status=3", check=listed()),
    Scenario("others' drafts stay hidden", "bob", "GET /posts?status=0", check=listed()),
    Scenario("one's own do not", "alice", "GET /posts?status=0", check=listed("draft")),
    Scenario("by status", "guest", "GET /posts?status=1", check=listed("reply", "official", "public")),
    Scenario("an unknown status", "guest", "GET /posts?status=7", status=400),
    Scenario("by forum", "guest", "GET /posts?forumid={news}", check=listed("official")),
    Scenario(
        "by forum, with one's own",
        "alice",
        "GET /posts?forumid={talk}",
        check=listed("reply", "pending", "public", "draft"),
    ),
    Scenario("a missing forum", "guest", "GET /posts?forumid=999999999", check=listed()),
    Scenario("by owner", "guest", "GET /posts?userid={alice}", check=listed("public")),
    Scenario("by oneself", "alice", "GET /posts?userid={alice}", check=listed("pending", "public", "draft")),
    Scenario(
        "by owner, for moderators", "moderator", "GET /posts?userid={alice}", check=listed("pending", "public", "draft")
    ),
    Scenario("by another, with nothing of one's own", "alice", "GET /posts?userid={bob}", check=listed("reply")),
    Scenario("by owner and forum", "guest", "GET /posts?userid={alice}&forumid={news}", check=listed()),
    Scenario(
        "by owner, forum and status",
        "moderator",
        "GET /posts?userid={alice}&forumid={talk}&status=0",
        check=listed("draft"),
    ),
    Scenario("oldest first", "guest", "GET /posts?sort=created_at", check=listed("public", "official", "reply")),
    Scenario("by title", "guest", "GET /posts?sort=title", check=listed("official", "public", "reply")),
    Scenario("by title, down", "guest", "GET /posts?sort=-title", check=listed("reply", "public", "official")),
    Scenario("by an unknown field", "guest", "GET /posts?sort=content", status=400, field="sort"),
    Scenario("search in titles", "guest", "GET /posts?search=OFFIC", check=listed("official")),
    Scenario("search in texts", "guest", "GET /posts?search=about pub", check=listed("public")),
    Scenario("search finds no hidden posts", "guest", "GET /posts?search=draft", check=listed()),
    Scenario("but one's own", "alice", "GET /posts?search=draft", check=listed("draft")),
    Scenario("search with a filter", "moderator", "GET /posts?search=things&status=2", check=listed("pending")),
    Scenario("search with two letters", "guest", "GET /posts?search=LY", check=listed("reply")),
    Scenario("search with wildcards", "guest", "GET /posts?search=%25", check=listed()),
    Scenario("search with an underscore", "guest", "GET /posts?search=t_lk", check=listed()),
    Scenario("search with quotes", "guest", 'GET /posts?search=" OR "a', check=listed()),
    Scenario(
        "search, sorted", "guest", "GET /posts?search=things&sort=title", check=listed("official", "public", "reply")
    ),
    Scenario(
        "a second page",
        "guest",
        "GET /posts?limit=2&page=2",
        check=lambda a: titles(a) == ["public"] and a["pagination"]["totalItems"] == 3,
    ),
    Scenario(
        "rendered, if asked for",
        "guest",
        "GET /posts?render=html",
        check=lambda a: all("content_html" in post for post in a["data"]),
    ),
)
def test_listing_posts(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


def test_a_search_puts_titles_first(client: Client) -> None:
    for title, content in (("Zebra", "stripes"), ("Other", "about a zebra"), ("Third", "zebra again")):
        client.data("bob", "POST /posts", {"forumid": client.world.ids["talk"], "title": title, "content": content})
    found = client.call("guest", "GET /posts?search=zebra").json()
    assert titles(found) == ["zebra", "third", "other"]
    assert found["pagination"]["totalItems"] == 3


def test_a_search_follows_every_change(client: Client) -> None:
    def found(word: str) -> int:
        total: int = client.call("guest", f"GET /posts?search={word}").json()["pagination"]["totalItems"]
        return total

    client.data("alice", "PATCH /posts/{public}", {"content": "Straße and ŒUVRE"})
    assert (found("public things"), found("STRASSE"), found("œuvre")) == (0, 1, 1)
    client.data("alice", "PATCH /posts/{public}", {"title": "Renamed"})
    assert (found("renamed"), found("STRASSE")) == (1, 1)
    client.data("alice", "DELETE /posts/{public}")
    assert found("renamed") == 0
    client.data("alice", "POST /posts/{public}/restore")
    assert found("renamed") == 1
    client.data("alice", "DELETE /posts/{public}?permanent=true")
    assert found("renamed") == 0


NEW = {"forumid": "$talk", "title": "Hello", "content": "there"}


@table(
    Scenario(
        "members write posts",
        "bob",
        "POST /posts",
        NEW,
        201,
        data={"title": "Hello", "content": "there", "status": 1, "format": "bbcode"},
    ),
    Scenario("guests do not", "guest", "POST /posts", NEW, 403),
    Scenario("nor does level 0", "zero", "POST /posts", NEW, 403),
    Scenario("nor nobody", "nobody", "POST /posts", NEW, 401),
    Scenario("as a draft", "bob", "POST /posts", {**NEW, "status": 0}, 201, data={"status": 0}),
    Scenario(
        "by label",
        "bob",
        "POST /posts",
        {**NEW, "status": "PENDING"},
        201,
        data={"status": 2, "status_label": "Pending"},
    ),
    Scenario("straight to the trash", "bob", "POST /posts", {**NEW, "status": 3}, 201, data={"status": 3}),
    Scenario("an unknown status", "bob", "POST /posts", {**NEW, "status": 4}, 422, field="status"),
    Scenario("a number in quotes", "bob", "POST /posts", {**NEW, "status": "1"}, 422, field="status"),
    Scenario("an unknown label", "bob", "POST /posts", {**NEW, "status": "secret"}, 422, field="status"),
    Scenario("a status that is neither", "bob", "POST /posts", {**NEW, "status": True}, 422, field="status"),
    Scenario(
        "in Markdown",
        "bob",
        "POST /posts",
        {**NEW, "format": "md"},
        201,
        data={"format": "md", "format_label": "Markdown"},
    ),
    Scenario("in HTML", "bob", "POST /posts", {**NEW, "format": "html"}, 201, data={"format_label": "HTML"}),
    Scenario("as text", "bob", "POST /posts", {**NEW, "format": "text"}, 201, data={"format_label": "Text"}),
    Scenario("an unknown format", "bob", "POST /posts", {**NEW, "format": "tex"}, 422, field="format"),
    Scenario(
        "with a thumb",
        "bob",
        "POST /posts",
        {**NEW, "thumb": "https://x.org/a.png"},
        201,
        data={"thumb": "https://x.org/a.png"},
    ),
    Scenario(
        "a thumb that would run", "bob", "POST /posts", {**NEW, "thumb": "javascript:alert(1)"}, 422, field="thumb"
    ),
    Scenario(
        "with metadata",
        "bob",
        "POST /posts",
        {**NEW, "var": {"a": {"b": [1, None]}}},
        201,
        data={"var": {"a": {"b": [1, None]}}},
    ),
    Scenario(
        "content is kept as it is",
        "bob",
        "POST /posts",
        {**NEW, "content": "<script>x</script>\r\n "},
        201,
        data={"content": "<script>x</script>\r\n "},
    ),
    Scenario("empty content", "bob", "POST /posts", {**NEW, "content": ""}, 201),
    Scenario("without content", "bob", "POST /posts", {"forumid": "$talk", "title": "Hello"}, 422, field="content"),
    Scenario("without a title", "bob", "POST /posts", {"forumid": "$talk", "content": "there"}, 422, field="title"),
    Scenario("a blank title", "bob", "POST /posts", {**NEW, "title": " "}, 422, field="title"),
    Scenario("a title of 200 letters", "bob", "POST /posts", {**NEW, "title": "x" * 200}, 201),
    Scenario("a title of 201 letters", "bob", "POST /posts", {**NEW, "title": "x" * 201}, 422, field="title"),
    Scenario("a text of 256 KiB", "bob", "POST /posts", {**NEW, "content": "word " * 52428}, 201),
    Scenario("a longer one", "bob", "POST /posts", {**NEW, "content": "é" * 131073}, 422, field="content"),
    Scenario("a NUL", "bob", "POST /posts", {**NEW, "content": "a\0b"}, 422, field="content"),
    Scenario("in a missing forum", "bob", "POST /posts", {**NEW, "forumid": 999999999}, 422, field="forumid"),
    Scenario("without a forum", "bob", "POST /posts", {"title": "Hello", "content": "there"}, 422, field="forumid"),
    Scenario("the owner cannot be chosen", "owner", "POST /posts", {**NEW, "owner": 1}, 422, field="owner"),
    Scenario(
        "nor the time", "owner", "POST /posts", {**NEW, "created_at": "2020-01-01T00:00:00Z"}, 422, field="created_at"
    ),
)
def test_writing_a_post(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


@table(
    Scenario(
        "the owner changes",
        "alice",
        "PATCH /posts/{public}",
        {"title": "New", "content": "text", "format": "md", "thumb": "/a.png", "var": {"k": 1}},
        data={"title": "New", "content": "text", "format": "md", "thumb": "/a.png", "var": {"k": 1}},
    ),
    Scenario("nothing", "alice", "PATCH /posts/{public}", {}, data={"title": "Public note"}),
    Scenario(
        "moves",
        "alice",
        "PATCH /posts/{public}",
        {"forumid": "$news"},
        check=lambda a: a["data"]["forum"]["name"] == "news",
    ),
    Scenario("to a missing forum", "alice", "PATCH /posts/{public}", {"forumid": 999999999}, 422, field="forumid"),
    Scenario("publishes by label", "alice", "PATCH /posts/{draft}", {"status": "published"}, data={"status": 1}),
    Scenario("publishes by number", "alice", "PATCH /posts/{draft}", {"status": 1}, data={"status": 1}),
    Scenario("trashes", "alice", "PATCH /posts/{public}", {"status": 3}, data={"status": 3}),
    Scenario("takes out of the trash", "alice", "PATCH /posts/{trash}", {"status": 0}, data={"status": 0}),
    Scenario("others do not", "bob", "PATCH /posts/{public}", {"title": "New"}, 403),
    Scenario("what they cannot see does not exist", "bob", "PATCH /posts/{draft}", {"title": "New"}, 404),
    Scenario("guests change nothing", "guest", "PATCH /posts/{public}", {"title": "New"}, 403),
    Scenario(
        "moderators change those below", "moderator", "PATCH /posts/{public}", {"title": "New"}, data={"title": "New"}
    ),
    Scenario("not those above", "moderator", "PATCH /posts/{official}", {"title": "New"}, 403),
    Scenario("admins change everything", "admin", "PATCH /posts/{draft}", {"title": "New"}, data={"title": "New"}),
    Scenario("the owner cannot be changed", "owner", "PATCH /posts/{public}", {"owner": 1}, 422, field="owner"),
    Scenario("a missing post", "owner", "PATCH /posts/999999999", {"title": "New"}, 404),
)
def test_changing_a_post(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


@table(
    Scenario("to the trash", "alice", "DELETE /posts/{public}", data={"id": "$public", "status": 3}),
    Scenario("again changes nothing", "alice", "DELETE /posts/{trash}", data={"status": 3}),
    Scenario("for good", "alice", "DELETE /posts/{public}?permanent=true", data={}, check=lambda a: a["data"] == {}),
    Scenario(
        "for good, from the trash", "alice", "DELETE /posts/{trash}?permanent=true", check=lambda a: a["data"] == {}
    ),
    Scenario("not for good", "alice", "DELETE /posts/{public}?permanent=false", data={"status": 3}),
    Scenario(
        "a word that is no boolean", "alice", "DELETE /posts/{public}?permanent=maybe", status=400, field="permanent"
    ),
    Scenario("others do not", "bob", "DELETE /posts/{public}", status=403),
    Scenario("guests do not", "guest", "DELETE /posts/{public}", status=403),
    Scenario("moderators delete those below", "moderator", "DELETE /posts/{reply}", data={"status": 3}),
    Scenario("not those above", "moderator", "DELETE /posts/{official}", status=403),
    Scenario("a missing post", "owner", "DELETE /posts/999999999", status=404),
    Scenario("a restoration", "alice", "POST /posts/{trash}/restore", data={"status": 1}),
    Scenario("with an empty object", "alice", "POST /posts/{trash}/restore", {}, data={"status": 1}),
    Scenario("of what is not in the trash", "alice", "POST /posts/{public}/restore", status=422, field="status"),
    Scenario("by others", "bob", "POST /posts/{trash}/restore", status=404),
    Scenario("by guests", "guest", "POST /posts/{trash}/restore", status=403),
    Scenario("by moderators", "moderator", "POST /posts/{trash}/restore", data={"status": 1}),
)
def test_deleting_and_restoring(scenario: Scenario, client: Client) -> None:
    play(scenario, client)


@pytest.mark.parametrize(("name", "status"), [("draft", 0), ("public", 1), ("pending", 2)])
def test_a_restored_post_is_what_it_was(client: Client, name: str, status: int) -> None:
    client.data("alice", f"DELETE /posts/{{{name}}}")
    client.data("alice", f"DELETE /posts/{{{name}}}")
    assert client.data("alice", f"POST /posts/{{{name}}}/restore")["status"] == status


def test_a_removed_post_is_gone(client: Client) -> None:
    client.data("alice", "DELETE /posts/{public}?permanent=true")
    assert client.call("owner", "GET /posts/{public}").status_code == 404
    assert client.call("owner", "POST /posts/{public}/restore").status_code == 404


def test_a_change_is_dated(client: Client) -> None:
    before = client.data("alice", "GET /posts/{public}")
    after = client.data("alice", "PATCH /posts/{public}", {"title": "New"})
    assert after["created_at"] == before["created_at"]
    assert after["updated_at"] > before["updated_at"]


def test_a_search_with_many_matches(client: Client) -> None:
    """Few matches are found with one look at the index, many with two: both give the same list."""
    add_posts(client.world, 600)
    few = client.call("guest", "GET /posts?search=post 59&limit=5&page=2").json()
    assert ([post["title"] for post in few["data"]], few["pagination"]["totalItems"]) == (
        ["post 594", "post 593", "post 592", "post 591", "post 590"],
        11,
    )
    many = client.call("guest", "GET /posts?search=post&limit=100&page=6").json()
    assert (len(many["data"]), many["pagination"]["totalItems"]) == (100, 600)
    assert many["data"][-1]["title"] == "post 0"
    assert client.call("guest", "GET /posts?search=post&page=7&limit=100").json()["data"] == []


def test_deep_pages_miss_and_repeat_nothing(client: Client) -> None:
    """Past a few hundred posts, pages are found by rank: they must still be the same list."""
    add_posts(client.world, 700)
    for sort, first in (("", -1), ("&sort=created_at", 0)):
        seen: list[int] = []
        for page in range(1, 9):
            answer = client.call("guest", f"GET /posts?forumid={{forum}}&limit=100&page={page}{sort}").json()
            assert answer["pagination"]["totalItems"] == 700
            seen += [post["id"] for post in answer["data"]]
        assert seen == sorted(set(seen), reverse=first == -1)
        assert len(seen) == 700
    assert client.data("guest", "GET /posts?limit=100&page=50") == []
