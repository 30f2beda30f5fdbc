"""What may be tapped at one seat to settle what is open: each way as a button or on its card, with its outcome."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cli.recording.audience import Audience
from cli.recording.steps import sign_of
from cli.serving.buttons import card_of, label_of
from cli.serving.permissions import SeatPermissions
from cli.serving.seat_actions import SeatActions
from cli.serving.tap import OfferedChoice, RulesQuestion, Tap
from cli.serving.tap_handler import TapHandler
from cli.serving.turned_over import OpenQuestion
from domain.choice import Choice
from domain.registry import tag_of
from domain.system.drafts import about, narrow
from domain.system.field_schema import fields_of
from domain.system.pending import PendingDecision
from domain.system.rows import CardView

#: Up to this many buttons stand for one choice that leaves something open, rather than a question behind it.
MOST_SPREAD = 16


class PendingView(Struct, frozen=True):
    """Something that the table waits for, or a question of the rules, with what this seat may do about it."""

    why: str
    #: plain buttons
    choices: tuple[OfferedChoice, ...] = ()
    #: cards to choose, each with its buttons; none: it cannot be chosen now
    cards: Sequence[tuple[CardView, tuple[OfferedChoice, ...]]] = ()
    #: how to choose
    hint: str = ""
    #: cards that were chosen first
    leading: Sequence[str] = ()
    #: the same for as long as it is open
    key: str = ""
    #: whether it is asked about something that was tapped, and the mark of the question that leaving it takes from a
    #: player's phone too
    is_question: bool = False
    withdraws: str = ""

    @property
    def is_halved(self) -> bool:
        """Whether a card has more than one button."""
        return any(len(choices) > 1 for _, choices in self.cards)


class Offers:
    """The choices of one seat, laid out."""

    def __init__(
        self, audience: Audience, permissions: SeatPermissions, taps: TapHandler, actions: SeatActions
    ) -> None:
        self._audience, self._permissions, self._taps, self._actions = audience, permissions, taps, actions
        self._system = audience.system

    def pending(self, last: int, open_question: OpenQuestion | None, *, to_player: bool) -> Iterator[PendingView]:
        """What the table waits for after turn `last`, the question that stands on it first."""
        if open_question is not None and (open_question.binds or to_player):
            question = self._taps.about_open(open_question)
            # what was turned over has been seen by all; what the referee told of is for whom it is about
            if open_question.binds or question.choices:
                yield self._laid_out(question.why, question.choices, key="open question")
        for decision in self._system.pending_now(self._audience.current()):
            choices = (
                () if self._permissions.only_reads else tuple(self._choices(self._audience.asked_here(decision), last))
            )
            why = decision.why or decision.prompt
            if why or choices:
                first = decision.choices[0] if decision.choices else None
                key = f"{about(first) or 'table'} {tag_of(first.action)}" if first is not None else why
                yield self._laid_out(why, choices, key=key, hint=_hint(decision) if choices else "")

    def _choices(self, decision: PendingDecision, last: int) -> Iterator[OfferedChoice]:
        several, cards = len(self._actions.plays()) > 1, self._audience.cards()
        for choice in decision.choices:
            tap = Tap(last, choice=sign_of(choice))
            for says, answers, option in self._spread(choice, MOST_SPREAD // len(decision.choices)):
                outcome = self._taps.outcome_of(option)
                if outcome is None:
                    continue
                card = card_of(option, cards)
                short = ", ".join(word for word in says if card is None or word != card.name)
                full_tap = replace(tap, answers=answers, fingerprint=self._taps.fingerprint(outcome))
                label = label_of(choice, says, whose=several)
                yield OfferedChoice(label, full_tap, outcome, card, short, option.is_grave)

    def _spread(self, choice: Choice, most: int) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Choice]]:
        """A choice that leaves something open, as one for each value of it: (the words, their signs, the choice).

        If these were more than `most`, the choice alone: the value is asked once it is made.
        """
        decision = narrow(self._system, self._audience.known(), choice)
        if decision is None or len(decision.choices) > most:
            yield (), (), choice
            return
        for value in decision.choices:
            for says, signs, option in self._spread(value, most // len(decision.choices)):
                yield (value.says, *says), (sign_of(value), *signs), option

    def question(self, question: RulesQuestion) -> PendingView:
        """What the rules ask about a tap, with the cards that were chosen before in their places."""
        leading = self._chosen_first(question.choices[0].tap) if question.choices else []
        why = question.why
        if leading:
            cards = self._audience.cards()
            figures = [f"{name} leads with {cards[name].figure}." for name in leading if cards[name].figure]
            # whose card it is stands above already
            why = " ".join((*figures, f"Now {why.rpartition(': ')[2]}."))
        view = self._laid_out(why, question.choices, leading=leading, is_question=not question.is_turned_over)
        return replace(view, withdraws=question.mark)

    def _chosen_first(self, tap: Tap) -> list[str]:
        """The card that a tap chose to lead, where its choice asks for one."""
        choice = self._audience.choice_of(tap.choice) if len(tap.answers) > 1 else None
        if choice is None or choice.asks[:1] != ("lead",):
            return []
        decision = narrow(self._system, self._audience.known(), choice)
        choices = decision.choices if decision is not None else ()
        first = [lead.says for lead in choices if sign_of(lead) == tap.answers[0]]
        return [name for name in first if name in self._audience.cards()]

    def _laid_out(
        self,
        why: str,
        choices: Sequence[OfferedChoice],
        *,
        key: str = "",
        hint: str = "",
        leading: Sequence[str] = (),
        is_question: bool = False,
    ) -> PendingView:
        """Choices as they are shown: several cards as cards, in the order in which they lie, the rest as buttons."""
        cards = self._audience.cards()
        names_on_offer = list(dict.fromkeys(choice.card.name for choice in choices if choice.card is not None))
        if len(names_on_offer) + len(leading) < 2:
            return PendingView(why, tuple(choices), hint=hint, key=key, is_question=is_question)
        names = sorted({*names_on_offer, *leading}, key=list(cards).index)
        faces = [(cards[name], tuple(choice for choice in choices if choice.card == cards[name])) for name in names]
        plain = tuple(choice for choice in choices if choice.card is None)
        return PendingView(why, plain, faces, hint, leading, key, is_question)


def _hint(decision: PendingDecision) -> str:
    """How to choose, where two things are chosen one after the other: which comes first, and what that means."""
    choice = next((choice for choice in decision.choices if choice.asks[:1] == ("lead",)), None)
    if choice is None:
        return ""
    words = {field.key: field.description or field.key for field in fields_of(choice.action)}
    return f"Tap {words[choice.asks[0]]} first, then {words[choice.asks[1]]}."
