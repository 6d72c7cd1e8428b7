"""The statements about users."""

from typing import Any

from msgspec import UNSET, Raw

from sitehive.features.users.avatars import Avatars
from sitehive.features.users.rules import may_see_email
from sitehive.features.users.types import (
    ACTIVE,
    DELETED,
    USER_TYPES,
    CreateUser,
    ListUsers,
    UpdateUser,
    User,
    UserReference,
    role,
)
from sitehive.kernel import limits
from sitehive.kernel.clock import SECOND, iso
from sitehive.kernel.context import ADMIN, SUPERADMIN, Context
from sitehive.kernel.database import Queries, Row, UniqueViolation
from sitehive.kernel.errors import Invalid, InvalidRequest, NotFound
from sitehive.kernel.fields import encode_metadata, fold
from sitehive.kernel.paging import WINDOW, Page, order_by

SELECT = """
    select users.id, users.username, users.email, users.level, users.type, users.points, users.created_at,
        users.last_login_at, users.var, online.last_seen_at
    from users left join online on online.site_id = users.site_id and online.user_id = users.id
"""
SORTS = {
    "id": "users.id",
    "username": "users.username_key",
    "email": "coalesce(users.email_key, '')",
    "level": "users.level",
    "points": "users.points",
    "created_at": "users.created_at",
    "last_login_at": "users.last_login_at",
}
# A site with fewer users is small: its own mark in the search index is rarer than most names.
SMALL_SITE = 5_000
TAKEN = {"username_key": "username", "email_key": "email"}


async def find(ctx: Context, user_id: int) -> User:
    row = await ctx.db.one(
        SELECT + " where users.site_id = :site_id and users.id = :id", {"site_id": ctx.site_id, "id": user_id}
    )
    if row is None:
        raise NotFound
    return _user(ctx, row)


async def list_(ctx: Context, query: ListUsers) -> Page[User]:
    is_admin = ctx.viewer.level >= ADMIN
    if query.sort.endswith("email") and not is_admin:
        raise InvalidRequest("Only level 8 and above may sort by e-mail.")
    where, params = _filters(query)
    counted = "select coalesce(sum(n), 0) from user_counts as users"
    if needle := fold(query.search):
        columns = ["username_key", "email_key"] if is_admin else ["username_key"]
        found, needed = ctx.db.dialect.search(
            "users", columns, needle, ctx.site_id, small_site=await _count_all(ctx) < SMALL_SITE
        )
        where, params = f"{where} and {found}", {**params, **needed}
        counted = "select count(*) from users"
    params["site_id"] = ctx.site_id
    total = await ctx.db.one(counted + where, params)
    rows = await ctx.db.all(
        SELECT + where + order_by(query.sort, SORTS, "users.id") + WINDOW, {**params, **query.window}
    )
    return Page.of([_user(ctx, row) for row in rows], int(total[0]) if total else 0, query)


async def _count_all(ctx: Context) -> int:
    row = await ctx.db.one("select sum(n) from user_counts where site_id = :site_id", {"site_id": ctx.site_id})
    return int(row[0] or 0) if row else 0


def _filters(query: ListUsers) -> tuple[str, dict[str, Any]]:
    where = " where users.site_id = :site_id"
    params: dict[str, Any] = {}
    if query.type is UNSET:
        where += f" and users.type <> {DELETED}"
    else:
        where += " and users.type = :type"
        params["type"] = query.type
    if query.level is not UNSET:
        where += " and users.level = :level"
        params["level"] = query.level
    return where, params


async def create(ctx: Context, new: CreateUser, password: str) -> User:
    user_id = await insert(ctx.db, ctx.site_id, new, password, level=1, now=ctx.now)
    return await find(ctx, user_id)


