"""Several processes share one SQLite file: each waits for the others, and none is ever refused."""

import asyncio
from pathlib import Path

import apsw

from sitehive.backends.database.sqlite.connection import connect
from sitehive.backends.database.sqlite.database import open_sqlite
from sitehive.kernel.errors import Refusal
from tests.contracts.conftest import THINGS
from tests.contracts.processes import together, wait_for_the_others
from tests.contracts.things import add

FILES = 50


def write_much(process: int, path: Path, writers: int, times: int) -> int:
    """As many writers, each as many times; answers how many writes were acknowledged."""

    async def go() -> int:
        database = open_sqlite(path)
        wait_for_the_others()

        async def one(number: int) -> int:
            for time in range(times):
                await add(database, f"{process}-{number}-{time}")
            return times

        done = await asyncio.gather(*[one(number) for number in range(writers)])
        await database.close()
        return sum(done)

    return asyncio.run(go())


def test_two_processes_write_to_one_file_and_none_of_their_writers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    connection = connect(path, writes=True)
    connection.execute(THINGS)
    assert together(2, write_much, path, 4, 50) == [200, 200]
    assert connection.execute("select count(*), count(distinct name) from things").fetchall() == [(400, 400)]
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()


def open_all(process: int, folder: Path) -> list[str]:
    """Open one fresh file after the other, at the same moment as the others do; answers what went wrong."""
    failures = []
    databases = []
    for number in range(FILES):
        wait_for_the_others()
        try:
            databases.append(open_sqlite(folder / f"{number}.db"))
        except (apsw.Error, Refusal) as error:
            failures.append(repr(error))

    async def close() -> None:
        for database in databases:
            await database.close()

    asyncio.run(close())
    return failures


def test_processes_that_open_a_fresh_file_together_all_succeed(tmp_path: Path) -> None:
    assert together(4, open_all, tmp_path) == [[], [], [], []]
