"""Tokens: signed, for one site, good for a day.

A token says who one was when it was issued. What matters now (level, bans, deletions) is looked up on every request;
only the signature's check is remembered.
"""

from typing import Any

import jwt
from jwt.types import Options
from msgspec import Struct

from sitehive.features.identity.keyring import Keyring
from sitehive.kernel import limits
from sitehive.kernel.clock import SECOND, now
from sitehive.kernel.context import persona
from sitehive.kernel.errors import Expired, Unauthorized

ISSUER = "sitehive"
ALGORITHM = "HS256"
GUEST_SCOPE, FULL_SCOPE = "public:read", "*"
# Longer texts are no tokens of ours.
MAX_TOKEN = 2_048
# Checked signatures that are remembered.
REMEMBERED = 10_000


class Claims(Struct, frozen=True):
    iss: str
    sub: str
    site_id: int
    user_id: int
    level: int
    persona: str
    scope: str
    iat: int
    exp: int

    @property
    def is_guest(self) -> bool:
        return self.user_id == 0


class Tokens:
    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring
        self._checked: dict[str, Claims] = {}

    def issue(
        self,
        site_id: int,
        user_id: int = 0,
        level: int = 0,
        *,
        at: int | None = None,
        ttl: int = limits.TOKEN_LIFETIME,
    ) -> str:
        """Sign a token for a user, or for a guest. `at` is the second of issue."""
        issued = now() // SECOND if at is None else at
        claims = {
            "iss": ISSUER,
            "sub": f"site:{site_id}",
            "site_id": site_id,
            "user_id": user_id,
            "level": level,
            "persona": persona(level),
            "scope": FULL_SCOPE if user_id else GUEST_SCOPE,
            "iat": issued,
            "exp": issued + ttl,
        }
        secret = self._keyring.current
        return jwt.encode(claims, secret.token_key, ALGORITHM, {"kid": secret.kid})

    def read(self, token: str) -> Claims:
        """The claims of a token that we signed and that has not expired."""
        claims = self._checked.get(token)
        if claims is None:
            claims = self._check(token)
            if len(self._checked) >= REMEMBERED:
                self._checked.pop(next(iter(self._checked)))
            self._checked[token] = claims
        if claims.exp * SECOND <= now():
            self._checked.pop(token, None)
            raise Expired
        return claims

    def _check(self, token: str) -> Claims:
        if len(token) > MAX_TOKEN:
            raise Unauthorized
        try:
            header = jwt.get_unverified_header(token)
            secret = self._keyring.by_kid.get(header.get("kid", ""))
            if secret is None or header.get("alg") != ALGORITHM or "crit" in header:
                raise Unauthorized
            # The times are checked here, not there: PyJWT would also take a text for `exp`.
            unchecked: Options = {"verify_exp": False, "verify_iat": False, "verify_nbf": False, "verify_sub": False}
            return _parse(jwt.decode(token, secret.token_key, [ALGORITHM], unchecked))
        except (jwt.InvalidTokenError, TypeError, ValueError):
            raise Unauthorized from None


def _parse(payload: dict[str, Any]) -> Claims:
    """Take the claims only in exactly the form in which they are issued."""
    for name, kind in Claims.__annotations__.items():
        if type(payload.get(name)) is not kind:
            raise Unauthorized
    claims = Claims(**{name: payload[name] for name in Claims.__struct_fields__})
    scope = GUEST_SCOPE if claims.is_guest else FULL_SCOPE
    if (claims.iss, claims.sub, claims.scope) != (ISSUER, f"site:{claims.site_id}", scope):
        raise Unauthorized
    return claims
