"""History and notes: how a rule came to be played as it is, read from the log.

Nothing vanishes: what was amended, undone or ended stays, with the turn that changed it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.common.notes import Noted
from domain.common.paragraphs import ParagraphAdded, ParagraphRevised, ParagraphWithdrawn
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
from domain.log.port import Log
from domain.registry import system_of
from domain.system.ruled import Holding, holdings
from domain.turn import Event, Turn, TurnRedecided


class Remark(Struct, frozen=True):
    """One entry in the history of a rule. `no_longer` says why it no longer holds; None: it still does."""

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
    #: those of its options that it still sets
    in_force: dict[str, Any] = {}
    #: whether a later turn replaced its words, or undid it
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
    #: what a trial came to, as the book of its own campaign told it where it was adopted or ended
    evidence: str | None = None
    supersedes: int | None = None
    disputed: bool = False
    #: when and where the session was held, as it was recorded
    date: str | None = None
    place: str | None = None
    #: the turn that amended it into these words; None: they are those of its own turn
    amended_by: int | None = None
    #: the turn directly after which it was entered late
    late: int | None = None
    #: the campaign in whose log it stands; None: this one
    campaign: str | None = None

    @property
    def on_trial(self) -> bool:
        """Whether it is a ruling that is still being tried."""
        return self.trial and self.kept_by is None and self.no_longer is None


#: What has a place in the history of a rule.
ABOUT_RULES = (RulingMade, RulingKept, RulingEnded, Noted, ParagraphAdded, ParagraphRevised, ParagraphWithdrawn)
#: What is looked for in a log beside it: what came from another campaign, and when and where an evening was.
LOOKED_FOR: frozenset[type] = frozenset((*ABOUT_RULES, CampaignStarted, SessionOpened))
#: What a turn came to be by the word of a later one: the turn that says so, and its word.
Retold = tuple[Turn, TurnRedecided]


def remarks(log: Log, rule: str | None = None, upto: int | None = None) -> list[Remark]:
    """Everything that was said about a rule (None: about any), in the order in which it counts.

    A ruling that counts from earlier on stands where it was made.
    """
    effective = effective_history(log, upto)
    retold: dict[int, list[Retold]] = {}
    for speaker in revising_turns(log, upto=upto):
        for word in speaker.events:
            if isinstance(word, TurnRedecided):
                retold.setdefault(word.turn, []).append((speaker, word))
    evenings: dict[int, SessionOpened] = {}
    inherited: list[Remark] = []
    found: list[tuple[tuple[int, ...], EffectiveTurn]] = []
    for told in effective_turns(log, upto, effective):
        number = told.turn.number
        kinds = set(map(type, told.facts))
        if number in retold:
            kinds.update(map(type, told.turn.facts), *(map(type, word.events) for _, word in retold[number]))
        if kinds.isdisjoint(LOOKED_FOR):  # as nearly every turn of a long log
            continue
        for fact in told.facts:
            if isinstance(fact, CampaignStarted):
                inherited += _inherited(fact, told.turn.moment)
            if isinstance(fact, SessionOpened) and told.standing:
                evenings[fact.number] = fact
        if not kinds.isdisjoint(ABOUT_RULES):
            found.append((effective.way(number) if since_of(told.action) is None else (number,), told))
    found.sort(key=lambda each: each[0])
    turns = [told for _, told in found]
    held = holdings(state_at(system_of(log.rules), log, upto).campaign.rulings)
    context = _Context(effective, held, _endings(turns), _keepings(turns), _rules_of(turns, retold), evenings)
    every = inherited
    for told in turns:
        every += _readings(told, retold.get(told.turn.number, ()), context)
    return [remark for remark in every if rule is None or remark.rule == rule]


def _inherited(fact: CampaignStarted, begun: datetime) -> Iterator[Remark]:
    """What was said of the paragraphs in the campaign that they were taken over from."""
    for paragraph in fact.inherits.paragraphs if fact.inherits else ():
        for remark in paragraph.history:
            said = {name: getattr(remark, name) for name in remark.__struct_fields__ if name != "at"}
            try:
                at = datetime.fromisoformat(remark.at)
            except ValueError:  # a stranger may have written it
                at = begun
            yield Remark(at=at, rule=paragraph.rule, **said)


class _Context(Struct, frozen=True):
    """What has to be known of the whole log to tell what became of one remark."""

    effective: EffectiveHistory
    held: Mapping[int, Holding]
    #: ruling -> the turn that ended it, and why
    ended: Mapping[int, tuple[int, str | None]]
    #: ruling -> the turn that adopted it
    kept: Mapping[int, int]
    #: ruling -> the rule that it is about
    rules: Mapping[int, str]
    evenings: Mapping[int, SessionOpened]


def _endings(turns: Sequence[EffectiveTurn]) -> dict[int, tuple[int, str | None]]:
    return {
        event.ruling: (told.turn.number, event.why)
        for told in turns
        if told.standing
        for event in told.facts
        if isinstance(event, RulingEnded)
    }


def _keepings(turns: Sequence[EffectiveTurn]) -> dict[int, int]:
    return {
        event.ruling: told.turn.number
        for told in turns
        if told.standing
        for event in told.facts
        if isinstance(event, RulingKept)
    }


def _rules_of(turns: Sequence[EffectiveTurn], retold: Mapping[int, Sequence[Retold]]) -> dict[int, str]:
    found: dict[int, str] = {}
    for told in turns:
        readings = [told.turn.facts, *(word.events for _, word in retold.get(told.turn.number, ())), told.facts]
        for event in (event for facts in readings for event in facts):
            if isinstance(event, RulingMade):
                found[event.number] = event.rule
    return found


def _readings(told: EffectiveTurn, retold: Sequence[Retold], context: _Context) -> Iterator[Remark]:
    """What a turn says about rules in each of the readings that it ever had, the one in force last."""
    undone = context.effective.undone
    by: int | None = None
    facts = told.turn.facts
    for speaker, word in retold:
        if word.events == facts:
            continue
        if speaker.number in undone:
            why = f"T{speaker.number}, which says so, is undone by T{undone[speaker.number]}"
            yield from _struck(told, word.events, context, speaker.number, why)
        else:
            yield from _struck(told, facts, context, by, f"amended by T{speaker.number}")
            by, facts = speaker.number, word.events
    lost = f"undone by T{told.undone_by}" if told.undone_by is not None else None
    for remark in _about(told, told.facts, context):
        if remark.ruling is None or lost is not None:
            yield replace(remark, amended_by=by, no_longer=lost, struck=lost is not None)
            continue
        holding = context.held.get(remark.ruling)
        in_force = dict(holding.options) if holding is not None else {}
        no_longer = _why_no_longer(holding, context.ended, remark.ruling)
        yield replace(remark, amended_by=by, no_longer=no_longer, in_force=in_force)


def _struck(
    told: EffectiveTurn, facts: Sequence[Event], context: _Context, by: int | None, why: str
) -> Iterator[Remark]:
    for remark in _about(told, facts, context):
        yield replace(remark, amended_by=by, no_longer=why, struck=True)


def _about(told: EffectiveTurn, facts: Sequence[Event], context: _Context) -> Iterator[Remark]:
    """What one reading of a turn says about rules."""
    turn, evening = told.turn, context.evenings.get(told.session)
    for event in facts:
        of = event.ruling if isinstance(event, RulingKept | RulingEnded) else None
        rule = context.rules.get(of) if of is not None else getattr(event, "rule", None)
        if not isinstance(event, ABOUT_RULES) or rule is None:
            continue
        remark = Remark(
            turn=turn.number,
            session=told.session,
            at=turn.moment,
            by=turn.by,
            text=getattr(event, "text", None) or "",
            rule=rule,
            why=getattr(event, "why", None),
            kind=str(event.__struct_config__.tag).rpartition(".")[2],
            of=of,
            title=getattr(event, "title", None) or None,
            because=getattr(event, "because", None) or (),
            date=evening.date if evening else None,
            place=evening.place if evening else None,
            late=told.place if since_of(told.action) is None else None,
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
                kept_by=context.kept.get(event.number),
                supersedes=event.supersedes or None,
            )
        yield remark


def _why_no_longer(holding: Holding | None, ended: Mapping[int, tuple[int, str | None]], ruling: int) -> str | None:
    """Why a ruling that stands does not hold, None if it does. One of which nothing is left at all has ended."""
    if holding is not None:
        return None if holding.in_force else f"superseded by R{holding.superseded_by}"
    turn, why = ended[ruling]
    return f"ended at T{turn}{f': {why}' if why else ''}"
