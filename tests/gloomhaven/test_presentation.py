"""How sheets and the table look, what is open, and how turns are told."""

from random import Random
from typing import Any

from hypothesis import given

from cli.terminal.spelling import hints_of
from domain.gloomhaven.attacks import Attack, Kill
from domain.gloomhaven.conditions import SetCondition
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.items import UseItem
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.presentation import pile_of
from domain.gloomhaven.rests import LongRest
from domain.gloomhaven.rounds import BeginRound, CleanUp, EndTurn, Reveal, Select
from domain.gloomhaven.scenarios import BeginScenario, EndScenario
from domain.gloomhaven.sheet import hit_points
from domain.gloomhaven.summons import Summon
from domain.log.deciding import decide
from domain.system.chance import Chance
from domain.system.rows import Bar, Phrase
from projections.secrecy import sheet_for
from tests.gloomhaven.subject import SUBJECT
from tests.gloomhaven.tables import brog, cleaned_up, on_turn, piles, playing, resting, selecting, sheet, spell
from tests.kit.given import Given
from tests.kit.shell import Shell
from tests.kit.tables import MODEST, chances, fresh


def rows(table: Given, name: str = "brog") -> dict[str, list[str]]:
    """The sheet in rows: label -> texts, those of one label joined."""
    state = table.handler.state()
    found: dict[str, list[str]] = {}
    for label, parts in table.system.rows(state, name, table.system.sheet_view(state, name)):
        found.setdefault(label, []).extend(
            f"{part.now}/{part.full}" if isinstance(part, Bar) else part.text
            for part in parts
            if isinstance(part, Bar | Phrase)
        )
    return found


def table_rows(table: Given) -> dict[str, list[str]]:
    return {
        label: [part.text for part in parts if isinstance(part, Phrase)]
        for label, parts in table.system.table_rows(table.handler.state())
    }


def test_a_card_lies_where_its_owner_has_it_though_another_of_its_class_lends_one() -> None:
    lying: dict[str, Any] = {"hand": [8], "selected": [2], "discard": [3], "lost": [4]}
    lent = {**lying, "active": [{"card": 8, "lent_by": "ada"}]}
    assert [pile_of(lent, card) for card in (8, 2, 3, 4, 5)] == [
        "in hand",
        "selected",
        "discarded",
        "lost",
        "set aside",
    ]
    assert pile_of({**lying, "hand": [], "active": [{"card": 8}]}, 8) == "active"
    assert pile_of({**lent, "hand": 1, "selected": 2}, 8) is None, "it may be in the hand that is a number only"


# -- the sheet ---------------------------------------------------------------------------------------------


def test_a_fresh_sheet() -> None:
    printed = rows(playing(brog(gold=5)))
    assert printed["class"] == ["Brute, level 1"]
    assert printed["hit points"] == ["10/10"]
    assert printed["gold"] == ["5"]
    assert printed["hand"][0].startswith("Trample (1), Eye for an Eye (2)")
    assert (printed["discard"], printed["lost"], printed["active"], printed["items"]) == (
        ["none"],
        ["none"],
        ["none"],
        ["none"],
    )
    assert not {"conditions", "resting", "initiative", "kills", "summon"} & printed.keys()


def test_what_is_not_taken_along_is_shown_between_scenarios_to_its_player_alone() -> None:
    table = Given("gloomhaven", brog())
    assert rows(table)["set aside"] == ["Skewer (11), Balanced Measure (12), Wall of Doom (13)"]
    state = table.handler.state()
    veiled = sheet_for(table.system, state, "brog", "ben")
    assert "set aside" not in dict(table.system.rows(state, "brog", veiled))
    assert "set aside" not in rows(playing())


