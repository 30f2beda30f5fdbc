"""What the tools answer: previews that promise what is recorded, refusals with their rule, questions, corrections."""

import json
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from cli.assistant.arguments import schema_of
from cli.assistant.assistant import Assistant
from cli.assistant.tools import TOOLS
from cli.shell.examples import FOLDER, examples
from cli.shell.jsonlines import action_and_author, strict_object
from domain.log.port import NotSaved
from domain.refusal import Invalid
from domain.registry import SYSTEMS, action_kinds, tag_of
from domain.system.field_schema import fields_of
from domain.turn import Turn
from tests.kit.assistants import asked
from tests.kit.beginnings import WITH_BROG
from tests.kit.shell import Shell, shell_after

shell = shell_after(*WITH_BROG)

HIT = {"type": "osr.damage", "character": "brog", "amount": 4, "source": "an ogre"}


def test_what_is_previewed_is_what_is_recorded(keeper: Assistant, shell: Shell) -> None:
    seen = asked(keeper, "preview", actions=[HIT])
    assert keeper.log.last() == 2
    done = asked(keeper, "record", actions=[HIT], by="Mia", fingerprint=seen["fingerprint"])
    assert done == {"turns": [3], "sentences": seen["sentences"]}
    row = json.loads(shell.run("log", "-O", "ndjson", "-n", "1").ok().out)
    assert (row["by"], row["via"], row["action"]) == ("Mia", "assistant", HIT)


def test_a_preview_draws_nothing(keeper: Assistant) -> None:
    rest = {"type": "osr.short_rest", "characters": ["brog"]}
    seen = {asked(keeper, "preview", actions=[rest])["sentences"][0] for _ in range(4)}
    assert seen == {"Brog takes a short rest: rolls 2d6 for Brog's re-roll."}


