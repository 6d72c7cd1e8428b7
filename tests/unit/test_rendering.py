"""Rendering: what people mean comes out, and nothing that runs."""

import re
from html.parser import HTMLParser
from itertools import product

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitehive.features.posts.types import FORMATS
from sitehive.features.rendering.palette import CLASSES
from sitehive.features.rendering.render import render
from sitehive.features.rendering.sanitise import ATTRIBUTES, SCHEMES, TAGS

VECTORS = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "<img src='javascript:alert(1)'>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='JaVaScRiPt:alert(1)'>x</a>",
    "<a href=' &#14; javascript:alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "<a href='vbscript:msgbox(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<body onload=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<style>@import 'javascript:alert(1)';</style>",
    "<div style='background:url(javascript:alert(1))'>x</div>",
    "<p style=behavior:url(x)>x</p>",
    "<link rel=stylesheet href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<base href=//evil.example/>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><script>alert(1)</script></template>",
    "<a id=x name=y target=_blank href=http://a.example>x</a>",
    "<<script>script>alert(1)<</script>/script>",
    "<img src=`x` onerror=alert(1)>",
    "<img/src=x/onerror=alert(1)>",
    "<!--<img src='--><img src=x onerror=alert(1)//'>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<xss onclick=alert(1) tabindex=1>x</xss>",
    "[x](javascript:alert(1))",
    "[x](  javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1) 'title')",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](javascript:alert(1))",
    "![x\" onerror=alert(1) y=\"](http://a.example)",
    "[x]: javascript:alert(1)\n[x]",
    "<javascript:alert(1)>",
    "`<script>alert(1)</script>`",
    "[url=javascript:alert(1)]x[/url]",
    "[url]javascript:alert(1)[/url]",
    "[url=http://a.example\" onclick=alert(1) x=\"]x[/url]",
    "[url='javascript:alert(1)']x[/url]",
    "[img]javascript:alert(1)[/img]",
    "[img]x\" onerror=\"alert(1)[/img]",
    "[color=red\" onclick=\"alert(1)]x[/color]",
    "[size=1\"><script>alert(1)</script>]x[/size]",
    "[quote=<script>alert(1)</script>]x[/quote]",
    "[code]</code></pre><script>alert(1)</script>[/code]",
    "[b][url=javascript:alert(1)][img]x[/img][/url][/b]",
]  # fmt: skip


