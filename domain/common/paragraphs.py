"""Paragraphs that the group writes itself: added, revised, withdrawn. Those of the rules may be revised as well.

The state knows which own paragraphs there are and which are no longer in force. What they say is in the turns: a
wording changes nothing that is decided, and a list of wordings would grow for ever.
"""

import re
from collections.abc import Iterable
from itertools import count
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from domain.naming import ended, key_of, letters, listed
from domain.refusal import Invalid, Refusal
from domain.system.decision import Deciding
from domain.system.paragraphs import bare_number, known_rule, paragraphs_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.story import Own
from domain.turn import Action, Event, Positive, Sentence, Text

#: A number as people write it: letters, digits, and full stops between them.
NUMBER = r"[^\W_]+(\.[^\W_]+)*"
LONGEST_NUMBER = 20
Because = Annotated[
    tuple[Positive, ...], Meta(description="the turns that gave rise to it, like T4,T9", extra={"turn": True})
]
Rule = Annotated[Text, Meta(description="which one, by its number", extra={"asked_first": True})]


class ParagraphAdd(Action, frozen=True, kw_only=True, tag="paragraph.add"):
    """Add a paragraph of the group's own to the rules."""

    rule: Annotated[Text, Meta(description="a number that is free, like H1")]
    title: Annotated[Text, Meta(description="what it is called")]
    text: Annotated[Text, Meta(description="what it says", extra={"remark": True})]
    why: Annotated[Text | None, Meta(description="the reason")] = None
    because: Because = ()

    def check(self) -> None:
        _must_say(self.title, "its title")
        _must_say(self.text, "its words")

    def decide(self, decision: Deciding) -> None:
        number = bare_number(decision.system, self.rule)
        if not re.fullmatch(NUMBER, number) or len(number) > LONGEST_NUMBER:
            raise Invalid(
                f"A paragraph's number is made of letters, digits and full stops between them, like H1 or 6.13, of at"
                f" most {LONGEST_NUMBER} characters; {number[:40]!r} is not."
            )
        numbers = (*paragraphs_of(decision.system.key), *decision.state.campaign.paragraphs)
        if any(key_of(existing) == key_of(number) for existing in numbers):
            raise Refusal(None, f"{decision.system.cite} {number} is there already; revise it, or take another number.")
        because = decision.earlier_turns(self.because) or UNSET
        decision.tell(ParagraphAdded(number, self.title.strip(), self.text.strip(), self.why, because))


class ParagraphAdded(Event, frozen=True, tag="paragraph.added"):
    """A paragraph was added to the rules of this group. Undoing the turn removes it."""

    rule: str
    title: str
    text: str
    why: str | None = None
    because: tuple[int, ...] | UnsetType = UNSET

    def sentence(self) -> Sentence:
        # a title that says it all is said once
        title = "" if letters(self.title) == letters(self.text) else f", {self.title}"
        return (f"New paragraph {self.rule}{title}: {ended(self.text)}{_reason(self.why, self.because)}",)

    def in_story(self) -> Own:
        return Own(f"The group adds paragraph {self.rule}, {ended(self.title)}")

    def fold(self, state: Game) -> None:
        campaign = state.campaign
        if self.rule not in campaign.paragraphs:
            withdrawn = tuple(paragraph for paragraph in campaign.withdrawn if paragraph != self.rule)
            state.campaign = replace(campaign, paragraphs=(*campaign.paragraphs, self.rule), withdrawn=withdrawn)


