"""The statements about who is online."""

from typing import Any

from msgspec import UNSET

from sitehive.features.online.types import ListOnline, Visitor
from sitehive.features.users.store import reference
from sitehive.kernel import limits
from sitehive.kernel.clock import SECOND, iso
from sitehive.kernel.context import ADMIN, Context
from sitehive.kernel.database import Row
from sitehive.kernel.paging import WINDOW, Page

SELECT = """
    select online.user_id, users.username, online.since, online.last_seen_at, online.ip, online.user_agent
    from online left join users on users.site_id = online.site_id and users.id = online.user_id
"""


async def list_(ctx: Context, query: ListOnline) -> Page[Visitor]:
    where = " where online.site_id = :site_id and online.last_seen_at >= :since"
    params: dict[str, Any] = {"site_id": ctx.site_id, "since": ctx.now - limits.ONLINE_WINDOW * SECOND}
    if query.id is not UNSET:
        where, params = where + " and online.user_id = :user_id", {**params, "user_id": query.id}
    if query.pageid is not UNSET:
        where, params = where + " and online.page_id = :page_id", {**params, "page_id": query.pageid}
    total = await ctx.db.one("select count(*) from online" + where, params)
    order = " order by online.last_seen_at desc, online.visitor"
    rows = await ctx.db.all(SELECT + where + order + WINDOW, {**params, **query.window})
    return Page.of([_visitor(ctx, row) for row in rows], total[0] if total else 0, query)


def _visitor(ctx: Context, row: Row) -> Visitor:
    user_id, username, since, last_seen_at, ip, user_agent = row
    shown = ctx.viewer.level >= ADMIN
    return Visitor(
        user=None if username is None else reference(ctx, user_id, username),
        page=None,
        since=iso(since),
        last_seen_at=iso(last_seen_at),
        ip=ip if shown else UNSET,
        user_agent=user_agent if shown else UNSET,
    )
