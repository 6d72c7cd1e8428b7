"""What can be done with API keys. Only superadmins may."""

import msgspec
from msgspec import UNSET

from sitehive.features.api_keys import keys, store
from sitehive.features.api_keys.types import (
    ApiKey,
    CreateApiKey,
    ListApiKeys,
    NewApiKey,
    OneApiKey,
    UpdateApiKey,
)
from sitehive.features.identity.keyring import Keyring
from sitehive.kernel.access import level, require
from sitehive.kernel.clock import LAST, milliseconds
from sitehive.kernel.context import SUPERADMIN, Context
from sitehive.kernel.errors import Invalid
from sitehive.kernel.operation import Registry, operation
from sitehive.kernel.paging import Page

superadmin = level(SUPERADMIN)


@operation("api-keys.list", "GET /api-keys", access=superadmin)
async def list_api_keys(ctx: Context, query: ListApiKeys) -> Page[ApiKey]:
    """List the site's API keys, revoked ones too."""
    return await store.list_(ctx, query)


@operation("api-keys.get", "GET /api-keys/{id}", access=superadmin)
async def get_api_key(ctx: Context, wanted: OneApiKey) -> ApiKey:
    """Read an API key."""
    return await store.find(ctx, wanted.id)


@operation("api-keys.create", "POST /api-keys", access=superadmin, status=201)
async def create_api_key(ctx: Context, new: CreateApiKey) -> NewApiKey:
    """Create an API key.

    It acts as its creator, at the given level (the creator's own by default) and within the given scopes (`*` by
    default). The key itself is shown in this answer and never again.
    """
    wanted = ctx.viewer.level if new.level is UNSET else new.level
    require(wanted <= ctx.viewer.level, "A key cannot hold a higher level than its creator.")
    scopes = ["*"] if new.scopes is UNSET else sorted(set(new.scopes))
    check_scopes(scopes, ctx.use(Registry))
    require(ctx.viewer.scopes is None or ctx.viewer.scopes.issuperset(scopes), "A key cannot widen its scopes.")
    if new.expires_at is not None and not ctx.now < milliseconds(new.expires_at) <= LAST:
        raise Invalid.field("expires_at", "must lie in the future, and before the year 10000")
    key = keys.generate()
    key_hash = keys.digest(key, ctx.use(Keyring).current)
    made = await store.create(ctx, new, key, key_hash, wanted, scopes)
    return NewApiKey(**msgspec.structs.asdict(made), key=key)


@operation("api-keys.update", "PATCH /api-keys/{id}", access=superadmin)
async def update_api_key(ctx: Context, change: UpdateApiKey) -> ApiKey:
    """Rename an API key."""
    key = await store.find(ctx, change.id)
    if change.name is not UNSET:
        await store.rename(ctx, key.id, change.name)
    return await store.find(ctx, key.id)


@operation("api-keys.delete", "DELETE /api-keys/{id}", access=superadmin)
async def revoke_api_key(ctx: Context, wanted: OneApiKey) -> None:
    """Revoke an API key.

    It is refused from the next request on, and stays readable with `revoked_at`.
    """
    key = await store.find(ctx, wanted.id)
    await store.revoke(ctx, key.id)


def check_scopes(scopes: list[str], registry: Registry) -> None:
    known = {"*", *registry.scopes}
    if unknown := [scope for scope in scopes if scope not in known]:
        raise Invalid.field("scopes", f"unknown scope {unknown[0]}; known are {', '.join(sorted(known))}")
