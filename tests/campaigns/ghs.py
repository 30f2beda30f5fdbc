"""Somebody's own copy of GloomhavenSecretariat's data, read class by class.

python -m tests.campaigns.ghs FOLDER

FOLDER is `data/EDITION` of that program, wherever it lies; nothing of it comes along with this project. Every class
has to come into a log whole, to be joined with, and to have each of its cards performed, top and bottom. Prints the
figures of each class, and what its files do not tell.
"""

import argparse
from collections.abc import Iterator, Sequence

import msgspec

from cli.shell.offers import files_at
from domain.gloomhaven.facts import PrintedCard, PrintedClass
from domain.gloomhaven.ghs_data import HALVES, READER
from domain.gloomhaven.joining import Enrol
from domain.gloomhaven.learning import Learn
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rounds import BeginRound, Reveal, Select
from domain.gloomhaven.scenarios import BeginScenario
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.given import Given


def main(arguments: Sequence[str] | None = None) -> None:
    """Read a folder and play the cards of every class in it. Exits with 1 if a class cannot be played."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    files = files_at(parser.parse_args(arguments).folder)
    table, broken = Given("gloomhaven"), 0
    reading = READER.read(files, table.handler.state())
    for action in reading.actions:
        table.when(dict(action))
        assert table.error is None, table.error
    knowledge = table.handler.state().table
    for name, facts in knowledge.classes.items():
        try:
            print(f"{name}: {in_figures(facts)}, {sum(1 for _ in performed(facts))} halves performed")
        except AssertionError as error:
            broken += 1
            print(f"{name}: cannot be played: {error}")
    print(
        f"{len(knowledge.classes)} classes, {len(knowledge.items)} items, {len(reading.left_open)} sentences left open:"
    )
    for sentence in reading.left_open:
        print(f"  {sentence}")
    if broken:
        raise SystemExit(1)


def in_figures(facts: PrintedClass) -> str:
    """A class in figures."""
    halves = [half for card in facts.cards for half in (card.top, card.bottom)]
    lasting = sum(half.active is not None for half in halves)
    return (
        f"{len(facts.cards)} cards, {sum(half.lost for half in halves)} halves lost, {lasting} lasting, "
        f"{sum(bool(half.slots) for half in halves)} with slots, {sum(bool(half.xp) for half in halves)} with "
        f"experience, {sum(half.summon is not None for half in halves)} summons"
    )


def performed(facts: PrintedClass) -> Iterator[PrintedCard]:
    """Every half of every card, performed in a round of its own. Raises AssertionError with what is refused."""
    cards = sorted(facts.cards, key=lambda card: card.id)
    learning = Learn(classes=(msgspec.to_builtins(facts),))
    for card in cards:
        for half in HALVES:
            other_cards = [candidate for candidate in cards if candidate.id != card.id and candidate.level in (1, "X")]
            hand = [card, *other_cards][: facts.hand_size]
            at = Given("gloomhaven")
            for action in (
                learning,
                Enrol(character="who", class_=facts.class_, hand=tuple(card.id for card in hand), level=9),
                BeginScenario(scenario="1"),
                BeginRound(),
                Select(character="who", lead=card.id, second=hand[1].id),
                Reveal(),
                Perform(character="who", card=card.id, half=half),
            ):
                at.when(action)
                assert at.error is None, f"{card.name}, {half}: {at.error}"
            yield card


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
