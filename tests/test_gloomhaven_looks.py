"""How sheets and the table look, what is open, and how turns are told."""

from shlex import quote

from domain.gloomhaven.actions import (
    Attack,
    BeginRound,
    BeginScenario,
    CleanUp,
    Damage,
    EndTurn,
    Kill,
    LongRest,
    Perform,
    SetCondition,
    Summon,
    UseItem,
)
from domain.system import Bar, Words
from tests.given import Given
from tests.gloomhaven import brog, cleaned_up, on_turn, playing, resting, selecting, sheet, spell


def rows(table: Given, name: str = "brog") -> dict[str, list[str]]:
    """The sheet in rows: label -> texts, those of one label joined."""
    state = table.scribe.state()
    found: dict[str, list[str]] = {}
    for label, parts in table.system.drawn(state, name, table.system.shown(state, name)):
        found.setdefault(label, []).extend(
            f"{part.now}/{part.full}" if isinstance(part, Bar) else part.text
            for part in parts
            if isinstance(part, Bar | Words)
        )
    return found


def table_rows(table: Given) -> dict[str, list[str]]:
    return {
        label: [part.text for part in parts if isinstance(part, Words)]
        for label, parts in table.system.drawn_table(table.scribe.state())
    }


def matters(table: Given, name: str = "brog") -> list[str]:
    return list(table.system.open_matters(table.scribe.state(), name))


# -- the sheet ---------------------------------------------------------------------------------------------


def test_a_fresh_sheet() -> None:
    told = rows(playing(brog(gold=5)))
    assert told["class"] == ["Brute, level 1"]
    assert told["hp"] == ["10/10"]
    assert told["gold"] == ["5"]
    assert told["hand"][0].startswith("Trample (1), Eye for an Eye (2)")
    assert (told["discard"], told["lost"], told["active"], told["items"]) == (["none"], ["none"], ["none"], ["none"])
    assert not {"conditions", "resting", "initiative", "kills", "summon"} & told.keys()


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
    told = rows(table)
    assert told["hp"] == ["9/10"]
    assert told["active"] == ["Warding Strength (7), persistent, ○●○○○○, Shield 1, counts as lost"]
    assert told["items"] == ["ready: Hide Armor ●○", "spent: Heater Shield", "consumed: Minor Healing Potion"]
    assert (told["conditions"], told["initiative"], told["kills"]) == (["stun"], ["32 (has acted)"], ["1"])


def test_bonuses_are_told_with_what_they_do() -> None:
    table = on_turn(2, 8, brog(), spell())
    table.and_given(Perform(character="brog", card=2, half="top", range=3))
    table.and_given(Perform(character="brog", card=8, half="bottom", beneficiaries=("spell",)))
    assert rows(table)["active"] == [
        "Eye for an Eye (2), round, Retaliate 2 at range 3, counts as discarded",
        "Shield Bash (8), round, Shield 1, serves Spell too, counts as discarded",
    ]
    assert rows(table, "spell")["active"] == ["Shield Bash (8), round, Shield 1, lent by Brog"]


def test_resters_summons_and_the_exhausted() -> None:
    assert rows(resting("2 3"))["resting"] == ["a long rest"]
    table = on_turn(7, 1).and_given(Perform(character="brog", card=7, half="bottom"))
    table.and_given(Summon(character="brog", card=7, name="Bat", hp=2, colour="red"))
    assert rows(table)["summon"] == ["Bat (red)", "2 hp"]
    table.and_given(Damage(character="brog", amount=20))
    assert rows(table)["hp"] == ["0/10", "exhausted"]


# -- the table ---------------------------------------------------------------------------------------------


def test_the_table_before_during_and_after() -> None:
    assert table_rows(Given("gloomhaven")) == {"scenario": ["none"], "round": ["0"]}
    table = on_turn(1, 4, brog(), spell())
    assert table_rows(table) == {
        "scenario": ["1"],
        "round": ["1, turns"],
        "turn": ["Brog"],
        "order": ["Brog 72", "Spell 83"],
    }
    table.and_given(Damage(character="brog", amount=20), Damage(character="spell", amount=20))
    assert table_rows(table)["scenario"] == ["1 (lost)"]


