"""The statements behind credentials."""

from typing import Any

from msgspec import Struct

from sitehive.features.users.types import ACTIVE
from sitehive.kernel.database import Queries, Row
from sitehive.kernel.errors import Unauthorized


class Account(Struct, frozen=True):
    """What a login needs to know of a user."""

    id: int
    type: int
    password: str


async def find_account(db: Queries, site_id: int, column: str, key: str) -> Account | None:
    """The account with this folded username or e-mail (`column` says which)."""
    row = await db.one(
        f"select id, type, password from users where site_id = :site_id and {column} = :key",
        {"site_id": site_id, "key": key},
    )
    return None if row is None else Account(*row)


LOGIN_COLUMNS = "id, username, email, level, type, created_at, last_token_at"

# Tokens carry whole seconds. One issued right after a change of password may have to bear a second that has not
# quite come, so that it is told from those issued before the change.
NEXT_TOKEN = "case when tokens_from > :second then tokens_from else :second end"  # noqa: S105


async def record_login(db: Queries, site_id: int, account: Account, new_hash: str, now: int) -> Row:
    """Note a login, unless the account has changed since its password was checked; answers `LOGIN_COLUMNS`."""
    row = await db.one(
        f"""
        update users set last_login_at = :now, last_token_at = {NEXT_TOKEN}, password = :new_hash
        where site_id = :site_id and id = :id and password = :password and type = {ACTIVE}
        returning {LOGIN_COLUMNS}
        """,
        {
            "now": now,
            "second": now // 1_000,
            "new_hash": new_hash,
            "site_id": site_id,
            "id": account.id,
            "password": account.password,
        },
    )
    if row is None:
        raise Unauthorized
    return row


async def record_token(db: Queries, site_id: int, username_key: str, now: int) -> Row | None:
    """Note that a token is issued without a login; answers `LOGIN_COLUMNS`."""
    return await db.one(
        f"update users set last_token_at = {NEXT_TOKEN} where site_id = :site_id and username_key = :key"
        f" returning {LOGIN_COLUMNS}",
        {"second": now // 1_000, "site_id": site_id, "key": username_key},
    )


async def token_holder(db: Queries, site_id: int, user_id: int) -> Row | None:
    """The site's settings, and the user's type, level and first good second; NULLs where there is no such user."""
    return await db.one(
        """
        select sites.config, users.type, users.level, users.tokens_from
        from sites left join users on users.site_id = sites.id and users.id = :user_id
        where sites.id = :site_id
        """,
        {"site_id": site_id, "user_id": user_id},
    )


class KeyHolder(Struct, frozen=True):
    """An API key that was presented, and its creator as they are now."""

    key_id: int
    site_id: int
    owner_id: int
    key_level: int
    scopes: str
    expires_at: int | None
    revoked_at: int | None
    site_exists: Any
    owner_type: int | None
    owner_level: int | None


async def key_holder(db: Queries, key_hash: str) -> KeyHolder | None:
    row = await db.one(
        """
        select api_keys.id, api_keys.site_id, api_keys.owner_id, api_keys.level, api_keys.scopes,
            api_keys.expires_at, api_keys.revoked_at, sites.id, users.type, users.level
        from api_keys
            left join sites on sites.id = api_keys.site_id
            left join users on users.site_id = api_keys.site_id and users.id = api_keys.owner_id
        where api_keys.hash = :hash
        """,
        {"hash": key_hash},
    )
    return None if row is None else KeyHolder(*row)
