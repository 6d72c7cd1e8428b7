"""What can be done with forums."""

from msgspec import UNSET

from sitehive.features.forums import store
from sitehive.features.forums.types import CreateForum, Forum, ListForums, ManageForum, OneForum, RenameForum
from sitehive.features.posts.removal import empty_forum
from sitehive.features.sites.store import find_config
from sitehive.kernel.access import level, login, may_edit, require, visitor
from sitehive.kernel.context import ADMIN, Context
from sitehive.kernel.errors import Invalid
from sitehive.kernel.operation import operation
from sitehive.kernel.paging import Page


@operation("forums.list", "GET /forums", access=visitor)
async def list_forums(ctx: Context, query: ListForums) -> Page[Forum]:
    """List forums, in the order of their positions."""
    return await store.list_(ctx, query)


@operation("forums.get", "GET /forums/{id}", access=visitor)
async def get_forum(ctx: Context, wanted: OneForum) -> Forum:
    """Read a forum."""
    return (await store.find(ctx, wanted.id)).forum


@operation("forums.create", "POST /forums", access=login, status=201)
async def create_forum(ctx: Context, new: CreateForum) -> Forum:
    """Create a forum.

    Any login may, unless the site setting `forum_create_level` asks for more.
    """
    config = await find_config(ctx)
    require(ctx.viewer.level >= config.forum_create_level, "This site lets only higher levels create forums.")
    await hold_tree(ctx)
    await check_parent(ctx, new.parent)
    return await store.create(ctx, new)


@operation("forums.update", "PATCH /forums/{id}", access=login)
async def rename_forum(ctx: Context, change: RenameForum) -> Forum:
    """Rename a forum."""
    found = await find_editable(ctx, change.id)
    if change.name is not UNSET:
        await store.rename(ctx, found.id, change.name)
    return (await store.find(ctx, found.id)).forum


@operation("forums.delete", "DELETE /forums/{id}", access=login)
async def delete_forum(ctx: Context, wanted: OneForum) -> None:
    """Delete a forum.

    Its posts go to the trash, and its sub-forums move up to its parent.
    """
    await hold_tree(ctx)
    forum = await find_editable(ctx, wanted.id)
    await store.mark_removed(ctx, forum)
    await empty_forum(ctx, forum.id)


@operation("forums.manage", "PATCH /forums/{id}", access=level(ADMIN), place="manage/v1")
async def manage_forum(ctx: Context, change: ManageForum) -> Forum:
    """Move a forum, and say who may write in it.

    `permissions` holds the least level that each needs; 0 means everyone whom the operation admits.
    """
    await hold_tree(ctx)
    await store.find(ctx, change.id)
    if change.parent is not UNSET:
        await check_parent(ctx, change.parent)
        if await store.is_below(ctx, change.parent, change.id):
            raise Invalid.field("parent", "a forum cannot be below itself")
    await store.manage(ctx, change)
    return (await store.find(ctx, change.id)).forum


async def find_editable(ctx: Context, forum_id: int) -> Forum:
    found = await store.find(ctx, forum_id)
    require(may_edit(ctx.viewer, found.forum.owner.id, found.owner_level))
    return found.forum


async def hold_tree(ctx: Context) -> None:
    """Let nobody else change which forum is below which until the transaction ends."""
    await ctx.db.lock(ctx.site_id, "forum tree")


async def check_parent(ctx: Context, parent_id: int) -> None:
    if parent_id and await store.find_or_none(ctx, parent_id) is None:
        raise Invalid.field("parent", "there is no such forum")
