"""Reads that never hold the event loop for long.

A point read takes about 20 µs, a hop to a thread and back about 100, so reads start on the event loop. One that
outlives its budget is stopped and run again in a thread, where it may take its time.
"""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import apsw

from sitehive.backends.database.sqlite.connection import connect, execute, translate
from sitehive.kernel.database import NO_PARAMS, Dialect, Params, Row

# A read may hold the event loop this long, in seconds.
BUDGET = 0.004
# SQLite looks at the clock after this many of its instructions (about 20 µs).
INSTRUCTIONS_BETWEEN_CHECKS = 2_000
# Threads for long reads.
THREADS = 4


class OverBudgetError(Exception):
    """A read on the event loop took too long."""


class SqliteReader:
    def __init__(self, path: Path, dialect: Dialect) -> None:
        self.dialect = dialect
        self._path = path
        self._deadline = 0.0
        self._connection = connect(path)
        self._connection.set_progress_handler(self._is_late, INSTRUCTIONS_BETWEEN_CHECKS)
        self._threads = ThreadPoolExecutor(THREADS, "sqlite-reader")
        self._local = threading.local()
        self._opened: list[apsw.Connection] = []

    async def one(self, sql: str, params: Params = NO_PARAMS) -> Row | None:
        rows = await self.all(sql, params)
        return rows[0] if rows else None

    async def all(self, sql: str, params: Params = NO_PARAMS) -> Sequence[Row]:
        try:
            return self._read_now(sql, params)
        except OverBudgetError:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, self._read_in_thread, sql, params)

    async def run(self, sql: str, params: Params = NO_PARAMS) -> int:
        raise TypeError("a reader cannot write; use Database.write")

    async def run_long(self, sql: str, params: Params = NO_PARAMS) -> int:
        raise TypeError("a reader cannot write; use Database.write")

    async def lock(self, site_id: int, name: str) -> None:
        raise TypeError("a reader cannot lock; use Database.write")

    def close(self) -> None:
        self._threads.shutdown()
        for connection in [self._connection, *self._opened]:
            connection.close()

    def _is_late(self) -> bool:
        return perf_counter() > self._deadline

    def _read_now(self, sql: str, params: Params) -> Sequence[Row]:
        self._deadline = perf_counter() + BUDGET
        rows = []
        try:
            # Few instructions can still read many bytes, so the clock is also looked at between rows.
            for row in self._connection.execute(sql, params):
                rows.append(row)
                if self._is_late():
                    raise OverBudgetError
        except apsw.InterruptError:
            raise OverBudgetError from None
        except apsw.Error as error:
            raise translate(error) from error
        return rows

    def _read_in_thread(self, sql: str, params: Params) -> Sequence[Row]:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = connect(self._path)
            self._opened.append(connection)
        return execute(connection, sql, params)
