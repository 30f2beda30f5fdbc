"""Every sentence that a person can meet, printed once to be read in one go: `uv run python -m tests.sentences`.

First whole sentences as they come out: the help of each command and verb, every error of the gallery, what the
chronicle says of each kind of turn in the examples and the first evenings, and what the rules then ask with the answers
they offer. Then the words themselves, so that none is left out: the templates and the script of the page, the
paragraphs of the rules and the questions of `stats`, and every sentence or part of one in the code, with {…} where
something is filled in. `--write` keeps the list in `tests/sentences.txt`, so that a review sees which words changed.

The README stands below the help, a paragraph or an item on each line, without its blocks. The manual is not repeated
here: it is text, and a review sees it as it is.
"""

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from cli.line.evening import evening_of
from cli.shell.catalogue import COMMANDS, help_of, module_of
from cli.shell.examples import examples
from cli.store.file import open_campaign
from cli.terminal.screen import safe
from domain.common import ACTIONS
from domain.log.folding import steps
from domain.log.port import Log, MemoryLog
from domain.registry import SYSTEMS, system_of, tag_of
from domain.system.paragraphs import paragraphs_of
from projections.chronicle_range import chronicle
from tests.kit.chapters import README
from tests.kit.shell import ROOT, Shell
from tests.record_examples import replayed

KEPT = Path(__file__).with_name("sentences.txt")
PAGE = ROOT / "cli" / "serving" / "templates"
SCRIPT = PAGE.parent / "assets"
#: The folders of code whose words people read.
CODE = ("domain", "projections", "cli")
#: The functions that say whose something is.
POSSESSIVES = ("possessive", "genitive")


def helps() -> Iterator[tuple[str, str]]:
    """The help of every command, then of every verb, without what each takes."""
    for name, module in zip(COMMANDS, map(module_of, COMMANDS), strict=True):
        yield f"campaign {name}", _paragraphs(inspect.getdoc(module))
        for member, declared in getattr(module, "COMMANDS", {}).items():
            yield f"campaign {name} {member}", _paragraphs(help_of(declared))
    for kind in (*ACTIONS, *(kind for key in SYSTEMS for kind in system_of(key).actions)):
        yield tag_of(kind), _paragraphs(inspect.getdoc(kind))


def _paragraphs(help_text: str | None) -> str:
    """A help text on as few lines as it has paragraphs, without its examples."""
    paragraphs = (help_text or "").partition("\nExamples:")[0].strip().split("\n\n")
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def readme() -> Iterator[tuple[str, str]]:
    """The paragraphs, items and rows of the README, below the heading of their section."""
    prose = re.sub(r"^```.*?^```", "", README.read_text("utf-8"), flags=re.S | re.M)
    for section in re.split(r"^#+ ", prose, flags=re.M)[1:]:
        heading, _, text = section.partition("\n")
        parts = re.split(r"\n\n+|\n(?=[*|])", text.strip())
        yield heading, "\n".join(" ".join(part.split()) for part in parts if not part.startswith("|---"))


def errors() -> Iterator[tuple[str, str]]:
    """What is answered to every mistake in the gallery."""
    from tests.commands.test_errors import GALLERY

    for words, _, sentence in GALLERY:
        yield safe(words if isinstance(words, str) else " ".join(words)), sentence


@cache
def logs() -> tuple[Log, ...]:
    """The examples and the first evening of every rule system."""
    return (*map(replayed, sorted(examples())), *map(evening, SYSTEMS))


def turns() -> Iterator[tuple[str, str]]:
    """What the chronicle says of each kind of turn, once for each set of events that it came to."""
    seen: set[tuple[str, ...]] = set()
    for log in logs():
        for row in (entry.as_json() for entry in chronicle(system_of(log.rules), log)):
            kind = (row["action"]["type"], *sorted({event["type"] for event in row["events"]}))
            if kind not in seen:
                seen.add(kind)
                yield kind[0], row["sentence"]


def questions() -> Iterator[tuple[str, str]]:
    """What is open after the turns, once for each set of actions that settle it, with the answers that are offered."""
    seen: set[tuple[str, ...]] = set()
    for log in logs():
        system = system_of(log.rules)
        for turn, state in steps(system, log):
            for pending in system.pending_for_anyone(state):
                kind = (re.sub(r"[A-Z][\w' -]*|\d+", "", pending.why), *(tag_of(c.action) for c in pending.choices))
                if kind not in seen:
                    seen.add(kind)
                    answers = [*(choice.says for choice in pending.choices), pending.leave]
                    asked = dict.fromkeys([pending.why, pending.prompt, *(f"- {says}" for says in answers if says)])
                    yield tag_of(type(turn.action)), "\n".join(line for line in asked if line)


def evening(rules: str) -> Log:
    """The first evening of a rule system, typed at the table."""
    numbers = count(1)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        shell = Shell(Path(folder), patch)
        # the same dice and cards each time
        patch.setattr("os.urandom", lambda size: next(numbers).to_bytes(size, "big"))
        shell.run("new", "Evening", "--rules", rules, "--file", "evening.campaign").ok()
        shell.run("play", "--plain", stdin=evening_of(rules))
        with open_campaign(shell.folder / "evening.campaign") as log:
            return MemoryLog(rules, turns=list(log.read()))


