"""Reading commands and help at the table: they run as on the shell, and their output becomes the reply."""

import re
from collections.abc import Sequence

from cli.line.errors import LineError
from cli.line.understanding import Question
from cli.line.verbs import verb_in
from cli.line.words import tokenize
from cli.recording.audience import Audience
from cli.shell.catalogue import COMMANDS
from cli.shell.command_line import run
from cli.table.help import help_lines
from cli.table.questions import QUESTIONS, questions_of
from cli.table.replies import Reply
from cli.table.shell_only import OF_A_SEAT
from cli.table.surface import Surface
from domain.refusal import Refusal
from domain.system.rulesystem import RuleSystem
from projections.secrecy import TABLE

#: How a command's output names another command to type.
NEXT = re.compile(r"(.*?(?:Next:|or:|;) +)campaign (\w+)(\b.*)", re.DOTALL)
#: Reading commands with an option --as.
_SEATED = ("status", "log", "show", "diff", "recap", "why", "when")


def answer_to(surface: Surface, audience: Audience, address: str, question: Question) -> Reply:
    """Run a reading command on the campaign at `address`, limited to what the audience may know.

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
    seat = ["--as", eyes] if eyes is not None and command in _SEATED else []
    of_rules = [] if command in QUESTIONS else [audience.system.key]
    of_campaign = [] if command == "manual" else ["-c", address]
    with surface.capture() as lines:
        code = run([*of_rules, command, *question.words, *of_campaign, *seat])
    return Reply(tuple(_as_typed_here(line, audience.system) for line in lines()), code)


def _as_typed_here(line: str, system: RuleSystem) -> str:
    """A line of a command's output that names what to type next, without what only the shell wants before it."""
    match = NEXT.match(line)
    return f"{match[1]}{match[2]}{match[3]}" if match is not None and match[2] in questions_of(system) else line


def _help(surface: Surface, audience: Audience, words: Sequence[str]) -> Reply:
    """Help on typing lines, on one verb, or the shell's on a question. Raises LineError for any other word."""
    if not words:
        return Reply(help_lines(surface, audience.system))
    verb, _ = verb_in(audience.context, tokenize(" ".join(words)), 0, questions_of(audience.system))
    if verb in ("help", "quit"):
        return Reply(help_lines(surface, audience.system))
    if not isinstance(verb, str):
        from cli.table.verb_help import verb_lines

        return Reply(verb_lines(surface, audience.system, verb.kind))
    name = [verb] if verb in COMMANDS else [audience.system.key, verb]
    with surface.capture() as lines:
        run([*name, "--help"])
    return Reply(lines())
