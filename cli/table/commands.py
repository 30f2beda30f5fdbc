"""Commands at the table: those that a line may be, with their answers, and what is left to the shell."""

import re
from collections.abc import Sequence
from functools import cache

from cli.line.errors import LineError
from cli.line.understanding import Question, beginning_of
from cli.line.verbs import verb_in
from cli.line.words import tokenize
from cli.recording.audience import Audience
from cli.shell.catalogue import COMMANDS, first_line
from cli.shell.command_line import ask, run
from cli.shell.ending import DONE
from cli.shell.offers import is_offered
from cli.table.help import help_lines, verb_lines
from cli.table.replies import Reply
from cli.table.surface import Surface
from domain.refusal import Refusal
from domain.system.rulesystem import RuleSystem
from projections.secrecy import TABLE

#: Commands that a table answers. Those that make, choose or open something else are left to the shell.
QUESTIONS = (
    "why", "when", "status", "log", "show", "diff", "rules", "recap", "stats", "query", "seal", "manual",
    "help", "quit",
)  # fmt: skip
#: The help of those that only a table has.
OF_THE_TABLE = {"help": "Show how lines are typed, or explain a verb.", "quit": "Leave the table."}
#: Reading commands with an option --as.
_SEATED = ("status", "log", "show", "diff", "recap", "why", "when")
#: Options that every verb takes on the shell and a line of the table does not.
OPTIONS = ("as", "campaign", "color", "dry-run", "json", "output", "yes")
#: Refusal of --as in a line: the seat belongs to the whole screen.
OF_A_SEAT = "Choose the seat when you open the table: campaign play --as NAME."


def questions_of(system: RuleSystem) -> tuple[str, ...]:
    """The questions of a line: the reading commands, and the lookups of the rule system."""
    return (*QUESTIONS, *(lookup.verb for lookup in system.lookups))


@cache
def help_of(question: str, system: RuleSystem) -> str:
    """What a question shows, in one line."""
    lookups = {lookup.verb: lookup.help for lookup in system.lookups}
    return OF_THE_TABLE.get(question) or lookups.get(question) or first_line(question)


def preview_of_question(question: Question, system: RuleSystem) -> str:
    """What a line that is a question comes to."""
    if not question.words:
        return help_of(question.command, system)
    return f"Shows: {' '.join((question.command, *question.words))}"


def answer_to(surface: Surface, audience: Audience, address: str, question: Question) -> Reply:
    """Answer a reading command about the campaign at `address`, limited to what the audience may know.

    Raises Refusal or LineError.
    """
    if question.command == "quit":
        return Reply(leaves=True)
    if question.command == "help":
        return _help(surface, audience, question.words)
    eyes, options = audience.eyes, {word.partition("=")[0] for word in question.words}
    command = question.command
    if eyes is not None and (command == "query" or (command == "stats" and eyes != TABLE)):
        raise Refusal(None, f"{command} cannot keep secrets; ask it on the shell: campaign {command}.")
    if options & {"-c", "--campaign"}:
        name = audience.current().campaign.name
        raise Refusal(None, f"This table is of {name}; ask the shell about another campaign.")
    if eyes is not None and "--as" in options:
        raise LineError(OF_A_SEAT)
    settled = {"campaign": address} | ({"as_": eyes} if eyes is not None and command in _SEATED else {})
    names = [command] if command in QUESTIONS else [audience.system.key, command]
    with surface.capture() as lines:
        code = ask(names, question.words, **settled)
    return Reply(lines() if code == DONE else in_lines_of_the_table(lines(), audience.system), code)


def in_lines_of_the_table(lines: Sequence[str], system: RuleSystem) -> tuple[str, ...]:
    """Sentences of the shell, with the commands that the table answers as they are typed here."""
    command = f"campaign (?:{system.key} )?({'|'.join(questions_of(system))})"
    helps = (re.sub(rf"\b{command} --help", r"help \1", line) for line in lines)
    return tuple(re.sub(rf"\b{command}\b", r"\1", line) for line in helps)


def _help(surface: Surface, audience: Audience, words: Sequence[str]) -> Reply:
    """Help on typing lines, on one verb, or the shell's on a question. Raises LineError for any other word."""
    questions = questions_of(audience.system)
    if not words:
        return Reply(help_lines(surface, audience.system, questions))
    verb, _ = verb_in(audience.context, tokenize(" ".join(words)), 0, questions)
    if verb in ("help", "quit"):
        return Reply(help_lines(surface, audience.system, questions))
    if not isinstance(verb, str):
        return Reply(verb_lines(surface, audience.system, verb.kind))
    name = [verb] if verb in COMMANDS else [audience.system.key, verb]
    with surface.capture() as lines:
        run([*name, "--help"])
    return Reply(in_lines_of_the_table(lines(), audience.system))


def shell_only(audience: Audience, text: str, questions: Sequence[str]) -> str | None:
    """Where to do a line that only the shell takes, as a command or a file to read; None for any other line."""
    words = [word.text for word in tokenize(text).words]
    if words[0] not in questions and is_offered(audience.system, words):
        return f"Files are read by the shell, and not at the table: campaign {' '.join(words)}"
    try:
        beginning_of(audience.context, tokenize(text), questions)
    except LineError as error:
        if error.no_verb and words[0] in COMMANDS:
            return f"{words[0]} runs on the shell, not at the table: campaign {words[0]}"
    return None


def _option_of(text: str, error: LineError) -> str:
    """The option that a line was refused for, without its dashes; "" where it was for something else."""
    word = next(iter(tokenize(text).words[error.at : error.at + 1]), None)
    return word.text.removeprefix("--").partition("=")[0] if word is not None and word.is_option else ""


def without_dry_run(text: str, error: LineError) -> str | None:
    """The line without its --dry-run, for which it was refused; None if it was for something else."""
    if _option_of(text, error) != "dry-run":
        return None
    option = tokenize(text).words[error.at]
    return f"{text[: option.start]}{text[option.end :]}"


def in_words_of_the_table(text: str, error: LineError) -> LineError:
    """The error for an option of the shell in terms of the table; any other error as it is."""
    option = _option_of(text, error)
    if option == "as":
        return LineError(OF_A_SEAT, at=error.at)
    if option in OPTIONS:
        return LineError(f"--{option} is an option of the shell, and not of the table.", at=error.at)
    return error
