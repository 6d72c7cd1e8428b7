"""The only way to a handler: access, input, preparation, transaction, and then what follows a commit."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

import pytest
from msgspec import Struct

from sitehive.kernel.access import Access, anyone, level, login, visitor
from sitehive.kernel.background import Background
from sitehive.kernel.context import Context, Origin, Viewer
from sitehive.kernel.database import Database, Queries
from sitehive.kernel.dispatch import Dispatcher
from sitehive.kernel.errors import Forbidden, Invalid, Refusal, Unauthorized, Unavailable
from sitehive.kernel.operation import Operation, operation

T = TypeVar("T")

ORIGIN = Origin("req_test", "127.0.0.1")
MEMBER = Viewer(1, 7, 1, "login")
GUEST = Viewer(1)


class Given(Struct):
    word: str = "word"


class Story:
    """Everything that takes part, telling in which order things happen. `fails` is where something goes wrong."""

    def __init__(self, *, fails: str = "", attempts: int = 1) -> None:
        self.told: list[str] = []
        self.reported: list[Exception] = []
        self.reader, self.transaction = cast("Queries", object()), cast("Queries", object())
        self.background = Background(self.reported.append)
        self._fails = fails
        self._attempts = attempts
        self.dispatcher = Dispatcher(cast("Database", self), {}, self.background)

    def tell(self, step: str) -> None:
        self.told.append(step)
        if step == self._fails:
            raise Invalid(step)

    async def write(self, work: Callable[[Queries], Awaitable[T]]) -> T:
        self.tell("begin")
        try:
            for _ in range(self._attempts):
                result = await work(self.transaction)
            self.tell("commit")
        except Refusal:
            self.told.append("rollback")
            raise
        return result

    def operation(self, method: str = "POST", access: Access = login) -> Operation:
        async def prepare(ctx: Context, given: Given) -> str:
            assert ctx.db is self.reader
            self.tell("prepare")
            return f"{given.word} prepared"

        async def handler(ctx: Context, given: Given, prepared: str) -> Given:
            assert ctx.db is (self.reader if method == "GET" else self.transaction)
            ctx.after_commit.append(self.effect)
            self.tell("handler")
            return Given(f"{prepared} and handled")

        return operation("things.act", f"{method} /things", access=access, prepare=prepare)(handler)

    async def effect(self) -> None:
        self.told.append("after")

    async def read(self, declared: Operation) -> Struct:
        self.tell("input")
        return Given()

    async def call(self, declared: Operation, viewer: Viewer | None = MEMBER) -> Any:
        try:
            return await self.dispatcher.call(declared, viewer, ORIGIN, self.read)
        finally:
            await self.background.close()


async def test_everything_comes_in_its_order() -> None:
    story = Story()
    assert await story.call(story.operation()) == Given("word prepared and handled")
    assert story.told == ["input", "prepare", "begin", "handler", "commit", "after"]


async def test_reading_opens_no_transaction_and_nothing_follows() -> None:
    story = Story()
    assert await story.call(story.operation("GET", visitor), GUEST) == Given("word prepared and handled")
    assert story.told == ["input", "prepare", "handler"]


REFUSALS = {
    "input": ["input"],
    "prepare": ["input", "prepare"],
    "begin": ["input", "prepare", "begin"],
    "handler": ["input", "prepare", "begin", "handler", "rollback"],
    "commit": ["input", "prepare", "begin", "handler", "commit", "rollback"],
}


@pytest.mark.parametrize(("step", "told"), REFUSALS.items(), ids=REFUSALS)
async def test_after_a_refusal_nothing_happens(step: str, told: list[str]) -> None:
    story = Story(fails=step)
    with pytest.raises(Invalid, match=step):
        await story.call(story.operation())
    assert story.told == told


ADMITTED = {
    "anyone, nobody": (anyone, "POST", None, None),
    "visitors, nobody": (visitor, "GET", None, Unauthorized),
    "visitors, a guest who reads": (visitor, "GET", GUEST, None),
    "visitors, a guest who writes": (visitor, "POST", GUEST, Forbidden),
    "login, nobody": (login, "GET", None, Unauthorized),
    "login, a guest": (login, "GET", GUEST, Forbidden),
    "login, level 0 who reads": (login, "GET", Viewer(1, 7, 0, "login"), None),
    "login, level 0 who writes": (login, "POST", Viewer(1, 7, 0, "login"), Forbidden),
    "login, a member": (login, "POST", MEMBER, None),
    "level 8, level 7": (level(8), "POST", Viewer(1, 7, 7, "login"), Forbidden),
    "level 8, level 8": (level(8), "POST", Viewer(1, 7, 8, "login"), None),
    "level 8, a key of level 8": (level(8), "POST", Viewer(1, 7, 8, "key"), None),
    "a key that may write": (login, "POST", Viewer(1, 7, 8, "key", frozenset({"things:write"})), None),
    "a key that may only read": (login, "POST", Viewer(1, 7, 8, "key", frozenset({"things:read"})), Forbidden),
    "a key for something else": (login, "GET", Viewer(1, 7, 8, "key", frozenset({"users:read"})), Forbidden),
    "a key for nothing": (login, "GET", Viewer(1, 7, 8, "key", frozenset()), Forbidden),
}


@pytest.mark.parametrize(("access", "method", "viewer", "refusal"), ADMITTED.values(), ids=ADMITTED)
async def test_whoever_is_not_admitted_gets_no_further(
    access: Access, method: str, viewer: Viewer | None, refusal: type[Refusal] | None
) -> None:
    story = Story()
    if refusal is None:
        await story.call(story.operation(method, access), viewer)
        assert "handler" in story.told
        return
    with pytest.raises(refusal):
        await story.call(story.operation(method, access), viewer)
    assert story.told == []


async def test_work_that_is_run_again_has_its_effects_once() -> None:
    story = Story(attempts=3)
    await story.call(story.operation())
    assert story.told == ["input", "prepare", "begin", "handler", "handler", "handler", "commit", "after"]


async def test_what_follows_a_commit_may_fail_without_a_trace_in_the_answer() -> None:
    story = Story()
    failure = RuntimeError("no")

    async def fail() -> None:
        raise failure

    async def handler(ctx: Context, given: Given) -> Given:
        ctx.after_commit += [fail, story.effect, fail]
        return given

    declared = operation("things.fail", "POST /things", access=login)(handler)
    assert await story.call(declared) == Given()
    assert story.reported == [failure, failure]
    assert story.told == ["input", "begin", "commit", "after"]


async def test_work_that_repeats_goes_on_after_a_failure_and_ends_with_the_process() -> None:
    reported: list[Exception] = []
    background, often, runs = Background(reported.append), asyncio.Event(), 0

    async def work() -> None:
        nonlocal runs
        runs += 1
        if runs == 5:
            often.set()
        raise Unavailable(f"{runs}")

    background.every(0, work)
    await asyncio.wait_for(often.wait(), 30)
    await background.close()
    ended = runs
    await asyncio.sleep(0.01)
    assert runs == ended == len(reported)
    assert ended > 5


async def test_closing_waits_for_what_was_started() -> None:
    background, go, done = Background(lambda error: None), asyncio.Event(), []

    async def work() -> None:
        await go.wait()
        done.append(True)

    background.start(work)
    closing = asyncio.create_task(background.close())
    await asyncio.sleep(0)
    assert not closing.done()
    go.set()
    await closing
    assert done == [True]
