"""Notes who was here, without a write for each request.

A visitor is written down at most once in a while, together with everyone else of that second. What is written is
shared by all workers and nodes.
"""

from hashlib import blake2b

from msgspec import Struct

from sitehive.kernel import limits
from sitehive.kernel.clock import DAY, MINUTE, SECOND, now
from sitehive.kernel.context import Origin, Viewer
from sitehive.kernel.database import Database, Queries
from sitehive.kernel.errors import Unavailable

# A visitor who was noted this recently need not be noted again.
PAUSE = MINUTE
# Visitors that one process remembers to have noted.
REMEMBERED = 50_000
MAX_USER_AGENT = 300


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
        self._noted: dict[tuple[int, str], int] = {}
        self._waiting: dict[tuple[int, str], Sighting] = {}

    def mark(self, viewer: Viewer, origin: Origin, token: str) -> None:
        """Note a visitor. Guests are told apart by their tokens."""
        visitor = f"u{viewer.user_id}" if viewer.user_id else f"g{_digest(token)}"
        key = viewer.site_id, visitor
        moment = now()
        if moment - self._noted.get(key, 0) < PAUSE:
            return
        if len(self._noted) >= REMEMBERED:
            self._noted.clear()
        self._noted[key] = moment
        self._waiting[key] = Sighting(
            viewer.site_id,
            visitor,
            viewer.user_id,
            moment,
            origin.address,
            origin.user_agent[:MAX_USER_AGENT],
        )

    async def flush(self) -> None:
        """Write down everyone who was noted since the last time."""
        if not self._waiting:
            return
        sightings, self._waiting = self._waiting, {}

        async def work(db: Queries) -> None:
            for sighting in sorted(sightings.values(), key=lambda one: (one.site_id, one.visitor)):
                await _record(db, sighting)

        try:
            await self._database.write(work)
        except Unavailable:
            self._waiting = {**sightings, **self._waiting}
            raise

    async def forget(self) -> None:
        """Drop visitors who have been away for long."""
        before = {"before": now() - DAY}
        await self._database.write(lambda db: db.run("delete from online where last_seen_at < :before", before))


async def _record(db: Queries, sighting: Sighting) -> None:
    await db.run(
        """
        insert into online as known (site_id, visitor, user_id, since, last_seen_at, ip, user_agent)
        values (:site_id, :visitor, :user_id, :moment, :moment, :ip, :user_agent)
        on conflict (site_id, visitor) do update set
            since = case when known.last_seen_at < :cutoff then excluded.since else known.since end,
            last_seen_at = excluded.last_seen_at, ip = excluded.ip, user_agent = excluded.user_agent
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
