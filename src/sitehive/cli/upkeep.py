"""`sitehive migrate`, `doctor` and `openapi`."""

import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import click
import msgspec

from sitehive.app import Product, open_product, registry
from sitehive.backends.database.migrate import migrate as bring_up_to_date
from sitehive.backends.database.migrate import pending
from sitehive.cli.session import command, data_option, json_option, settings_for, show
from sitehive.features.forums import checks as forums
from sitehive.features.messages import checks as messages
from sitehive.features.posts import checks as posts
from sitehive.features.users import checks as users
from sitehive.kernel.errors import Refusal
from sitehive.settings import SECRET_FILE
from sitehive.surfaces.openapi.document import render_document

# Earlier versions may lose data when a write-ahead log is reset.
OLDEST_SQLITE = (3, 51, 3)
# Of the rows that a check finds wrong, this many are shown.
SHOWN = 5


class Check(msgspec.Struct):
    name: str
    ok: bool
    note: str = ""


@click.command()
@data_option
@json_option
@command
async def migrate(data: str | None, as_json: bool) -> None:
    """Bring the database up to date. `serve` does it too."""
    async with open_product(settings_for(data)) as product:
        applied = await bring_up_to_date(product.database)
        show({"applied": applied}, "\n".join(applied) or "Nothing to do.", as_json)


@click.command()
@data_option
@json_option
@command
async def doctor(data: str | None, as_json: bool) -> None:
    """Look for trouble: settings, database, counters."""
    async with open_product(settings_for(data)) as product:
        checks = [check async for check in examine(product)]
    ok = all(check.ok for check in checks)
    lines = [f"{'ok  ' if check.ok else 'BAD '} {check.name}{': ' * bool(check.note)}{check.note}" for check in checks]
    show({"ok": ok, "checks": checks}, "\n".join(lines), as_json)
    if not ok:
        raise SystemExit(1)


async def examine(product: Product) -> AsyncIterator[Check]:
    yield check_data_folder(product.settings.data)
    yield check_secret(product)
    version = apsw.sqlite_lib_version()
    yield Check("SQLite is current", tuple(int(part) for part in version.split(".")) >= OLDEST_SQLITE, version)
    try:
        rows = await product.database.reader.all(product.database.dialect.self_test)
        yield Check("the database answers and is undamaged", [*rows[0]] == ["ok"], product.database.dialect.name)
        missing = await pending(product.database)
        yield Check("the database is up to date", not missing, ", ".join(missing))
        if not missing:
            for name, statement in {**users.CHECKS, **forums.CHECKS, **posts.CHECKS, **messages.CHECKS}.items():
                wrong = await product.database.reader.all(statement)
                yield Check(name, not wrong, "; ".join(f"site {row[0]}: {tuple(row[1:])}" for row in wrong[:SHOWN]))
    except Refusal as refusal:
        yield Check("the database answers", ok=False, note=refusal.message)


def check_data_folder(folder: Path) -> Check:
    return Check("the data folder can be written", os.access(folder, os.W_OK), str(folder.resolve()))


def check_secret(product: Product) -> Check:
    """A secret in a file is for the server's eyes only; nodes that share a database must share the secret too."""
    name = "the secret key is safe"
    if product.settings.secret_key:
        return Check(name, ok=True, note="from SITEHIVE_SECRET_KEY")
    path = product.settings.data / SECRET_FILE
    private = stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    note = str(path) if private else f"others can read {path}"
    if private and product.settings.database_url:
        note += "; several nodes on one database need the same SITEHIVE_SECRET_KEY"
    return Check(name, private, note)


@click.command()
@data_option
@json_option
@command
async def openapi(data: str | None, as_json: bool) -> None:
    """Print the OpenAPI document, which is JSON either way."""
    click.echo(render_document(registry(), settings_for(data).public_url).decode())
