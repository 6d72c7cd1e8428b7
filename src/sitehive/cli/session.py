"""What all commands share: options, the opened product, and how refusals and results are printed."""

import asyncio
import functools
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import click
import msgspec

from sitehive.app import Product, open_product
from sitehive.backends.database.migrate import FromTheFutureError, migrate
from sitehive.kernel.context import SUPERADMIN, Context, Origin, Viewer
from sitehive.kernel.database import Queries
from sitehive.kernel.errors import InvalidSite, Refusal
from sitehive.settings import Settings, SettingsError, load_settings

F = TypeVar("F", bound=Callable[..., Any])

data_option = click.option("--data", metavar="DIR", help="The data folder.  [default: $SITEHIVE_DATA or ./data]")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")


class PasswordOption(click.ParamType[str]):
    """`-` reads the password from standard input."""

    name = "PASSWORD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return sys.stdin.readline().rstrip("\r\n") if value == "-" else str(value)


password_option = click.option(
    "--password",
    type=PasswordOption(),
    prompt=True,
    hide_input=True,
    confirmation_prompt=True,
    help="`-` reads it from standard input; left out, it is asked for.",
)


def settings_for(data: str | None) -> Settings:
    if data:
        os.environ["SITEHIVE_DATA"] = data
    return load_settings()


@asynccontextmanager
async def opened(data: str | None) -> AsyncIterator[Product]:
    """The product, with its database up to date."""
    async with open_product(settings_for(data)) as product:
        await migrate(product.database)
        yield product


def system_context(product: Product, db: Queries, site_id: int) -> Context:
    """The operator at work in a site: every right, and no user."""
    viewer = Viewer(site_id, 0, SUPERADMIN, "login")
    return Context(viewer, db, Origin("req_cli", "127.0.0.1"), product.services)


def command(function: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a command's coroutine, and turn refusals into one line and exit code 1."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            asyncio.run(function(*args, **kwargs))
        except Refusal as refusal:
            raise click.ClickException(explain(refusal)) from None
        except (SettingsError, FromTheFutureError, ValueError, OSError) as error:
            raise click.ClickException(str(error)) from None

    return run


def explain(refusal: Refusal) -> str:
    if isinstance(refusal, InvalidSite):
        return "There is no such site."
    if not refusal.details:
        return refusal.message
    return "; ".join(f"{fault.field}: {fault.message}" for fault in refusal.details)


def show(result: Any, text: str, as_json: bool) -> None:
    """Print a result: the JSON object, or the text for a person."""
    click.echo(msgspec.json.encode(result).decode() if as_json else text)
