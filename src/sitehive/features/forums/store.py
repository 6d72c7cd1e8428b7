"""The statements about forums."""

from typing import Any

from msgspec import UNSET, Struct

from sitehive.features.forums.types import CreateForum, Forum, ForumPermissions, ForumReference, ListForums, ManageForum
from sitehive.features.users.store import reference
from sitehive.kernel.clock import iso
from sitehive.kernel.context import Context
from sitehive.kernel.database import Row
from sitehive.kernel.errors import NotFound
from sitehive.kernel.fields import fold
from sitehive.kernel.paging import WINDOW, Page

SELECT = """
    select forums.id, forums.name, forums.position, forums.parent_id, parents.name, forums.owner_id, users.username,
        users.level, forums.create_post_level, forums.reply_level, forums.created_at
    from forums
        join users on users.site_id = forums.site_id and users.id = forums.owner_id
        left join forums as parents on parents.site_id = forums.site_id and parents.id = forums.parent_id
    where forums.site_id = :site_id and forums.removed_at is null
"""


class FoundForum(Struct):
    """A forum, and what rules about it need to know."""

    forum: Forum
    owner_level: int


async def find(ctx: Context, forum_id: int) -> FoundForum:
    found = await find_or_none(ctx, forum_id)
    if found is None:
        raise NotFound
    return found


async def find_or_none(ctx: Context, forum_id: int) -> FoundForum | None:
    row = await ctx.db.one(SELECT + " and forums.id = :id", {"site_id": ctx.site_id, "id": forum_id})
    return None if row is None else FoundForum(_forum(ctx, row), row[7])


async def list_(ctx: Context, query: ListForums) -> Page[Forum]:
    params: dict[str, Any] = {"site_id": ctx.site_id}
    where = ""
    if query.parent is not UNSET:
        where, params = where + " and forums.parent_id = :parent", {**params, "parent": query.parent}
    if query.userid is not UNSET:
        where, params = where + " and forums.owner_id = :owner", {**params, "owner": query.userid}
    if needle := fold(query.search):
        where, params = (
            f"{where} and {ctx.db.dialect.contains('forums.name_key', 'needle')}",
            {**params, "needle": needle},
        )
    rows = await ctx.db.all(
        SELECT + where + " order by forums.position, forums.id" + WINDOW, {**params, **query.window}
    )
    return Page.of([_forum(ctx, row) for row in rows], await _count(ctx, query, where, params), query)


async def _count(ctx: Context, query: ListForums, where: str, params: dict[str, Any]) -> int:
    if query.search:
        counted = "select count(*) from forums where forums.site_id = :site_id and forums.removed_at is null" + where
    else:
        counted = "select n from tallies where site_id = :site_id and list = 'forums' and a = :a and b = :b and c = 0"
        params = {
            **params,
            "a": -1 if query.parent is UNSET else query.parent,
            "b": -1 if query.userid is UNSET else query.userid,
        }
    row = await ctx.db.one(counted, params)
    return int(row[0]) if row else 0


async def create(ctx: Context, new: CreateForum) -> Forum:
    """Add a forum, after those that are already beside it."""
    beside = {"site_id": ctx.site_id, "parent": new.parent}
    last = await ctx.db.one(
        "select coalesce(max(position), 0) from forums where site_id = :site_id and parent_id = :parent", beside
    )
    row = await ctx.db.one(
        """
        insert into forums (site_id, name, name_key, position, parent_id, owner_id, created_at)
        values (:site_id, :name, :name_key, :position, :parent, :owner, :now)
        returning id
        """,
        {
            **beside,
            "name": new.name,
            "name_key": fold(new.name),
            "position": (last[0] if last else 0) + 1,
            "owner": ctx.viewer.user_id,
            "now": ctx.now,
        },
    )
    return (await find(ctx, int(row[0]) if row else 0)).forum


async def rename(ctx: Context, forum_id: int, name: str) -> None:
    await _set(ctx, forum_id, {"name": name, "name_key": fold(name)})


async def manage(ctx: Context, change: ManageForum) -> None:
    columns: dict[str, Any] = {}
    if change.parent is not UNSET:
        columns["parent_id"] = change.parent
    if change.position is not UNSET:
        columns["position"] = change.position
    if change.permissions is not UNSET:
        levels = {"create_post_level": change.permissions.create_post, "reply_level": change.permissions.reply}
        columns |= {column: level for column, level in levels.items() if level is not UNSET}
    await _set(ctx, change.id, columns)


async def _set(ctx: Context, forum_id: int, columns: dict[str, Any]) -> None:
    if columns:
        sets = ", ".join(f"{column} = :{column}" for column in columns)
        await ctx.db.run(
            f"update forums set {sets} where site_id = :site_id and id = :id",
            {**columns, "site_id": ctx.site_id, "id": forum_id},
        )


async def is_below(ctx: Context, forum_id: int, ancestor_id: int) -> bool:
    """Whether a forum is another one, or somewhere below it."""
    row = await ctx.db.one(
        """
        with recursive above (id) as (
            select cast(:id as bigint)
            union
            select forums.parent_id from forums join above on forums.id = above.id and forums.site_id = :site_id
        )
        select 1 from above where id = :ancestor
        """,
        {"site_id": ctx.site_id, "id": forum_id, "ancestor": ancestor_id},
    )
    return row is not None


async def mark_removed(ctx: Context, forum: Forum) -> None:
    """Take a forum out of sight; its sub-forums move up. Its posts are moved to the trash after this."""
    params = {"site_id": ctx.site_id, "id": forum.id, "now": ctx.now, "parent": forum.parent.id if forum.parent else 0}
    await ctx.db.run("update forums set removed_at = :now where site_id = :site_id and id = :id", params)
    await ctx.db.run("update forums set parent_id = :parent where site_id = :site_id and parent_id = :id", params)


def _forum(ctx: Context, row: Row) -> Forum:
    forum_id, name, position, parent_id, parent, owner_id, owner, _, create_post, reply, created_at = row
    return Forum(
        id=forum_id,
        name=name,
        position=position,
        parent=ForumReference(parent_id, parent) if parent_id else None,
        owner=reference(ctx, owner_id, owner),
        permissions=ForumPermissions(create_post, reply),
        created_at=iso(created_at),
    )
