"""From the `Authorization` header to a viewer, on every request.

Nothing that can be taken away is remembered between requests: bans, deletions, demotions, changed passwords and
revoked keys count from the next request on, on every worker and node.
"""

import msgspec

from sitehive.features.api_keys import keys
from sitehive.features.api_keys.usage import KeyUsage
from sitehive.features.identity import store
from sitehive.features.identity.keyring import Keyring
from sitehive.features.identity.tokens import Tokens
from sitehive.features.online.presence import Presence
from sitehive.features.sites.store import parse_config
from sitehive.features.users.types import BANNED, DELETED
from sitehive.kernel.clock import now
from sitehive.kernel.context import Origin, Viewer
from sitehive.kernel.database import Queries
from sitehive.kernel.errors import Expired, Forbidden, InvalidSite, JwtDisabled, Unauthorized

BEARER = "bearer "


class Credentials:
    def __init__(self, db: Queries, keyring: Keyring, tokens: Tokens, presence: Presence, key_usage: KeyUsage) -> None:
        self._db = db
        self._keyring = keyring
        self._tokens = tokens
        self._presence = presence
        self._key_usage = key_usage

    async def identify(self, authorization: str | None, origin: Origin) -> Viewer:
        """Whoever the header proves to be asking."""
        if not authorization:
            raise Unauthorized
        if authorization[: len(BEARER)].lower() == BEARER:
            token = authorization[len(BEARER) :].strip()
            viewer = await self._by_token(token)
            self._presence.mark(viewer, origin, token)
        else:
            viewer = await self._by_key(authorization.strip())
            self._presence.mark(viewer, origin, "")
        return viewer

    async def _by_token(self, token: str) -> Viewer:
        claims = self._tokens.read(token)
        row = await store.token_holder(self._db, claims.site_id, claims.user_id)
        if row is None:
            raise InvalidSite
        config, kind, level, tokens_from = row
        if not parse_config(config).jwt_enabled:
            raise JwtDisabled
        if claims.is_guest:
            return Viewer(claims.site_id)
        if kind is None or kind == DELETED or claims.iat < tokens_from:
            raise Unauthorized
        if kind == BANNED:
            raise Forbidden("This account is banned.")
        return Viewer(claims.site_id, claims.user_id, level, "login")

    async def _by_key(self, text: str) -> Viewer:
        if not keys.is_well_formed(text):
            raise Unauthorized
        current, *former = [keys.digest(text, secret) for secret in self._keyring.secrets]
        holder = await store.key_holder(self._db, current)
        for older in former:
            holder = holder or await store.key_holder(self._db, older)
        if holder is None:
            raise Unauthorized
        viewer = _key_viewer(holder)
        self._key_usage.mark(holder.key_id, holder.site_id, current)
        return viewer


def _key_viewer(holder: store.KeyHolder) -> Viewer:
    if holder.site_exists is None:
        raise InvalidSite
    if holder.revoked_at is not None or holder.owner_type is None or holder.owner_type == DELETED:
        raise Unauthorized
    if holder.owner_type == BANNED:
        raise Forbidden("This account is banned.")
    if holder.expires_at is not None and holder.expires_at <= now():
        raise Expired
    scopes = msgspec.json.decode(holder.scopes, type=frozenset[str])
    level = min(holder.key_level, holder.owner_level or 0)
    return Viewer(holder.site_id, holder.owner_id, level, "key", None if "*" in scopes else scopes)
