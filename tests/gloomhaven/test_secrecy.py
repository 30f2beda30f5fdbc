"""GH 87: what one player is shown of another's cards, and that nothing shown tells two hands apart."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.common.sheets import Override, SheetCheck
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.levels import ChooseHand, LevelUp
from domain.gloomhaven.rounds import BeginRound, CleanUp, DeclareLongRest, EndTurn, Reveal, Select
from domain.gloomhaven.scenarios import BeginScenario, EndScenario
from domain.log.folding import state_at, steps
from domain.turn import Action
from projections.chronicle import entry_for
from projections.chronicle_range import chronicle, entries_between
from projections.secrecy import sheet_for
from projections.sheets import state_as_now
from tests.gloomhaven.tables import BRUTE, brog, piles, rush, selecting, spell
from tests.kit.given import Given

modest = settings(max_examples=40, deadline=None)


def seen_sheet(table: Given, viewer: str) -> dict[str, Any]:
    """Brog's sheet as a player is shown it now."""
    return sheet_for(table.system, table.handler.state(), "brog", viewer)


def seen_by(table: Given, viewer: str) -> Iterator[str]:
    """Everything that a player is shown: sheets as JSON and in rows, the table, what is open, and every turn."""
    system, now = table.system, state_at(table.system, table.log)
    yield repr(system.table_view(now))
    yield repr(system.table_rows(now))
    for name in now.characters:
        sheet = sheet_for(system, now, name, viewer)
        yield msgspec.json.encode(sheet).decode()
        yield repr(system.rows(now, name, sheet))
        yield repr(system.pending_for(now, name))
    yield from (sentence for _, sentence in turns_of(table, viewer))


def turns_of(table: Given, viewer: str | None) -> list[tuple[str, str]]:
    """Each turn as a player (None: the keeper) is shown it: (JSON, sentence)."""
    now, shown = state_at(table.system, table.log), []
    for effective_turn, state in steps(table.system, table.log):
        entry = entry_for(table.system, effective_turn, state, now, viewer)
        value = {"action": entry.action, "events": entry.events}
        text = msgspec.json.encode({**value, "chance": effective_turn.turn.chance}).decode()
        shown.append((text, f"{text} {entry.sentence}"))
    return shown


def select(lead: int, second: int, name: str = "brog") -> Select:
    return Select(character=name, lead=lead, second=second)


def both() -> Given:
    return selecting(brog(), spell())


# -- sheets ------------------------------------------------------------------------------------------------


def test_hands_of_others_are_counted_always() -> None:
    table = both()
    sheet = seen_sheet(table, "ben")
    assert (sheet["hand"], sheet["selected"]) == (10, 0)
    own = seen_sheet(table, "ANN")
    assert own["hand"] == list(BRUTE)


def test_selected_cards_of_others_are_counted_until_the_reveal() -> None:
    table = both().and_given(select(1, 4), select(61, 62, "spell"))
    sheet = seen_sheet(table, "ben")
    assert (sheet["hand"], sheet["selected"], sheet["lost"]) == (8, 2, [])
    table.and_given(Reveal())
    sheet = seen_sheet(table, "ben")
    assert (sheet["hand"], sheet["selected"], sheet["initiative"]) == (8, [1, 4], 72)


def test_nobody_but_the_keeper_sees_the_cards_of_a_character_without_a_player() -> None:
    table = selecting(brog(player=None))
    assert seen_sheet(table, "ben")["hand"] == 10


def test_a_veiled_pile_is_drawn_as_a_count() -> None:
    table = both()
    state = table.handler.state()
    rows = dict(table.system.rows(state, "brog", seen_sheet(table, "ben")))
    assert rows["hand"][0].text == "10 cards"  # type: ignore[union-attr]


def test_a_selection_whose_round_never_began_lies_face_down() -> None:
    """As everything known since lets an earlier point read: the round was taken back, and what was selected kept."""
    table = both().and_given(select(1, 4))
    assert table.when({"type": "undo", "turns": [5], "conflicts": "keep"}).outcome
    read = state_as_now(table.system, table.log, 6)
    assert (read.table.phase, sheet_for(table.system, read, "brog", "ben")["selected"]) == (None, 2)


# -- turns -------------------------------------------------------------------------------------------------


def test_a_selection_is_told_without_its_cards_until_the_reveal() -> None:
    table = both().and_given(select(1, 4), select(61, 62, "spell"))
    shown = turns_of(table, "ben")[-2]
    assert "Trample" not in shown[1]
    assert "Brog selects two cards." in shown[1]
    assert "Trample" in turns_of(table, "ann")[-2][1]
    table.and_given(Reveal())
    assert "Brog selects Trample, then Provoking Roar." in turns_of(table, "ben")[-3][1]


