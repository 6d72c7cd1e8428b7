"""Tokens are taken only in exactly the form in which they are given out."""

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from sitehive.features.identity import tokens as module
from sitehive.features.identity.keyring import Keyring
from sitehive.features.identity.tokens import Tokens
from sitehive.kernel.errors import Expired, Unauthorized

OLD, NEW = "the old secret of a server", "the new secret of a server"
SECOND = 1_800_000_000
KEYRING = Keyring([NEW])
KEY, KID = KEYRING.current.token_key, KEYRING.current.kid
HEADER: dict[str, Any] = {"alg": "HS256", "typ": "JWT", "kid": KID}
CLAIMS: dict[str, Any] = {"iss": "sitehive", "sub": "site:3", "site_id": 3, "user_id": 7, "level": 5, "persona": "user",
                          "scope": "*", "iat": SECOND, "exp": SECOND + 86_400}  # fmt: skip
GUEST: dict[str, Any] = {**CLAIMS, "user_id": 0, "level": 0, "persona": "public", "scope": "public:read"}


class Clock:
    def __init__(self) -> None:
        self.second = SECOND

    def now(self) -> int:
        return self.second * 1_000


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "now", clock.now)
    return clock


@pytest.fixture
def tokens() -> Tokens:
    return Tokens(KEYRING)


def part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(header: Any, claims: Any, key: bytes = KEY, digest: str = "sha256") -> str:
    text = f"{part(json.dumps(header).encode())}.{part(json.dumps(claims).encode())}"
    return f"{text}.{part(hmac.new(key, text.encode(), digest).digest())}"


def without(name: str, members: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in members.items() if key != name}


GOOD = sign(HEADER, CLAIMS)
HEAD, BODY, SIGNATURE = GOOD.split(".")


def test_what_is_given_out_is_taken(tokens: Tokens) -> None:
    claims = tokens.read(tokens.issue(3, 7, 5))
    assert (claims.site_id, claims.user_id, claims.level, claims.iat, claims.is_guest) == (3, 7, 5, SECOND, False)
    assert tokens.read(GOOD) == claims
    assert tokens.read(tokens.issue(3)) == tokens.read(sign(HEADER, GUEST))
    assert tokens.read(tokens.issue(3)).is_guest


HEADERS = {
    "no algorithm": without("alg", HEADER),
    "none": {**HEADER, "alg": "none"},
    "None": {**HEADER, "alg": "None"},
    "an empty algorithm": {**HEADER, "alg": ""},
    "the name in small letters": {**HEADER, "alg": "hs256"},
    "RS256": {**HEADER, "alg": "RS256"},
    "ES256": {**HEADER, "alg": "ES256"},
    "HS384": {**HEADER, "alg": "HS384"},
    "several algorithms": {**HEADER, "alg": ["HS256"]},
    "no key": without("kid", HEADER),
    "an unknown key": {**HEADER, "kid": "0" * 12},
    "an empty key": {**HEADER, "kid": ""},
    "a key that is null": {**HEADER, "kid": None},
    "a key that is a number": {**HEADER, "kid": 5},
    "a key that is a list": {**HEADER, "kid": [KID]},
    "a key in capitals": {**HEADER, "kid": KID.upper()},
    "a path for a key": {**HEADER, "kid": "../../dev/null"},
    "something critical": {**HEADER, "crit": ["exp"], "exp": 1},
    "nothing critical": {**HEADER, "crit": []},
    "a body that is not encoded": {**HEADER, "b64": False, "crit": ["b64"]},
    "a list": [HEADER],
    "a text": "HS256",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_no_other_header_is_taken_even_if_signed(tokens: Tokens, header: Any) -> None:
    with pytest.raises(Unauthorized):
        tokens.read(sign(header, CLAIMS))


@pytest.mark.parametrize("alg", ["HS256", "none", "HS512", "RS256"])
def test_an_empty_signature_proves_nothing(tokens: Tokens, alg: str) -> None:
    unsigned = sign({**HEADER, "alg": alg}, CLAIMS).rpartition(".")[0]
    for token in (f"{unsigned}.", unsigned, f"{unsigned}..", f"{unsigned}.AA"):
        with pytest.raises(Unauthorized):
            tokens.read(token)


def test_a_stronger_digest_under_the_same_key_is_not_taken(tokens: Tokens) -> None:
    with pytest.raises(Unauthorized):
        tokens.read(sign({**HEADER, "alg": "HS512"}, CLAIMS, digest="sha512"))


FORGED = {
    "another key": sign(HEADER, CLAIMS, b"x" * 32),
    "an empty key": sign(HEADER, CLAIMS, b""),
    "the secret itself": sign(HEADER, CLAIMS, NEW.encode()),
    "the key for API keys": sign(HEADER, CLAIMS, KEYRING.current.api_key_key),
    "another digest": sign(HEADER, CLAIMS, digest="sha512"),
    "another body": f"{HEAD}.{part(json.dumps({**CLAIMS, 'level': 10}).encode())}.{SIGNATURE}",
    "another header": f"{part(json.dumps({**HEADER, 'typ': 'at+jwt'}).encode())}.{BODY}.{SIGNATURE}",
    "half a signature": f"{HEAD}.{BODY}.{SIGNATURE[:20]}",
    "a changed signature": f"{HEAD}.{BODY}.{'A' if SIGNATURE[0] != 'A' else 'B'}{SIGNATURE[1:]}",
    "four parts": f"{GOOD}.{SIGNATURE}",
    "two parts": f"{HEAD}.{BODY}",
    "one part": HEAD,
    "nothing": "",
    "dots": "..",
    "no base64": f"{HEAD}.{BODY}.!!!",
    "blanks": f"{HEAD}. {BODY}.{SIGNATURE}",
    "letters of another script": f"{HEAD}.{BODY}.é",
    "half a character": f"{HEAD}.{BODY}.\ud800",
    "too long": sign(HEADER, {**CLAIMS, "padding": "x" * 2_000}),
    "a deep header": f"{part(b'[' * 1_400)}.{BODY}.{SIGNATURE}",
}


@pytest.mark.parametrize("token", FORGED.values(), ids=FORGED)
def test_what_we_did_not_sign_is_not_taken(tokens: Tokens, token: str) -> None:
    with pytest.raises(Unauthorized):
        tokens.read(token)


@pytest.mark.parametrize("name", CLAIMS)
def test_no_claim_may_be_missing(tokens: Tokens, name: str) -> None:
    with pytest.raises(Unauthorized):
        tokens.read(sign(HEADER, without(name, CLAIMS)))


LATER = SECOND + 60
OTHER_TYPES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(["site_id", "user_id", "level"], (True, "3", 3.0, None, [3], {})),
    **dict.fromkeys(["iat", "exp"], (True, str(LATER), LATER + 0.5, float(LATER), None, [LATER])),
    **dict.fromkeys(["iss", "sub", "persona", "scope"], (5, True, None, ["*"], {})),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in OTHER_TYPES for value in OTHER_TYPES[name]])
