"""Notes when API keys were last used, without a write for each request."""

from sitehive.kernel.clock import MINUTE, now
from sitehive.kernel.database import Database, Queries
from sitehive.kernel.errors import Unavailable

# A key that was noted this recently need not be noted again.
PAUSE = MINUTE
# Keys that one process remembers to have noted.
REMEMBERED = 10_000


class KeyUsage:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._noted: dict[int, int] = {}
        self._waiting: dict[int, tuple[int, str, int]] = {}

    def mark(self, key_id: int, site_id: int, digest: str) -> None:
        """Note a use. `digest` is the key's under the current secret, which a rotation may have changed."""
        moment = now()
        if moment - self._noted.get(key_id, 0) < PAUSE:
            return
        if len(self._noted) >= REMEMBERED:
            self._noted.clear()
        self._noted[key_id] = moment
        self._waiting[key_id] = site_id, digest, moment

    async def flush(self) -> None:
        if not self._waiting:
            return
        used, self._waiting = self._waiting, {}

        async def work(db: Queries) -> None:
            for key_id, (site_id, digest, moment) in sorted(used.items()):
                await db.run(
                    "update api_keys set last_used_at = :moment, hash = :digest where site_id = :site_id and id = :id",
                    {"moment": moment, "digest": digest, "site_id": site_id, "id": key_id},
                )

        try:
            await self._database.write(work)
        except Unavailable:
            self._waiting = {**used, **self._waiting}
            raise
