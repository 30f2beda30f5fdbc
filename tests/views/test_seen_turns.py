"""One turn for a player is read without the log before it, and reads as in tables that are made for that player."""

from random import Random
from typing import Any

from hypothesis import given

from domain.gloomhaven.rounds import EndTurn, Reveal, Select
from projections.chronicle_range import chronicle
from projections.secrecy import ANYBODY, TABLE
from projections.views.seen_turn import is_open, seen_changes, seen_entries, seen_turn
from projections.views.targets import Target, characters_in, fields_in
from projections.views.turn_context import AlteredField, context_of
from projections.views.why import changes_of, undone_since
from tests.gloomhaven.tables import brog, selecting, spell
from tests.kit.given import Given
from tests.kit.subjects import Subject, secretive
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import FEW, chances, fresh, revised
from tests.kit.views import view_in_memory

SUBJECTS = secretive()


def check_every_turn(table: Given, viewer: str, upto: int) -> None:
    system, log = table.system, table.log
    with view_in_memory(log, system, upto) as keepers, view_in_memory(log, system, upto, viewer) as own:
        for told in chronicle(system, log, upto, viewer):
            keepers_context = context_of(keepers, system, told.turn, told.rules)
            entry, context = seen_turn(system, log, told.turn, upto, viewer, keepers_context)
            place = f"T{told.turn} at T{upto} for {viewer!r}"
            assert (entry.sentence, entry.action, entry.events) == (told.sentence, told.action, told.events), place
            assert context == context_of(own, system, told.turn, entry.rules), place


@FEW
@given(chance=chances)
def test_a_turn_for_a_player_is_the_one_of_all_tables(subject: Subject, chance: Random) -> None:
    table = (revised if chance.random() < 0.7 else fresh)(chance, subject)
    last = table.log.last()
    for viewer in (*list(table.handler.state().characters)[:2], ANYBODY, TABLE):
        check_every_turn(table, viewer, last)
        check_every_turn(table, viewer, chance.randint(1, last))


def test_a_hand_that_changes_late_and_face_down_is_counted_for_others() -> None:
    select: dict[str, Any] = {"type": "gloomhaven.select", "character": "spell", "lead": 61, "second": 62}
    table = selecting(brog(), spell()).and_given(Select(character="brog", lead=1, second=4))
    place = table.log.last()
    assert table.when({"type": "note", "text": "Rain."}).outcome
    assert table.when({**select, "after": f"T{place}", "conflicts": "keep"}).outcome
    last = table.log.last()
    with view_in_memory(table.log, table.system) as view:
        context = context_of(view, table.system, last, ())
    changes = {
        viewer: seen_turn(table.system, table.log, last, last, viewer, context)[1].changes for viewer in ("ann", "ben")
    }
    assert AlteredField(1, "spell", "hand", 8, 6) in changes["ann"]
    assert any(change.field == "selected" and change.new == [61, 62] for change in changes["ben"])
    table.and_given(Reveal(), EndTurn(character="spell"))
    for viewer in ("ann", "ben"):
        check_every_turn(table, viewer, table.log.last())


@FEW
@given(chance=chances)
def test_a_value_that_is_no_secret_is_told_to_a_player_as_by_all_tables(subject: Subject, chance: Random) -> None:
    table = (revised if chance.random() < 0.7 else fresh)(chance, subject)
    system, log, upto = table.system, table.log, chance.randint(1, table.log.last())
    for viewer in (*list(table.handler.state().characters)[:2], ANYBODY):
        with view_in_memory(log, system, upto) as keepers, view_in_memory(log, system, upto, viewer) as own:
            assert characters_in(keepers) == characters_in(own)
            assert fields_in(keepers) == fields_in(own)
            for about in (Target(name, field) for name in characters_in(own) for field in fields_in(own)):
                if is_open(system, about, viewer):
                    changes = seen_changes(keepers, system, log, upto, viewer, changes_of(keepers, system, about))
                    assert changes == changes_of(own, system, about), f"{about} at T{upto} for {viewer!r}"
                    undone = undone_since(keepers, about, 1)
                    entries = seen_entries(system, log, upto, viewer, [turn for turn, _, _ in undone])
                    told = [(turn, undoer, entries[turn].sentence) for turn, undoer, _ in undone]
                    assert told == undone_since(own, about, 1), f"{about} at T{upto} for {viewer!r}"
