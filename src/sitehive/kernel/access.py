"""The first of two gates: who may call an operation at all. The second is a rule on the row it concerns."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitehive.kernel.context import ADMIN, MEMBER, MODERATOR, Viewer
from sitehive.kernel.errors import Forbidden, Unauthorized

if TYPE_CHECKING:
    from sitehive.kernel.operation import Operation


@dataclass(frozen=True)
class Access:
    """Who may call. `login` refuses guests; `level` is the least level that a caller needs."""

    credential: bool = True
    login: bool = False
    level: int = 0


anyone = Access(credential=False)
visitor = Access()
login = Access(login=True)


def level(least: int) -> Access:
    return Access(login=True, level=least)


def require(condition: bool, message: str | None = None) -> None:
    """Refuse with 403 unless the condition holds."""
    if not condition:
        raise Forbidden(message)


def may_edit(viewer: Viewer, owner_id: int, owner_level: int) -> bool:
    """Whether a viewer may change or remove somebody's content.

    One's own; moderators that of those below them; admins everything in the site.
    """
    if viewer.is_guest:
        return False
    if viewer.is_user(owner_id) or viewer.level >= ADMIN:
        return True
    return viewer.level >= MODERATOR and owner_level < viewer.level


def check_access(operation: "Operation", viewer: Viewer | None) -> None:
    """Refuse a caller whom the operation's declaration does not admit."""
    access = operation.access
    if not access.credential:
        return
    if viewer is None:
        raise Unauthorized
    if viewer.is_guest:
        require(not access.login and not operation.writes, "Guests may only read; log in first.")
        return
    least = max(access.level, MEMBER) if operation.writes else access.level
    require(viewer.level >= least, f"This needs permission level {least}.")
    if viewer.scopes is not None:
        require(operation.scope in viewer.scopes, f"This API key lacks the scope {operation.scope}.")
