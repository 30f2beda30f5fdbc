"""Which page answers what a line asks, and at which address."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from msgspec.structs import fields

from cli.line.understanding import Question
from cli.serving.readings import LogSearch
from cli.shell.catalogue import command_named
from cli.shell.parser import words_read
from domain.log.points import number_in
from domain.refusal import Refusal
from domain.system.extensions import Lookup

#: What is asked without more words -> its address.
ALONE = {"status": "/", "help": "/act", "log": "/log", "rules": "/rules", "recap": "/recap", "stats": "/stats"}


def address_of(question: Question, lookups: Sequence[Lookup]) -> str:
    """The page that answers a question. Raises Refusal where there is none."""
    command, words = question.command, question.words
    said = " ".join(words)
    match command:
        case "show":
            number = number_in(said, "T") or number_in(f"T{said}", "T")
            return f"/turn/{number}" if number else "/log"
        case "why":
            return f"/why?of={quote(words[0])}"
        case "when":
            return f"/when?if={quote(said)}"
        case "diff":
            return f"/diff?of={quote(said)}"
        case "query":
            return f"/query?sql={quote(said)}"
        case "rules" if words:
            return f"/rule/{quote(said, safe='')}" if any(map(str.isdecimal, said)) else f"/rules?say={quote(said)}"
        case "recap" if words and number_in(words[0], "S"):
            return f"/recap/{number_in(words[0], 'S')}"
        case "recap" if words and words[0].isdecimal():
            return f"/recap/{int(words[0])}"
        case "status" if words:
            return f"/sheet/{quote(said, safe='')}"
        case "stats" if words:
            return f"/stats/{quote(said, safe='')}"
        case "log" if words:
            return f"/log?{urlencode(_sought(words))}"
    if command in (lookup.verb for lookup in lookups):
        return f"/known/{quote(command)}" + (f"/{quote(said, safe='')}" if words else "")
    if command in ALONE:
        return ALONE[command]
    raise Refusal(None, f"{command} is asked on the shell.")


def _sought(words: Sequence[str]) -> Mapping[str, str]:
    """What turns are looked for by, as the command of the shell reads it. Raises Refusal for more than a page knows."""
    log = command_named("log")
    assert log is not None
    told, unasked = words_read(log, words), words_read(log, ())
    if told is not None and unasked is not None:
        told["character"] = told["character"] or told.pop("range_")
        known = [field.name for field in fields(LogSearch)]
        if all(value == unasked[name] for name, value in told.items() if name not in known):
            return {name: told[name] for name in known if told[name]}
    raise Refusal(None, "The log is asked so on the shell; here for words, somebody, a session, a rule or by whom.")
