"""Lists of posts: what the viewer may see, in pages, with exact totals."""

from typing import Any

from msgspec import UNSET, Struct

from sitehive.features.posts.ranks import ANY_FORUM, WORTH_IT, Ranks, listed
from sitehive.features.posts.rules import listed_statuses
from sitehive.features.posts.types import STATUSES, ListPosts, parse_status
from sitehive.kernel.context import Context
from sitehive.kernel.fields import fold
from sitehive.kernel.paging import order_by

SORTS = {"id": "posts.id", "created_at": "posts.id", "updated_at": "posts.updated_at", "title": "posts.title_key"}
NEWEST_FIRST = "-created_at"
# A search with at most this many matches is answered with one look at the index.
FEW_MATCHES = 500
# A site with fewer posts is small: its own mark in the search index is rarer than most words.
SMALL_SITE = 5_000


class Selection(Struct):
    """Which posts a list holds: those of everyone in some statuses, and the viewer's own in some others."""

    forum_id: int | None
    owner_id: int | None
    statuses: tuple[int, ...]
    own_statuses: tuple[int, ...]
    viewer_id: int

    @classmethod
    def of(cls, ctx: Context, query: ListPosts) -> "Selection":
        wanted = None if query.status is UNSET else parse_status(query.status)
        statuses, own = listed_statuses(ctx.viewer, wanted)
        owner_id = None if query.userid is UNSET else query.userid
        if owner_id is not None and ctx.viewer.is_user(owner_id):
            statuses, own = statuses + own, ()
        elif owner_id is not None:
            own = ()
        return cls(None if query.forumid is UNSET else query.forumid, owner_id, statuses, own, ctx.viewer.user_id)

    def condition(self) -> tuple[str, dict[str, Any]]:
        sql = " where posts.site_id = :site_id"
        params: dict[str, Any] = {}
        if self.forum_id is not None:
            sql, params = sql + " and posts.forum_id = :forum_id", {**params, "forum_id": self.forum_id}
        if self.owner_id is not None:
            sql, params = sql + " and posts.owner_id = :owner_id", {**params, "owner_id": self.owner_id}
        # Several statuses are picked out on the way through an index that is in order; the plus keeps it that way.
        several = "+" if len(self.statuses) > 1 or self.own_statuses else ""
        shown = f"{several}posts.status in ({listed(self.statuses)})"
        if self.own_statuses:
            shown = f"({shown} or posts.owner_id = :viewer_id and posts.status in ({listed(self.own_statuses)}))"
            params = {**params, "viewer_id": self.viewer_id}
        return f"{sql} and {shown}", params


class Plan(Struct):
    """The rows of a list, as the end of a statement, and how many there are on all pages together."""

    where: str
    order: str
    params: dict[str, Any]
    total: int
    # The posts on the page, where they are known already.
    ids: list[int] | None = None


async def plan(ctx: Context, query: ListPosts) -> Plan:
    selection = Selection.of(ctx, query)
    if needle := fold(query.search):
        return await _plan_search(ctx, query, selection, needle)
    own = await _tally(ctx, selection, selection.viewer_id, selection.own_statuses)
    if not own:  # the viewer has nothing of their own to add, so the list is the same for everyone
        selection.own_statuses = ()
    sort = NEWEST_FIRST if query.sort is UNSET else query.sort
    where, params = selection.condition()
    planned = Plan(where, order_by(sort, SORTS, "posts.id"), {**params, **query.window}, own)
    if selection.owner_id is not None:
        planned.total += await _tally(ctx, selection, selection.owner_id, selection.statuses)
        return planned
    ranks = await Ranks.of(ctx, ANY_FORUM if selection.forum_id is None else selection.forum_id, selection.statuses)
    planned.total += ranks.total
    if SORTS[sort.removeprefix("-")] == "posts.id" and not own:
        await _skip_ahead(ctx, planned, ranks, newest_first=sort.startswith("-"))
    return planned


async def _skip_ahead(ctx: Context, planned: Plan, ranks: Ranks, *, newest_first: bool) -> None:
    """Let a deep page begin near its first post, instead of at the beginning of the list."""
    offset = planned.params["window_offset"]
    if not WORTH_IT < offset < ranks.total:
        return
    try:
        start, rest = await ranks.locate(ctx, offset, newest_first=newest_first)
    except IndexError:  # posts went away in between; the long way finds what is left
        return
    planned.params |= {"start": start, "window_offset": rest}
    planned.where += f" and posts.id {'<=' if newest_first else '>='} :start"


async def _plan_search(ctx: Context, query: ListPosts, selection: Selection, needle: str) -> Plan:
    where, params = selection.condition()
    everything = await Ranks.of(ctx, ANY_FORUM, tuple(STATUSES))
    found, needed = ctx.db.dialect.search(
        "posts", ["title", "body"], needle, ctx.site_id, small_site=everything.total < SMALL_SITE
    )
    where, params = f"{where} and {found}", {**params, **needed, "site_id": ctx.site_id}
    if query.sort is UNSET:
        in_title = ctx.db.dialect.contains("posts.title_key", "needle")
        order, params = f" order by case when {in_title} then 0 else 1 end, posts.id desc", {**params, "needle": needle}
    else:
        order = order_by(query.sort, SORTS, "posts.id")
    planned = Plan(where, order, {**params, **query.window}, 0)
    matches = await ctx.db.all(f"select posts.id from posts{where}{order} limit {FEW_MATCHES + 1}", params)
    if len(matches) <= FEW_MATCHES:  # one look at the index was enough for the total and for every page
        start = query.window["window_offset"]
        planned.total, planned.ids = len(matches), [row[0] for row in matches[start : start + query.limit]]
    else:
        row = await ctx.db.one("select count(*) from posts" + where, params)
        planned.total = int(row[0]) if row else 0
    return planned


async def _tally(ctx: Context, selection: Selection, owner_id: int, statuses: tuple[int, ...]) -> int:
    """How many posts an owner has in some statuses."""
    if not statuses:
        return 0
    row = await ctx.db.one(
        f"select coalesce(sum(n), 0) from tallies where site_id = :site_id and list = 'posts'"
        f" and a = :forum_id and b = :owner_id and c in ({listed(statuses)})",
        {
            "site_id": ctx.site_id,
            "forum_id": ANY_FORUM if selection.forum_id is None else selection.forum_id,
            "owner_id": owner_id,
        },
    )
    return int(row[0]) if row else 0
