"""A data folder with one site full of users, made fast: through the product's own database, many to a transaction."""

from collections.abc import Mapping
from dataclasses import dataclass

from sitehive.app import open_product
from sitehive.backends.database.migrate import migrate
from sitehive.features.sites import provision
from sitehive.features.users import store
from sitehive.features.users.types import CreateUser
from sitehive.kernel.clock import DAY, now
from sitehive.kernel.context import ADMIN, SUPERADMIN
from sitehive.kernel.database import Queries
from sitehive.settings import load_settings

USERS_IN_TRANSACTION = 2_000
PASSWORD = "sitehive-bench"


@dataclass(frozen=True)
class Filled:
    """What was made: the users' ids, and an admin's credential."""

    site_id: int
    user_ids: list[int]
    credential: str


async def fill(environ: Mapping[str, str], users: int) -> Filled:
    async with open_product(load_settings(environ)) as product:
        await migrate(product.database)
        hashed = await product.passwords.hash(PASSWORD)
        start = now() - 365 * DAY

        async def site(db: Queries) -> int:
            return await provision.insert(db, "bench", 2, start)

        site_id = await product.database.write(site)

        async def add(db: Queries, number: int, level: int) -> int:
            name = f"member-{number:07d}"
            new = CreateUser(username=name, password=PASSWORD, email=f"{name}@example.com")
            # They joined one by one over a year, so that no two rows share a moment that could be remembered.
            moment = start + number * (365 * DAY // users)
            return await store.insert(db, site_id, new, hashed, level=level, now=moment)

        async def add_many(first: int) -> list[int]:
            numbers = range(first, min(first + USERS_IN_TRANSACTION, users))

            async def work(db: Queries) -> list[int]:
                return [await add(db, number, 1) for number in numbers]

            return await product.database.write(work)

        ids = [user_id for first in range(0, users, USERS_IN_TRANSACTION) for user_id in await add_many(first)]
        owner = await product.database.write(lambda db: add(db, users, SUPERADMIN))
        await product.database.write(lambda db: provision.set_owner(db, site_id, owner))
        admin = await product.database.write(lambda db: add(db, users + 1, ADMIN))
        return Filled(site_id, ids, f"Bearer {product.tokens.issue(site_id, admin, ADMIN)}")