def test_a_sheet_in_the_thick_of_it() -> None:
    table = on_turn(7, 1, brog(items=(3, 8, 12))).and_given(
        Perform(character="brog", card=7, half="bottom"),
        Perform(character="brog", card=1, half="top"),
        UseItem(character="brog", item=3),
        Damage(character="brog", amount=3, item_shield=1),
        UseItem(character="brog", item=8),
        UseItem(character="brog", item=12),
        SetCondition(character="brog", condition="stun"),
        Kill(character="brog", monster="Guard"),
        EndTurn(character="brog"),
    )
    printed = rows(table)
    assert printed["hit points"] == ["9/10"]
    assert printed["active"] == ["Warding Strength (7), persistent, ○●○○○○, Shield 1, counts as lost"]
    assert printed["items"] == ["ready: Hide Armor ●○", "spent: Heater Shield", "consumed: Minor Healing Potion"]
    assert (printed["conditions"], printed["initiative"], printed["kills"]) == (["stun"], ["32 (has acted)"], ["1"])


def test_bonuses_are_told_with_what_they_do() -> None:
    table = on_turn(2, 8, brog(), spell())
    table.and_given(Perform(character="brog", card=2, half="top", range=3))
    table.and_given(Perform(character="brog", card=8, half="bottom", beneficiaries=("spell",)))
    assert rows(table)["active"] == [
        "Eye for an Eye (2), round, Retaliate 2 at range 3, counts as discarded",
        "Shield Bash (8), round, Shield 1, serves Spell too, counts as discarded",
    ]
    assert rows(table, "spell")["active"] == ["Shield Bash (8), round, Shield 1, lent by Brog"]
    state = table.handler.state()
    for name in ("brog", "spell"):
        words = table.system.in_words(state, name, "active", table.sheet(name)["active"])
        assert words == rows(table, name)["active"], "as a change of it is told"


def test_resters_summons_and_the_exhausted() -> None:
    assert rows(resting("2 3"))["resting"] == ["a long rest"]
    table = on_turn(7, 1).and_given(Perform(character="brog", card=7, half="bottom"))
    table.and_given(Summon(character="brog", card=7, name="Bat", hp=2, colour="red"))
    assert rows(table)["summon"] == ["Bat (red)", "2/2"]
    table.and_given(Damage(character="brog", amount=20))
    assert rows(table)["hit points"] == ["0/10", "exhausted"]


# -- the table ---------------------------------------------------------------------------------------------


def test_an_item_with_circles_shows_them_before_it_is_used() -> None:
    table = playing(brog(items=(3, 8, 12))).and_given(UseItem(character="brog", item=8))
    drawn = table.system.rows(table.handler.state(), "brog", table.sheet("brog"))
    lines = [bits for _, bits in drawn]
    assert (Phrase("ready: Hide Armor ○○, Minor Healing Potion"),) in lines
    assert (Phrase("spent: Heater Shield", "faint"),) in lines


def test_the_table_before_during_and_after() -> None:
    assert table_rows(Given("gloomhaven")) == {"scenario": ["none"]}
    table = on_turn(1, 4, brog(), spell())
    assert table_rows(table) == {
        "scenario": ["1"],
        "round": ["1, turns"],
        "turn": ["Brog"],
        "order": ["Brog 72", "Spell 83"],
    }
    table.and_given(Damage(character="brog", amount=20), Damage(character="spell", amount=20))
    assert table_rows(table)["scenario"] == ["1 (lost)"]
    table.and_given(EndScenario(won=False))
    assert table_rows(table) == {"scenario": ["1 (lost)"]}  # the round went with it


def test_rests_come_last_in_the_order_and_summons_before_their_owner() -> None:
    assert table_rows(resting("2 3"))["order"] == ["Brog rest"]
    table = on_turn(7, 1).and_given(Perform(character="brog", card=7, half="bottom"))
    table.and_given(Summon(character="brog", card=7, name="Bat", hp=2, colour="red"), EndTurn(character="brog"))
    table.and_given(CleanUp(), BeginRound())
    for action in ({"type": "gloomhaven.select", "character": "brog", "lead": 2, "second": 3},
                   {"type": "gloomhaven.reveal"}):  # fmt: skip
        assert table.when(action).events
    assert table_rows(table)["order"] == ["Bat", "Brog 18"]


