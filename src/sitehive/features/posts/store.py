"""The statements about posts."""

from typing import Any

from msgspec import UNSET, Raw, Struct

from sitehive.features.forums.types import ForumReference
from sitehive.features.posts.listing import plan
from sitehive.features.posts.rules import may_see
from sitehive.features.posts.types import (
    FORMATS,
    PUBLISHED,
    STATUSES,
    TRASH,
    CreatePost,
    ListPosts,
    Post,
    UpdatePost,
    parse_status,
)
from sitehive.features.users.store import reference
from sitehive.kernel.clock import iso
from sitehive.kernel.context import Context
from sitehive.kernel.database import Row
from sitehive.kernel.errors import NotFound
from sitehive.kernel.fields import encode_metadata, fold
from sitehive.kernel.paging import WINDOW, Page

SELECT = """
    select posts.id, posts.title, posts.content, posts.status, posts.format, posts.thumb, posts.var, forums.id,
        forums.name, posts.owner_id, users.username, posts.created_at, posts.updated_at, users.level,
        posts.former_status
    from posts
        join users on users.site_id = posts.site_id and users.id = posts.owner_id
        left join forums on forums.site_id = posts.site_id and forums.id = posts.forum_id
            and forums.removed_at is null
    where posts.site_id = :site_id
"""
# Putting a text of this length into the search index takes about as long as the event loop may be held.
LONG_TEXT = 4_096


class FoundPost(Struct):
    """A post, and what rules about it need to know."""

    post: Post
    owner_level: int
    former_status: int


async def find(ctx: Context, post_id: int) -> FoundPost:
    row = await ctx.db.one(SELECT + " and posts.id = :id", {"site_id": ctx.site_id, "id": post_id})
    if row is None or not may_see(ctx.viewer, owner_id=row[9], status=row[3]):
        raise NotFound
    return FoundPost(_post(ctx, row), row[13], row[14])


async def list_(ctx: Context, query: ListPosts) -> Page[Post]:
    planned = await plan(ctx, query)
    if planned.ids is not None:
        return Page.of(await _find_all(ctx, planned.ids, query.limit), planned.total, query)
    page = f"select posts.id from posts{planned.where}{planned.order}{WINDOW}"
    rows = await ctx.db.all(
        f"{SELECT} and posts.id in ({page}){planned.order}", {**planned.params, "site_id": ctx.site_id}
    )
    return Page.of([_post(ctx, row) for row in rows], planned.total, query)


async def _find_all(ctx: Context, ids: list[int], size: int) -> list[Post]:
    """Posts by their identifiers, in the same order. There is one statement for each size of page."""
    if not ids:
        return []
    params = {f"id{place}": ids[place] if place < len(ids) else 0 for place in range(size)}
    rows = await ctx.db.all(
        f"{SELECT} and posts.id in ({', '.join(f':{name}' for name in params)})", {**params, "site_id": ctx.site_id}
    )
    # A post may have been hidden since its identifier was found.
    found = {row[0]: _post(ctx, row) for row in rows if may_see(ctx.viewer, owner_id=row[9], status=row[3])}
    return [found[post_id] for post_id in ids if post_id in found]


async def find_create_level(ctx: Context, forum_id: int) -> int | None:
    """The level that a post in a forum needs; None if there is no such forum. It stays until the transaction ends."""
    row = await ctx.db.one(
        "select create_post_level from forums where site_id = :site_id and id = :id and removed_at is null"
        + ctx.db.dialect.share("forums"),
        {"site_id": ctx.site_id, "id": forum_id},
    )
    return None if row is None else int(row[0])


