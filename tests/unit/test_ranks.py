"""Every place of a list is found, over identifiers that lie close together and far apart."""

import random
from pathlib import Path

import pytest

from sitehive.app import open_product
from sitehive.backends.database import migrate
from sitehive.features.posts.ranks import ANY_FORUM, Ranks
from sitehive.kernel.context import Context, Origin, Viewer
from sitehive.kernel.database import Queries
from sitehive.settings import Settings

EDGES = [1, 63, 64, 65, 4_095, 4_096, 4_097, 262_143, 262_144, 262_145, 10_000_000]
IDS = sorted({*EDGES, *random.Random(1).sample(range(1, 2**24), 150), *range(500, 700)})
POST = """
    insert into posts (id, site_id, forum_id, owner_id, title, title_key, content, status, former_status, format, thumb,
        var, created_at, updated_at)
    values (:id, 1, 7, 1, '', '', '', :status, 1, 'text', '', '{}', 0, 0)
"""


async def add(db: Queries) -> None:
    for number, post_id in enumerate(IDS):
        await db.run(POST, {"id": post_id, "status": number % 3})


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize("statuses", [(0,), (1,), (0, 1, 2)])
@pytest.mark.parametrize("forum_id", [ANY_FORUM, 7])
async def test_every_place_is_found(
    tmp_path: Path, newest_first: bool, statuses: tuple[int, ...], forum_id: int
) -> None:
    async with open_product(Settings(data=tmp_path)) as product:
        await migrate(product.database)
        await product.database.write(add)
        ctx = Context(Viewer(1), product.database.reader, Origin("req_test", ""), product.services)
        ranks = await Ranks.of(ctx, forum_id, statuses)
        shown = [post_id for number, post_id in enumerate(IDS) if number % 3 in statuses]
        expected = shown[::-1] if newest_first else shown
        assert ranks.total == len(shown)
        for offset, wanted in enumerate(expected):
            start, rest = await ranks.locate(ctx, offset, newest_first=newest_first)
            ahead = [i for i in expected if (i <= start if newest_first else i >= start)]
            assert (ahead[rest], rest < 64) == (wanted, True)
        with pytest.raises(IndexError):
            await ranks.locate(ctx, len(shown), newest_first=newest_first)
