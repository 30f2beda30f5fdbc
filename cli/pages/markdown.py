"""Markdown rendered as HTML and for the terminal; every page for reading is written in it.

Two things are added to Markdown: a few pieces of HTML (an anchor, a part that folds), and figures, which are fenced
blocks `figure NAME` that hold the picture as text and become the picture of that name in HTML. All other HTML is
escaped, so that text of the log that was not escaped before could neither mark anything up nor run.
"""

import io
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from cli.pages.blocks import WIDEST
from cli.terminal.screen import Screen

#: The only HTML that is not escaped.
_OURS = re.compile(r'(?:<a id="[^"<>&]*">|</a>|<details( open)?>|</details>|<summary>[^<>]*</summary>|\s)+')
#: Blanks at the end of a painted line: one beyond the last column would wrap to a new line.
BLANK_END = re.compile(r"[ ]+((?:\x1b\[[0-9;]*m)*)$")
#: A table whose rows have more characters than this is laid out cell by cell on a phone.
PHONE = 40
#: A cell with a longer word may be as narrow as its column has to be; other words are broken only where they must.
LONGEST_WORD = 24
#: Style rules for pages rendered from Markdown.
STYLE = """
h2 { margin: 2.2rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .3rem; }
p > em:only-child { font-style: normal; color: var(--faint); }
a { color: var(--link); }
a[href*="#T"] { color: var(--faint); font-size: .8em; text-decoration: none; }
ul, ol { padding-left: 1.2rem; } li { margin: .25rem 0; }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); font-style: italic; }
summary { cursor: pointer; color: var(--faint); padding: .3rem 0; }
:target, li:has(> a:target), h2:has(> a:target), h3:has(> a:target) { background: var(--mark); }
pre { overflow-x: auto; border: 1px solid var(--line); padding: .6rem .8rem; line-height: 1.35; font-size: .85em;
  overflow-wrap: normal; }
.table { overflow-x: auto; } .table table { font-size: .92em; width: auto; min-width: min(100%, 22rem); }
.table th, .table td { padding: .2rem .6rem .2rem 0; overflow-wrap: break-word; }
.table .long { overflow-wrap: anywhere; }
td strong { background: var(--mark); }
.table td:has(> strong), .table td:has(+ td > strong) { overflow-wrap: anywhere; }
@media (max-width: 30rem) { summary { padding: .6rem 0; }
  .wide thead { position: absolute; clip-path: inset(50%); } .wide, .wide tbody { display: block; }
  .wide tr { display: flex; flex-wrap: wrap; gap: 0 .9rem; padding: .35rem 0; border-bottom: 1px solid var(--line); }
  .wide td { border: 0; padding: 0; } .wide td:empty { display: none; }
  .wide td::before { content: attr(data-head) " "; color: var(--faint); } }
@media print { a { color: inherit; text-decoration: none; } .table { overflow: visible; }
  .table th, .table td { overflow-wrap: anywhere; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 0; padding: 0; } svg, p { break-inside: avoid; }
  details:not([open]) { display: none; } }
"""


# -- HTML --------------------------------------------------------------------------------------------------


class _Renderer(RendererHTML):
    """The library's renderer with tables that fit a phone, figures, and all HTML but `_OURS` escaped."""

    def html_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:  # noqa: ARG002
        return _if_ours(tokens[index].content)

    def html_inline(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:  # noqa: ARG002
        return _if_ours(tokens[index].content)

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        kind, _, name = tokens[index].info.partition(" ")
        picture: str | None = env.get("figures", {}).get(name.strip()) if kind == "figure" else None
        return picture if picture is not None else super().fence(tokens, index, options, env)

    def table_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:  # noqa: ARG002
        wide = _prepare_table(tokens, index)
        return f'<div class="table"><table{" class=wide" if wide else ""}>\n'

    def table_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:  # noqa: ARG002
        return "</table></div>\n"

    def link_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        if str(tokens[index].attrGet("href")).startswith("http"):
            tokens[index].attrSet("rel", "noreferrer")
        return self.renderToken(tokens, index, options, env)


def _if_ours(html: str) -> str:
    return html if _OURS.fullmatch(html) else escape(html)


def _prepare_table(tokens: Sequence[Token], start: int) -> bool:
    """Give each cell of a table the head of its column, and the class of long words; whether it is wide for a phone."""
    heads: list[str] = []
    widest: list[int] = []
    column = 0
    for at in range(start + 1, len(tokens)):
        token = tokens[at]
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            column = 0
        elif token.type == "th_open":
            heads.append(tokens[at + 1].content)
            widest.append(len(heads[-1]))
        elif token.type == "td_open":
            if any(len(word) > LONGEST_WORD for word in tokens[at + 1].content.split()):
                token.attrSet("class", "long")
            token.attrSet("data-head", heads[column].replace("\\", ""))
            widest[column] = max(widest[column], len(tokens[at + 1].content))
            column += 1
    return sum(widest) > PHONE


def to_html(text: str, figures: Mapping[str, str] | None = None) -> str:
    """Markdown as HTML; `figures` are the pictures, as HTML, that replace the fenced blocks of their names."""
    reader = MarkdownIt("commonmark", {"html": True}, renderer_cls=_Renderer).enable(["table", "strikethrough"])
    # a head without words is none: readers of screens would say an empty one with every cell
    return str(reader.render(text, {"figures": figures or {}})).replace("<th></th>", "<td></td>")


# -- terminal ----------------------------------------------------------------------------------------------


def print_markdown(screen: Screen, text: str) -> None:
    """Print Markdown laid out for the width of the screen, in colours if the screen has them."""
    from rich import markdown as rich_markdown
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.theme import Theme

    class Heading(rich_markdown.Heading):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            self.text.justify = "left"
            yield self.text

    class TerminalMarkdown(rich_markdown.Markdown):
        elements = {**rich_markdown.Markdown.elements, "heading_open": Heading}

    console = Console(
        file=io.StringIO(),
        width=min(screen.columns, WIDEST),
        force_terminal=screen.paints,
        color_system="standard" if screen.paints else None,
        no_color=not screen.paints,
        highlight=False,
        theme=Theme({
            "markdown.h1": "bold", "markdown.h2": "bold cyan", "markdown.h3": "bold", "markdown.code": "cyan",
            "markdown.em": "dim", "markdown.block_quote": "italic",
        }),
    )  # fmt: skip
    with console.capture() as output:
        console.print(TerminalMarkdown(text, hyperlinks=False, code_theme="ansi_dark"))
    screen.raw("\n".join(BLANK_END.sub(r"\1", line) for line in output.get().rstrip("\n").split("\n")))
