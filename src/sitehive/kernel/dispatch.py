"""The only way to a handler, whichever surface calls.

    access → input → prepare → (transaction: handler → commit) → after-commit work

The order is part of the contract: a caller who is not admitted learns nothing about the input, a refused request
changes nothing, and work that follows a commit never runs without one.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from sitehive.kernel.access import check_access
from sitehive.kernel.background import Background
from sitehive.kernel.context import Context, Origin, Services, Viewer
from sitehive.kernel.database import Database, Queries
from sitehive.kernel.operation import Operation

ReadInput = Callable[[Operation], Awaitable[Struct]]


class Dispatcher:
    def __init__(self, database: Database, services: Services, background: Background) -> None:
        self._database = database
        self._services = services
        self._background = background

    async def call(self, operation: Operation, viewer: Viewer | None, origin: Origin, read: ReadInput) -> Any:
        """Run an operation for a viewer. `read` decodes the input, and is asked only once access is granted."""
        check_access(operation, viewer)
        given = await read(operation)
        ctx = Context(viewer, self._database.reader, origin, self._services, self._database)
        prepared = () if operation.prepare is None else (await operation.prepare(ctx, given),)
        if operation.writes:
            return await self._write(operation, ctx, given, prepared)
        return await operation.invoke(ctx, given, *prepared)

    async def _write(self, operation: Operation, ctx: Context, given: Struct, prepared: tuple[Any, ...]) -> Any:
        async def work(transaction: Queries) -> tuple[Any, Context]:
            inside = ctx.within(transaction)
            return await operation.invoke(inside, given, *prepared), inside

        result, inside = await self._database.write(work)
        for effect in inside.after_commit:
            self._background.start(effect)
        return result
