"""SQLite as a `kernel.database.Database`."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from sitehive.backends.database.sqlite.connection import connect
from sitehive.backends.database.sqlite.reader import SqliteReader
from sitehive.backends.database.sqlite.writer import SqliteWriter
from sitehive.kernel.database import Params, Queries

T = TypeVar("T")


class SqliteDialect:
    name = "sqlite"
    row_id = "rowid"
    site_tables = """
        select tables.name from sqlite_schema as tables join pragma_table_info(tables.name) as columns
        where tables.type = 'table' and columns.name = 'site_id' order by tables.name
    """
    columns = "select name from pragma_table_info(:table) order by cid"
    self_test = "pragma quick_check"

    def contains(self, column: str, parameter: str) -> str:
        return f"instr({column}, :{parameter}) > 0"

    def search(self, index: str, columns: Sequence[str], text: str) -> tuple[str, Params]:
        if len(text) < 3:  # shorter than a trigram: no index can help
            found = " or ".join(self.contains(f"{index}.{column}", "search_text") for column in columns)
            return f"({found})", {"search_text": text}
        phrase = text.replace('"', '""')
        return (
            f"{index}.id in (select rowid from {index}_search where {index}_search match :search_phrase)",
            {"search_phrase": f'{{{" ".join(columns)}}} : "{phrase}"'},
        )


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
    connect(path, writes=True).close()  # makes the file, so that readers can open it
    return SqliteDatabase(path)
