"""Turning over the cards of one character within one action, from the recorded deck or as reported by the table.

A report must have exactly the cards turned over, except those that follow from a reported shuffle. When a turn is
decided again, a reported card is used if it is still in the deck, else the top card of the recorded deck.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

from domain.deckahedron.cards import bears_stamina, is_wound, wounds_in
from domain.deckahedron.sheet import DeckahedronDecision, DeckahedronState
from domain.naming import called, possessive
from domain.refusal import Refusal, ReportedShort, Unreported
from domain.turn import Event, Sentence, Struck

#: The words for a missing report, by field.
MISSING = {
    "flipped": "the cards turned over are",
    "defender_flipped": "the defender's cards turned over are",
    "rolled": "the d4 is",
    "regained": "the cards that come back are",
    "kept": "the cards that stay are",
}


def must_be_reported(
    decision: DeckahedronDecision,
    character: str,
    field: str,
    report: object,
    example: Callable[[], object],
    missing: str = "",
) -> None:
    """Raise Unreported, naming the field, if the table deals the character's cards and nothing was reported.

    Not for a turn that is decided again, since nobody can be asked then. `example` gives what can be reported;
    `missing` says what is, where that is more than the field.
    """
    if report is None and decision.sheet(character).cards == "table" and not decision.chance.lenient:
        what = missing or MISSING[field]
        reason = f"{possessive(character)} cards lie on the table, so nothing is drawn here: {what} missing"
        raise Unreported(f"{reason} ({field}=…).", {field: example()}, f"{reason}.")


class Shuffles:
    """The shuffles of one character's deck within one action; a reported order is for the first one."""

    def __init__(self, decision: DeckahedronDecision, character: str, shuffled: Sequence[str] | None) -> None:
        self._chance, self._character, self._reported_cards = decision.chance, character, shuffled
        self._count = 0

    @property
    def known(self) -> bool:
        """Whether the deck is in a reported order, so that its cards need not be reported again."""
        return self._count == 1 and self._reported_cards is not None

    def order(self, cards: Sequence[str], *, rule: str) -> tuple[str, ...]:
        """Shuffle these cards into a new deck, top first. Raises Refusal by `rule` for a wrong report."""
        self._count += 1
        first = self._count == 1
        key = f"{self._character}/shuffle{'' if first else f' {self._count}'}"
        return self._chance.shuffle(key, cards, self._reported_cards if first else None, rule=rule)

    def finish(self, *, rule: str) -> None:
        """Raise Refusal if an order was reported but nothing was shuffled."""
        if self._reported_cards is not None and not self._count and not self._chance.lenient:
            raise Refusal(
                rule, f"None of {possessive(self._character)} cards are shuffled here, but a new order is reported."
            )


