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
    row_id: str
    """A column that tells any row of a table from the others."""
    site_tables: str
    """A statement: the names of all tables whose rows belong to sites."""
    columns: str
    """A statement: the names of the columns of `:table`."""
    self_test: str
    """A statement that looks for damage; it answers one row, `ok`, when there is none."""

    def contains(self, column: str, parameter: str) -> str:
        """A condition: the column's text holds the parameter's text."""
        ...

    def search(self, index: str, columns: Sequence[str], text: str) -> tuple[str, Params]:
        """A condition on `index`'s table, answered by its trigram index, and the parameters it needs.

        `index` is the table's name and alias in the statement (`users`), each of `columns` a folded text
        column with an index of its own, `text` the folded text that one of them must hold.
        """
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
