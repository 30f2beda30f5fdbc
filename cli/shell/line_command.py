"""A line of the table as it is said on the shell: what it means against its campaign, and that recorded.

Nothing here needs Typer, which takes as long to import as recording takes. `cli.shell.typer_line` makes a command of
it, which knows help, completion and every error; `cli.shell.command_line` does at once what is plain.
"""

import os
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Annotated, Any

from msgspec import Struct
from msgspec.structs import replace

from cli.line.errors import Ambiguous, Missing
from cli.line.understanding import Question, Understood, understand
from cli.line.values import Context
from cli.line.verbs import names_a_turn, verbs_of
from cli.line.words import Line, given
from cli.shell import options
from cli.shell.choose import choose
from cli.shell.command_context import handler_for, of_another_evening, opened
from cli.shell.declaration import ArgumentSpec, parameter, takes
from cli.shell.plain import NotPlain, given_plainly
from cli.shell.recording import RecordOptions, conversation_of
from cli.shell.terminal_conversation import converse
from cli.shell.words import from_file
from cli.terminal.screen import Screen
from domain.log.command_handler import CommandHandler
from domain.refusal import Invalid, Refusal
from domain.system.extensions import Lookup, Reader
from domain.system.rulesystem import RuleSystem


def offered_by(system: RuleSystem) -> dict[str, Reader | Lookup]:
    """What a system offers under verbs that are no actions, by these."""
    offers: tuple[Reader | Lookup, ...] = (*(each for each in system.readers if not each.option), *system.lookups)
    return {each.verb: each for each in offers}


def is_offered(system: RuleSystem, words: Sequence[str]) -> bool:
    """Whether a line is for what the system offers: a verb of it, or a verb with an option that reads or lists."""
    reads = {(each.verb, f"--{each.option}") for each in system.readers if each.option}
    reads |= {(each.also[0], f"--{each.also[1]}") for each in system.lookups if each.also}
    return words[0] in offered_by(system) or any((words[0], word.partition("=")[0]) in reads for word in words)


def line_given(words: Sequence[str]) -> Line:
    """The line that a shell hands over: what it quoted is one text, but for a list behind an option (`1,Iron Fist`)."""
    line = given(words)
    named = [word.text.startswith("--") for word in line.words]
    return replace(
        line,
        words=tuple(
            replace(word, quoted=False) if "," in word.text and (is_option or behind) else word
            for word, is_option, behind in zip(line.words, named, [False, *named], strict=False)
        ),
    )


def questions_of(rules: str, commands: Sequence[str]) -> tuple[str, ...]:
    """The commands that no verb stands for."""
    begun = {word for verb in verbs_of(rules) for word in (verb.name, verb.words[0])}
    return tuple(name for name in commands if name not in begun)


#: What a line may be told with besides its words, each as `LineOptions` has it.
OF_A_LINE = [
    parameter("dry_run", options.DryRun, False),
    parameter("yes", options.Yes, False),
    parameter("campaign", options.Campaign, None),
    parameter("json", options.Json, False),
    parameter("color", options.ColorWhen, options.Color.auto),
]
_WORDS = parameter("words", Annotated[list[str] | None, ArgumentSpec()], None)


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


def plain_line(words: Sequence[str], commands: Sequence[str], rules: str | None) -> Callable[[], None] | None:
    """What does a line of the table that is plain: its options as they are spelt. None for any other.

    With `rules` it is the long form of one of their verbs.

    Doing it raises NotPlain where more has to be known.
    """

    def do(words: list[str] | None, **told: Any) -> None:
        _do([first, *(words or ())], commands, LineOptions(**told), rules)

    first = words[0]
    told = given_plainly(takes(do, [_WORDS, *OF_A_LINE]), words[1:], others_are_words=True)
    return None if told is None else partial(do, **told)


def _do(said: Sequence[str], commands: Sequence[str], told: LineOptions, rules: str | None) -> None:
    """Record what a line says. Raises NotPlain before anything is said or asked."""
    try:
        if of_another_evening(choose(told.campaign)):
            raise NotPlain  # that is said first
    except Invalid:
        raise NotPlain from None
    with opened(told.campaign, write=True) as (log, system):
        handler = handler_for(log)
        is_plain = rules in (None, system.key) and _is_plain(
            said, Context(system, handler.state(), log, from_file), commands, told
        )
        if is_plain:
            say(handler, said, commands, told)
    if not is_plain:
        raise NotPlain


def _is_plain(said: Sequence[str], against: Context, commands: Sequence[str], told: LineOptions) -> bool:
    """Whether a line begins with a whole verb of the rules, or with a turn, and can be done, or asks for what it needs.

    The beginning of a verb may be another command, or other rules.
    """
    rules = against.system.key
    names = {name for verb in verbs_of(rules) for name in (verb.name, verb.words[0])}
    if is_offered(against.system, said) or not (said[0] in names or names_a_turn(said[0])):
        return False
    try:
        return understand(line_given(said), against, questions_of(rules, commands)).question is None
    except Missing as missing:
        return told.asks and missing.of is not None
    except Ambiguous:
        return told.asks
    except (Invalid, Refusal):
        return False


def say(
    handler: CommandHandler,
    said: Sequence[str],
    commands: Sequence[str],
    told: LineOptions,
    admits: Callable[[Understood], Understood] = lambda understood: understood,
) -> Question | None:
    """Record what a line means; what it leaves open is asked about on a terminal. What it asks is given back.

    Raises what understanding and recording it raise, Unanswered and Ended.
    """
    manner = RecordOptions(
        told.screen,
        as_json=told.json,
        by=os.environ.get("CAMPAIGN_BY") or None,
        dry_run=told.dry_run,
        yes=told.yes,
    )
    questions = questions_of(handler.system.key, commands)
    conversation = conversation_of(handler, manner, settles=True, questions=questions, admits=admits)
    return converse(conversation, conversation.say(line_given(said)), manner)
