"""A line of the table as it is said on the shell: what it means against its campaign, and that recorded.

Typer, which takes as long to import as recording takes, is needed only for what a line says of itself that it is not:
help, an unknown word, a command under its beginning. `cli.shell.typer_line` makes a command of it.
"""

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import replace

from cli.line.errors import NoVerb, Unclear
from cli.line.table import MANNER, SETTLING
from cli.line.understanding import Question, Understood, options_among_words
from cli.line.verbs import names_a_turn, verb_at, verb_name, verbs_of
from cli.line.words import Line, given
from cli.shell import options
from cli.shell.choose import choose
from cli.shell.command_context import handler_for, opened
from cli.shell.declaration import ArgumentSpec, LineDeclaration, parameter, takes
from cli.shell.recording import RecordOptions, conversation_of, played_otherwise
from cli.shell.terminal_conversation import converse
from cli.store.streams import StoredLog
from cli.terminal.screen import Screen
from domain.log.command_handler import CommandHandler
from domain.naming import nearest
from domain.refusal import Invalid
from domain.system.extensions import Lookup, Reader
from domain.system.field_schema import fields_of
from domain.system.installed import SYSTEMS
from domain.system.rulesystem import RuleSystem

if TYPE_CHECKING:
    from cli.shell.parser import Command


def offered_by(system: RuleSystem) -> dict[str, Reader | Lookup]:
    """What a system offers under verbs that are no actions, by these."""
    offers: tuple[Reader | Lookup, ...] = (*(each for each in system.readers if not each.option), *system.lookups)
    return {each.verb: each for each in offers}


def is_verb(rules: str, word: str) -> bool:
    """Whether a verb of these rules is called so, or begins with this word."""
    return any(word in (verb.name, verb.words[0]) for verb in verbs_of(rules))


def is_offered(system: RuleSystem, words: Sequence[str]) -> bool:
    """Whether a line is for what the system offers: a verb of it, or a verb with an option that reads or lists."""
    reads = {(each.verb, f"--{each.option}") for each in system.readers if each.option}
    reads |= {(each.also[0], f"--{each.also[1]}") for each in system.lookups if each.also}
    return words[0] in offered_by(system) or any((words[0], word.partition("=")[0]) in reads for word in words)


def line_given(words: Sequence[str]) -> Line:
    """The line that a shell hands over: what it quoted is one text, but for a list behind an option (`1,Iron Fist`).

    Behind `--` every word is a text.
    """
    end = words.index(WORDS_ALONE) if WORDS_ALONE in words else len(words)
    line = given([*words[:end], *words[end + 1 :]])
    named = [word.text.startswith("--") for word in line.words[:end]]
    options = [
        replace(word, quoted=False) if "," in word.text and (is_option or behind) else word
        for word, is_option, behind in zip(line.words, named, [False, *named], strict=False)
    ]
    return replace(line, words=(*options, *(replace(word, quoted=True) for word in line.words[end:])))


def questions_of(rules: str, commands: Sequence[str]) -> tuple[str, ...]:
    """The commands that no verb stands for."""
    begun = {word for verb in verbs_of(rules) for word in (verb.name, verb.words[0])}
    return tuple(name for name in commands if name not in begun)


#: Behind it nothing is an option any more.
WORDS_ALONE = "--"
#: What a line may be told with besides its words, each as `LineOptions` has it.
OF_A_LINE = [
    parameter("dry_run", options.DryRun, False),
    parameter("yes", options.Yes, False),
    parameter("campaign", options.Campaign, None),
    parameter("json", options.Json, False),
    parameter("color", options.ColorWhen, options.Color.auto),
]


class LineOptions(Struct, frozen=True, kw_only=True, dict=True):
    """How a line is told."""

    dry_run: bool
    yes: bool
    campaign: str | None
    json: bool
    color: options.Color

    @cached_property
    def screen(self) -> Screen:
        """Where it is answered."""
        return Screen(self.color)

    @property
    def asks(self) -> bool:
        """Whether what it leaves open is asked for."""
        return self.screen.answers and not self.yes and not self.json


#: The command of a name, or None; it needs Typer.
Commands = Callable[[str], "Command | None"]


def line_function(
    begun: Sequence[str],
    commands: Sequence[str],
    named: Commands,
    *,
    rules: str | None = None,
    declared: LineDeclaration | None = None,
    ways: Callable[..., Any] | None = None,
) -> Callable[..., None]:
    """The function of a command that does a line which begins with these words.

    `commands` are those there are, each `named` so. With `rules` it is the long form of one of their verbs. One that is
    `declared` takes options of its own; `ways` completes its words.

    It raises what understanding and recording a line raise, NoSuchCommand, Unanswered and Ended.
    """

    def run(words: list[str] | None, **given: Any) -> None:
        besides = {each.name: given.pop(each.name) for each in own}
        told, said = LineOptions(**given), [*begun, *(words or ())]
        afterwards = declared.afterwards(told, **besides) if declared is not None and besides else None
        if rules is None:
            must_be_known(said[0], commands, told.campaign)
        _do(said, told, commands, named, rules, afterwards)

    own = declared.options if declared is not None else ()
    words = Annotated[list[str] | None, ArgumentSpec(autocompletion=ways, show_default=False)]
    return takes(run, [parameter("words", words, None), *OF_A_LINE, *own])


