"""The rules on the terminal: the list of paragraphs, one paragraph with its history, and the evidence of trials."""

from collections.abc import Sequence

from cli.terminal.answers import TOLD_THE_SAME
from cli.terminal.remarks import not_in_source, original, remark_in_words, wording_in_words
from cli.terminal.screen import Screen, Span
from cli.terminal.table import print_columns
from domain.common.rulings import review_to_come
from domain.naming import capitalised, ended, letters, listed
from domain.values import in_words
from projections.rule_history import Remark
from projections.trials import Evidence
from projections.views.rulebook import LivingParagraph, Rulebook, Trial


def print_all(screen: Screen, paragraphs: Sequence[LivingParagraph]) -> None:
    """Print the paragraphs by title, each with its options and their values in force."""
    margin = max((len(paragraph.cited) for paragraph in paragraphs), default=0) + 2
    for paragraph in paragraphs:
        notes = f"  ({len(paragraph.history)} in its history)" if paragraph.history else ""
        style = "" if paragraph.in_force else "dim strike"
        status = "" if paragraph.in_force else "  withdrawn"
        number = Span(f"{paragraph.cited:<{margin}}", "cyan")
        screen.line(number, Span(paragraph.title, style), Span(f"{status}{notes}", "dim"), indent=margin)
        for option in paragraph.options:
            default = "" if option.value == option.default else f" (default {in_words(option.default)})"
            name = f"{option.name} = {in_words(option.value)}"
            screen.line(" " * margin, name, Span(default, "yellow"), indent=margin + 2)
    if not paragraphs:
        screen.line("No paragraph matches.")
        return
    screen.line()
    first = paragraphs[0].rule
    screen.line(f"Next: {screen.program}rules {first} shows one rule with its history and notes.")


def print_rule(screen: Screen, book: Rulebook, paragraph: LivingParagraph) -> None:
    """Print one paragraph as it is played, and its history."""
    screen.line(Span(f"{paragraph.cited}  {paragraph.title}", "bold"))
    if letters(paragraph.text) != letters(paragraph.title):
        screen.line(paragraph.text, indent=0)
    if wording := wording_in_words(paragraph):
        screen.line(Span(ended(capitalised(wording)), "dim"))
    if not paragraph.in_force:
        still = " The log decides as before; only options and overrides change that." if paragraph.modelled else ""
        by = f" by T{paragraph.withdrawn_by}" if paragraph.withdrawn_by is not None else ""
        screen.line(Span(f"Withdrawn{by}.{still}", "yellow"), indent=0)
    if paragraph.not_in_source:
        screen.line(Span(not_in_source(paragraph), "dim"), indent=0)
    if paragraph.reason:
        screen.line(Span(f"Left to the table: {paragraph.reason}", "dim"), indent=0)
    for ruling in paragraph.rulings:
        if not ruling.set:
            mark = " (on trial)" if ruling.on_trial else ""
            screen.line(Span(f"{remark_in_words(ruling).what}{mark}: ", "bold"), ended(ruling.text))
    for option in paragraph.options:
        screen.line()
        screen.line(Span(f"{option.name} = {in_words(option.value)}", "bold"), f"  {option.meaning}")
        others = [in_words(value) for value in option.values or () if value != option.default]
        also = f"; also {listed(others)}" if others else ""
        by = f"; set by R{option.ruling}" if option.ruling is not None else ""
        screen.line(Span(f"  default {in_words(option.default)}{also}{by}", "dim"))
    if paragraph.at_hand:
        screen.line()
        print_columns(screen, paragraph.at_hand, screen.columns if screen.laid_out else None)
    screen.line()
    screen.line(Span("History and notes", "bold"))
    if paragraph.background:
        screen.line(paragraph.background, indent=0)
    if paragraph.original is not None:
        what, words = original(paragraph.original)
        screen.line(Span(f"- {what}: ", "cyan"), words)
    for remark in paragraph.history:
        _print_remark(screen, remark, book.evidence_at(remark))
    for earlier in paragraph.wordings[:-1]:
        if earlier.played is not None:
            what = f"Wording {earlier.version}{f', of T{earlier.turn},' if earlier.turn else ''} was"
            screen.line(Span(f"{what} {ended(str(earlier.played))}", "dim"))
    if not paragraph.history:
        screen.line(Span("Nothing in this campaign yet.", "dim"))


