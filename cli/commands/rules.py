"""Read the rules as they are played, with their history.

Without a rule, list them all, each option with the value in force. With one, show what it says now, and how it came
to say so. Other words are looked up in the paragraphs and their histories. --book writes everything as one document.

Examples:
  campaign rules
  campaign rules 6.4
  campaign rules --preview 6.4 keep_higher=true
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec
import typer
from msgspec.structs import replace

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import handler_for, open_chosen, read_up_to
from cli.shell.ending import Ended
from cli.shell.outfile import OutputFile, deliver
from cli.shell.reading import ReadOptions, reads
from cli.shell.references import ruling_number
from cli.shell.rulebooks import rulebook_with_evidence
from cli.shell.words import option_values
from cli.store.stored_log import StoredLog
from cli.terminal.rulebook import print_all, print_rule, print_trial, print_trials
from cli.terminal.screen import Screen
from domain.log.command_handler import Command
from domain.log.folding import state_at
from domain.naming import listed
from domain.refusal import Invalid, Unknown
from domain.registry import action_from
from domain.system.options import options_of
from domain.system.paragraphs import known_rule
from domain.system.rulesystem import RuleSystem
from domain.values import as_written
from projections.views.rulebook import LivingParagraph, Rulebook, Trial, alone, matching_paragraphs, rulebook_of


@reads(keeps_secrets=False)
def rules(
    request: ReadOptions,
    rule: Annotated[
        str | None,
        typer.Argument(
            metavar="[RULE|WORD]",
            help="One rule, like 6.4, or a word to look for (default: all).",
            autocompletion=options.known("rules"),
        ),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD|OPTION=VALUE]...",
            help="More words; with --preview the option to try.",
            autocompletion=options.known("options_of_rule"),
        ),
    ] = None,
    book: Annotated[bool, typer.Option("--book", help="The whole rulebook as a document (-O md, html, json).")] = False,
    in_force: Annotated[bool, typer.Option("--in-force", help="Only what is in force.")] = False,
    trials: Annotated[bool, typer.Option("--trials", help="The rulings on trial.")] = False,
    disputed: Annotated[bool, typer.Option("--disputed", help="Only rules that a note disputes.")] = False,
    trial: Annotated[str | None, typer.Option(metavar="R3", help="Show what a ruling has changed so far.")] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show what this option would have changed.")] = False,
    since: Annotated[str | None, typer.Option(metavar="POINT", help="With --preview: from this point on.")] = None,
    output_file: OutputFile = None,
) -> None:
    form = request.form
    screen = request.screen
    if preview:
        preview_ruling(screen, request.campaign, rule, values, since or "T1", as_json=form is Format.json)
        return
    if since or any("=" in word for word in values or ()):
        with open_chosen(request.campaign) as (_, system):
            raise Invalid(f"To try an option, add --preview: {_preview_command(system, rule)}")
    if book and (rule is not None or in_force or trials or disputed or trial is not None):
        raise Invalid("--book writes all the rules; leave out the options that choose some of them.")
    if not book and (form is Format.html or output_file is not None):
        raise Invalid("Only the whole book can be a page or a file: campaign rules --book -O html -o rules.html")
    with open_chosen(request.campaign) as (log, system):
        upto = read_up_to(log, request.at)
        words = [rule, *(values or ())] if rule is not None else []
        number = options.or_not_found(lambda: _rule_number(system, log, upto, words)) if words else None
        whole = _book(log, system, upto, number, ruling_number(trial) if trial is not None else None, book=book)
    if book:
        _write_book(screen, whole, Format.md if form is Format.text else form, output_file)
        return
    if trial is not None:
        _print_trial(screen, whole, _trial(whole, ruling_number(trial)), form)
    elif trials:
        _list_trials(screen, whole, form)
    elif number is not None and not (in_force or disputed):
        extract = alone(whole, [paragraph for paragraph in whole.paragraphs if paragraph.rule == number])
        if form is Format.text:
            print_rule(screen, extract, extract.paragraphs[0])
        else:
            _write_rows(screen, extract, extract.paragraphs, form)
    else:
        looked_for = [] if number is not None else words
        paragraphs = matching_paragraphs(whole, words=looked_for, in_force=in_force, disputed=disputed)
        if not paragraphs and looked_for:
            raise options.NotFound(f"No paragraph says {' '.join(looked_for)!r}; rules without a word lists them all.")
        if form is Format.text:
            print_all(screen, paragraphs)
        else:
            _write_rows(screen, whole, paragraphs, form)
    screen.flush(pager=True)


def _rule_number(system: RuleSystem, log: StoredLog, upto: int, words: Sequence[str]) -> str | None:
    """The number of the rule that the words name; None for words to search for. Raises Unknown for unknown numbers."""
    own = state_at(system, log, upto).campaign.paragraphs
    try:
        return known_rule(system, " ".join(words), own)
    except Unknown:
        if any(sign.isdecimal() for sign in "".join(words)):
            raise
        return None


def _book(
    log: StoredLog, system: RuleSystem, upto: int, rule: str | None, ruling: int | None, *, book: bool
) -> Rulebook:
    """The rulebook, with the evidence of only those trials that will be shown, as it is costly."""
    if not book and rule is None and ruling is None:
        return rulebook_of(system, log, upto)
    return rulebook_with_evidence(
        log,
        system,
        upto,
        lambda trial, over: book or trial.ruling == ruling or (trial.rule == rule and over is not None),
        ruling,
    )


def _trial(book: Rulebook, ruling: int) -> Trial:
    trials = {trial.remark.ruling: trial for trial in book.trials}
    if ruling in trials:
        return trials[ruling]
    every_remark = (remark for paragraph in book.paragraphs for remark in paragraph.history)
    made = {remark.ruling for remark in every_remark if remark.kind == "ruling" and remark.campaign is None}
    hint = f"on trial: {listed(f'R{number}' for number in trials)}." if trials else "nothing has been on trial yet."
    read = f" What was played under it: campaign log --under R{ruling}" if ruling in made else ""
    begin = "" if trials else ' One begins with: campaign ruling 6.4 "…" --trial --set OPTION=VALUE'
    raise options.NotFound(f"R{ruling} is not a trial; {hint}{read or begin}")


def _write_book(screen: Screen, book: Rulebook, form: Format, file: Any) -> None:
    from cli.pages import rulebook as pages  # Markdown readers take longer to import than most commands run

    match form:
        case Format.json:
            screen.json(as_json(book))
        case Format.html:
            screen.raw(pages.page(book))
        case Format.md:
            screen.raw(pages.markdown_of(book))
        case _:
            raise Invalid("The book is written as md, html or json: campaign rules --book -O html -o rules.html")
    deliver(screen, file, f"The rulebook of {book.campaign} is", pager=form is Format.md)


def as_json(book: Rulebook) -> dict[str, Any]:
    whole: dict[str, Any] = msgspec.to_builtins(book)
    return {"type": "rulebook", **whole}


def preview_ruling(
    screen: Screen, campaign: str | None, rule: str | None, values: list[str] | None, since: str, *, as_json: bool
) -> None:
    """Preview a ruling that counts from a point on. Raises Ended with 1 if it changes anything, as a dry run does."""
    from cli.terminal.previews import print_preview
    from projections.preview import simulate
    from projections.preview_json import preview_json

    with open_chosen(campaign) as (log, system):
        if rule is None or not values:
            raise Invalid(f"Say which rule and which option: {_preview_command(system, rule)}")
        value = {"type": "ruling", "rule": rule, "text": "tried out", "set": option_values(values, log.rules)}
        preview = simulate(handler_for(log), Command(action_from(log.rules, {**value, "since": since})))
    # only its effects are shown, not the turn of the ruling itself
    preview = replace(preview, outcomes=(), own=())
    if as_json:
        screen.json(preview_json(system, preview))
    else:
        print_preview(system, preview, screen)
    screen.flush()
    if preview.reaches_back:
        raise Ended(1)


def _preview_command(system: RuleSystem, rule: str | None) -> str:
    """An example of the command with --preview: an option of this rule, else the first of all options."""
    options_by_name = options_of(system.options)
    of_rule = [option for option in options_by_name.values() if option.rule.removeprefix(f"{system.cite} ") == rule]
    option = next(iter((*of_rule, *options_by_name.values())), None)
    if option is None:
        return "these rules leave nothing open."
    value = next((choice for choice in option.values or () if choice != option.default), "…")
    number = option.rule.removeprefix(f"{system.cite} ")
    return f"campaign rules --preview {number} {option.name}={as_written(value)}"


def _write_rows(screen: Screen, book: Rulebook, paragraphs: Iterable[LivingParagraph], form: Format) -> None:
    if form is Format.md:
        from cli.pages import rulebook as pages

        screen.raw(pages.paragraphs(book, paragraphs))
        return
    rows = map(_row, paragraphs)
    write_rows(screen, rows, form, ("rule", "title", "summary", "modelled", "options"))


def _row(paragraph: LivingParagraph) -> dict[str, Any]:
    facts = paragraph.at_hand
    return {
        "rule": paragraph.cited,
        "title": paragraph.title,
        "summary": paragraph.text,
        "modelled": paragraph.modelled,
        "reason": paragraph.reason,
        "background": paragraph.background,
        "not_in_source": list(paragraph.not_in_source),
        "options": {option.name: option.value for option in paragraph.options},
        **({"facts": [dict(zip(facts[0], row, strict=True)) for row in facts[1:]]} if facts else {}),
        "own": paragraph.own,
        "in_force": paragraph.in_force,
        "wordings": msgspec.to_builtins(paragraph.wordings),
        "history": msgspec.to_builtins(paragraph.history),
    }


def _list_trials(screen: Screen, book: Rulebook, form: Format) -> None:
    trials = [trial for trial in book.trials if trial.came_to == "open"]
    if form is Format.text:
        print_trials(screen, book, trials)
    else:
        rows = [{**msgspec.to_builtins(trial.remark), "due": trial.due} for trial in trials]
        write_rows(screen, rows, form, ("ruling", "rule", "text", "turn", "session", "review", "due"))


def _print_trial(screen: Screen, book: Rulebook, trial: Trial, form: Format) -> None:
    shares = msgspec.to_builtins(trial.evidence.shares) if trial.evidence is not None else []
    match form:
        case Format.text:
            print_trial(screen, book, trial)
        case Format.json:
            screen.json(msgspec.to_builtins(trial) | {"by_session_and_character": shares})
        case _:
            write_rows(screen, shares, form, ("session", "character", "turns"))
