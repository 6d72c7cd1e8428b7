"""Lists come in pages: 1-based, of bounded size, with an exact total."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Generic, TypeVar

from msgspec import Meta, Struct

from sitehive.kernel import limits

T = TypeVar("T")

PageNumber = Annotated[int, Meta(ge=1, le=limits.MAX_PAGE, description="Which page, counted from 1.")]
PageSize = Annotated[
    int,
    Meta(
        ge=1,
        le=limits.MAX_ID,
        description=f"Items on a page; more than {limits.MAX_PAGE_SIZE} count as that.",
    ),
]


class PageQuery(Struct, kw_only=True, forbid_unknown_fields=True):
    """The part that the inputs of all paginated lists share."""

    page: PageNumber = 1
    limit: PageSize = limits.PAGE_SIZE

    def __post_init__(self) -> None:
        self.limit = min(self.limit, limits.MAX_PAGE_SIZE)

    @property
    def window(self) -> dict[str, int]:
        """The parameters of a statement that ends in `WINDOW`."""
        return {"window_limit": self.limit, "window_offset": (self.page - 1) * self.limit}


WINDOW = " limit :window_limit offset :window_offset"


class Pagination(Struct, rename="camel"):
    page: int
    limit: int
    total_items: int
    total_pages: int
    has_next: bool
    has_prev: bool


class Page(Struct, Generic[T]):
    """One page of a list, and how much there is in all."""

    items: Sequence[T]
    total: int
    page: int
    limit: int

    @classmethod
    def of(cls, items: Sequence[T], total: int, query: PageQuery) -> "Page[T]":
        return cls(items, total, query.page, query.limit)

    @property
    def pagination(self) -> Pagination:
        pages = -(-self.total // self.limit)
        return Pagination(self.page, self.limit, self.total, pages, has_next=self.page < pages, has_prev=self.page > 1)


def order_by(sort: str, columns: Mapping[str, str], tie: str) -> str:
    """The `order by` clause for a sort that decoding has already checked; ties follow `tie`, in the same direction."""
    direction = " desc" if sort.startswith("-") else ""
    column = columns[sort.removeprefix("-")]
    return f" order by {column}{direction}" if column == tie else f" order by {column}{direction}, {tie}{direction}"
