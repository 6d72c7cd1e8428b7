"""A picture for everyone: a small pattern drawn from the user's identity, the same every time."""

from functools import lru_cache
from hashlib import blake2b

SIZE = 5
SEED_LENGTH = 16


class Avatars:
    """Where users' pictures are found."""

    def __init__(self, public_url: str) -> None:
        self.url = lru_cache(maxsize=8192)(lambda user_id: f"{public_url}/avatars/{seed(user_id)}.svg")


def seed(user_id: int) -> str:
    return blake2b(b"avatar:%d" % user_id, digest_size=SEED_LENGTH // 2).hexdigest()


def is_seed(text: str) -> bool:
    return len(text) == SEED_LENGTH and all(c in "0123456789abcdef" for c in text)


@lru_cache(maxsize=512)
def draw(text: str) -> bytes:
    """Draw the picture of a seed: five by five squares, mirrored, in one colour."""
    bits = int(text, 16)
    hue = bits % 360
    half = SIZE // 2 + 1
    cells = [
        (column, row)
        for row in range(SIZE)
        for column in range(SIZE)
        if bits >> (16 + row * half + min(column, SIZE - 1 - column)) & 1
    ]
    path = "".join(f"M{x + 1} {y + 1}h1v1h-1z" for x, y in cells)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" shape-rendering="crispEdges">'
        f'<rect width="7" height="7" fill="hsl({hue} 40% 92%)"/><path d="{path}" fill="hsl({hue} 55% 45%)"/></svg>'
    ).encode()