class Watcher(HTMLParser):
    """Complains about everything that is not on the short list of what is allowed."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        for name, value in attrs:
            allowed = ATTRIBUTES.get(tag, set()) | {"a": {"rel"}, "span": {"class"}}.get(tag, set())
            assert name in allowed, (tag, name)
            if name in {"href", "src"}:
                scheme = re.match(r"\s*([a-zA-Z][a-zA-Z0-9+.-]*)\s*:", value or "")
                assert scheme is None or scheme[1].lower() in SCHEMES, value
            if name == "class":
                assert set((value or "").split()) <= CLASSES

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def watch(html: str) -> None:
    watcher = Watcher()
    watcher.feed(html)
    watcher.close()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("vector", VECTORS)
def test_nothing_runs(form: str, vector: str) -> None:
    watch(render(form, vector))
    watch(render(form, f"some text\n\n{vector} and more {vector}"))


@given(
    form=st.sampled_from(sorted(FORMATS)), parts=st.lists(st.sampled_from(VECTORS) | st.text(max_size=20), max_size=6)
)
def test_nothing_runs_in_any_mixture(form: str, parts: list[str]) -> None:
    watch(render(form, "".join(parts)))


@pytest.mark.parametrize(
    ("form", "text", "html"),
    [
        ("text", "a < b\n& c\n\nnext", "<p>a &lt; b<br>&amp; c</p><p>next</p>"),
        ("text", "", ""),
        ("md", "# Title\n\n*so* **strong**", "<h1>Title</h1>\n<p><em>so</em> <strong>strong</strong></p>\n"),
        ("md", "| a |\n|---|\n| b |", "<table>"),
        ("md", "~~gone~~ https://a.example", '<a href="https://a.example"'),
        ("html", "<p>Hello <b>you</b></p>", "<p>Hello <b>you</b></p>"),
        ("html", "<p>unclosed", "<p>unclosed</p>"),
        (
            "bbcode",
            "[b]bold[/b] [i]it[/i] [u]un[/u] [s]st[/s]",
            "<strong>bold</strong> <em>it</em> <u>un</u> <s>st</s>",
        ),
        ("bbcode", "[B]any case[/b]", "<strong>any case</strong>"),
        ("bbcode", "one\ntwo\n\n\n\nthree", "one<br>two<br><br>three"),
        ("bbcode", "[quote=Ann]said[/quote]", "<blockquote><p><strong>Ann:</strong></p>said</blockquote>"),
        ("bbcode", "[list][*]a[*]b[/list]", "<ul><li>a</li><li>b</li></ul>"),
        ("bbcode", "[list=1][*]a[/list]", "<ol><li>a</li></ol>"),
        ("bbcode", "[code][b]x[/b] < y[/code]", "<pre><code>[b]x[/b] &lt; y</code></pre>"),
        ("bbcode", "[img]http://a.example/x.png[/img]", '<img src="http://a.example/x.png" alt="">'),
        ("bbcode", "[color=red]r[/color]", '<span class="bb-red">r</span>'),
        ("bbcode", "[size=5]big[/size]", '<span class="bb-size-5">big</span>'),
        ("bbcode", "[b]left open", "<strong>left open</strong>"),
        ("bbcode", "never opened[/b]", "never opened[/b]"),
        ("bbcode", "[b][i]crossed[/b] over[/i]", "<strong><em>crossed</em></strong> over[/i]"),
        ("bbcode", "[nonsense] and [ b ]", "[nonsense] and [ b ]"),
        ("bbcode", "[h2]Title[/h2]\ntext[hr]", "<h2>Title</h2>text<hr>"),
    ],
)
def test_what_is_meant_comes_out(form: str, text: str, html: str) -> None:
    assert html in render(form, text)


HOSTILE = {
    "deep quotes": ">" * 65_536,
    "deep tags": "<div>" * 13_107,
    "unclosed formatting": "<b></p>" * 9_362,
    "open brackets": "[" * 65_536,
    "open tags": "[b]" * 21_845,
    "open code": "[code]" * 10_922,
    "open images": "[img]" * 13_107,
    "list items": "[*]" * 21_845,
    "wide table": "|a" * 16_384 + "\n" + "|-" * 16_384,
    "line breaks": "\n" * 65_536,
    "wide rows over short ones": "a|" * 1_500 + "\n" + "-|" * 1_500 + "\n" + "x\n" * 4_900,
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_what_would_take_long_is_shown_as_text(form: str, text: str) -> None:
    html = render(form, text)
    watch(html)
    assert html == render("text", text)


def test_a_tag_with_thousands_of_attributes_is_shown_as_text() -> None:
    names = ["".join(name) for name in product("abcdefghijklmnopqrstuvwxyz", repeat=3)][:16_000]
    for text in (f"<a {' '.join(names)}>", "<a " + 'b=">" ' * 1_000 + ">"):
        for form in ("html", "md"):
            watch(render(form, text))
        assert render("html", text) == render("text", text)


def test_rendering_leaks_nothing() -> None:
    """Memory that is given back to nobody would grow with every view of a post."""
    texts = [
        (form, f"# *{word}*\n\n[b]{word}[/b] <i>{word}</i>\n\n" * 40) for form in FORMATS for word in ("one", "two")
    ]
    for form, text in texts * 50:
        render(form, text)
    before = psutil.Process().memory_info().rss
    for form, text in texts * 500:
        render(form, text)
    assert psutil.Process().memory_info().rss - before < 16 * 1024 * 1024


def test_a_long_text_is_shown_as_text() -> None:
    long = "a *word* among many plain ones " * 3_000
    assert render("md", long) == render("text", long)
    assert "<em>" in render("md", long[:60_000])
