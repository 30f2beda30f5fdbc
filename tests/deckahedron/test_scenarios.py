"""The worked scenarios, each from the first card to the sheet."""

from tests.deckahedron.tables import act, brog, deck, enrol, override, scene, table
from tests.kit.given import Given


def test_4_a_search_ends_at_the_first_stamina() -> None:
    brog(("3", "0", "12", "5"), act("lose_stamina", points=1)).has(
        "brog", deck_count=17, discard=["3", "0"], exhaustion=["12"], stamina_left=9
    )


def nearly_spent() -> Given:
    """Deck 2, 14, 5 in this order; the exhaustion pile holds six cards, the discard pile eleven."""
    discarded = ["0", "1", "3", "4", "6", "7", "8", "9", "11", "18", "19"]
    exhausted = ["10", "12", "13", "15", "16", "17"]
    given = table(
        enrol(top=("10", "12", "13", "15", "16", "17", *discarded, "2", "14", "5")),
        act("lose_stamina", points=6),
        act("flip", attribute="strength", cards=11),
    )
    return given.has("brog", deck_count=3, discard=discarded, exhaustion=exhausted)


def test_8_a_search_that_finds_too_little_must_reshuffle_and_goes_on() -> None:
    order = ["0", "19", "7", "11", "18", "1", "3", "4", "6", "8", "9", "2", "5"]
    given = nearly_spent().when(act("lose_stamina", points=3, shuffled=order))
    given.has("brog", deck_count=9, discard=["0", "7"], stamina_left=1)
    assert given.sheet("brog")["exhaustion"] == ["10", "12", "13", "15", "16", "17", "14", "19", "11"]


def test_12_to_15_a_breather_on_one_tick_brings_both_cards_back_and_moves_the_foe() -> None:
    given = table(enrol(top=("10", "12", "4")), act("lose_stamina", points=2), scene("combat"))
    given.has("brog", exhaustion=["10", "12"])
    given.when(act("breather", attribute="intelligence", flipped=["4"], rolled=3))
    given.has("brog", exhaustion=[], stamina_left=10).table_has(foe_superior=True)
    assert set(given.sheet("brog")["discard"]) == {"4", "10", "12"}


def test_10_and_11_no_breather_by_strength_or_in_camp() -> None:
    given = brog(("3",), scene("combat"))
    given.when(act("breather", attribute="strength")).refused("DH 11")
    given.when(scene("camp")).when(act("breather", attribute="intelligence")).refused("DH 10")


def all_cards_of(given: Given) -> int:
    sheet = given.sheet("brog")
    return int(sheet["deck_count"]) + len(sheet["discard"]) + len(sheet["exhaustion"])


def test_16_17_24_25_five_strains_from_a_fresh_deck() -> None:
    given = table(enrol(top=deck()))
    for harm, wounds, all_cards in ((1, 0, 20), (2, 0, 20), (2, 1, 21), (2, 2, 22)):
        given.when(act("strain", what="a twisted knee")).has("brog", harm=harm, wounds=wounds, incapacitated=False)
        assert all_cards_of(given) == all_cards
    given.when(act("strain", what="one too many")).has("brog", harm=2, wounds=2, incapacitated=True)
    assert len(given.sheet("brog")["exhaustion"]) == 4


def test_the_same_scenario_may_be_set_up_by_an_override() -> None:
    given = brog().when(override(exhaustion=["10", "12"], discard=["3"]))
    given.has("brog", exhaustion=["10", "12"], discard=["3"], deck_count=17, stamina_left=8)
