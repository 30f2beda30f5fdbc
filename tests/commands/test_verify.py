"""`seal`, `verify`, `backup`, and what is remembered of a campaign outside it: as a user meets them."""

import json
import shutil
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

import data
from cli.store.file import CampaignFile, open_campaign
from cli.store.linking import link_all
from domain.common.notes import Note
from domain.log.hash_chain import seal_from
from tests.kit.on_disk import handler_of, meddle
from tests.kit.shell import Result, Shell, shell_after

OLD = Path(data.__path__[0]) / "old_logs" / "format-1"


shell = shell_after(
    'new "The Mill" --rules osr --file mill.campaign',
    "session open",
    "osr enrol brog --level 2 --rolled 5,6",
    "osr damage brog 4",
    "osr short-rest brog",
    "undo",
    "redo",
)


def seal_of(shell: Shell, *words: str) -> str:
    return shell.run("seal", *words).ok().out.strip()


def forged(shell: Shell, **changes: object) -> None:
    """T4 with another number in it, its links as they were."""
    path = shell.folder / "mill.campaign"
    with closing(sqlite3.connect(path)) as connection, connection:
        (state,) = connection.execute("SELECT state FROM stored_events WHERE originator_version = 4").fetchone()
        record = msgspec.msgpack.decode(state) | changes
        connection.execute(
            "UPDATE stored_events SET state = ? WHERE originator_version = 4", (msgspec.msgpack.encode(record),)
        )


# -- seals


def test_a_seal_fixes_the_log_up_to_a_point(shell: Shell) -> None:
    now, then = seal_of(shell), seal_of(shell, "T4")
    assert (seal_from(now).turn, seal_from(then).turn) == (7, 4)
    assert shell.run("seal", "T4", "--json").json() == {"turn": 4, "seal": then}
    shell.do("note x")
    assert seal_of(shell, "T7") == now and seal_of(shell) != now
    shell.run("verify", "--seal", then, "--seal", now.lower().replace("-", "")).ok()


def test_closing_a_session_says_the_seal_to_write_down(shell: Shell) -> None:
    output = shell.run("session", "close").ok().out
    assert output == f"T8  Session 1 closes.\n    Seal: {seal_of(shell)}\n"


def test_a_seal_of_another_history_is_told_apart(shell: Shell) -> None:
    wrong = "T4 0000-0000-0000-0000"
    result = shell.run("verify", "--quick", "--seal", wrong)
    assert result.code == 5
    assert result.out == f"The log up to T4 is not what was sealed: {wrong} then, {seal_of(shell, 'T4')} now.\n"
    ahead = "T99 0000-0000-0000-0000"
    result = shell.run("verify", "--quick", "--seal", ahead)
    assert (result.code, result.out) == (5, f"The log ends before T99, of which there is a seal ({ahead}).\n")
    no_seal = "'T4' is not a seal; one is a turn and sixteen letters and digits, like T86 QK3F-9M2X-7TPA-4WZE."
    shell.run("verify", "--seal", "T4").is_(2, no_seal)
    shell.run("verify", "T12 QK3F-9M2X-7TPA-4").is_(2, no_seal.replace("'T4'", "'T12 QK3F-9M2X-7TPA-4'"))


def test_a_seal_is_checked_as_it_stands_on_the_paper(shell: Shell) -> None:
    seal = seal_of(shell, "T4")
    turn, digits = seal.split()
    verified = shell.run("verify").ok().out
    for line in (("verify", turn, digits), ("verify", seal), ("verify", "--seal", turn, digits.lower())):
        assert shell.run(*line).ok().out == verified
    assert shell.run("verify", "--quick", turn, "0000-0000-0000-0000").code == 5


def test_the_turn_of_a_seal_is_found(shell: Shell) -> None:
    digits = seal_of(shell, "T4").split()[1]
    found = f"{digits} is the seal of T4.\n"
    assert shell.run("verify", digits).ok().out == found + shell.run("verify").out
    assert shell.run("verify", "--quick", "--seal", digits.replace("-", " ").lower()).ok().out.startswith(found)
    shell.do("branch plan @T6", "switch plan", "note x")
    own = seal_of(shell)
    assert shell.run("verify", own.split()[1]).ok().out.startswith(f"{own.split()[1]} is the seal of T7.\n")
    wrong = "0000-0000-0000-0000"
    result = shell.run("verify", "--quick", wrong)
    assert (result.code, result.out) == (
        5, f"No turn has the seal {wrong}: it was copied wrongly, or the past was changed.\n"
    )  # fmt: skip


