"""What can be done with users."""

from msgspec import UNSET

from sitehive.features.identity.passwords import Passwords
from sitehive.features.sites.store import find_config
from sitehive.features.users import rules, store
from sitehive.features.users.types import DELETED, CreateUser, ListUsers, OneUser, UpdateUser, User
from sitehive.kernel.access import level, login, require, visitor
from sitehive.kernel.context import ADMIN, Context
from sitehive.kernel.errors import Invalid
from sitehive.kernel.operation import operation
from sitehive.kernel.paging import Page


async def hash_password(ctx: Context, given: CreateUser | UpdateUser) -> str | None:
    """Hashing takes long, so it is done before the transaction opens."""
    return None if given.password is UNSET else await ctx.use(Passwords).hash(given.password)


@operation("users.list", "GET /users", access=visitor)
async def list_users(ctx: Context, query: ListUsers) -> Page[User]:
    """List the users of the site.

    Deleted users are left out unless asked for with `type=4`.
    """
    return await store.list_(ctx, query)


@operation("users.me", "GET /users/me", access=login)
async def get_me(ctx: Context) -> User:
    """Read the caller's own profile."""
    return await store.find(ctx, ctx.viewer.user_id)


@operation("users.get", "GET /users/{id}", access=visitor)
async def get_user(ctx: Context, wanted: OneUser) -> User:
    """Read a user's profile."""
    return await store.find(ctx, wanted.id)


@operation("users.create", "POST /users", access=login, status=201, prepare=hash_password)
async def create_user(ctx: Context, new: CreateUser, password: str) -> User:
    """Create a user of level 1.

    Any login may, unless the site setting `user_create_level` asks for more.
    """
    config = await find_config(ctx)
    require(ctx.viewer.level >= config.user_create_level, "This site lets only higher levels create users.")
    return await store.create(ctx, new, password)


@operation("users.update", "PATCH /users/{id}", access=login, prepare=hash_password)
async def update_user(ctx: Context, change: UpdateUser, password: str | None) -> User:
    """Change a user.

    Users may change their own name, e-mail, password and metadata. Level, type and points, and other users, need
    level 8. A new password ends every token of the user.
    """
    if change.level is not UNSET or change.type is not UNSET:
        await store.hold_superadmins(ctx)
    user = await store.find(ctx, change.id)
    require(rules.may_update(ctx.viewer, user, change))
    await keep_a_superadmin(ctx, user, change.level, change.type)
    return await store.update(ctx, user, change, password)


@operation("users.delete", "DELETE /users/{id}", access=level(ADMIN))
async def delete_user(ctx: Context, wanted: OneUser) -> User:
    """Delete a user.

    The user can no longer log in; what they wrote remains. Setting `type` again revives the account.
    """
    await store.hold_superadmins(ctx)
    user = await store.find(ctx, wanted.id)
    require(rules.may_manage(ctx.viewer, user))
    await keep_a_superadmin(ctx, user, UNSET, DELETED)
    return await store.update(ctx, user, UpdateUser(id=user.id, type=DELETED), None)


async def keep_a_superadmin(ctx: Context, user: User, new_level: object, new_type: object) -> None:
    """Refuse a change that would leave the site without anyone who can manage it."""
    if rules.steps_down(user, new_level, new_type) and not await store.count_other_superadmins(ctx, user.id):
        field = "level" if new_level is not UNSET else "type"
        raise Invalid.field(field, "the last active superadmin of a site must stay one")
