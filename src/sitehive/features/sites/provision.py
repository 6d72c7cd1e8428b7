"""Making and removing sites: the operator's work, done from the command line."""

import re
from typing import Any

import msgspec

from sitehive.features.sites.store import parse_config
from sitehive.features.sites.types import SITE_NAME, SiteConfig
from sitehive.kernel.database import Database, Queries, UniqueViolation
from sitehive.kernel.errors import Invalid, InvalidSite

# Rows removed in one transaction, so that a running server is never held up for long.
BATCH = 2_000


def check_name(name: str) -> None:
    if not re.fullmatch(SITE_NAME, name):
        raise Invalid.field("name", "must be a subdomain: a-z, 0-9 and hyphens, at most 63 characters")


async def insert(db: Queries, name: str, kind: int, now: int) -> int:
    """Add a site that nobody owns yet; answers its id."""
    try:
        row = await db.one(
            "insert into sites (name, type, owner_id, config, created_at) values (:name, :type, 0, '{}', :now)"
            " returning id",
            {"name": name, "type": kind, "now": now},
        )
    except UniqueViolation:
        raise Invalid.field("name", f"there is already a site called {name}") from None
    return int(row[0]) if row else 0


async def set_owner(db: Queries, site_id: int, owner_id: int) -> None:
    await db.run("update sites set owner_id = :owner_id where id = :id", {"owner_id": owner_id, "id": site_id})


async def configure(db: Queries, site_id: int, changes: dict[str, str]) -> SiteConfig:
    """Change settings, given as texts; answers all of them."""
    row = await db.one("select config from sites where id = :id", {"id": site_id})
    if row is None:
        raise InvalidSite
    settings: dict[str, Any] = {**msgspec.structs.asdict(parse_config(row[0])), **changes}
    try:
        config = msgspec.convert(settings, SiteConfig, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(f"{error}; known settings are {', '.join(SiteConfig.__struct_fields__)}") from None
    await db.run(
        "update sites set config = :config where id = :id",
        {"config": msgspec.json.encode(config).decode(), "id": site_id},
    )
    return config


async def remove(database: Database, site_id: int) -> None:
    """Remove a site and everything in it.

    The site itself goes first, so that its credentials are refused at once; its rows follow in batches. The digests of
    its API keys stay, without names, so that a key of a removed site can be told what happened.
    """

    async def forget(db: Queries) -> None:
        await db.run("delete from sites where id = :id", {"id": site_id})
        await db.run("update api_keys set name = '' where site_id = :id", {"id": site_id})

    await database.write(forget)
    tables = [row for row in await database.reader.all(database.dialect.site_tables) if row[0] != "api_keys"]
    # Triggers may write to a table that is already empty (the counters), so it goes on until nothing was left.
    while sum([await _empty(database, table, row_id, site_id) for table, row_id in tables]):
        pass


async def _empty(database: Database, table: str, row_id: str | None, site_id: int) -> int:
    """Remove a table's rows of a site, a batch at a time; answers how many there were."""
    rows = f"{row_id} in (select {row_id} from {table} where site_id = :site_id limit {BATCH})"
    # Tables without such a column hold counters, which are few.
    statement = f"delete from {table} where {rows if row_id else 'site_id = :site_id'}"

    async def batch(db: Queries) -> int:
        return await db.run(statement, {"site_id": site_id})

    removed = 0
    while count := await database.write(batch):
        removed += count
    return removed