def test_the_turn_of_a_seal_is_not_found_once_the_past_was_changed(shell: Shell) -> None:
    digits = seal_of(shell).split()[1]
    forged(shell, by="Nobody")
    result = shell.run("verify", "--quick", digits)
    assert result.code == 5 and f"No turn has the seal {digits}" in result.out


# -- verify


def test_a_log_that_nobody_touched_verifies(shell: Shell) -> None:
    seal = seal_of(shell)
    sentence = f"All 7 turns verified. Seal: {seal}\n"
    assert shell.run("verify").ok().out == sentence
    assert shell.run("verify", "--quick").ok().out == f"All 7 turns fit their links. Seal: {seal}\n"
    assert shell.run("verify", "--json").json() == {"turns": 7, "seal": seal, "findings": [], "accepted": False}


def test_hit_points_written_into_the_file_are_found_twice(shell: Shell) -> None:
    event = {"type": "osr.damaged", "character": "Brog", "amount": 4, "hp": 18, "source": None}
    forged(shell, events=[event])
    quick = shell.run("verify", "--quick")
    assert (quick.code, quick.out) == (5, "T4 does not fit its link: it, or what lies before it, was changed.\n")
    result = shell.run("verify")
    assert result.code == 5
    link, *decided = result.out.splitlines()
    assert f"{link}\n" == quick.out
    assert decided[0].startswith("T4 ")
    found = json.loads(shell.run("verify", "--json").out)
    assert [finding["turn"] for finding in found["findings"]][:2] == [4, 4] and found["seal"] is None


def test_an_old_log_verifies_and_says_that_it_has_no_links_yet(shell: Shell) -> None:
    shutil.copy(OLD / "salt-road.campaign", shell.folder)
    result = shell.run("verify", "-c", "salt-road.campaign").ok()
    first, older, last = result.out.splitlines()
    assert first == "It was begun before turns had links; they are made at its first write."
    assert older.startswith("T1 to T87 were decided by version 1 of the rules, taken on trust.")
    assert last.startswith("0 of 87 turns verified; none has a link yet. Seal: T87 ")
    seal = seal_of(shell, "-c", "salt-road.campaign")
    assert "links" in shell.run("doctor", "--json", "-c", "salt-road.campaign").json()
    assert "none yet" in shell.run("doctor", "--json", "-c", "salt-road.campaign").json()["links"]
    shell.do("note -c salt-road.campaign x")
    shell.run("verify", "-c", "salt-road.campaign", "--seal", seal).ok()
    assert "none yet" not in shell.run("doctor", "--json", "-c", "salt-road.campaign").json()["links"]


def test_a_draw_that_was_taken_back_and_drawn_again_is_told_and_is_no_damage(shell: Shell) -> None:
    shell.do("osr short-rest brog", "undo", "osr short-rest brog")
    result = shell.run("verify")
    assert (result.code, result.out.splitlines()[0]) == (
        0,
        "T8 was undone, and T10 did the same again with a new draw. That is allowed, and the log keeps both.",
    )


# -- what was last seen


def test_an_older_copy_put_back_is_told_on_every_reading_and_takes_no_turn(shell: Shell) -> None:
    path = shell.folder / "mill.campaign"
    older = path.read_bytes()
    shell.do("note later")
    seal = seal_of(shell)
    path.write_bytes(older)
    sentence = f"mill.campaign no longer holds what was last seen of it here ({seal})."
    advice = "Look at it with `campaign verify`; `campaign verify --accept` takes it as it is.\n"
    for command in ("status", "log"):
        result = shell.run(command)
        assert (result.code, result.err) == (0, f"{sentence} {advice}")
    result = shell.run("note", "x")
    assert (result.code, result.out, result.err) == (6, "", f"{sentence} Nothing was saved. {advice}")
    result = shell.run("verify")
    assert (result.code, result.out) == (5, f"{sentence}\n")
    accepted = shell.run("verify", "--accept")
    assert accepted.code == 0 and "Accepted as it is now." in accepted.out
    shell.do("note x", "verify")


def test_a_branch_without_turns_yet_is_nothing_to_be_missed(shell: Shell) -> None:
    shell.do("branch plan @T4", "status", "note x", "switch main", "note y", "switch plan", "verify")


def test_a_copy_beside_it_has_a_life_of_its_own(shell: Shell) -> None:
    shell.do("backup copy.campaign", "note -c mill.campaign later")
    for name in ("copy.campaign", "mill.campaign", "copy.campaign"):
        shell.do(f"note -c {name} x", f"verify -c {name}")


