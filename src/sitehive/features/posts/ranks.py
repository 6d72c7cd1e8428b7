"""Finding a place in a long list of posts at once, and counting it.

Posts are counted in spans of identifiers, wide and narrow (the table `post_ranks`). To reach the 20,000th newest post,
the widest spans are added up until they pass it, then the narrower ones inside the span where that happens; at most a
few dozen posts remain to be skipped. So a deep page costs a few small reads more than the first, and not one for each
post before it.
"""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from sitehive.kernel import limits
from sitehive.kernel.context import Context

ANY_FORUM = -1
# Spans hold 2^6, 2^12 and 2^18 identifiers: 64 of one make one of the next.
SPANS = (18, 12, 6)
# Below this many posts, skipping them one by one is as fast.
WORTH_IT = 128


class Ranks(Struct):
    """The posts of some statuses, in the whole site or in one forum."""

    forum_id: int
    statuses: tuple[int, ...]
    widest: list[tuple[int, int]]

    @classmethod
    async def of(cls, ctx: Context, forum_id: int, statuses: tuple[int, ...]) -> "Ranks":
        found = cls(forum_id, statuses, [])
        found.widest = await found._count(ctx, SPANS[0])
        return found

    @property
    def total(self) -> int:
        return sum(n for _, n in self.widest)

    async def locate(self, ctx: Context, offset: int, *, newest_first: bool) -> tuple[int, int]:
        """Where the post at `offset` is: the identifier to start from, and how many posts to skip from there.

        The list must be longer than `offset`.
        """
        bucket, offset = _walk(self.widest, offset, newest_first)
        for wide, narrow in pairwise(SPANS):
            fan = 1 << (wide - narrow)
            inside = await self._count(ctx, narrow, bucket * fan, bucket * fan + fan - 1)
            bucket, offset = _walk(inside, offset, newest_first)
        width = 1 << SPANS[-1]
        return (bucket * width + width - 1 if newest_first else bucket * width), offset

    async def _count(self, ctx: Context, span: int, first: int = 0, last: int = limits.MAX_ID) -> list[tuple[int, int]]:
        """How many posts lie in each span of one width, from low identifiers to high."""
        rows = await ctx.db.all(
            "select bucket, n from post_ranks where site_id = :site_id and forum_id = :forum_id"
            f" and status in ({listed(self.statuses)}) and span = {span} and bucket >= :first and bucket <= :last",
            {"site_id": ctx.site_id, "forum_id": self.forum_id, "first": first, "last": last},
        )
        # The statuses are added up here: the rows are few, and the database would sort them first.
        counts: dict[int, int] = {}
        for bucket, n in rows:
            counts[bucket] = counts.get(bucket, 0) + n
        return sorted(counts.items())


def _walk(spans: list[tuple[int, int]], offset: int, newest_first: bool) -> tuple[int, int]:
    """Go through spans until one holds the post at `offset`; answers which, and the offset inside it."""
    for bucket, n in reversed(spans) if newest_first else spans:
        if offset < n:
            return bucket, offset
        offset -= n
    raise IndexError(f"the list is shorter than {offset}")


def listed(statuses: Sequence[int]) -> str:
    """Numbers of ours, for a statement; an empty list matches nothing."""
    return ", ".join(str(status) for status in statuses) or "null"
