"""The one writer, with group commit.

Transactions that arrive while the disk is busy wait in a queue. When it is free they run one after the other, each
in its own savepoint, and share one commit and so one wait for the disk. Each is acknowledged only after that commit.

Several processes may share the file: a lock beside it queues their writers fairly, where SQLite's own lock would make
them sleep and poll.
"""

import asyncio
import fcntl
import os
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import apsw

from sitehive.backends.database.sqlite.connection import connect, execute
from sitehive.kernel.database import NO_PARAMS, Dialect, Params, Queries, Row
from sitehive.kernel.errors import Unavailable

T = TypeVar("T")
Work = Callable[[Queries], Awaitable[Any]]

# A group takes no further transaction once it has worked this long, in seconds: those in it want their answer.
GROUP_TIME = 0.02
# Between transactions the event loop gets a turn when it has been held this long, in seconds.
TURN = 0.002
# Transactions that may wait; more are refused, since they would only be answered too late.
MAX_WAITING = 10_000


class Job:
    __slots__ = ("failure", "future", "result", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.result: Any = None
        self.failure: BaseException | None = None

    def settle(self, failure: BaseException | None = None) -> None:
        if self.future.done():
            return
        if outcome := failure or self.failure:
            self.future.set_exception(outcome)
        else:
            self.future.set_result(self.result)


class SqliteTransaction:
    """Statements on the writer's connection.

    They run on the event loop, since only the commit waits for the disk; those that take long run in its thread.
    """

    def __init__(self, connection: apsw.Connection, dialect: Dialect, thread: ThreadPoolExecutor) -> None:
        self.dialect = dialect
        self._connection = connection
        self._thread = thread

    async def one(self, sql: str, params: Params = NO_PARAMS) -> Row | None:
        rows = await self.all(sql, params)
        return rows[0] if rows else None

    async def all(self, sql: str, params: Params = NO_PARAMS) -> Sequence[Row]:
        return execute(self._connection, sql, params)

    async def run(self, sql: str, params: Params = NO_PARAMS) -> int:
        return self._run(sql, params)

    async def run_long(self, sql: str, params: Params = NO_PARAMS) -> int:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, sql, params)

    def _run(self, sql: str, params: Params) -> int:
        execute(self._connection, sql, params)
        return self._connection.changes()

    async def script(self, sql: str) -> None:
        execute(self._connection, sql)

    async def lock(self, site_id: int, name: str) -> None:
        """There is one writer, so nothing runs beside this transaction."""


class SqliteWriter:
    def __init__(self, path: Path, dialect: Dialect) -> None:
        self._connection = connect(path, writes=True)
        self._thread = ThreadPoolExecutor(1, "sqlite-writer")
        self._transaction = SqliteTransaction(self._connection, dialect, self._thread)
        self._lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._waiting: deque[Job] = deque()
        self._drain: asyncio.Task[None] | None = None

    async def write(self, work: Callable[[Queries], Awaitable[T]]) -> T:
        if len(self._waiting) >= MAX_WAITING:
            raise Unavailable("Too many writes are waiting.")
        job = Job(work)
        self._waiting.append(job)
        if self._drain is None or self._drain.done():
            self._drain = asyncio.ensure_future(self._run_groups())
        result: T = await job.future
        return result

    async def close(self) -> None:
        if self._drain is not None:
            await self._drain
        self._thread.shutdown()
        self._connection.close()
        os.close(self._lock)

    async def _run_groups(self) -> None:
        while self._waiting:
            group: list[Job] = []
            try:
                await self._begin()
                await self._fill(group)
                await self._in_thread(self._commit)
            except BaseException as error:
                self._abandon()
                refusal = error if isinstance(error, Unavailable) else _unavailable(error)
                for job in group or list(self._take_all()):
                    job.settle(refusal)
                if not isinstance(error, Exception):
                    raise
            finally:
                fcntl.flock(self._lock, fcntl.LOCK_UN)
            for job in group:
                job.settle()

    async def _begin(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await self._in_thread(fcntl.flock, self._lock, fcntl.LOCK_EX)
        execute(self._connection, "begin immediate")

    async def _fill(self, group: list[Job]) -> None:
        started = turn = perf_counter()
        while self._waiting and perf_counter() - started < GROUP_TIME:
            job = self._waiting.popleft()
            if job.future.cancelled():
                continue
            group.append(job)
            await self._run(job)
            if perf_counter() - turn > TURN:
                await asyncio.sleep(0)
                turn = perf_counter()

    async def _run(self, job: Job) -> None:
        self._connection.execute("savepoint job")
        try:
            job.result = await job.work(self._transaction)
        except BaseException as error:
            job.failure = error
            if not self._connection.in_transaction:  # the disk is full: SQLite has undone the whole group
                raise
            self._connection.execute("rollback to job")
        self._connection.execute("release job")

    def _commit(self) -> None:
        execute(self._connection, "commit")

    def _abandon(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("rollback")

    def _take_all(self) -> Sequence[Job]:
        jobs = list(self._waiting)
        self._waiting.clear()
        return jobs

    async def _in_thread(self, function: Callable[..., None], *args: object) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, function, *args)


def _unavailable(cause: BaseException) -> Unavailable:
    refusal = Unavailable("The database cannot take this right now.")
    refusal.__cause__ = cause
    return refusal
