"""Lasting harm: strains and Wounds (DH 16, 17, 24, 25).

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from domain.deckahedron.harm import WoundTaken
from domain.deckahedron.incapacitation import Incapacitated
from tests.deckahedron.tables import act, brog, override

STRAIN = act("strain", what="a twisted knee")
WOUND = act("wound", what="a cut")


# -- strains


def test_16_its_search_may_be_reported() -> None:
    strain = {**STRAIN, "flipped": ["7", "19"]}
    brog((), strain).has("brog", discard=["7"], exhaustion=["19"])
    brog().when({**STRAIN, "flipped": ["7"]}).refused("DH 4")
    brog().when({**STRAIN, "flipped": ["19", "7"]}).refused("DH 4")
    brog().when({**STRAIN, "shuffled": ["19", "7"]}).refused("DH 7")


def test_16_a_strain_needs_its_description() -> None:
    brog().when(act("strain")).invalid("what")


def test_17_by_ruling_both_searches_are_reported_in_one_list() -> None:
    given = brog(("12", "13"), STRAIN, STRAIN, third_strain="both")
    given.when({**STRAIN, "flipped": ["14"]}).refused("DH 4")
    given.when({**STRAIN, "flipped": ["14", "0", "15"]}).has("brog", exhaustion=["12", "13", "14", "15"])


def test_17_by_ruling_a_third_strain_that_cannot_be_paid_is_no_wound() -> None:
    given = brog((), act("lose_stamina", points=10), override(harm=2), third_strain="both").when(STRAIN)
    given.quiet_about(WoundTaken).has("brog", harm=2, wounds=0, incapacitated=True)


# -- Wounds


def test_25_a_wound_card_already_borne_is_refused() -> None:
    brog((), {**WOUND, "card": "w3"}).when({**WOUND, "card": "w3"}).refused("DH 25", "w3")


def test_25_only_wound_cards_are() -> None:
    brog().when({**WOUND, "card": "w5"}).invalid("card")
    brog().when({**WOUND, "card": "12"}).invalid("card")


def test_24_a_wound_on_two_incapacitates_and_nothing_else() -> None:
    given = brog((), WOUND, WOUND)
    before = given.sheet("brog")
    given.when(WOUND).then(Incapacitated("brog", "DH 24", "a cut"))
    assert given.sheet("brog") == before | {"incapacitated": True}


def test_24_nothing_is_flipped_for_it() -> None:
    given = brog((), WOUND, WOUND)
    given.when({**WOUND, "flipped": ["13"]}).refused("DH 24")
    given.when({**WOUND, "shuffled": ["13"]}).refused("DH 7")
