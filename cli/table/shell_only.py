"""What only the shell takes in a line: its commands, files and options, and how the table says so."""

from collections.abc import Sequence

from cli.line.errors import Misread, NoField, NoVerb
from cli.line.tracking import verb_in
from cli.line.understanding import Understood, options_among_words
from cli.line.verbs import kinds_called, verbs_of
from cli.line.vocabulary import NUMBER_WORDS
from cli.line.words import Line, tokenize
from cli.recording.audience import Audience
from cli.shell.catalogue import COMMANDS
from cli.shell.line_command import is_offered
from domain.common.notes import Note

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
        verb_in(audience.context, tokenize(text), 0, questions)
    except NoVerb:
        # `play trample, eye` is said of cards, and `use a torch` of what is tracked
        counts = len(words) > 1 and words[1].casefold() in NUMBER_WORDS
        rules = audience.system.key
        # and `session closes` is meant for a verb of two words
        of_two = any(verb.name.startswith(f"{words[0]} ") for verb in verbs_of(rules))
        kinds = kinds_called(rules, words[0]) or kinds_called(rules, *words[:2])
        is_line = len(words) > 1 and bool(counts or of_two or kinds)
        if words[0] in COMMANDS and not is_line:
            return f"{words[0]} runs on the shell, not at the table: campaign {words[0]}"
    except Misread:
        pass  # the conversation reports it
    return None


def refuse_options(line: Line, understood: Understood) -> None:
    """Raise NoField for what looks like an option among the words of what a line means; only notes may hold one."""
    if any(isinstance(action, Note) for action in understood.actions):
        return
    for at in options_among_words(line, understood):
        option = line.words[at].text
        name = option.removeprefix("--").partition("=")[0]
        if name in OPTIONS:
            raise NoField(f"{option} is an option of the shell.", name, at)
        raise NoField(f"{option} is not an option here; leave it out, or put your words in quotes.", name, at)


def without_dry_run(text: str, error: NoField) -> str | None:
    """The line without its --dry-run; None if the option is another one."""
    if error.name != "dry-run":
        return None
    # the error counts the words as they were understood: `brog -2` was read as `damage brog 2`
    option = next((word for word in tokenize(text).words if word.text == "--dry-run" and not word.quoted), None)
    return None if option is None else f"{text[: option.start]}{text[option.end :]}"


def in_words_of_the_table(error: NoField) -> Misread:
    """The error for an option of the shell in terms of the table; any other error as it is."""
    if error.name == "as":
        return Misread(OF_A_SEAT, error.at)
    if error.name in OPTIONS:
        return Misread(f"--{error.name} is an option of the shell, and not of the table.", error.at)
    return error