async def create(ctx: Context, new: CreatePost) -> Post:
    status = parse_status(new.status)
    row = await ctx.db.one(
        """
        insert into posts (site_id, forum_id, owner_id, title, title_key, content, status, former_status, format,
            thumb, var, created_at, updated_at)
        values (:site_id, :forum_id, :owner_id, :title, :title_key, :content, :status, :former_status, :format,
            :thumb, :var, :now, :now)
        returning id
        """,
        {
            "site_id": ctx.site_id,
            "forum_id": new.forumid,
            "owner_id": ctx.viewer.user_id,
            "title": new.title,
            "title_key": fold(new.title),
            "content": new.content,
            "status": status,
            "former_status": PUBLISHED if status == TRASH else status,
            "format": new.format,
            "thumb": new.thumb,
            "var": "{}" if new.var is UNSET else encode_metadata("var", new.var),
            "now": ctx.now,
        },
    )
    post_id = int(row[0]) if row else 0
    await _index(ctx, post_id, new.title, new.content)
    return (await find(ctx, post_id)).post


async def update(ctx: Context, found: FoundPost, change: UpdatePost) -> Post:
    post = found.post
    columns = _changes(change)
    if change.status is not UNSET:
        columns |= moved_to(post.status, found.former_status, parse_status(change.status) or 0)
    stored = await set_columns(ctx, post.id, columns)
    if stored is not None and (change.title is not UNSET or change.content is not UNSET):
        await _unindex(ctx, post)
        await _index(ctx, post.id, *stored)
    return (await find(ctx, post.id)).post


def _changes(change: UpdatePost) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name in ("content", "format", "thumb"):
        if (value := getattr(change, name)) is not UNSET:
            columns[name] = value
    if change.forumid is not UNSET:
        columns["forum_id"] = change.forumid
    if change.title is not UNSET:
        columns |= {"title": change.title, "title_key": fold(change.title)}
    if change.var is not UNSET:
        columns["var"] = encode_metadata("var", change.var)
    return columns


def moved_to(status: int, former: int, new: int) -> dict[str, Any]:
    """The columns of a post that goes from one status to another. The trash remembers where it came from."""
    if new != TRASH:
        return {"status": new, "former_status": new}
    return {"status": TRASH, "former_status": former if status == TRASH else status}


async def set_columns(ctx: Context, post_id: int, columns: dict[str, Any]) -> Row | None:
    """Change a post; answers the title and content that it has now, whoever changed them last."""
    if not columns:
        return None
    sets = ", ".join(f"{column} = :{column}" for column in columns)
    return await ctx.db.one(
        f"update posts set {sets}, updated_at = :now where site_id = :site_id and id = :id returning title, content",
        {**columns, "now": ctx.now, "site_id": ctx.site_id, "id": post_id},
    )


async def remove(ctx: Context, post: Post) -> None:
    await _unindex(ctx, post)
    await ctx.db.run("delete from posts where site_id = :site_id and id = :id", {"site_id": ctx.site_id, "id": post.id})


async def _unindex(ctx: Context, post: Post) -> None:
    run = ctx.db.run if len(post.content) < LONG_TEXT else ctx.db.run_long
    await run(ctx.db.dialect.unindex_text("posts"), {"site_id": ctx.site_id, "id": post.id})


async def _index(ctx: Context, post_id: int, title: str, content: str) -> None:
    params = {"site_id": ctx.site_id, "id": post_id, "title": fold(title), "body": fold(content)}
    run = ctx.db.run if len(content) < LONG_TEXT else ctx.db.run_long
    await run(ctx.db.dialect.index_text("posts", ["title", "body"]), params)


def _post(ctx: Context, row: Row) -> Post:
    post_id, title, content, status, form, thumb, var, forum_id, forum = row[:9]
    owner_id, owner, created_at, updated_at = row[9:13]
    return Post(
        id=post_id,
        title=title,
        content=content,
        status=status,
        status_label=STATUSES[status],
        format=form,
        format_label=FORMATS[form],
        thumb=thumb,
        var=Raw(var.encode()),
        forum=None if forum_id is None else ForumReference(forum_id, forum),
        owner=reference(ctx, owner_id, owner),
        created_at=iso(created_at),
        updated_at=iso(updated_at),
    )
