"""The databases: an embedded SQLite by default, Postgres by URL. Both speak `kernel.database.Database`."""

from pathlib import Path

from sitehive.backends.database.migrate import migrate
from sitehive.backends.database.postgres.database import PostgresDatabase, open_postgres
from sitehive.backends.database.sqlite.database import SqliteDatabase, open_sqlite

AnyDatabase = SqliteDatabase | PostgresDatabase


async def open_database(url: str, data: Path) -> AnyDatabase:
    """Open the database that the URL names; an empty one means the SQLite file in the data folder."""
    if not url:
        return open_sqlite(data / "sitehive.db")
    if url.startswith(("postgres://", "postgresql://")):
        return await open_postgres(url)
    raise ValueError("SITEHIVE_DATABASE_URL must be empty or begin with postgresql://")


__all__ = ["AnyDatabase", "migrate", "open_database"]
