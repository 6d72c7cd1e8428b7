"""Bringing a database up to date: once, whoever else does it at the same time, and never backwards."""

import asyncio
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from sitehive.backends.database import migrate, open_database
from sitehive.backends.database.migrate import FromTheFutureError, migrations, pending, render
from sitehive.kernel.database import Database, Queries
from tests.support.server import environment, serving, sitehive

ALL = [f"{migration.number:04d}_{migration.name}" for migration in migrations()]


async def test_a_fresh_database_gets_every_migration_once(fresh_url: str, tmp_path: Path) -> None:
    database = await open_database(fresh_url, tmp_path)
    assert await migrate(database) == ALL
    assert await migrate(database) == []
    assert await pending(database) == []
    await database.close()


async def test_processes_that_start_together_apply_each_migration_once(fresh_url: str, tmp_path: Path) -> None:
    outputs = migrate_together(3, environment(tmp_path, fresh_url))
    assert sorted(outputs) == sorted(["\n".join(ALL) + "\n", *["Nothing to do.\n"] * 2])
    database = await open_database(fresh_url, tmp_path)
    rows = await database.reader.all("select number from schema_migrations order by number")
    await database.close()
    assert [row[0] for row in rows] == [migration.number for migration in migrations()]


async def test_so_do_connections_of_one_process(fresh_url: str, tmp_path: Path) -> None:
    databases = [await open_database(fresh_url, tmp_path) for _ in range(4)]
    applied = await asyncio.gather(*[migrate(database) for database in databases])
    assert sorted(applied) == [[], [], [], ALL]
    for database in databases:
        await database.close()


def migrate_together(processes: int, environ: dict[str, str]) -> list[str]:
    command = [sys.executable, "-m", "sitehive", "migrate"]
    started = [
        subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(processes)
    ]
    return [process.communicate(timeout=60)[0] for process in started]


async def add_newer(db: Queries) -> None:
    await db.run("insert into schema_migrations (number, name, applied_at) values (9999, 'hoverboards', 0)")


@pytest.fixture
async def newer(database: Database) -> Database:
    """A database that a later version of the product has been at."""
    await database.write(add_newer)
    return database


async def test_a_database_from_the_future_is_left_alone(newer: Database) -> None:
    with pytest.raises(FromTheFutureError, match="9999"):
        await migrate(newer)
    with pytest.raises(FromTheFutureError, match="9999"):
        await pending(newer)


@pytest.mark.parametrize("command", ["migrate", "serve", "doctor"])
async def test_every_command_refuses_it_in_one_line(
    newer: Database, fresh_url: str, tmp_path: Path, command: str
) -> None:
    refused = sitehive(command, environ=environment(tmp_path, fresh_url))
    assert refused.returncode == 1
    assert "the database has migration 9999" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_the_words_of_the_other_database_are_left_out() -> None:
    text = "a {int}\n-- [sqlite]\nb\n-- [postgres]\nc {table}\n-- [both]\nd"
    assert render(text, "sqlite") == "a integer\nb\nd"
    assert render(text, "postgres") == "a bigint\nc \nd"


async def test_a_server_that_runs_on_it_says_that_it_is_not_ready(fresh_url: str, tmp_path: Path) -> None:
    """So it is while a newer version takes over, node by node."""
    with serving(environment(tmp_path, fresh_url)) as server:
        database = await open_database(fresh_url, tmp_path)
        await database.write(add_newer)
        await database.close()
        async with httpx.AsyncClient() as http:
            answer = await http.get(f"{server.url}/readyz")
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "internal_error"
