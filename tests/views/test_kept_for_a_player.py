"""The kept view of a player is the one made from nothing for that player, whatever was revealed or taken back since."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given

from domain.common.revisions import Undo
from domain.common.sheets import Override
from domain.gloomhaven.rounds import EndTurn, Reveal, Select
from domain.log.port import MemorySnapshots
from projections.chronicle_range import entries_between
from projections.filters import Filters
from projections.secrecy import ANYBODY, TABLE
from projections.views import catching_up, earlier_view
from projections.views.chronicle_queries import entries
from projections.views.earlier_view import brought_back
from projections.views.tables import OWN, TABLES, quote
from projections.views.view import View, kept_view
from tests.gloomhaven.tables import brog, selecting, spell
from tests.kit.given import Given
from tests.kit.subjects import Subject, secretive
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import FEW, chances, fresh, play, revised
from tests.kit.twins import Twins
from tests.kit.views import contents, view_in_memory
from tests.views.test_catching_up import as_read, check_full_text
from tests.views.test_earlier_points import contents as contents_then

SUBJECTS = secretive()


def viewers(table: Given) -> tuple[str, ...]:
    """Two players, a stranger, and a screen that everybody looks at; at these tables each plays who has their name."""
    return (*list(table.handler.state().characters)[:2], ANYBODY, TABLE)


def check_entries(table: Given, found: View, viewer: str, upto: int | None = None) -> None:
    """Each turn reads as in a range that this player reads from the log."""
    last = upto or table.log.last()
    from_the_log = entries_between(table.system, table.log, last, 1, last, viewer=viewer)
    assert list(map(as_read, entries(found))) == list(map(as_read, from_the_log)), f"for {viewer!r}"


@FEW
@given(chance=chances)
def test_step_by_step_is_the_same_as_from_nothing(subject: Subject, tmp_path_factory: Any, chance: Random) -> None:
    folder = tmp_path_factory.mktemp("views")
    table = fresh(chance, subject)
    paths = {viewer: folder / f"{number}.sqlite" for number, viewer in enumerate(viewers(table))}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catching_up, "AT_ONCE", 2)
        for _ in range(chance.randint(8, 20)):
            play(chance, subject, table, 1, revising=0.3)
            for viewer, path in paths.items():
                if chance.random() < 0.5:
                    kept_view(path, table.log, table.system, viewer).close()
        for viewer, path in paths.items():
            with (
                kept_view(path, table.log, table.system, viewer) as found,
                view_in_memory(table.log, table.system, None, viewer) as anew,
            ):
                assert contents(found) == contents(anew), f"for {viewer!r}"
                assert found.ask("SELECT * FROM face_down") == anew.ask("SELECT * FROM face_down")
                check_full_text(found)
                check_entries(table, found, viewer)


@FEW
@given(chance=chances)
def test_brought_back_to_a_point_it_is_the_one_that_was_made_there(
    subject: Subject, tmp_path_factory: Any, chance: Random
) -> None:
    folder = tmp_path_factory.mktemp("views")
    table = (revised if chance.random() < 0.5 else fresh)(chance, subject)
    table.log.snapshots = MemorySnapshots()
    last = table.log.last()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(earlier_view, "AT_ONCE", 2)
        for number, viewer in enumerate(viewers(table)):
            for upto in {chance.randint(1, last), chance.randint(max(1, last - 3), last)}:
                kept = kept_view(folder / f"{number}.sqlite", table.log, table.system, viewer)
                with (
                    brought_back(kept, table.log, table.system, upto, viewer) as found,
                    view_in_memory(table.log, table.system, upto, viewer) as then,
                ):
                    assert contents_then(found) == contents_then(then), f"T{upto} of {last} for {viewer!r}"
                    check_entries(table, found, viewer, upto)


def words_found(path: Path, table: Given, viewer: str, words: str) -> list[int]:
    with kept_view(path, table.log, table.system, viewer) as found:
        return [entry.turn for entry in entries(found, Filters(grep=words, kinds=["gloomhaven.select"]))]


def test_a_reveal_is_read_in_the_turn_of_the_choice_and_its_undo_hides_it_again(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    table = selecting(brog(), spell()).and_given(Select(character="brog", lead=1, second=4))
    chosen = table.log.last()
    table.and_given(Select(character="spell", lead=61, second=62))
    assert words_found(path, table, "ann", "Trample") == [chosen]
    other = tmp_path / "other.sqlite"
    assert words_found(other, table, "ben", "Trample") == []
    assert words_found(other, table, "ben", "two cards") == [chosen]
    made = other.stat().st_ino
    table.and_given(Reveal())
    assert words_found(other, table, "ben", "Trample") == [chosen]
    table.and_given(Undo())
    assert words_found(other, table, "ben", "Trample") == []
    table.and_given(Reveal(), EndTurn(character="spell"))
    assert words_found(other, table, "ben", "Trample") == [chosen]
    assert other.stat().st_ino == made, "it was caught up"


def test_what_was_chosen_and_taken_back_is_read_by_whoever_plays_the_character_now(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    table = selecting(brog(), spell()).and_given(Select(character="brog", lead=1, second=4))
    chosen = table.log.last()
    table.and_given(Undo(), Select(character="brog", lead=2, second=3), Select(character="spell", lead=61, second=62))
    table.and_given(Reveal())  # from here on nothing lies face down, and nobody else ever sees what was taken back
    for player, turns in (("ann", []), ("ben", [chosen]), ("ann", [])):
        table.and_given(Override(character="brog", set={"player": player}, why="Who is here plays."))
        assert words_found(path, table, "ben", "Trample") == turns


def test_a_choice_that_was_entered_late_is_read_at_its_place(tmp_path: Path) -> None:
    path, late = tmp_path / "view.sqlite", {"type": "gloomhaven.select", "character": "spell", "conflicts": "keep"}
    table = selecting(brog(), spell()).and_given(Select(character="brog", lead=1, second=4))
    place = table.log.last()
    table.and_given(Select(character="spell", lead=63, second=64))
    assert words_found(path, table, "ann", "Reviving Ether") == []
    table.and_given(Reveal())
    assert words_found(path, table, "ann", "Reviving Ether") == [place + 1]
    assert table.when({"type": "undo", "turns": [place + 1], "conflicts": "keep"}).error is None
    assert words_found(path, table, "ann", "Reviving Ether") == [], "what is undone was never revealed"
    assert table.when({**late, "lead": 61, "second": 62, "after": f"T{place}"}).error is None
    assert words_found(path, table, "ann", "Fire Orbs") == [table.log.last()], "the reveal is after its place"
    with kept_view(path, table.log, table.system, "ann") as found:
        check_entries(table, found, "ann")


def test_who_plays_another_character_sees_the_choices_made_for_it(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    table = selecting(brog(), spell()).and_given(Select(character="brog", lead=1, second=4))
    assert words_found(path, table, "ben", "Trample") == []
    override: dict[str, Any] = {"type": "override", "character": "brog", "set": {"player": "ben"}, "why": "Ann is ill."}
    assert table.when(override).error is None
    assert words_found(path, table, "ben", "Trample") != []
    with kept_view(path, table.log, table.system, "ben") as kept:
        upto = table.log.last() - 1
        with (
            brought_back(kept, table.log, table.system, upto, "ben") as found,
            view_in_memory(table.log, table.system, upto, "ben") as then,
        ):
            assert contents_then(found) == contents_then(then)
            assert not list(entries(found, Filters(grep="Trample")))


@FEW
@given(chance=chances)
def test_the_file_of_a_player_does_not_tell_apart_what_others_keep_secret(
    subject: Subject, tmp_path_factory: Any, chance: Random
) -> None:
    """Every row of every table, the view's own ones too."""
    folder = tmp_path_factory.mktemp("views")
    twins = Twins(chance, subject)
    if not twins.tell_apart:
        return
    files = []
    for number, table in enumerate((twins.one, twins.other)):
        with kept_view(folder / f"{number}.sqlite", table.log, table.system, twins.viewer) as found:
            names = (*TABLES, *OWN, "sheets", "turns_fts")
            files.append({name: found.ask(f"SELECT * FROM {quote(name)} ") for name in names})
            assert found.ask("SELECT state FROM position") == [(None,)]
    assert files[0] == files[1]
