"""What an API key looks like from outside."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from sitehive.features.users.types import UserReference
from sitehive.kernel import limits
from sitehive.kernel.errors import Invalid
from sitehive.kernel.fields import Id, Level, Timestamp, is_printable_name
from sitehive.kernel.paging import PageQuery

KeyName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=limits.MAX_NAME,
        description="What the key is for.",
        examples=["nightly import"],
    ),
]
Scope = Annotated[str, Meta(pattern=r"^(\*|[a-z-]+:(read|write))$(?!\n)", examples=["users:read"])]
Scopes = Annotated[
    list[Scope], Meta(min_length=1, max_length=100, description="`*`, or what the key may read and write.")
]
Moment = Annotated[datetime, Meta(tz=True, description="When the key ends.", examples=["2030-01-31T12:00:00.000Z"])]


class ApiKey(Struct):
    """A key that acts in its creator's place, with no more rights than its creator holds now."""

    id: Id
    name: KeyName
    prefix: Annotated[str, Meta(description="Enough of the key to recognise it.", examples=["hive_live_aB3d…9xYz"])]
    level: Level
    scopes: Annotated[list[str], Meta(examples=[["*"]])]
    owner: UserReference
    created_at: Timestamp
    last_used_at: Timestamp | None
    expires_at: Timestamp | None
    revoked_at: Timestamp | None


class NewApiKey(ApiKey, kw_only=True):
    """A key that was just made: the only time that it is shown."""

    key: Annotated[str, Meta(description="Send it as `Authorization: <key>`. It is not shown again.")]


class ListApiKeys(PageQuery, kw_only=True):
    pass


class OneApiKey(Struct, forbid_unknown_fields=True):
    id: Id


class CreateApiKey(Struct, kw_only=True, forbid_unknown_fields=True):
    name: KeyName
    level: Level | UnsetType = UNSET
    scopes: Scopes | UnsetType = UNSET
    expires_at: Moment | None = None

    def __post_init__(self) -> None:
        check_name(self.name)


class UpdateApiKey(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    name: KeyName | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.name is not UNSET:
            check_name(self.name)


def check_name(name: str) -> None:
    if not is_printable_name(name):
        raise Invalid.field("name", "may hold only visible characters, and no blanks at its ends")
