"""Asked to stop: what has been begun is finished, and nothing new is taken on."""

import signal
import socket
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from tests.faults.calls import login
from tests.support.server import Server, environment, serving
from tests.support.world import World, make_world

LOGINS = 30
PEOPLE = ("owner", "second", "chief", "admin", "moderator", "senior", "alice", "bob", "zero")


def connect(server: Server) -> socket.socket:
    parts = urlsplit(server.url)
    assert parts.hostname is not None
    assert parts.port is not None
    return socket.create_connection((parts.hostname, parts.port), timeout=60)


def send_login(server: Server, world: World, who: str) -> socket.socket:
    """Begin a login, which takes long, without waiting for the answer."""
    body = msgspec.json.encode(login(world, who))
    connection = connect(server)
    connection.sendall(
        b"POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    )
    return connection


def read_answer(connection: socket.socket) -> tuple[bytes, bool]:
    """The first line of an answer, and whether all of its body came."""
    received = b""
    while chunk := connection.recv(65536):
        received += chunk
    connection.close()
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    headers = dict(line.lower().split(b": ", 1) for line in lines)
    return first, len(body) == int(headers.get(b"content-length", b"-1"))


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
@pytest.mark.parametrize("workers", [1, 2])
def test_requests_in_flight_are_answered(tmp_path: Path, asked: signal.Signals, workers: int) -> None:
    with serving(environment(tmp_path), workers=workers) as server:
        world = make_world(server)
        begun = [send_login(server, world, PEOPLE[number % len(PEOPLE)]) for number in range(LOGINS)]
        first = read_answer(begun[0])
        server.process.send_signal(asked)
        answers = [first, *[read_answer(connection) for connection in begun[1:]]]
        assert answers == [(b"HTTP/1.1 200 OK", True)] * LOGINS
        assert server.process.wait(timeout=60) == 0
        with pytest.raises(ConnectionRefusedError):
            connect(server)


def test_an_idle_connection_holds_nothing_up(tmp_path: Path) -> None:
    with serving(environment(tmp_path)) as server:
        silent, kept_alive = connect(server), connect(server)
        kept_alive.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert kept_alive.recv(65536).startswith(b"HTTP/1.1 200 OK")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=25) == 0
        silent.close()
        kept_alive.close()
