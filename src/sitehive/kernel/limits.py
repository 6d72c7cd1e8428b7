"""Every limit on what a client may send, in one place. Each can be set as `SITEHIVE_<NAME>`.

They are read once, when the process starts: they shape the types that decode input and the published document.
"""

import os


def _limit(name: str, default: int) -> int:
    text = os.environ.get(f"SITEHIVE_{name}", "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ValueError(f"SITEHIVE_{name} must be a positive whole number, not {text!r}")
    return int(text)


# A page of a list holds this many items unless the client asks for another number.
PAGE_SIZE = 20
# A client that asks for more gets this many.
MAX_PAGE_SIZE = 100
# Pages past this number do not exist; the bound keeps offsets inside 64 bits.
MAX_PAGE = 10**12
# Identifiers are positive 64-bit integers.
MAX_ID = 2**63 - 1

# A JSON body may be this long, in bytes.
MAX_BODY = _limit("MAX_BODY", 1024 * 1024)
# Free-form JSON may nest this deep; the outermost object is depth 1.
MAX_DEPTH = _limit("MAX_DEPTH", 32)
# All header lines of one request together, in bytes.
MAX_HEADERS = _limit("MAX_HEADERS", 16 * 1024)
# A user's, post's or other resource's free metadata, encoded, in bytes.
MAX_VAR = _limit("MAX_VAR", 64 * 1024)

# A username, in characters.
MIN_USERNAME = _limit("MIN_USERNAME", 3)
MAX_USERNAME = _limit("MAX_USERNAME", 32)
# An e-mail address; the longest that can be delivered to.
MAX_EMAIL = 254
# A password, in characters. The upper bound keeps hashing cheap to refuse.
MIN_PASSWORD = _limit("MIN_PASSWORD", 8)
MAX_PASSWORD = 256
# A search text, in characters.
MAX_SEARCH = 200
# A name that people give to things, in characters.
MAX_NAME = _limit("MAX_NAME", 100)

# A post's title, in characters.
MAX_TITLE = _limit("MAX_TITLE", 200)
# A post's or a message's text, in bytes.
MAX_CONTENT = _limit("MAX_CONTENT", 256 * 1024)
# An address of a picture, in characters.
MAX_URL = 2_000
# Texts longer than this are shown as plain text instead of being rendered, in bytes.
MAX_RENDERED = 64 * 1024

# A token lives this long, in seconds.
TOKEN_LIFETIME = 24 * 60 * 60
# Failed logins on one account from one address within the window, and on all accounts from one address.
LOGIN_FAILURES_PER_ACCOUNT = _limit("LOGIN_FAILURES_PER_ACCOUNT", 10)
LOGIN_FAILURES_PER_ADDRESS = _limit("LOGIN_FAILURES_PER_ADDRESS", 100)
LOGIN_WINDOW = _limit("LOGIN_WINDOW", 10 * 60)
# Someone seen this recently, in seconds, is online.
ONLINE_WINDOW = _limit("ONLINE_WINDOW", 5 * 60)
