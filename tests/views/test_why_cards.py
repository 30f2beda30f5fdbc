"""Where cards lie and why, in the example campaigns; and what a player is not told of others' cards."""

from itertools import pairwise

import pytest

from cli.shell.examples import examples
from domain.log.folding import state_at
from domain.registry import system_of
from projections.views.targets import target_of
from projections.views.why import changes_of, provenance
from tests.kit.given import Given
from tests.kit.shell import Shell
from tests.kit.views import contents, view_in_memory
from tests.views.test_examples import example

#: The field of a sheet that holds a pile -> what is said of a card in it.
PILES = {
    "deckahedron": {"discard": "in the discard pile", "exhaustion": "in the exhaustion pile"},
    "gloomhaven": {"hand": "in hand", "selected": "selected", "discard": "discarded", "lost": "lost"},
}


@pytest.mark.parametrize("folder", [name for name, example in examples().items() if example.rules != "osr"])
def test_the_chain_of_every_card_ends_where_the_sheet_has_it(folder: str) -> None:
    log = example(folder)
    system = system_of(log.rules)
    assert system.piles is not None
    piles, met = PILES[log.rules], set()
    state = state_at(system, log)
    with view_in_memory(log, system) as view:
        for name in state.characters:
            shown = system.sheet_view(state, name)
            for card in system.piles.cards(state, name):
                links = changes_of(view, system, target_of(view, system, state, f"{name}.cards.{card}"))
                holding = [words for field, words in piles.items() if card in shown[field]]
                assert [links[0].new] == holding or (not holding and links[0].new not in piles.values())
                assert all(later.old == earlier.new for later, earlier in pairwise(links))
                met.update(holding)
    assert len(met) > 1


def test_a_card_that_is_lost_says_to_what_and_by_which_rule() -> None:
    table = brutes(3, 2)
    damage = {"type": "gloomhaven.damage", "character": "ada", "amount": 5, "source": "the warden", "lose_hand": 1}
    assert table.when(damage).error is None
    with view_in_memory(table.log, table.system) as view:
        about = target_of(view, table.system, table.handler.state(), "ADA.cards.trample")
        links = changes_of(view, table.system, about)
        assert provenance(view, table.system, about, None).at_first == "in hand"
    assert (links[0].turn, links[0].old, links[0].new) == (table.log.last(), "in hand", "lost")
    assert "Trample" in links[0].sentence


def brutes(lead: int, second: int) -> Given:
    """Ada and Tom in a scenario; Ada has chosen two cards that nobody else knows of."""
    table = Given("gloomhaven")
    for action in (
        {"type": "gloomhaven.enrol", "character": "ada", "player": "Nora", "class": "brute"},
        {"type": "gloomhaven.enrol", "character": "tom", "player": "Otto", "class": "spellweaver"},
        {"type": "gloomhaven.begin_scenario", "scenario": "The barrow"},
        {"type": "gloomhaven.begin_round"},
        {"type": "gloomhaven.select", "character": "ada", "lead": lead, "second": second},
    ):
        assert table.when(action).error is None, table.error
    return table


def test_what_is_secret_from_a_player_is_in_no_table_of_the_view_made_for_them() -> None:
    one, other = brutes(2, 3), brutes(5, 9)
    with (
        view_in_memory(one.log, one.system, viewer="Otto") as seen,
        view_in_memory(other.log, other.system, viewer="Otto") as seen_too,
    ):
        assert contents(seen) == contents(seen_too)
    with (
        view_in_memory(one.log, one.system, viewer="Nora") as own,
        view_in_memory(other.log, other.system, viewer="Nora") as own_too,
    ):
        assert contents(own) != contents(own_too)


def test_where_a_card_lies_that_is_secret_is_not_told() -> None:
    table = brutes(2, 3)
    with view_in_memory(table.log, table.system, viewer="Otto") as view:
        assert changes_of(view, table.system, target_of(view, table.system, table.handler.state(), "ada.cards.2")) == []


