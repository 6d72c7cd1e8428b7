"""Who may see which posts. The same rule is said once for a row, and once for lists."""

from sitehive.features.posts.types import DRAFT, PENDING, PUBLISHED, STATUSES, TRASH
from sitehive.kernel.context import MODERATOR, Viewer

UNPUBLISHED = (DRAFT, PENDING, TRASH)


def may_see(viewer: Viewer, owner_id: int, status: int) -> bool:
    """Published posts are for everyone; the rest for their owners, and for moderators."""
    return status == PUBLISHED or viewer.level >= MODERATOR or viewer.is_user(owner_id)


def listed_statuses(viewer: Viewer, wanted: int | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The statuses that a list shows: of everyone's posts, and of the viewer's own beside those.

    Without a wish, that is everything but the trash.
    """
    statuses = tuple(status for status in STATUSES if (status != TRASH if wanted is None else status == wanted))
    if viewer.level >= MODERATOR:
        return statuses, ()
    own = () if viewer.is_guest else tuple(status for status in statuses if status in UNPUBLISHED)
    return tuple(status for status in statuses if status == PUBLISHED), own