def test_whoever_has_acted_stands_back() -> None:
    table = on_turn(7, 1, brog(), spell()).and_given(Perform(character="brog", card=7, half="bottom"))
    table.and_given(Summon(character="brog", card=7, name="Bat", hp=2, colour="red"))

    def order() -> list[tuple[str, str]]:
        bits = dict(table.system.table_rows(table.handler.state()))["order"]
        return [(bit.text, bit.tone) for bit in bits if isinstance(bit, Phrase)]

    assert order() == [("Brog 32", "plain"), ("Spell 83", "plain")]
    table.and_given(EndTurn(character="brog"))
    assert order() == [("Brog 32", "faint"), ("Spell 83", "plain")]
    table.and_given(EndTurn(character="spell"), CleanUp(), BeginRound())
    table.and_given(Select(character="brog", lead=2, second=3), Select(character="spell", lead=61, second=62), Reveal())
    assert order() == [("Bat", "plain"), ("Brog 18", "plain"), ("Spell 69", "plain")]
    table.and_given(EndTurn(character="brog"))
    assert order() == [("Bat", "faint"), ("Brog 18", "faint"), ("Spell 69", "plain")]


# -- what is open ------------------------------------------------------------------------------------------


def test_what_a_character_waits_for() -> None:
    assert playing().hints() == []
    assert selecting().hints() == [
        "Brog has not selected any cards yet.",
        "Next: campaign gloomhaven select brog LEAD SECOND",
    ]
    table = on_turn()
    assert table.hints() == [
        "It is Brog's turn, with Trample and Provoking Roar to perform.",
        "Next: campaign gloomhaven perform brog CARD HALF",
    ]
    table.and_given(Attack(character="brog", target="the Guard"))
    assert table.hints()[:2] == [
        "Brog's attack on the Guard waits for its modifier.",
        "Next: campaign gloomhaven draw-modifier brog --modifier …",
    ]
    assert cleaned_up().hints() == []
    assert resting("2 3").hints() == [
        "It is Brog's turn to rest.",
        "Next: campaign gloomhaven long-rest brog --lose …",
    ]


def test_what_the_table_waits_for() -> None:
    def waits(table: Given) -> list[str]:
        return hints_of(table.system.pending_for_table(table.handler.state()))

    assert waits(Given("gloomhaven")) == []
    assert waits(Given("gloomhaven", brog())) == ['Next: campaign gloomhaven begin-scenario "…"']
    assert waits(playing()) == ["Next: campaign gloomhaven begin-round"]
    assert waits(selecting()) == [
        "Brog still has to choose.",
        "Next: campaign gloomhaven select brog LEAD SECOND",
    ]
    two = selecting(brog(), spell())
    assert waits(two)[0] == "Brog and Spell still have to choose."
    assert waits(two.and_given(Select(character="brog", lead=1, second=2)))[0] == "Spell still has to choose."
    table = selecting().and_given(Select(character="brog", lead=1, second=4))
    assert waits(table) == ["Everyone has chosen.", "Next: campaign gloomhaven reveal"]
    table.and_given(Reveal())
    assert waits(table) == table.hints()
    table.and_given(EndTurn(character="brog"))
    assert waits(table) == ["Everyone has had a turn.", "Next: campaign gloomhaven clean-up"]
    table.and_given(CleanUp())
    assert waits(table) == [
        "Brog may take a short rest before the next round.",
        "Next: campaign gloomhaven begin-round",
        "or:   campaign gloomhaven short-rest brog",
    ]
    table.and_given(Damage(character="brog", amount=20))
    assert waits(table) == ["Everyone is exhausted.", "Next: campaign gloomhaven end-scenario --no-won"]
    table.and_given(EndScenario(won=False))
    assert waits(table) == ['Next: campaign gloomhaven begin-scenario "…"']


def test_only_what_a_character_can_choose_is_proposed() -> None:
    table = selecting().and_given(piles("9 10", discard="1 2 3"))
    assert table.hints() == [
        "Brog has not selected any cards yet.",
        "Next: campaign gloomhaven select brog LEAD SECOND",
        "or:   campaign gloomhaven declare-long-rest brog",
    ]
    table = selecting().and_given(piles("9", discard="1 2 3"))
    assert table.hints() == [
        "Brog has not selected any cards yet.",
        "Next: campaign gloomhaven declare-long-rest brog",
    ]


