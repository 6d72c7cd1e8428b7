"""Notes who was here, without a write for each request.

A visitor is written down at most once in a while, together with others, as last seen. What is written is shared by
all workers and nodes; what could not be written is tried again.
"""

from functools import partial
from hashlib import blake2b

from msgspec import Struct

from sitehive.kernel import limits
from sitehive.kernel.clock import DAY, MINUTE, SECOND, now
from sitehive.kernel.context import Origin, Viewer
from sitehive.kernel.database import Database, Queries

# A visitor who was noted this recently need not be noted again.
PAUSE = MINUTE
# Visitors written down in one transaction.
BATCH = 100
MAX_USER_AGENT = 300

Key = tuple[int, str]


class Sighting(Struct, frozen=True):
    site_id: int
    visitor: str
    user_id: int
    moment: int
    ip: str
    user_agent: str


class Presence:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._written: dict[Key, int] = {}
        self._seen: dict[Key, Sighting] = {}

    def mark(self, viewer: Viewer, origin: Origin, token: str) -> None:
        """Note a visitor. Guests are told apart by their tokens."""
        visitor = f"u{viewer.user_id}" if viewer.user_id else f"g{_digest(token)}"
        self._seen[viewer.site_id, visitor] = Sighting(
            viewer.site_id, visitor, viewer.user_id, now(), origin.address, origin.user_agent[:MAX_USER_AGENT]
        )

    async def flush(self) -> None:
        """Write down whoever was seen, and was not written down a moment ago."""
        before = now() - PAUSE
        due = sorted(key for key in self._seen if self._written.get(key, 0) <= before)
        for batch in (due[start : start + BATCH] for start in range(0, len(due), BATCH)):
            sightings = [self._seen[key] for key in batch]
            await self._database.write(partial(_record_all, sightings))
            for key, sighting in zip(batch, sightings, strict=True):
                self._written[key] = sighting.moment
                if self._seen[key] is sighting:
                    del self._seen[key]
        self._written = {key: moment for key, moment in self._written.items() if moment > before}

    async def forget(self) -> None:
        """Drop visitors who have been away for long."""
        before = {"before": now() - DAY}
        await self._database.write(lambda db: db.run_long("delete from online where last_seen_at < :before", before))


async def _record_all(sightings: list[Sighting], db: Queries) -> None:
    for sighting in sightings:
        await _record(db, sighting)


async def _record(db: Queries, sighting: Sighting) -> None:
    await db.run(
        """
        insert into online as known (site_id, visitor, user_id, since, last_seen_at, ip, user_agent)
        values (:site_id, :visitor, :user_id, :moment, :moment, :ip, :user_agent)
        on conflict (site_id, visitor) do update set
            since = case when known.last_seen_at < :cutoff then excluded.since else known.since end,
            last_seen_at = case when excluded.last_seen_at > known.last_seen_at
                then excluded.last_seen_at else known.last_seen_at end,
            ip = excluded.ip, user_agent = excluded.user_agent
        """,
        {
            "site_id": sighting.site_id,
            "visitor": sighting.visitor,
            "user_id": sighting.user_id,
            "moment": sighting.moment,
            "cutoff": sighting.moment - limits.ONLINE_WINDOW * SECOND,
            "ip": sighting.ip,
            "user_agent": sighting.user_agent,
        },
    )


def _digest(token: str) -> str:
    return blake2b(token.encode(), digest_size=12).hexdigest()
