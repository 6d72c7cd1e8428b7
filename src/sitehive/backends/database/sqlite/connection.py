"""Opening a SQLite file the way the product needs it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from sitehive.kernel.database import UniqueViolation
from sitehive.kernel.errors import Unavailable

# Statements kept prepared on each connection; the product has a few hundred different ones.
STATEMENT_CACHE = 400
# How long a connection waits for a lock it does not expect to meet (recovery after a crash), in milliseconds.
BUSY_TIMEOUT = 5_000
# Pages cached by each connection, in KiB.
CACHE = 8_192

_REFUSED = (
    apsw.FullError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.BusyError,
    apsw.ReadOnlyError,
    apsw.NoMemError,
)


def connect(path: Path, *, writes: bool = False) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if writes else 0)
    connection = apsw.Connection(str(path), flags=flags, statementcachesize=STATEMENT_CACHE)
    connection.set_busy_timeout(BUSY_TIMEOUT)
    if writes:
        connection.execute("pragma journal_mode = wal")
        # FULL: a commit is on the disk before it is acknowledged, so it survives a power cut.
        connection.execute("pragma synchronous = full")
    else:
        connection.execute("pragma query_only = on")
    connection.execute(f"pragma cache_size = -{CACHE}")
    connection.execute("pragma temp_store = memory")
    return connection


@contextmanager
def translated() -> Iterator[None]:
    """Raise the product's errors in place of the driver's."""
    try:
        yield
    except apsw.ConstraintError as error:
        columns = re.findall(r"\w+\.(\w+)", str(error))
        if not str(error).startswith("UNIQUE "):
            raise
        raise UniqueViolation(frozenset(columns) - {"site_id"}) from error
    except _REFUSED as error:
        raise Unavailable("The database cannot take this right now.") from error
