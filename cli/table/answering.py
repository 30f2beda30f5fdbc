"""Questions at the table: what its lines may ask besides verbs, answered as the shell answers them; and help."""

from collections.abc import Sequence

from cli.line.errors import Misread, NoVerb
from cli.line.tracking import verb_in
from cli.line.understanding import Question
from cli.line.verbs import verb_name
from cli.line.words import typed
from cli.recording.audience import Audience
from cli.shell.catalogue import COMMANDS, SAID
from cli.shell.command_line import run
from cli.shell.line_command import is_offered
from cli.table.help import help_lines
from cli.table.questions import QUESTIONS, questions_of
from cli.table.replies import Reply
from cli.table.surface import Surface
from domain.refusal import Refusal
from projections.secrecy import TABLE

#: Reading commands that may be asked for one seat.
_SEATED = ("status", "log", "show", "diff", "recap", "why", "when")
#: Said where one line is to be of another seat than the screen is.
OF_A_SEAT = "Whose seat it is is said when it is opened: campaign play --as NAME."


def answered(surface: Surface, audience: Audience, named: str, question: Question) -> Reply:
    """The answer of a reading command, as the shell gives it; `named` is how that calls the campaign.

    Raises Refusal, Misread, and NoVerb for the help of a verb that there is not.
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
        raise Misread(OF_A_SEAT)
    seat = ["--as", eyes] if eyes is not None and command in _SEATED else []
    of_rules = [] if command in QUESTIONS else [audience.system.key]
    of_campaign = [] if command == "manual" else ["-c", named]
    with surface.heard() as (out, err):
        code = run([*of_rules, command, *question.words, *of_campaign, *seat])
    return Reply((*out.getvalue().splitlines(), *err.getvalue().splitlines()), code)


def _help(surface: Surface, audience: Audience, words: Sequence[str]) -> Reply:
    """How a line is typed; of one verb or question, what the shell says of it: its fields, and examples.

    Raises Misread for what is neither.
    """
    if not words:
        return Reply(help_lines(surface, audience.system))
    meant, _ = verb_in(audience.context, typed(" ".join(words)), 0, questions_of(audience.system))
    if meant in ("help", "quit"):
        return Reply(help_lines(surface, audience.system))
    words = [meant] if isinstance(meant, str) else verb_name(meant.kind).split()
    name = words if words[0] in COMMANDS else [audience.system.key, *words]
    with surface.heard() as (out, err):
        run([*name, "--help"])
    return Reply((*out.getvalue().splitlines(), *err.getvalue().splitlines()))


def for_the_shell(audience: Audience, text: str, questions: Sequence[str]) -> str | None:
    """What is said where a line is for the shell: a command that no question stands for, or files to be read."""
    words = [word.text for word in typed(text).words]
    if words[0] not in questions and is_offered(audience.system, words):
        return f"Files are read by the shell, and not at the table: campaign {' '.join(words)}"
    try:
        verb_in(audience.context, typed(text), 0, questions)
    except NoVerb:
        if words[0] in COMMANDS and words[0] not in SAID:
            return f"{words[0]} is a command of the shell, and not of the table: campaign {words[0]}."
    except Misread:
        pass  # it is about what is meant
    return None
