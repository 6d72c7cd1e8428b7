"""A site full of people, made anew for a test that acts in it."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sitehive.app import Product, open_product
from sitehive.features.api_keys import keys
from sitehive.features.identity.passwords import HASHER
from sitehive.features.sites import provision
from sitehive.features.users import store as users
from sitehive.features.users.types import BANNED, DELETED, CreateUser
from sitehive.kernel.clock import now
from sitehive.kernel.database import Queries
from sitehive.settings import load_settings
from tests.support.server import Server

PASSWORD = "sitehive-test"

# Everyone whom a test may act as, by level; the two last are not who they were.
LEVELS = {
    "owner": 10,
    "second": 10,
    "chief": 9,
    "admin": 8,
    "moderator": 6,
    "senior": 5,
    "alice": 1,
    "bob": 1,
    "zero": 0,
}
FALLEN = {"banned": BANNED, "deleted": DELETED}
# The viewers of the isolation harness: no credential, and each kind of credential.
VIEWERS = ("nobody", "guest", "alice", "senior", "moderator", "admin", "owner", "banned", "key")


@dataclass
class World:
    """One site. `ids` are its people's, `credentials` what each sends as `Authorization`."""

    server: Server
    site: str
    site_id: int
    canary: str
    ids: dict[str, int] = field(default_factory=dict)
    credentials: dict[str, str] = field(default_factory=dict)

    def fill(self, template: str) -> str:
        """Put ids into a path: `/users/{alice}`."""
        return template.format(site=self.site_id, **self.ids)


@lru_cache
def password_hash() -> str:
    return HASHER.hash(PASSWORD)


def make_world(server: Server) -> World:
    return asyncio.run(_make_world(server))


async def _make_world(server: Server) -> World:
    async with open_product(load_settings(server.environ)) as product:

        async def work(db: Queries) -> World:
            return await _people(product, db, server)

        return await product.database.write(work)


def hash_of(world: World, name: str) -> str:
    """The stored hash of somebody's password."""
    sql = "select password from users where site_id = :site_id and id = :id"
    row: Any = asyncio.run(_run(world, sql, {"id": world.ids[name]}))
    return str(row[0])


def set_hash(world: World, name: str, hashed: str) -> None:
    sql = "update users set password = :hash where site_id = :site_id and id = :id returning id"
    asyncio.run(_run(world, sql, {"id": world.ids[name], "hash": hashed}))


async def _run(world: World, sql: str, params: dict[str, Any]) -> Any:
    async with open_product(load_settings(world.server.environ)) as product:
        return await product.database.write(lambda db: db.one(sql, {**params, "site_id": world.site_id}))


async def _people(product: Product, db: Queries, server: Server) -> World:
    canary = secrets.token_hex(4)
    site_id = await provision.insert(db, f"site-{canary}", 2, now())
    world = World(server, f"site-{canary}", site_id, canary)
    world.credentials["guest"] = f"Bearer {product.tokens.issue(site_id)}"
    for name, level in {**LEVELS, **dict.fromkeys(FALLEN, 1)}.items():
        new = CreateUser(username=f"{name}-{canary}", password=PASSWORD, email=f"{name}@{canary}.example")
        user_id = await users.insert(db, site_id, new, password_hash(), level=level, now=now())
        world.ids[name] = user_id
        world.credentials[name] = f"Bearer {product.tokens.issue(site_id, user_id, level)}"
    for name, kind in FALLEN.items():
        await db.run(
            "update users set type = :type where site_id = :site_id and id = :id",
            {"type": kind, "site_id": site_id, "id": world.ids[name]},
        )
    await provision.set_owner(db, site_id, world.ids["owner"])
    world.credentials["key"], world.ids["key"] = await _key(product, db, world)
    await _content(db, world)
    return world


async def _key(product: Product, db: Queries, world: World) -> tuple[str, int]:
    key = keys.generate()
    row: Any = await db.one(
        """
        insert into api_keys (site_id, owner_id, name, hash, prefix, level, scopes, created_at)
        values (:site_id, :owner_id, :name, :hash, :prefix, 10, '["*"]', :now) returning id
        """,
        {
            "site_id": world.site_id,
            "owner_id": world.ids["owner"],
            "name": f"key-{world.canary}",
            "hash": keys.digest(key, product.keyring.current),
            "prefix": keys.display(key),
            "now": now(),
        },
    )
    return key, int(row[0])


async def _content(db: Queries, world: World) -> None:
    """A forum of alice with a post and a draft in it, and a message from her to bob."""
    forum: Any = await db.one(
        "insert into forums (site_id, name, name_key, position, parent_id, owner_id, created_at)"
        " values (:site_id, :name, :name, 1, 0, :owner_id, :now) returning id",
        {"site_id": world.site_id, "name": f"forum {world.canary}", "owner_id": world.ids["alice"], "now": now()},
    )
    world.ids["forum"] = forum[0]
    for name, status in (("post", 1), ("draft", 0), ("trash", 3)):
        world.ids[name] = await _post(db, world, f"{name} {world.canary}", status)
    params = {"site_id": world.site_id, "alice": world.ids["alice"], "bob": world.ids["bob"]}
    message: Any = await db.one(
        "insert into messages (site_id, sender_id, receiver_id, content, created_at)"
        " values (:site_id, :alice, :bob, :content, :now) returning id",
        {**params, "content": f"message {world.canary}", "now": now()},
    )
    world.ids["message"] = message[0]
    await db.run(
        "insert into mailbox (site_id, user_id, partner_id, message_id, unread)"
        " values (:site_id, :alice, :bob, :id, 0), (:site_id, :bob, :alice, :id, 1)",
        {**params, "id": message[0]},
    )


POST = """
    insert into posts (site_id, forum_id, owner_id, title, title_key, content, status, former_status, format, thumb,
        var, created_at, updated_at)
    values (:site_id, :forum_id, :owner_id, :title, :title, 'text', :status, 1, 'text', '', '{}', :now, :now)
    returning id
"""


async def _post(db: Queries, world: World, title: str, status: int = 1) -> int:
    params = {"site_id": world.site_id, "forum_id": world.ids["forum"], "owner_id": world.ids["alice"]}
    row: Any = await db.one(POST, {**params, "title": title, "status": status, "now": now()})
    texts = {"id": row[0], "site_id": world.site_id, "title": title, "body": "text"}
    await db.run(db.dialect.index_text("posts", ["title", "body"]), texts)
    return int(row[0])


def add_posts(world: World, count: int) -> None:
    """Fill the world's forum with published posts, faster than over HTTP."""

    async def work(db: Queries) -> None:
        for number in range(count):
            await _post(db, world, f"post {number}")

    asyncio.run(_write(world, work))


async def _write(world: World, work: Callable[[Queries], Awaitable[None]]) -> None:
    async with open_product(load_settings(world.server.environ)) as product:
        await product.database.write(work)
