"""What may stand in HTML that strangers wrote."""

import re
from collections import Counter
from html import escape

import nh3

from sitehive.features.rendering.palette import CLASSES
from sitehive.kernel import limits

TAGS = {
    "a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "del", "div", "dl", "dt", "em", "figcaption",
    "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q",
    "s", "samp", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u",
    "ul",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "title"},
    "abbr": {"title"},
    "img": {"src", "alt", "title", "width", "height"},
    "ol": {"start"},
    "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align"},
}
SCHEMES = {"http", "https", "mailto"}
# Hostile texts make parsers slow by nesting deep, or by being little else than markup. Beyond these bounds a text is
# shown as it is; what people really write stays far below them.
MAX_OPEN = 100
MAX_MARKS = 8_000
MARKS = "[<>*_`|&~!\n"
MAX_CELLS = 10_000
MAX_TAG = 4_000
MAX_HTML = 4 * limits.MAX_RENDERED

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_WHOLE_TAG = re.compile(r"""<[a-zA-Z](?:[^<>"']|"[^"]*"|'[^']*')*""")
_VOID = {"br", "hr", "img", "input", "meta", "link", "wbr"}


def sanitise(html: str) -> str:
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes={"span": CLASSES},
        url_schemes=SCHEMES,
        link_rel="nofollow noopener noreferrer ugc",
        clean_content_tags={"script", "style", "iframe", "object", "template", "noscript"},
    )


def is_sane_text(text: str) -> bool:
    """Whether a text is short and plain enough to be parsed in time."""
    if len(text.encode()) > limits.MAX_RENDERED or sum(text.count(mark) for mark in MARKS) > MAX_MARKS:
        return False
    # A table fills every row up to its width, so a wide row makes short ones long.
    lines = text.split("\n")
    return max(line.count("|") for line in lines) * len(lines) <= MAX_CELLS


def is_sane_html(html: str) -> bool:
    """Whether HTML is short and flat enough to be sanitised in time. What is never closed is open to the end."""
    if len(html) > MAX_HTML or any(len(tag[0]) > MAX_TAG for tag in _WHOLE_TAG.finditer(html)):
        return False
    unclosed: Counter[str] = Counter()
    for match in _TAG.finditer(html):
        name = match[2].lower()
        if name in _VOID:
            continue
        if not match[1]:
            unclosed[name] += 1
            if unclosed.total() > MAX_OPEN:
                return False
        elif unclosed[name]:
            unclosed[name] -= 1
    return True


def text_to_html(text: str) -> str:
    """Plain text: paragraphs at blank lines, breaks at the others, and nothing else."""
    paragraphs = re.split(r"\n{2,}", text.replace("\r\n", "\n").strip("\n"))
    return "".join(f"<p>{escape(part).replace(chr(10), '<br>')}</p>" for part in paragraphs if part.strip())
