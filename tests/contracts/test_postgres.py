"""What Postgres has to hold beyond the contract: transactions that really run side by side, and lost connections."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from sitehive.backends.database import migrate
from sitehive.backends.database.postgres.database import PostgresDatabase, open_postgres
from sitehive.kernel.database import Queries
from sitehive.kernel.errors import Unavailable
from tests.contracts.conftest import THINGS
from tests.contracts.things import INSERT, add, names, thing, until
from tests.support.server import free_port

# What a connection says of its end depends on how much of the news has reached it, so it is ended often.
LOSSES = 10
OURS = "datname = current_database() and application_name = 'sitehive'"


@pytest.fixture
def database_url(postgres: str) -> str:
    return postgres


@pytest.fixture
async def pool(fresh_url: str) -> AsyncIterator[PostgresDatabase]:
    database = await open_postgres(fresh_url)
    await migrate(database)

    async def add_things(db: Queries) -> None:
        await db.run(THINGS)

    await database.write(add_things)
    yield database
    await database.close()


@pytest.fixture
async def operator(fresh_url: str) -> AsyncIterator[Any]:
    """A connection beside the product's."""
    connection = await asyncpg.connect(fresh_url)
    yield connection
    await connection.close()


class Holder:
    """A transaction that holds a lock until it is let go."""

    def __init__(self, database: PostgresDatabase, site_id: int, name: str) -> None:
        self._holds = asyncio.Event()
        self._end = asyncio.Event()

        async def work(db: Queries) -> None:
            await db.lock(site_id, name)
            self._holds.set()
            await self._end.wait()
            await db.run(INSERT, thing("holder"))

        self._task = asyncio.ensure_future(database.write(work))

    async def __aenter__(self) -> "Holder":
        await self._holds.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._end.set()
        await self._task


def locking(site_id: int, name: str) -> Any:
    async def work(db: Queries) -> list[str]:
        await db.lock(site_id, name)
        return await names(db)

    return work


async def until_someone_waits(operator: Any) -> None:
    """Until one of our transactions waits for a lock."""
    waiting = f"select count(*) > 0 from pg_stat_activity where {OURS} and wait_event_type = 'Lock'"
    await until(lambda: operator.fetchval(waiting))


async def test_a_lock_holds_up_whoever_asks_for_the_same(pool: PostgresDatabase, operator: Any) -> None:
    async with Holder(pool, 1, "superadmins"):
        second = asyncio.create_task(pool.write(locking(1, "superadmins")))
        await until_someone_waits(operator)
        assert not second.done()
    assert await second == ["holder"]


@pytest.mark.parametrize(("site_id", "name"), [(2, "superadmins"), (1, "other")], ids=["site", "name"])
async def test_and_nobody_else(pool: PostgresDatabase, site_id: int, name: str) -> None:
    async with Holder(pool, 1, "superadmins"), asyncio.timeout(20):
        assert await pool.write(locking(site_id, name)) == []


async def test_a_transaction_that_met_a_deadlock_is_run_again(pool: PostgresDatabase) -> None:
    both = asyncio.Barrier(2)
    attempts = 0

    def crossing(first: str, second: str) -> Any:
        is_first_attempt = True

        async def work(db: Queries) -> None:
            nonlocal attempts, is_first_attempt
            attempts += 1
            await db.run(INSERT, thing(f"{first}{attempts}"))
            await db.lock(1, first)
            if is_first_attempt:
                is_first_attempt = False
                await both.wait()
            await db.lock(1, second)

        return work

    await asyncio.gather(pool.write(crossing("a", "b")), pool.write(crossing("b", "a")))
    assert attempts == 3
    assert len(await names(pool.reader)) == 2


async def lose_connections(operator: Any) -> None:
    """End every connection of the pool, and wait until the server has forgotten them."""
    assert await operator.fetchval(f"select count(pg_terminate_backend(pid)) from pg_stat_activity where {OURS}") > 0
    await until(lambda: operator.fetchval(f"select count(*) = 0 from pg_stat_activity where {OURS}"))


async def fill(pool: PostgresDatabase) -> None:
    """Open every connection that the pool may have."""
    await asyncio.gather(*[pool.reader.one("select pg_sleep(0.01)") for _ in range(10)])


async def test_a_read_outlives_lost_connections(pool: PostgresDatabase, operator: Any) -> None:
    await add(pool, "before")
    for _ in range(LOSSES):
        await fill(pool)
        await lose_connections(operator)
        assert await names(pool.reader) == ["before"]


async def test_a_write_outlives_lost_connections_or_says_so(pool: PostgresDatabase, operator: Any) -> None:
    done = []
    for attempt in range(LOSSES):
        await fill(pool)
        await lose_connections(operator)
        try:
            await add(pool, f"{attempt}-at-once")
            done.append(f"{attempt}-at-once")
        except Unavailable:
            assert f"{attempt}-at-once" not in await names(pool.reader)
        await add(pool, f"{attempt}-then")
        done.append(f"{attempt}-then")
    assert await names(pool.reader) == sorted(done)


async def test_a_connection_lost_within_a_transaction_undoes_it(pool: PostgresDatabase, operator: Any) -> None:
    with pytest.raises(Unavailable):
        async with Holder(pool, 1, "a"):
            await lose_connections(operator)
    assert await names(pool.reader) == []
    await add(pool, "after")
    assert await names(pool.reader) == ["after"]


async def test_a_server_that_is_away_is_said_to_be() -> None:
    away = await open_postgres(f"postgresql://nobody:secret@127.0.0.1:{free_port()}/nothing")
    with pytest.raises(Unavailable) as refusal:
        await away.reader.one("select 1")
    assert refusal.value.retry_after == 1
    assert "secret" not in refusal.value.message
    with pytest.raises(Unavailable):
        await add(away, "a")
    await away.close()
