"""Reading commands and help at the table: what a command prints on the table's page becomes the reply."""

from collections.abc import Sequence

from cli.line.errors import LineError
from cli.line.understanding import Question
from cli.line.verbs import verb_in
from cli.line.words import tokenize
from cli.recording.audience import Audience
from cli.shell.catalogue import COMMANDS
from cli.shell.command_line import ask, run
from cli.table.help import help_lines
from cli.table.questions import QUESTIONS, questions_of
from cli.table.replies import Reply
from cli.table.shell_only import OF_A_SEAT
from cli.table.surface import Surface
from domain.refusal import Refusal
from projections.secrecy import TABLE

#: Reading commands with an option --as.
_SEATED = ("status", "log", "show", "diff", "recap", "why", "when")


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
    return Reply(lines(), code)


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
