"""BBCode to HTML, in one pass over the text.

    [b] [i] [u] [s] [sub] [sup] [quote] [quote=who] [code] [url] [url=address] [img] [list] [list=1] [*]
    [color=red] [size=4] [center] [hr] [h1] … [h6]

What is not BBCode stays as it was written. Tags that are left open are closed at the end; a closing tag without an
opening one is text.
"""

import re
from collections import Counter
from html import escape
from typing import NamedTuple

from sitehive.features.rendering.palette import COLOURS, SIZES

SIMPLE = {
    "b": "strong", "i": "em", "u": "u", "s": "s", "sub": "sub", "sup": "sup", "center": "div", "list": "ul",
    "quote": "blockquote", **{f"h{n}": f"h{n}" for n in range(1, 7)},
}  # fmt: skip
BLOCKS = {"quote", "list", "code", "center", "hr", "*", *(f"h{n}" for n in range(1, 7))}

_NAMES = r"b|i|u|s|sub|sup|quote|code|url|img|list|\*|color|size|center|hr|h[1-6]"
_TOKEN = re.compile(rf"\[(/?)({_NAMES})(?:=([^\]\[\n]{{0,500}}))?\]|\n+", re.IGNORECASE)
# What lies inside these is taken as it is.
_VERBATIM = {"code", "img"}


class Open(NamedTuple):
    tag: str
    closing: str


class Writer:
    """The HTML so far, and the tags that are open in it."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.open: list[Open] = []
        self.count: Counter[str] = Counter()
        # Tags whose closing half appears nowhere in the rest of the text, so that nobody looks for it again.
        self.unclosed: set[str] = set()

    def text(self, text: str) -> None:
        self.parts.append(escape(text))

    def push(self, tag: str, opening: str, closing: str) -> None:
        self.parts.append(opening)
        self.open.append(Open(tag, closing))
        self.count[tag] += 1

    def close(self, tag: str) -> bool:
        """Close a tag, and whatever was opened inside it; answers whether it was open."""
        if not self.count[tag]:
            return False
        while self.open:
            last = self.open.pop()
            self.count[last.tag] -= 1
            self.parts.append(last.closing)
            if last.tag == tag:
                break
        return True

    def finish(self) -> str:
        self.parts.extend(one.closing for one in reversed(self.open))
        return "".join(self.parts)


def bbcode_to_html(text: str) -> str:
    text = text.replace("\r\n", "\n")
    writer, place = Writer(), 0
    while match := _TOKEN.search(text, place):
        writer.text(text[place : match.start()])
        place = match.end()
        if match[0][0] == "\n":
            writer.parts.append("<br>" * min(len(match[0]), 2))
            continue
        tag, value = match[2].lower(), match[3]
        if match[1]:
            place = _close(writer, tag, match[0], text, place)
        elif tag in _VERBATIM or (tag == "url" and value is None):
            place = _verbatim(writer, tag, match[0], text, place)
        else:
            _open(writer, tag, value, match[0])
            place = _after_break(text, place) if tag in BLOCKS else place
    writer.text(text[place:])
    return writer.finish()


def _close(writer: Writer, tag: str, written: str, text: str, place: int) -> int:
    if tag == "list":
        writer.close("*")
    if not writer.close(tag):
        writer.text(written)
    return _after_break(text, place) if tag in BLOCKS else place


def _after_break(text: str, place: int) -> int:
    """A line break beside a block is part of the markup."""
    return place + 1 if text.startswith("\n", place) else place


def _verbatim(writer: Writer, tag: str, written: str, text: str, place: int) -> int:
    end = None if tag in writer.unclosed else re.compile(rf"\[/{tag}\]", re.IGNORECASE).search(text, place)
    if end is None:
        writer.unclosed.add(tag)
        writer.text(written)
        return place
    inside = text[place : end.start()]
    if tag == "code":
        writer.parts.append(f"<pre><code>{escape(inside.strip(chr(10)))}</code></pre>")
    elif tag == "img":
        writer.parts.append(f'<img src="{escape(inside.strip())}" alt="">')
    else:
        writer.parts.append(f'<a href="{escape(inside.strip())}">{escape(inside)}</a>')
    return _after_break(text, end.end()) if tag in BLOCKS else end.end()


def _open(writer: Writer, tag: str, value: str | None, written: str) -> None:
    value = (value or "").strip().strip("\"'")
    if tag == "hr":
        writer.parts.append("<hr>")
    elif tag == "*":
        writer.close("*")
        writer.push("*", "<li>", "</li>")
    elif tag == "url":
        writer.push("url", f'<a href="{escape(value)}">', "</a>")
    elif tag == "list" and value == "1":
        writer.push("list", "<ol>", "</ol>")
    elif tag == "quote" and value:
        writer.push("quote", f"<blockquote><p><strong>{escape(value)}:</strong></p>", "</blockquote>")
    elif tag in {"color", "size"}:
        known = value.lower() in COLOURS if tag == "color" else value in {str(size) for size in SIZES}
        name = f"bb-{value.lower()}" if tag == "color" else f"bb-size-{value}"
        writer.push(tag, f'<span class="{name}">' if known else "<span>", "</span>")
    elif tag in SIMPLE:
        writer.push(tag, f"<{SIMPLE[tag]}>", f"</{SIMPLE[tag]}>")
    else:
        writer.text(written)
