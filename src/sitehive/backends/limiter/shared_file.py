"""Counters in a small memory-mapped file, shared by every process of one machine and kept across restarts.

The table has a fixed size: a key's digest picks a bucket, and within it a free, expired or least used slot. A lock on
the file makes each change atomic; the kernel drops it when its holder dies. A hit costs a few microseconds.
"""

import fcntl
import mmap
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from limits import RateLimitItemPerSecond
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from sitehive.kernel.limiter import Rule, Verdict

SLOT = struct.Struct("<16sqd")  # digest of the key, count, end of its window
SLOTS_IN_BUCKET = 8
BUCKETS = 8_192
BUCKET_SIZE = SLOT.size * SLOTS_IN_BUCKET


class SharedFileStorage(Storage):
    """A storage of the `limits` library. Keys are only known by their digests."""

    STORAGE_SCHEME = None

    def __init__(self, path: Path) -> None:
        super().__init__(None)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(self._file, BUCKETS * BUCKET_SIZE)
        self._table = mmap.mmap(self._file, BUCKETS * BUCKET_SIZE)

    def close(self) -> None:
        self._table.close()
        os.close(self._file)

    @property
    def base_exceptions(self) -> type[Exception]:
        return OSError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        digest = _digest(key)
        now = time.time()
        with self._locked():
            place, count, end = self._find(digest, now)
            if end <= now:
                count, end = 0, now + expiry
            count = max(0, count + amount)
            SLOT.pack_into(self._table, place, digest, count, end)
        return count

    def get(self, key: str) -> int:
        now = time.time()
        with self._locked():
            _, count, end = self._find(_digest(key), now)
        return count if end > now else 0

    def get_expiry(self, key: str) -> float:
        now = time.time()
        with self._locked():
            _, _, end = self._find(_digest(key), now)
        return max(end, now)

    def check(self) -> bool:
        return not self._table.closed

    def reset(self) -> int | None:
        with self._locked():
            self._table[:] = bytes(BUCKETS * BUCKET_SIZE)
        return None

    def clear(self, key: str) -> None:
        now = time.time()
        with self._locked():
            place, _, end = self._find(_digest(key), now)
            if end > now:
                SLOT.pack_into(self._table, place, bytes(16), 0, 0.0)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _find(self, digest: bytes, now: float) -> tuple[int, int, float]:
        """The key's slot, or the one it may take: place, count, end of the window (0 if it is not the key's)."""
        start = int.from_bytes(digest[:4], "little") % BUCKETS * BUCKET_SIZE
        spare, least = start, float("inf")
        for place in range(start, start + BUCKET_SIZE, SLOT.size):
            owner, count, end = SLOT.unpack_from(self._table, place)
            if owner == digest:
                return place, count, end
            use = count if end > now else -1
            if use < least:
                spare, least = place, use
        return spare, 0, 0.0


def _digest(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=16).digest()


class SharedFileLimiter:
    def __init__(self, path: Path) -> None:
        self._storage = SharedFileStorage(path)
        self._strategy = FixedWindowRateLimiter(self._storage)
        self._items: dict[Rule, RateLimitItemPerSecond] = {}

    async def hit(self, rule: Rule, key: str) -> Verdict:
        item = self._item(rule)
        allowed = self._strategy.hit(item, key)
        stats = self._strategy.get_window_stats(item, key)
        return Verdict(allowed, stats.remaining, max(1, round(stats.reset_time - time.time())))

    async def refund(self, rule: Rule, key: str) -> None:
        item = self._item(rule)
        self._storage.incr(item.key_for(key), item.get_expiry(), -1)

    async def clear(self, rule: Rule, key: str) -> None:
        self._strategy.clear(self._item(rule), key)

    def close(self) -> None:
        self._storage.close()

    def _item(self, rule: Rule) -> RateLimitItemPerSecond:
        item = self._items.get(rule)
        if item is None:
            item = self._items[rule] = RateLimitItemPerSecond(rule.amount, rule.seconds, namespace=rule.name)
        return item