def test_nothing_is_open_for_the_exhausted_or_for_those_who_come_later() -> None:
    assert selecting().and_given(Damage(character="brog", amount=10)).hints() == []
    assert selecting().and_given(spell()).hints("spell") == []


def test_a_level_that_was_earned_is_said_between_scenarios() -> None:
    table = Given("gloomhaven", brog(xp=45))
    earned = ["Brog has experience enough for level 2.", "Next: campaign gloomhaven level-up brog CARD"]
    assert table.hints() == earned
    assert hints_of(table.system.pending_for_table(table.handler.state()))[:2] == earned
    assert Given("gloomhaven", brog(xp=44)).hints() == []
    assert Given("gloomhaven", brog(level=9, xp=900)).hints() == [], "9 is the highest"
    assert earned[0] not in playing(brog(xp=45)).hints()


def test_an_open_attack_waits_for_its_modifier_and_for_nothing_else() -> None:
    table = on_turn(1, 4, brog(items=(6, 12))).and_given(Attack(character="brog", target="a ghoul"))
    assert table.hints() == [
        "Brog's attack on a ghoul waits for its modifier.",
        "Next: campaign gloomhaven draw-modifier brog --modifier …",
        "or:   campaign gloomhaven use-item brog 'Eagle-Eye Goggles'",
    ]


def test_a_summon_is_asked_for_and_acts_before_its_owner() -> None:
    table = selecting(spell(hand=(61, 62, 63, 64, 65, 66, 69, 71)))
    table.and_given(Select(character="spell", lead=71, second=69), Reveal())
    table.and_given(Perform(character="spell", card=71, half="bottom"))
    assert table.hints("spell")[:2] == [
        "Aid from the Ether summons an ally (hp 2, attack 3, move 2, range 2).",
        "Next: campaign gloomhaven summon spell 'Aid from the Ether'",
    ]
    table.and_given(Summon(character="spell", card=71, name="Wisp", hp=2, colour="red"))
    for words in ("Wisp", "summons an ally"):
        assert words not in " ".join(table.hints("spell"))
    table.and_given(EndTurn(character="spell"), CleanUp(), BeginRound())
    table.and_given(Select(character="spell", lead=61, second=62), Reveal())
    assert table.hints("spell")[0].startswith("Wisp acts directly before Spell, by the monsters' rules. It is Spell's")
    table.and_given(Perform(character="spell", card=61, half="top"))
    assert "Wisp" not in " ".join(table.hints("spell"))


@MODEST
@given(chance=chances)
def test_the_next_step_is_never_refused(chance: Random) -> None:
    at = fresh(chance, SUBJECT)
    state = at.handler.state()
    for matter in at.system.pending_for_table(state):
        for way in matter.choices:
            if not way.asks or way.action is LongRest:
                lose = {"lose": state.characters[way.fields["character"]].discard[0]} if way.asks else {}
                decide(at.system, state, way.action(**way.fields, **lose), Chance(1), at.log.last() + 1)


def test_names_are_told_as_one_types_them() -> None:
    name = "Old O'Brog"
    table = Given("gloomhaven", brog(character=name), BeginScenario(scenario="1"), BeginRound())
    assert f'select "{name}" LEAD SECOND' in table.hints(name)[1]


# -- sentences ---------------------------------------------------------------------------------------------


def test_turns_are_told_plainly() -> None:
    table = on_turn(7, 1, brog(items=(12,))).when(Perform(character="brog", card=7, half="bottom"))
    assert table.sentences == "Brog performs the bottom of Warding Strength: active."
    table.when(Damage(character="brog", amount=2, source="Guard"))
    assert table.sentences == (
        "Warding Strength (1) shields Brog: 2 becomes 1. "
        "Brog's token on Warding Strength moves to slot 2. Brog suffers 1 of an attack of 2 (Guard) "
        "and has 9 hit points."
    )
    table.when(Damage(character="brog", amount=3, attack=False, lose_hand=6))
    assert table.sentences == "Brog negates damage of 3. Brog loses Grab and Go to negate it."
    table.when(UseItem(character="brog", item=12))
    assert table.sentences == "Brog uses Minor Healing Potion: consumed."
    table.when(EndTurn(character="brog", tokens=1, treasures=(7,)))
    assert table.sentences == (
        "Brog discards Trample unplayed. Brog picks up 1 money token and treasure 7 and has 1 gold. Brog's turn ends."
    )


