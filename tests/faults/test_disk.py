"""A full disk: writes are refused with a clear error, everything else goes on, and nobody has to restart anything."""

import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import httpx
import pytest

from tests.faults.calls import as_, connecting, login, workers
from tests.support.server import Server, environment, serving, sitehive
from tests.support.world import World, make_world

MANY = 40


class Disk:
    """A small one that can be filled up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"

    def fill(self) -> None:
        for size in (65_536, 1):
            with self._filler.open("ab", buffering=0) as filler:
                try:
                    while True:
                        filler.write(b"x" * size)
                except OSError:
                    pass

    def free(self) -> None:
        self._filler.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk of its own can only be mounted by the system's administrator")
    yield Disk(path)
    subprocess.run(["umount", "--lazy", str(path)], check=True)


@pytest.fixture
def server(disk: Disk, tmp_path: Path) -> Iterator[Server]:
    """Its data are on the small disk, its log is not."""
    data = disk.path / "data"
    data.mkdir()
    (data / "server.log").symlink_to(tmp_path / "server.log")
    with serving(environment(data)) as running:
        yield running


@pytest.fixture
def world(server: Server) -> World:
    return make_world(server)


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with connecting(server) as client:
        yield client


def write(http: httpx.Client, world: World, number: int) -> httpx.Response:
    change = {"var": {"n": number, "padding": "x" * 60_000}}
    return http.patch(f"/v1/users/{world.ids['alice']}", json=change, headers=as_(world, "alice"))


def read(http: httpx.Client, world: World) -> httpx.Response:
    return http.get(f"/v1/users/{world.ids['alice']}", headers=as_(world, "alice"))


def test_writes_are_refused_while_the_disk_is_full_and_reads_go_on(
    disk: Disk, http: httpx.Client, world: World
) -> None:
    before = workers(world.server)
    kept = 0
    disk.fill()
    answers = []
    for number in range(1, MANY + 1):
        answers.append(write(http, world, number))
        kept = number if answers[-1].is_success else kept
        found = read(http, world)
        assert (found.status_code, found.json()["data"]["var"].get("n", 0)) == (200, kept)
    refused = [answer for answer in answers if answer.status_code != 200]
    assert {answer.status_code for answer in refused} == {503}
    assert {answer.json()["error"]["code"] for answer in refused} == {"internal_error"}
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
    assert len(refused) > MANY // 2

    disk.free()
    assert [write(http, world, number).status_code for number in range(MANY)] == [200] * MANY
    assert read(http, world).json()["data"]["var"]["n"] == MANY - 1
    assert workers(world.server) == before
    assert sitehive("doctor", environ=world.server.environ).returncode == 0


def test_counting_logins_does_not_end_the_server(disk: Disk, http: httpx.Client, world: World) -> None:
    """The counters live in a file too."""
    before = workers(world.server)
    disk.fill()
    statuses = {
        http.post("/v1/auth/login", json=login(world, f"stranger-{number}")).status_code for number in range(MANY)
    }
    assert statuses <= {401, 503}
    assert workers(world.server) == before
    disk.free()
    assert http.post("/v1/auth/login", json=login(world, "alice")).status_code == 200


def test_nor_does_counting_requests(disk: Disk, tmp_path: Path) -> None:
    """Temporary files may well be on the same disk."""
    (disk.path / "server.log").symlink_to(tmp_path / "server.log")
    with serving(environment(disk.path, TMPDIR=str(disk.path))) as server, connecting(server) as http:
        world = make_world(server)
        before = workers(server)
        disk.fill()
        for path, who in product(("users", "users/me", "sites", "api-keys"), ("guest", "alice", "owner")):
            assert http.get(f"/v1/{path}", headers=as_(world, who)).status_code in {200, 403}
        assert workers(server) == before


def test_nor_does_a_log_that_cannot_be_written(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "server.log").symlink_to(disk.path / "server.log")
    with serving(environment(tmp_path)) as server, connecting(server) as http:
        world = make_world(server)
        disk.fill()
        for number in range(MANY):
            assert write(http, world, number).status_code == 200
            assert read(http, world).json()["data"]["var"]["n"] == number
        assert http.get("/v1/nothing").status_code == 404
