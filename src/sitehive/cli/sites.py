"""`sitehive site`: make, set up and remove sites."""

import click
import msgspec

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
from sitehive.features.sites import provision
from sitehive.features.sites import store as sites
from sitehive.features.sites.store import find_by_name, visible_config
from sitehive.features.sites.types import Site
from sitehive.features.users import store as users
from sitehive.features.users.operations import create_user
from sitehive.features.users.types import CreateUser, User
from sitehive.kernel.clock import now
from sitehive.kernel.context import SUPERADMIN, Viewer
from sitehive.kernel.database import Queries

TYPES = {"tag": 1, "lua": 2, "native": 3}


class NewSite(msgspec.Struct):
    site: Site
    owner: User


@click.group()
def site() -> None:
    """Make, set up and remove sites."""


@site.command("create")
@click.argument("name")
@click.option("--owner", required=True, metavar="USERNAME", help="The site's first superadmin.")
@password_option
@click.option("--email", metavar="E", help="The owner's e-mail address.")
@click.option("--type", "kind", type=click.Choice(list(TYPES)), default="tag", show_default=True)
@data_option
@json_option
@command
async def create(
    name: str, owner: str, password: str, email: str | None, kind: str, data: str | None, as_json: bool
) -> None:
    """Make a site called NAME, with a superadmin who owns it."""
    async with opened(data) as product:
        made = await create_site(product, name, owner, password, email, TYPES[kind])
        show(
            made,
            f"Site {made.site.name} (id {made.site.id}) is ready; {made.owner.username} owns it.",
            as_json,
        )


async def create_site(product: Product, name: str, owner: str, password: str, email: str | None, kind: int) -> NewSite:
    provision.check_name(name)
    new = parse_new_user(owner, password, email)
    hashed = await product.passwords.hash(password)

    async def work(db: Queries) -> NewSite:
        moment = now()
        site_id = await provision.insert(db, name, kind, moment)
        owner_id = await users.insert(db, site_id, new, hashed, level=SUPERADMIN, now=moment)
        await provision.set_owner(db, site_id, owner_id)
        ctx = system_context(product, db, site_id)
        return NewSite(await sites.find(ctx, site_id), await users.find(ctx, owner_id))

    return await product.database.write(work)


def parse_new_user(username: str, password: str, email: str | None) -> CreateUser:
    values = {"username": username, "password": password} | ({} if email is None else {"email": email})
    new = create_user.shape.parse_values(values)
    assert isinstance(new, CreateUser)  # noqa: S101  (it is what the shape was made from)
    return new


@site.command("config")
@click.argument("name")
@click.argument("changes", nargs=-1, metavar="[KEY=VALUE]...")
@data_option
@json_option
@command
async def config(name: str, changes: tuple[str, ...], data: str | None, as_json: bool) -> None:
    """Show the settings of the site NAME, or change some, e.g. jwt_enabled=false."""
    given = {}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise click.UsageError(f"{change!r} is not of the form key=value")
        given[key] = value
    async with opened(data) as product:
        site_id, settings = await find_by_name(product.database.reader, name)
        if given:
            settings = await product.database.write(lambda db: provision.configure(db, site_id, given))
        shown = visible_config(settings, Viewer(site_id, 0, SUPERADMIN, "login"))
        show(shown, "\n".join(f"{key}={msgspec.json.encode(shown[key]).decode()}" for key in shown), as_json)


@site.command("delete")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Really do it. There is no way back.")
@data_option
@json_option
@command
async def delete(name: str, yes: bool, data: str | None, as_json: bool) -> None:
    """Remove the site NAME and everything in it."""
    if not yes:
        raise click.UsageError("this removes the site and everything in it; say --yes if you mean it")
    async with opened(data) as product:
        site_id, _ = await find_by_name(product.database.reader, name)
        await provision.remove(product.database, site_id)
        show({"deleted": name}, f"Site {name} is gone.", as_json)