def _print_remark(screen: Screen, remark: Remark, evidence: Evidence | None) -> None:
    entry = remark_in_words(remark)
    style = "dim strike" if remark.no_longer else ""
    line: list[Span | str] = [
        Span(f"- {entry.what} ({entry.where}){': ' if entry.words else '.'}", "cyan"),
        Span(entry.words, style),
        *([Span(f" {' '.join(entry.marks)}", "yellow")] if entry.marks else []),
        *([Span(f" Why: {entry.why}", style)] if entry.why else []),
        *([Span(f" [{entry.sets}]", style)] if entry.sets else []),
        *([f" {' '.join(entry.more)}"] if entry.more else []),
        *([f" {evidence.sentence()}"] if evidence is not None else []),
        *([Span(f" {entry.no_longer}", "yellow")] if entry.no_longer else []),
    ]
    screen.line(*line)


# -- trials ------------------------------------------------------------------------------------------------


def print_trials(screen: Screen, book: Rulebook, trials: Sequence[Trial]) -> None:
    for trial in trials:
        entry = remark_in_words(trial.remark)
        due = Span(" Due now.", "yellow") if trial.due else ""
        citation = f"{book.cite} {trial.remark.rule}"
        who = Span(f"{entry.what} on {citation} ({entry.where}): ", "cyan")
        line: list[Span | str] = [who, entry.words, " ", entry.marks[0], due]
        screen.line(*line)
    if not trials:
        screen.line("Nothing is on trial.")
    else:
        screen.line(f"Next: {screen.program}rules --trial R{trials[0].remark.ruling} shows what came of it so far.")


def print_trial(screen: Screen, book: Rulebook, trial: Trial) -> None:
    """Print the evidence of a trial: by session and character, turn by turn, and the sheets at the end."""
    evidence = trial.evidence
    if evidence is None:
        return
    remark = trial.remark
    entry = remark_in_words(remark)
    screen.line(Span(f"{entry.what} on {book.cite} {remark.rule} ({entry.where}): {entry.words}", "bold"))
    state = (
        f"On trial{review_to_come(remark.review)}{': due now' if trial.due else ''}."
        if trial.came_to == "open"
        else "It is in force."
        if trial.came_to == "in force"
        else f"It is over: {ended(trial.came_to)}"
    )
    screen.line(state)
    screen.line(evidence.sentence())
    if not remark.set:
        screen.line(Span("It sets no option, so it changes nothing in the log; look at the notes.", "dim"))
    if evidence.shares:
        screen.line()
        widest = max(len(share.character) for share in evidence.shares)
        screen.line(Span(f"session  {'character':<{max(widest, 9)}}  turns that would read differently", "bold"))
        for share in evidence.shares:
            screen.line(f"{share.session:>7}  {share.character:<{max(widest, 9)}}  {share.turns}")
    by_title = {"What happened under it": evidence.differing, "Before it, if it had counted then": evidence.earlier}
    for title, turns in by_title.items():
        if turns:
            screen.line()
            screen.line(Span(title, "bold"))
        for turn in turns:
            margin = len(f"T{turn.turn}") + 2
            under = turn.under or "it would not have happened"
            without = turn.without or "it would not have happened"
            number = Span(f"T{turn.turn}  ", "cyan")
            if under == without:  # a deck in another order, say
                screen.line(number, f"{TOLD_THE_SAME}: ", under, indent=margin)
                continue
            screen.line(number, "under it:   ", under, indent=margin + 12)
            screen.line(" " * margin, "without it: ", without, indent=margin + 12)
    if remark.set:
        screen.line()
        screen.line(Span("Sheets at the end", "bold"))
        for name, fields in evidence.sheets.items():
            screen.line(Span(f"{name}: ", "bold"), fields)
        if not evidence.sheets:
            screen.line("They would be the same without it.")
    if trial.came_to == "open":
        screen.line()
        screen.line(f"Next: {screen.program}ruling keep R{remark.ruling}")
        screen.line(f"or:   {screen.program}ruling end R{remark.ruling} --why …")
