"""A database of its own for each test of a contract, on each kind of server."""

import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from sitehive.backends.database import migrate, open_database
from sitehive.kernel.database import Database, Queries

THINGS = """
    create table things (
        site_id bigint not null, name text not null, kind text not null, number bigint,
        unique (site_id, name), unique (site_id, kind, number)
    )
"""


@pytest.fixture
async def fresh_url(database_url: str) -> AsyncIterator[str]:
    """The address of a database that is still empty."""
    if not database_url:
        yield ""
        return
    name = f"fresh_{secrets.token_hex(6)}"
    admin = await asyncpg.connect(database_url)
    await admin.execute(f"create database {name}")
    yield urlsplit(database_url)._replace(path=f"/{name}").geturl()
    await admin.execute(f"drop database {name} with (force)")
    await admin.close()


@pytest.fixture
async def database(fresh_url: str, tmp_path: Path) -> AsyncIterator[Database]:
    """A database that is up to date, with one more table to try things out on."""
    opened = await open_database(fresh_url, tmp_path)
    await migrate(opened)

    async def add_things(db: Queries) -> None:
        await db.run(THINGS)

    await opened.write(add_things)
    yield opened
    await opened.close()
