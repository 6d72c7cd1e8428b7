"""What messages and conversations look like from outside."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from sitehive.features.users.types import Avatar, UserReference
from sitehive.kernel import limits
from sitehive.kernel.errors import Invalid
from sitehive.kernel.fields import Id, Timestamp
from sitehive.kernel.paging import PageQuery

MessageContent = Annotated[
    str, Meta(min_length=1, max_length=limits.MAX_CONTENT, description="The text.", examples=["Hello there"])
]


class Message(Struct):
    """Something that one user wrote to another. Only the two of them can read it."""

    id: Id
    content: MessageContent
    sender: UserReference
    receiver: UserReference
    created_at: Timestamp


class Conversation(Struct):
    """Everything between the caller and one other user."""

    id: Annotated[Id, Meta(description="The other user.")]
    username: str
    avatar: Avatar
    is_online: bool
    last_message: Message
    unread_count: Annotated[int, Meta(ge=0)]
    updated_at: Timestamp


class Unread(Struct):
    """How much is waiting to be read."""

    unread_count: Annotated[int, Meta(ge=0)]


class SendMessage(Struct, kw_only=True, forbid_unknown_fields=True):
    """The receiver is given by `userid` or by `username`."""

    content: MessageContent
    userid: Annotated[Id, Meta(description="The receiver.")] | UnsetType = UNSET
    username: Annotated[str, Meta(max_length=limits.MAX_USERNAME, description="The receiver, by name.")] | UnsetType = (
        UNSET
    )

    def __post_init__(self) -> None:
        check_content(self.content)
        if (self.userid is UNSET) == (self.username is UNSET):
            raise Invalid.field("userid", "give either userid or username")


class ListMessages(PageQuery, kw_only=True):
    userid: Annotated[Id, Meta(description="Only messages with this user, oldest first.")] | UnsetType = UNSET


class ListConversations(PageQuery, kw_only=True):
    pass


class OneMessage(Struct, forbid_unknown_fields=True):
    id: Id


class EditMessage(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    content: MessageContent | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.content is not UNSET:
            check_content(self.content)


def check_content(content: str) -> None:
    if not content.strip():
        raise Invalid.field("content", "must not be blank")
    if len(content.encode()) > limits.MAX_CONTENT:
        raise Invalid.field("content", f"is longer than {limits.MAX_CONTENT} bytes")