class Piles:
    """A working copy of one character's three piles, and the shuffles of the deck."""

    def __init__(self, decision: DeckahedronDecision, character: str, shuffled: Sequence[str] | None = None) -> None:
        self.decision, self.character = decision, character
        self.shuffles = Shuffles(decision, character, shuffled)
        self.read()

    def read(self) -> None:
        """Copy the piles from the sheet, with the events so far applied."""
        sheet = self.decision.sheet(self.character)
        self.deck, self.discard, self.exhaustion = list(sheet.deck), list(sheet.discard), list(sheet.exhaustion)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a `Piled` event."""
        return {
            "character": self.character,
            "deck": tuple(self.deck),
            "discard": tuple(self.discard),
            "exhaustion": tuple(self.exhaustion),
        }

    def reshuffle(self, *, rule: str) -> None:
        """Shuffle the discard pile into the deck."""
        self.deck = list(self.shuffles.order((*self.deck, *self.discard), rule=rule))
        self.discard = []


class Turning(Piles):
    """Piles from which cards are turned over, drawn or as reported; `purpose` is the key of the report."""

    def __init__(
        self,
        decision: DeckahedronDecision,
        character: str,
        purpose: Literal["search", "attempt"],
        flipped: Sequence[str] | None,
        shuffled: Sequence[str] | None = None,
        *,
        field: str = "flipped",
        reshuffle_first: bool = False,
    ) -> None:
        super().__init__(decision, character, shuffled)
        #: Whether the player shuffles the discard pile in before the next search (DH 7).
        self.reshuffle_first = reshuffle_first
        self.field = field
        key = f"{character}/{purpose}"
        self._lenient, self._purpose = not decision.chance.is_new(key, flipped), purpose
        reported_cards = decision.chance.report_of(key, flipped)
        if reported_cards is not None:
            # the whole report stays on record, however much of it is used
            decision.chance.keep(key, reported_cards, reported=len(reported_cards))
        self._whole: Sequence[str] = reported_cards or ()
        self._reported_cards = reported_cards
        self._flips = 0
        self._searching = purpose == "search"
        #: The paragraph that ended the attempt, if any; it refuses cards reported after it.
        self.ended_by: str | None = None

    def begin_search(self) -> None:
        """Start a search in the current piles.

        The report of an attempt may end before the search for the costs of a Wound card or an attack; the search then
        flips from the recorded deck.
        """
        self.read()
        self._searching = True
        if self._purpose == "attempt" and self._reported_cards is not None and self._flips >= len(self._reported_cards):
            self._reported_cards = None

    def turn_over(self, *, rule: str, short: str) -> str:
        """Take the next card out of the deck.

        Raises Refusal: by `rule` for a reported card that is not there, by `short` for a report that ends too early.
        """
        reported_cards = self._reported_cards
        if self.shuffles.known and (reported_cards is None or self._flips >= len(reported_cards)):
            card = self.deck[0]
        elif reported_cards is None:
            example = partial(self._with_one_more, self._whole)
            behind = f"the cards turned over behind {' '.join(self._whole)} for the lost Stamina are"
            missing = behind if self._whole else ""
            must_be_reported(self.decision, self.character, self.field, reported_cards, example, missing)
            card = self.deck[0]
        elif self._lenient:
            card = (
                reported_cards[self._flips]
                if self._flips < len(reported_cards) and reported_cards[self._flips] in self.deck
                else self.deck[0]
            )
        else:
            if self._flips >= len(reported_cards):
                told = f" (card {', '.join(reported_cards)})" if reported_cards else ""  # `wound cass 1 fell off`
                raise ReportedShort(
                    self.ended_by or short,
                    f"{called(self.character)} turns over more cards than were reported{told}; report the next too.",
                    {self.field: self._with_one_more(reported_cards)},
                )
            card = reported_cards[self._flips]
            if card not in self.deck:
                raise Refusal(self.ended_by or rule, f"Card {card} is not in {possessive(self.character)} deck.")
        self._flips += 1
        self.deck.remove(card)
        return card

    def _with_one_more(self, reported_cards: Sequence[str]) -> tuple[str, ...]:
        """A report with one more card that may come next: in a search, one that ends it."""
        ends = [card for card in self.deck if bears_stamina(card)] if self._searching else []
        return (*reported_cards, min(ends or self.deck, key=lambda card: (is_wound(card), int(card.lstrip("w")))))

    def put_down(self, card: str) -> bool:
        """Put a card of a search on its pile. Returns whether it has the Stamina symbol."""
        has_stamina = bears_stamina(card)
        (self.exhaustion if has_stamina else self.discard).append(card)
        return has_stamina

    def finish(self, *, rule: str) -> None:
        """End the flipping. Raises Refusal by `rule` for unused reported cards, by DH 7 for an unused shuffle."""
        if self._reported_cards is not None and not self._lenient and self._flips < len(self._reported_cards):
            card = self._reported_cards[self._flips]
            raise Refusal(self.ended_by or rule, f"{called(self.character)} stops before card {card} is turned over.")
        self.shuffles.finish(rule="DH 7")


class Piled(Event, frozen=True, kw_only=True):
    """Cards of one character moved; the piles are those afterwards. Undoing the turn puts every card back."""

    character: str
    deck: tuple[str, ...]
    discard: tuple[str, ...]
    exhaustion: tuple[str, ...]

    def fold(self, state: DeckahedronState) -> None:
        self.lay(state)

    def lay(self, state: DeckahedronState, **changes: Any) -> None:
        """Set the piles of the event and other fields of the sheet."""
        state.change(
            self.character,
            deck=self.deck,
            discard=self.discard,
            exhaustion=self.exhaustion,
            wound_cards=wounds_in(self.deck, self.discard),
            **changes,
        )


def row(cards: Sequence[str], counting: Sequence[bool], shuffles: Sequence[int]) -> Sentence:
    """The cards in the order turned over, those that do not count struck, with shuffles in between."""
    pieces: list[str] = []
    for place, (card, counts) in enumerate(zip(cards, counting, strict=True)):
        pieces += [", "] if place else []
        pieces += ["(shuffles) "] if place in shuffles else []
        pieces.append(card if counts else Struck(card))
    return tuple(pieces)
