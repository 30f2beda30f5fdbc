"""How pages are made: the templates, and what they may ask of a value.

The template engine escapes whatever comes from data; control and bidi characters are made visible before.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from cli.pages import recap, svg_plot
from cli.pages.markdown import to_html
from cli.pages.rulebook import status_of, with_links
from cli.serving.asset_files import address_of
from cli.serving.wording import as_title, parts_in_words, settings_of_ruling, stored_sentence_in_words
from cli.terminal.remarks import original, remark_in_words
from cli.terminal.screen import safe
from domain.naming import called, ended, listed
from domain.system.rows import Bar, Marks, Phrase, Pips
from domain.times import to_the_minute
from domain.turn import Struck
from domain.values import in_words, plainly
from projections.difference import change_of_members
from projections.recap_document import Curve

HERE = Path(__file__).parent / "templates"
#: What stands between a value and what became of it; no line ends beside it.
ARROW = " \N{RIGHTWARDS ARROW} "


def page_text(text: str, *, lines: bool = False) -> str:
    """A text of the log as a page shows it, with `lines` as it is parted into lines."""
    return safe(text, lines=lines).replace(ARROW, ARROW.replace(" ", "\N{NO-BREAK SPACE}"))


def _finalize(value: Any) -> Any:
    return page_text(value, lines=True) if isinstance(value, str) and not isinstance(value, Markup) else value


def _breakable(text: str) -> Markup:
    """A text in which the name of an option may be broken behind each of its words."""
    return Markup("_<wbr>").join(page_text(text, lines=True).split("_"))


def _slug(text: str) -> str:
    """A text as the id of a part of the page, which holds no blank."""
    return re.sub(r"\s", "_", page_text(text))


def _with_links(text: str) -> Markup:
    """Words of the rules as HTML, with links to paragraphs; names of options break as in `_breakable`."""
    return Markup(re.sub(r"_(?=[^<>]*(<|$))", "_<wbr>", to_html(with_links(text))))


def _chip(word: str) -> str:
    """A word of the line as its button says it: a name of a field or a flag in words."""
    name = word.removesuffix("=")
    return f"{plainly(name)}{' …' if name != word else ''}" if name.isidentifier() else word


def _svg(courses: Sequence[Curve], label: str, last: int) -> Markup:
    """Courses as a picture, which escapes what it holds itself; nothing of none."""
    visible = [course for course in courses if course.points]
    return Markup(svg_plot.svg(visible, label, last)) if visible else Markup("")


@cache
def _templates() -> jinja2.Environment:
    """The templates, made once."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "called": called, "as_title": as_title, "listed": listed, "in_words": in_words, "ended": ended,
        "remark": remark_in_words, "original": original, "status": status_of, "to_the_minute": to_the_minute,
        "breakable": _breakable, "slug": _slug, "linked": _with_links,
        "parts": parts_in_words, "stored": stored_sentence_in_words, "settings": settings_of_ruling,
        "setting": plainly, "chip": _chip,
    }  # fmt: skip
    environment.globals |= {"plot": _svg, "asset": address_of}
    environment.globals["change_of_members"] = change_of_members
    environment.globals["recap_body"] = lambda evening: Markup(recap.body(evening, link="/turn/{}".format))
    environment.tests |= {
        "bar": lambda bit: isinstance(bit, Bar),
        "pips": lambda bit: isinstance(bit, Pips),
        "marks": lambda bit: isinstance(bit, Marks),
        "phrase": lambda bit: isinstance(bit, Phrase),
        "struck": lambda part: isinstance(part, Struck),
    }
    return environment


def rendered(template: str, **values: Any) -> str:
    """One page, or a part of one."""
    return _templates().get_template(f"{template}.html").render(values)
