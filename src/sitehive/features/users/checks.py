"""What must be true of the users at rest."""

from sitehive.kernel.database import Queries

MISCOUNTED = """
    select counted.site_id, counted.type, counted.level
    from (
        select site_id, type, level, sum(n) as n from user_counts group by site_id, type, level
        union all
        select site_id, type, level, -count(*) as n from users group by site_id, type, level
    ) as counted
    group by counted.site_id, counted.type, counted.level
    having sum(counted.n) <> 0
"""


async def find_miscounts(db: Queries) -> list[str]:
    """Where the kept numbers of users differ from the users there are."""
    rows = await db.all(MISCOUNTED)
    return [f"site {site_id}: type {kind}, level {level}" for site_id, kind, level in rows]
