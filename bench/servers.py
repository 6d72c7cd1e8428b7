"""Server processes on the loopback interface, and the processor time that they have used."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

HOST = "127.0.0.1"
START_TIMEOUT = 30.0
STOP_TIMEOUT = 30.0


@dataclass(frozen=True)
class Server:
    name: str
    port: int
    process: "subprocess.Popen[bytes]"

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def fetch(self, path: str, headers: Mapping[str, str]) -> bytes:
        request = urllib.request.Request(self.url + path, headers=dict(headers))
        with urllib.request.urlopen(request, timeout=5) as answer:
            body: bytes = answer.read()
            return body

    def cpu_seconds(self) -> float:
        """Processor time of the server and its workers so far, which a busy machine hardly changes."""
        parent = psutil.Process(self.process.pid)
        times = [process.cpu_times() for process in (parent, *parent.children(recursive=True))]
        return sum(spent.user + spent.system for spent in times)


@contextmanager
def serving(name: str, module: tuple[str, ...], ready: str, environ: Mapping[str, str], log: Path) -> Iterator[Server]:
    """Run `python -m <module> --port <free>` until the block ends; `ready` is a path that answers once it is up."""
    port = free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *module, "--port", str(port)],
            env=dict(environ),
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
        )
    server = Server(name, port, process)
    try:
        wait_until(server, ready, log)
        yield server
    finally:
        process.terminate()
        process.wait(STOP_TIMEOUT)


def wait_until(server: Server, ready: str, log: Path) -> None:
    end = time.monotonic() + START_TIMEOUT
    while server.process.poll() is None and time.monotonic() < end:
        try:
            server.fetch(ready, {})
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"{server.name} did not start:\n{log.read_text()}")


def environment(data: Path, **settings: str) -> dict[str, str]:
    """A process environment with none of the settings of whoever runs the benchmark."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SITEHIVE_")}
    return {**inherited, "SITEHIVE_DATA": str(data), **settings}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
