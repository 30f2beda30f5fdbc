"""Lasting harm: strains and Wounds (DH 16, 17, 24, 25)."""

from domain.deckahedron.harm import HarmTaken, StrainBecameWound, WoundTaken
from domain.deckahedron.incapacitation import Incapacitated
from domain.deckahedron.stamina import StaminaLost
from tests.deckahedron.tables import act, brog, enrol, override, table

STRAIN = act("strain", what="a twisted knee")
WOUND = act("wound", what="a cut")


# -- strains


def test_16_a_strain_costs_a_stamina_and_places_a_harm_token() -> None:
    given = brog(("3", "12"), STRAIN).has("brog", harm=1, wounds=0, discard=["3"], exhaustion=["12"], stamina_left=9)
    assert given.events[-1] == HarmTaken("brog", "a twisted knee", 1)
    assert "a twisted knee" in given.sentences


def test_16_its_search_may_be_reported() -> None:
    strain = {**STRAIN, "flipped": ["7", "19"]}
    brog((), strain).has("brog", discard=["7"], exhaustion=["19"])
    brog().when({**STRAIN, "flipped": ["7"]}).refused("DH 4")
    brog().when({**STRAIN, "flipped": ["19", "7"]}).refused("DH 4")
    brog().when({**STRAIN, "shuffled": ["19", "7"]}).refused("DH 7")


def test_16_a_strain_needs_its_description() -> None:
    brog().when(act("strain")).invalid("what")


def test_17_with_two_harm_tokens_there_it_is_a_wound_instead() -> None:
    given = brog(("12", "13", "14"), STRAIN, STRAIN, STRAIN)
    given.has("brog", harm=2, wounds=1, wound_cards=["w1"], discard=["w1"], exhaustion=["12", "13", "14"])
    given.then_some(StrainBecameWound("brog", "a twisted knee")).quiet_about(HarmTaken)


def test_17_two_strains_are_no_wound() -> None:
    brog((), STRAIN, STRAIN).quiet_about(StrainBecameWound, WoundTaken).has("brog", harm=2, wounds=0, wound_cards=[])


def test_17_by_ruling_the_strain_costs_its_own_stamina_too() -> None:
    given = brog(("12", "13", "14", "15"), STRAIN, STRAIN, STRAIN, third_strain="both")
    given.has("brog", harm=2, wounds=1, exhaustion=["12", "13", "14", "15"], discard=["w1"])


def test_17_by_ruling_both_searches_are_reported_in_one_list() -> None:
    given = brog(("12", "13"), STRAIN, STRAIN, third_strain="both")
    given.when({**STRAIN, "flipped": ["14"]}).refused("DH 4")
    given.when({**STRAIN, "flipped": ["14", "0", "15"]}).has("brog", exhaustion=["12", "13", "14", "15"])


def test_17_by_ruling_a_third_strain_that_cannot_be_paid_is_no_wound() -> None:
    given = brog((), act("lose_stamina", points=10), override(harm=2), third_strain="both").when(STRAIN)
    given.quiet_about(WoundTaken).has("brog", harm=2, wounds=0, incapacitated=True)


def test_16_a_strain_that_cannot_be_paid_still_places_its_token() -> None:
    brog((), act("lose_stamina", points=10), STRAIN).has("brog", harm=1, incapacitated=True, stamina_left=0)


# -- Wounds


def test_25_a_wound_costs_a_stamina_a_token_and_a_wound_card_in_the_discard_pile() -> None:
    given = brog(("3", "12"), WOUND)
    given.has("brog", wounds=1, harm=0, discard=["3", "w1"], exhaustion=["12"], wound_cards=["w1"], stamina_left=9)
    assert isinstance(given.events[0], StaminaLost)
    assert "Wound card w1" in given.sentences


def test_25_the_lowest_free_wound_card_is_taken_unless_another_is_named() -> None:
    brog((), WOUND, WOUND).has("brog", wound_cards=["w1", "w2"])
    brog((), {**WOUND, "card": "w2"}, WOUND).has("brog", wound_cards=["w1", "w2"])
    brog((), {**WOUND, "card": "w4"}).has("brog", wound_cards=["w4"])


def test_25_a_wound_card_already_borne_is_refused() -> None:
    brog((), {**WOUND, "card": "w3"}).when({**WOUND, "card": "w3"}).refused("DH 25", "w3")


def test_25_only_wound_cards_are() -> None:
    brog().when({**WOUND, "card": "w5"}).invalid("card")
    brog().when({**WOUND, "card": "12"}).invalid("card")


def test_25_each_character_has_wound_cards_of_their_own() -> None:
    given = table(enrol(), enrol("Orik"), WOUND, {**WOUND, "character": "Orik"})
    given.has("brog", wound_cards=["w1"]).has("Orik", wound_cards=["w1"])


def test_25_with_no_free_wound_card_left_a_wound_places_its_token_only() -> None:
    given = brog((), override(wound_cards=["w1", "w2", "w3", "w4"])).has("brog", deck_count=24)
    given.when(WOUND).has("brog", wounds=1, wound_cards=["w1", "w2", "w3", "w4"])
    event = given.events[-1]
    assert isinstance(event, WoundTaken)
    assert event.card is None


def test_25_a_wound_that_cannot_be_paid_still_places_token_and_card() -> None:
    brog((), act("lose_stamina", points=10), WOUND).has("brog", wounds=1, wound_cards=["w1"], incapacitated=True)


def test_25_the_wound_card_comes_after_the_search_and_its_reshuffle() -> None:
    given = brog((), act("lose_stamina", points=9), act("flip", attribute="strength", flipped=["19"]))
    given.when({**WOUND, "shuffled": ["w1", "19"]}).refused("DH 8")
    given.when(WOUND).has("brog", stamina_left=0, incapacitated=False, wound_cards=["w1"])
    assert given.sheet("brog")["discard"][-1] == "w1"


def test_24_a_wound_on_two_incapacitates_and_nothing_else() -> None:
    given = brog((), WOUND, WOUND)
    before = given.sheet("brog")
    given.when(WOUND).then(Incapacitated("brog", "DH 24", "a cut"))
    assert given.sheet("brog") == before | {"incapacitated": True}


def test_24_the_card_named_for_it_is_ignored() -> None:
    brog((), WOUND, WOUND).when({**WOUND, "card": "w1"}).then(Incapacitated("brog", "DH 24", "a cut"))


def test_24_nothing_is_flipped_for_it() -> None:
    given = brog((), WOUND, WOUND)
    given.when({**WOUND, "flipped": ["13"]}).refused("DH 24")
    given.when({**WOUND, "shuffled": ["13"]}).refused("DH 7")


def test_24_the_third_strain_on_two_wounds_incapacitates() -> None:
    brog((), WOUND, WOUND, STRAIN, STRAIN, STRAIN).has("brog", harm=2, wounds=2, incapacitated=True)


def test_24_a_second_wound_is_none_too_many() -> None:
    brog((), WOUND, WOUND).quiet_about(Incapacitated).has("brog", wounds=2, incapacitated=False)
