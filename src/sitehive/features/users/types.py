"""What a user looks like from outside, and what can be asked about users."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from sitehive.kernel import limits
from sitehive.kernel.context import persona
from sitehive.kernel.errors import Invalid
from sitehive.kernel.fields import Id, JsonObject, Level, Search, StoredJson, Timestamp, is_printable_name, is_visible
from sitehive.kernel.paging import PageQuery

ACTIVE: Final = 1
BANNED: Final = 2
DELETED: Final = 4
USER_TYPES: dict[int, "TypeLabel"] = {ACTIVE: "Active", BANNED: "Banned", DELETED: "Deleted"}

UserType = Annotated[Literal[1, 2, 4], Meta(description="1 active, 2 banned, 4 deleted.")]
TypeLabel = Literal["Active", "Banned", "Deleted"]
Role = Literal["public", "user", "moderator", "admin", "superadmin"]
Username = Annotated[
    str,
    Meta(
        min_length=limits.MIN_USERNAME,
        max_length=limits.MAX_USERNAME,
        description="A display name; no two users of a site share one, in any case.",
        examples=["alice"],
    ),
]
Email = Annotated[
    str,
    Meta(
        max_length=limits.MAX_EMAIL,
        pattern=r"^[^@\s]+@[^@\s]+$(?!\n)",
        description="An e-mail address, unique in the site.",
        examples=["alice@example.com"],
    ),
]
Password = Annotated[
    str,
    Meta(
        min_length=limits.MIN_PASSWORD,
        max_length=limits.MAX_PASSWORD,
        description="A password. It is hashed, and never shown again.",
        examples=["correct horse battery"],
    ),
]
Avatar = Annotated[
    str, Meta(description="The address of a picture.", examples=["http://localhost:8000/avatars/4f1a.svg"])
]
UserSort = Annotated[
    str,
    Meta(
        pattern=r"^-?(id|username|email|level|points|created_at|last_login_at)$(?!\n)",
        description="A field to sort by, with a leading `-` for descending. `email` needs level 8.",
    ),
]


class UserReference(Struct):
    """A user, as other resources show one."""

    id: Id
    username: str
    avatar: Avatar


class User(Struct):
    """Someone who belongs to a site."""

    id: Id
    username: Annotated[str, Meta(examples=["alice"])]
    email: Annotated[str | None, Meta(description="Null when the viewer may not see it, or when there is none.")]
    level: Level
    role: Role
    type: UserType
    type_label: TypeLabel
    is_online: Annotated[bool, Meta(description="Whether the user was seen in the last few minutes.")]
    points: Annotated[int, Meta(description="Activity points.")]
    created_at: Timestamp
    last_login_at: Timestamp | None
    avatar: Avatar
    var: StoredJson


class ListUsers(PageQuery, kw_only=True):
    search: Annotated[Search, Meta(description="Part of a username; for level 8 and above, also of an e-mail.")] = ""
    type: UserType | UnsetType = UNSET
    level: Level | UnsetType = UNSET
    sort: UserSort = "id"


class OneUser(Struct, forbid_unknown_fields=True):
    id: Id


class CreateUser(Struct, kw_only=True, forbid_unknown_fields=True):
    username: Username
    password: Password
    email: Email | None = None
    type: Annotated[Literal[1, 2], Meta(description="1 active, 2 banned.")] = ACTIVE

    def __post_init__(self) -> None:
        check_names(self.username, self.email)


class UpdateUser(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    username: Username | UnsetType = UNSET
    email: Email | UnsetType | None = UNSET
    password: Password | UnsetType = UNSET
    level: Level | UnsetType = UNSET
    type: UserType | UnsetType = UNSET
    point: Annotated[int, Meta(ge=-(2**53), le=2**53, description="Activity points.")] | UnsetType = UNSET
    var: JsonObject | UnsetType = UNSET

    def __post_init__(self) -> None:
        check_names(self.username, self.email)


def check_names(username: str | UnsetType, email: str | UnsetType | None) -> None:
    if username is not UNSET and not is_printable_name(username):
        raise Invalid.field("username", "may hold only visible characters, and only single blanks between them")
    if isinstance(email, str) and not is_visible(email):
        raise Invalid.field("email", "may hold only visible characters")


def role(level: int) -> Role:
    return persona(level)  # type: ignore[return-value]
