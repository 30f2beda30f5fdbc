"""What only the shell takes in a line: its commands, files and options, and how the table says so."""

from collections.abc import Sequence

from cli.line.errors import LineError
from cli.line.understanding import beginning_of
from cli.line.words import tokenize
from cli.recording.audience import Audience
from cli.shell.catalogue import COMMANDS
from cli.shell.offers import is_offered

#: Options that every verb takes on the shell and a line of the table does not.
OPTIONS = ("as", "campaign", "color", "dry-run", "json", "output", "yes")
#: Refusal of --as in a line: the seat belongs to the whole screen.
OF_A_SEAT = "Choose the seat when you open the table: campaign play --as NAME."


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
