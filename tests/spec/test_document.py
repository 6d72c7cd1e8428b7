"""The published document, tried out: requests made from it, good and bad, and answers held against it."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from sitehive.app import registry
from tests.support.client import document
from tests.support.server import Server
from tests.support.world import World, make_world

# What the document cannot say, so that breaking it is no deviation:
EXCLUDED = {
    "positive_data_acceptance": "some rules depend on other rows (a name that is taken), not on the form of the input",
    "use_after_free": "deleted users, revoked keys and trashed posts stay readable, as they should",
}
RULES = Path(__file__).with_name("schemathesis.toml")
# Inputs made for each operation and phase: enough to meet every constraint, few enough for every run of the tests.
EXAMPLES = 4


@pytest.mark.parametrize("who", ["guest", "alice", "owner"])
def test_no_request_breaks_the_document(who: str, server: Server, tmp_path: Path) -> None:
    world = make_world(server)
    done = subprocess.run(
        [
            Path(sys.executable).with_name("st"), "--config-file", RULES, "run", f"{server.url}/openapi.json",
            "--url", server.url,
            "--header", f"Authorization: {world.credentials[who]}",
            "--checks", "all", "--exclude-checks", ",".join(EXCLUDED),
            "--max-examples", str(EXAMPLES), "--seed", "1", "--generation-database", "none", "--no-color",
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:]


def test_it_is_served(world: World) -> None:
    served = httpx.get(f"{world.server.url}/openapi.json")
    assert served.headers["access-control-allow-origin"] == "*"
    assert served.json()["paths"] == document()["paths"]


def test_it_names_every_operation() -> None:
    described = {
        operation["operationId"]: (method.upper(), path)
        for path, item in document()["paths"].items()
        for method, operation in item.items()
    }
    assert described == {op.name: (op.method, f"/{op.place}{op.path}") for op in registry()}


def test_a_path_field_is_not_in_the_body() -> None:
    body = document()["paths"]["/v1/users/{id}"]["patch"]["requestBody"]["content"]["application/json"]
    assert "id" not in body["schema"]["properties"]
    assert body["example"]["username"]
