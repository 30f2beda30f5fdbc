"""A line of the table, typed on the shell: `campaign d brog 4 a ghoul`. The campaign knows its rules."""

import os
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from msgspec.structs import replace

from cli.line.errors import Misread, NoVerb, Unclear
from cli.line.tracking import verb_in
from cli.line.understanding import Question, Understood, options_among_words
from cli.line.values import Context as Against
from cli.line.verbs import names_a_turn, verb_at
from cli.line.words import given
from cli.shell.choose import choose
from cli.shell.command_context import handler_for, opened
from cli.shell.declaration import ArgumentSpec, parameter, takes
from cli.shell.line_command import OF_A_LINE, LineOptions, is_offered, questions_of, say
from cli.shell.offers import listing_in, look_up, reading_in, take_in
from cli.shell.parser import FAILED, Command, Context, LineCommand, NoSuchCommand, command_of, run_command
from cli.shell.recording import RecordOptions, played_otherwise
from cli.shell.verbs import verb
from domain.refusal import Invalid
from domain.registry import SYSTEMS

#: The command of a name, or None.
Commands = Callable[[str], Command | None]


def line_command(word: str, commands: Sequence[str], named: Commands, rules: str | None = None) -> Command:
    """The command of a line that begins with a word which is no command itself; `commands` are those there are.

    With `rules` it is the long form of one of their verbs: `campaign osr damage brog 4`.
    """

    def ways(ctx: Context, incomplete: str) -> list[tuple[str, str]]:
        return _ways([word, *(ctx.params.get("words") or ())], incomplete, ctx.params.get("campaign"), commands)

    def run(ctx: Context, words: list[str] | None, **given_so: Any) -> None:
        said, told = [word, *(words or ())], LineOptions(**given_so)
        campaign, color = (["-c", told.campaign] if told.campaign else []), ["--color", told.color.value]
        more = [*campaign, *(["--json"] if told.json else []), *color]
        if rules is None:
            _must_be_known(word, commands, told.campaign, ctx)
        question: Question | None = None

        def admits(meant: Understood) -> Understood:
            failed: Exception | None = ctx.meta.get(FAILED)
            if failed is not None and options_among_words(given(said), meant):
                raise failed
            return meant

        with opened(told.campaign, write=True) as (log, system):
            if rules is not None and system.key != rules:
                raise played_otherwise(log)
            reading, listing = reading_in(system, said), listing_in(system, said)
            own_option = reading is not None or listing is not None
            offered = system.key if is_offered(system, said) and not own_option else None
            try:
                if offered is None and not own_option:
                    question = say(handler_for(log), said, commands, told, admits)
            except NoVerb as error:
                if error.at:
                    raise
                raise NoSuchCommand(word, [*commands, *SYSTEMS], ctx.parent or ctx, system.key) from None
        if reading is not None:
            manner = RecordOptions(told.screen, told.campaign, told.json, os.environ.get("CAMPAIGN_BY") or None)
            take_in(*reading, replace(manner, dry_run=told.dry_run))
        if listing is not None:
            look_up(listing, None, None, told.campaign, told.screen, as_json=told.json)
        if offered is not None and (verbs := named(offered)) is not None:
            dry = ["--dry-run"] if told.dry_run else []
            run_command(verbs, [*said, *dry, *more], f"campaign {offered}")
        if question is not None and (asked := named(question.command)) is not None:
            run_command(asked, [*question.words, *more], f"campaign {question.command}")

    proposed = Annotated[list[str] | None, ArgumentSpec(autocompletion=ways, show_default=False)]
    takes(run, [parameter("ctx", Context), parameter("words", proposed, None), *OF_A_LINE])
    command = command_of(word, run, "", LineCommand)
    assert isinstance(command, LineCommand)
    command.verb = lambda ctx: _described(word, commands, ctx) if rules is None else _verb_of(rules, word)
    command.ways = ways
    return command


def _must_be_known(word: str, commands: Sequence[str], campaign: str | None, ctx: Context) -> None:
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
            raise NoSuchCommand(word, [*commands, *SYSTEMS], ctx.parent or ctx) from None
        raise


def _verb_of(rules: str, word: str) -> Command:
    """The description of a verb by one of its names. Raises Misread for a word that is only the beginning of some."""
    meant, _ = verb_at(rules, given([word]))
    assert not isinstance(meant, str)
    return verb(rules, meant.kind)


def _described(word: str, commands: Sequence[str], ctx: Context) -> Command:
    """The verb that a line begins with, as the command that has its help. Raises NoSuchCommand."""
    _must_be_known(word, commands, ctx.params.get("campaign"), ctx)
    with opened(ctx.params.get("campaign")) as (log, system):
        rules, against = log.rules, Against(system, handler_for(log).state(), log)
    try:
        meant, _at = verb_in(against, given([word]))
    except Misread:
        raise NoSuchCommand(word, [*commands, *SYSTEMS], ctx.parent or ctx, rules) from None
    assert not isinstance(meant, str)
    return verb(rules, meant.kind)


def _ways(words: Sequence[str], begun: str, campaign: str | None, commands: Sequence[str]) -> list[tuple[str, str]]:
    """The words that may follow, each with its help. Whatever goes wrong, there are none."""
    from cli.line.completing import ways_on
    from cli.shell.completion import proposal

    try:
        with opened(campaign) as (log, system):
            against = Against(system, handler_for(log).state(), log)
            found = ways_on(given(words), begun, against, questions_of(system.key, commands))
    except Exception:  # a broken campaign must not break the shell's prompt
        return []
    return [(proposal(way.text), way.help) for way in found]
