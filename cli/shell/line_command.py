"""A line of the table as it is said on the shell: what it means against its campaign, and that recorded.

Nothing here needs Typer, which takes as long to import as recording takes. `cli.shell.typer_line` makes a command of
it, which knows help, completion and every error; `cli.shell.plain_lines` does at once what is plain.
"""

import os
from collections.abc import Callable, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from cli.line.understanding import Question, Understood
from cli.line.verbs import verbs_of
from cli.line.words import Line, given
from cli.shell import options
from cli.shell.declaration import parameter
from cli.shell.recording import RecordOptions, conversation_of
from cli.shell.terminal_conversation import converse
from cli.terminal.screen import Screen
from domain.log.command_handler import CommandHandler
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
