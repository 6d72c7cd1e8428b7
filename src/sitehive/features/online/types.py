"""What is shown of somebody who is online."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from sitehive.features.users.types import UserReference
from sitehive.kernel.fields import Id, Timestamp
from sitehive.kernel.paging import PageQuery


class PageReference(Struct):
    """A page, as other resources show one."""

    id: Id
    name: str


class Visitor(Struct):
    """Somebody who was seen in the last few minutes."""

    user: Annotated[UserReference | None, Meta(description="Null for a guest.")]
    page: Annotated[PageReference | None, Meta(description="Where they are, if it is known.")]
    since: Timestamp
    last_seen_at: Timestamp
    ip: Annotated[str, Meta(description="Only for level 8 and above.")] | UnsetType = UNSET
    user_agent: Annotated[str, Meta(description="Only for level 8 and above.")] | UnsetType = UNSET


class ListOnline(PageQuery, kw_only=True):
    id: Annotated[Id, Meta(description="Only this user.")] | UnsetType = UNSET
    pageid: Annotated[Id, Meta(description="Only visitors of this page.")] | UnsetType = UNSET
