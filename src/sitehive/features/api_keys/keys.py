"""The form of an API key: `hive_live_`, 30 random characters, and 6 that check them.

A mistyped key is refused without a look-up, and a key in a leaked file is recognised by scanners.
"""

import hmac
import secrets
import string
import zlib
from hashlib import sha256

from sitehive.features.identity.keyring import Secret

PREFIX = "hive_live_"
RANDOM, CHECK = 30, 6
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


def generate() -> str:
    body = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
    return PREFIX + body + _checksum(body)


def is_well_formed(text: str) -> bool:
    body = text.removeprefix(PREFIX)
    if not text.startswith(PREFIX) or len(body) != RANDOM + CHECK or not body.isascii():
        return False
    return body[RANDOM:] == _checksum(body[:RANDOM])


def digest(key: str, secret: Secret) -> str:
    """What is stored in the key's place."""
    return hmac.new(secret.api_key_key, key.encode(), sha256).hexdigest()


def display(key: str) -> str:
    """What is shown of a key, so that its owner can tell it from others."""
    body = key.removeprefix(PREFIX)
    return f"{PREFIX}{body[:4]}…{body[-4:]}"


def _checksum(body: str) -> str:
    rest, text = zlib.crc32(body.encode()), ""
    for _ in range(CHECK):
        rest, digit = divmod(rest, len(ALPHABET))
        text = ALPHABET[digit] + text
    return text
