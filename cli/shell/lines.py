"""A line of the table, typed on the shell: `campaign d brog 4 a ghoul`. The campaign knows its rules."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from cli.shell import options
from cli.shell.choose import choose
from cli.shell.desk import ask_first, opened, scribe_for
from cli.shell.parser import FAILED, Command, Context, LineCommand, NoSuchCommand, command_of
from cli.shell.words import from_file
from cli.terminal.screen import Screen, complain
from domain.refusal import Invalid
from domain.system.registry import SYSTEMS

if TYPE_CHECKING:
    from cli.line.understanding import Understood
    from cli.line.values import Context as Against
    from cli.shell.recording import Manner
    from domain.log.scribe import Scribe
    from domain.turn import Action

#: The command of a name, or None.
Commands = Callable[[str], Command | None]


def line_command(word: str, commands: Sequence[str], named: Commands) -> Command:
    """The command of a line that begins with a word which is no command itself; `commands` are those there are."""

    def ways(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        return _ways([word, *(ctx.params.get("words") or ())], incomplete, ctx.params.get("campaign"), commands)

    def run(
        ctx: typer.Context,
        words: Annotated[list[str] | None, typer.Argument(autocompletion=ways, show_default=False)] = None,
        dry_run: options.DryRun = False,
        yes: options.Yes = False,
        campaign: options.Campaign = None,
        json: options.Json = False,
        color: options.ColorWhen = options.Color.auto,
    ) -> None:
        from cli.line.errors import NoVerb
        from cli.line.understanding import Understood, options_among_words, without_told
        from cli.line.values import Context as Against
        from cli.line.words import given
        from cli.shell.offers import is_offered
        from cli.shell.recording import Manner, record

        said = [word, *(words or ())]
        more = [*(["-c", campaign] if campaign else []), *(["--json"] if json else []), "--color", color.value]
        _must_be_known(word, commands, campaign, ctx)
        screen = Screen(color)
        asks = screen.answers and not yes and not json
        with opened(campaign, write=True) as (log, system):
            offered = system.key if is_offered(system, said) else None
            scribe = scribe_for(log)
            try:
                against = Against(system, scribe.state(), log, from_file)
                meant = Understood() if offered else _meant(said, against, _questions(system.key, commands), asks=asks)
            except NoVerb as error:
                if error.at:
                    raise
                raise NoSuchCommand(word, [*commands, *SYSTEMS], ctx.parent or ctx, system.key) from None
            if (failed := ctx.meta.get(FAILED)) is not None and options_among_words(given(said), meant):
                raise failed
            manner = Manner(
                screen,
                as_json=json,
                by=_said_by(meant),
                when=meant.manner.get("when"),
                dry_run=dry_run,
                yes=yes,
                telling=meant.telling,
            )
            if (without := without_told(against, meant)) and not json:
                complain(without)
            if len(meant.actions) > 1:
                _record_together(scribe, meant.actions, manner)
                return
            for action in meant.actions:
                record(scribe, action, manner, asks=True)
        if offered is not None and (verbs := named(offered)) is not None:
            dry = ["--dry-run"] if dry_run else []
            verbs.main([*said, *dry, *more], prog_name=f"campaign {offered}", standalone_mode=False)
        if meant.question is not None and (asked := named(meant.question.command)) is not None:
            name = f"campaign {meant.question.command}"
            asked.main([*meant.question.words, *more], prog_name=name, standalone_mode=False)

    command = command_of(word, run, "", LineCommand)
    assert isinstance(command, LineCommand)
    command.verb = lambda ctx: _long_form(word, commands, ctx)
    command.ways = ways
    return command


def _meant(said: Sequence[str], against: "Against", questions: Sequence[str], *, asks: bool) -> "Understood":
    """What a line means. What it does not say yet is asked for where somebody can answer."""
    from cli.line.errors import Missing
    from cli.line.understanding import understand
    from cli.line.words import given

    line = given(said)
    try:
        return understand(line, against, questions)
    except Missing as missing:
        if not asks or missing.of is None:
            raise
        from cli.shell.questions import completed_here

        return completed_here(against, line, missing)


def _said_by(meant: "Understood") -> str | None:
    """Who says so: as the line says it, else as the environment does."""
    return meant.manner.get("by", os.environ.get("CAMPAIGN_BY") or None)


def _record_together(scribe: "Scribe", actions: "Sequence[Action]", manner: "Manner") -> None:
    """Record several turns that one line tells: all of them or none."""
    from cli.line.choosing import opened as opened_matters
    from cli.shell.recording import settle, shown_first, told_as
    from cli.terminal.answers import answer_json, print_answer, print_sheets
    from projections.prospect import sheets_unseen

    screen = manner.screen
    waited_for = scribe.system.table_matters(scribe.state())
    if asks := not (manner.yes or manner.as_json or manner.dry_run) and screen.answers:
        from cli.shell.questions import decided_here

        actions = decided_here(scribe, actions, manner.telling)
    shown = shown_first(scribe, [told_as(manner, action) for action in actions], manner)
    if shown is not None and not shown.conflicts:
        ask_first()
    elif shown is not None and screen.answers and not manner.as_json:
        from cli.shell.questions import settled_conflicts

        manner = replace(manner, telling=replace(manner.telling, conflicts=settled_conflicts()))
    before = scribe.state().copy()
    outcomes = scribe.record_together([told_as(manner, action) for action in actions])
    open_now = opened_matters(scribe.system, before, scribe.state()) if asks else []
    for outcome in outcomes:
        if manner.as_json:
            screen.json(answer_json(scribe.system, outcome.turn), pretty=False)
        else:
            print_answer(
                scribe.system,
                outcome,
                scribe.state(),
                screen,
                table_before=waited_for,
                asked=open_now,
                shown_before=shown is not None,
            )
    if manner.telling and not manner.as_json:
        unseen = sheets_unseen(shown.sheets if shown else (), scribe.system, before, scribe.state())
        print_sheets(scribe.system, unseen, screen)
    screen.flush()
    settle(scribe, open_now, manner)


def _questions(rules: str, commands: Sequence[str]) -> tuple[str, ...]:
    """The commands that no verb stands for."""
    from cli.line.verbs import verbs_of

    begun = {word for verb in verbs_of(rules) for word in (verb.name, verb.words[0])}
    return tuple(name for name in commands if name not in begun)


def _must_be_known(word: str, commands: Sequence[str], campaign: str | None, ctx: Context) -> None:
    """Raise NoSuchCommand for a word that is nothing under any rules, where no campaign says which rules there are."""
    from cli.line.errors import NoVerb, Unclear
    from cli.line.verbs import names_a_turn, verb_at
    from cli.line.words import given

    try:
        choose(campaign)
    except Invalid:
        for rules in SYSTEMS:
            try:
                verb_at(rules, given([word]), 0, _questions(rules, commands))
            except NoVerb:
                continue
            except Unclear:
                pass
            raise
        if not names_a_turn(word):
            raise NoSuchCommand(word, [*commands, *SYSTEMS], ctx.parent or ctx) from None
        raise


def _long_form(word: str, commands: Sequence[str], ctx: Context) -> Command:
    """The verb that a line begins with, as the command that has its help. Raises NoSuchCommand."""
    from cli.line.errors import Misread
    from cli.line.verbs import verb_at
    from cli.line.words import given
    from cli.shell.verbs import verb

    _must_be_known(word, commands, ctx.params.get("campaign"), ctx)
    with opened(ctx.params.get("campaign")) as (log, _):
        rules = log.rules
    try:
        meant, _at = verb_at(rules, given([word]))
    except Misread:
        raise NoSuchCommand(word, [*commands, *SYSTEMS], ctx.parent or ctx, rules) from None
    assert not isinstance(meant, str)
    return verb(rules, meant.kind)


def _ways(words: Sequence[str], begun: str, campaign: str | None, commands: Sequence[str]) -> list[tuple[str, str]]:
    """The words that may follow, each with its help. Whatever goes wrong, there are none."""
    from cli.line.completing import ways_on
    from cli.line.values import Context as Against
    from cli.line.words import given
    from cli.shell.completion import proposal

    try:
        with opened(campaign) as (log, system):
            against = Against(system, scribe_for(log).state(), log)
            found = ways_on(given(words), begun, against, _questions(system.key, commands))
    except Exception:  # a broken campaign must not break the shell's prompt
        return []
    return [(proposal(way.text), way.help) for way in found]
