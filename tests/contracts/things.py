"""The table that the contract of databases is tried out on."""

import asyncio
from collections.abc import Awaitable, Callable

from sitehive.kernel.database import Database, Queries

INSERT = "insert into things (site_id, name, kind, number) values (:site_id, :name, :kind, :number)"
Work = Callable[[Queries], Awaitable[None]]


def thing(name: str, number: int | None = None, *, site_id: int = 1, kind: str = "plain") -> dict[str, object]:
    return {"site_id": site_id, "name": name, "kind": kind, "number": number}


def adding(*names: str, then: BaseException | None = None) -> Work:
    """A transaction that adds things, and then perhaps fails."""

    async def work(db: Queries) -> None:
        for name in names:
            await db.run(INSERT, thing(name))
        if then is not None:
            raise then

    return work


async def add(database: Database, *names: str) -> None:
    await database.write(adding(*names))


async def names(queries: Queries) -> list[str]:
    """What is there, in order."""
    return [row[0] for row in await queries.all("select name from things order by name")]


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something that another process does, which no event of ours can tell."""
    async with asyncio.timeout(30):
        while not await condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