def test_later_rounds_keep_an_earlier_selection_open_to_all() -> None:
    table = both().and_given(select(1, 4), select(61, 62, "spell"), Reveal())
    table.and_given(EndTurn(character="spell"), EndTurn(character="brog"), CleanUp(), BeginRound())
    assert any("Brog selects Trample" in sentence for _, sentence in turns_of(table, "ben"))
    table.and_given(select(2, 3))
    assert not any("Eye for an Eye" in sentence for _, sentence in turns_of(table, "ben")[4:])


def test_a_replaced_selection_stays_secret_after_the_reveal() -> None:
    table = both().and_given(select(5, 6), select(1, 4), select(61, 62, "spell"), Reveal())
    sentences = [sentence for _, sentence in turns_of(table, "ben")]
    assert not any("selects Overwhelming" in sentence for sentence in sentences)
    assert any("Brog selects Trample" in sentence for sentence in sentences)


def test_an_undone_selection_stays_secret_after_the_reveal() -> None:
    table = both().and_given(select(5, 6))
    assert table.when({"type": "undo"}).outcome
    table.and_given(select(1, 4), select(61, 62, "spell"), Reveal())
    assert not any("selects Overwhelming" in sentence for _, sentence in turns_of(table, "ben"))


def test_an_undone_reveal_hides_the_selection_again() -> None:
    table = both().and_given(select(1, 4), select(61, 62, "spell"), Reveal())
    assert table.when({"type": "undo"}).outcome
    assert not any("Brog selects Trample" in sentence for _, sentence in turns_of(table, "ben"))


def test_an_amended_selection_is_told_without_its_cards() -> None:
    table = both().and_given(select(1, 4))
    whole = {"type": "gloomhaven.select", "character": "BROG", "lead": "grab and go", "second": 5}
    assert table.when({"type": "amend", "turn": table.log.last(), "action": whole}).outcome
    assert not any("grab" in sentence.casefold() for sentence, _ in turns_of(table, "ben")[4:])
    assert any("grab" in sentence.casefold() for sentence, _ in turns_of(table, "ann")[4:])
    assert turns_of(table, "ben")[-1][1].endswith("Amends T6.")


def test_what_was_amended_before_the_reveal_stays_secret_after_it() -> None:
    table = both().and_given(select(1, 4))
    turn = table.log.last()
    whole = {"type": "gloomhaven.select", "character": "brog", "lead": 6, "second": 5}
    assert table.when({"type": "amend", "turn": turn, "action": whole}).outcome
    (before,) = [entry for entry in chronicle(table.system, table.log, viewer="ben") if entry.turn == turn]
    assert (before.sentence, before.sentence_then) == ("Brog selects two cards.", "Brog selects two cards.")
    table.and_given(select(61, 62, "spell"), Reveal())
    (after,) = [entry for entry in chronicle(table.system, table.log, viewer="ben") if entry.turn == turn]
    assert after.sentence == "Brog selects Grab and Go, then Overwhelming Assault."
    assert after.sentence_then == "Brog selects two cards."
    (own,) = [entry for entry in chronicle(table.system, table.log, viewer="ann") if entry.turn == turn]
    assert own.sentence_then == "Brog selects Trample, then Provoking Roar."


@pytest.mark.parametrize(
    "action",
    [
        Override(character="brog", set={"hand": list(BRUTE), "xp": 3}, why="as dealt"),
        SheetCheck(character="brog", expect={"hand": list(BRUTE), "xp": 0}),
    ],
)
def test_a_hand_that_is_set_or_checked_is_not_told(action: Action) -> None:
    table = Given("gloomhaven", brog(), spell()).and_given(action)
    text, sentence = turns_of(table, "ben")[-1]
    assert "[1,2,3" not in text.replace(" ", "")
    assert "[1,2,3" not in sentence.replace(" ", "")
    assert turns_of(table, "ann")[-1][0] == turns_of(table, None)[-1][0]


def test_what_is_no_secret_is_told_as_it_is() -> None:
    table = both().and_given(Damage(character="brog", amount=1))
    assert turns_of(table, "ben")[-1] == turns_of(table, None)[-1]


@pytest.mark.parametrize("end", [Damage(character="brog", amount=99), EndScenario(won=True)])
def test_a_selection_that_never_came_to_its_reveal_stays_secret(end: Action) -> None:
    table = both().and_given(select(5, 6), end)
    if isinstance(end, EndScenario):
        table.and_given(BeginScenario(scenario="2"), BeginRound(), select(1, 4))
    table.and_given(select(61, 62, "spell"), Reveal())
    assert not any("selects Overwhelming" in sentence for _, sentence in turns_of(table, "ben"))


def test_cards_laid_out_by_the_referee_are_told_as_counts() -> None:
    table = both().and_given(piles("2 3 5", "1 4"))
    text, sentence = turns_of(table, "ben")[-1]
    assert '"hand":3' in text
    assert "[2,3,5]" not in sentence.replace(" ", "")


