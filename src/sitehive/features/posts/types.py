"""What a post looks like from outside."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from sitehive.features.forums.types import ForumReference
from sitehive.features.users.types import UserReference
from sitehive.kernel import limits
from sitehive.kernel.errors import Invalid, InvalidRequest
from sitehive.kernel.fields import Id, JsonObject, Search, StoredJson, Timestamp
from sitehive.kernel.paging import PageQuery

DRAFT: Final = 0
PUBLISHED: Final = 1
PENDING: Final = 2
TRASH: Final = 3
StatusLabel = Literal["Draft", "Published", "Pending", "Trash"]
STATUSES: dict[int, StatusLabel] = {DRAFT: "Draft", PUBLISHED: "Published", PENDING: "Pending", TRASH: "Trash"}
BY_LABEL: dict[str, int] = {label.lower(): number for number, label in STATUSES.items()}

Format = Literal["html", "text", "md", "bbcode"]
FormatLabel = Literal["HTML", "Text", "Markdown", "BBCode"]
FORMATS: dict[str, FormatLabel] = {"html": "HTML", "text": "Text", "md": "Markdown", "bbcode": "BBCode"}

Title = Annotated[str, Meta(min_length=1, max_length=limits.MAX_TITLE, examples=["Hello"])]
Content = Annotated[
    str,
    Meta(max_length=limits.MAX_CONTENT, description="The text, in the given format.", examples=["[b]Hello[/b], world"]),
]
GivenStatus = Annotated[
    int | str,
    Meta(
        description="0 draft, 1 published, 2 pending, 3 trash; or the word, in any case.",
        examples=[1],
        extra_json_schema={"anyOf": [{"enum": [*STATUSES]}, {"enum": [*BY_LABEL]}]},
    ),
]
Thumb = Annotated[
    str,
    Meta(
        max_length=limits.MAX_URL,
        pattern=r"^(https?://|[^:]*$)(?!\n)",
        description="The address of a picture.",
        examples=["https://example.com/hello.png"],
    ),
]
Render = Annotated[Literal["html"], Meta(description="Adds `content_html`, safe to show to anybody.")]
PostSort = Annotated[
    str,
    Meta(
        pattern=r"^-?(id|title|created_at|updated_at)$(?!\n)",
        description="A field to sort by, with a leading `-` for descending. A search puts titles that match first.",
    ),
]


class Post(Struct):
    """Something that somebody wrote."""

    id: Id
    title: Title
    content: Content
    status: Literal[0, 1, 2, 3]
    status_label: StatusLabel
    format: Format
    format_label: FormatLabel
    thumb: Annotated[str, Meta(description="The address of a picture, or nothing.")]
    var: StoredJson
    forum: Annotated[ForumReference | None, Meta(description="Null when the forum is gone.")]
    owner: UserReference
    created_at: Timestamp
    updated_at: Timestamp
    content_html: Annotated[str, Meta(description="The content as safe HTML, if asked for.")] | UnsetType = UNSET


class Removed(Struct):
    """What is left of something that was removed for good: nothing."""


class ListPosts(PageQuery, kw_only=True):
    forumid: Annotated[Id, Meta(description="Only posts in this forum.")] | UnsetType = UNSET
    userid: Annotated[Id, Meta(description="Only posts of this owner.")] | UnsetType = UNSET
    status: GivenStatus | UnsetType = UNSET
    search: Annotated[Search, Meta(description="Part of a title or text.")] = ""
    sort: PostSort | UnsetType = UNSET
    render: Render | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.status, str) and self.status.isdigit():
            self.status = int(self.status)
        if self.status is not UNSET and parse_status(self.status) is None:
            raise InvalidRequest("There is no such status.")


class OnePost(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    render: Render | UnsetType = UNSET


class CreatePost(Struct, kw_only=True, forbid_unknown_fields=True):
    forumid: Id
    title: Title
    content: Content
    status: GivenStatus = PUBLISHED
    format: Format = "bbcode"
    thumb: Thumb = ""
    var: JsonObject | UnsetType = UNSET

    def __post_init__(self) -> None:
        check(self)


class UpdatePost(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    forumid: Id | UnsetType = UNSET
    title: Title | UnsetType = UNSET
    content: Content | UnsetType = UNSET
    status: GivenStatus | UnsetType = UNSET
    format: Format | UnsetType = UNSET
    thumb: Thumb | UnsetType = UNSET
    var: JsonObject | UnsetType = UNSET

    def __post_init__(self) -> None:
        check(self)


class DeletePost(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    permanent: Annotated[bool, Meta(description="Remove the post for good.")] = False


class RestorePost(Struct, kw_only=True, forbid_unknown_fields=True):
    id: Id
    forumid: Annotated[Id, Meta(description="Where to put a post whose forum is gone.")] | UnsetType = UNSET


def parse_status(given: int | str) -> int | None:
    """The number of a status, given as number or word."""
    if isinstance(given, int):
        return given if given in STATUSES else None
    return BY_LABEL.get(given.lower())


def check(given: CreatePost | UpdatePost) -> None:
    """What the types alone cannot say."""
    if given.status is not UNSET and parse_status(given.status) is None:
        raise Invalid.field("status", "must be 0, 1, 2 or 3, or draft, published, pending or trash")
    if given.content is not UNSET and len(given.content.encode()) > limits.MAX_CONTENT:
        raise Invalid.field("content", f"is longer than {limits.MAX_CONTENT} bytes")
    if given.title is not UNSET and not given.title.strip():
        raise Invalid.field("title", "must not be blank")
