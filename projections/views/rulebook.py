"""The rulebook of a campaign: every paragraph as it is in force now, with its history."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from domain.common.inheritance import Inheritance, InheritedParagraph, InheritedRemark
from domain.common.rulings import trials_due
from domain.common.start import CampaignStarted
from domain.log.folding import state_at
from domain.log.port import Log, turn_in
from domain.naming import folded, quantity
from domain.system.options import Option, options_of
from domain.system.paragraphs import Paragraph, citation, paragraphs_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from projections.rule_history import Remark, remarks
from projections.trials import Evidence
from projections.views.view import View


class PlayCount(Struct, frozen=True):
    """The number of turns played under a wording, and the first and last session with one."""

    turns: int
    first: int
    last: int

    def __str__(self) -> str:
        sessions = f"S{self.first}" if self.first == self.last else f"S{self.first} to S{self.last}"
        return f"played in {quantity(self.turns, 'turn')}, {sessions}"


class Wording(Struct, frozen=True):
    """One wording that a paragraph had or has. `turn` None: the wording of the rules."""

    version: int
    title: str
    text: str
    turn: int | None = None
    played: PlayCount | None = None


class OptionInForce(Struct, frozen=True):
    """An option with the value in force, and the ruling that set it."""

    name: str
    rule: str
    value: Any
    default: Any
    values: tuple[Any, ...] | None
    meaning: str
    ruling: int | None = None


class LivingParagraph(Struct, frozen=True):
    """One paragraph in force, with its history. `rule` is its number, `cited` its citation."""

    rule: str
    cited: str
    title: str
    text: str
    #: whether it is the group's own
    own: bool
    in_force: bool = True
    #: the turn that withdrew it; None if it was withdrawn in the campaign that it comes from
    withdrawn_by: int | None = None
    #: the campaign from which its first wording was inherited
    inherited: str | None = None
    modelled: bool = True
    reason: str = ""
    background: str = ""
    #: what the wording in force adds to the source of the rules
    not_in_source: tuple[str, ...] = ()
    #: the wording of the rules, if another one is in force
    original: Wording | None = None
    #: its JSON key is `facts`
    at_hand: tuple[tuple[str, ...], ...] = field(default=(), name="facts")
    options: tuple[OptionInForce, ...] = ()
    wordings: tuple[Wording, ...] = ()
    history: tuple[Remark, ...] = ()

    @property
    def rulings(self) -> tuple[Remark, ...]:
        """The rulings on it that are in force."""
        return tuple(remark for remark in self.history if remark.kind == "ruling" and remark.no_longer is None)

    @property
    def disputes(self) -> tuple[Remark, ...]:
        """The notes that dispute it."""
        return tuple(remark for remark in self.history if remark.disputed and remark.no_longer is None)

    def says(self, words: Sequence[str]) -> bool:
        """Whether all of these words occur in it or in its history."""
        history = (part for remark in self.history for part in (remark.text, remark.why, remark.title))
        options = (part for option in self.options for part in (option.name, option.meaning))
        parts = (self.cited, self.title, self.text, self.reason, self.background, *options, *history)
        whole = folded(" ".join(part for part in parts if part))
        return all(folded(word) in whole for word in words)


class SessionEntry(Struct, frozen=True):
    """A standing session with its title, date and place."""

    session: int
    title: str | None
    date: str | None
    place: str | None


class MentionedTurn(Struct, frozen=True):
    """A turn that the book mentions."""

    turn: int
    session: int
    at: datetime
    by: str | None
    sentence: str
    standing: bool


class Trial(Struct, frozen=True):
    """A ruling on trial, its outcome so far, and its evidence."""

    remark: Remark
    #: "open", "kept at T40", or why it is not in force; "in force" for a ruling that was not made on trial
    came_to: str
    due: bool = False
    evidence: Evidence | None = None


class Rulebook(Struct, frozen=True):
    """The rules of one campaign at one point of its log."""

    campaign: str
    id: str
    rules: str
    cite: str
    turn: int
    session: int
    at: datetime
    paragraphs: tuple[LivingParagraph, ...]
    trials: tuple[Trial, ...] = ()
    sessions: tuple[SessionEntry, ...] = ()
    turns: tuple[MentionedTurn, ...] = ()

    def evidence_at(self, remark: Remark) -> Evidence | None:
        """The evidence of the trial that a remark of this campaign adopts or ends; else None."""
        if remark.of is None or remark.no_longer is not None or remark.campaign is not None:
            return None
        return next((trial.evidence for trial in self.trials if trial.remark.ruling == remark.of), None)

    @property
    def options(self) -> tuple[OptionInForce, ...]:
        return tuple(option for paragraph in self.paragraphs for option in paragraph.options)


#: (a trial, the turns under it, the turn that adopted or ended it) -> its evidence.
Weighing = Callable[[Remark, Sequence[int], int | None], Evidence | None]
EVENINGS = "SELECT session, title, date, place FROM sessions ORDER BY session"


def rulebook_of(
    system: RuleSystem,
    log: Log,
    upto: int,
    view: View | None = None,
    weigh: Weighing | None = None,
    ruling: int | None = None,
) -> Rulebook:
    """The book as it was when turn `upto` was the last one.

    `view`, of the same point, provides what was played under which wording; without it that is left out. `weigh`
    computes the evidence of the trials; without it they are listed without evidence. A `ruling` that sets an option is
    among the trials even if it was not made on trial.
    """
    state = state_at(system, log, upto)
    every_remark = remarks(log, None, upto)
    last = turn_in(log, upto)
    paragraphs = tuple(_paragraphs(system, log, state, every_remark, _play_counts(view)))
    trials = tuple(_trials(state, every_remark, last.moment.date(), view, weigh, ruling))
    return Rulebook(
        campaign=state.campaign.name,
        id=log.campaign_id,
        rules=system.key,
        cite=system.cite,
        turn=upto,
        session=state.campaign.session or 0,
        at=last.moment,
        paragraphs=paragraphs,
        trials=trials,
        sessions=tuple(SessionEntry(*row) for row in view.ask(EVENINGS)) if view is not None else (),
        turns=_mentions(view, paragraphs, trials),
    )


def _paragraphs(
    system: RuleSystem, log: Log, state: Game, every_remark: Sequence[Remark], counts: dict[tuple[str, int], PlayCount]
) -> Iterable[LivingParagraph]:
    built_in = paragraphs_of(system.key)
    options = options_of(system.options)
    of_rule: dict[str, list[Remark]] = {}
    for remark in every_remark:
        of_rule.setdefault(remark.rule, []).append(remark)
    taken_over, source = _inheritance(log)
    own = [rule for rule in dict.fromkeys((*taken_over, *of_rule)) if rule not in built_in]
    numbers = {*built_in, *state.campaign.paragraphs}
    for rule in (*built_in, *own):
        history = of_rule.get(rule, [])
        first, before = built_in.get(rule), taken_over.get(rule)
        original = (before.title or "", before.text) if before is not None and before.text else None
        if original is None and first is not None:
            original = first.title, first.summary
        wordings = list(_wordings(citation(system, rule), original, history, counts))
        if not wordings:  # its addition was undone
            words = next(((each.title or "", each.text) for each in history if each.kind == "added"), ("", ""))
            wordings = [Wording(0, *words)]
        here = [remark for remark in history if remark.campaign is None]
        withdrawals = [remark.turn for remark in here if remark.kind == "withdrawn" and remark.no_longer is None]
        is_withdrawn = rule in state.campaign.withdrawn
        undone_additions = [remark.turn for remark in here if remark.kind == "added"] if rule not in numbers else []
        paragraph = first or Paragraph(title="", summary="")
        yield LivingParagraph(
            rule=rule,
            cited=citation(system, rule),
            title=wordings[-1].title,
            text=wordings[-1].text,
            own=first is None,
            in_force=rule in numbers and not is_withdrawn,
            inherited=source if before is not None and before.text else None,
            withdrawn_by=withdrawals[-1]
            if is_withdrawn and withdrawals
            else undone_additions[-1]
            if undone_additions
            else None,
            modelled=paragraph.modelled and first is not None,
            reason=paragraph.reason,
            background=paragraph.background,
            not_in_source=paragraph.not_in_source if _original(first, wordings) is None else (),
            original=_original(first, wordings),
            at_hand=tuple(tuple(row) for row in system.reference_table(rule)),
            options=tuple(_choice(option, state, history) for option in options.values() if option.rule == rule),
            wordings=tuple(wordings),
            history=tuple(history),
        )


def _inheritance(log: Log) -> tuple[dict[str, InheritedParagraph], str | None]:
    """The paragraphs that turn 1 inherited, by number, and the campaign that they come from."""
    for turn in log.read(upto=1):
        for fact in turn.facts:
            if isinstance(fact, CampaignStarted) and fact.inherits:
                return {paragraph.rule: paragraph for paragraph in fact.inherits.paragraphs}, fact.inherits.campaign
    return {}, None


def _wordings(
    cite: str,
    original: tuple[str, str] | None,
    history: Sequence[Remark],
    counts: dict[tuple[str, int], PlayCount],
) -> Iterable[Wording]:
    """The wordings of a paragraph by standing turns, the one in force last."""
    now: Wording | None = None
    if original is not None:
        now = Wording(1, *original, None, counts.get((cite, 1)))
        yield now
    for remark in history:
        if remark.campaign is not None or remark.kind not in ("added", "revised") or remark.no_longer is not None:
            continue
        version = 1 if now is None else now.version + 1
        title = remark.title or (now.title if now else "")
        text = remark.text or (now.text if now else "")
        now = Wording(version, title, text, remark.turn, counts.get((cite, version)))
        yield now


def _original(paragraph: Paragraph | None, wordings: Sequence[Wording]) -> Wording | None:
    """The wording of the rules if another one is in force; else None, as for a paragraph of the group's own."""
    now = wordings[-1]
    if paragraph is None or (now.title, now.text) == (paragraph.title, paragraph.summary):
        return None
    return Wording(1, paragraph.title, paragraph.summary)


