"""The history of rules: a projection of rulings, notes and changed paragraphs.

Nothing is dropped: what was amended, undone or ended stays in the history, with the turn that changed it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.common.notes import Noted
from domain.common.paragraphs import ParagraphAdded, ParagraphRevised, ParagraphWithdrawn
from domain.common.revisions import Amend
from domain.common.rulings import RulingEnded, RulingKept, RulingMade
from domain.common.sessions import SessionOpened
from domain.common.start import CampaignStarted
from domain.log.effective_history import (
    EffectiveHistory,
    EffectiveTurn,
    effective_history,
    effective_turns,
    revising_turns,
    since_of,
)
from domain.log.folding import state_at
from domain.log.points import session_turns
from domain.log.port import Log
from domain.registry import system_of
from domain.system.rulings_in_force import Holding, holdings
from domain.turn import Event, TurnRedecided


class Remark(Struct, frozen=True):
    """One entry in the history of a rule. `no_longer`: why it is not in force; None if it is."""

    turn: int
    session: int
    at: datetime
    by: str | None
    text: str
    rule: str
    ruling: int | None = None
    why: str | None = None
    trial: bool = False
    set: dict[str, Any] = {}
    since: int | None = None
    no_longer: str | None = None
    #: the options that it still sets
    in_force: dict[str, Any] = {}
    #: whether a later turn replaced its text, or undid it
    struck: bool = False
    #: "ruling", "kept" and "ended" (of a ruling), "note", "added", "revised", "withdrawn" (of the paragraph)
    kind: str = "note"
    #: the ruling that was kept or ended
    of: int | None = None
    title: str | None = None
    because: tuple[int, ...] = ()
    review: int | str | None = None
    #: the turn that adopted what was tried
    kept_by: int | None = None
    #: the evidence of a trial, in the words of its own campaign's rulebook when it was adopted or ended
    evidence: str | None = None
    supersedes: int | None = None
    disputed: bool = False
    #: date and place of the session
    date: str | None = None
    place: str | None = None
    #: the turn that amended the text; None if it is the original one
    amended_by: int | None = None
    #: the turn directly after which it was entered late
    late: int | None = None
    #: the campaign whose log has it; None: this one
    campaign: str | None = None

    @property
    def on_trial(self) -> bool:
        """Whether it is a ruling whose trial is open."""
        return self.trial and self.kept_by is None and self.no_longer is None


#: The events of the history of a rule.
ABOUT_RULES = (RulingMade, RulingKept, RulingEnded, Noted, ParagraphAdded, ParagraphRevised, ParagraphWithdrawn)
#: These and the event for inherited paragraphs.
LOOKED_FOR: frozenset[type] = frozenset((*ABOUT_RULES, CampaignStarted))
#: The number of a revising turn, and its event about the outcome of an earlier turn.
Redecision = tuple[int, TurnRedecided]


def remarks(log: Log, rule: str | None = None, upto: int | None = None) -> list[Remark]:
    """The history of a rule (None: of all rules), in folding order; rulings with `since` are where they were made."""
    upto = log.last() if upto is None else upto
    effective = effective_history(log, upto)
    in_force = holdings(state_at(system_of(log.rules), log, upto).campaign.rulings)
    redecisions = _redecisions(log, upto)
    evenings = {
        event.number: event
        for turn in session_turns(log, upto, effective)
        for event in effective.facts(turn)
        if isinstance(event, SessionOpened)
    }
    inherited_remarks: list[Remark] = []
    about_rules: list[EffectiveTurn] = []
    for turn in effective_turns(log, upto, effective):
        number = turn.number
        readings = [turn.facts] if turn.redecided_by is None else [turn.facts, turn.turn.facts]
        if number not in redecisions and not any(type(fact) in LOOKED_FOR for facts in readings for fact in facts):
            continue  # as nearly every turn of a long log
        about_rules.append(turn)
        for fact in turn.facts:
            if isinstance(fact, CampaignStarted):
                inherited_remarks += _inherited_remarks(fact, turn.turn.moment)

    def fold_path(turn: EffectiveTurn) -> tuple[int, ...]:
        return effective.fold_path(turn.number) if since_of(turn.action) is None else (turn.number,)

    context = _Context(effective, in_force, *_ends_of(about_rules), _rules_of(about_rules, redecisions), evenings)
    of_turns = (
        _readings(turn, redecisions.get(turn.number, ()), context) for turn in sorted(about_rules, key=fold_path)
    )
    every = chain(inherited_remarks, *of_turns)
    return [remark for remark in every if rule is None or remark.rule == rule]


def _redecisions(log: Log, upto: int) -> dict[int, list[Redecision]]:
    """The outcomes of each turn that revising turns tell, undone or not, oldest first; of no turn of the game alone.

    A revision may have decided every turn again, of which few are about rules. A turn that is about a rule comes out
    as one that is not only where its action was amended.
    """
    redecisions: dict[int, list[Redecision]] = {}
    for revising in revising_turns(log, upto=upto):
        amended_turns = revising.action.new_actions if isinstance(revising.action, Amend) else ()
        for event in revising.events:
            # a note has a place in the history of a rule only if it names one
            if isinstance(event, TurnRedecided) and (
                event.turn in amended_turns
                or any(
                    isinstance(fact, ABOUT_RULES) and not (isinstance(fact, Noted) and fact.rule is None)
                    for fact in event.events
                )
            ):
                redecisions.setdefault(event.turn, []).append((revising.number, event))
    return redecisions


def _inherited_remarks(fact: CampaignStarted, start: datetime) -> Iterator[Remark]:
    """The history of inherited paragraphs, from the campaign that they come from."""
    for paragraph in fact.inherits.paragraphs if fact.inherits else ():
        for remark in paragraph.history:
            fields = {name: getattr(remark, name) for name in remark.__struct_fields__ if name != "at"}
            try:
                at = datetime.fromisoformat(remark.at)
            except ValueError:  # the file may have been written by another program
                at = start
            yield Remark(at=at, rule=paragraph.rule, **fields)


class _Context(Struct, frozen=True):
    """The facts of the whole log that decide whether a remark is in force."""

    effective: EffectiveHistory
    holdings: Mapping[int, Holding]
    #: ruling -> the turn that ended it, and why
    endings: Mapping[int, tuple[int, str | None]]
    #: ruling -> the turn that adopted it
    keepings: Mapping[int, int]
    #: ruling -> the rule that it is about
    rules: Mapping[int, str]
    evenings: Mapping[int, SessionOpened]


def _ends_of(turns: Sequence[EffectiveTurn]) -> tuple[dict[int, tuple[int, str | None]], dict[int, int]]:
    """The endings and the keepings, as the context has them."""
    endings, keepings = {}, {}
    for turn in turns:
        for fact in turn.facts if turn.standing else ():
            if isinstance(fact, RulingEnded):
                endings[fact.ruling] = turn.number, fact.why
            elif isinstance(fact, RulingKept):
                keepings[fact.ruling] = turn.number
    return endings, keepings


def _rules_of(turns: Sequence[EffectiveTurn], redecisions: Mapping[int, Sequence[Redecision]]) -> dict[int, str]:
    rules: dict[int, str] = {}
    for turn in turns:
        readings = [
            turn.turn.facts,
            *(redecision.events for _, redecision in redecisions.get(turn.number, ())),
            turn.facts,
        ]
        for event in (event for facts in readings for event in facts):
            if isinstance(event, RulingMade):
                rules[event.number] = event.rule
    return rules


def _readings(turn: EffectiveTurn, redecisions: Sequence[Redecision], context: _Context) -> Iterator[Remark]:
    """The remarks of a turn in each of its outcomes so far, the effective one last."""
    undone_turns = context.effective.undone_by
    amended_by: int | None = None
    facts = turn.turn.facts
    for revising, redecision in redecisions:
        if redecision.events == facts:
            continue
        if revising in undone_turns:
            why = f"T{revising}, which says so, is undone by T{undone_turns[revising]}"
            yield from _without_effect(turn, redecision.events, context, revising, why)
        else:
            yield from _without_effect(turn, facts, context, amended_by, f"amended by T{revising}")
            amended_by, facts = revising, redecision.events
    taken_back = f"undone by T{turn.undone_by}" if turn.undone_by is not None else None
    for remark in _about(turn, turn.facts, context):
        if remark.ruling is None or taken_back is not None:
            yield replace(remark, amended_by=amended_by, no_longer=taken_back, struck=taken_back is not None)
            continue
        holding = context.holdings.get(remark.ruling)
        if holding is None:
            ended_by, reason = context.endings[remark.ruling]
            ended = f"ended at T{ended_by}{f': {reason}' if reason else ''}"
            yield replace(remark, amended_by=amended_by, no_longer=ended, in_force={})
        else:
            superseded = None if holding.in_force else f"superseded by R{holding.superseded_by}"
            yield replace(remark, amended_by=amended_by, no_longer=superseded, in_force=dict(holding.options))


def _without_effect(
    turn: EffectiveTurn, facts: Sequence[Event], context: _Context, amended_by: int | None, why: str
) -> Iterator[Remark]:
    for remark in _about(turn, facts, context):
        yield replace(remark, amended_by=amended_by, no_longer=why, struck=True)


def _about(current: EffectiveTurn, facts: Sequence[Event], context: _Context) -> Iterator[Remark]:
    """The remarks in one outcome of a turn."""
    turn, evening = current.turn, context.evenings.get(current.session)
    for event in facts:
        ruling = event.ruling if isinstance(event, RulingKept | RulingEnded) else None
        rule = context.rules.get(ruling) if ruling is not None else getattr(event, "rule", None)
        if not isinstance(event, ABOUT_RULES) or rule is None:
            continue
        remark = Remark(
            turn=turn.number,
            session=current.session,
            at=turn.moment,
            by=turn.by,
            text=getattr(event, "text", None) or "",
            rule=rule,
            why=getattr(event, "why", None),
            kind=str(event.__struct_config__.tag).rpartition(".")[2],
            of=ruling,
            title=getattr(event, "title", None) or None,
            because=getattr(event, "because", None) or (),
            date=evening.date if evening else None,
            place=evening.place if evening else None,
            late=current.place if since_of(current.action) is None else None,
        )
        if isinstance(event, Noted):
            remark = replace(remark, kind="note", disputed=bool(event.disputed))
        elif isinstance(event, RulingMade):
            remark = replace(
                remark,
                kind="ruling",
                ruling=event.number,
                trial=event.trial,
                set=event.set,
                since=event.since,
                review=event.review or None,
                kept_by=context.keepings.get(event.number),
                supersedes=event.supersedes or None,
            )
        yield remark
