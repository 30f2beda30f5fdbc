"""The rules, their options in force, their history and notes.

Without a rule: all of them, each option with the value in force. With one: what became of it in this campaign.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from msgspec.structs import replace

from cli.pages.rows import Format, write_rows
from cli.shell import options
from cli.shell.desk import opened, point_in
from cli.shell.words import option_values
from cli.terminal.screen import Screen, Span
from domain.log.folding import state_at
from domain.naming import ended, listed
from domain.refusal import Invalid
from domain.system.options import Option, options_of
from domain.system.paragraphs import Paragraph, known_rule, paragraphs_of
from domain.system.rulesystem import RuleSystem
from projections.chronicle import citation
from projections.history import Remark, remarks
from projections.values import in_words


def rules(
    rule: Annotated[
        str | None,
        typer.Argument(
            help="One rule, like 6.4 (default: all).", autocompletion=options.complete_rules, show_default=False
        ),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OPTION=VALUE]...", help="With --preview: what is tried.", show_default=False),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="What such a ruling would have changed; nothing is appended.")
    ] = False,
    since: Annotated[
        str | None, typer.Option(metavar="POINT", help="With --preview: from this point on.", show_default=False)
    ] = None,
    at: options.At = None,
    output: options.Output = Format.text,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    form = Format.json if json else output
    screen = Screen(color)
    if preview:
        preview_ruling(screen, campaign, rule, values, since or "T1", as_json=form is Format.json)
        return
    if values or since:
        raise Invalid("Options are tried with --preview: campaign rules --preview 6.4 keep_higher=true")
    with opened(campaign) as (log, system):
        upto = options.found(lambda: point_in(log, at))
        in_force = state_at(system, log, upto).options
        number = options.found(lambda: known_rule(system, rule)) if rule is not None else None
        told = remarks(log, number, upto)
    paragraphs = paragraphs_of(system.key)
    chosen = {number: paragraphs[number]} if number is not None else paragraphs
    if form is not Format.text:
        rows = [_row(system, each, paragraph, in_force, told) for each, paragraph in chosen.items()]
        write_rows(screen, rows, form, ("rule", "title", "summary", "modelled", "options"))
    elif number is not None:
        _print_rule(screen, system, number, chosen[number], in_force, told)
    else:
        _print_all(screen, system, chosen, in_force, told)
    screen.flush(pager=True)


def preview_ruling(
    screen: Screen, campaign: str | None, rule: str | None, values: list[str] | None, since: str, *, as_json: bool
) -> None:
    """What a ruling that counts from a point on would change. Exits with 1 if anything, as a dry run does."""
    from cli.shell.desk import scribe_for
    from cli.terminal.answers import print_preview
    from domain.system.registry import action_from

    if rule is None or not values:
        raise Invalid("Say which rule and which option: campaign rules --preview 6.4 keep_higher=true")
    with opened(campaign) as (log, system):
        asked = {"type": "ruling", "rule": rule, "text": "tried out", "set": option_values(values, log.rules)}
        outcome = scribe_for(log).record(action_from(log.rules, {**asked, "since": since}), dry_run=True)
    own = outcome.turn.number
    outcome = replace(outcome, changed=tuple(change for change in outcome.changed if change.turn != own))
    print_preview(system, outcome, screen, as_json=as_json)
    screen.flush()
    if outcome.changed or outcome.conflicts:
        raise typer.Exit(1)


def _options(system: RuleSystem, number: str) -> list[Option]:
    return [option for option in options_of(system.options).values() if option.rule == number]


def _row(system: RuleSystem, number: str, paragraph: Paragraph, in_force: Any, told: list[Remark]) -> dict[str, Any]:
    import msgspec

    facts = system.facts(number)
    return {
        "rule": citation(system, number),
        **msgspec.to_builtins(paragraph),
        "options": {option.name: getattr(in_force, option.name) for option in _options(system, number)},
        **({"facts": [dict(zip(facts[0], row, strict=True)) for row in facts[1:]]} if facts else {}),
        "history": [msgspec.to_builtins(remark) for remark in told if remark.rule == number],
    }


def _print_all(
    screen: Screen, system: RuleSystem, paragraphs: dict[str, Paragraph], in_force: Any, told: list[Remark]
) -> None:
    width = max(map(len, paragraphs), default=0)
    for number, paragraph in paragraphs.items():
        count = sum(remark.rule == number for remark in told)
        notes = f"  ({count} in its history)" if count else ""
        margin = len(system.cite) + width + 3
        cited = Span(f"{system.cite} {number:<{width}}", "cyan")
        screen.line(cited, f"  {paragraph.title}", Span(notes, "dim"), indent=margin)
        for option in _options(system, number):
            value = getattr(in_force, option.name)
            ruled = "" if value == option.default else f" (default {in_words(option.default)})"
            name = f"{option.name} = {in_words(value)}"
            screen.line(" " * margin, name, Span(ruled, "yellow"), indent=margin + 2)
    screen.line()
    screen.line(f"Next: campaign rules {next(iter(paragraphs), '')} shows one rule with its history and notes.")


def _print_rule(
    screen: Screen, system: RuleSystem, number: str, paragraph: Paragraph, in_force: Any, told: list[Remark]
) -> None:
    screen.line(Span(f"{citation(system, number)}  {paragraph.title}", "bold"))
    screen.lines(screen.wrap((paragraph.summary,), indent=0))
    if not paragraph.modelled:
        screen.lines(screen.wrap((Span(f"Left to the table: {paragraph.reason}", "dim"),), indent=0))
    for option in _options(system, number):
        value = getattr(in_force, option.name)
        screen.line()
        screen.line(Span(f"{option.name} = {in_words(value)}", "bold"), f"  {option.meaning}")
        others = [in_words(each) for each in option.values or () if each != option.default]
        screen.line(Span(f"  default {in_words(option.default)}{f'; also {listed(others)}' if others else ''}", "dim"))
    _print_facts(screen, system.facts(number))
    screen.line()
    screen.line(Span("History and notes", "bold"))
    if paragraph.background:
        screen.lines(screen.wrap((paragraph.background,), indent=0))
    for remark in told:
        _print_remark(screen, remark)
    if not told:
        screen.line(Span("Nothing in this campaign yet.", "dim"))


def _print_remark(screen: Screen, remark: Remark) -> None:
    where = f"session {remark.session}, " if remark.session else ""
    what = f"R{remark.ruling}" if remark.ruling is not None else "note"
    by = f", {remark.by}" if remark.by else ""
    sets = listed(f"{name} = {in_words(value)}" for name, value in remark.set.items()) if remark.set else ""
    style = "dim strike" if remark.no_longer else ""
    line: list[Span | str] = [
        Span(f"- {what} ({where}T{remark.turn}{by}): ", "cyan"),
        Span(ended(remark.text), style),
        *([Span(" On trial.", "yellow")] if remark.trial else []),
        *([Span(f" Why: {ended(remark.why)}", style)] if remark.why else []),
        *([Span(f" [{sets}]", style)] if sets else []),
        *([f" Counts from T{remark.since} on."] if remark.since is not None else []),
        *([Span(f" No longer in force: {remark.no_longer}.", "yellow")] if remark.no_longer else []),
    ]
    screen.lines(screen.wrap(line, indent=2))


def _print_facts(screen: Screen, facts: Sequence[Sequence[str]]) -> None:
    """What is at hand beside the paragraph, in columns."""
    widths = [max(len(row[column]) for row in facts) for column in range(len(facts[0]))] if facts else []
    for place, row in enumerate(facts):
        if not place:
            screen.line()
        cells = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        screen.line(Span(cells, "bold") if not place else cells, indent=None)