# -- nothing tells two tables apart ------------------------------------------------------------------------


def evening(hand: list[int], selections: list[tuple[int, int]], spoken: bool) -> Given:
    """Brog's secrets, and the same open things around them."""
    table = Given(
        "gloomhaven",
        brog(hand=tuple(hand)) if spoken else brog(),
        spell(items=(3,)),
        *([] if spoken else [ChooseHand(character="brog", hand=tuple(hand))]),
        BeginScenario(scenario="1"),
        BeginRound(),
    )
    for lead, second in selections:
        table.and_given(select(lead, second), Damage(character="brog", amount=1))
    return table.and_given(select(61, 62, "spell"))


def two_of(hand: list[int]) -> st.SearchStrategy[tuple[int, int]]:
    return st.permutations(hand).map(lambda cards: (cards[0], cards[1]))


hands = st.permutations([*BRUTE, 11, 12, 13]).map(lambda cards: cards[:10])


@modest
@given(data=st.data(), spoken=st.booleans(), times=st.integers(0, 3))
def test_before_the_reveal_others_see_the_same_whatever_was_chosen(
    data: st.DataObject, spoken: bool, times: int
) -> None:
    tables = []
    for _ in range(2):
        hand = data.draw(hands)
        tables.append(evening(hand, [data.draw(two_of(hand)) for _ in range(times)], spoken))
    assert list(seen_by(tables[0], "ben")) == list(seen_by(tables[1], "ben"))


@pytest.mark.parametrize("card", ["barrow rush", 902])
def test_a_card_gained_with_a_level_is_not_told(card: str) -> None:
    def table(gained: Any) -> Given:
        return Given("gloomhaven", brog(xp=45), spell(), rush(), LevelUp(character="brog", card=gained))

    assert list(seen_by(table(card), "ben")) == list(seen_by(table(903), "ben"))


@modest
@given(first=two_of([2, 3, 5]), second=two_of([2, 3, 5]))
def test_a_selection_given_up_for_a_rest_is_never_told(first: tuple[int, int], second: tuple[int, int]) -> None:
    def table(cards: tuple[int, int]) -> Given:
        given = both().and_given(piles("2 3 5", "1 4 9"), select(*cards), DeclareLongRest(character="brog"))
        return given.and_given(select(61, 62, "spell"), Reveal())

    assert list(seen_by(table(first), "ben")) == list(seen_by(table(second), "ben"))


def test_of_an_override_another_player_reads_which_fields_it_set_and_no_others() -> None:
    table = selecting(brog(), spell()).and_given(Override(character="brog", set={"hp": 5}, why="a potion"))
    *_, last = chronicle(table.system, table.log, viewer="ben")
    assert last.action["set"] == {"hp": 5}
    assert [event["set"] for event in last.events if "set" in event] == [{"hp": 5}]
    table.and_given(Override(character="brog", set={"hand": [*range(2, 11)], "lost": [1]}, why="lost it"))
    *_, last = chronicle(table.system, table.log, viewer="ben")
    assert last.events[0]["set"] == {"hand": None, "lost": [1]}
    assert last.events[0]["words"] == {"hand": None, "lost": ["Trample"]}
    assert "Skewer" not in last.sentence and "Sweeping Blow" not in last.sentence


def test_whom_an_enrolment_names_reads_its_hand_and_another_how_many_cards_it_has() -> None:
    hand = (901, *BRUTE[:9])
    table = Given("gloomhaven", spell(), rush(), brog(level=2, hand=hand))

    def joined(viewer: str) -> Any:
        *_, last = chronicle(table.system, table.log, viewer=viewer)
        return last

    own, of_another = joined("Ann"), joined("ben")
    assert sorted(own.action["hand"]) == sorted(hand)
    assert sorted(card["id"] for card in own.events[0]["hand"]) == sorted(hand)
    assert (of_another.action.get("hand"), of_another.events[0]["hand"]) == (None, 10)


def test_a_selection_entered_late_reads_in_a_range_as_in_the_whole() -> None:
    """It was revealed where it counts; at its own number its cards are played."""
    table = both().and_given(select(1, 4), select(61, 62, "spell"), Reveal(), EndTurn(character="spell"))
    brogs, spells = (turn.number for turn in table.log.read() if isinstance(turn.action, Select))
    assert table.when({"type": "undo", "turns": [spells], "conflicts": "keep"}).outcome
    late = {"type": "gloomhaven.select", "character": "spell", "lead": 61, "second": 62, "after": f"T{brogs}"}
    assert table.when({**late, "conflicts": "keep"}).outcome
    last = table.log.last()
    whole = {entry.turn: entry.sentence for entry in chronicle(table.system, table.log, viewer="ann")}
    (entry,) = entries_between(table.system, table.log, last, last, last, viewer="ann")
    assert entry.sentence == whole[last]
    assert "selects two cards" not in entry.sentence
