"""Who may do what with users. Pure functions: the row and the viewer decide, nothing else."""

from msgspec import UNSET

from sitehive.features.users.types import ACTIVE, UpdateUser, User
from sitehive.kernel.context import ADMIN, SUPERADMIN, Viewer


def may_see_email(viewer: Viewer, user_id: int) -> bool:
    return viewer.level >= ADMIN or viewer.is_user(user_id)


def may_manage(viewer: Viewer, user: User) -> bool:
    """Admins manage those below them, superadmins everyone, and themselves too."""
    if viewer.level < ADMIN:
        return False
    return viewer.level >= SUPERADMIN or user.level < viewer.level or is_self(viewer, user)


def is_self(viewer: Viewer, user: User) -> bool:
    """Whether a viewer is a user, with all of the user's rights.

    An API key that is lower or narrower than its creator is not: it could make itself the creator by a new password.
    """
    return viewer.is_user(user.id) and viewer.level >= user.level and viewer.scopes is None


def may_update(viewer: Viewer, user: User, change: UpdateUser) -> bool:
    """One may change one's own name, e-mail, password and metadata; the rest is for those who manage users.

    A narrowed API key changes nobody's password, since a password opens everything.
    """
    if change.password is not UNSET and viewer.scopes is not None:
        return False
    managed = change.level, change.type, change.point
    if any(value is not UNSET for value in managed) or not is_self(viewer, user):
        return may_manage(viewer, user) and may_grant(viewer, change)
    return True


def may_grant(viewer: Viewer, change: UpdateUser) -> bool:
    """Nobody gives a level above their own."""
    return change.level is UNSET or change.level <= viewer.level


def steps_down(user: User, level: object, kind: object) -> bool:
    """Whether a change takes an active superadmin out of office."""
    if user.level < SUPERADMIN or user.type != ACTIVE:
        return False
    return level not in (UNSET, SUPERADMIN) or kind not in (UNSET, ACTIVE)
