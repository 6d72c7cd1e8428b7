"""What a site looks like from outside, and what can be set on it."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from sitehive.kernel.fields import Id, Timestamp

SiteLabel = Literal["TAG", "Lua", "Native App"]
SITE_TYPES: dict[int, SiteLabel] = {1: "TAG", 2: "Lua", 3: "Native App"}

SITE_NAME = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"


class SiteConfig(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A site's settings. `sitehive site config NAME key=value` sets them; they bite at once."""

    title: Annotated[str, Meta(max_length=200, description="What the site is called.")] = ""
    description: Annotated[str, Meta(max_length=2000, description="What the site is about.")] = ""
    jwt_enabled: Annotated[bool, Meta(description="Whether tokens are accepted; API keys always are.")] = True
    user_create_level: Annotated[int, Meta(ge=1, le=10, description="The least level that may create users.")] = 1
    forum_create_level: Annotated[int, Meta(ge=1, le=10, description="The least level that may create forums.")] = 1


# What everyone may see of a site's settings. The rest is for admins.
PUBLIC_SETTINGS = ("title", "description")


class Site(Struct):
    """A site of the platform."""

    id: Id
    name: Annotated[str, Meta(description="The site's subdomain.", examples=["demo"])]
    type: Literal[1, 2, 3]
    type_label: SiteLabel
    owner_id: Annotated[int, Meta(description="The user who owns the site.", examples=[1])]
    created_at: Timestamp
    config: Annotated[
        dict[str, Any],
        Meta(
            description="The site's settings, as far as the viewer may see them.",
            examples=[{"title": "Demo"}],
        ),
    ]


class OneSite(Struct, forbid_unknown_fields=True):
    id: Id
