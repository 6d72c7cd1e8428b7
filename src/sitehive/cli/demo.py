"""What `serve --demo` puts into an empty data folder."""

from sitehive.app import Product
from sitehive.cli.sites import create_site
from sitehive.cli.users import add_user

SITE, PASSWORD = "demo", "sitehive-demo"
MEMBERS = {"moderator": 6, "alice": 1, "bob": 1}


async def fill(product: Product) -> bool:
    """Make the demo site, unless there are sites already; answers whether it did."""
    row = await product.database.reader.one("select count(*) from sites")
    if row and row[0]:
        return False
    made = await create_site(product, SITE, "admin", PASSWORD, "admin@example.com", 2)
    for username, level in MEMBERS.items():
        await add_user(product, made.site.id, username, PASSWORD, f"{username}@example.com", level)
    return True


def tour(base: str) -> str:
    return f"""
  Sitehive is running with a demo site at {base}

    Accounts   admin, moderator, alice, bob   (password: {PASSWORD})
    Explore    {base}/docs

  Try it:

    curl -s {base}/v1/auth/login -H 'Content-Type: application/json' \\
      -d '{{"site": "{SITE}", "username": "alice", "password": "{PASSWORD}"}}'
"""
