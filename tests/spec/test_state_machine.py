"""Posts and messages against a model in memory: whatever people do, in whatever order, the lists agree."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.support.client import Client
from tests.support.server import Server
from tests.support.world import LEVELS, make_world

WRITERS = ("alice", "bob", "moderator")
VIEWERS = ("guest", "alice", "bob", "moderator")
STATUSES = (0, 1, 2, 3)


@dataclass
class ModelPost:
    owner: str
    forum: int
    status: int
    former: int

    def go_to(self, status: int) -> None:
        if status == 3:
            self.former = self.former if self.status == 3 else self.status
        else:
            self.former = status
        self.status = status


@dataclass
class ModelMessage:
    sender: str
    receiver: str
    seen_by: set[str] = field(default_factory=set)
    unread: bool = True


class Community(RuleBasedStateMachine):
    server: ClassVar[Server]

    @initialize()
    def begin(self) -> None:
        self.client = Client(make_world(self.server))
        ids = self.client.world.ids
        for name in ("post", "draft", "trash"):
            self.client.data("owner", f"DELETE /posts/{{{name}}}?permanent=true")
        self.client.data("alice", "DELETE /messages/{message}")
        second = self.client.data("bob", "POST /forums", {"name": "second"})["id"]
        self.forums = {ids["forum"]: "alice", second: "bob"}
        self.posts: dict[int, ModelPost] = {}
        self.messages: dict[int, ModelMessage] = {}

    def teardown(self) -> None:
        if hasattr(self, "client"):
            self.client.close()

    # What people do with posts

    def may_edit(self, who: str, post: ModelPost) -> bool:
        return who == post.owner or (LEVELS[who] >= 6 and LEVELS[post.owner] < LEVELS[who])

    def may_see(self, who: str, post: ModelPost) -> bool:
        return post.status == 1 or who == post.owner or LEVELS.get(who, 0) >= 6

    def expected(self, who: str, post: ModelPost) -> int:
        return 404 if not self.may_see(who, post) else 200 if self.may_edit(who, post) else 403

    def pick(self, choice: int) -> int | None:
        return sorted(self.posts)[choice % len(self.posts)] if self.posts else None

    @rule(who=st.sampled_from(WRITERS), status=st.sampled_from(STATUSES), choice=st.integers(0, 9))
    def write_post(self, who: str, status: int, choice: int) -> None:
        if self.forums:
            forum = sorted(self.forums)[choice % len(self.forums)]
            body = {"forumid": forum, "title": "title", "content": "content", "status": status}
            made = self.client.data(who, "POST /posts", body)
            self.posts[made["id"]] = ModelPost(who, forum, status, 1 if status == 3 else status)

    @rule(who=st.sampled_from(WRITERS), status=st.sampled_from(STATUSES), choice=st.integers(0, 9))
    def change_status(self, who: str, status: int, choice: int) -> None:
        if post_id := self.pick(choice):
            post = self.posts[post_id]
            expected = self.expected(who, post)
            if expected == 200 and not post.forum and status != 3:
                expected = 422
            assert self.client.call(who, f"PATCH /posts/{post_id}", {"status": status}).status_code == expected
            if expected == 200:
                post.go_to(status)

    @rule(who=st.sampled_from(WRITERS), choice=st.integers(0, 9), place=st.integers(0, 9))
    def move_post(self, who: str, choice: int, place: int) -> None:
        if (post_id := self.pick(choice)) and self.forums:
            post, forum = self.posts[post_id], sorted(self.forums)[place % len(self.forums)]
            expected = self.expected(who, post)
            assert self.client.call(who, f"PATCH /posts/{post_id}", {"forumid": forum}).status_code == expected
            if expected == 200:
                post.forum = forum

    @rule(who=st.sampled_from(WRITERS), choice=st.integers(0, 9), permanent=st.booleans())
    def delete_post(self, who: str, choice: int, permanent: bool) -> None:
        if post_id := self.pick(choice):
            expected = self.expected(who, self.posts[post_id])
            route = f"DELETE /posts/{post_id}?permanent={str(permanent).lower()}"
            assert self.client.call(who, route).status_code == expected
            if expected == 200 and permanent:
                del self.posts[post_id]
            elif expected == 200:
                self.posts[post_id].go_to(3)

    @rule(who=st.sampled_from(WRITERS), choice=st.integers(0, 9))
    def restore_post(self, who: str, choice: int) -> None:
        if post_id := self.pick(choice):
            post = self.posts[post_id]
            expected = self.expected(who, post)
            if expected == 200 and (post.status != 3 or not post.forum):
                expected = 422
            assert self.client.call(who, f"POST /posts/{post_id}/restore").status_code == expected
            if expected == 200:
                post.go_to(post.former)

    @rule(choice=st.integers(0, 20))
    def delete_forum(self, choice: int) -> None:
        if choice < len(self.forums):
            forum = sorted(self.forums)[choice]
            self.client.data(self.forums.pop(forum), f"DELETE /forums/{forum}")
            for post in self.posts.values():
                if post.forum == forum:
                    post.forum = 0
                    post.go_to(3)

    # What they do with messages

    @rule(sender=st.sampled_from(WRITERS), receiver=st.sampled_from(WRITERS))
    def send(self, sender: str, receiver: str) -> None:
        if sender != receiver:
            body = {"userid": self.client.world.ids[receiver], "content": "hello"}
            made = self.client.data(sender, "POST /messages", body)
            self.messages[made["id"]] = ModelMessage(sender, receiver, {sender, receiver})

    @rule(who=st.sampled_from(WRITERS), partner=st.sampled_from(WRITERS))
    def read_conversation(self, who: str, partner: str) -> None:
        answer = self.client.call(who, f"GET /messages?userid={{{partner}}}&limit=100").json()
        shown = [
            i for i, m in sorted(self.messages.items()) if who in m.seen_by and {m.sender, m.receiver} == {who, partner}
        ]
        assert [message["id"] for message in answer["data"]] == shown
        assert answer["pagination"]["totalItems"] == len(shown)
        for message_id in shown:
            self.messages[message_id].unread &= self.messages[message_id].receiver != who

    @rule(who=st.sampled_from(WRITERS), choice=st.integers(0, 9))
    def delete_message(self, who: str, choice: int) -> None:
        if self.messages:
            message_id = sorted(self.messages)[choice % len(self.messages)]
            message = self.messages[message_id]
            expected = 204 if who in message.seen_by else 404
            assert self.client.call(who, f"DELETE /messages/{message_id}").status_code == expected
            if expected == 204 and who == message.sender:
                del self.messages[message_id]
            elif expected == 204:
                message.seen_by.discard(who)

    # What everyone must see

    def ids(self, who: str, query: str) -> tuple[list[int], int]:
        answer: Any = self.client.call(who, f"GET /posts?limit=100{query}").json()
        return [post["id"] for post in answer["data"]], answer["pagination"]["totalItems"]

    @invariant()
    def posts_agree(self) -> None:
        if not hasattr(self, "client"):
            return
        for who in VIEWERS:
            for query, wanted in (("", None), ("&status=1", 1), ("&status=3", 3)):
                expected = [
                    post_id
                    for post_id, post in sorted(self.posts.items(), reverse=True)
                    if self.may_see(who, post) and (post.status != 3 if wanted is None else post.status == wanted)
                ]
                assert self.ids(who, query) == (expected, len(expected)), (who, query)
        for forum in self.forums:
            expected = [
                i for i, post in sorted(self.posts.items(), reverse=True) if post.forum == forum and post.status == 1
            ]
            assert self.ids("guest", f"&forumid={forum}") == (expected, len(expected))
        alice = self.client.world.ids["alice"]
        expected = [
            i for i, post in sorted(self.posts.items(), reverse=True) if post.owner == "alice" and post.status != 3
        ]
        assert self.ids("moderator", f"&userid={alice}") == (expected, len(expected))

    @invariant()
    def messages_agree(self) -> None:
        if not hasattr(self, "client"):
            return
        for who in WRITERS:
            waiting = [m for m in self.messages.values() if m.receiver == who and who in m.seen_by and m.unread]
            assert self.client.data(who, "GET /conversations/unread")["unread_count"] == len(waiting)
            partners = {}
            for message_id, message in sorted(self.messages.items()):
                if who in message.seen_by:
                    partners[message.receiver if who == message.sender else message.sender] = message_id
            answer = self.client.call(who, "GET /conversations").json()
            assert [item["last_message"]["id"] for item in answer["data"]] == sorted(partners.values(), reverse=True)
            assert answer["pagination"]["totalItems"] == len(partners)


def test_the_product_agrees_with_a_model(server: Server) -> None:
    machine = type("Here", (Community,), {"server": server})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=8,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        ),
    )
