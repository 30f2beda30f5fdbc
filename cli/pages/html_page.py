"""The frame of every HTML page: one document with its own style that loads nothing and runs nothing."""

from collections.abc import Iterable, Iterator
from html import escape

from cli.terminal.screen import safe

#: The style that all pages share, for light and dark screens, phones and paper; a page adds its own rules to it.
STYLE = """
:root { color-scheme: light dark; --ink: #222; --faint: #666; --line: #ccc; --paper: #fdfcf9; --mark: #fdf0c4;
  --link: #1f5fa8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e3dc; --faint: #a09c92; --line: #4a4842; --paper: #1c1b19;
  --mark: #4a3f14; --link: #7db4f0; } }
body { font: 1.05rem/1.55 Georgia, "Times New Roman", serif; color: var(--ink); background: var(--paper);
  max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.2; margin-bottom: .2rem; }
h2 { font-size: 1.25rem; border-bottom: 1px solid var(--line); }
code { font-size: .88em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { font-weight: normal; color: var(--faint); }
@media (max-width: 30rem) { body { margin: 1rem auto; } h1 { font-size: 1.5rem; } }
@page { margin: 16mm; }
@media print { :root { color-scheme: light; --ink: #000; --faint: #444; --line: #999; --paper: #fff; --mark: #eee; }
  body { margin: 0; padding: 0; max-width: none; font-size: 10.5pt; } h2, h3 { break-after: avoid; }
  p, li { orphans: 3; widows: 3; } tr, li { break-inside: avoid; } }
"""


def document(title: str, style: str, parts: Iterable[str]) -> str:
    """The whole page. `title` is plain text and escaped here; `style` is added to `STYLE`; `parts` are HTML already."""
    return "\n".join(document_lines(title, style, parts))


def document_lines(title: str, style: str, parts: Iterable[str]) -> Iterator[str]:
    """The page, part by part, each as soon as it is there."""
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # the second lock: even a mistake in the parts could neither run nor load anything
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape_line(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>"
    )
    yield from parts
    yield "</body>\n</html>"


def escape_line(text: str) -> str:
    """Text of the log escaped for a place that shows one line."""
    return escape(safe(text))


def escape_html(text: str) -> str:
    """Text of the log escaped for the body of a page; its line ends are kept."""
    return escape(safe(text, lines=True)).replace("\n", "<br>")
