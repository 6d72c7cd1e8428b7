"""The server's secrets: the current one, and earlier ones that are still honoured.

What is signed or hashed carries or reveals which secret it was made with, so a secret can be replaced while the
server runs on: put the new one first, and drop the old one a day later, when no token made with it lives any more.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

MIN_SECRET = 16


@dataclass(frozen=True)
class Secret:
    """One secret, and what is derived from it for each purpose."""

    kid: str
    token_key: bytes
    api_key_key: bytes

    @classmethod
    def of(cls, text: str) -> "Secret":
        return cls(_derive(text, "kid").hex()[:12], _derive(text, "tokens"), _derive(text, "api-keys"))


class Keyring:
    def __init__(self, secrets: Sequence[str]) -> None:
        if not secrets or any(len(text) < MIN_SECRET for text in secrets):
            raise ValueError(f"a secret key needs at least {MIN_SECRET} characters")
        self.secrets = [Secret.of(text) for text in secrets]
        self.by_kid = {secret.kid: secret for secret in self.secrets}

    @property
    def current(self) -> Secret:
        return self.secrets[0]


def _derive(text: str, purpose: str) -> bytes:
    return hmac.new(text.encode(), f"sitehive/{purpose}".encode(), hashlib.sha256).digest()
