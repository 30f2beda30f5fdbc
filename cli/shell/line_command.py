"""A line of the table typed on the shell: read against its campaign, and recorded.

Typer, which takes as long to import as recording takes, is needed only where a line turns out to be none: help, an
unknown word, the beginning of a command. `cli.shell.typer_line` makes a command of it.
"""

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import replace

from cli.line.errors import LineError
from cli.line.understanding import Question, Understood
from cli.line.verbs import names_a_turn, verb_at, verbs_of
from cli.line.words import Line, line_of_arguments
from cli.recording.audience import Audience
from cli.recording.conversation import Conversation
from cli.shell import options
from cli.shell.choose import NotChosen
from cli.shell.command_context import handler_for, open_chosen, played_otherwise
from cli.shell.declaration import ArgumentSpec, LineDeclaration, LineStages, Parameter, parameter
from cli.shell.record_options import RecordOptions
from cli.shell.terminal_conversation import converse
from cli.shell.words import from_file
from cli.terminal.screen import Screen
from domain.log.command_handler import CommandHandler
from domain.refusal import Refusal
from domain.system.extensions import Lookup, Reader
from domain.system.installed import SYSTEMS
from domain.system.rulesystem import RuleSystem

if TYPE_CHECKING:
    from cli.shell.parser import Command


def offered_by(system: RuleSystem) -> dict[str, Reader | Lookup]:
    """The readers and look-ups of a system, by their verbs."""
    readers = (reader for reader in system.readers if not reader.option)
    extensions: tuple[Reader | Lookup, ...] = (*readers, *system.lookups)
    return {extension.verb: extension for extension in extensions}


def is_verb(rules: str, word: str) -> bool:
    """Whether a verb of these rules has this name, or begins with this word."""
    return any(word in (verb.name, verb.words[0]) for verb in verbs_of(rules))


def is_offered(system: RuleSystem, words: Sequence[str]) -> bool:
    """Whether a line begins with an extension of the system, or has the option of one."""
    options = {(reader.verb, f"--{reader.option}") for reader in system.readers if reader.option}
    options |= {(lookup.also[0], f"--{lookup.also[1]}") for lookup in system.lookups if lookup.also}
    return words[0] in offered_by(system) or any((words[0], word.partition("=")[0]) in options for word in words)


def line_of_words(words: Sequence[str]) -> Line:
    """The line that a shell hands over: what it quoted is one text, but for a list behind an option (`1,Iron Fist`).

    Behind `--` every word is a text.
    """
    end = words.index(WORDS_ALONE) if WORDS_ALONE in words else len(words)
    line = line_of_arguments([*words[:end], *words[end + 1 :]])
    is_option_name = [word.text.startswith("--") for word in line.words[:end]]
    options = [
        replace(word, quoted=False) if "," in word.text and (is_option or behind) else word
        for word, is_option, behind in zip(line.words, is_option_name, [False, *is_option_name], strict=False)
    ]
    return replace(line, words=(*options, *(replace(word, quoted=True) for word in line.words[end:])))


def questions_of(rules: str, commands: Sequence[str]) -> tuple[str, ...]:
    """The commands that no verb stands for."""
    beginnings = {word for verb in verbs_of(rules) for word in (verb.name, verb.words[0])}
    return tuple(name for name in commands if name not in beginnings)


#: Commands that the beginning of their name runs: they only read. Any other is named whole.
READING = frozenset(("status", "log", "why", "show", "diff", "when", "stats", "rules", "query"))
#: Behind it nothing is an option any more.
WORDS_ALONE = "--"
#: The words of a line behind those that it begins with.
WORDS = parameter("words", Annotated[list[str] | None, ArgumentSpec()], None)
#: The options of every line, each a field of `LineOptions`.
OF_A_LINE = [
    parameter("dry_run", options.DryRun, False),
    parameter("yes", options.Yes, False),
    parameter("campaign", options.Campaign, None),
    parameter("json", options.Json, False),
    parameter("color", options.ColorWhen, options.Color.auto),
]


class LineOptions(Struct, frozen=True, kw_only=True, dict=True):
    """The values of the options that every line takes."""

    dry_run: bool
    yes: bool
    campaign: str | None
    json: bool
    color: options.Color

    @cached_property
    def screen(self) -> Screen:
        return Screen(self.color)


#: Finds the command of a name, or None; it needs Typer.
Commands = Callable[[str], "Command | None"]


def line_parameters(declaration: LineDeclaration | None, words: Parameter = WORDS) -> list[Parameter]:
    """The parameters of a line; one that is `declaration` may have options of its own."""
    return [words, *OF_A_LINE, *(declaration.options if declaration is not None else ())]


