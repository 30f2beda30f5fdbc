"""What a terminal is told of colours: the very bytes that Rich would tell it, for every style that is used."""

import ast
from io import StringIO
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

import cli
from cli.terminal import table
from cli.terminal.screen import FACES, Page, Screen, Span, safe

CONSOLE = Console(file=StringIO(), force_terminal=True, width=10_000, color_system="standard", no_color=False)


def by_rich(line: list[Span | str]) -> str:
    text = Text()
    for part in line:
        text.append(
            safe(part) if isinstance(part, str) else safe(part.text), "" if isinstance(part, str) else part.style
        )
    with CONSOLE.capture() as captured:
        CONSOLE.print(text, end="", soft_wrap=True, highlight=False)
    return captured.get().rstrip()


def by_hand(line: list[Span | str]) -> str:
    screen = Screen("always", StringIO())
    screen.lines([line])
    (painted,) = screen.drain()
    return painted


def constants(style: ast.expr) -> set[str]:
    """The styles that an expression can come to."""
    if isinstance(style, ast.IfExp):
        return constants(style.body) | constants(style.orelse)
    return {style.value} if isinstance(style, ast.Constant) and isinstance(style.value, str) else set()


def used() -> set[str]:
    """Every style that stands in the program as the second argument of a Span."""
    return {
        found
        for path in Path(cli.__path__[0]).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Span"
        for style in node.args[1:2] + [word.value for word in node.keywords if word.arg == "style"]
        for found in constants(style)
    }


def test_every_style_that_is_used_is_known_and_painted_as_rich_paints_it() -> None:
    styles = used()
    assert len(styles) > 8
    for style in styles:
        assert set(style.split()) <= FACES.keys(), style
        assert by_hand([Span("words", style), " and ", Span("", style), Span(" ", style)]) == by_rich(
            [Span("words", style), " and ", Span("", style), Span(" ", style)]
        )


texts = st.text("ab \té哥🐉\u0301\x1b\u202e[/]\\", max_size=12)
styles = st.lists(st.sampled_from(["bold", "dim", "strike", "italic", "underline", "reverse"]), max_size=3, unique=True)
colours = st.sampled_from(["", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "black"])
spans = st.builds(lambda text, faces, colour: Span(text, " ".join([*faces, colour]).strip()), texts, styles, colours)


@given(st.lists(spans | texts, max_size=5))
def test_any_line_is_painted_as_rich_paints_it(line: list[Span | str]) -> None:
    assert by_hand(line) == by_rich(line)


def test_what_is_struck_has_room_for_its_parentheses_where_nothing_is_painted() -> None:
    screen = Screen("never", Page(30))
    screen.line("Ada rolls ", Span("1", "strike dim"), " ", Span("2", "strike dim"), " 6 and has 6 hit", " points")
    rows = screen.drain()
    assert rows[0] == "Ada rolls (1) (2) 6 and has 6"
    assert all(len(row) <= 30 for row in rows)


def test_a_wide_cell_is_wrapped_without_measuring_each_of_its_beginnings() -> None:
    """A query can show a whole event in one cell, of thousands of letters beyond ASCII."""
    pieces = table._pieces("朱" * 5000, 9)
    assert pieces == ["朱朱朱朱"] * 1250
    assert table._pieces("a marble saint", 9) == ["a marble", "saint"]