def _choice(option: Option, state: Game, history: Sequence[Remark]) -> OptionInForce:
    ruling = next((remark.ruling for remark in reversed(history) if option.name in remark.in_force), None)
    value = getattr(state.options, option.name)
    return OptionInForce(option.name, option.rule, value, option.default, option.values, option.meaning, ruling)


def _play_counts(view: View | None) -> dict[tuple[str, int], PlayCount]:
    if view is None:
        return {}
    rows = view.ask(
        "SELECT under.rule, version, count(DISTINCT under.turn), min(session), max(session)"
        " FROM under JOIN turns USING (turn) GROUP BY under.rule, version"
    )
    return {(rule, version): PlayCount(count, first, last) for rule, version, count, first, last in rows}


def _trials(
    state: Game,
    every_remark: Sequence[Remark],
    day: date,
    view: View | None,
    weigh: Weighing | None,
    also: int | None,
) -> Iterable[Trial]:
    due = {ruling.number for ruling in trials_due(state, state.campaign.session, day)}
    here = [remark for remark in every_remark if remark.campaign is None and remark.no_longer is None]
    kept_since = {remark.of: remark.turn for remark in here if remark.kind == "kept"}
    ended_since = {remark.of: remark.turn for remark in here if remark.kind == "ended"}
    standing = {ruling.number for ruling in state.campaign.rulings}
    for remark in every_remark:
        is_asked_for = remark.trial or (remark.kind == "ruling" and remark.ruling == also and bool(remark.set))
        if not is_asked_for or remark.campaign is not None or remark.ruling not in standing or remark.struck:
            continue
        over = min(
            (turn for turn in (kept_since.get(remark.ruling), ended_since.get(remark.ruling)) if turn), default=None
        )
        open_still = over is None and remark.no_longer is None
        came_to = (
            ("open" if remark.trial else "in force")
            if open_still
            else f"kept at T{kept_since[remark.ruling]}"
            if remark.ruling in kept_since
            else str(remark.no_longer)
        )
        evidence = weigh(remark, turns_under(view, remark.ruling), over) if weigh is not None else None
        yield Trial(remark, came_to, open_still and remark.ruling in due, evidence)


