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

# A connection of the pool turned out to be dead; another one may be alive.
_LOST = (
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    ConnectionResetError,
)
_AWAY = (
    OSError,
    TimeoutError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
)
AWAY = "The database cannot be reached right now."
_AGAIN = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)


class PostgresDialect:
    name = "postgres"
    site_tables = """
        select table_name, 'ctid' from information_schema.columns
        where table_schema = current_schema() and column_name = 'site_id' order by table_name
    """
    columns = """
        select column_name from information_schema.columns
        where table_schema = current_schema() and table_name = :table order by ordinal_position
    """
    self_test = "select 'ok'"

    def share(self, table: str) -> str:
        return f" for share of {table}"

    def contains(self, column: str, parameter: str) -> str:
        return f"strpos({column}, :{parameter}) > 0"

    def search(
        self, table: str, columns: Sequence[str], text: str, site_id: int, *, small_site: bool = False
    ) -> tuple[str, Params]:
        index = f"{table}_search"
        held = " or ".join(self.contains(f"{index}.{column}", "search_text") for column in columns)
        if len(text) < 3:  # shorter than a trigram: the index cannot help, so the site's rows are gone through
            row = f"{index}.site_id = {table}.site_id and {index}.rowid = {table}.id"
            return f"exists (select 1 from {index} where {row} and ({held}))", {"search_text": text}
        grams = " or ".join(
            f"sitehive_grams({index}.site_id, {index}.{column}) @> sitehive_grams(:search_site, :search_text)"
            for column in columns
        )
        found = f"select {index}.rowid from {index} where {index}.site_id = :search_site and ({grams}) and ({held})"
        return f"{table}.id in ({found})", {"search_text": text, "search_site": site_id}

    def index_text(self, table: str, columns: Sequence[str]) -> str:
        names, values = ", ".join(columns), ", ".join(f":{column}" for column in columns)
        return f"insert into {table}_search (rowid, site_id, {names}) values (:id, :site_id, {values})"

    def unindex_text(self, table: str) -> str:
        return f"delete from {table}_search where site_id = :site_id and rowid = :id"


@lru_cache(maxsize=2048)
def positional(sql: str) -> tuple[str, tuple[str, ...]]:
    """Turn named parameters into Postgres' numbered ones; answers the names in order."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    return re.sub(r"(?<![:\w]):([a-z_]\w*)", number, sql), tuple(names)


class LostConnectionError(Unavailable):
    """The connection died while it was used."""


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

    async def run_long(self, sql: str, params: Params = NO_PARAMS) -> int:
        return await self.run(sql, params)

    async def script(self, sql: str) -> None:
        await self._connection.execute(sql)

    async def lock(self, site_id: int, name: str) -> None:
        await self.one(
            "select pg_advisory_xact_lock(hashtextextended(:name, :site_id))",
            {"name": name, "site_id": site_id},
        )


class PostgresReader:
    """Reads, each on whichever connection is free. One that meets a dead connection goes on to the next."""

    dialect = PostgresDialect()

    def __init__(self, database: "PostgresDatabase") -> None:
        self._database = database

    async def one(self, sql: str, params: Params = NO_PARAMS) -> Row | None:
        return await self._again(lambda queries: queries.one(sql, params))

    async def all(self, sql: str, params: Params = NO_PARAMS) -> Sequence[Row]:
        return await self._again(lambda queries: queries.all(sql, params))

    async def run(self, sql: str, params: Params = NO_PARAMS) -> int:
        raise TypeError("a reader cannot write; use Database.write")

    async def run_long(self, sql: str, params: Params = NO_PARAMS) -> int:
        raise TypeError("a reader cannot write; use Database.write")

    async def lock(self, site_id: int, name: str) -> None:
        raise TypeError("a reader cannot lock; use Database.write")

    async def _again(self, read: Callable[[PostgresQueries], Awaitable[T]]) -> T:
        for _ in range(POOL_SIZE):
            try:
                return await self._once(read)
            except LostConnectionError:
                continue
        return await self._once(read)

    async def _once(self, read: Callable[[PostgresQueries], Awaitable[T]]) -> T:
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
        except _LOST as error:
            raise LostConnectionError(AWAY) from error
        except _AWAY as error:
            raise Unavailable(AWAY) from error

    async def write(self, work: Callable[[Queries], Awaitable[T]]) -> T:
        for _ in range(ATTEMPTS):
            try:
                return await self._transact(work)
            except _AGAIN:
                await asyncio.sleep(0.01)
        raise Unavailable("The database is too busy with conflicting writes.")

    async def _transact(self, work: Callable[[Queries], Awaitable[T]]) -> T:
        for _ in range(POOL_SIZE + 1):
            begun = False
            try:
                async with self.connection() as connection, connection.transaction():
                    begun = True
                    return await work(PostgresQueries(connection))
            except LostConnectionError:
                if begun:  # whether it was committed cannot be known, so it is not tried again
                    raise
        raise Unavailable(AWAY)

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
