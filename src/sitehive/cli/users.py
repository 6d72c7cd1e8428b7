"""`sitehive user`: make users."""

import click

from sitehive.app import Product
from sitehive.cli.session import (
    command,
    data_option,
    json_option,
    opened,
    password_option,
    show,
    system_context,
)
from sitehive.cli.sites import parse_new_user
from sitehive.features.sites.store import find_by_name
from sitehive.features.users import store
from sitehive.features.users.types import User
from sitehive.kernel.clock import now
from sitehive.kernel.database import Queries


@click.group()
def user() -> None:
    """Make users."""


@user.command("create")
@click.argument("username")
@click.option("--site", "site_name", required=True, metavar="NAME", help="The site that the user belongs to.")
@password_option
@click.option("--email", metavar="E", help="The user's e-mail address.")
@click.option("--level", type=click.IntRange(0, 10), default=1, show_default=True, help="The permission level.")
@data_option
@json_option
@command
async def create(
    username: str,
    site_name: str,
    password: str,
    email: str | None,
    level: int,
    data: str | None,
    as_json: bool,
) -> None:
    """Make a user called USERNAME."""
    async with opened(data) as product:
        site_id, _ = await find_by_name(product.database.reader, site_name)
        made = await add_user(product, site_id, username, password, email, level)
        show(made, f"User {made.username} (id {made.id}, level {made.level}) belongs to {site_name}.", as_json)


async def add_user(product: Product, site_id: int, username: str, password: str, email: str | None, level: int) -> User:
    new = parse_new_user(username, password, email)
    hashed = await product.passwords.hash(password)

    async def work(db: Queries) -> User:
        user_id = await store.insert(db, site_id, new, hashed, level=level, now=now())
        return await store.find(system_context(product, db, site_id), user_id)

    return await product.database.write(work)
