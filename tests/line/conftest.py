"""Tables at which lines are typed."""

import pytest

from tests.kit.given import Given


@pytest.fixture
def osr() -> Given:
    """Four with a player, one without, one of two words, one with accents, one with a typographic apostrophe."""
    table = Given("osr")
    for name, player in (("brog", "Mia"), ("Wen", "Jon"), ("Ada", None), ("Ségolène", "Zoë"), ("Big Bo", "Mia")):
        table.when({"type": "osr.enrol", "character": name, "player": player, "level": 2, "rolled": [5, 6]}).then_some()
    table.when({"type": "osr.enrol", "character": "Corin d’Arc", "player": "Ann", "rolled": [6]}).then_some()
    return table


@pytest.fixture
def cards() -> Given:
    """Two characters of deckahedron in a fight."""
    table = Given("deckahedron")
    for name in ("Wren", "Tobin"):
        ranks = {"strength": 3, "dexterity": 2, "intelligence": 1}
        table.when({"type": "deckahedron.enrol", "character": name, "player": "Mia", **ranks}).then_some()
    return table


@pytest.fixture
def choosing() -> Given:
    """Two characters of gloomhaven who select their cards."""
    table = Given("gloomhaven")
    for name, class_ in (("Brann", "brute"), ("Ysa", "spellweaver")):
        table.when({"type": "gloomhaven.enrol", "character": name, "player": "Mia", "class": class_}).then_some()
    table.when({"type": "gloomhaven.begin_scenario", "scenario": "1"}).then_some()
    table.when({"type": "gloomhaven.begin_round"}).then_some()
    return table


@pytest.fixture
def turns(choosing: Given) -> Given:
    """The same, revealed: it is Brann's turn, with Eye for an Eye and Trample."""
    choosing.when({"type": "gloomhaven.select", "character": "Brann", "lead": 2, "second": 1}).then_some()
    choosing.when({"type": "gloomhaven.select", "character": "Ysa", "lead": 61, "second": 62}).then_some()
    choosing.when({"type": "gloomhaven.reveal"}).then_some()
    return choosing
