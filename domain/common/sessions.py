"""Sessions: one evening each, from its opening to its closing."""

from typing import Annotated, ClassVar

from msgspec import Meta
from msgspec.structs import replace

from domain.choice import Choice
from domain.naming import called, ended
from domain.refusal import Invalid, Refusal
from domain.system.decision import Deciding
from domain.system.drafts import Draft, about, as_it_stands
from domain.system.pending import PendingDecision
from domain.system.state import Game
from domain.system.story import left_out
from domain.times import is_date
from domain.turn import Action, Event, Positive, Sentence, Text


class SessionOpen(Action, frozen=True, kw_only=True, tag="session.open"):
    """Open the next session."""

    synonyms: ClassVar = (
        "session start",
        "session begin",
        "start session",
        "begin session",
        "new session",
        "open session",
        "session opens",
        "session starts",
        "session begins",
    )

    title: Annotated[Text | None, Meta(description="what the evening is called", extra={"remark": True})] = None
    number: Annotated[Positive | None, Meta(description="its number", extra={"otherwise": "the next"})] = None
    date: Annotated[Text | None, Meta(description="the date, like 2026-01-31")] = None
    place: Annotated[Text | None, Meta(description="where")] = None

    def check(self) -> None:
        """Raise Invalid for a date that cannot be compared with others. Sessions of older logs may say "Friday"."""
        if self.date is not None and not is_date(self.date):
            raise Invalid(
                f"The date of a session is written like 2026-01-31, not {self.date[:40]!r};"
                " what people say belongs in its title, or leave the date out: every turn keeps its own time."
            )

    def decide(self, decision: Deciding) -> None:
        open_now = decision.state.campaign.session
        if open_now is not None:
            raise Refusal(None, f"Session {open_now} is still open; close it first.", [Choice(SessionClose)])
        if self.number is not None and decision.chance.is_used("session", self.number):
            raise Refusal(None, f"Session {self.number} has been used in this log; leave the number out for the next.")
        number = decision.chance.number("session", self.number)
        decision.tell(SessionOpened(number, self.title, self.date, self.place))


class SessionOpened(Event, frozen=True, tag="session.opened"):
    """A session begins."""

    number: int
    title: str | None = None
    date: str | None = None
    place: str | None = None

    def sentence(self) -> Sentence:
        title = f": {self.title}" if self.title else ""
        details = ", ".join(part for part in (self.date, self.place) if part)
        return (f"Session {self.number} opens{title}{f' ({details})' if details else ''}.",)

    in_story = left_out

    def fold(self, state: Game) -> None:
        state.campaign = replace(state.campaign, session=self.number)


class SessionClose(Action, frozen=True, kw_only=True, tag="session.close"):
    """Close the open session."""

    synonyms: ClassVar = (
        "session end",
        "session stop",
        "end session",
        "stop session",
        "finish session",
        "close session",
        "session closes",
        "session ends",
    )

    summary: Annotated[Text | None, Meta(description="how it ended", extra={"remark": True})] = None

    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask whether the session closes although decisions are pending."""
        loose_ends = draft.system.loose_ends(draft.state)
        decisions = [*draft.system.pending_for_anyone(draft.state), *loose_ends]
        if draft.state.campaign.session is None or not decisions:
            return None
        why = " ".join(["The session closes with something open.", *map(_as_sentence, decisions)])
        choices = (
            replace(choice, says=f"{choice.says}, and close the session") if pending in loose_ends else choice
            for pending in decisions
            for choice in pending.choices
        )
        return PendingDecision((as_it_stands(self, "close it all the same"), *choices), why)

    def follows(self, chosen: Action, draft: Draft) -> bool:
        """Whether it is still meant: the session closes behind the end of what was unfinished."""
        ends = (choice.action for pending in draft.system.loose_ends(draft.state) for choice in pending.choices)
        return type(chosen) in ends

    def decide(self, decision: Deciding) -> None:
        number = decision.state.campaign.session
        if number is None:
            raise Refusal(None, "No session is open.", [Choice(SessionOpen)])
        decision.tell(SessionClosed(number, self.summary))


def _as_sentence(pending: PendingDecision) -> str:
    """A pending decision as a sentence: its reason, or whose it is and what settles it."""
    if pending.why:
        return pending.why
    choice = pending.choices[0]
    subject = f"{called(name)}: " if (name := about(choice)) else ""
    return subject + (choice.action.__doc__ or "").strip().partition("\n")[0]


class SessionClosed(Event, frozen=True, tag="session.closed"):
    """A session ends."""

    number: int
    summary: str | None = None

    def sentence(self) -> Sentence:
        return (f"Session {self.number} closes{f': {ended(self.summary)}' if self.summary else '.'}",)

    in_story = left_out

    def fold(self, state: Game) -> None:
        state.campaign = replace(state.campaign, session=None)
        for name, sheet in state.characters.items():
            state.characters[name] = sheet.after_session()
