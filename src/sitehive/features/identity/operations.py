"""Getting a token, as a guest or as a user."""

from msgspec import Struct

from sitehive.features.identity import store
from sitehive.features.identity.passwords import Passwords
from sitehive.features.identity.store import Account
from sitehive.features.identity.throttle import LoginThrottle
from sitehive.features.identity.tokens import Tokens
from sitehive.features.identity.types import GuestToken, LogIn, LoginToken, LoginUser, RequestToken
from sitehive.features.sites.store import find_by_name
from sitehive.features.users.avatars import Avatars
from sitehive.features.users.types import BANNED, DELETED, USER_TYPES, role
from sitehive.kernel.access import anyone, require
from sitehive.kernel.clock import iso
from sitehive.kernel.context import Context
from sitehive.kernel.errors import JwtDisabled, Unauthorized
from sitehive.kernel.fields import fold
from sitehive.kernel.operation import operation


class Proven(Struct, frozen=True):
    """An account whose password was right, and the hash to keep from now on."""

    site_id: int
    account: Account
    new_hash: str


@operation("auth.token", "POST /auth/token", access=anyone, writes=False)
async def issue_guest_token(ctx: Context, wanted: RequestToken) -> GuestToken:
    """Get a guest token for a site.

    It reads what is public, and nothing else.
    """
    site_id = await find_open_site(ctx, wanted.site)
    return GuestToken(ctx.use(Tokens).issue(site_id), site_id)


async def prove(ctx: Context, given: LogIn) -> Proven:
    """Check the password, which takes long, before the transaction opens."""
    site_id = await find_open_site(ctx, given.site)
    column, text = ("email_key", given.email) if given.username is None else ("username_key", given.username)
    key = fold(text or "")
    passwords = ctx.use(Passwords)
    # Names and e-mail addresses are counted apart: otherwise the throttle would tell which belong together.
    async with ctx.use(LoginThrottle).attempt(site_id, f"{column}\n{key}", ctx.origin):
        account = await store.find_account(ctx.db, site_id, column, key)
        known = None if account is None or account.type == DELETED else account
        right = await passwords.verify(known.password if known else None, given.password)
        if known is None or not right:
            raise Unauthorized("The username or the password is wrong.")
    require(known.type != BANNED, "This account is banned.")
    outdated = passwords.is_outdated(known.password)
    return Proven(site_id, known, await passwords.hash(given.password) if outdated else known.password)


@operation("auth.login", "POST /auth/login", access=anyone, prepare=prove)
async def log_in(ctx: Context, given: LogIn, proven: Proven) -> LoginToken:
    """Log in with a username or an e-mail address.

    Failed attempts are limited for each account and address.
    """
    row = await store.record_login(ctx.db, proven.site_id, proven.account, proven.new_hash, ctx.now)
    user_id, username, email, level, kind, created_at, second = row
    token = ctx.use(Tokens).issue(proven.site_id, user_id, level, at=second)
    user = LoginUser(
        id=user_id,
        username=username,
        email=email,
        level=level,
        role=role(level),
        type=kind,
        type_label=USER_TYPES[kind],
        avatar=ctx.use(Avatars).url(user_id),
        created_at=iso(created_at),
    )
    return LoginToken(token, user)


async def find_open_site(ctx: Context, name: str) -> int:
    """The id of a site that accepts tokens."""
    site_id, config = await find_by_name(ctx.db, name)
    if not config.jwt_enabled:
        raise JwtDisabled
    return site_id
