"""Out of a campaign and into a new one: the same turns, the same answers, or nothing at all."""

import csv
import io
import json
import os
import shutil
import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cli.shell import exchange
from cli.shell.examples import examples
from cli.shell.exchange import LONGEST_TURN, ExportReader, export_lines
from cli.store.file import open_campaign
from cli.store.linking import link_all
from cli.store.making import create
from domain.common.notes import Note
from domain.common.revisions import Amend, Undo
from domain.common.sessions import SessionOpen
from domain.log.folding import state_at
from domain.log.points import sessions_of
from domain.log.port import AsOf, DamagedLog, Log, MemoryLog
from domain.refusal import Invalid
from domain.registry import SYSTEMS, record_types, system_of
from domain.turn import Action, Turn, packed
from projections.chronicle_range import chronicle
from projections.recap import recap_of
from projections.rule_history import remarks
from projections.sheets import status_of
from tests.kit.beginnings import TWO_EVENINGS, WITH_BROG
from tests.kit.elsewhere import keeps_modes
from tests.kit.given import Given
from tests.kit.on_disk import first_turn
from tests.kit.shell import Shell, shell_after
from tests.record_examples import replayed

shell = shell_after(*TWO_EVENINGS)


def text_of(log: Log, upto: int | None = None) -> bytes:
    lines = export_lines(log, system_of(log.rules), log.last() if upto is None else upto)
    return b"".join(f"{''.join(line)}\n".encode() for line in lines)


def back(text: bytes) -> MemoryLog:
    reading = ExportReader(io.BytesIO(text))
    turns = list(reading.turns())
    return MemoryLog(reading.header.rules, reading.header.campaign, turns)


def answers(log: Log) -> Iterator[Any]:
    """What the reading commands make of a log, at every tenth turn and now."""
    system = system_of(log.rules)
    for point in (*range(1, log.last(), 10), log.last()):
        yield status_of(log, system, state_at(system, log, point), point)
        yield [entry.as_json() for entry in chronicle(system, log, point)]
        yield remarks(log, None, point)
        for session in sessions_of(log, point):
            yield recap_of(system, AsOf(log, point), session).as_json()


# -- the same campaign -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(examples()))
def test_an_example_comes_back_the_same(name: str, tmp_path: Path) -> None:
    log = replayed(name)
    reading = ExportReader(io.BytesIO(text_of(log)))
    turns = reading.turns()
    create(tmp_path / "new.campaign", reading.header.campaign, next(turns), turns)
    with open_campaign(tmp_path / "new.campaign") as new:
        assert list(new.read()) == log.turns
        assert new.campaign_id == log.campaign_id
        assert [new.find(turn.id) for turn in log.turns] == log.turns
        assert list(answers(new)) == list(answers(log))
        assert text_of(new) == text_of(log)


#: Under each rule system: how somebody joins, and what may happen to them again and again.
LINES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "osr": (
        {"type": "osr.enrol", "character": "brog", "level": 3},
        [
            {"type": "osr.damage", "character": "brog", "amount": 2},
            {"type": "osr.short_rest", "characters": ["brog"]},
            {"type": "osr.night_rest", "characters": ["brog"]},
            {"type": "ruling", "rule": "6.4", "text": "Ja – jå", "set": {"keep_higher": True}, "since": "T2"},
            {"type": "override", "character": "brog", "set": {"hp": 5}, "why": "a potion"},
        ],
    ),
    "deckahedron": (
        {"type": "deckahedron.enrol", "character": "wren", "strength": 2, "dexterity": 3, "intelligence": 3},
        [
            {"type": "deckahedron.lose_stamina", "character": "wren", "points": 1},
            {"type": "deckahedron.strain", "character": "wren", "what": "a sprain"},
            {"type": "deckahedron.rest", "character": "wren", "hours": 8, "day": 3},
            {"type": "deckahedron.flip", "character": "wren", "attribute": "strength", "cards": 2},
        ],
    ),
    "gloomhaven": (
        {"type": "gloomhaven.enrol", "character": "brog", "class": "brute", "player": "ann"},
        [
            {"type": "gloomhaven.begin_scenario", "scenario": "1"},
            {"type": "gloomhaven.begin_round"},
            {"type": "gloomhaven.select", "character": "brog", "lead": 1, "second": 4},
            {"type": "gloomhaven.damage", "character": "brog", "amount": 1},
            {"type": "gloomhaven.condition", "character": "brog", "condition": "poison"},
        ],
    ),
}
EVERYWHERE: list[dict[str, Any]] = [
    {"type": "session.open", "title": "«Nacht» 🐉"},
    {"type": "session.close"},
    {"type": "note", "text": "line one\nline \u202e two\u2028 \x1b[31m \x00"},
]