def _do(
    said: Sequence[str],
    told: LineOptions,
    commands: Sequence[str],
    named: Commands,
    rules: str | None,
    afterwards: Callable[[StoredLog], None] | None,
) -> None:
    """Record what a line says, or run the command that it asks for."""
    question: Question | None = None
    with opened(told.campaign, write=True) as (log, system):
        if rules is not None and system.key != rules:
            raise played_otherwise(log)
        offered = is_offered(system, said)
        if not offered:
            try:
                question = _record(handler_for(log), said, commands, told)
            except NoVerb as error:
                if error.at:
                    raise
                raise no_such_command(said[0], commands, system.key) from None
            if afterwards is not None and not told.dry_run:
                afterwards(log)
    if offered:
        _take_up(system, said, told, named)
    if question is not None and (asked := named(question.command)) is not None:
        _run(asked, question.words, told, f"campaign {question.command}")


def must_be_known(word: str, commands: Sequence[str], campaign: str | None) -> None:
    """Raise NoSuchCommand for a word that is nothing under any rules, where no campaign says which rules there are."""
    try:
        choose(campaign)
    except Invalid:
        for rules in SYSTEMS:
            try:
                verb_at(rules, given([word]), 0, questions_of(rules, commands))
            except NoVerb:
                continue
            except Unclear:
                pass
            raise
        if not names_a_turn(word):
            raise no_such_command(word, commands) from None
        raise


def no_such_command(word: str, commands: Sequence[str], rules: str | None = None) -> Exception:
    """What is raised for a word that begins no line."""
    from cli.shell.parser import NoSuchCommand

    return NoSuchCommand(word, [*commands, *SYSTEMS], None, rules)


def _record(
    handler: CommandHandler, said: Sequence[str], commands: Sequence[str], told: LineOptions
) -> Question | None:
    """Record what a line means; what it leaves open is asked about on a terminal. What it asks is given back."""
    line = line_given(said)
    manner = _manner(told)

    def admits(meant: Understood) -> Understood:
        if places := options_among_words(line, meant):
            dashed = {word.text for word in line.words if not word.quoted}
            options.settled("--drop" in dashed, "--keep" in dashed)
            raise _no_option(line, places[0], meant)
        return meant

    questions = questions_of(handler.system.key, commands)
    conversation = conversation_of(handler, manner, settles=True, questions=questions, admits=admits)
    return converse(conversation, conversation.say(line), manner)


def _manner(told: LineOptions) -> RecordOptions:
    by = os.environ.get("CAMPAIGN_BY") or None
    return RecordOptions(told.screen, told.campaign, told.json, by, dry_run=told.dry_run, yes=told.yes)


def _no_option(line: Line, place: int, meant: Understood) -> Invalid:
    """What is said of an option that no such line takes, or not so; its text would take it for words."""
    kind, word = type(meant.actions[0]), line.words[place].text
    known = [*(field.key.replace("_", "-") for field in fields_of(kind)), *MANNER, *SETTLING]
    name, sign, value = word.removeprefix("--").partition("=")
    if name in known:
        value = value if sign else " ".join(word.text for word in line.words[place + 1 : place + 2])
        told = f"--{name} does not take {value!r}." if value else f"--{name} needs its value."
    else:
        near = nearest(name, known)
        told = f"There is no option {word}{f'; did you mean --{near}?' if near else '.'}"
    return Invalid(f"{told} Try: campaign {verb_name(kind)} --help")


def _take_up(system: RuleSystem, said: Sequence[str], told: LineOptions, named: Commands) -> None:
    """Do what a line asks of what its rule system offers besides its verbs."""
    from cli.shell.offers import listing_in, look_up, reading_in, take_in

    if (reading := reading_in(system, said)) is not None:
        take_in(*reading, replace(_manner(told), yes=False))
    elif (listing := listing_in(system, said)) is not None:
        look_up(listing, None, None, told.campaign, told.screen, as_json=told.json)
    elif (verbs := named(system.key)) is not None:
        _run(verbs, [*said, *(["--dry-run"] if told.dry_run else [])], told, f"campaign {system.key}")


def _run(command: "Command", words: Sequence[str], told: LineOptions, name: str) -> None:
    from cli.shell.parser import run_command

    campaign = ["-c", told.campaign] if told.campaign else []
    run_command(command, [*words, *campaign, *(["--json"] if told.json else []), "--color", told.color.value], name)
