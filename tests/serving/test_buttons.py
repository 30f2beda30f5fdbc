"""What a button shows of its choice: words of its own, else the verb with what is known already."""

from cli.serving.buttons import card_of, label_of
from domain.choice import Choice
from domain.gloomhaven.rounds import Select
from domain.osr.injuries import ChooseFate, Damage
from domain.system.rows import CardView


def test_a_choice_with_words_is_labelled_with_them() -> None:
    assert label_of(Choice(Damage, {"character": "Brog"}, says="suffer 3")) == "suffer 3"
    assert label_of(Choice(Damage, {"character": "Brog"}, says="suffer"), ("all of it",)) == "suffer all of it"


def test_a_choice_without_words_is_its_verb_with_its_values_but_for_whom() -> None:
    choice = Choice(Damage, {"character": "Brog", "negate": True, "rolled": [3, 4]})
    assert label_of(choice) == "Damage 3 and 4"
    assert label_of(choice, whose=True) == "Damage 3 and 4 (Brog)"


def test_the_card_is_the_last_one_that_the_choice_names() -> None:
    cards = {name: CardView(name) for name in ("Trample", "Eye for an Eye")}
    choice = Choice(Select, {"character": "Brann", "cards": ["Trample", "Eye for an Eye"]})
    assert card_of(choice, cards) == cards["Eye for an Eye"]
    assert card_of(Choice(Damage, {"character": "Brann", "amount": 3}), cards) is None


def test_a_death_is_grave_and_a_wound_is_not() -> None:
    assert Choice(ChooseFate, {"character": "Brog", "fate": "death"}).is_grave
    assert not Choice(ChooseFate, {"character": "Brog", "fate": "major_wound"}).is_grave
