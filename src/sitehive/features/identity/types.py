"""What logging in takes and gives."""

from typing import Annotated

from msgspec import Meta, Struct

from sitehive.features.users.types import Avatar, Email, Role, TypeLabel, UserType
from sitehive.kernel import limits
from sitehive.kernel.errors import Invalid, InvalidSite
from sitehive.kernel.fields import Id, Level, Timestamp
from sitehive.kernel.shape import REFUSAL

SiteName = Annotated[
    str,
    Meta(max_length=63, description="The site's subdomain.", examples=["demo"], extra={REFUSAL: InvalidSite}),
]
Token = Annotated[str, Meta(description="Send it as `Authorization: Bearer <token>`. Good for 24 hours.")]


class RequestToken(Struct, forbid_unknown_fields=True):
    site: SiteName


class GuestToken(Struct):
    """A token that reads what is public."""

    token: Token
    site_id: Id


class LogIn(Struct, kw_only=True, forbid_unknown_fields=True):
    """Either `username` or `email` says who wants to log in."""

    site: SiteName
    username: Annotated[str, Meta(max_length=limits.MAX_EMAIL, examples=["alice"])] | None = None
    email: Annotated[str, Meta(max_length=limits.MAX_EMAIL)] | None = None
    password: Annotated[str, Meta(max_length=limits.MAX_PASSWORD, examples=["sitehive-demo"])]

    def __post_init__(self) -> None:
        if self.username is None and self.email is None:
            raise Invalid.field("username", "username or email is required")


class LoginUser(Struct):
    """The user who has logged in."""

    id: Id
    username: str
    email: Email | None
    level: Level
    role: Role
    type: UserType
    type_label: TypeLabel
    avatar: Avatar
    created_at: Timestamp


class LoginToken(Struct):
    """A token that acts as the user."""

    token: Token
    user: LoginUser
