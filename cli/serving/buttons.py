"""What a button shows of the choice behind it: its label, its card, and whether nobody takes it lightly."""

from collections.abc import Mapping, Sequence

from domain.choice import Choice
from domain.naming import called, capitalised, listed
from domain.registry import verb_name
from domain.system.drafts import about
from domain.system.rows import CardView


def label_of(choice: Choice, more: Sequence[str] = (), *, whose: bool = False) -> str:
    """The label of a button: the words of the choice, else its verb and its values, and `more` words behind them.

    `whose` adds the character whom it is about.
    """
    who = about(choice)
    behind = f" {', '.join(more)}" if more else ""
    if choice.says:
        return f"{choice.says}{behind}"
    values = [value for value in choice.fields.values() if value != who and not isinstance(value, bool)]
    words = [str(part) for value in values for part in (value if isinstance(value, list) else [value])]
    label = " ".join((verb_name(choice.action).replace("-", " "), *([listed(words)] if words else [])))
    return f"{capitalised(label)}{behind}{f' ({called(who)})' if whose and who else ''}"


def card_of(choice: Choice, cards: Mapping[str, CardView]) -> CardView | None:
    """The card that a choice names last; None if it names none of these."""
    values = [part for value in choice.fields.values() for part in (value if isinstance(value, list) else [value])]
    return next((cards[part] for part in reversed(values) if isinstance(part, str) and part in cards), None)
