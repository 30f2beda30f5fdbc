"""A line that is plain, recorded without Typer: its options as they are spelt, its verb whole.

Whatever is not plain is left to `cli.shell.typer_line`, which comes to the same, only later: without this file nothing
changes but time.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

from cli.line.errors import Ambiguous, Missing
from cli.line.understanding import understand
from cli.line.values import Context
from cli.line.verbs import names_a_turn, verbs_of
from cli.shell.choose import choose
from cli.shell.command_context import handler_for, of_another_evening, opened
from cli.shell.declaration import ArgumentSpec, parameter, takes
from cli.shell.line_command import OF_A_LINE, LineOptions, is_offered, line_given, questions_of, say
from cli.shell.plain import NotPlain, given_plainly
from cli.shell.words import from_file
from domain.refusal import Invalid, Refusal

_WORDS = parameter("words", Annotated[list[str] | None, ArgumentSpec()], None)


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
