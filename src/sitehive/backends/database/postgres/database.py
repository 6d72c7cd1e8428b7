"""Postgres as a `kernel.database.Database`."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import Any, TypeVar

import asyncpg

from sitehive.kernel.database import NO_PARAMS, Params, Queries, Row, UniqueViolation
from sitehive.kernel.errors import Unavailable

T = TypeVar("T")

# Connections of one process.
POOL_SIZE = 10
# Statements kept prepared on each connection.
STATEMENT_CACHE = 400
# How long a request waits for a free connection, and a statement for its answer, in seconds.
ACQUIRE_TIMEOUT = 5.0
STATEMENT_TIMEOUT = 30.0
# How often a transaction is run again when the database asks for it (deadlock, serialisation failure).
ATTEMPTS = 5

_AWAY = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
)
_AGAIN = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)


class PostgresDialect:
    name = "postgres"
    row_id = "ctid"
    site_tables = """
        select table_name from information_schema.columns
        where table_schema = current_schema() and column_name = 'site_id' order by table_name
    """
    columns = """
        select column_name from information_schema.columns
        where table_schema = current_schema() and table_name = :table order by ordinal_position
    """
    self_test = "select 'ok'"

    def contains(self, column: str, parameter: str) -> str:
        return f"strpos({column}, :{parameter}) > 0"

    def search(self, index: str, columns: Sequence[str], text: str) -> tuple[str, Params]:
        found = " or ".join(self._search_column(f"{index}.{column}", index, text) for column in columns)
        return f"({found})", {"search_text": text}

    def _search_column(self, column: str, index: str, text: str) -> str:
        holds = self.contains(column, "search_text")
        if len(text) < 3:  # shorter than a trigram: no index can help
            return holds
        grams = f"sitehive_grams({index}.site_id, {column}) @> sitehive_grams(:site_id, :search_text)"
        return f"({grams} and {holds})"


@lru_cache(maxsize=2048)
def positional(sql: str) -> tuple[str, tuple[str, ...]]:
    """Turn named parameters into Postgres' numbered ones; answers the names in order."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    return re.sub(r"(?<![:\w]):([a-z_]\w*)", number, sql), tuple(names)


@contextmanager
def translated() -> Iterator[None]:
    """Raise the product's error in place of the driver's when a value is not unique."""
    try:
        yield
    except asyncpg.UniqueViolationError as error:
        columns = re.search(r"\(([^)]*)\)=", error.detail or "")
        names = columns[1].replace('"', "").split(", ") if columns else []
        raise UniqueViolation(frozenset(names) - {"site_id"}) from error


class PostgresQueries:
    """Statements on one connection, inside one transaction."""

    dialect = PostgresDialect()

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def one(self, sql: str, params: Params = NO_PARAMS) -> Row | None:
        text, names = positional(sql)
        with translated():
            row: Row | None = await self._connection.fetchrow(text, *[params[name] for name in names])
        return row

    async def all(self, sql: str, params: Params = NO_PARAMS) -> Sequence[Row]:
        text, names = positional(sql)
        with translated():
            rows: Sequence[Row] = await self._connection.fetch(text, *[params[name] for name in names])
        return rows

    async def run(self, sql: str, params: Params = NO_PARAMS) -> int:
        text, names = positional(sql)
        with translated():
            status: str = await self._connection.execute(text, *[params[name] for name in names])
        last = status.rpartition(" ")[2]
        return int(last) if last.isdigit() else 0

    async def script(self, sql: str) -> None:
        await self._connection.execute(sql)

    async def lock(self, site_id: int, name: str) -> None:
        await self.one(
            "select pg_advisory_xact_lock(hashtextextended(:name, :site_id))",
            {"name": name, "site_id": site_id},
        )


class PostgresReader:
    """Reads, each on whichever connection is free. One that meets a dead connection is tried once more."""

    dialect = PostgresDialect()

    def __init__(self, database: "PostgresDatabase") -> None:
        self._database = database

    async def one(self, sql: str, params: Params = NO_PARAMS) -> Row | None:
        return await self._again(lambda queries: queries.one(sql, params))

    async def all(self, sql: str, params: Params = NO_PARAMS) -> Sequence[Row]:
        return await self._again(lambda queries: queries.all(sql, params))

    async def run(self, sql: str, params: Params = NO_PARAMS) -> int:
        raise TypeError("a reader cannot write; use Database.write")

    async def lock(self, site_id: int, name: str) -> None:
        raise TypeError("a reader cannot lock; use Database.write")

    async def _again(self, read: Callable[[PostgresQueries], Awaitable[T]]) -> T:
        try:
            async with self._database.connection() as connection:
                return await read(PostgresQueries(connection))
        except Unavailable:
            async with self._database.connection() as connection:
                return await read(PostgresQueries(connection))


class Connection(asyncpg.Connection):  # type: ignore[misc]  # the driver carries no types
    def get_reset_query(self) -> str:
        """No session state is ever set, so giving a connection back costs no round trip."""
        return ""


class PostgresDatabase:
    dialect = PostgresDialect()

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.reader = PostgresReader(self)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Any]:
        """A connection of the pool, with the product's errors in place of the driver's."""
        try:
            async with self._pool.acquire(timeout=ACQUIRE_TIMEOUT) as connection:
                yield connection
        except _AWAY as error:
            raise Unavailable("The database cannot be reached right now.") from error

    async def write(self, work: Callable[[Queries], Awaitable[T]]) -> T:
        for _ in range(ATTEMPTS):
            try:
                async with self.connection() as connection, connection.transaction():
                    return await work(PostgresQueries(connection))
            except _AGAIN:
                await asyncio.sleep(0.01)
        raise Unavailable("The database is too busy with conflicting writes.")

    async def close(self) -> None:
        await self._pool.close()


async def open_postgres(url: str) -> PostgresDatabase:
    """Open a pool. The server need not answer yet: connections are made when they are first needed."""
    pool = await asyncpg.create_pool(
        url,
        min_size=0,
        max_size=POOL_SIZE,
        connection_class=Connection,
        statement_cache_size=STATEMENT_CACHE,
        command_timeout=STATEMENT_TIMEOUT,
        timeout=ACQUIRE_TIMEOUT,
        server_settings={"application_name": "sitehive"},
    )
    return PostgresDatabase(pool)
