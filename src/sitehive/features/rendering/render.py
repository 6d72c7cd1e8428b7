"""Renders the four formats. Whatever the format, the result has passed through the same sanitiser."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import comrak

from sitehive.features.rendering.bbcode import bbcode_to_html
from sitehive.features.rendering.sanitise import is_sane_html, is_sane_text, sanitise, text_to_html

# Texts up to this length are rendered on the event loop: it takes well under a millisecond.
SHORT = 1_024


EXTENSIONS = comrak.ExtensionOptions()
EXTENSIONS.autolink = EXTENSIONS.strikethrough = EXTENSIONS.table = EXTENSIONS.tasklist = True
RENDERING = comrak.RenderOptions()
# Raw HTML is let through here, since everything is sanitised afterwards.
RENDERING.unsafe_ = True


def markdown_to_html(text: str) -> str:
    return comrak.render_markdown(text, extension_options=EXTENSIONS, render_options=RENDERING)


TO_HTML: dict[str, Callable[[str], str]] = {
    "md": markdown_to_html,
    "bbcode": bbcode_to_html,
    "html": str,
}


def render(form: str, content: str) -> str:
    """Render a text. One that is too long or nests too deep to be rendered in time is shown as plain text."""
    to_html = TO_HTML.get(form)
    if to_html is None or not is_sane_text(content):
        return text_to_html(content)
    html = to_html(content)
    return sanitise(html) if is_sane_html(html) else text_to_html(content)


def _render_all(texts: Sequence[tuple[str, str]]) -> list[str]:
    return [render(form, content) for form, content in texts]


class Renderer:
    """Renders without holding the event loop."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1, "rendering")

    async def render_all(self, texts: Sequence[tuple[str, str]]) -> list[str]:
        """Render texts, each given as its format and content."""
        if sum(len(content) for _, content in texts) <= SHORT:
            return _render_all(texts)
        return await asyncio.get_running_loop().run_in_executor(self._threads, _render_all, texts)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
