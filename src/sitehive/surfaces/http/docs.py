"""The page at `/docs`: reads the published document in the browser, and tries operations out.

Everything it needs is in the folder `explorer` and comes from this server, so it works without a network beyond it.
"""

from importlib.resources import files
from pathlib import PurePath

from sitehive.kernel.errors import NotFound
from sitehive.surfaces.http.response import Headers, Response

HTML = b"text/html; charset=utf-8"
TYPES = {".css": b"text/css; charset=utf-8", ".js": b"text/javascript; charset=utf-8"}
# The page runs and calls what is its own, and nothing that it shows could do more.
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Headers = [
    (b"cache-control", b"no-cache"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", POLICY),
]

_folder = files("sitehive.surfaces.http") / "explorer"
_page = (_folder / "index.html").read_bytes()
_assets = {
    entry.name: (TYPES[suffix], entry.read_bytes())
    for entry in _folder.iterdir()
    if (suffix := PurePath(entry.name).suffix) in TYPES
}


async def page(_: str) -> Response:
    return _respond(HTML, _page)


async def asset(name: str) -> Response:
    if name not in _assets:
        raise NotFound
    return _respond(*_assets[name])


def _respond(content_type: bytes, body: bytes) -> Response:
    return Response(200, [(b"content-type", content_type), *HEADERS], body)
