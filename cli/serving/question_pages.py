"""The address of the page that answers a reading command which a line asks for."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from msgspec.structs import fields

from cli.line.understanding import Question
from cli.shell.parser import read_words
from cli.shell.program import find_command
from cli.shell.readings import LogSearch
from domain.log.points import number_in
from domain.refusal import Refusal
from domain.system.extensions import Lookup

#: Questions without words -> their addresses.
ALONE = {"status": "/", "help": "/act", "log": "/log", "rules": "/rules", "recap": "/recap", "stats": "/stats"}


def address_of(question: Question, lookups: Sequence[Lookup]) -> str:
    """The page that answers a question. Raises Refusal where there is none."""
    command, words = question.command, question.words
    text = " ".join(words)
    match command:
        case "show":
            number = number_in(text, "T") or number_in(f"T{text}", "T")
            return f"/turn/{number}" if number else "/log"
        case "why":
            return f"/why?of={quote(words[0])}"
        case "when":
            return f"/when?if={quote(text)}"
        case "diff":
            return f"/diff?of={quote(text)}"
        case "query":
            return f"/query?sql={quote(text)}"
        case "rules" if words:
            return f"/rule/{quote(text, safe='')}" if any(map(str.isdecimal, text)) else f"/rules?say={quote(text)}"
        case "recap" if words and number_in(words[0], "S"):
            return f"/recap/{number_in(words[0], 'S')}"
        case "recap" if words and words[0].isdecimal():
            return f"/recap/{int(words[0])}"
        case "status" if words:
            return f"/sheet/{quote(text, safe='')}"
        case "stats" if words:
            return f"/stats/{quote(text, safe='')}"
        case "log" if words:
            return f"/log?{urlencode(_sought(words))}"
    if command in (lookup.verb for lookup in lookups):
        return f"/known/{quote(command)}" + (f"/{quote(text, safe='')}" if words else "")
    if command in ALONE:
        return ALONE[command]
    raise Refusal(None, f"{command} is a question for the shell.")


def _sought(words: Sequence[str]) -> Mapping[str, str]:
    """The search for turns, as the command of the shell reads it. Raises Refusal for more than a page can search by."""
    log = find_command("log")
    assert log is not None
    values, defaults = read_words(log, words), read_words(log, ())
    if values is not None and defaults is not None:
        values["character"] = values["character"] or values.pop("range_")
        fields_of_search = [field.name for field in fields(LogSearch)]
        if all(value == defaults[name] for name, value in values.items() if name not in fields_of_search):
            return {name: values[name] for name in fields_of_search if values[name]}
    raise Refusal(
        None, "Here the log is searched by words, character, session, rule or person; campaign log finds more."
    )
