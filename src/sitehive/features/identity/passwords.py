"""Passwords are kept as Argon2id hashes. Hashing takes tens of milliseconds, so it never runs on the event loop."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import argon2
from argon2.exceptions import InvalidHashError, VerificationError

from sitehive.kernel.errors import Unavailable

T = TypeVar("T")

# 19 MiB, two passes, one lane: 34 ms on the machine this was chosen on.
HASHER = argon2.PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=argon2.Type.ID)
# Hashes that may wait for a thread; more are refused, since a flood of logins must not pile up.
MAX_WAITING = 200


class Passwords:
    """Hashes and verifies in threads that leave at least half of the cores to everything else."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2), "passwords")
        self._waiting = 0
        self._decoy: str | None = None

    async def hash(self, password: str) -> str:
        return await self._in_thread(HASHER.hash, password)

    async def verify(self, hashed: str | None, password: str) -> bool:
        """Whether the password is the one that was hashed. An unknown user (None) costs the same time."""
        return await self._in_thread(self._verify, hashed, password)

    def is_outdated(self, hashed: str) -> bool:
        """Whether a hash was made with other parameters than today's."""
        return HASHER.check_needs_rehash(hashed)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _verify(self, hashed: str | None, password: str) -> bool:
        if self._decoy is None:
            self._decoy = HASHER.hash(os.urandom(16).hex())
        try:
            return HASHER.verify(hashed or self._decoy, password) and hashed is not None
        except (VerificationError, InvalidHashError):
            return False

    async def _in_thread(self, function: Callable[..., T], *args: object) -> T:
        if self._waiting >= MAX_WAITING:
            raise Unavailable("Too many logins are waiting.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, function, *args)
        finally:
            self._waiting -= 1
