"""What SQLite has to hold beyond the contract: one writer, group commit, and an event loop that is never held."""

import asyncio
import fcntl
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import apsw
import pytest

from sitehive.backends.database.sqlite import writer
from sitehive.backends.database.sqlite.connection import translate
from sitehive.backends.database.sqlite.database import SqliteDatabase, open_sqlite
from sitehive.backends.database.sqlite.writer import SqliteWriter
from sitehive.kernel.database import Queries
from sitehive.kernel.errors import Unavailable
from tests.contracts.conftest import THINGS
from tests.contracts.things import INSERT, add, adding, names, thing


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    database = open_sqlite(tmp_path / "things.db")

    async def add_things(db: Queries) -> None:
        await db.run(THINGS)

    await database.write(add_things)
    yield database
    await database.close()


class Disk:
    """Stands between the writer and its disk: counts commits, holds them up, and fails when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.commits = 0
        self.busy = asyncio.Event()
        self.free = threading.Event()
        self.free.set()
        self.failure: apsw.Error | None = None
        commit, loop = SqliteWriter._commit, asyncio.get_running_loop()

        def watched(self_: SqliteWriter) -> None:
            self.commits += 1
            loop.call_soon_threadsafe(self.busy.set)
            self.free.wait()
            if self.failure is not None:
                raise translate(self.failure)
            commit(self_)

        monkeypatch.setattr(SqliteWriter, "_commit", watched)
        monkeypatch.setattr(writer, "GROUP_TIME", 600.0)


@pytest.fixture
async def disk(sqlite: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


async def test_writes_that_wait_for_the_disk_share_one_commit(sqlite: SqliteDatabase, disk: Disk) -> None:
    disk.free.clear()
    first = asyncio.create_task(add(sqlite, "first"))
    await disk.busy.wait()
    others = [asyncio.create_task(add(sqlite, f"{number:03d}")) for number in range(100)]
    await asyncio.sleep(0)
    disk.free.set()
    await asyncio.gather(first, *others)
    assert disk.commits == 2
    assert len(await names(sqlite.reader)) == 101


async def test_nothing_is_acknowledged_before_its_commit(sqlite: SqliteDatabase, disk: Disk) -> None:
    disk.free.clear()
    writes = [asyncio.create_task(add(sqlite, f"{number}")) for number in range(5)]
    await disk.busy.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not any(write.done() for write in writes)
    assert await names(sqlite.reader) == []
    disk.free.set()
    await asyncio.gather(*writes)
    assert len(await names(sqlite.reader)) == 5


async def test_a_refusal_does_not_undo_the_rest_of_its_group(sqlite: SqliteDatabase, disk: Disk) -> None:
    works = [adding(f"{number}", then=RuntimeError("no") if number == 2 else None) for number in range(5)]
    outcomes = await asyncio.gather(*[sqlite.write(work) for work in works], return_exceptions=True)
    assert disk.commits == 1
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [RuntimeError]
    assert await names(sqlite.reader) == ["0", "1", "3", "4"]


@pytest.mark.parametrize("failure", [apsw.FullError("full"), apsw.IOError("gone")], ids=["full", "gone"])
async def test_a_commit_that_fails_is_nobodys_success(sqlite: SqliteDatabase, disk: Disk, failure: apsw.Error) -> None:
    disk.failure = failure
    outcomes = await asyncio.gather(*[add(sqlite, f"{number}") for number in range(5)], return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 5
    assert await names(sqlite.reader) == []
    disk.failure = None
    await add(sqlite, "after")
    assert await names(sqlite.reader) == ["after"]


async def test_closing_waits_for_what_was_begun(tmp_path: Path) -> None:
    database = open_sqlite(tmp_path / "things.db")

    async def add_things(db: Queries) -> None:
        await db.run(THINGS)

    await database.write(add_things)
    writes = [asyncio.create_task(add(database, f"{number}")) for number in range(20)]
    await asyncio.sleep(0)
    await database.close()
    await asyncio.wait_for(asyncio.gather(*writes), 20)
    again = open_sqlite(tmp_path / "things.db")
    assert len(await names(again.reader)) == 20
    await again.close()


@asynccontextmanager
async def counting_turns() -> AsyncIterator[list[int]]:
    """How often the event loop comes around meanwhile."""
    turns = [0]

    async def turn() -> None:
        while True:
            turns[0] += 1
            await asyncio.sleep(0.001)

    turner = asyncio.create_task(turn())
    yield turns
    turner.cancel()


NUMBERS = "with recursive n (i) as (select 1 union all select i + 1 from n where i < {})"


async def test_a_long_read_does_not_hold_the_event_loop(sqlite: SqliteDatabase) -> None:
    async with counting_turns() as turns:
        rows = await sqlite.reader.all(NUMBERS.format(1_500_000) + " select count(*) from n")
    assert [tuple(row) for row in rows] == [(1_500_000,)]
    assert turns[0] >= 5


async def test_nor_does_a_read_of_very_many_rows(sqlite: SqliteDatabase) -> None:
    async with counting_turns() as turns:
        rows = await sqlite.reader.all(NUMBERS.format(300_000) + " select i from n")
    assert len(rows) == 300_000
    assert turns[0] >= 5


async def test_nor_does_a_write_that_waits_for_another_process(sqlite: SqliteDatabase) -> None:
    other = os.open(f"{sqlite.path}.lock", os.O_RDWR)
    fcntl.flock(other, fcntl.LOCK_EX)
    waiting = asyncio.create_task(add(sqlite, "a"))
    for _ in range(20):
        await asyncio.sleep(0.001)
    assert not waiting.done()
    assert await names(sqlite.reader) == []
    os.close(other)
    await waiting
    assert await names(sqlite.reader) == ["a"]


async def test_a_reader_cannot_write_by_another_name(sqlite: SqliteDatabase) -> None:
    with pytest.raises(Unavailable):
        await sqlite.reader.one(f"{INSERT} returning name", thing("a"))
    assert await names(sqlite.reader) == []
