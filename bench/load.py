"""The load generator: connections that each ask again as soon as they are answered.

It runs in a process of its own (`python -m bench.load`, a `Load` on standard input, a `Result` on standard output), so
that it shares nothing with what it measures but the machine. Requests are encoded before the clock starts, and of an
answer only the status and the length are read: a generator that did more would measure itself.
"""

import asyncio
import random
import subprocess
import sys
from time import perf_counter, process_time
from typing import cast

import msgspec
import uvloop
from msgspec import Struct

# How long the generator may outlive the time it was given, in seconds.
GRACE = 30


class Load(Struct, frozen=True):
    """What to send: `paths` in a random but repeatable order, until the time or the number of requests is spent."""

    host: str
    port: int
    paths: list[str]
    headers: dict[str, str]
    connections: int
    seconds: float
    most_requests: int


class Result(Struct, frozen=True):
    """`busy` is the share of a core that the generator used; near 1, it was the bottleneck."""

    requests: int
    per_second: float
    p50_ms: float
    p99_ms: float
    busy: float


def generate(load: Load) -> Result:
    """Run the load in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"],
        input=msgspec.json.encode(load),
        stdout=subprocess.PIPE,
        timeout=load.seconds + GRACE,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=Result)


class Crowd:
    """All connections together: what they ask, and how long each answer took."""

    def __init__(self, load: Load) -> None:
        self.requests = [_encode(load, path) for path in load.paths]
        random.Random(1).shuffle(self.requests)
        self.latencies: list[float] = []
        self.started = perf_counter()
        self._most = load.most_requests
        self._end = self.started + load.seconds
        self._sent = 0

    def next_request(self, now: float) -> bytes | None:
        if now >= self._end or self._sent >= self._most:
            return None
        self._sent += 1
        return self.requests[self._sent % len(self.requests)]


class Client(asyncio.Protocol):
    """One keep-alive connection with one request under way at a time."""

    def __init__(self, crowd: Crowd) -> None:
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._crowd = crowd
        self._received = b""
        self._sent_at = 0.0
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._ask(perf_counter())

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0 or len(self._received) < head + 4 + _content_length(self._received, head):
            return
        now = perf_counter()
        if not self._received.startswith(b"HTTP/1.1 200"):
            self._fail(RuntimeError(self._received.decode("latin-1")))
            return
        self._received = b""
        self._crowd.latencies.append(now - self._sent_at)
        self._ask(now)

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(exc or ConnectionError("the server hung up"))

    def _ask(self, now: float) -> None:
        request = self._crowd.next_request(now)
        if request is None:
            self.finished.set_result(None)
            self._transport.close()
            return
        self._sent_at = now
        self._transport.write(request)

    def _fail(self, error: Exception) -> None:
        if not self.finished.done():
            self.finished.set_exception(error)


async def run(load: Load) -> Result:
    crowd, loop = Crowd(load), asyncio.get_running_loop()
    spent = process_time()
    clients = [
        (await loop.create_connection(lambda: Client(crowd), load.host, load.port))[1] for _ in range(load.connections)
    ]
    await asyncio.gather(*(client.finished for client in clients))
    seconds, spent = perf_counter() - crowd.started, process_time() - spent
    latencies = sorted(crowd.latencies)
    return Result(
        requests=len(latencies),
        per_second=len(latencies) / seconds,
        p50_ms=latencies[len(latencies) // 2] * 1_000,
        p99_ms=latencies[len(latencies) * 99 // 100] * 1_000,
        busy=spent / seconds,
    )


def _encode(load: Load, path: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", f"Host: {load.host}", *(f"{name}: {text}" for name, text in load.headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def _content_length(answer: bytes, head: int) -> int:
    """The length of the body. Both servers write the names of headers in lower case."""
    start = answer.index(b"content-length: ", 0, head) + len(b"content-length: ")
    return int(answer[start : answer.index(b"\r\n", start)])


if __name__ == "__main__":
    result = uvloop.run(run(msgspec.json.decode(sys.stdin.buffer.read(), type=Load)))
    sys.stdout.buffer.write(msgspec.json.encode(result))
