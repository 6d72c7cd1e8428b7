"""Slows down guessing of passwords: by account and address together, and by address over all accounts.

An attempt is counted before the password is looked at and taken back when it was right, so that many at once cannot
slip through. Nobody's account is ever locked: other addresses are not affected, and a window ends by itself.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from sitehive.kernel import limits
from sitehive.kernel.context import Origin
from sitehive.kernel.errors import RateLimited, Unauthorized
from sitehive.kernel.limiter import Limiter, Rule, counted_as

PER_ACCOUNT = Rule("login-account", limits.LOGIN_FAILURES_PER_ACCOUNT, limits.LOGIN_WINDOW)
PER_ADDRESS = Rule("login-address", limits.LOGIN_FAILURES_PER_ADDRESS, limits.LOGIN_WINDOW)


class LoginThrottle:
    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def attempt(self, site_id: int, account: str, origin: Origin) -> AsyncIterator[None]:
        """Around the check of a password: it counts as a failure if it raises `Unauthorized`."""
        address = counted_as(origin.address)
        pair = f"{site_id}\n{address}\n{account}"
        # One at a time for each pair: otherwise right passwords sent in parallel would count against each other.
        turn = self._turns.setdefault(pair, asyncio.Lock())
        async with turn:
            await self._count(PER_ACCOUNT, pair)
            try:
                await self._count(PER_ADDRESS, address)
            except RateLimited:
                await self._limiter.refund(PER_ACCOUNT, pair)
                raise
            try:
                yield
            except Unauthorized:
                raise
            except BaseException:
                await self._limiter.refund(PER_ACCOUNT, pair)
                await self._limiter.refund(PER_ADDRESS, address)
                raise
            await self._limiter.clear(PER_ACCOUNT, pair)
            await self._limiter.refund(PER_ADDRESS, address)

    async def _count(self, rule: Rule, key: str) -> None:
        verdict = await self._limiter.hit(rule, key)
        if not verdict.allowed:
            raise RateLimited("Too many failed logins; try again later.", retry_after=verdict.seconds_to_reset)