def test_a_refusal_is_an_answer_and_names_its_rule(keeper: Assistant) -> None:
    too_late = {"type": "osr.level_up", "character": "brog", "level": 2}
    for tool in ("preview", "record"):
        refused = asked(keeper, tool, actions=[too_late])["refused"]
        assert refused["rule"].startswith("OSR ") and refused["reason"], refused
    assert keeper.log.last() == 2


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("preview", {"action": HIT}, "It takes actions, together?, after?, before?, conflicts?, like"),
        ("record", {"actions": [{"type": "osr.dmg"}]}, "did you mean osr.damage?"),
        ("record", {"actions": [{**HIT, "amount": "four"}]}, "amount must be"),
        ("record", {"actions": [{"type": "osr.damage", "character": "brog"}]}, "needs amount"),
        ("undo", {"turn": 2}, "It takes turns?, last?"),
        ("amend", {"turn": 2, "set": {"colour": "red"}}, "has no field 'colour'"),
        ("log", {"n": 0}, "It takes at?, session?"),
        ("describe", {"verb": "smash"}, "There is no action 'smash'"),
        ("query", {"sql": "drop table turns"}, "only reads"),
        ("when", {"condition": "brog.hp <"}, "brog"),
    ],
)
def test_a_wrong_shape_is_an_error_that_says_what_is_right(
    keeper: Assistant, tool: str, arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(Invalid) as error:
        asked(keeper, tool, **arguments)
    assert says in str(error.value)
    assert keeper.log.last() == 2


def test_a_fingerprint_holds_only_while_nobody_else_records(keeper: Assistant, shell: Shell) -> None:
    seen = asked(keeper, "preview", actions=[HIT])
    shell.do("note hello")
    done = asked(keeper, "record", actions=[HIT], fingerprint=seen["fingerprint"])
    assert done["turns"] == [] and "moved on" in done["refused"]["reason"]
    seen = asked(keeper, "preview", actions=[HIT])
    done = asked(keeper, "record", actions=[{**HIT, "amount": 5}], fingerprint=seen["fingerprint"])
    assert done["turns"] == [] and "not what was previewed" in done["refused"]["reason"]
    assert asked(keeper, "record", actions=[HIT], fingerprint=seen["fingerprint"])["turns"] == [4]


def test_several_are_recorded_up_to_the_first_that_is_refused_or_together_none(keeper: Assistant) -> None:
    actions = [HIT, {"type": "osr.level_up", "character": "brog", "level": 2}, HIT]
    seen = asked(keeper, "preview", actions=actions, together=True)
    assert (seen["sentences"], seen["refused"]["reason"][:8]) == ([], "Not done")
    assert asked(keeper, "record", actions=actions, together=True)["turns"] == []
    seen = asked(keeper, "preview", actions=actions)
    done = asked(keeper, "record", actions=actions, fingerprint=seen["fingerprint"])
    assert (done["turns"], done["sentences"], "refused" in done) == ([3], seen["sentences"], True)
    done = asked(keeper, "record", actions=[HIT, HIT], together=True)
    assert [turn.together for turn in keeper.log.read(after=3)] == [4, 4] and done["turns"] == [4, 5]


BYPASS = {"type": "osr.bypassing_hit", "character": "brog", "dc": 12, "attacker_level": 1, "source": "a wight"}


def test_what_the_rules_ask_is_asked_and_each_choice_can_be_recorded(keeper: Assistant) -> None:
    for tool in ("record", "preview"):
        answer = asked(keeper, tool, actions=[BYPASS])
        question = answer["question"]
        assert question["text"] == "Brog can stop a wight with 10 hit points."
        assert [choice["label"] for choice in question["choices"]] == [
            "save against DC 12",
            "pay 10 hit points and have 1 left",
        ]
        assert keeper.log.last() == 2 and "refused" not in answer
    pays = question["choices"][1]["action"]
    assert asked(keeper, "record", actions=[pays])["turns"] == [3]
    assert keeper.sheets()["brog"]["hp"] == 1


def test_who_was_asked_and_says_the_same_again_means_it_as_it_stands(keeper: Assistant) -> None:
    seen = asked(keeper, "preview", actions=[BYPASS])
    assert seen["question"]["choices"][0]["action"] == BYPASS
    assert asked(keeper, "record", actions=[BYPASS], fingerprint=seen["fingerprint"])["turns"] == [3]


def test_the_fingerprint_tells_another_process_that_it_was_asked(keeper: Assistant) -> None:
    seen = asked(keeper, "preview", actions=[BYPASS])
    another = Assistant(keeper.log, keeper.system)
    assert asked(another, "record", actions=[BYPASS])["turns"] == []
    another = Assistant(keeper.log, keeper.system)
    assert asked(another, "record", actions=[BYPASS], fingerprint=seen["fingerprint"])["turns"] == [3]


def test_what_was_saved_before_the_disk_failed_is_told(keeper: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    append, turns = keeper.log.append, iter(range(2))

    def fail(turn: Turn) -> None:
        if next(turns):
            raise NotSaved("The disk is full. Nothing was saved.")
        append(turn)

    monkeypatch.setattr(keeper.log, "append", fail)
    done = asked(keeper, "record", actions=[HIT, HIT, HIT])
    assert (done["turns"], done["refused"]) == ([3], {"rule": None, "reason": "The disk is full. Nothing was saved."})


def test_whatever_is_recorded_can_be_taken_back_restored_and_corrected(keeper: Assistant) -> None:
    asked(keeper, "record", actions=[HIT])
    seen = asked(keeper, "undo", turns=["T3"], dry_run=True)
    assert seen["sentences"] == ["Undoes T3: Brog is hit for 4 by an ogre and has 7 hit points left."]
    assert (keeper.log.last(), [change["turn"] for change in seen["changes_later"]]) == (3, [3])
    assert asked(keeper, "undo", turns=[3], why="it was Ada", by="Mia")["turns"] == [4]
    assert keeper.sheets()["brog"]["hp"] == 11
    assert asked(keeper, "redo")["turns"] == [5]
    seen = asked(keeper, "amend", turn="T3", set={"amount": 2, "source": None}, dry_run=True)
    assert seen["changes_later"][0]["turn"] == 3 and keeper.sheets()["brog"]["hp"] == 7
    assert asked(keeper, "amend", turn="T3", set={"amount": 2, "source": None})["turns"] == [6]
    assert keeper.sheets()["brog"]["hp"] == 9


def test_later_turns_in_the_way_are_listed_and_the_choice_settles_them(keeper: Assistant) -> None:
    rest = {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [1, 1]}}
    asked(keeper, "record", actions=[HIT, rest])
    for dry_run in (True, False):
        answer = asked(keeper, "undo", turns=[2], dry_run=dry_run)
        assert [later["turn"] for later in answer["conflicts"]] == [3, 4]
        assert [choice["action"]["conflicts"] for choice in answer["question"]["choices"]] == ["drop", "keep"]
    assert keeper.log.last() == 4
    done = asked(keeper, "record", actions=[answer["question"]["choices"][0]["action"]])
    assert done["turns"] == [5] and keeper.sheets() == {}


def test_a_late_entry_says_what_it_changes(keeper: Assistant) -> None:
    asked(keeper, "record", actions=[{"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [6, 6]}}])
    fatigue = {"type": "osr.damage", "character": "brog", "amount": 2}
    seen = asked(keeper, "preview", actions=[fatigue], after=2)
    done = asked(keeper, "record", actions=[fatigue], after="T2", fingerprint=seen["fingerprint"])
    assert done["turns"] == [4] and next(iter(keeper.log.read(after=3))).place == 2


def test_the_readings_are_those_of_the_shell(keeper: Assistant, shell: Shell) -> None:
    asked(keeper, "record", actions=[{"type": "session.open", "title": "The crypt"}, HIT])
    status = json.loads(shell.run("status", "--json").ok().out)
    table = asked(keeper, "table")
    assert {key: table[key] for key in status} == status
    assert asked(keeper, "table", at=2)["characters"]["brog"]["hp"] == 11
    why = json.loads(shell.run("why", "brog.hp", "--json").ok().out)
    assert [change["turn"] for change in asked(keeper, "why", what="brog.hp")["changes"]] == [
        change["turn"] for change in why["changes"]
    ]
    assert asked(keeper, "when", condition="brog.hp < 8")["times"][0]["turn"] == 4
    assert asked(keeper, "rules", rule="6.4")["rules"][0]["rule"] == "OSR 6.4"
    assert asked(keeper, "recap")["session"] == 1
    assert asked(keeper, "query", sql="select count(*) as n from turns")["rows"] == [[4]]
    found = asked(keeper, "log", character="brog", n=1)
    assert [turn["turn"] for turn in found["turns"]] == [4] and found["more"]


@pytest.mark.parametrize("rules", SYSTEMS)
def test_the_schema_of_every_action_is_valid_and_takes_what_is_played(rules: str) -> None:
    schemas = {tag: schema_of(kind) for tag, kind in action_kinds(rules).items()}
    for tag, schema in schemas.items():
        Draft202012Validator.check_schema(schema)
        for field in fields_of(action_kinds(rules)[tag]):
            assert not field.otherwise or schema["properties"][field.key]["description"] == field.description
    played = [
        msgspec.json.decode(msgspec.json.encode(action_and_author(rules, strict_object(line))[0]))
        for name, example in examples().items()
        if example.rules == rules
        for line in (FOLDER / name / "actions.ndjson").read_bytes().splitlines()
    ]
    assert len({action["type"] for action in played}) > 15
    for action in played:
        Draft202012Validator(schemas[action["type"]]).validate(action)
        assert not Draft202012Validator(schemas[action["type"]]).is_valid({**action, "colour": 1})


def test_every_verb_describes_itself_by_any_of_its_names(keeper: Assistant) -> None:
    for verb in asked(keeper, "describe")["verbs"]:
        for name in (verb["type"], verb["verb"], *verb["shorts"]):
            described = asked(keeper, "describe", verb=name)
            assert described["schema"]["properties"]["type"] == {"const": described["type"]}, name
        assert tag_of(action_kinds("osr")[verb["type"]]) == verb["type"]


def test_there_are_a_dozen_tools_and_one_and_each_has_a_valid_schema() -> None:
    assert len(TOOLS) == 13
    for tool in TOOLS.values():
        Draft202012Validator.check_schema(schema_of(tool.takes))


def test_without_the_kit_the_command_says_how_to_install_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.commands.mcp.find_spec", lambda _: None)
    result = shell.run("mcp")
    assert (result.code, result.out) == (1, "")
    assert "uv tool install '.[assistant]' installs it" in result.err
