"""What users install: the built wheel, in an environment of its own, away from the repository."""

import json
import subprocess
import sys
import sysconfig
import urllib.request
import venv
from pathlib import Path

import pytest

from tests.support.server import environment, free_port

ROOT = Path(__file__).parents[2]
READY = "Sitehive is running with a demo site"


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An environment with the wheel. Its dependencies are borrowed from this one, to need no network."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    home = tmp_path / "venv"
    venv.create(home, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, packages], check=True)
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return home / "bin" / "python"


def test_the_wheel_serves_the_demo(python: Path, tmp_path: Path) -> None:
    environ = {**environment(tmp_path / "data"), "PYTHONUNBUFFERED": "1"}
    where = subprocess.run(
        [python, "-c", "import sitehive; print(sitehive.__file__)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert str(tmp_path) in where.stdout
    port = free_port()
    command = [str(python), "-m", "sitehive", "serve", "--demo", "--port", str(port)]
    with subprocess.Popen(
        command, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert any(READY in line for line in process.stdout)
            base = f"http://127.0.0.1:{port}"
            login = json.dumps({"site": "demo", "username": "alice", "password": "sitehive-demo"}).encode()
            request = urllib.request.Request(f"{base}/v1/auth/login", login, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request) as answer:
                assert json.load(answer)["data"]["user"]["username"] == "alice"
            with urllib.request.urlopen(f"{base}/docs") as page:
                assert b"<html" in page.read()
        finally:
            process.terminate()