def test_what_another_copy_had_is_remarked_on_and_blocks_nothing(shell: Shell) -> None:
    """Tried on a copy and thrown away; and an older copy under another name."""
    shutil.copy(shell.folder / "mill.campaign", shell.folder / "try.campaign")
    shell.do("note -c try.campaign tried")
    seal = seal_of(shell, "-c", "try.campaign")
    (shell.folder / "try.campaign").unlink()
    shell.do("use mill.campaign", "osr damage brog 2", "status")
    place = shell.folder / "try.campaign"
    assert f"A copy at {place} had turns that are not here, up to {seal}." in shell.run("verify").ok().out


@pytest.mark.parametrize("way", ["backup", "export"])
def test_a_copy_made_by_the_program_leaves_the_original_free(shell: Shell, way: str) -> None:
    if way == "backup":
        shell.do("backup other.campaign")
    else:
        text = shell.run("export").ok().out
        shell.run("import", "-", "--file", "other.campaign", stdin=text).ok()
    shell.do("note -c other.campaign elsewhere")
    (shell.folder / "other.campaign").unlink()
    shell.do("use mill.campaign", "osr damage brog 2", "status", "verify")


def test_turns_of_a_stick_that_was_joined_and_unplugged_are_here(shell: Shell) -> None:
    stick = shell.folder / "stick"
    stick.mkdir()
    shutil.copy(shell.folder / "mill.campaign", stick / "mill.campaign")
    shell.do("note -c stick/mill.campaign away", "use mill.campaign", "note here")
    shell.run("join", "stick/mill.campaign").ok()
    (stick / "mill.campaign").unlink()
    shell.do("osr damage brog 2", "status")
    assert "not here" not in shell.run("verify").ok().out
    shell.run("adopt", "mill").ok()
    assert "not here" not in shell.run("verify").ok().out


def test_what_was_remembered_before_places_had_ids_is_read(shell: Shell) -> None:
    from hashlib import sha256

    (memory,) = (shell.folder.parent / "xdg_state_home").rglob("seen/*.json")
    known = json.loads(memory.read_bytes().rpartition(b"\n")[0])
    for places in known["seen"].values():
        for place, seen in places.items():
            places[place] = seen[:2]
    written = json.dumps(known).encode()
    memory.write_bytes(written + b"\n" + sha256(written).hexdigest().encode())
    older = (shell.folder / "mill.campaign").read_bytes()
    shell.do("note later")
    (shell.folder / "mill.campaign").write_bytes(older)
    assert "no longer holds what was last seen" in shell.run("status").err


