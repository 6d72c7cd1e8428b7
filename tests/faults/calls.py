"""Many calls at once, each on a connection of its own, so that every worker of a server gets its share."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psutil

from sitehive.surfaces.http.metrics import SHARED_FOLDER
from tests.support.client import check_conformance
from tests.support.server import Server, serving
from tests.support.world import PASSWORD, World

T = TypeVar("T")

_hosts = count(2)


@contextmanager
def connecting(server: Server, address: str = "127.0.0.1") -> Iterator[httpx.Client]:
    """Every request from that address of this machine, on a fresh connection, its answer checked."""
    transport = httpx.HTTPTransport(
        verify=False, local_address=address, limits=httpx.Limits(max_keepalive_connections=0)
    )
    hooks = {"response": [_check]}
    with httpx.Client(base_url=server.url, transport=transport, timeout=60, event_hooks=hooks) as client:
        yield client


def _check(response: httpx.Response) -> None:
    response.read()
    check_conformance(response)


def new_address() -> str:
    """An address of this machine that nobody has called from yet."""
    host = next(_hosts)
    return f"127.0.{host // 250}.{host % 250 + 2}"


def at_once(calls: int, call: Callable[[int], T]) -> list[T]:
    """As many calls side by side; each gets its number."""
    with ThreadPoolExecutor(40) as threads:
        return list(threads.map(call, range(calls)))


def as_(world: World, who: str) -> dict[str, str]:
    return {"Authorization": world.credentials[who]}


def login(world: World, who: str, password: str = PASSWORD) -> dict[str, Any]:
    return {"site": world.site, "username": f"{who}-{world.canary}", "password": password}


def workers(server: Server) -> set[int]:
    """The processes that answer, beside the one that watches over them."""
    return {child.pid for child in psutil.Process(server.process.pid).children() if _is_worker(child)}


def _is_worker(process: psutil.Process) -> bool:
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # it has just ended
        return False


def workers_that_answered(server: Server) -> set[int]:
    """Each worker counts what it answers in a file of its own."""
    return {pid for pid in workers(server) if _has_counted(pid)}


def _has_counted(pid: int) -> bool:
    try:
        folder = psutil.Process(pid).environ()[SHARED_FOLDER]
    except psutil.NoSuchProcess:
        return False
    return (Path(folder) / f"counter_{pid}.db").exists()


@contextmanager
def serving_pair(environ: Mapping[str, str]) -> Iterator[Server]:
    """A server of two workers, both of them ready."""
    with serving(environ, workers=2) as server:
        until_both_answer(server)
        yield server


def until_both_answer(server: Server) -> None:
    """A server is ready with its first worker; wait for the other too."""
    end = time.monotonic() + 30
    with connecting(server) as http:
        while len(workers_that_answered(server)) < 2:
            assert time.monotonic() < end, "a worker never answered"
            with suppress(httpx.TransportError):
                http.get("/v1/nothing")
