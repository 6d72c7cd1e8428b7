"""Several processes that do something at the very same time."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.synchronize import Barrier
from typing import Any

_barrier: Barrier | None = None


def _join(barrier: Barrier) -> None:
    global _barrier
    _barrier = barrier


def wait_for_the_others() -> None:
    """Go on when every process has come this far."""
    assert _barrier is not None
    _barrier.wait(timeout=60)


def together(processes: int, work: Callable[..., Any], *args: Any) -> list[Any]:
    """Run `work(number of the process, *args)` in as many fresh processes; answers what each answered."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _join, (context.Barrier(processes),)) as pool:
        jobs = [pool.submit(work, number, *args) for number in range(processes)]
        return [job.result(timeout=120) for job in jobs]
