"""Emptying a forum that was deleted: its posts go to the trash, however many they are.

The first posts go at once, with the forum itself. The rest of a large forum follows in steps that never hold up other
writers for long; a server that stops in between goes on when it starts again.
"""

from sitehive.features.posts.types import TRASH
from sitehive.kernel.context import Context
from sitehive.kernel.database import Database, Queries

# Posts moved in one transaction.
BATCH = 1_000

TO_TRASH = f"""
    update posts set status = {TRASH}, forum_id = 0,
        former_status = case when status = {TRASH} then former_status else status end
    where site_id = :site_id and id in (
        select id from posts where site_id = :site_id and forum_id = :forum_id limit {BATCH}
    )
"""


class ForumRemoval:
    """Finishes what deleting a forum began."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def finish(self, site_id: int, forum_id: int) -> None:
        while await self._database.write(lambda db: _step(db, site_id, forum_id)):
            pass

    async def resume(self) -> None:
        """Finish every forum whose removal was interrupted."""
        for site_id, forum_id in await self._database.reader.all(
            "select site_id, id from forums where removed_at is not null"
        ):
            await self.finish(site_id, forum_id)


async def empty_forum(ctx: Context, forum_id: int) -> None:
    """Move a removed forum's posts to the trash: the first now, the others after the commit."""
    site_id, removal = ctx.site_id, ctx.use(ForumRemoval)
    if await _step(ctx.db, site_id, forum_id):
        ctx.after_commit.append(lambda: removal.finish(site_id, forum_id))


async def _step(db: Queries, site_id: int, forum_id: int) -> bool:
    """Move a batch; answers whether there may be more. The forum goes with its last post."""
    params = {"site_id": site_id, "forum_id": forum_id}
    if await db.run_long(TO_TRASH, params) == BATCH:
        return True
    await db.run("delete from forums where site_id = :site_id and id = :forum_id and removed_at is not null", params)
    return False
