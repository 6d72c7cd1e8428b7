"""SQLite as a `kernel.database.Database`."""

import fcntl
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from sitehive.backends.database.sqlite.connection import connect
from sitehive.backends.database.sqlite.reader import SqliteReader
from sitehive.backends.database.sqlite.writer import SqliteWriter
from sitehive.kernel.database import Params, Queries

T = TypeVar("T")


# A longer text is looked up by this many of its trigrams: together they are rare enough, and each costs time.
MAX_GRAMS = 3


def trigrams(text: str) -> list[str]:
    return list(dict.fromkeys(text[place : place + 3] for place in range(len(text) - 2)))


def spread(grams: list[str]) -> list[str]:
    """A few trigrams from all over a text: neighbours say nearly the same."""
    if len(grams) <= MAX_GRAMS:
        return grams
    return [grams[place * (len(grams) - 1) // (MAX_GRAMS - 1)] for place in range(MAX_GRAMS)]


class SqliteDialect:
    name = "sqlite"
    site_tables = """
        select tables.name, case when tables.wr then null else 'rowid' end
        from pragma_table_list as tables join pragma_table_info(tables.name) as columns
        where tables.type = 'table' and columns.name = 'site_id' order by tables.name
    """
    columns = "select name from pragma_table_info(:table) order by cid"
    self_test = "pragma quick_check"

    def share(self, table: str) -> str:
        return ""  # there is one writer

    def contains(self, column: str, parameter: str) -> str:
        return f"instr({column}, :{parameter}) > 0"

    def search(
        self, table: str, columns: Sequence[str], text: str, site_id: int, *, small_site: bool = False
    ) -> tuple[str, Params]:
        index = f"{table}_search"
        held = " or ".join(self.contains(f"{index}.{column}", "search_text") for column in columns)
        if len(text) < 3:  # shorter than a trigram: the index cannot help, so the site's rows are gone through
            return f"exists (select 1 from {index} where rowid = {table}.id and ({held}))", {"search_text": text}
        # The index knows which trigrams a row holds, its site's mark among them, but not where: the text decides.
        grams = spread(trigrams(text)) + (trigrams(f"<{site_id}>") if small_site else [])
        match = " AND ".join('"' + gram.replace('"', '""') + '"' for gram in grams)
        found = f"select rowid from {index} where {index} match :search_match and ({held})"
        return f"{table}.id in ({found})", {"search_match": match, "search_text": text}

    def index_text(self, table: str, columns: Sequence[str]) -> str:
        names, values = ", ".join(columns), ", ".join(f":{column}" for column in columns)
        return f"insert into {table}_search (rowid, site, {names}) values (:id, '<' || :site_id || '>', {values})"

    def unindex_text(self, table: str) -> str:
        return f"delete from {table}_search where rowid = :id"


class SqliteDatabase:
    dialect = SqliteDialect()

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = SqliteWriter(path, self.dialect)
        self.reader = SqliteReader(path, self.dialect)

    async def write(self, work: Callable[[Queries], Awaitable[T]]) -> T:
        return await self._writer.write(work)

    async def close(self) -> None:
        await self._writer.close()
        self.reader.close()


def open_sqlite(path: Path) -> SqliteDatabase:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o600)  # it holds the hashes of passwords; what SQLite puts beside it takes the same mode
    with path.with_name(f"{path.name}.lock").open("a") as lock:
        # Of processes that start together, one makes it a database; SQLite would turn the others away.
        fcntl.flock(lock, fcntl.LOCK_EX)
        connect(path, writes=True).close()
    return SqliteDatabase(path)
