"""What is looked at: the sheet and the table in rows, and the cards that are proposed."""

from random import Random

from hypothesis import given

from domain.deckahedron.cards import WOUND_CARDS
from domain.log.effective_history import effective_turns
from domain.system.rows import Bar, Bit, Marks, Phrase, Pips
from tests.deckahedron.subject import SUBJECT
from tests.deckahedron.tables import act, brog, enrol, scene, table
from tests.kit.given import Given
from tests.kit.tables import MODEST, chances, fresh


def test_a_sheet_is_drawn_in_rows() -> None:
    at = brog((), act("wound", what="a cut"), act("lose_stamina", points=10))
    rows = dict(at.system.rows(at.handler.state(), "brog", at.sheet("brog")))
    assert rows["stamina"][0] == Pips(0, 10)
    assert rows["harm"] == (Pips(0, 2),)
    assert rows["wounds"][0] == Pips(1, 2)
    assert rows["state"] == (Phrase("incapacitated", "bad"),)
    assert "10" in rows["exhaustion pile"][1].text  # type: ignore[union-attr]
    assert all(isinstance(piece, Bar | Pips | Marks | Phrase) for row in rows.values() for piece in row)


def test_a_sheet_is_told_in_one_line() -> None:
    def line(at: Given) -> tuple[Bit, ...]:
        (bits,) = at.system.brief(at.handler.state(), "brog", at.sheet("brog"))
        return tuple(bits)

    assert line(brog(())) == (Bar(10, 10), Phrase("deck 20", "faint"))
    at = brog((), act("wound", what="a cut"), act("lose_stamina", points=10))
    down = Bar(0, 10), Phrase("deck 0", "faint"), Phrase("wounds", "bad"), Pips(1, 2)
    assert line(at) == (*down, Phrase("incapacitated", "bad"))
    at.when(act("storyteller", meaning="asleep"))
    assert line(at) == (*down, Phrase("asleep", "bad"))
    assert dict(at.system.rows(at.handler.state(), "brog", at.sheet("brog")))["state"] == (
        Phrase("incapacitated: asleep", "bad"),
    )


def test_cards_that_lie_on_the_table_are_said_to() -> None:
    for cards, more in ("log", ()), ("table", (Phrase("on the table", "faint"),)):
        at = table(enrol(cards=cards))
        deck = dict(at.system.rows(at.handler.state(), "brog", at.sheet("brog")))["deck"]
        assert deck == (Phrase("20 cards"), *more)


def test_the_table_is_drawn_in_rows() -> None:
    at = brog((), scene("combat"), act("breather", attribute="dexterity", flipped=["0"]))
    assert dict(at.system.table_rows(at.handler.state())) == {
        "scene": (Phrase("combat"),),
        "foe": (Phrase("in a superior position", "bad"),),
    }
    at.when(scene("haven"))
    assert dict(at.system.table_rows(at.handler.state())) == {"scene": (Phrase("haven"),)}


def test_cards_that_are_legal_now_are_proposed_but_never_those_of_the_deck() -> None:
    at = brog(("10",), act("wound", what="a cut"))
    kinds = {action.__name__: action for action in at.system.actions}

    def propose(kind: str, field: str) -> list[str] | None:
        found = at.system.proposals(at.handler.state(), kinds[kind], field, "brog")
        return None if found is None else list(found)

    assert propose("TakeWound", "card") == list(WOUND_CARDS[1:])
    assert propose("TakeWound", "what") is None
    assert propose("Rest", "kept") == ["10"]
    assert propose("Breather", "regained") == ["10"]
    assert propose("Flip", "flipped") is None


@MODEST
@given(chance=chances)
def test_no_sentence_tells_the_order_of_the_deck(chance: Random) -> None:
    for effective_turn in effective_turns(fresh(chance, SUBJECT).log):
        for event in effective_turn.facts:
            sentence = "".join(event.sentence())
            assert sentence
            order = getattr(event, "deck", ())
            assert len(order) < 4 or ", ".join(order[:4]) not in sentence
