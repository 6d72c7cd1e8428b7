"""Everything that the database holds of a site, to tell whether a request changed it."""

import asyncio
from typing import Any

from sitehive.app import open_product
from sitehive.settings import load_settings
from tests.support.world import World

# What any request may change in passing.
PASSING_TABLES = {"online"}
PASSING_COLUMNS = {"api_keys": {"last_used_at"}, "users": {"last_login_at", "last_token_at"}}

Snapshot = dict[str, list[Any]]


def snapshot(world: World) -> Snapshot:
    return asyncio.run(_snapshot(world))


async def _snapshot(world: World) -> Snapshot:
    async with open_product(load_settings(world.server.environ)) as product:
        db = product.database.reader
        tables = [row[0] for row in await db.all(db.dialect.site_tables) if row[0] not in PASSING_TABLES]
        return {table: await _rows(db, table, world.site_id) for table in tables}


async def _rows(db: Any, table: str, site_id: int) -> list[Any]:
    columns = [row[0] for row in await db.all(db.dialect.columns, {"table": table})]
    kept = ", ".join(column for column in columns if column not in PASSING_COLUMNS.get(table, set()))
    rows = await db.all(f"select {kept} from {table} where site_id = :site_id", {"site_id": site_id})
    return sorted((tuple(row) for row in rows), key=repr)
