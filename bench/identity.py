"""How close does reading users come to the floor? One user by id, and a list of 20 with its total, of 20,000."""

import asyncio
import tempfile
from pathlib import Path

import msgspec

from bench.compare import Answer, Plan, compare
from bench.fill import fill
from bench.servers import Server, environment, serving

USERS = 20_000
LIST = "/v1/users?limit=20"
POINT_TARGET, LIST_TARGET = 0.60, 0.70


def ask(plan: Plan) -> list[Answer]:
    with tempfile.TemporaryDirectory(prefix="sitehive-bench-") as folder:
        data = Path(folder) / "data"
        # The limit counts every request as it would in production, and lets all of them pass.
        environ = environment(data, SITEHIVE_RATE_LIMIT="1000000000", SITEHIVE_PUBLIC_URL="https://hive.example")
        filled = asyncio.run(fill(environ, USERS))
        headers = {"Authorization": filled.credential, "User-Agent": "bench", "Accept": "application/json"}
        # Everyone is asked for in turn: more people than any cache of the product remembers.
        points = [f"/v1/users/{user_id}" for user_id in filled.user_ids]
        with (
            serving("sitehive", ("sitehive", "serve"), "/readyz", environ, Path(folder) / "sitehive.log") as product,
            serving("floor", ("bench.floor",), LIST, environ, Path(folder) / "floor.log") as floor,
        ):
            for path in (points[0], LIST):
                check_same(product, floor, path, headers)
            return [
                compare("users.get, one of 20,000", POINT_TARGET, product, floor, points, headers, plan),
                compare("users.list, 20 of 20,000", LIST_TARGET, product, floor, [LIST], headers, plan),
            ]


def check_same(product: Server, floor: Server, path: str, headers: dict[str, str]) -> None:
    """A comparison is fair only between servers that give the same answer."""
    ours, least = (msgspec.json.decode(server.fetch(path, headers)) for server in (product, floor))
    for answer in (ours, least):
        answer["meta"] = sorted(answer["meta"])
    if ours != least:
        raise RuntimeError(f"the answers to {path} differ:\n{ours}\n{least}")
