"""Real server processes, on real databases."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_TIMEOUT = 30.0


@dataclass(frozen=True)
class Server:
    """A running `sitehive serve`."""

    url: str
    data: Path
    environ: Mapping[str, str]
    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def database_url(self) -> str:
        return self.environ.get("SITEHIVE_DATABASE_URL", "")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(data: Path, database_url: str = "", **settings: str) -> dict[str, str]:
    """A process environment with nothing of the outside world's settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SITEHIVE_")}
    chosen = {"SITEHIVE_DATA": str(data), "SITEHIVE_DATABASE_URL": database_url, "SITEHIVE_RATE_LIMIT": "0", **settings}
    return {**inherited, **chosen}


def sitehive(*arguments: str, environ: Mapping[str, str], typed: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a command to its end, with `typed` on its standard input."""
    command = [sys.executable, "-m", "sitehive", *arguments]
    return subprocess.run(
        command, env=dict(environ), input=typed, capture_output=True, text=True, timeout=60, check=False
    )


def start(environ: Mapping[str, str], *, workers: int = 1, arguments: tuple[str, ...] = ()) -> Server:
    data = Path(environ["SITEHIVE_DATA"])
    data.mkdir(parents=True, exist_ok=True)
    log = data / "server.log"
    port = free_port()
    command = [sys.executable, "-m", "sitehive", "serve", "--port", str(port), "--workers", str(workers), *arguments]
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, env=dict(environ), stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True
        )
    server = Server(f"http://127.0.0.1:{port}", data, environ, process, log)
    wait_until_ready(server)
    return server


def wait_until_ready(server: Server) -> None:
    end = time.monotonic() + START_TIMEOUT
    while time.monotonic() < end:
        if server.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{server.url}/readyz", timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"the server did not start:\n{server.log.read_text()}")


@contextmanager
def serving(environ: Mapping[str, str], *, workers: int = 1) -> Iterator[Server]:
    server = start(environ, workers=workers)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