def run_line(
    first_words: Sequence[str],
    commands: Sequence[str],
    find_command: Commands,
    arguments: dict[str, Any],
    *,
    rules: str | None = None,
    declaration: LineDeclaration | None = None,
) -> None:
    """Do the line that begins with the words `first_words`, with the values of its parameters.

    `commands` are all names of commands, and `find_command` finds one. With `rules` it is the long form of one of
    their verbs.

    Raises what understanding and recording a line raise, NoSuchCommand, Unanswered and Ended.
    """
    words = [*first_words, *(arguments.pop("words") or ())]
    own_options = declaration.options if declaration is not None else ()
    own_values = {option.name: arguments.pop(option.name) for option in own_options}
    line_options = LineOptions(**arguments)
    stages = declaration.stages(line_options, **own_values) if declaration is not None else LineStages()
    question: Question | None = None
    try:
        with open_chosen(line_options.campaign, write=True) as (log, system):
            if rules is not None and system.key != rules:
                raise played_otherwise(log)
            is_extension = is_offered(system, words)
            if not is_extension:
                handler = handler_for(log)
                try:
                    question = _record(handler, words, commands, line_options, stages)
                except LineError as error:
                    if error.at or not error.no_verb:
                        raise
                    raise no_such_command(words[0], commands, system.key) from None
                except Refusal as refusal:
                    stages.on_refusal(handler, refusal)
                stages.after_recording(log)
    except NotChosen:
        if rules is None:
            must_be_known(words[0], commands)
        raise
    if is_extension:
        _take_up(system, words, line_options, find_command)
    is_beginning = question is not None and question.command.startswith(words[0]) and question.command != words[0]
    if question is not None and is_beginning and question.command not in READING:
        raise no_such_command(words[0], commands, rules)  # `back aubrey` is no backup in a file aubrey
    if question is not None and (command := find_command(question.command)) is not None:
        _run(command, question.words, line_options, f"campaign {question.command}")


def must_be_known(word: str, commands: Sequence[str]) -> None:
    """Raise NoSuchCommand for a word that is nothing under any rules, as no campaign says which rules there are."""
    for rules in SYSTEMS:
        try:
            verb_at(rules, line_of_arguments([word]), 0, questions_of(rules, commands))
        except LineError as error:
            if error.no_verb:
                continue
        return
    if not names_a_turn(word):
        raise no_such_command(word, commands) from None


def no_such_command(word: str, commands: Sequence[str], rules: str | None = None) -> Exception:
    """The error about a word that begins no line."""
    from cli.shell.parser import NoSuchCommand

    return NoSuchCommand(word, [*commands, *SYSTEMS], None, rules)


def _record(
    handler: CommandHandler,
    words: Sequence[str],
    commands: Sequence[str],
    line_options: LineOptions,
    stages: LineStages,
) -> Question | None:
    """Record what a line means, asking on a terminal what it leaves open. Returns the question that it is instead."""

    def admits(understood: Understood) -> Understood:
        stages.check(handler, understood.actions)
        return understood

    asks = line_options.screen.answers and not (line_options.yes or line_options.json or line_options.dry_run)
    conversation = Conversation(
        handler,
        Audience(handler.log, handler.system, handler.state, keeper=True, reads=from_file, narrows=stages.narrow),
        by=author_by_default(),
        questions=questions_of(handler.system.key, commands),
        asks=asks,
        confirms=line_options.screen.interactive and not line_options.yes,
        settles=asks,
        dry_run=line_options.dry_run,
        admits=admits,
    )
    return converse(
        conversation, conversation.say(line_of_words(words)), line_options.screen, as_json=line_options.json
    )


def author_by_default() -> str | None:
    """Who records what a line does, unless it says so."""
    return os.environ.get("CAMPAIGN_BY") or None


def _take_up(system: RuleSystem, words: Sequence[str], line_options: LineOptions, find_command: Commands) -> None:
    """Do a line that begins with an extension of its rule system."""
    from cli.shell.offers import listing_in, look_up, reading_in, take_in

    if (reading := reading_in(system, words)) is not None:
        screen, campaign, as_json = line_options.screen, line_options.campaign, line_options.json
        take_in(*reading, RecordOptions(screen, campaign, as_json, author_by_default(), dry_run=line_options.dry_run))
    elif (listing := listing_in(system, words)) is not None:
        look_up(listing, None, None, line_options.campaign, line_options.screen, as_json=line_options.json)
    elif (verbs := find_command(system.key)) is not None:
        _run(verbs, [*words, *(["--dry-run"] if line_options.dry_run else [])], line_options, f"campaign {system.key}")


def _run(command: "Command", words: Sequence[str], line_options: LineOptions, name: str) -> None:
    from cli.shell.parser import run_command

    campaign = ["-c", line_options.campaign] if line_options.campaign else []
    run_command(
        command,
        [*words, *campaign, *(["--json"] if line_options.json else []), "--color", line_options.color.value],
        name,
    )