def test_history_changed_and_linked_anew_is_found_by_what_was_seen(shell: Shell) -> None:
    forged(shell, by="Somebody Else")
    with closing(sqlite3.connect(shell.folder / "mill.campaign", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        link_all(connection)
        connection.execute("COMMIT")
    assert shell.run("verify", "--quick").code == 5
    assert "no longer holds what was last seen" in shell.run("status").err


def test_a_forged_turn_is_accepted_only_when_somebody_says_so(shell: Shell) -> None:
    forged(shell, by="Somebody Else")
    assert shell.run("verify").code == 5
    shell.run("verify", "--accept").ok()
    shell.do("verify", "note x", "verify")


def test_where_nothing_can_be_remembered_everything_works(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/nowhere")
    shell.do("note -c mill.campaign x", "status -c mill.campaign", "verify -c mill.campaign")


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"seen": {"x": 7}}'])
def test_a_broken_memory_is_none(shell: Shell, content: bytes) -> None:
    (memory,) = (shell.folder.parent / "xdg_state_home").rglob("*.json")
    memory.write_bytes(content)
    shell.do("status", "note x", "verify")


def test_a_bit_flipped_in_what_is_remembered_is_not_blamed_on_the_log(shell: Shell) -> None:
    (memory,) = (shell.folder.parent / "xdg_state_home").rglob("*.json")
    whole = memory.read_bytes()
    for bit in range(0, len(whole) * 8, 29):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        memory.write_bytes(flipped)
        shell.do("seal")


# -- what is kept beside the log


def test_a_view_that_tells_otherwise_is_thrown_away_and_the_log_is_not_blamed(shell: Shell) -> None:
    """As one would that was made by a mistake of an earlier version: as it was left, and wrong."""
    path = Path(shell.run("views", "path").ok().out.strip())
    whole = shell.run("query", "select sentence from turns order by turn").ok().out
    meddle(path, "UPDATE turns SET sentence = 'Nothing.' WHERE turn = 4")
    result = shell.run("verify")
    assert result.code == 0
    assert result.out.startswith("The tables in the cache folder did not agree with the log and were thrown away.")
    assert shell.run("query", "select sentence from turns order by turn").ok().out == whole
    assert "otherwise" not in shell.run("verify").ok().out


def test_a_long_verifying_says_how_far_it_has_come_on_a_terminal(shell: Shell) -> None:
    shell.act(*({"type": "note", "text": "Rain."} for _ in range(250))).ok()
    output = shell.terminal("verify").out
    assert "250 of 257 turns decided again" in output and "All 257 turns verified." in output
    assert "decided again\r" not in shell.process("verify").ok().err


# -- damage met on the way


@pytest.mark.parametrize("command", ["log", "recap", "show T4", "stats", "verify", "export -O csv"])
def test_a_record_that_is_strange_only_later_is_told_as_damage(shell: Shell, command: str) -> None:
    """It reads as a turn, and its time is none: what comes of that is the log's fault, and not a bug."""
    forged(shell, at="2026-03=06")
    result = shell.run(*command.split())
    assert result.code == 5
    assert "T4 does not fit its link" in result.out + result.err


@pytest.mark.parametrize("command", ["log T3..", "verify", "verify --quick", "doctor"])
def test_a_record_that_became_a_text_is_told_by_its_number(shell: Shell, command: str) -> None:
    """As `replace` of SQL leaves it: no byte of it can be read as text."""
    meddle(
        shell.folder / "mill.campaign",
        "UPDATE stored_events SET state = replace(state, 'brog', 'brag') WHERE originator_version = 3",
    )
    result = shell.run(*command.split())
    assert result.code == 5
    assert "Turn T3 is damaged: what is stored is not a turn." in result.out + result.err


def test_what_cannot_be_decided_again_ends_in_one_way(shell: Shell) -> None:
    """A question at the end of a reason stays one."""
    meddle(
        shell.folder / "mill.campaign",
        "UPDATE stored_events SET state = CAST(replace(state, 'brog', 'brag') AS BLOB) WHERE originator_version = 3",
    )
    output = shell.run("verify").out
    assert "T4 cannot be decided again: There is no character 'brog'; did you mean brag?\n" in output


def test_what_is_strange_in_a_log_that_is_as_it_was_written_is_a_bug(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr("cli.commands.status.status_of", broken)
    with pytest.raises(KeyError, match="a bug"):
        shell.run("status", "--json")


# -- the seal on a page


def test_a_recap_ends_with_the_seal_of_the_evening(shell: Shell) -> None:
    shell.do("session close", "note Afterwards.")
    seal = seal_of(shell, "T8")
    assert shell.run("recap").ok().out.endswith(f"\n*Seal: {seal}*\n")
    assert f"<em>Seal: {seal}</em></p>" in shell.run("recap", "-O", "html").ok().out
    assert shell.run("recap", "--json").json()["seal"] == seal
    shell.run("verify", "--quick", "--seal", seal).ok()


# -- backup


def test_a_backup_is_the_same_log_and_the_doctor_tells_its_age(shell: Shell) -> None:
    assert shell.run("doctor", "--json").json()["backup"] == "none known here; campaign backup FILE makes one"
    seal = seal_of(shell)
    output = shell.run("backup", "copies.db").ok().out
    assert output == f"7 turns, now also in copies.db. Seal: {seal}\n"
    shell.run("verify", "-c", "copies.db", "--seal", seal).ok()
    assert shell.run("doctor", "--json").json()["backup"] == f"today, T7, in {shell.folder / 'copies.db'}"
    shell.do("note x")
    assert shell.run("doctor", "--json").json()["backup"].endswith("; 1 turn since")
    shell.run("backup", "copies.db").is_(2, "There is a file copies.db already; choose another name.")


def test_the_doctor_looks_at_the_pages(shell: Shell) -> None:
    path = shell.folder / "mill.campaign"
    meddle(path, "PRAGMA writable_schema=ON", "UPDATE sqlite_master SET rootpage = 3 WHERE name = 'speaking'")
    result = shell.run("doctor", "--json")
    assert result.code == 5 and "damaged" in json.loads(result.out)["health"]


# -- export and import


def exported(shell: Shell, *words: str) -> list[dict[str, object]]:
    return shell.run("export", "-c", "mill.campaign", *words).ok().rows()


def imported(shell: Shell, rows: list[dict[str, object]], *words: str) -> Result:
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    return shell.run("import", "-", "--file", "again.campaign", *words, stdin=lines)


def test_an_export_ends_with_its_seal_and_an_import_has_the_same_links(shell: Shell) -> None:
    seal = seal_of(shell)
    *_, last = rows = exported(shell)
    assert last == {"seal": seal}
    assert exported(shell, "--at", "T4")[-1] == {"seal": seal_of(shell, "T4", "-c", "mill.campaign")}
    assert imported(shell, rows).code == 0
    shell.run("verify", "-c", "again.campaign", "--seal", seal).ok()


def test_what_does_not_verify_is_not_imported(shell: Shell) -> None:
    rows = exported(shell)
    turn: Any = rows[4]
    turn["by"] = "Somebody Else"
    for words in ((), ("--dry-run",)):
        result = imported(shell, rows, *words)
        assert (result.code, result.out) == (2, "")
        assert "is not what was sealed" in result.err and "Nothing was imported" in result.err
    assert not (shell.folder / "again.campaign").exists()
    del rows[-1]
    turn["events"][0]["hp"] = 99
    result = imported(shell, rows)
    assert result.code == 2 and result.err.startswith("T4 does not follow: ")


def test_what_differs_in_its_values_alone_is_not_told_twice_in_the_same_words(shell: Shell) -> None:
    shell.run("amend", "T4", "--set", "amount=1", "-y")
    *rows, _ = exported(shell)
    amendment: Any = rows[-1]
    amendment["events"][0]["events"][0]["hp"] = 2
    result = imported(shell, rows)
    assert result.code == 2 and "Decided again, it has other values." in result.err


def test_it_is_taken_unverified_and_says_so_for_ever(shell: Shell) -> None:
    rows = exported(shell)
    turn: Any = rows[4]
    turn["by"] = "Somebody Else"
    result = imported(shell, rows, "--unverified")
    assert result.code == 0
    sentence = "Imported although 1 things in it do not verify, the first: The log up to T7 is not what was sealed"
    assert sentence in result.out and sentence in shell.run("log", "-c", "again.campaign").ok().out


def test_an_export_of_before_has_no_seal_and_is_imported(shell: Shell) -> None:
    *rows, _ = exported(shell)
    rows[0]["version"] = 1
    assert imported(shell, rows).code == 0


def test_a_log_that_adopted_a_branch_verifies_also_when_the_branch_is_forgotten(shell: Shell) -> None:
    shell.do("branch plan", "osr damage brog 1", "switch main", "adopt plan")
    assert shell.run("verify").ok()
    shell.do("branch --delete plan")
    assert shell.run("verify").ok()


def test_what_was_played_on_a_branch_that_is_forgotten_is_decided_again(shell: Shell) -> None:
    """Another branch may go on from there: what was written into it would be on the sheets of that one."""
    shell.do("branch plan", "osr damage brog 1", "branch further", "note Rain.", "branch --delete plan")
    assert shell.run("verify").ok().out.startswith("All 9 turns verified.")
    path = shell.folder / "mill.campaign"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (state,) = connection.execute("SELECT state FROM stored_events WHERE originator_version = 8").fetchone()
        record = msgspec.msgpack.decode(state)
        record["events"][0]["hp"] = 999
        connection.execute(
            "UPDATE stored_events SET state = ? WHERE originator_version = 8", (msgspec.msgpack.encode(record),)
        )
        connection.execute("BEGIN")
        link_all(connection)
        connection.execute("COMMIT")
    shutil.rmtree(shell.folder.parent / "xdg_state_home")
    result = shell.run("verify")
    assert result.code == 5
    assert "On plan, which was deleted: T8 does not follow: " in result.out


def test_somebody_who_records_meanwhile_changes_nothing_that_is_said(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.run("stats").ok()  # which makes tables in the cache folder
    with open_campaign(shell.folder / "mill.campaign", write=True) as other:
        writer, ask, selects = handler_of(other), CampaignFile.ask, count()

        def ask_later(log: CampaignFile, *words: Any) -> Any:
            if log._reader is not other._reader and not next(selects) % 4:
                writer.record(Note(text="x"))
            return ask(log, *words)

        with monkeypatch.context() as patch:
            patch.setattr(CampaignFile, "ask", ask_later)
            out = shell.run("verify").ok().out
    turns, seal = out.removesuffix("\n").split(" turns verified. Seal: ")
    assert seal == seal_of(shell, turns.replace("All ", "T"))


def test_tables_that_cannot_be_read_are_thrown_away_and_asked_about_again(shell: Shell) -> None:
    path = Path(shell.run("views", "path").ok().out.strip())
    before = shell.run("log", "--grep", "Brog").ok().out
    meddle(path, "UPDATE turns SET parts = 'no JSON'")
    result = shell.run("log", "--grep", "Brog")
    assert (result.code, result.out) == (6, "")
    assert result.err == (
        "The tables in the cache folder did not agree with the log and were thrown away. Try again.\n"
    )
    assert shell.run("log", "--grep", "Brog").ok().out == before
