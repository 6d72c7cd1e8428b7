"""What `serve --demo` puts into an empty data folder: a small site, made through the same operations as any other."""

from typing import Any

from sitehive.app import Product
from sitehive.cli.sites import create_site
from sitehive.cli.users import add_user
from sitehive.features.sites import provision
from sitehive.kernel.context import SUPERADMIN, Origin, Viewer
from sitehive.kernel.dispatch import Dispatcher

SITE, PASSWORD = "demo", "sitehive-demo"  # published, for trying things out
MEMBERS = {"moderator": 6, "alice": 1, "bob": 1}
CONFIG = {"title": "The demo site", "description": "A place to try things out."}

FORUMS = ("Announcements", "Garden", "Kitchen")
POSTS = (
    (
        "admin",
        "Announcements",
        "md",
        "Welcome",
        "# Welcome\n\nThis site was made by `sitehive serve --demo`. Look around.",
    ),
    ("alice", "Garden", "bbcode", "First tomatoes", "They are [b]finally[/b] red! [i]Who wants some?[/i]"),
    ("bob", "Garden", "text", "Slugs", "They ate my lettuce.\nAll of it.\n\nAny advice?"),
    (
        "bob",
        "Kitchen",
        "html",
        "Bread without kneading",
        "<p>Flour, water, salt, yeast, and <b>eighteen hours</b>.</p>",
    ),
)
DRAFT = ("alice", "Kitchen", "md", "Tomato jam", "Still working on this one.")
MESSAGES = (
    ("alice", "bob", "Did you try beer traps?"),
    ("bob", "alice", "They drink it and come back with friends."),
    ("moderator", "alice", "Lovely photos, thank you!"),
)


class Demo:
    """Calls operations as the people of the demo site."""

    def __init__(self, product: Product, viewers: dict[str, Viewer]) -> None:
        self._dispatcher = Dispatcher(product.database, product.services, product.background)
        self._registry = product.registry
        self._viewers = viewers

    async def call(self, who: str, name: str, /, **values: Any) -> Any:
        async def read(operation: Any) -> Any:
            return operation.shape.parse_values(values)

        origin = Origin("req_demo", "127.0.0.1")
        return await self._dispatcher.call(self._registry[name], self._viewers[who], origin, read)


async def fill(product: Product) -> bool:
    """Make the demo site, unless there are sites already; answers whether it is there."""
    names = [row[0] for row in await product.database.reader.all("select name from sites order by id limit 1")]
    if names:
        return names == [SITE]
    demo = await _people(product)
    forums = {name: (await demo.call("admin", "forums.create", name=name)).id for name in FORUMS}
    for status, (who, forum, form, title, content) in [*((1, post) for post in POSTS), (0, DRAFT)]:
        await demo.call(
            who, "posts.create", forumid=forums[forum], title=title, content=content, format=form, status=status
        )
    for sender, receiver, content in MESSAGES:
        await demo.call(sender, "messages.send", username=receiver, content=content)
    return True


async def _people(product: Product) -> Demo:
    made = await create_site(product, SITE, "admin", PASSWORD, "admin@example.com", 2)
    site_id = made.site.id
    await product.database.write(lambda db: provision.configure(db, site_id, CONFIG))
    viewers = {"admin": Viewer(site_id, made.owner.id, SUPERADMIN, "login")}
    for username, level in MEMBERS.items():
        user = await add_user(product, site_id, username, PASSWORD, f"{username}@example.com", level)
        viewers[username] = Viewer(site_id, user.id, level, "login")
    return Demo(product, viewers)


def tour(base: str) -> str:
    return f"""
  Sitehive is running with a demo site at {base}

    Accounts   admin, moderator, alice, bob   (password: {PASSWORD})
    Explore    {base}/docs

  Try it:

    curl -s {base}/v1/auth/login -H 'Content-Type: application/json' \\
      -d '{{"site": "{SITE}", "username": "alice", "password": "{PASSWORD}"}}'
"""
