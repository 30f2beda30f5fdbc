"""Scenarios written as tables: what is asked, what it comes to, what is then to be seen.

    = the third short rest drops the two highest
    with keep_higher=false
    after two short rests
    short_rest characters=["brog"] rolled={"brog":[2,6,6]}   | OSR 6.5 | said "Brog rolls 4 dice …"
    short_rest characters=["brog"] rolled={"brog":[2,6,6,3]} | ok      | brog hp=5 fatigue=3
                                                             |         | table scene=camp

The first column is an action: its verb, the character if it has one, and its fields as JSON; what is no JSON is
text. The second is `ok`, the paragraph that refuses it, `refused` (by no paragraph), `invalid` or `conflict`. In
the third a name, or `table`, is followed by fields as `status --json` shows them; `brog=null`: there is no such
character; `said`: the whole reason of a refusal, or what the turn is told with. An empty first column goes on with
the row before. `with` sets options at the start, `after` plays another scenario first; `#` begins a remark.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from cli.shell.jsonlines import action_and_author
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import system_of, tag_of

from .given import Given

TABLE, REASON = "table", "said"
Fields = dict[str, Any]


class Step(Struct):
    """One row: where it stands, the line of `campaign act`, what it comes to, what is then to be seen."""

    place: str
    line: Fields
    outcome: str
    views: list[tuple[str, Fields | str | None]]


class Scenario(Struct):
    """One table of a contract."""

    title: str
    options: Fields
    after: str | None
    steps: list[Step]


def words(text: str) -> Iterator[str]:
    """The words of a cell: spaces inside of quotes, brackets and braces part nothing."""
    word, depth, in_quotes, after_backslash = "", 0, False, False
    for char in f"{text} ":
        if char == " " and not depth and not in_quotes:
            if word:
                yield word
            word = ""
            continue
        word += char
        if in_quotes:
            in_quotes = after_backslash or char != '"'
            after_backslash = char == "\\" and not after_backslash
        else:
            in_quotes = char == '"'
            depth += (char in "[{") - (char in "]}")
    assert not word, f"not closed: {word}"


def value_of(text: str) -> Any:
    """JSON; what is none is text."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def pair(word: str) -> tuple[str, Any] | None:
    """A word `name=value`, None for any other."""
    name, equals, value = word.partition("=")
    return (name, value_of(value)) if equals and not word.startswith('"') else None


def line_of(key: str, cell: str) -> Fields:
    """The first column as a line of `campaign act`."""
    verb, *rest = words(cell)
    own = {tag_of(kind) for kind in system_of(key).actions}
    line: Fields = {"type": f"{key}.{verb}" if f"{key}.{verb}" in own else verb}
    for word in rest:
        field = pair(word)
        line.update([field] if field else [("character", value_of(word))])
    return line


def seen_in(cell: str) -> list[tuple[str, Fields | str | None]]:
    """The third column."""
    expectations: list[tuple[str, Fields | str | None]] = []
    fields: Fields = {}
    for word in words(cell):
        field = pair(word)
        if field and (expectations and expectations[-1][1] is fields):
            fields.update([field])
        elif field:
            assert field[1] is None, f"a field of whom? {word}"
            expectations.append((field[0], None))
        elif expectations and expectations[-1] == (REASON, ""):
            expectations[-1] = (REASON, value_of(word))
        elif word == REASON:
            expectations.append((REASON, ""))
        else:
            fields = {}
            expectations.append((str(value_of(word)), fields))
    return expectations


@cache
def scenarios(key: str, path: Path) -> Mapping[str, Scenario]:
    """The scenarios of one file by their titles."""
    by_title: dict[str, Scenario] = {}
    scenario = Scenario("", {}, None, [])
    rows: list[list[str]] = []

    def finish() -> None:
        scenario.steps += [
            Step(place, line_of(key, action), outcome, seen_in(view)) for place, action, outcome, view in rows
        ]
        rows.clear()

    for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        head, _, rest = text.partition(" ")
        if head == "=":
            finish()
            assert rest not in by_title, f"{path.name}:{number}: told twice"
            scenario = by_title[rest] = Scenario(rest, {}, None, [])
        elif head == "with":
            scenario.options.update(option for word in words(rest) if (option := pair(word)))
        elif head == "after":
            scenario.after = rest
        else:
            cells = [cell.strip() for cell in f"{text} | | ".split(" |")[:3]]
            if cells[0]:
                rows.append([f"{path.name}:{number}", *cells])
            else:
                rows[-1][3] += f" {cells[2]}"
    finish()
    return by_title


def outcome(table: Given) -> str:
    """What came of the last line, in the words of the second column."""
    match table.error:
        case None:
            return "ok"
        case Refusal():
            return table.error.rule or "refused"
        case Invalid():
            return "invalid"
        case Conflict():
            return "conflict"


def run(key: str, contract: Mapping[str, Scenario], title: str) -> Given:
    """Play a scenario after those that it comes after, holding each step against its row."""
    story = [contract[title]]
    while (earlier := story[0].after) is not None:
        story.insert(0, contract[earlier])
    table = Given(key, options={name: value for part in story for name, value in part.options.items()})
    for part in story:
        for step in part.steps:
            play(table, step)
    return table


def play(table: Given, step: Step) -> None:
    """One row: do what is asked, and look."""
    table.outcome = table.error = None
    try:
        action, about = action_and_author(table.system.key, step.line)
        table.outcome = table.handler.record(action, **about)
    except (Refusal, Invalid, Conflict) as error:
        table.error = error
    assert outcome(table) == step.outcome, f"{step.place}: {table.error!r}"
    for name, fields in step.views:
        if name == REASON:
            assert fields == reason_or_sentences(table), step.place
        elif fields is None:
            assert name not in table.sheets(), step.place
        else:
            view = table.system.table_view(table.handler.state()) if name == TABLE else table.sheet(name)
            as_json = msgspec.json.decode(msgspec.json.encode(view))
            assert isinstance(fields, dict)
            assert {field: as_json[field] for field in fields} == fields, step.place


def reason_or_sentences(table: Given) -> str:
    """The reason of a refusal, else the sentences of the events."""
    return table.error.reason if isinstance(table.error, Refusal | Invalid) else table.sentences
