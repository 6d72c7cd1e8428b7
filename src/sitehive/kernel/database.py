"""What the rest of the product asks of a database.

Statements are written once, in SQL that every database understands, with named parameters (`:name`).
A `Dialect` names the few differences. The implementations live in `backends/database`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = Sequence[Any]
Params = Mapping[str, Any]

NO_PARAMS: Params = {}


class UniqueViolation(Exception):  # noqa: N818  (the name databases give it)
    """A write would repeat a value that must be unique. `columns` says which ones, site_id aside."""

    def __init__(self, columns: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(columns)))
        self.columns = columns


class Dialect(Protocol):
    """The differences between databases that statements need to know."""

    name: str
    site_tables: str
    """A statement: all tables whose rows belong to sites, and a column that tells rows apart, if there is one."""
    columns: str
    """A statement: the names of the columns of `:table`."""
    self_test: str
    """A statement that looks for damage; it answers one row, `ok`, when there is none."""

    def share(self, table: str) -> str:
        """The end of a select whose rows of `table` nobody may change until the transaction ends."""
        ...

    def contains(self, column: str, parameter: str) -> str:
        """A condition: the column's text holds the parameter's text."""
        ...

    def search(
        self, table: str, columns: Sequence[str], text: str, site_id: int, *, small_site: bool = False
    ) -> tuple[str, Params]:
        """A condition: the row of `table` is found by its index `<table>_search`; and the parameters it needs.

        One of the index's `columns` must hold the text. Both are folded. In a small site the index first narrows the
        search to the site, so that it does not wade through the texts of larger ones.
        """
        ...

    def index_text(self, table: str, columns: Sequence[str]) -> str:
        """A statement that puts the texts `:<column>` of row `:id` into the index `<table>_search`."""
        ...

    def unindex_text(self, table: str) -> str:
        """A statement that takes the row `:id` out of the index `<table>_search`."""
        ...


class Queries(Protocol):
    """Runs statements: each on its own, or all inside one transaction."""

    @property
    def dialect(self) -> Dialect: ...

    async def one(self, sql: str, params: Params = ...) -> Row | None:
        """The first row, or None."""
        ...

    async def all(self, sql: str, params: Params = ...) -> Sequence[Row]:
        """Every row."""
        ...

    async def run(self, sql: str, params: Params = ...) -> int:
        """Run a statement that changes rows; answers how many it changed. Only inside a transaction."""
        ...

    async def run_long(self, sql: str, params: Params = ...) -> int:
        """Like `run`, for a statement that may take many milliseconds."""
        ...

    async def lock(self, site_id: int, name: str) -> None:
        """Let no other transaction that asks for the same lock go on until this one ends.

        For rules about several rows, which no unique index can hold. Only inside a transaction.
        """
        ...


class Database(Protocol):
    """One database, shared by everything in the process."""

    @property
    def dialect(self) -> Dialect: ...

    @property
    def reader(self) -> Queries: ...

    async def write(self, work: Callable[[Queries], Awaitable[T]]) -> T:
        """Run `work` in a transaction: committed, durably, when this returns; rolled back when `work` raises.

        `work` may await nothing but its transaction, and may be run again from the start if the database
        asks for it, so it must have no other effects.
        """
        ...

    async def close(self) -> None: ...
