"""The words for what a number counts, which stand behind it or before it: `8 hours`, `3 points of damage`, `3 each`."""

from collections.abc import Container, Sequence

from cli.line.verbs import verb_name
from cli.line.vocabulary import EACH, POINTS, STOPS, singular
from cli.line.words import Word
from domain.system.rulesystem import RuleSystem
from domain.turn import Action


def vital_units(system: RuleSystem, kind: type[Action]) -> set[str]:
    """What is counted where somebody loses or gets back what keeps them alive: hp, hit points, damage."""
    field, unit = (text.casefold() for text in system.vital)
    return {field, unit, singular(unit), verb_name(kind), *kind.also_called, *POINTS}


def behind_unit(words: Sequence[Word], here: int, units: Container[str]) -> int:
    """The place behind one of these units, of one word or two; the same place where none stands there."""
    for beyond in (here + 2, here + 1):
        unit = words[here:beyond]
        if (
            len(unit) == beyond - here
            and not any(word.quoted for word in unit)
            and " ".join(word.text.casefold() for word in unit).rstrip(STOPS) in units
        ):
            here = beyond
            break
    if is_of_unit(words, here, units):
        here += 2  # `3 points of damage`
    # what says that everybody who is named has so many: `take 3 each`
    return here + (here < len(words) and not words[here].quoted and words[here].text.casefold() in EACH)


def is_of_unit(words: Sequence[Word], here: int, units: Container[str]) -> bool:
    """Whether `of` and a unit stand at a place: `of damage`."""
    texts = [word.text.casefold().rstrip(STOPS) for word in words[here : here + 2] if not word.quoted]
    return len(texts) == 2 and texts[0] == "of" and texts[1] in units
