"""`sitehive token`: issue tokens without a login."""

import click

from sitehive.cli.session import command, data_option, json_option, opened, show
from sitehive.features.identity.store import record_token
from sitehive.features.sites.store import find_by_name
from sitehive.kernel import limits
from sitehive.kernel.clock import now
from sitehive.kernel.errors import NotFound
from sitehive.kernel.fields import fold


@click.command()
@click.argument("site")
@click.option("--as", "username", metavar="USERNAME", help="Whose token; a guest's if left out.")
@click.option(
    "--ttl",
    type=click.IntRange(-limits.TOKEN_LIFETIME, limits.TOKEN_LIFETIME),
    default=limits.TOKEN_LIFETIME,
    show_default=True,
    metavar="SECONDS",
    help="How long the token lives. Zero or less makes one that has expired, to try a client with.",
)
@data_option
@json_option
@command
async def token(site: str, username: str | None, ttl: int, data: str | None, as_json: bool) -> None:
    """Print a token for SITE."""
    async with opened(data) as product:
        site_id, _ = await find_by_name(product.database.reader, site)
        if username is None:
            issued = product.tokens.issue(site_id, ttl=ttl)
        else:
            key = fold(username)
            row = await product.database.write(lambda db: record_token(db, site_id, key, now()))
            if row is None:
                raise NotFound(f"{site} has no user called {username}.")
            issued = product.tokens.issue(site_id, row[0], row[3], at=row[6], ttl=ttl)
        show({"token": issued}, issued, as_json)
