"""The statements about API keys."""

import msgspec

from sitehive.features.api_keys.keys import display
from sitehive.features.api_keys.types import ApiKey, CreateApiKey, ListApiKeys
from sitehive.features.users.store import reference
from sitehive.kernel.clock import iso, milliseconds
from sitehive.kernel.context import Context
from sitehive.kernel.database import Row
from sitehive.kernel.errors import NotFound
from sitehive.kernel.paging import WINDOW, Page

SELECT = """
    select api_keys.id, api_keys.name, api_keys.prefix, api_keys.level, api_keys.scopes, api_keys.owner_id,
        users.username, api_keys.created_at, api_keys.last_used_at, api_keys.expires_at, api_keys.revoked_at
    from api_keys join users on users.site_id = api_keys.site_id and users.id = api_keys.owner_id
    where api_keys.site_id = :site_id
"""


async def find(ctx: Context, key_id: int) -> ApiKey:
    row = await ctx.db.one(SELECT + " and api_keys.id = :id", {"site_id": ctx.site_id, "id": key_id})
    if row is None:
        raise NotFound
    return _api_key(ctx, row)


async def list_(ctx: Context, query: ListApiKeys) -> Page[ApiKey]:
    params = {"site_id": ctx.site_id}
    total = await ctx.db.one("select count(*) from api_keys where site_id = :site_id", params)
    rows = await ctx.db.all(SELECT + " order by api_keys.id" + WINDOW, {**params, **query.window})
    return Page.of([_api_key(ctx, row) for row in rows], int(total[0]) if total else 0, query)


async def create(ctx: Context, new: CreateApiKey, key: str, key_hash: str, level: int, scopes: list[str]) -> ApiKey:
    row = await ctx.db.one(
        """
        insert into api_keys (site_id, owner_id, name, hash, prefix, level, scopes, created_at, expires_at)
        values (:site_id, :owner_id, :name, :hash, :prefix, :level, :scopes, :now, :expires_at)
        returning id
        """,
        {
            "site_id": ctx.site_id,
            "owner_id": ctx.viewer.user_id,
            "name": new.name,
            "hash": key_hash,
            "prefix": display(key),
            "level": level,
            "scopes": msgspec.json.encode(scopes).decode(),
            "now": ctx.now,
            "expires_at": None if new.expires_at is None else milliseconds(new.expires_at),
        },
    )
    return await find(ctx, int(row[0]) if row else 0)


async def rename(ctx: Context, key_id: int, name: str) -> None:
    await ctx.db.run(
        "update api_keys set name = :name where site_id = :site_id and id = :id",
        {"name": name, "site_id": ctx.site_id, "id": key_id},
    )


async def revoke(ctx: Context, key_id: int) -> None:
    """End a key; one that has ended keeps its first moment."""
    await ctx.db.run(
        "update api_keys set revoked_at = coalesce(revoked_at, :now) where site_id = :site_id and id = :id",
        {"now": ctx.now, "site_id": ctx.site_id, "id": key_id},
    )


def _api_key(ctx: Context, row: Row) -> ApiKey:
    key_id, name, prefix, level, scopes, owner_id, owner, created_at, last_used_at, expires_at, revoked_at = row
    return ApiKey(
        id=key_id,
        name=name,
        prefix=prefix,
        level=level,
        scopes=msgspec.json.decode(scopes),
        owner=reference(ctx, owner_id, owner),
        created_at=iso(created_at),
        last_used_at=iso(last_used_at),
        expires_at=iso(expires_at),
        revoked_at=iso(revoked_at),
    )
