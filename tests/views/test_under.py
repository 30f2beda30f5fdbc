"""What a turn was played under, held against the states between the turns, on random tables of every rule system."""

from collections import Counter
from random import Random

from hypothesis import given

from domain.common.paragraphs import ParagraphAdded, ParagraphRevised
from domain.log.folding import steps
from domain.system.paragraphs import bare_number
from domain.system.rulings_in_force import holdings
from projections.views.rows import played_under
from tests.kit.subjects import Subject
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import MODEST, chances, revised
from tests.kit.views import view_in_memory


@MODEST
@given(chance=chances)
def test_the_wording_and_the_rulings_are_those_in_force_where_the_turn_folds(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    system = table.system
    expected = set()
    versions: Counter[str] = Counter()
    rulings = system.opening().campaign.rulings
    for effective_turn, state in steps(system, table.log):
        if not effective_turn.standing:
            continue
        held = {number for number, holding in holdings(rulings).items() if holding.in_force}
        for rule in played_under(system, effective_turn.turn, effective_turn.facts):
            number = bare_number(system, rule)
            on_it = [ruling.number for ruling in rulings if ruling.rule == number and ruling.number in held]
            of_none: list[int | None] = [None]
            for ruling in on_it or of_none:
                expected.add((effective_turn.number, rule, versions.get(number, 1), ruling))
        rulings = state.campaign.rulings
        for fact in effective_turn.facts:
            if isinstance(fact, ParagraphAdded | ParagraphRevised):
                versions[fact.rule] = versions.get(fact.rule, isinstance(fact, ParagraphRevised)) + 1
    with view_in_memory(table.log, system) as view:
        rows = view.ask("SELECT turn, rule, version, ruling FROM under")
    assert len(rows) == len(set(rows))
    assert set(rows) == expected
