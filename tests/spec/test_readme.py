"""The README's tour, taken word for word."""

import re
import subprocess
import sys
from pathlib import Path

from tests.support.server import environment, start

README = Path(__file__).parents[2] / "README.md"


def test_the_tour(tmp_path: Path) -> None:
    text = README.read_text("utf-8")
    tour = text[text.index("## A tour") : text.index("## Running it for real")]
    steps = re.findall(r"```sh\n(.*?)```", tour, re.DOTALL)
    server = start(environment(tmp_path), arguments=("--demo",))
    try:
        script = "set -e\n" + "\n".join(steps)
        script = script.replace("localhost:8000", server.url.removeprefix("http://"))
        script = script.replace(".venv/bin/sitehive", f"{sys.executable} -m sitehive")
        done = subprocess.run(
            ["bash", "-c", script], env=dict(server.environ), capture_output=True, text=True, timeout=60, check=False
        )
    finally:
        server.stop()
    assert done.returncode == 0, done.stderr
    answers = re.findall(r'\{"(data|error)":', done.stdout)
    assert answers.count("error") == 1, done.stdout  # the one that the tour is about
    assert len(answers) >= 10