def test_no_claim_may_be_of_another_type(tokens: Tokens, name: str, value: Any) -> None:
    with pytest.raises(Unauthorized):
        tokens.read(sign(HEADER, {**CLAIMS, name: value}))


WRONG = {
    "another issuer": {**CLAIMS, "iss": "sitehive2"},
    "no issuer": {**CLAIMS, "iss": ""},
    "another site's subject": {**CLAIMS, "sub": "site:4"},
    "another subject's site": {**CLAIMS, "site_id": 4},
    "a subject of another form": {**CLAIMS, "sub": "3"},
    "a guest with every right": {**GUEST, "scope": "*"},
    "a user with a guest's rights": {**CLAIMS, "scope": "public:read"},
    "rights that there are not": {**CLAIMS, "scope": "admin"},
    "meant for somebody else": {**CLAIMS, "aud": "another service"},
}


@pytest.mark.parametrize("claims", WRONG.values(), ids=WRONG)
def test_no_claim_may_contradict_another(tokens: Tokens, claims: dict[str, Any]) -> None:
    with pytest.raises(Unauthorized):
        tokens.read(sign(HEADER, claims))


@pytest.mark.parametrize("payload", [[], [CLAIMS], "text", 5, None, True])
def test_claims_are_an_object(tokens: Tokens, payload: Any) -> None:
    with pytest.raises(Unauthorized):
        tokens.read(sign(HEADER, payload))


def test_a_token_ends_with_its_last_second(tokens: Tokens, clock: Clock) -> None:
    token = tokens.issue(3, 7, 5, ttl=60)
    clock.second += 59
    assert tokens.read(token).user_id == 7
    clock.second += 1
    for reader in (tokens, Tokens(KEYRING)):
        with pytest.raises(Expired):
            reader.read(token)


def test_that_a_forged_token_has_expired_is_not_told(tokens: Tokens) -> None:
    with pytest.raises(Unauthorized):
        tokens.read(sign(HEADER, {**CLAIMS, "exp": 1}, b"x" * 32))


def test_a_former_secret_is_honoured_until_it_is_dropped() -> None:
    before, between, after = Tokens(Keyring([OLD])), Tokens(Keyring([NEW, OLD])), Tokens(Keyring([NEW]))
    token = before.issue(3, 7, 5)
    assert between.read(token).user_id == 7
    with pytest.raises(Unauthorized):
        after.read(token)
    assert after.read(between.issue(3, 7, 5)).user_id == 7
    with pytest.raises(Unauthorized):
        before.read(between.issue(3, 7, 5))


def test_a_secret_does_not_vouch_for_another() -> None:
    both = Keyring([NEW, OLD])
    with pytest.raises(Unauthorized):
        Tokens(both).read(sign({**HEADER, "kid": both.secrets[1].kid}, CLAIMS, KEY))


@pytest.mark.parametrize("secrets", [[], [""], ["x" * 15], [NEW, "short"]])
def test_a_secret_that_can_be_guessed_is_refused(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="at least 16"):
        Keyring(secrets)


def test_the_key_of_each_purpose_is_its_own() -> None:
    secret = KEYRING.current
    assert len({secret.token_key, secret.api_key_key, hashlib.sha256(NEW.encode()).digest()}) == 3
    assert secret.kid not in {secret.token_key.hex()[:12], secret.api_key_key.hex()[:12]}


def test_only_so_many_signatures_are_remembered(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 10)
    issued = [tokens.issue(3, number, 1) for number in range(1, 101)]
    assert [tokens.read(token).user_id for token in [*issued, *issued]] == [*range(1, 101), *range(1, 101)]
    assert len(tokens._checked) <= 10