class _Words(HTMLParser):
    """The texts of a template between its tags, and those of attributes that are read out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.found += [value for name, value in attrs if name in ("aria-label", "title", "placeholder") and value]

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def page() -> Iterator[tuple[str, str]]:
    """The words of each template and of the page's script."""
    for path in sorted(PAGE.glob("*.html")):
        words = _Words()
        text = re.sub(r"\{#.*?#\}", "", path.read_text("utf-8"), flags=re.S)
        # words may stand in an expression: {{ "Restore" if … else "Undo" }}
        inside = [word for code in re.findall(r"\{\{.*?\}\}", text) for word in re.findall(r'"([A-Z][^"]+)"', code)]
        words.feed(re.sub(r"\{\{.*?\}\}", "{…}", re.sub(r"\{%.*?%\}", "\x1f", text, flags=re.S), flags=re.S))
        parts = [" ".join(part.split()) for found in words.found for part in found.split("\x1f")]
        yield from _of(
            path, (part for part in (*parts, *inside) if re.search(r"^(?!data-).*[A-Za-z]{2}", part.replace("{…}", "")))
        )
    for script in sorted(SCRIPT.glob("*.js")):
        if script.name.endswith(".min.js"):
            continue  # somebody else's
        strings = re.findall(r'"([^"\n]*)"|`([^`\n]*)`', script.read_text("utf-8"))
        sentence = (re.sub(r"\$\{[^}]*\}", "{…}", first or second) for first, second in strings)
        yield from _of(
            script,
            (
                text
                for text in sentence
                if _is_prose(text) and not re.search(r"[\[#=]|^(main|nav,|header,|button,|use|[.]\w+) ", text)
            ),
        )


def rules() -> Iterator[tuple[str, str]]:
    """Every paragraph of the rules with its history, and every question of `stats`."""
    for key in SYSTEMS:
        for number, paragraph in paragraphs_of(key).items():
            says = [
                paragraph.title + ":",
                paragraph.summary,
                paragraph.reason,
                *map("Not in the source: {}".format, paragraph.not_in_source),
            ]
            says.append(paragraph.background)
            yield f"{key} {number}", "\n".join(part.strip() for part in says if part)
    for path in sorted((ROOT / "data").rglob("queries.toml")):
        for name, asked in tomllib.loads(path.read_text("utf-8")).items():
            if "title" in asked:
                yield f"campaign stats {name}", f"{asked['title']}\n{asked['description']}"


def code() -> Iterator[tuple[str, str]]:
    """Every sentence in the code, or part of one, in the order of the modules."""
    for path in sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py")):
        yield from _of(path, filter(_is_prose, _literals(ast.parse(path.read_text("utf-8")))))


def _of(path: Path, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    if found := list(dict.fromkeys(words)):
        yield path.relative_to(ROOT).as_posix(), "\n".join(safe(line) for text in found for line in text.split("\n"))


def _literals(module: ast.Module) -> Iterator[str]:
    """The texts of a module but its docstrings, in their order; {…} stands for what is filled in."""
    nodes = list(ast.walk(module))
    left_out = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    left_out |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [node for node in nodes if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in left_out]
    for node in sorted(texts, key=lambda node: (node.lineno, node.col_offset)):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else _filled_in(part) for part in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node.value, str):
            yield node.value


#: What reads like prose and is none: queries, styles, pages and programs.
NO_PROSE = re.compile(
    r"\b(SELECT|FROM|SET LOCAL|WHERE|UNION|AS t$|DROP|COPY|TABLE|INTO|PRAGMA|GRANT|INDEX|CASE WHEN|NULL)\b"
    r"|^\W*(CREATE|UPDATE|LISTEN|SET|SHOW|AND)\b|\b(ORDER BY|LIMIT|INDEXED BY|EXISTS \(|IN \()"
    r"|</?\w+|[{;]\n|\{ [\w-]+: |=\"|\b(bold|dim|strike)\b|x\w{3}Y"
)


def _filled_in(part: ast.AST) -> str:
    """What stands for a value: whose something is keeps its ending."""
    value = part.value if isinstance(part, ast.FormattedValue) else None
    owner = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in POSSESSIVES
    return "{…}'s" if owner else "{…}"


def _is_prose(text: str) -> bool:
    """Whether a text holds two words side by side, as sentences do and names do not."""
    has_words = re.search(r"[A-Za-z]{2}", text.replace("{…}", ""))
    side_by_side = re.search(r"[A-Za-z]{2,}[,;:)]? \(?[a-z]", text.replace("{…}", "it"))
    return bool(has_words and side_by_side) and not NO_PROSE.search(text)


def listing() -> str:
    """The whole list: each sentence below what brings it about."""
    parts = []
    chapters = {"Help": helps, "The README": readme, "Errors": errors, "Turns": turns, "Questions": questions}
    words = {"The page": page, "Paragraphs and statistics": rules, "Words of the code": code}
    for title, found in (chapters | words).items():
        parts.append(f"# {title}\n\n")
        parts += [f"{about}\n    {sentence.replace(chr(10), chr(10) + '    ')}\n" for about, sentence in found()]
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def main(arguments: list[str]) -> None:
    """Print the list, or keep it."""
    if arguments == ["--write"]:
        KEPT.write_text(listing(), "utf-8")
    else:
        sys.stdout.write(listing())


if __name__ == "__main__":
    main(sys.argv[1:])