def test_a_table_of_cards_is_kept_by_name_and_tells_what_is_next(shell: Shell) -> None:

    def output_of(*words: str) -> str:
        result = shell.run(*words)
        assert result.code == 0, result
        return result.out

    output_of("new", "The Barrow", "--rules", "gloomhaven")
    output_of("gloomhaven", "enrol", "ada", "brute", "--player", "Nora")
    assert "Next: campaign gloomhaven begin-round" in output_of("gloomhaven", "begin-scenario", "1")
    output_of("gloomhaven", "begin-round")
    assert "Everyone has chosen.\n" in output_of("gloomhaven", "select", "ada", "1", "2")
    assert "Next: campaign gloomhaven reveal" in output_of("status")
    assert "Next: campaign gloomhaven reveal" not in output_of("status", "--at", "@-1")
    assert "-Trample, -Eye for an Eye" in output_of("why", "ada.hand")
    assert "ada.selected has been Trample, Eye for an Eye since T5." in output_of("why", "ada.selected")
    assert "Trample, Eye for an Eye" in output_of("diff")
    output_of("gloomhaven", "enrol", "tom", "spellweaver", "--player", "Otto")
    assert "ada.selected has been 2 since T5." in output_of("why", "ada.selected", "--as", "Otto")
    output_of("undo", "T6")
    assert "It is Ada's turn" in output_of("gloomhaven", "reveal")


@pytest.mark.parametrize("path", ["brann.cards.Trample = 'discard'", "brann.cards = 1", "not brann.cards.9"])
def test_a_condition_looks_at_sheets_and_not_at_cards(shell: Shell, path: str) -> None:
    shell.do("new Barrow --rules gloomhaven --file gh.campaign", "gloomhaven enrol brann brute")
    shell.run("when", path).is_(2, "A condition looks at fields of sheets; a card lies in a pile.")


def test_an_item_that_is_not_there_is_told_with_those_that_are(shell: Shell) -> None:
    shell.do("new Stairs --rules gloomhaven", "enrol Brann brute", "reward brann gold 90 for luck")
    output = shell.run("why", "brann.items.foo").ok().out
    pieces = shell.run("status", "brann", "--json").json()["characters"]["Brann"]["items"]
    assert pieces and all(piece in output for piece in pieces), output
    assert output.startswith("Brann.items.foo is not there, and never was; there is ")


def test_why_explains_what_the_table_itself_keeps(shell: Shell) -> None:
    shell.do(
        "new Road --rules deckahedron --file road.campaign",
        "deckahedron enrol reed --strength 2 --dexterity 2 --intelligence 2",
    )
    shell.run("why", "table").is_(2, "Say what of the table: table.scene, table.foe_superior or table.foes.")
    shell.do("deckahedron scene combat", "deckahedron scene haven")
    for words in (["scene"], ["table.scene"], ["table", "scene"]):
        changes = shell.run("why", *words, "--json").json()["changes"]
        assert [(change["turn"], change["new"]) for change in changes][:2] == [(4, "haven"), (3, "combat")]
    assert shell.run("why", "foes.wolf").out.startswith("Foes.wolf is not there, and never was; ")


def test_a_field_may_be_named_by_its_first_whole_words_where_no_other_begins_so(shell: Shell) -> None:
    shell.do(
        "new Road --rules deckahedron --file road.campaign",
        "deckahedron enrol reed --strength 2 --dexterity 2 --intelligence 2",
    )
    assert shell.run("why", "reed.stamina").out.startswith("reed.stamina_left has been 10 since T2.")
    assert shell.run("why", "reed.deck").out.startswith("reed.deck_count has been 20 since T2.")
    shell.run("why", "reed.wound").is_(1, "Reed has no field 'wound'; did you mean wounds?")


def test_the_events_of_a_veiled_turn_are_numbered_as_they_are() -> None:
    table = brutes(2, 3)
    with (
        view_in_memory(table.log, table.system, viewer="Otto") as veiled,
        view_in_memory(table.log, table.system) as whole,
    ):
        numbered = "SELECT turn, number FROM events ORDER BY turn, number"
        assert veiled.ask(numbered) == whole.ask(numbered)
        assert veiled.ask("SELECT min(number) FROM events") == [(1,)]
