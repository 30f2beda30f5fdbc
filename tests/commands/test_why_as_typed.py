"""`why` takes what people type: cards, items and foes by their names, with or without what they are part of."""

import pytest

from tests.kit.shell import Shell, shell_after

#: What is typed about an example, and how the answer begins.
ASKED = {
    "lamps-in-the-barrow": {
        "brann.items.Hide Armor": "Brann.items.Hide Armor has been ready since T224.",
        "brann.items.ready.hide-armor": "Brann.items.Hide Armor has been ready since T224.",
        "brann hide armor": "Brann.items.Hide Armor has been ready since T224.",
        "hide armor": "Brann.items.Hide Armor has been ready since T224.",
        # which is sold
        "heater shield": "Brann.items.Heater Shield has been none since T139.",
        "brann.hand.Trample": "Trample has been in hand since T224.",
        "brann trample": "Trample has been in hand since T224.",
        "trample": "Trample has been in hand since T224.",
        "brann gold": "Brann.gold has been 47 since T233.",
        "round": "Round has been 1 since T237.",
        "brann.hand.1": "Brann.hand.1 has been 1 since T224.",
        "brann.items.feather": "Brann.items.feather is not there, and never was; there is ready, spent, consumed",
    },
    "salt-road": {
        "toll keeper": "Foes.the toll keeper has been lost 5, stamina 6 since T97.",
        "the toll keeper": "Foes.the toll keeper has been lost 5, stamina 6 since T97.",
        "toll keeper.stamina": "Foes.the toll keeper.stamina has been 6 since T87.",
        "table.foes.wolf": "Foes.a marsh wolf has been lost 3 since T16.",
        "wolf.stamina": "Foes.a marsh wolf has been lost 3 since T16.",
        "wren.stamina": "Wren.stamina_left has been 7 since T102.",
        "scene": "Scene has been combat since T94.",
    },
    "drowned-chapel": {
        "brog wound 2": "Brog.wounds.2 has been none since T39.",
        "brog hit points": "Brog.hp has been 10 since T83.",
        "pell": "Pell the ferryman.hp has been 0 since T68.",
    },
}


@pytest.mark.parametrize("example", ASKED)
def test_what_is_typed_is_what_is_meant(shell: Shell, example: str) -> None:
    shell.run("demo", example).ok()
    file = f"campaign-demo/{example}.campaign"
    for typed, beginning in ASKED[example].items():
        for words in ([typed], typed.split()):
            answer = shell.run("why", *words, "-c", file)
            assert answer.out.startswith(beginning), (words, answer)


def test_where_an_item_lay_is_told_as_its_lists(shell: Shell) -> None:
    shell.run("demo", "lamps-in-the-barrow").ok()
    answer = shell.run("why", "heater shield", "--json", "-c", "campaign-demo/lamps-in-the-barrow.campaign").json()
    assert (answer["character"], answer["field"], answer["value"]) == ("Brann", "items.Heater Shield", None)
    assert [(change["turn"], change["old"], change["new"]) for change in answer["changes"]] == [
        (139, "ready", None),
        (133, None, "ready"),
    ]


two = shell_after("new Two --rules gloomhaven", "enrol Ann class brute", "enrol Bob class brute")


def test_of_two_who_have_it_the_question_is_whose(two: Shell) -> None:
    two.run("why", "trample").is_(2, "Say whose Trample: why Ann.cards.Trample or Bob.cards.Trample.")
    assert two.run("why", "bob trample").ok().out.startswith("Trample has been in hand since T3.")