def test_rests_come_last_in_the_order_and_summons_before_their_owner() -> None:
    assert table_rows(resting("2 3"))["order"] == ["Brog rest"]
    table = on_turn(7, 1).and_given(Perform(character="brog", card=7, half="bottom"))
    table.and_given(Summon(character="brog", card=7, name="Bat", hp=2, colour="red"), EndTurn(character="brog"))
    table.and_given(CleanUp(), BeginRound())
    for action in ({"type": "gloomhaven.select", "character": "brog", "lead": 2, "second": 3},
                   {"type": "gloomhaven.reveal"}):  # fmt: skip
        assert table.when(action).events
    assert table_rows(table)["order"] == ["Bat", "Brog 18"]


# -- what is open ------------------------------------------------------------------------------------------


def test_what_a_character_waits_for() -> None:
    assert matters(playing()) == []
    assert matters(selecting()) == [
        "Brog has selected no cards: `campaign gloomhaven select brog LEAD SECOND` "
        "or `campaign gloomhaven declare-long-rest brog`."
    ]
    table = on_turn()
    assert matters(table) == ["It is Brog's turn, with 2 cards to perform: `campaign gloomhaven perform brog …`."]
    table.and_given(Attack(character="brog", target="the Guard"))
    assert matters(table)[0] == (
        "Brog's attack on the Guard waits for its modifier: `campaign gloomhaven draw-modifier brog …`."
    )
    assert matters(cleaned_up()) == []
    assert matters(resting("2 3")) == ["It is Brog's turn to rest: `campaign gloomhaven long-rest brog`."]


def test_nothing_is_open_for_the_exhausted_or_for_those_who_come_later() -> None:
    assert matters(selecting().and_given(Damage(character="brog", amount=10))) == []
    assert matters(selecting().and_given(spell()), "spell") == []


def test_names_are_told_as_one_types_them() -> None:
    name = "Old O'Brog"
    table = Given("gloomhaven", brog(character=name), BeginScenario(scenario="1"), BeginRound())
    assert f"select {quote(name)} LEAD SECOND`" in matters(table, name)[0]


# -- sentences ---------------------------------------------------------------------------------------------


def told(table: Given) -> str:
    return " ".join("".join(event.told()) for event in table.events)


def test_turns_are_told_plainly() -> None:
    table = on_turn(7, 1, brog(items=(12,))).when(Perform(character="brog", card=7, half="bottom"))
    assert told(table) == "Brog performs the bottom of Warding Strength: active."
    table.when(Damage(character="brog", amount=2, source="Guard"))
    assert told(table) == (
        "Brog's token on Warding Strength moves to slot 2. Brog suffers 1 of an attack of 2 (Guard) "
        "and has 9 hit points."
    )
    table.when(Damage(character="brog", amount=3, attack=False, lose_hand=6))
    assert told(table) == "Brog negates damage of 3. Brog loses Grab and Go to negate it."
    table.when(UseItem(character="brog", item=12))
    assert told(table) == "Brog uses Minor Healing Potion: consumed."
    table.when(EndTurn(character="brog", tokens=1, treasures=(7,)))
    assert told(table) == (
        "Brog discards Trample unplayed. Brog picks up 1 money token and treasure 7 and has 1 gold. Brog's turn ends."
    )


def test_rests_are_told_plainly() -> None:
    table = resting("2 3").and_given(sheet(hp=9, conditions=["wound"])).when(LongRest(character="brog", lose=1))
    assert told(table) == (
        "Brog takes the long rest. Brog loses Trample. Brog takes Provoking Roar and Leaping Cleave back into hand. "
        "Brog is healed for 2 (the long rest) and loses wound: 10 hit points. Brog's turn ends."
    )