@st.composite
def tables(draw: st.DrawFn) -> Given:
    """A table under any of the rule systems, with turns taken back, brought back and amended."""
    rules = draw(st.sampled_from(sorted(set(LINES) & set(SYSTEMS))))
    enrol, lines = LINES[rules]
    table = Given(rules, seed=draw(st.integers(0, 99)))
    table.when(enrol)
    for _ in range(draw(st.integers(3, 30))):
        last = table.log.last()
        what = draw(st.integers(0, 9))
        if what == 0:
            table.when(Undo(turns=(draw(st.integers(2, last)),), conflicts="drop"))
        elif what == 1:
            table.when({"type": "redo", "conflicts": "keep"})
        elif what == 2:
            turn = draw(st.integers(2, last))
            table.when(Amend(turn=turn, action=draw(st.sampled_from(lines)), conflicts="drop"))
        else:
            table.when(draw(st.sampled_from([*lines, *EVERYWHERE])))
    return table


def test_an_import_takes_its_bounds_and_no_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Given("osr").when({"type": "ruling", "rule": "6.4", "text": "So we play.", "since": "T1"})
    text = text_of(table.log)
    longest = max(map(len, text.splitlines()[1:]))
    for name, bound, saying in (
        ("MOST_TURNS", 2, "at most 1"),
        ("LONGEST_TURN", longest, f"longer than {longest - 1}"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(exchange, name, bound)
            assert (back(text_of(table.log)).last(), capsys.readouterr().err) == (2, "")
            patch.setattr(exchange, name, bound - 1)
            with pytest.raises(Invalid, match=saying):
                back(text)
            text_of(table.log)
            assert (f"T2 is longer than an import takes ({bound - 1} bytes)." in capsys.readouterr().err) == (
                name == "LONGEST_TURN"
            )


def test_a_log_whose_first_turn_went_meanwhile_is_told_as_damage() -> None:
    with pytest.raises(DamagedLog, match="Turn T1 is missing"):
        list(export_lines(MemoryLog("osr"), system_of("osr"), 3))


def test_an_id_may_have_200_characters() -> None:
    table = Given("osr")
    table.handler.record(table.line(Note(text="Rain.")), turn_id="x" * 200)
    assert back(text_of(table.log)).turns[-1].id == "x" * 200


def test_every_rule_system_takes_part() -> None:
    assert set(LINES) == set(SYSTEMS)


@given(table=tables())
def test_any_campaign_comes_back_the_same(table: Given) -> None:
    text = text_of(table.log)
    again = back(text)
    # bytes as the store keeps them: a turn just decided may hold a tuple where a stored one holds a list
    assert list(map(msgspec.msgpack.encode, again.turns)) == list(map(msgspec.msgpack.encode, table.log.turns))
    assert again.campaign_id == table.log.campaign_id
    assert [json.dumps(answer, default=str) for answer in answers(again)] == [
        json.dumps(answer, default=str) for answer in answers(table.log)
    ]
    assert text_of(again) == text


# -- a line that is not in order ---------------------------------------------------------------------------


def whole() -> list[dict[str, Any]]:
    """The lines of a small campaign with an undo, as JSON."""
    table = Given("osr", SessionOpen(), Note(text="one"), Note(text="two"), Undo())
    return [json.loads(line) for line in text_of(table.log).splitlines()]


def joined(lines: list[Any]) -> bytes:
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)


def test_lines_in_another_order_of_fields_and_with_spaces_are_the_same() -> None:
    lines = [dict(reversed(line.items())) for line in whole()]
    assert text_of(back(joined(lines))) == text_of(back(joined(whole())))


Spoil = Callable[[list[Any]], None]


def setting(at_line: int, **fields: Any) -> Spoil:
    def spoil(lines: list[Any]) -> None:
        lines[at_line].update(fields)

    return spoil


def dropping(at: int, field: str) -> Spoil:
    def spoil(lines: list[Any]) -> None:
        del lines[at][field]

    return spoil


def replacing(at: int, line: Any) -> Spoil:
    def spoil(lines: list[Any]) -> None:
        lines[at] = line

    return spoil


def ending(at: int) -> Spoil:
    def spoil(lines: list[Any]) -> None:
        del lines[at:]

    return spoil


NOTE = {"type": "note", "text": "x"}
GALLERY: dict[str, tuple[Spoil, str]] = {
    "no header": (lambda lines: lines.pop(0), "Line 1: Not an export file: an import is a file"),
    "nothing at all": (ending(0), "Line 1: There is no header; an import is a file"),
    "not JSON": (replacing(3, b"{nope"), "Line 4: The line is not JSON"),
    "no object": (replacing(3, [1]), "Line 4: The line is not an action"),
    "doubled name": (replacing(3, b'{"number":3,"number":3}'), "Line 4: The line names 'number' twice."),
    "a number that is none": (replacing(3, b'{"number":NaN}'), "Line 4: NaN is not a number"),
    "a later version": (setting(0, version=3), "Line 1: It was written by a newer version of campaign"),
    "unknown rules": (setting(0, rules="chess"), "Line 1: It is played under 'chess'"),
    "newer rules": (setting(0, rules_version=99), "Line 1: It is played under a newer version of the osr rules"),
    "an id that is a path": (setting(0, campaign="../../x"), "Line 1: The first line is not a valid header"),
    "too many turns": (setting(0, turns=10**9), "Line 1: It promises 1,000,000,000 turns"),
    "cut short": (ending(4), "The file ends after T3, but its first line promises 5 turns: it was cut short."),
    "one turn too many": (setting(0, turns=4), "Line 6: This is one turn more than the 4"),
    "a gap": (setting(3, number=4), "Line 4: T3 is expected here, not T4."),
    "an id twice": (setting(3, id="id-1"), "Line 4: The id 'id-1' belongs to an earlier turn."),
    "no id": (setting(3, id=""), "Line 4: A turn has an id of 1 to 200 characters."),
    "a long id": (setting(3, id="x" * 201), "Line 4: A turn has an id of 1 to 200 characters."),
    "no seed": (dropping(3, "seed"), "Line 4: Not a valid osr turn: Object missing required field `seed`"),
    "a field too many": (
        setting(3, mood="grim"), "Line 4: Not a valid osr turn: Object contains unknown field `mood`. A newer version"
    ),
    "an action of other rules": (setting(3, action={"type": "chess.move"}), "Line 4: Not a valid osr turn"),
    "an event of other rules": (setting(3, events=[{"type": "os.system"}]), "Line 4: Not a valid osr turn"),
    "half a character": (setting(3, by="\ud800"), "Line 4: A turn cannot hold a broken character"),
    "a seed beyond bounds": (setting(3, seed=2**60), "Line 4: A turn cannot hold a whole number beyond ±2^53."),
    "no zone": (setting(3, at="2026-01-01T19:00:00"), "Line 4: '2026-01-01T19:00:00' is not an ISO time"),
    "no time": (setting(3, at="yesterday"), "Line 4: 'yesterday' is not an ISO time with its zone."),
    "a long time": (setting(3, at="x" * 41), f"Line 4: '{'x' * 40}' is not an ISO time with its zone."),
    "another campaign": (setting(0, name="Other"), "Line 2: The first turn and the header name different campaigns"),
    "a second start": (
        setting(3, action={"type": "campaign.start", "name": "x", "rules": "osr"}),
        "Line 4: A log begins with campaign.start",
    ),
    "no start": (setting(1, action=NOTE), "Line 2: A log begins with campaign.start"),
    "a word about the future": (
        setting(5, events=[{"type": "turn.undone", "turn": 9}]),
        "Line 6: T5 refers to a turn that is not before it.",
    ),
    "the start undone": (
        setting(5, events=[{"type": "turn.undone", "turn": 1}]),
        "Line 6: T5 refers to a turn that is not before it.",
    ),
    "a place that comes later": (
        setting(3, place=5),
        "Line 4: T3 cannot be placed directly after T5; its place must be an earlier turn.",
    ),
    "a place at itself": (
        setting(3, place=3),
        "Line 4: T3 cannot be placed directly after T3; its place must be an earlier turn.",
    ),
    "told together with a later one": (
        setting(3, together=5),
        "Line 4: T3 cannot belong to the line of T5, which comes later.",
    ),
    "a ruling from nowhere": (
        setting(3, action={"type": "ruling", "rule": "6.4", "text": "x", "since": "T77"}),
        "Line 4: A ruling cannot count from 'T77' on here.",
    ),
    "an amendment to nothing": (
        setting(5, action={"type": "amend", "turn": 3, "action": {"type": "nothing"}}),
        "Line 6: The events of T5 cannot be applied",
    ),
    "an override of nothing": (
        setting(3, events=[{"type": "sheet.overridden", "character": "x", "set": {"mood": 1}, "why": "y"}]),
        "Line 4: ",
    ),
    "an option of nothing": (
        setting(3, events=[{"type": "ruling.made", "number": 1, "rule": "6.4", "text": "x", "why": None,
                            "trial": False, "set": {"keep_higher": "perhaps"}, "since": None}]),
        "Line 4: The events of T3 cannot be applied",
    ),
    "a broken character in the header": (
        replacing(0, rb'{"format":"campaign-log","name":"\ud800"}'), "Line 1: The header cannot hold a broken character"
    ),
    "what is counted is no number": (setting(2, chance={"session#": [["T1"], 0]}), "Line 3: T2 calculates with"),
    "deep nesting": (replacing(3, b'{"a":' * 100_000 + b"1" + b"}" * 100_000), "Line 4: "),
    "a line beyond bounds": (
        replacing(3, b'{"x":"' + b"x" * LONGEST_TURN + b'"}'), f"Line 4: The turn is longer than {LONGEST_TURN:,}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", GALLERY)
def test_a_line_that_is_not_in_order_is_named_and_nothing_appears(case: str, shell: Shell) -> None:
    spoil, sentence = GALLERY[case]
    lines: list[Any] = whole()
    spoil(lines)
    before = sorted(path.name for path in shell.folder.iterdir())
    for options in ((), ("--dry-run",)):
        result = shell.run("import", "-", "--file", "new.campaign", *options, stdin=joined(lines))
        assert (result.code, result.out) == (2, ""), result
        assert result.err.startswith(sentence), result.err
        assert result.err.count("\n") == 1
        assert result.err.endswith(" Nothing was imported.\n") or "There is no header" in result.err
        assert sorted(path.name for path in shell.folder.iterdir()) == before


BYTES = text_of(Given("osr", SessionOpen(), Note(text="one"), Undo()).log)


@given(data=st.data())
def test_a_spoiled_file_is_imported_as_another_campaign_or_not_at_all(data: st.DataObject) -> None:
    """One byte changed, lost or added anywhere: an Invalid, or a log that reads and exports again as it came."""
    at = data.draw(st.integers(0, len(BYTES) - 1))
    byte = bytes([data.draw(st.integers(0, 255))])
    spoiled = (BYTES[:at] + byte + BYTES[at + 1 :], BYTES[:at] + BYTES[at + 1 :], BYTES[:at] + byte + BYTES[at:])
    text = data.draw(st.sampled_from(spoiled))
    try:
        log = back(text)
    except Invalid as error:
        assert "\n" not in error.reason
        return
    assert text_of(back(text_of(log))) == text_of(log)
    list(answers(log))


# -- as typed ----------------------------------------------------------------------------------------------


def test_out_and_in_again(shell: Shell) -> None:
    seal = shell.run("seal").ok().out.strip()
    assert shell.run("export", "-o", "crypt.ndjson").ok().out == f"16 turns are in crypt.ndjson. Seal: {seal}\n"
    assert shell.bytes_of("crypt.ndjson").decode() == shell.run("export").ok().out
    assert shell.run("import", "crypt.ndjson", "--file", "again.campaign").ok().out == (
        "16 turns of Crypt, under the rules of osr, now in again.campaign.\nNext: campaign status\n"
    )
    for question in (("status", "--json"), ("log", "-O", "ndjson"), ("show", "T10"), ("rules", "6.4"), ("recap", "S1")):
        ask = [shell.run(*question, "-c", name).ok().out for name in ("crypt.campaign", "again.campaign")]
        assert ask[0] == ask[1]
    assert shell.run("log", "-n", "1", "--oneline").code == 0
    assert not keeps_modes() or (shell.folder / "again.campaign").stat().st_mode & 0o777 == 0o600


def test_what_was_moved_and_told_late_comes_back_at_its_place(shell: Shell) -> None:
    shell.do("osr damage brog 1 --after T4", "amend T13 --after T11")
    shell.run("export", "-o", "crypt.ndjson").ok()
    shell.run("import", "crypt.ndjson", "--file", "again.campaign").ok()
    questions = (
        ("status", "--json"),
        ("log",),
        ("log", "-O", "ndjson"),
        ("query", "select turn, place from turns where place is not null", "--json"),
        ("replay", "S1"),
    )
    for question in questions:
        ask = [shell.run(*question, "-c", name).ok().out for name in ("crypt.campaign", "again.campaign")]
        assert ask[0] == ask[1]
    places = json.loads(shell.run(*questions[3], "-c", "again.campaign").ok().out)
    assert places == [{"turn": 13, "place": 11}, {"turn": 17, "place": 4}]
    for name in ("crypt.campaign", "again.campaign"):
        shell.run("verify", "-c", name).ok()


def test_an_imported_campaign_is_the_current_one_and_goes_on(shell: Shell) -> None:
    shell.run("export", "-o", "crypt.ndjson").ok()
    (shell.folder / "crypt.campaign").rename(shell.folder / "old")
    shell.run("import", "crypt.ndjson").ok()
    assert shell.run("osr", "damage", "brog", "1").ok().out.startswith("T17  ")
    assert "undone by T12" in shell.run("log", "--undone").ok().out


def test_a_dry_run_makes_nothing(shell: Shell) -> None:
    shell.run("export", "-o", "crypt.ndjson").ok()
    output = shell.run("import", "crypt.ndjson", "--file", "again.campaign", "--dry-run").ok().out
    assert "every line is in order" in output
    assert not (shell.folder / "again.campaign").exists()


def test_no_campaign_is_written_over(shell: Shell) -> None:
    shell.run("export", "-o", "crypt.ndjson").ok()
    before = shell.bytes_of("crypt.campaign")
    for options in ((), ("--dry-run",)):
        shell.run("import", "crypt.ndjson", *options).is_(
            2, "There is a file crypt.campaign already; choose another name."
        )
    assert shell.bytes_of("crypt.campaign") == before
    shell.run("export", "-o", "crypt.campaign").is_(
        2, "crypt.campaign is a campaign or another database and is left alone; choose another name."
    )


def test_the_log_as_it_stood_is_a_campaign_too(shell: Shell) -> None:
    shell.run("export", "--at", "T9", "-o", "then.ndjson").ok()
    shell.run("import", "then.ndjson", "--file", "then.campaign").ok()
    then = shell.run("status", "--json", "--at", "T9", "-c", "crypt.campaign").ok().out
    assert shell.run("status", "--json", "-c", "then.campaign").ok().out == then


def test_an_export_does_not_pretend_to_keep_secrets(shell: Shell) -> None:
    shell.run("export", "--as", "Mia").is_(
        2, "An export holds everything and cannot keep secrets; use campaign log --as or recap --as."
    )


def test_what_is_not_there_is_said_in_one_sentence(shell: Shell) -> None:
    shell.run("import", "nothing.ndjson").is_(2, "nothing.ndjson cannot be read: no such file or directory.")
    shell.run("export", "--at", "T99").is_(1, "There is no turn T99; the log goes from T1 to T16.")


def test_what_a_terminal_obeys_is_escaped_and_comes_back(shell: Shell) -> None:
    shell.run("note", "\x1b[31mred \u202e\u2028").ok()
    out = shell.run("export").ok().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    shell.run("import", "-", "--file", "again.campaign", stdin=out).ok()
    *_, turn, _ = (json.loads(line) for line in shell.run("export", "-c", "again.campaign").ok().out.splitlines())
    assert turn["action"]["text"] == "\x1b[31mred \u202e\u2028"


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1", "\n=1"])
def test_no_cell_is_a_formula(formula: str, shell: Shell) -> None:
    shell.run("note", "x", "--by", formula).ok()
    text = shell.run("export", "-O", "csv").ok().out
    row = list(csv.DictReader(io.StringIO(text)))[-1]
    assert row["by"].startswith("'")
    assert row["sentence"] == "Note: x"


def test_the_chronicle_as_a_table(shell: Shell) -> None:
    shell.run("export", "-O", "csv", "-o", "crypt.csv").ok()
    rows = list(csv.DictReader(io.StringIO(shell.bytes_of("crypt.csv").decode("utf-8-sig"))))
    assert [row["turn"] for row in rows] == [str(number) for number in range(1, 17)]
    assert (rows[5]["standing"], rows[5]["undone_by"], rows[5]["characters"]) == ("false", "12", "brog")
    assert rows[5]["rules"] == "OSR 6.4, OSR 6.5"


def test_a_new_file_that_could_not_be_made_whole_is_gone(tmp_path: Path) -> None:
    turns = replayed("drowned-chapel").turns

    def failing() -> Iterator[Turn]:
        yield from turns[1:10]
        raise Invalid("no more")

    with pytest.raises(Invalid):
        create(tmp_path / "new.campaign", "id", turns[0], failing())
    assert list(tmp_path.iterdir()) == []


def test_the_record_types_are_closed() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(json.dumps(whole()[1] | {"events": [{"type": "os.system"}]}), type=record_types("osr").turn)


def test_on_a_branch_its_line_of_play_is_exported(shell: Shell) -> None:
    shell.run("branch", "plan", "@T5").ok()
    shell.do("osr short-rest brog --rolled 1,1")
    shell.run("export", "-o", "plan.ndjson").ok()
    shell.run("import", "plan.ndjson", "--file", "plan.campaign").ok()
    there = shell.run("log", "-O", "ndjson", "-c", "crypt.campaign").rows()
    assert shell.run("log", "-O", "ndjson", "-c", "plan.campaign").rows() == there
    assert len(there) == 6


# -- turns that were stored in other bytes than they would be today


def laid_out_otherwise(shell: Shell) -> bytes:
    """T2 as an earlier version might have stored it: its keys in another order. The new bytes."""
    with closing(sqlite3.connect(shell.folder / "dc.campaign", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        (state,) = connection.execute("SELECT state FROM stored_events WHERE originator_version = 2").fetchone()
        other = msgspec.msgpack.encode(dict(reversed(msgspec.msgpack.decode(state).items())))
        connection.execute("UPDATE stored_events SET state = ? WHERE originator_version = 2", (other,))
        link_all(connection)
        connection.execute("COMMIT")
    assert other != state
    shutil.rmtree(shell.folder.parent / "xdg_state_home")
    return other


def test_the_bytes_of_earlier_versions_go_with_an_export(new_shell: Shell) -> None:
    """An honest log of before is not called tampered with: its seal is over the bytes that it has."""
    new_shell.do(*WITH_BROG)
    state = laid_out_otherwise(new_shell)
    seal = new_shell.run("seal").ok().out
    text = new_shell.run("export").ok().out
    assert [("stored" in json.loads(line)) for line in text.splitlines()] == [False, False, True, False]
    new_shell.run("import", "-", "--file", "again.campaign", stdin=text).ok()
    assert new_shell.run("seal", "-c", "again.campaign").ok().out == seal
    with closing(sqlite3.connect(new_shell.folder / "again.campaign")) as connection:
        rows = connection.execute("SELECT state FROM stored_events WHERE originator_version = 2").fetchall()
    assert rows == [(state,)]


@pytest.mark.parametrize(
    "stored", ["", "?", 7, None, "gA==", b64encode(b"\x80").decode(), "of another turn", "of another type"]
)
def test_bytes_that_are_not_of_their_turn_are_refused(stored: object, new_shell: Shell) -> None:
    new_shell.do(*WITH_BROG)
    laid_out_otherwise(new_shell)
    lines = [json.loads(line) for line in new_shell.run("export").ok().out.splitlines()]
    record = msgspec.msgpack.decode(b64decode(lines[2]["stored"]))
    if stored == "of another turn":
        record["events"][0]["hp"] += 1
        stored = b64encode(msgspec.msgpack.encode(record)).decode()
    elif stored == "of another type":
        record["at"] = datetime.fromisoformat(record["at"])
        lines[2]["at"] = msgspec.to_builtins(record["at"])
        stored = b64encode(msgspec.msgpack.encode(record)).decode()
    lines[2]["stored"] = stored
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    result = new_shell.run("import", "-", "--file", "again.campaign", stdin=text)
    sentence = "Line 3: The bytes that it was stored in are not those of this turn. Nothing was imported."
    assert (result.code, result.err) == (2, f"{sentence}\n")
    assert not (new_shell.folder / "again.campaign").exists()


def test_a_field_that_a_later_version_adds_changes_no_bytes_of_a_turn_without_it() -> None:
    started = next(MemoryLog("osr", turns=[first_turn()]).read())
    few, many = (
        msgspec.defstruct(
            "Wave", [("hand", str), *((f"new{at}", int, 0) for at in range(more))],
            bases=(Action,), frozen=True, kw_only=True, tag="wave",
        )(hand="left")
        for more in (0, 20)
    )  # fmt: skip
    assert packed(replace(started, action=few)) == packed(replace(started, action=many))


# -- files and what is no file -------------------------------------------------------------------------------

OUTPUTS = (("export",), ("recap",), ("rules", "--book", "-O", "md"), ("manual", "-O", "html"))
needs_sh_and_fds = pytest.mark.skipif(not Path("/dev/fd/1").exists(), reason="there is no /dev/fd on this system")


@pytest.mark.parametrize("line", OUTPUTS, ids=lambda line: line[0])
def test_what_is_written_to_a_file_is_its_owners_alone(shell: Shell, line: tuple[str, ...]) -> None:
    umask = os.umask(0o022)
    try:
        shell.run(*line, "-o", "new").ok()
        (shell.folder / "old").touch(0o640)
        shell.run(*line, "-o", "old").ok()
    finally:
        os.umask(umask)
    modes = [(shell.folder / name).stat().st_mode & 0o777 for name in ("new", "old")]
    assert not keeps_modes() or modes == [0o600, 0o640]


@needs_sh_and_fds
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_by_its_name_is_what_it_is_now(shell: Shell, name: str) -> None:
    lines = shell.run("export").ok().out
    assert shell.process("export", "-o", name).ok().out == lines
    out = shell.folder / "out"
    out.write_text("before\n", "utf-8")
    with out.open("ab") as stream:
        shell.process("export", "-o", name, stdout=stream).ok()
    assert out.read_text("utf-8") == f"before\n{lines}"


@needs_sh_and_fds
@pytest.mark.parametrize("line", OUTPUTS, ids=lambda line: line[0])
def test_another_program_gets_all_of_it_through_a_pipe(shell: Shell, line: tuple[str, ...]) -> None:
    written = shell.run(*line).ok().out
    reader, writer = os.pipe()
    os.set_blocking(writer, True)
    with ThreadPoolExecutor(1) as pool, os.fdopen(reader, "rb") as stream:
        received = pool.submit(stream.read)
        result = shell.run(*line, "-o", f"/dev/fd/{writer}")
        os.close(writer)
        assert (result.ok().out, received.result().decode()) == ("", written)


SIDE_NAMES = ("m.campaign-wal", "m.campaign-shm", "m.campaign-journal", "m.campaign-lock", "crypt.campaign-wal")


@pytest.mark.parametrize("name", SIDE_NAMES)
@pytest.mark.parametrize("line", [*(f"{' '.join(line)} -o" for line in OUTPUTS), "backup", "new X -r osr --file"])
def test_no_file_is_made_that_would_be_taken_for_a_part_of_a_campaign(shell: Shell, line: str, name: str) -> None:
    before = sorted(shell.folder.iterdir())
    owner = name.rpartition("-")[0]
    sentence = f"{name} is a name that SQLite uses beside {owner}; choose another name."
    shell.run(*line.split(), name).is_(2, sentence)
    assert sorted(shell.folder.iterdir()) == before
