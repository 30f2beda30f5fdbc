"""Rulings: what the group decided about a rule, which options it sets, and what later rulings leave of it."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from domain.choice import Choice
from domain.common.paragraphs import ParagraphAdd, because_of, free_number
from domain.common.revisions import Conflicts
from domain.naming import ended, listed_first
from domain.refusal import Invalid, Refusal, Unknown
from domain.system.decision import Deciding
from domain.system.options import checked_options, options_of
from domain.system.paragraphs import known_rule
from domain.system.rulings_in_force import RulingInForce, Rulings
from domain.system.state import Game, Options
from domain.system.story import Own
from domain.turn import Action, Event, Positive, Sentence, Text
from domain.values import settings

#: The end of the sentence about a ruling that there is not, before the first one.
NO_RULING_YET = "nobody has made a ruling yet."


def turn_on_record(point: str) -> int:
    """The turn that a ruling counts from, normalised to "T4"."""
    return int(point.removeprefix("T"))


class Ruling(Action, frozen=True, kw_only=True, tag="ruling"):
    """Record what the group decided about a rule."""

    rule: Annotated[
        str,
        Meta(description="which one, by its number; paragraph add makes one of your own", extra={"asked_first": True}),
    ]
    text: Annotated[Text, Meta(description="what was decided", extra={"remark": True})]
    why: Annotated[Text | None, Meta(description="the reason")] = None
    trial: Annotated[bool, Meta(description="on trial, to be looked at again later")] = False
    set: Annotated[dict[str, Any] | None, Meta(description="an option it sets")] = None
    since: Annotated[str | None, Meta(description="it counts from this point on", extra={"turn": True})] = None
    conflicts: Conflicts | None = None
    because: Annotated[
        tuple[Positive, ...], Meta(description="the turns that gave rise to it, like T4,T9", extra={"turn": True})
    ] = ()
    #: A session (5 or "S5") or a day ("2026-03-01").
    review: Annotated[Positive | Text | None, Meta(description="when to look at a trial again: a session or a day")] = (
        None
    )
    supersedes: Annotated[Positive | None, Meta(description="the ruling that it replaces", extra={"letter": "R"})] = (
        None
    )

    def check(self) -> None:
        if not self.text.strip():
            raise Invalid("Say what was decided; a ruling cannot be blank.")
        if self.set is not None and not self.set:
            raise Invalid("The ruling sets no option; name one, or leave out set.")
        if self.review is not None:
            if not self.trial:
                raise Invalid("Only a ruling on trial can be reviewed; add trial.")
            _review(self.review)

    def decide(self, decision: Deciding) -> None:
        campaign = decision.state.campaign
        try:
            rule = known_rule(decision.system, self.rule, campaign.paragraphs)
        except Unknown as unknown:
            if not any(map(str.isdecimal, self.rule)):  # no number, but the first word of what was decided
                free = free_number(decision.system, decision.state)
                fields = {"rule": free, "title": "House rule", "text": f"{self.rule} {self.text}"}
                unknown.choices = (Choice(ParagraphAdd, fields),)
            raise
        if rule in campaign.withdrawn:
            raise Refusal(None, f"{decision.system.cite} {rule} is withdrawn; there is nothing left to rule about.")
        if self.set is None and not decision.chance.lenient:
            self._refuse_options_among_words(decision)
        options = checked_options(decision.system, self.set or {}, rule)
        because = decision.earlier_turns(self.because)
        if self.supersedes is not None:
            before = _standing_ruling(decision, self.supersedes)
            if before.rule != rule:
                raise Refusal(None, f"Ruling R{before.number} is about {before.rule}, not about {rule}.")
        number = decision.chance.number("ruling")
        since = turn_on_record(self.since) if self.since is not None else None
        review = UNSET if self.review is None else _review(self.review)
        supersedes = UNSET if self.supersedes is None else self.supersedes
        decision.tell(
            RulingMade(
                number, rule, self.text, self.why, self.trial, options, since, because or UNSET, review, supersedes
            )
        )

    def _refuse_options_among_words(self, decision: Deciding) -> None:
        """Raise Refusal if the text looks as if it set an option: text never does."""
        for name, value in re.findall(r"(?<![\w-])([A-Za-z][\w-]*)=([\w-]+)", self.text):
            if name.replace("-", "_") in options_of(decision.system.options):
                rest = " ".join(self.text.replace(f"{name}={value}", "").split()) or self.text.replace("=", " ")
                fields = {"rule": self.rule, "text": rest, "set": {name.replace("-", "_"): value}}
                reason = f"{name}={value} is only words here and sets no option; set it with set={name}={value}."
                raise Refusal(None, reason, [Choice(Ruling, fields)])


def _review(review: int | str) -> int | str:
    """When a trial is due for review: the number of a session, or an ISO date. Raises Invalid."""
    if isinstance(review, int):
        return review
    text = review.strip()
    number = text.removeprefix("S").removeprefix("s")
    if number.isascii() and number.isdecimal() and 0 < len(number) < 7 and int(number):  # 20260131 is a day
        return int(number)
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Invalid(f"A trial is reviewed in a session (S5) or on a day (2026-03-01), not {text[:40]!r}.") from None


def _standing_ruling(decision: Deciding, number: int) -> RulingInForce:
    """The ruling with this number. Raises Refusal if there is none or it has ended."""
    rulings = decision.state.campaign.rulings
    ruling = rulings.get(number)
    if ruling is None:
        hint = (
            f"known: {listed_first(f'R{existing.number}' for existing in rulings)}." if list(rulings) else NO_RULING_YET
        )
        raise Unknown("ruling", number, f"There is no ruling R{number}", hint)
    if ruling.ended:
        raise Refusal(None, f"Ruling R{number} has ended already.")
    return ruling


class RulingMade(Event, frozen=True, tag="ruling.made"):
    """A ruling was made. Its options hold from this turn on, or from directly after turn `since`."""

    number: int
    rule: str
    text: str
    why: str | None = None
    trial: bool = False
    set: dict[str, Any] = {}
    since: int | None = None
    because: tuple[int, ...] | UnsetType = UNSET
    review: int | str | UnsetType = UNSET
    supersedes: int | UnsetType = UNSET

    def sentence(self) -> Sentence:
        trial = f" (on trial{f' until {review_in_words(self.review)}' if self.review else ''})" if self.trial else ""
        return (
            f"Ruling R{self.number} on {self.rule}{trial}: {ended(self.text)}"
            f"{f' It replaces R{self.supersedes}.' if self.supersedes else ''}"
            f"{f' Why: {ended(self.why)}' if self.why else ''}{because_of(self.because)}",
            *((" [", *settings(self.set), "]") if self.set else ()),
            *((f" Counts from T{self.since} on.",) if self.since else ()),
        )

    def in_story(self) -> Own:
        return Own(f"(R{self.number}): {ended(self.text)}", rules_on=self.rule)

    def fold(self, state: Game) -> None:
        ruling = RulingInForce(
            self.number,
            self.rule,
            self.set,
            trial=self.trial,
            review=self.review or None,
            supersedes=self.supersedes or None,
        )
        before = state.campaign.rulings
        _set_rulings(state, before.with_made(ruling))
        if ruling.number > before.highest and ruling.supersedes is None:  # as nearly always
            state.options = _overridden(state.options, ruling.options)
        else:
            state.options = options_in_force(state)


class RulingEnd(Action, frozen=True, kw_only=True, tag="ruling.end"):
    """End a ruling.

    Its options go back to what the ruling before it set, or to the default.
    """

    ruling: Annotated[Positive, Meta(description="which ruling, like R3", extra={"letter": "R"})]
    why: Annotated[Text | None, Meta(description="the reason", extra={"remark": True})] = None

    def decide(self, decision: Deciding) -> None:
        _standing_ruling(decision, self.ruling)
        decision.tell(RulingEnded(self.ruling, self.why))


class RulingEnded(Event, frozen=True, tag="ruling.ended"):
    """A ruling no longer holds."""

    ruling: int
    why: str | None = None

    def sentence(self) -> Sentence:
        return (f"Ruling R{self.ruling} ends{f': {ended(self.why)}' if self.why else '.'}",)

    def in_story(self) -> Own:
        return Own(f"R{self.ruling} no longer holds.")

    def fold(self, state: Game) -> None:
        before = state.campaign.rulings
        ruling, holding = before.get(self.ruling), before.holding(self.ruling)
        _set_rulings(state, before.with_ended(self.ruling))
        if ruling is not None and (ruling.supersedes is not None or (holding is not None and holding.options)):
            state.options = options_in_force(state)


class RulingKeep(Action, frozen=True, kw_only=True, tag="ruling.keep"):
    """Keep a ruling that was on trial: it stays in force."""

    ruling: Annotated[Positive, Meta(description="which ruling, like R3", extra={"letter": "R"})]
    why: Annotated[Text | None, Meta(description="the reason", extra={"remark": True})] = None

    def decide(self, decision: Deciding) -> None:
        if not _standing_ruling(decision, self.ruling).trial:
            raise Refusal(None, f"Ruling R{self.ruling} is not on trial.")
        after = decision.state.campaign.rulings.superseded_by(self.ruling)
        if after is not None and not decision.chance.lenient:  # logs of before kept them
            raise Refusal(None, f"Ruling R{self.ruling} is superseded by R{after}; only what is in force can be kept.")
        decision.tell(RulingKept(self.ruling, self.why))


class RulingKept(Event, frozen=True, tag="ruling.kept"):
    """A trial is over, and what was tried holds. Undoing the turn puts it on trial again."""

    ruling: int
    why: str | None = None

    def sentence(self) -> Sentence:
        return (f"Ruling R{self.ruling} is kept and no longer on trial{f': {ended(self.why)}' if self.why else '.'}",)

    def in_story(self) -> Own:
        return Own(f"R{self.ruling} is kept.")

    def fold(self, state: Game) -> None:
        _set_rulings(state, state.campaign.rulings.with_kept(self.ruling))


def _set_rulings(state: Game, rulings: Rulings) -> None:
    """Replace the rulings of a state, but not the options in force, which few of them change."""
    state.campaign = replace(state.campaign, rulings=rulings)


def review_in_words(review: int | str | UnsetType) -> str:
    """When a trial is due for review: "session 5", or a day."""
    return f"session {review}" if isinstance(review, int) else str(review)


def review_to_come(review: int | str | UnsetType | None) -> str:
    """When a trial comes up again, to follow "On trial"; empty if nobody has said."""
    if review is None or isinstance(review, UnsetType):
        return ""
    return f", to be looked at again {'in' if isinstance(review, int) else 'on'} {review_in_words(review)}"


def trials_due(state: Game, session: int | None, day: date) -> Iterator[RulingInForce]:
    """The trials in force that are due for review by this session or day."""
    rulings = state.campaign.rulings
    for ruling in map(rulings.get, sorted(rulings.in_force)):
        if ruling is not None and ruling.trial and ruling.review is not None:
            if isinstance(ruling.review, int):
                due = session is not None and ruling.review <= session
            else:
                due = date.fromisoformat(ruling.review) <= day
            if due:
                yield ruling


def options_in_force(state: Game) -> Options:
    """The options of the campaign, overridden by its rulings: the ruling with the highest number wins."""
    kind: type[Options] = type(state.options)
    rulings = state.campaign.rulings
    overridden = rulings.overridden(kind.__struct_fields__) if rulings.made else {}
    values = msgspec.convert({**state.campaign.options, **overridden}, kind)
    return state.options if values == state.options else values


def _overridden(options: Options, by: Mapping[str, Any]) -> Options:
    """The options in force after a new ruling that sets these: none of those before is looked at again."""
    values = msgspec.convert(by, type(options))
    overridden = replace(options, **{name: getattr(values, name) for name in by})
    return options if overridden == options else overridden
