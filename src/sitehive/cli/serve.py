"""`sitehive serve`: run the server."""

import multiprocessing
import os
import shutil
import socket
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import click
from granian.constants import Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server as Granian

from sitehive.cli import demo as demo_site
from sitehive.cli.session import command, data_option, opened
from sitehive.surfaces.http.metrics import SHARED_FOLDER

# A connection that has not sent its headers by then is closed, in milliseconds.
HEADER_TIMEOUT = 5_000
# Where the workers share their metrics: files in memory, since a full disk must not stop the counting.
MEMORY = Path("/dev/shm")  # noqa: S108  (a folder with a random name is made in it)
# Requests that are still running this long after a stop was asked for are cut off, in seconds.
STOP_TIMEOUT = 30


@click.command()
@data_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, help="The port to listen on.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Server processes.")
@click.option("--demo", is_flag=True, help="Fill an empty data folder with a site to try things out on.")
def serve(data: str | None, host: str, port: int, workers: int, demo: bool) -> None:
    """Run the server."""
    base = f"http://{public_name(host)}:{port}"
    os.environ.setdefault("SITEHIVE_PUBLIC_URL", base)
    check_port(host, port)
    welcome = prepare(data, demo, base)
    with metrics_folder() as folder:
        os.environ[SHARED_FOLDER] = folder
        # Workers start afresh: a fork would copy locks that this process's threads may hold.
        multiprocessing.set_start_method("spawn")
        threading.Thread(target=greet, args=(base, welcome), daemon=True).start()
        Granian(
            "sitehive.web:create",
            factory=True,
            address=host,
            port=port,
            interface=Interfaces.ASGI,
            workers=workers,
            websockets=False,
            loop=Loops.uvloop,
            http1_settings=HTTP1Settings(header_read_timeout=HEADER_TIMEOUT),
            log_level=LogLevels.warning,
            workers_kill_timeout=STOP_TIMEOUT,
            respawn_failed_workers=True,
        ).serve()


def public_name(host: str) -> str:
    """What to call the address that the server listens on."""
    if host in {"127.0.0.1", "0.0.0.0", "::", "::1"}:  # noqa: S104  (compared with, not bound to)
        return "localhost"
    return f"[{host}]" if ":" in host else host


def metrics_folder() -> "tempfile.TemporaryDirectory[str]":
    """A folder for the workers' metrics. Those of servers that were killed are removed first."""
    place = MEMORY if os.access(MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    for left in place.glob("sitehive-metrics-*"):
        if not Path("/proc", left.name.split("-")[2]).exists():
            shutil.rmtree(left, ignore_errors=True)
    return tempfile.TemporaryDirectory(prefix=f"sitehive-metrics-{os.getpid()}-", dir=place)


def check_port(host: str, port: int) -> None:
    """Refuse a port that somebody else listens on, before anything is started."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise click.ClickException(f"cannot listen on {host}:{port}: {error.strerror}") from None


def prepare(data: str | None, demo: bool, base: str) -> str:
    """Bring the data up to date before the workers start; answers what to tell the operator."""
    message = f"\n  Sitehive is running at {base}\n"

    @command
    async def get_ready() -> None:
        nonlocal message
        async with opened(data) as product:
            if demo and await demo_site.fill(product):
                message = demo_site.tour(base)
            elif demo:
                message += "  The data folder already holds other sites, so no demo was added.\n"

    get_ready()
    return message


def greet(base: str, message: str) -> None:
    """Print the message once the server answers, so that what it shows works."""
    while True:
        try:
            with urllib.request.urlopen(f"{base}/healthz", timeout=1):  # noqa: S310  (our own address)
                break
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    click.echo(message)
