"""What every `kernel.database.Database` promises to callers who come at the same time."""

import asyncio

import pytest

from sitehive.kernel.database import Database, Queries
from tests.contracts.things import INSERT, add, adding, names, thing


async def number(database: Database) -> int:
    row = await database.reader.one("select number from things where name = 'counter'")
    assert row is not None
    return int(row[0])


@pytest.fixture
async def counter(database: Database) -> Database:
    async def work(db: Queries) -> None:
        await db.run(INSERT, thing("counter", 0))

    await database.write(work)
    return database


async def test_of_fifty_increments_each_is_counted(counter: Database) -> None:
    async def increment(db: Queries) -> int:
        return await db.run("update things set number = number + 1 where name = 'counter'")

    assert await asyncio.gather(*[counter.write(increment) for _ in range(50)]) == [1] * 50
    assert await number(counter) == 50


async def test_under_a_lock_what_was_read_still_holds(counter: Database) -> None:
    async def read_then_write(db: Queries) -> None:
        await db.lock(1, "counter")
        row = await db.one("select number from things where name = 'counter'")
        assert row is not None
        await db.run("update things set number = :next where name = 'counter'", {"next": row[0] + 1})

    await asyncio.gather(*[counter.write(read_then_write) for _ in range(50)])
    assert await number(counter) == 50


async def test_a_lock_ends_with_a_transaction_that_fails(database: Database) -> None:
    async def fail(db: Queries) -> None:
        await db.lock(1, "a")
        raise RuntimeError("no")

    async def go_on(db: Queries) -> None:
        await db.lock(1, "a")
        await db.run(INSERT, thing("after"))

    with pytest.raises(RuntimeError):
        await database.write(fail)
    await database.write(go_on)
    assert await names(database.reader) == ["after"]


async def test_reads_go_on_beside_writes(database: Database) -> None:
    async def read() -> int:
        return len(await names(database.reader))

    writes = [add(database, f"{place:02d}-a", f"{place:02d}-b") for place in range(20)]
    seen = await asyncio.gather(*[read() for _ in range(20)], *writes, *[read() for _ in range(20)])
    assert all(count is None or count % 2 == 0 for count in seen)
    assert await read() == 40


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 10, 50])
async def test_a_caller_who_goes_away_breaks_nothing(database: Database, turns: int) -> None:
    """Cancelled after any number of turns of the event loop: all of the transaction is there, or none."""
    beside = asyncio.create_task(add(database, "beside"))
    gone = asyncio.create_task(database.write(adding("gone-1", "gone-2", "gone-3")))
    for _ in range(turns):
        await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait([gone])
    await beside
    await asyncio.gather(*[add(database, f"later-{place}") for place in range(5)])
    found = await names(database.reader)
    assert [name for name in found if name.startswith("gone")] in ([], ["gone-1", "gone-2", "gone-3"])
    assert [name for name in found if not name.startswith("gone")] == [
        "beside",
        *[f"later-{place}" for place in range(5)],
    ]


async def test_many_callers_who_go_away_break_nothing(database: Database) -> None:
    tasks = [asyncio.create_task(add(database, f"{place:03d}")) for place in range(100)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    kept = [f"{place:03d}" for place in range(1, 100, 2)]
    assert [outcome for outcome in outcomes[1::2] if outcome is not None] == []
    assert set(kept) <= set(await names(database.reader))
    await add(database, "later")
    assert "later" in await names(database.reader)