def turns_under(view: View | None, ruling: int | None) -> tuple[int, ...]:
    """The turns that were played under a ruling."""
    if view is None:
        return ()
    return tuple(turn for (turn,) in view.ask("SELECT DISTINCT turn FROM under WHERE ruling = ? ORDER BY turn", ruling))


def _mentions(
    view: View | None, paragraphs: Sequence[LivingParagraph], trials: Sequence[Trial]
) -> tuple[MentionedTurn, ...]:
    """Every turn that the book mentions: those of remarks, those behind them, and those in evidence."""
    if view is None:
        return ()
    here = [remark for paragraph in paragraphs for remark in paragraph.history if remark.campaign is None]
    numbers = {turn for remark in here for turn in (remark.turn, *remark.because)}
    numbers |= {remark.amended_by for remark in here if remark.amended_by is not None}
    for trial in trials:
        if trial.evidence is not None:
            numbers |= {differing.turn for differing in (*trial.evidence.differing, *trial.evidence.earlier)}
    rows = view.ask(
        "SELECT turn, session, at, by, sentence, standing FROM turns"
        " WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY turn",
        msgspec.json.encode(sorted(numbers)).decode(),
    )
    return tuple(
        MentionedTurn(turn, session, datetime.fromisoformat(at), by, sentence, bool(standing))
        for turn, session, at, by, sentence, standing in rows
    )


