"""Replacing the secret key while people are logged in."""

from pathlib import Path

import pytest

from sitehive.app import Product, open_product
from sitehive.backends.database import migrate
from sitehive.cli.sites import create_site
from sitehive.features.api_keys import keys
from sitehive.features.identity.credentials import Credentials
from sitehive.kernel.context import Origin
from sitehive.kernel.errors import Unauthorized
from sitehive.settings import Settings

OLD, NEW = "the old secret key", "the new secret key"
ORIGIN = Origin("req_test", "127.0.0.1")


def credentials(product: Product) -> Credentials:
    return Credentials(product.database.reader, product.keyring, product.tokens, product.presence, product.key_usage)


def settings(data: Path, secret: str) -> Settings:
    return Settings(data=data, secret_key=secret)


async def test_tokens_and_keys_outlive_a_rotation(tmp_path: Path) -> None:
    async with open_product(settings(tmp_path, OLD)) as product:
        await migrate(product.database)
        made = await create_site(product, "demo", "owner", "long enough", None, 1)
        token = product.tokens.issue(made.site.id, made.owner.id, 10)
        key, stale = (
            await add_key(product, made.site.id, made.owner.id),
            await add_key(product, made.site.id, made.owner.id),
        )

    async with open_product(settings(tmp_path, f"{NEW},{OLD}")) as product:
        for authorization in (f"Bearer {token}", key):
            viewer = await credentials(product).identify(authorization, ORIGIN)
            assert viewer.user_id == made.owner.id
        await product.key_usage.flush()
        fresh = product.tokens.issue(made.site.id, made.owner.id, 10)

    async with open_product(settings(tmp_path, NEW)) as product:
        for authorization in (f"Bearer {fresh}", key):
            await credentials(product).identify(authorization, ORIGIN)
        for authorization in (f"Bearer {token}", stale):
            with pytest.raises(Unauthorized):
                await credentials(product).identify(authorization, ORIGIN)


async def add_key(product: Product, site_id: int, owner_id: int) -> str:
    key = keys.generate()
    params = {"site": site_id, "owner": owner_id, "hash": keys.digest(key, product.keyring.current)}
    await product.database.write(
        lambda db: db.run(
            "insert into api_keys (site_id, owner_id, name, hash, prefix, level, scopes, created_at)"
            " values (:site, :owner, 'key', :hash, '', 10, '[\"*\"]', 0)",
            params,
        )
    )
    return key
