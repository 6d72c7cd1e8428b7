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
from functools import lru_cache
from hashlib import blake2b
from math import ceil
from pathlib import Path

from limits.storage import Storage

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
        # Written out in full: a hole in the file could not be filled on a full disk, and touching it kills the process.
        os.posix_fallocate(self._file, 0, BUCKETS * BUCKET_SIZE)
        self._table = mmap.mmap(self._file, BUCKETS * BUCKET_SIZE)

    def close(self) -> None:
        self._table.close()
        os.close(self._file)

    @property
    def base_exceptions(self) -> type[Exception]:
        return OSError

    def add(self, key: str, seconds: int, amount: int) -> tuple[int, float]:
        """Add to a key's count, which begins anew when its window has ended; answers the count and that end."""
        digest = _digest(key)
        now = time.time()
        with self._locked():
            place, count, end = self._find(digest, now)
            if end <= now:
                count, end = 0, now + seconds
            count = max(0, count + amount)
            SLOT.pack_into(self._table, place, digest, count, end)
        return count, end

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        return self.add(key, expiry, amount)[0]

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


@lru_cache(maxsize=65_536)
def _digest(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=16).digest()


class SharedFileLimiter:
    """Fixed windows that begin with the first hit. Counting and asking are one step, since every request does both."""

    def __init__(self, path: Path) -> None:
        self._storage = SharedFileStorage(path)

    async def hit(self, rule: Rule, key: str) -> Verdict:
        count, end = self._storage.add(_key(rule, key), rule.seconds, 1)
        seconds = max(1, ceil(end - time.time()))
        return Verdict(count <= rule.amount, max(0, rule.amount - count), seconds)

    async def refund(self, rule: Rule, key: str) -> None:
        self._storage.add(_key(rule, key), rule.seconds, -1)

    async def clear(self, rule: Rule, key: str) -> None:
        self._storage.clear(_key(rule, key))

    def close(self) -> None:
        self._storage.close()


def _key(rule: Rule, key: str) -> str:
    return f"{rule.name}/{rule.amount}/{rule.seconds}/{key}"