def matching_paragraphs(
    book: Rulebook, *, words: Sequence[str] = (), in_force: bool = False, disputed: bool = False
) -> tuple[LivingParagraph, ...]:
    """The paragraphs that contain all of these words, and that are in force or disputed if so required."""
    return tuple(
        paragraph
        for paragraph in book.paragraphs
        if paragraph.says(words) and (not in_force or paragraph.in_force) and (not disputed or paragraph.disputes)
    )


def alone(book: Rulebook, paragraphs: Sequence[LivingParagraph]) -> Rulebook:
    """The book with only these paragraphs and their trials."""
    rules = {paragraph.rule for paragraph in paragraphs}
    return replace(book, paragraphs=tuple(paragraphs), trials=tuple(t for t in book.trials if t.remark.rule in rules))


# -- what another campaign takes over --------------------------------------------------------------------


def inheritance_of(book: Rulebook) -> Inheritance:
    """The paragraphs that differ from the rules: the group's own, reworded ones, and those with a history."""
    paragraphs = (
        _paragraph(book, paragraph)
        for paragraph in book.paragraphs
        if not paragraph.own or paragraph.wordings[-1].version
    )
    differing = tuple(
        paragraph
        for paragraph in paragraphs
        if paragraph.own or paragraph.text or paragraph.withdrawn or paragraph.history
    )
    return Inheritance(book.campaign, book.id, book.rules, book.turn, differing)


def _paragraph(book: Rulebook, paragraph: LivingParagraph) -> InheritedParagraph:
    is_own_wording = paragraph.own or len(paragraph.wordings) > 1 or paragraph.inherited
    return InheritedParagraph(
        rule=paragraph.rule,
        title=paragraph.title if is_own_wording else None,
        text=paragraph.text if is_own_wording else None,
        own=paragraph.own,
        withdrawn=not paragraph.in_force,
        history=tuple(_remark(book, remark) for remark in paragraph.history),
    )


def _remark(book: Rulebook, remark: Remark) -> InheritedRemark:
    """One remark; with the evidence if it adopts or ends a trial, because it needs this campaign's log."""
    fields = {
        name: getattr(remark, name) for name in InheritedRemark.__struct_fields__ if name not in ("campaign", "at")
    }
    evidence = book.evidence_at(remark)
    if evidence is not None:
        fields["evidence"] = evidence.sentence()
    return InheritedRemark(campaign=remark.campaign or book.campaign, at=remark.at.isoformat(), **fields)


def options_set(book: Rulebook) -> dict[str, object]:
    """The options whose value is another than the default."""
    return {option.name: option.value for option in book.options if option.value != option.default}