async def insert(db: Queries, site_id: int, new: CreateUser, password: str, *, level: int, now: int) -> int:
    """Add a user; answers the new id. `password` is already hashed."""
    try:
        row = await db.one(
            """
            insert into users (site_id, username, username_key, email, email_key, password, level, type, created_at)
            values (:site_id, :username, :username_key, :email, :email_key, :password, :level, :type, :now)
            returning id
            """,
            {
                "site_id": site_id,
                "username": new.username,
                "username_key": fold(new.username),
                "email": new.email,
                "email_key": None if new.email is None else fold(new.email),
                "password": password,
                "level": level,
                "type": new.type,
                "now": now,
            },
        )
    except UniqueViolation as error:
        raise _taken(error) from None
    return int(row[0]) if row else 0


async def update(ctx: Context, user: User, change: UpdateUser, password: str | None) -> User:
    columns = _changes(change)
    sets = [f"{column} = :{column}" for column in columns]
    if password is not None:
        columns["password"] = password
        sets.append("password = :password")
    if password is not None or change.type == DELETED:
        columns["second"] = ctx.now // SECOND
        sets.append(f"tokens_from = {AFTER_LAST_TOKEN}")
    if change.type == DELETED:
        await ctx.db.run(REVOKE_KEYS, {"site_id": ctx.site_id, "id": user.id, "now": ctx.now})
    if sets:
        try:
            await ctx.db.run(
                f"update users set {', '.join(sets)} where site_id = :site_id and id = :id",
                {**columns, "site_id": ctx.site_id, "id": user.id},
            )
        except UniqueViolation as error:
            raise _taken(error) from None
    return await find(ctx, user.id)


# A deletion ends what a ban only refuses: reviving the account revives no key and no token.
REVOKE_KEYS = "update api_keys set revoked_at = :now where site_id = :site_id and owner_id = :id and revoked_at is null"
# The first second whose tokens are good after a change of password or a deletion: later than any token given out so
# far, whichever clock of whichever node it was given out by.
AFTER_LAST_TOKEN = "case when last_token_at > :second then last_token_at else :second end + 1"  # noqa: S105


def _changes(change: UpdateUser) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if change.username is not UNSET:
        columns |= {"username": change.username, "username_key": fold(change.username)}
    if change.email is not UNSET:
        columns |= {"email": change.email, "email_key": None if change.email is None else fold(change.email)}
    if change.level is not UNSET:
        columns["level"] = change.level
    if change.type is not UNSET:
        columns["type"] = change.type
    if change.point is not UNSET:
        columns["points"] = change.point
    if change.var is not UNSET:
        columns["var"] = encode_metadata("var", change.var)
    return columns


async def hold_superadmins(ctx: Context) -> None:
    """Let nobody else change levels and types until the transaction ends."""
    await ctx.db.lock(ctx.site_id, "superadmins")


async def count_other_superadmins(ctx: Context, user_id: int) -> int:
    """How many active superadmins the site has beside this user."""
    row = await ctx.db.one(
        "select count(*) from users"
        f" where site_id = :site_id and level = {SUPERADMIN} and type = {ACTIVE} and id <> :id",
        {"site_id": ctx.site_id, "id": user_id},
    )
    return int(row[0]) if row else 0


def is_online(ctx: Context, last_seen_at: int | None) -> bool:
    return (last_seen_at or 0) >= ctx.now - limits.ONLINE_WINDOW * SECOND


def reference(ctx: Context, user_id: int, username: str) -> UserReference:
    return UserReference(user_id, username, ctx.use(Avatars).url(user_id))


def _taken(error: UniqueViolation) -> Invalid:
    return Invalid.field(next((TAKEN[c] for c in error.columns if c in TAKEN), "username"), "is already taken")


def _user(ctx: Context, row: Row) -> User:
    user_id, username, email, level, kind, points, created_at, last_login_at, var, last_seen_at = row
    viewer = ctx.viewer
    return User(
        id=user_id,
        username=username,
        email=email if may_see_email(viewer, user_id) else None,
        level=level,
        role=role(level),
        type=kind,
        type_label=USER_TYPES[kind],
        is_online=is_online(ctx, last_seen_at) or viewer.is_user(user_id),
        points=points,
        created_at=iso(created_at),
        last_login_at=iso(last_login_at or None),
        avatar=ctx.use(Avatars).url(user_id),
        var=Raw(var.encode()),
    )
