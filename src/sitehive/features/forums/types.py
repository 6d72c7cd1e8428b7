"""What a forum looks like from outside."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from sitehive.features.users.types import UserReference
from sitehive.kernel import limits
from sitehive.kernel.errors import Invalid
from sitehive.kernel.fields import Id, Level, Search, Timestamp, is_printable_name
from sitehive.kernel.paging import PageQuery

ForumName = Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME, examples=["Announcements"])]
ParentId = Annotated[int, Meta(ge=0, le=limits.MAX_ID, description="The forum above; 0 for none.", examples=[0])]
Position = Annotated[int, Meta(ge=0, le=2**31 - 1, description="The place among the others.", examples=[1])]


class ForumReference(Struct):
    """A forum, as other resources show one."""

    id: Id
    name: str


class ForumPermissions(Struct, frozen=True):
    """The least level that each needs; 0 means everyone whom the operation admits."""

    create_post: Level
    reply: Level


class Forum(Struct):
    """A place for posts."""

    id: Id
    name: ForumName
    position: Position
    parent: ForumReference | None
    owner: UserReference
    permissions: ForumPermissions
    created_at: Timestamp


class ListForums(PageQuery, kw_only=True):
    parent: Annotated[ParentId, Meta(description="Only forums below this one; 0 for those at the top.")] | UnsetType = (
        UNSET
    )
    userid: Annotated[Id, Meta(description="Only forums of this owner.")] | UnsetType = UNSET
    search: Annotated[Search, Meta(description="Part of a name.")] = ""


class OneForum(Struct, forbid_unknown_fields=True):
    id: Id


class CreateForum(Struct, kw_only=True, forbid_unknown_fields=True):
    name: ForumName
    parent: ParentId = 0

    def __post_init__(self) -> None:
        check_name(self.name)


class RenameForum(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    name: ForumName | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.name is not UNSET:
            check_name(self.name)


class PermissionChange(Struct, forbid_unknown_fields=True):
    create_post: Level | UnsetType = UNSET
    reply: Level | UnsetType = UNSET


class ManageForum(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    parent: ParentId | UnsetType = UNSET
    position: Position | UnsetType = UNSET
    permissions: PermissionChange | UnsetType = UNSET


def check_name(name: str) -> None:
    if not is_printable_name(name):
        raise Invalid.field("name", "may hold only visible characters, and no blanks at its ends")
