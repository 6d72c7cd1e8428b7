"""The statements about sites."""

from functools import lru_cache
from typing import Any

import msgspec

from sitehive.features.sites.types import PUBLIC_SETTINGS, SITE_TYPES, Site, SiteConfig
from sitehive.kernel.clock import iso
from sitehive.kernel.context import ADMIN, Context, Viewer
from sitehive.kernel.database import Queries, Row
from sitehive.kernel.errors import InvalidSite, NotFound

COLUMNS = "id, name, type, owner_id, created_at, config"


@lru_cache(maxsize=1024)
def parse_config(text: str) -> SiteConfig:
    """A site's settings as stored. The result is shared: never change it."""
    return msgspec.json.decode(text, type=SiteConfig)


def visible_config(config: SiteConfig, viewer: Viewer) -> dict[str, Any]:
    settings: dict[str, Any] = msgspec.structs.asdict(config)
    if viewer.level >= ADMIN:
        return settings
    return {name: settings[name] for name in PUBLIC_SETTINGS}


async def find(ctx: Context, site_id: int) -> Site:
    """The viewer's own site; no other exists for them."""
    row = await ctx.db.one(
        f"select {COLUMNS} from sites where id = :id and id = :site_id",
        {"id": site_id, "site_id": ctx.site_id},
    )
    if row is None:
        raise NotFound
    return _site(row, ctx.viewer)


async def list_owned(ctx: Context) -> list[Site]:
    rows = await ctx.db.all(
        f"select {COLUMNS} from sites where owner_id = :owner_id order by id",
        {"owner_id": ctx.viewer.user_id},
    )
    return [_site(row, ctx.viewer) for row in rows]


async def find_config(ctx: Context) -> SiteConfig:
    row = await ctx.db.one("select config from sites where id = :site_id", {"site_id": ctx.site_id})
    if row is None:
        raise InvalidSite
    return parse_config(row[0])


async def find_by_name(db: Queries, name: str) -> tuple[int, SiteConfig]:
    """A site's id and settings, by the subdomain that people know it by."""
    row = await db.one("select id, config from sites where name = :name", {"name": name.lower()})
    if row is None:
        raise InvalidSite
    return row[0], parse_config(row[1])


def _site(row: Row, viewer: Viewer) -> Site:
    site_id, name, kind, owner_id, created_at, config = row
    settings = visible_config(parse_config(config), viewer)
    return Site(site_id, name, kind, SITE_TYPES[kind], owner_id, iso(created_at), settings)
