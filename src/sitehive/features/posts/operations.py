"""What can be done with posts."""

from msgspec import UNSET, UnsetType

from sitehive.features.posts import store
from sitehive.features.posts.store import FoundPost
from sitehive.features.posts.types import (
    PUBLISHED,
    TRASH,
    CreatePost,
    DeletePost,
    ListPosts,
    OnePost,
    Post,
    Removed,
    RestorePost,
    UpdatePost,
    parse_status,
)
from sitehive.features.rendering.render import Renderer
from sitehive.kernel.access import login, may_edit, require, visitor
from sitehive.kernel.context import Context
from sitehive.kernel.errors import Invalid
from sitehive.kernel.operation import operation
from sitehive.kernel.paging import Page


@operation("posts.list", "GET /posts", access=visitor)
async def list_posts(ctx: Context, query: ListPosts) -> Page[Post]:
    """List posts.

    Everyone sees what is published; drafts, pending and trashed posts are for their owners and for level 6 and above.
    The trash is left out unless asked for with `status=3`.
    """
    page = await store.list_(ctx, query)
    if query.render is not UNSET:
        texts = [(post.format, post.content) for post in page.items]
        for post, html in zip(page.items, await ctx.use(Renderer).render_all(texts), strict=True):
            post.content_html = html
    return page


@operation("posts.get", "GET /posts/{id}", access=visitor)
async def get_post(ctx: Context, wanted: OnePost) -> Post:
    """Read a post."""
    post = (await store.find(ctx, wanted.id)).post
    if wanted.render is not UNSET:
        [post.content_html] = await ctx.use(Renderer).render_all([(post.format, post.content)])
    return post


@operation("posts.create", "POST /posts", access=login, status=201)
async def create_post(ctx: Context, new: CreatePost) -> Post:
    """Write a post in a forum."""
    await check_forum(ctx, new.forumid)
    return await store.create(ctx, new)


@operation("posts.update", "PATCH /posts/{id}", access=login)
async def update_post(ctx: Context, change: UpdatePost) -> Post:
    """Change a post.

    A post in another forum is moved there, which needs the right to write in it.
    """
    found = await find_editable(ctx, change.id)
    status = found.post.status if change.status is UNSET else parse_status(change.status)
    await check_place(ctx, found.post, change.forumid, status)
    return await store.update(ctx, found, change)


@operation("posts.delete", "DELETE /posts/{id}", access=login)
async def delete_post(ctx: Context, wanted: DeletePost) -> Post | Removed:
    """Move a post to the trash, or remove it for good."""
    found = await find_editable(ctx, wanted.id)
    if wanted.permanent:
        await store.remove(ctx, found.post)
        return Removed()
    if found.post.status != TRASH:
        await store.set_columns(ctx, wanted.id, store.moved_to(found.post.status, found.former_status, TRASH))
    return (await store.find(ctx, wanted.id)).post


@operation("posts.restore", "POST /posts/{id}/restore", access=login)
async def restore_post(ctx: Context, wanted: RestorePost) -> Post:
    """Take a post out of the trash.

    It gets back the status it had. One whose forum is gone needs a new `forumid`.
    """
    found = await find_editable(ctx, wanted.id)
    if found.post.status != TRASH:
        raise Invalid.field("status", "the post is not in the trash")
    columns = store.moved_to(TRASH, found.former_status, found.former_status)
    await check_place(ctx, found.post, wanted.forumid, found.former_status)
    if wanted.forumid is not UNSET:
        columns["forum_id"] = wanted.forumid
    await store.set_columns(ctx, wanted.id, columns)
    return (await store.find(ctx, wanted.id)).post


async def find_editable(ctx: Context, post_id: int) -> FoundPost:
    found = await store.find(ctx, post_id)
    require(may_edit(ctx.viewer, found.post.owner.id, found.owner_level))
    return found


async def check_forum(ctx: Context, forum_id: int) -> None:
    """Refuse unless there is such a forum and the viewer may write in it."""
    least = await store.find_create_level(ctx, forum_id)
    if least is None:
        raise Invalid.field("forumid", "there is no such forum")
    require(ctx.viewer.level >= least, f"Writing in this forum needs permission level {least}.")


async def check_place(ctx: Context, post: Post, forumid: int | UnsetType, status: int | None) -> None:
    """Refuse a change that would put a post where it may not be.

    Moving to a forum and publishing in it both need the right to write there. Out of the trash, a post needs a forum.
    """
    current = post.forum.id if post.forum else 0
    target = current if forumid is UNSET else forumid
    if target != current or (status == PUBLISHED and post.status != PUBLISHED and target):
        await check_forum(ctx, target)
    elif status != TRASH and (not target or await store.find_create_level(ctx, target) is None):
        raise Invalid.field("forumid", "is required, since the post's forum is gone")