class ParagraphRevise(Action, frozen=True, kw_only=True, tag="paragraph.revise"):
    """Revise the wording or the title of a paragraph."""

    rule: Rule
    text: Annotated[Text | None, Meta(description="what it says now", extra={"in_order": True})] = None
    title: Annotated[Text | None, Meta(description="what it is called now")] = None
    why: Annotated[Text, Meta(description="the reason", extra={"remark": True})]
    because: Because = ()

    def check(self) -> None:
        if self.text is None and self.title is None:
            line = f'paragraph revise {self.rule} "The new words" why it changed'
            raise Invalid(f"Say what the paragraph says now: its text, its title or both. Like: {line}.")
        for text, label in ((self.text, "its words"), (self.title, "its title"), (self.why, "why it is revised")):
            if text is not None:
                _must_say(text, label)

    def decide(self, decision: Deciding) -> None:
        rule = _in_force(decision, self.rule)
        title = UNSET if self.title is None else self.title.strip()
        text = UNSET if self.text is None else self.text.strip()
        because = decision.earlier_turns(self.because) or UNSET
        decision.tell(ParagraphRevised(rule, self.why, text, title, because))


class ParagraphRevised(Event, frozen=True, tag="paragraph.revised"):
    """A paragraph was reworded. Undoing the turn restores the former wording."""

    rule: str
    why: str
    text: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    because: tuple[int, ...] | UnsetType = UNSET

    def sentence(self) -> Sentence:
        title = f", now {self.title}" if self.title else ""
        words = f" now reads: {ended(self.text)}" if self.text else "."
        return (f"Paragraph {self.rule}{title}{words}{_reason(self.why, self.because)}",)

    def in_story(self) -> Own:
        return Own(f"Paragraph {self.rule} is reworded.")

    def fold(self, state: Game) -> None:
        """Wordings decide nothing, so the state does not keep them."""


class ParagraphWithdraw(Action, frozen=True, kw_only=True, tag="paragraph.withdraw"):
    """Withdraw a paragraph from the rules.

    It is no longer in force, and stays in the book.
    """

    rule: Rule
    why: Annotated[Text, Meta(description="the reason", extra={"remark": True})]
    because: Because = ()

    def check(self) -> None:
        _must_say(self.why, "why it is withdrawn")

    def decide(self, decision: Deciding) -> None:
        rule = _in_force(decision, self.rule)
        decision.tell(ParagraphWithdrawn(rule, self.why, decision.earlier_turns(self.because) or UNSET))


class ParagraphWithdrawn(Event, frozen=True, tag="paragraph.withdrawn"):
    """A paragraph is no longer in force. Undoing the turn puts it in force again."""

    rule: str
    why: str
    because: tuple[int, ...] | UnsetType = UNSET

    def sentence(self) -> Sentence:
        return (f"Paragraph {self.rule} is withdrawn.{_reason(self.why, self.because)}",)

    def in_story(self) -> Own:
        return Own(f"Paragraph {self.rule} is withdrawn.")

    def fold(self, state: Game) -> None:
        campaign = state.campaign
        if self.rule not in campaign.withdrawn:
            state.campaign = replace(campaign, withdrawn=(*campaign.withdrawn, self.rule))


def free_number(system: RuleSystem, state: Game) -> str:
    """The next number for a paragraph of the group's own: H1, H2 …"""
    taken = (*paragraphs_of(system.key), *state.campaign.paragraphs)
    return next(number for at in count(1) if (number := f"H{at}") not in taken)


def because_of(turns: Iterable[int] | UnsetType) -> str:
    """The turns that led to something, as the end of a sentence."""
    return f" Because of {listed(f'T{turn}' for turn in turns)}." if turns else ""


def _must_say(text: str, label: str) -> None:
    if not text.strip():
        raise Invalid(f"A paragraph needs {label}; that must not be blank.")


def _in_force(decision: Deciding, rule: str) -> str:
    """The number of a paragraph that is in force. Raises Refusal."""
    campaign = decision.state.campaign
    number = known_rule(decision.system, rule, campaign.paragraphs)
    if number in campaign.withdrawn:
        raise Refusal(
            None, f"{decision.system.cite} {number} is withdrawn already; undo that turn to have it in force again."
        )
    return number


def _reason(why: str | None, because: tuple[int, ...] | UnsetType) -> str:
    return f"{f' Why: {ended(why)}' if why else ''}{because_of(because)}"
