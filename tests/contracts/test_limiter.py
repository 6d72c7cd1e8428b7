"""What a `kernel.limiter.Limiter` promises, asked of the one that counts in a shared file."""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitehive.backends.limiter import shared_file
from sitehive.backends.limiter.shared_file import BUCKETS, SLOTS_IN_BUCKET, SharedFileLimiter
from sitehive.kernel.limiter import Limiter, Rule
from tests.contracts.processes import together, wait_for_the_others

RULE = Rule("api", 10, 60)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(shared_file, "time", clock)
    return clock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "limits.bin"


@pytest.fixture
def limiter(path: Path, clock: Clock) -> Iterator[SharedFileLimiter]:
    limiter = SharedFileLimiter(path)
    yield limiter
    limiter.close()


async def hits(limiter: Limiter, times: int, key: str = "a", rule: Rule = RULE) -> list[bool]:
    return [(await limiter.hit(rule, key)).allowed for _ in range(times)]


async def test_as_many_as_the_rule_says_and_no_more(limiter: Limiter) -> None:
    assert await hits(limiter, 15) == [True] * 10 + [False] * 5


async def test_a_verdict_says_what_remains_and_when_it_ends(limiter: Limiter, clock: Clock) -> None:
    assert await limiter.hit(RULE, "a") == (True, 9, 60)
    clock.now += 20
    assert await limiter.hit(RULE, "a") == (True, 8, 40)
    await hits(limiter, 10)
    clock.now += 39.9
    assert await limiter.hit(RULE, "a") == (False, 0, 1)


async def test_a_window_ends_by_itself(limiter: Limiter, clock: Clock) -> None:
    await hits(limiter, 20)
    clock.now += 59.9
    assert not (await limiter.hit(RULE, "a")).allowed
    clock.now += 0.2
    assert await limiter.hit(RULE, "a") == (True, 9, 60)


async def test_being_refused_does_not_make_a_window_longer(limiter: Limiter, clock: Clock) -> None:
    for _ in range(60):
        await limiter.hit(RULE, "a")
        clock.now += 1
    assert (await limiter.hit(RULE, "a")).allowed


async def test_a_refund_takes_one_back(limiter: Limiter) -> None:
    await hits(limiter, 10)
    await limiter.refund(RULE, "a")
    assert await hits(limiter, 2) == [True, False]


async def test_a_refund_of_nothing_is_no_credit(limiter: Limiter, clock: Clock) -> None:
    await limiter.refund(RULE, "a")
    assert await hits(limiter, 11) == [True] * 10 + [False]
    clock.now += 61
    await limiter.refund(RULE, "a")
    assert await hits(limiter, 11) == [True] * 10 + [False]


async def test_clearing_forgets_every_count(limiter: Limiter) -> None:
    await hits(limiter, 15)
    await limiter.clear(RULE, "a")
    assert await hits(limiter, 11) == [True] * 10 + [False]
    await limiter.clear(RULE, "never seen")


async def test_keys_and_rules_are_counted_apart(limiter: Limiter) -> None:
    others = [("b", RULE), ("a", Rule("other", 10, 60)), ("a", Rule("api", 11, 60)), ("", RULE), ("a/b", RULE)]
    await hits(limiter, 15)
    for key, rule in others:
        assert await hits(limiter, 1, key, rule) == [True], (key, rule)
    await limiter.clear(Rule("other", 10, 60), "a")
    assert await hits(limiter, 1) == [False]


@pytest.mark.parametrize(
    "key", ["", "x" * 100_000, "Zoë 中文", "line\nbreak", "nul\0", "2001:db8::/64", "LIMITS:LIMITER"]
)
async def test_any_text_is_a_key(limiter: Limiter, key: str) -> None:
    assert await hits(limiter, 11, key) == [True] * 10 + [False]


async def test_counts_outlive_the_process(limiter: Limiter, path: Path) -> None:
    await hits(limiter, 8)
    again = SharedFileLimiter(path)
    assert await hits(again, 3) == [True, True, False]
    assert await hits(limiter, 1) == [False]
    again.close()


async def test_in_a_full_bucket_the_least_used_gives_way(limiter: Limiter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_file, "BUCKETS", 1)
    for place in range(SLOTS_IN_BUCKET):
        await hits(limiter, 12 if place else 2, f"key-{place}")
    assert await hits(limiter, 1, "newcomer") == [True]
    for place in range(1, SLOTS_IN_BUCKET):
        assert await hits(limiter, 1, f"key-{place}") == [False]
    assert await hits(limiter, 11, "key-0") == [True] * 10 + [False]


async def test_what_has_ended_gives_way_first(limiter: Limiter, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_file, "BUCKETS", 1)
    await hits(limiter, 12, "old")
    clock.now += 61
    for place in range(SLOTS_IN_BUCKET):
        await hits(limiter, 1, f"key-{place}")
    assert [(await limiter.hit(RULE, f"key-{place}")).remaining for place in range(SLOTS_IN_BUCKET)] == [8] * 8


async def test_a_flood_of_keys_neither_fails_nor_frees_whoever_is_refused(limiter: Limiter) -> None:
    await hits(limiter, 50, "attacker")
    chance = random.Random(1)
    for _ in range(BUCKETS * SLOTS_IN_BUCKET // 4):
        assert (await limiter.hit(RULE, chance.randbytes(8).hex())).allowed
    assert await hits(limiter, 1, "attacker") == [False]


def hit_much(process: int, path: Path, rule: Rule, times: int) -> int:
    """Answers how many of the hits were allowed."""
    limiter = SharedFileLimiter(path)
    wait_for_the_others()
    allowed = asyncio.run(hits(limiter, times, "everyone", rule))
    limiter.close()
    return sum(allowed)


def test_four_processes_together_get_exactly_what_the_rule_says(path: Path) -> None:
    allowed = together(4, hit_much, path, Rule("api", 2_500, 600), 1_000)
    assert sum(allowed) == 2_500
    assert min(allowed) < 1_000


def refund_much(process: int, path: Path, rule: Rule, times: int) -> None:
    limiter = SharedFileLimiter(path)
    wait_for_the_others()

    async def go() -> None:
        for _ in range(times):
            await limiter.hit(rule, "everyone")
            await limiter.refund(rule, "everyone")

    asyncio.run(go())
    limiter.close()


async def test_no_count_is_lost_between_processes(path: Path) -> None:
    rule = Rule("api", 10_000, 600)
    together(4, refund_much, path, rule, 1_000)
    limiter = SharedFileLimiter(path)
    assert (await limiter.hit(rule, "everyone")).remaining == 9_999
    limiter.close()
