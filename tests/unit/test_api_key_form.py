"""The form of an API key: random, recognisable, and proof against typing errors."""

import re
import string

from hypothesis import given
from hypothesis import strategies as st

from sitehive.features.api_keys.keys import ALPHABET, CHECK, PREFIX, RANDOM, digest, display, generate, is_well_formed
from sitehive.features.identity.keyring import Secret

KEY = generate()
BODY = range(len(PREFIX), len(KEY))


def test_a_key_is_recognised_by_its_form() -> None:
    for _ in range(200):
        key = generate()
        assert re.fullmatch(r"hive_live_[0-9A-Za-z]{36}", key)
        assert is_well_formed(key)


def test_no_two_keys_are_alike() -> None:
    assert len({generate() for _ in range(1_000)}) == 1_000


def test_every_letter_is_used() -> None:
    used = set("".join(generate()[len(PREFIX) : -CHECK] for _ in range(200)))
    assert used == set(ALPHABET) == set(string.ascii_letters + string.digits)


def test_every_single_mistyped_letter_is_noticed() -> None:
    wrong = [KEY[:place] + letter + KEY[place + 1 :] for place in BODY for letter in ALPHABET if letter != KEY[place]]
    assert len(wrong) == (RANDOM + CHECK) * 61
    assert not any(map(is_well_formed, wrong))


def test_two_letters_that_change_places_are_noticed() -> None:
    swapped = [
        KEY[:place] + KEY[place + 1] + KEY[place] + KEY[place + 2 :]
        for place in BODY[:-1]
        if KEY[place] != KEY[place + 1]
    ]
    assert swapped
    assert not any(map(is_well_formed, swapped))


def test_a_letter_too_many_or_too_few_is_noticed() -> None:
    assert not any(is_well_formed(KEY[:place] + KEY[place + 1 :]) for place in range(len(KEY)))
    assert not any(is_well_formed(KEY[:place] + "x" + KEY[place:]) for place in range(len(KEY) + 1))


@given(st.text(ALPHABET, min_size=RANDOM, max_size=RANDOM), st.data())
def test_a_typing_error_in_any_key_is_noticed(body: str, data: st.DataObject) -> None:
    key = next(PREFIX + body + check for check in [_check(body)])
    assert is_well_formed(key)
    place = data.draw(st.sampled_from(BODY))
    letter = data.draw(st.characters().filter(lambda typed: typed != key[place]))
    assert not is_well_formed(key[:place] + letter + key[place + 1 :])


def _check(body: str) -> str:
    """The six letters that make a key of a body, worked out from the definition: CRC-32 in base 62."""
    crc = 0xFFFFFFFF
    for byte in body.encode():
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    number, letters = crc ^ 0xFFFFFFFF, ""
    while len(letters) < CHECK:
        letters = ALPHABET[number % 62] + letters
        number //= 62
    return letters


@given(st.text())
def test_other_texts_are_no_keys(text: str) -> None:
    assert not is_well_formed(text)
    assert not is_well_formed(PREFIX + text)


def test_what_is_kept_tells_keys_and_secrets_apart_and_nothing_else() -> None:
    one, other = Secret.of("a secret of the server"), Secret.of("another secret of it")
    kept = {digest(KEY, one), digest(KEY, other), digest(generate(), one)}
    assert len(kept) == 3
    assert all(re.fullmatch("[0-9a-f]{64}", text) for text in kept)
    assert digest(KEY, one) == digest(KEY, Secret.of("a secret of the server"))


def test_what_is_shown_is_not_enough_to_use_it() -> None:
    assert display(KEY) == f"hive_live_{KEY[10:14]}…{KEY[-4:]}"