def test_rests_are_told_plainly() -> None:
    table = resting("2 3").and_given(sheet(hp=9, conditions=["wound"])).when(LongRest(character="brog", lose=1))
    assert table.sentences == (
        "Brog takes the long rest. Brog loses Trample. Brog takes Provoking Roar and Leaping Cleave back into hand. "
        "Brog is healed for 1 of 2 (the long rest) and is no longer wounded: 10 hit points. Brog's turn ends."
    )


def test_cards_and_items_are_told_by_name() -> None:
    table = playing(brog(items=(3, 8))).and_given(piles("9 10", discard="1"))
    state = table.handler.state()
    assert table.system.in_words(state, "brog", "hand", [9, 10]) == ["Leaping Cleave", "Spare Dagger"]
    assert table.system.in_words(state, "brog", "hand", 2) == 2
    assert table.system.in_words(state, "nobody", "hand", [9]) == [9]
    assert table.system.in_words(state, "brog", "hp", 7) == 7
    names = [state.table.items[3].name, state.table.items[8].name, "item 99"]
    assert table.system.in_words(state, "brog", "items.ready", [3, 8, 99]) == names
    assert table.system.in_words(state, "brog", "items", {"ready": [3, 8, 99]}) == {"ready": names}


def test_fields_are_called_by_the_names_of_cards_summons_and_items() -> None:
    table = on_turn(7, 1, brog(items=(3,))).and_given(
        Perform(character="brog", card=7, half="bottom", active="persistent"),
        Summon(character="brog", card=7, name="Moth", hp=2, colour="red"),
    )
    state = table.handler.state()
    assert {
        field: table.system.field_in_words(state, "brog", field, None)
        for field in (
            "hp", "active.7.token", "active.7", "summons.7.hp", "items.circles_used.3", "items.ready", "summons.9",
            "items.circles_used.99",
        )
    } == {
        "hp": "hp", "active.7.token": "active.Warding Strength.token", "active.7": "active.Warding Strength",
        "summons.7.hp": "summons.Moth.hp", "items.circles_used.3": "items.circles_used of Hide Armor",
        "items.ready": "items.ready", "summons.9": "summons.9", "items.circles_used.99": "items.circles_used.99",
    }  # fmt: skip
    assert table.system.field_in_words(state, "nobody", "active.7", None) == "active.7"
    words = table.system.in_words(state, "brog", "active.7", table.sheet("brog")["active"][0])
    assert table.system.field_in_words(state, "brog", "active.7", words) == "active.7", "it has its name in it"


def test_an_evening_that_ends_says_what_it_leaves_open(shell: Shell) -> None:
    shell.do("new Barrow --rules gloomhaven --file gh.campaign", "session open One", "gloomhaven enrol brog brute")
    shell.do("gloomhaven begin-scenario 1", "gloomhaven begin-round")
    assert "Brog has not selected any cards yet." in shell.run("session", "close").ok().out
    shell.do("session open", "gloomhaven select brog 1 2")
    output = shell.run("session", "close").ok().out
    assert "Everyone has chosen." in output and "gloomhaven reveal" in output


def test_the_table_tells_the_level_of_its_scenario() -> None:
    table = playing(level=3)
    table.table_has(scenario="1", level=3)
    assert ("scenario", (Phrase("1, level 3"),)) in table.system.table_rows(table.handler.state())


def test_one_of_a_thing_is_told_as_one() -> None:
    assert [hit_points(count) for count in (0, 1, 2)] == ["0 hit points", "1 hit point", "2 hit points"]
