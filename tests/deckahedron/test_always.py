"""What holds at every table, whatever is done, reported, undone or redone."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.common.campaign import Amend, Override, Redo, SheetCheck, Undo, decide
from domain.deckahedron.cards import CARDS, FRESH_DECK, WOUND_CARDS, is_wound
from domain.deckahedron.looks import HIDDEN
from domain.deckahedron.sheet import DeckahedronSheet
from domain.log.chance import Chance
from domain.log.folding import state_at
from domain.log.standing import judge, tell
from domain.system.registry import record_types
from domain.system.seam import Bar, Marks, Pips, Words
from domain.turn import Event
from tests.deckahedron.tables import act, brog, deck, deck_of, enrol, override, scene, table, told
from tests.kit.given import Given, unchanged

NAMES = ("brog", "Orik")
ATTRIBUTES = ("strength", "dexterity", "intelligence")
OPTIONS = {
    "third_strain": ("wound_only", "both"),
    "incapacitated_when": ("cannot_pay", "none_left"),
    "wound_card_in_search": ("no_effect", "as_flip"),
    "regained_to": ("discard", "deck"),
    "rested_to": ("deck", "discard"),
    "wound_card_removed": (True, False),
    "rest_hours": (4, 1),
}
seeds = st.integers(0, 2**32)
modest = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# -- random tables


def report_of_a_search(chance: Random, sheet: DeckahedronSheet, points: int) -> list[str] | None:
    """The cards a table might turn over in this search; None if the deck does not hold enough Stamina."""
    order = chance.sample(sheet.deck, len(sheet.deck))
    for length in range(1, len(order) + 1):
        if sum(CARDS[card].stamina for card in order[:length]) == points:
            return order[:length]
    return None


def report_of_an_attempt(chance: Random, sheet: DeckahedronSheet, cards: int) -> list[str] | None:
    """The cards a table might flip in this attempt, not telling what a Wound card costs."""
    order = chance.sample(sheet.deck, len(sheet.deck))[:cards]
    wounds = [place for place, card in enumerate(order) if is_wound(card)]
    if wounds:
        return order[: wounds[0] + 1]
    return order if len(order) == cards else None


def something(chance: Random, at: Given) -> dict[str, Any]:
    """One thing that might be done at this table; not all of it is legal."""
    who = chance.choice(NAMES)
    sheet = at.scribe.state().characters.get(who)
    reports = sheet is not None and chance.random() < 0.5
    points, cards = chance.choice((1, 1, 1, 2, 3, 6)), chance.choice((1, 1, 2, 3, 5))
    search = report_of_a_search(chance, sheet, points) if reports and sheet else None
    single = report_of_a_search(chance, sheet, 1) if reports and sheet else None
    attempt = report_of_an_attempt(chance, sheet, cards) if reports and sheet else None
    flipped = report_of_an_attempt(chance, sheet, 1) if reports and sheet else None
    day = chance.choice((None, 1, 2, 3))
    first = chance.random() < 0.2
    shuffled = chance.sample((*sheet.deck, *sheet.discard), len(sheet.deck) + len(sheet.discard)) if sheet else []
    everything = {
        "deckahedron.lose_stamina": (
            act("lose_stamina", who, points=points, reshuffle_first=True, shuffled=shuffled if reports else None)
            if first
            else act("lose_stamina", who, points=points, flipped=search)
        ),
        "deckahedron.flip": act("flip", who, attribute=chance.choice(ATTRIBUTES), cards=cards, flipped=attempt),
        "deckahedron.breather": act("breather", who, attribute=chance.choice(ATTRIBUTES), flipped=flipped),
        "deckahedron.strain": act("strain", who, what="a bruise", flipped=single),
        "deckahedron.wound": act("wound", who, what="a cut", flipped=single),
        "deckahedron.rest": act("rest", who, hours=chance.choice((1, 4, 8)), day=day),
        "deckahedron.heal": act("heal", who, by=chance.choice((None, "magic")), day=day),
        "deckahedron.effort": act("effort", who, what="study", hours=chance.choice((1, 8)), day=day),
        "deckahedron.scene": scene(chance.choice(("combat", "combat", "camp", "haven", "travel"))),
        "deckahedron.attack": act(
            "attack",
            None,
            attacker=who,
            defender=next(name for name in NAMES if name != who),
            style=chance.choice(("melee", "ranged")),
            flipped=flipped,
        ),
        "deckahedron.storyteller": act("storyteller", who, meaning="stunned", recovered=chance.random() < 0.7),
        "override": override(
            name=who,
            exhaustion=[card for card in shuffled[:3] if not is_wound(card)],
            discard=[card for card in shuffled[3:6] if sheet and card not in sheet.exhaustion],
        ),
    }
    return everything[chance.choice(tuple(everything))]


def play(chance: Random, turns: int = 14) -> Given:
    """A table at which two characters have done random things."""
    options = {name: chance.choice(values) for name, values in OPTIONS.items()}
    at = table(enrol(deck=None), enrol("Orik", deck=None), options=options, seed=chance.randrange(10**6))
    while at.log.last() < turns:
        at.when(something(chance, at))
        all_cards_lie_somewhere_once(at)
    return at


def all_cards_lie_somewhere_once(at: Given) -> None:
    for name, sheet in at.scribe.state().characters.items():
        lying = Counter((*sheet.deck, *sheet.discard, *sheet.exhaustion))
        assert lying == Counter((*FRESH_DECK, *sheet.wound_cards)), name
        assert not any(is_wound(card) for card in sheet.exhaustion)
        shown = at.sheet(name)
        assert shown["deck_count"] + len(shown["discard"]) + len(shown["exhaustion"]) == 20 + len(shown["wound_cards"])
        assert shown["harm"] <= 2
        assert shown["wounds"] <= 2


def revise(chance: Random, at: Given) -> None:
    """Undo, redo or amend something; what stands in the way is dropped or kept."""
    settle = chance.choice(("drop", "keep"))
    if chance.random() < 0.25:
        at.when({"type": "redo", "conflicts": settle})
    else:
        at.when({"type": "undo", "turns": [chance.randint(2, at.log.last())], "conflicts": settle})


# -- the properties


@modest
@given(seeds)
def test_20_cards_and_the_wound_cards_lie_somewhere_once_after_every_turn(seed: int) -> None:
    chance = Random(seed)
    at = play(chance)
    for _ in range(4):
        revise(chance, at)
        all_cards_lie_somewhere_once(at)
        at.when(something(chance, at))
        all_cards_lie_somewhere_once(at)


@modest
@given(seeds)
def test_undo_then_redo_is_nothing(seed: int) -> None:
    chance = Random(seed)
    at = play(chance)
    before, facts = at.sheets(), facts_of(at)
    for _ in range(3):
        at.when({"type": "undo", "turns": [chance.randint(2, at.log.last())], "conflicts": "drop"})
        if at.error is None:
            at.when({"type": "redo"})
            assert at.error is None
            assert at.sheets() == before
            assert facts_of(at)[: len(facts)] == facts


def facts_of(at: Given) -> list[tuple[Event, ...]]:
    return [each.facts if each.standing else () for each in tell(at.log)]


@modest
@given(seeds)
def test_deciding_each_standing_turn_again_tells_what_the_log_tells(seed: int) -> None:
    chance = Random(seed)
    at = play(chance)
    for _ in range(3):
        revise(chance, at)
    judgement = judge(at.log)
    state = at.system.opening()
    for each in tell(at.log):
        if not each.standing or isinstance(each.turn.action, Undo | Redo | Amend):
            continue
        pinned = each.turn.number == 1 or each.kept or isinstance(each.action, Override | SheetCheck)
        if not pinned:
            again = Chance(each.turn.seed, judgement.chance(each.turn), lenient=True, used=at.scribe.used)
            assert tuple(decide(at.system, state, each.action, again, each.turn.number).events) == each.facts
        for event in each.facts:
            at.system.evolve[type(event)](state, event)


@modest
@given(seeds)
def test_a_state_rebuilt_is_the_state_caught_up(seed: int) -> None:
    chance = Random(seed)
    at = play(chance)
    revise(chance, at)
    at.when(something(chance, at))
    assert at.scribe.state() == state_at(at.system, at.log)


@modest
@given(seeds)
def test_remembering_is_total_over_any_order_of_facts(seed: int) -> None:
    chance = Random(seed)
    facts = [event for each in tell(play(chance).log) for event in each.facts]
    chance.shuffle(facts)
    at = table()
    state = at.system.opening()
    for event in facts[: chance.randint(0, len(facts))]:
        at.system.evolve[type(event)](state, event)
    for name in state.characters:
        at.system.drawn(state, name, at.system.shown(state, name))


@modest
@given(seeds)
def test_no_sentence_tells_the_order_of_the_deck(seed: int) -> None:
    for each in tell(play(Random(seed)).log):
        for event in each.facts:
            said = "".join(event.told())
            assert said
            order = getattr(event, "deck", ())
            assert len(order) < 4 or ", ".join(order[:4]) not in said


# -- decided again: what the table reported


def test_a_reported_card_is_used_again_if_it_is_still_in_the_deck() -> None:
    at = brog(("3", "0"), act("lose_stamina", points=1, flipped=["12"]), act("lose_stamina", points=1, flipped=["13"]))
    at.when({"type": "undo", "turns": [3]}).has("brog", exhaustion=["13"])


def test_otherwise_the_recorded_deck_decides() -> None:
    at = table(
        enrol(top=("3", "10")),
        act("lose_stamina", points=1, flipped=["12"]),
        act("flip", attribute="strength", flipped=["7"]),
    )
    at.when({"type": "amend", "turn": 3, "action": act("lose_stamina", points=1, flipped=["7", "12"])})
    assert at.error is None
    at.has("brog", discard=["7", "3"], exhaustion=["12"])


def test_a_report_that_has_become_too_short_is_completed_from_the_deck() -> None:
    at = brog(("3", "0"), act("strain", what="a"), act("strain", what="b"), act("strain", what="c", flipped=["19"]))
    ruling = {"type": "ruling", "rule": "17", "text": "both", "set": {"third_strain": "both"}, "since": "T1"}
    at.when(ruling)
    assert at.error is None
    assert "19" in at.sheet("brog")["exhaustion"]
    at.has("brog", stamina_left=6)


def test_a_report_that_has_become_too_long_is_used_as_far_as_it_goes() -> None:
    options = {"third_strain": "both"}
    at = brog((), act("strain", what="a"), act("strain", what="b"), **options)
    at.when(act("strain", what="c", flipped=["19", "18"])).has("brog", stamina_left=6)
    at.when({"type": "ruling", "rule": "17", "text": "one", "set": {"third_strain": "wound_only"}, "since": "T1"})
    assert at.error is None
    at.has("brog", stamina_left=7)
    assert at.sheet("brog")["exhaustion"][-1] == "19"
    at.when({"type": "undo"}).has("brog", stamina_left=6)
    assert at.sheet("brog")["exhaustion"][-2:] == ["19", "18"]


def test_a_later_turn_that_is_no_longer_legal_is_a_conflict() -> None:
    at = brog((), scene("combat"), act("breather", attribute="dexterity"))
    at.when({"type": "undo", "turns": [3]}).conflicts(4)


# -- what the deck keeps to itself


def test_the_order_of_the_deck_is_no_sheet_field() -> None:
    at = brog()
    assert not HIDDEN & at.sheet("brog").keys()
    at.when(override(deck=list(deck()))).invalid("deck")
    at.when(override(deck_count=3)).invalid("deck_count")
    at.when(override(stamina_left=3)).invalid("stamina_left")


def test_every_event_can_be_stored_and_read_back() -> None:
    import msgspec

    at = play(Random(7), turns=30)
    turn = record_types("deckahedron").turn
    for each in at.log.read():
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(each), type=turn) == each


# -- overrides


def test_an_override_may_lay_out_the_piles_and_the_deck_is_shuffled_anew() -> None:
    at = brog((), act("lose_stamina", points=2))
    at.when(override(discard=["3", "12"], exhaustion=["19"]))
    at.has("brog", discard=["3", "12"], exhaustion=["19"], deck_count=17, stamina_left=9)
    assert set(deck_of(at)) == set(FRESH_DECK) - {"3", "12", "19"}
    assert deck_of(at) != tuple(sorted(deck_of(at), key=FRESH_DECK.index))
    assert "shuffled anew" in told(at)


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"discard": ["3", "3"]}, "DH 1"),
        ({"discard": ["3"], "exhaustion": ["3"]}, "DH 1"),
        ({"discard": ["10"]}, "DH 1"),  # 10 is exhausted
        ({"discard": ["99"]}, "DH 1"),
        ({"discard": ["w1"]}, "DH 1"),
        ({"wound_cards": ["w1", "w1"]}, "DH 1"),
        ({"wound_cards": ["12"]}, "DH 25"),
        ({"wound_cards": ["w1"], "exhaustion": ["w1"]}, "DH 25"),
        ({"harm": 3}, "DH 17"),
        ({"wounds": 3}, "DH 24"),
        ({"incapacitated_means": "dead"}, "DH 9"),
    ],
)
def test_an_override_that_breaks_the_sheet_is_refused(fields: dict[str, Any], rule: str) -> None:
    at = brog(("10",), act("lose_stamina", points=1))
    with unchanged(at):
        at.when(override(**fields)).refused(rule)


@pytest.mark.parametrize(
    "fields", [{"harm": -1}, {"harm": "two"}, {"discard": "3"}, {"attributes": {"strength": 5}}, {"incapacitated": 1}]
)
def test_an_override_of_another_type_is_invalid(fields: dict[str, Any]) -> None:
    brog().when(override(**fields)).invalid()


def test_an_override_gives_and_takes_wound_cards() -> None:
    at = brog((), override(wounds=1, wound_cards=["w3"])).has("brog", wound_cards=["w3"], deck_count=21)
    at.when(override(wound_cards=[])).has("brog", wound_cards=[], deck_count=20, wounds=1)


def test_an_override_of_tokens_shuffles_nothing() -> None:
    at = brog((), override(harm=2, wounds=2, incapacitated=True)).has("brog", harm=2, wounds=2, incapacitated=True)
    assert deck_of(at) == deck()
    at.when(override(incapacitated=False)).has("brog", incapacitated=False)


def test_a_paper_sheet_is_held_against_the_log() -> None:
    at = brog((), act("strain", what="a bruise"))
    at.when({"type": "sheet.check", "character": "brog", "expect": {"harm": 1, "deck_count": 9}})
    assert at.error is None
    at.when({"type": "sheet.check", "character": "brog", "expect": {"harm": 2}}).refused(None, "T3")


# -- what is looked at


def test_a_sheet_is_drawn_in_rows() -> None:
    at = brog((), act("wound", what="a cut"), act("lose_stamina", points=10))
    rows = dict(at.system.drawn(at.scribe.state(), "brog", at.sheet("brog")))
    assert rows["stamina"][0] == Pips(0, 10)
    assert rows["harm"] == (Pips(0, 2),)
    assert rows["wounds"][0] == Pips(1, 2)
    assert rows["state"] == (Words("incapacitated", "bad"),)
    assert "10" in rows["exhaustion pile"][1].text  # type: ignore[union-attr]
    assert all(isinstance(piece, Bar | Pips | Marks | Words) for row in rows.values() for piece in row)


def test_the_table_is_drawn_in_rows() -> None:
    at = brog((), scene("combat"), act("breather", attribute="dexterity", flipped=["0"]))
    assert dict(at.system.drawn_table(at.scribe.state())) == {
        "scene": (Words("combat"),),
        "foe": (Words("in a superior position", "bad"),),
    }
    at.when(scene("haven"))
    assert dict(at.system.drawn_table(at.scribe.state())) == {"scene": (Words("haven"),)}


def test_cards_that_are_legal_now_are_proposed_but_never_those_of_the_deck() -> None:
    at = brog(("10",), act("wound", what="a cut"))
    kinds = {action.__name__: action for action in at.system.actions}

    def propose(kind: str, field: str) -> list[str] | None:
        found = at.system.proposals(at.scribe.state(), kinds[kind], field, "brog")
        return None if found is None else list(found)

    assert propose("TakeWound", "card") == list(WOUND_CARDS[1:])
    assert propose("Rest", "kept") == ["10"]
    assert propose("Breather", "regained") == ["10"]
    assert propose("Flip", "flipped") is None
