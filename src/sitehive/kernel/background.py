"""Work beside the requests. What fails there is logged and ends nothing else."""

import asyncio
from collections.abc import Awaitable, Callable

Work = Callable[[], Awaitable[None]]
Report = Callable[[Exception], None]


class Background:
    """Starts work that no request waits for, and lets it end when the process stops."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._tasks: set[asyncio.Task[None]] = set()
        self._periodic: set[asyncio.Task[None]] = set()

    def start(self, work: Work) -> None:
        task = asyncio.ensure_future(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def every(self, seconds: float, work: Work) -> None:
        """Repeat `work`, with a pause in between, until the process stops; then once more."""

        async def repeat() -> None:
            try:
                while True:
                    await asyncio.sleep(seconds)
                    await self._guarded(work)
            except asyncio.CancelledError:
                await self._guarded(work)

        self._periodic.add(asyncio.ensure_future(repeat()))

    async def close(self) -> None:
        for task in self._periodic:
            task.cancel()
        await asyncio.gather(*self._periodic, *self._tasks, return_exceptions=True)

    async def _guarded(self, work: Work) -> None:
        try:
            await work()
        except Exception as error:  # noqa: BLE001  (a task that raises must end nothing but itself)
            self._report(error)
