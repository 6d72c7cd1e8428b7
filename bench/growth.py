"""Does a list of posts cost the same at a thousand posts and at a million? Two servers, one on each, turn by turn.

Filling a million posts takes minutes, so a filled folder is kept in `bench/results/` and used again as long as the
migrations are the same.
"""

import asyncio
import random
import shutil
import tempfile
from contextlib import ExitStack
from functools import partial
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path

from bench.compare import Answer, Plan, compare
from bench.fill import Filled, fill
from bench.servers import Server, environment, serving
from sitehive.app import open_product
from sitehive.backends.database.migrate import migrations
from sitehive.kernel.database import Queries
from sitehive.settings import load_settings

SMALL, LARGE = 1_000, 1_000_000
IN_TRANSACTION = 5_000
KEPT = Path(__file__).parent / "results"
RARE = "xylophone"
# Costs may differ by a factor of 1.3, so the large site must reach this part of the small one's speed.
TARGET = 1 / 1.3

POST = """
    insert into posts (site_id, forum_id, owner_id, title, title_key, content, status, former_status, format, thumb,
        var, created_at, updated_at)
    values (:site_id, :forum_id, :owner_id, :title, :title, :body, 1, 1, 'text', '', '{}', :now, :now)
    returning id
"""
FORUM = """
    insert into forums (site_id, name, name_key, position, parent_id, owner_id, created_at)
    values (:site_id, 'bench', 'bench', 1, 0, :owner_id, 0) returning id
"""


def ask(plan: Plan, posts: int = LARGE) -> list[Answer]:
    with tempfile.TemporaryDirectory(prefix="sitehive-bench-") as folder, ExitStack() as stack:
        small, headers = serve(stack, Path(folder), SMALL)
        large, large_headers = serve(stack, Path(folder), posts)
        measure = partial(
            compare, product=large, floor=small, headers=large_headers, floor_headers=headers, plan=plan, target=TARGET
        )
        first, deep = "/v1/posts?limit=20", f"/v1/posts?limit=20&page={min(1_000, posts // 20)}"
        search = f"/v1/posts?search={RARE}"
        size = f"{posts:,} to {SMALL:,}"
        return [
            measure(f"posts.list, {size}", paths=[first], floor_paths=[first]),
            measure(f"page 1,000, {size}", paths=[deep], floor_paths=[first]),
            measure(f"search, {size}", paths=[search], floor_paths=[search]),
        ]


def serve(stack: ExitStack, folder: Path, posts: int) -> tuple[Server, dict[str, str]]:
    data = folder / f"{posts}"
    environ = environment(data, SITEHIVE_RATE_LIMIT="1000000000", SITEHIVE_SECRET_KEY="a secret for benchmarks")
    credential = prepared(data, environ, posts)
    log = folder / f"{posts}.log"
    server = stack.enter_context(serving(f"{posts} posts", ("sitehive", "serve"), "/readyz", environ, log))
    return server, {"Authorization": credential, "User-Agent": "bench"}


def prepared(data: Path, environ: dict[str, str], posts: int) -> str:
    """A filled data folder; answers an admin's credential for it."""
    version = blake2b("".join(migration.text for migration in migrations()).encode(), digest_size=6).hexdigest()
    kept = KEPT / f"posts-{posts}-{version}"
    if not kept.exists():
        filled = asyncio.run(fill(environ, 100))
        asyncio.run(add_posts(environ, filled, posts))
        KEPT.mkdir(exist_ok=True)
        shutil.copytree(data, kept)
        return filled.credential
    shutil.copytree(kept, data)
    return asyncio.run(issue(environ))


async def issue(environ: dict[str, str]) -> str:
    async with open_product(load_settings(environ)) as product:
        row = await product.database.reader.one("select site_id, id, level from users where level = 8")
        if row is None:
            raise RuntimeError("the kept data folder has no admin")
        return f"Bearer {product.tokens.issue(*row)}"


async def add_posts(environ: dict[str, str], filled: Filled, posts: int) -> None:
    """Posts of forty words each, common and rare as in a language; one of them holds the rare word."""
    dice = random.Random(1)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randint(3, 9))) for _ in range(20_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    owner = {"site_id": filled.site_id, "owner_id": filled.user_ids[0]}
    async with open_product(load_settings(environ)) as product:
        forum = await product.database.write(lambda db: db.one(FORUM, owner))
        index = product.database.dialect.index_text("posts", ["title", "body"])

        async def add(first: int, db: Queries) -> None:
            for number in range(first, min(first + IN_TRANSACTION, posts)):
                body = " ".join(dice.choices(words, cum_weights=weights, k=40))
                texts = {"title": f"post {number}", "body": f"{body} {RARE}" if number == posts // 2 else body}
                row = await db.one(POST, {**owner, **texts, "forum_id": forum[0] if forum else 0, "now": number})
                await db.run(index, {**texts, "site_id": filled.site_id, "id": row[0] if row else 0})

        for first in range(0, posts, IN_TRANSACTION):
            await product.database.write(partial(add, first))
