"""Beginning a campaign, and which one a command is about."""

import json
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from domain.log.snapshots import EVERY
from domain.registry import system_of
from tests.kit.elsewhere import keeps_modes
from tests.kit.shell import Shell


def named(shell: Shell, *words: str) -> str:
    """The name of the campaign that `status` reads."""
    return str(shell.run("status", "--json", *words).json()["campaign"]["name"])


# -- new -----------------------------------------------------------------------------------------------------


def test_a_campaign_begins_with_its_name_in_a_file_of_its_own(shell: Shell) -> None:
    result = shell.run("new", "Dungeon Crawl", "--rules", "osr", "--by", "Gm").ok()
    assert result.out == (
        "Dungeon Crawl begins, under the rules of osr, in dungeon-crawl.campaign.\n"
        "Next: campaign session open\n"
        "      campaign enrol Brog player Mia level 2 56\n"
        "      campaign d brog 4 a ghoul\n"
        "The same at one screen: campaign play. Every verb of these rules: campaign osr --help\n"
    )
    (turn,) = shell.turns()
    assert turn["action"] == {"type": "campaign.start", "name": "Dungeon Crawl", "rules": "osr"}
    assert turn["by"] == "Gm"
    assert not keeps_modes() or stat.S_IMODE((shell.folder / "dungeon-crawl.campaign").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Dungeon Crawl", "dungeon-crawl.campaign"),
        ("  Käfer & Söhne  ", "käfer-söhne.campaign"),
        ("龍の洞窟", "龍の洞窟.campaign"),
        ("../../etc/passwd", "etc-passwd.campaign"),
        (".hidden", "hidden.campaign"),
        ("-c", "c.campaign"),
        ("!!!", "campaign.campaign"),
        ("🚀", "campaign.campaign"),
        ("x" * 500, f"{'x' * 60}.campaign"),
        ("𠀀" * 500, f"{'𠀀' * 37}.campaign"),
        ("a\x1b[31m\u202eb", "a-31m-b.campaign"),
    ],
)
def test_the_file_is_called_like_the_campaign_as_far_as_files_can_be(shell: Shell, name: str, file: str | None) -> None:
    result = shell.run("new", "--rules", "osr", "--", name).ok()
    (path,) = shell.folder.iterdir()
    assert path.name == file
    assert "\x1b" not in result.out and "\u202e" not in result.out
    assert named(shell) == name.strip()


def test_options_are_set_from_the_start(shell: Shell) -> None:
    result = shell.run(
        "new", "x", "--rules", "osr", "--set", "keep-higher=true", "--set", "minor_injuries=recovery_marks", "--json"
    )
    assert result.json() == {
        "turn": 1,
        "events": [
            {
                "type": "campaign.started",
                "name": "x",
                "rules": "osr",
                "version": system_of("osr").version,
                "options": {"keep_higher": True, "minor_injuries": "recovery_marks"},
            }
        ],
        "file": "x.campaign",
    }
    assert shell.run("status", "--json").json()["options"]["keep_higher"] is True


def test_a_new_campaign_overwrites_nothing(shell: Shell) -> None:
    (shell.folder / "x.campaign").write_text("mine", "utf-8")
    (shell.folder / "y.campaign-wal").write_text("mine", "utf-8")
    shell.run("new", "x", "--rules", "osr").is_(2, "There is a file x.campaign already; choose another name.")
    shell.run("new", "y", "--rules", "osr").is_(2, "There is a file y.campaign-wal already; choose another name.")
    (shell.folder / "link.campaign").symlink_to("nowhere")
    result = shell.run("new", "z", "--rules", "osr", "--file", "link.campaign").ok()
    assert "in link.campaign" in result.out and (shell.folder / "nowhere").is_file()
    assert (shell.folder / "x.campaign").read_text("utf-8") == "mine"


def test_a_campaign_that_was_not_begun_leaves_nothing(shell: Shell) -> None:
    for words, code in (
        (["--rules", "dnd"], 2), (["--rules", "osr", "--set", "foo=1"], 3), (["--rules", "osr", "--when", "never"], 2),
    ):  # fmt: skip
        assert shell.run("new", "x", *words).code == code
    assert not list(shell.folder.iterdir())


def test_every_rule_system_can_be_begun(shell: Shell) -> None:
    from domain.registry import SYSTEMS

    for rules in SYSTEMS:
        shell.do(f"new {rules} --rules {rules}", f"status -c {rules}.campaign", f"rules -c {rules}.campaign")


# -- which one -----------------------------------------------------------------------------------------------


@pytest.fixture
def two(shell: Shell) -> Shell:
    """One campaign in the folder, another in a folder below; the latter was used last."""
    (shell.folder / "below").mkdir()
    shell.do("new Here --rules osr", "new Below --rules osr --file below/b.campaign")
    return shell


def why(shell: Shell, *words: str) -> str:
    value = shell.run("doctor", "--json", *words).json()
    return f"{Path(value['file']).name}: {value['why this one']}"


def test_the_one_named_counts_before_all_others(two: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMPAIGN", "below/b.campaign")
    assert why(two, "-c", "here.campaign") == "here.campaign: named with --campaign"
    assert named(two, "--campaign", "here.campaign") == "Here"


def test_then_the_one_in_the_environment(two: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMPAIGN", "below/b.campaign")
    assert why(two) == "b.campaign: named in $CAMPAIGN"
    monkeypatch.setenv("CAMPAIGN", "gone.campaign")
    two.run("status").is_(2, "$CAMPAIGN names gone.campaign, which is not there; change it, or say -c FILE.")


def test_then_the_only_one_in_the_folder(two: Shell) -> None:
    assert why(two) == "here.campaign: the only campaign in this folder"


def test_of_several_in_the_folder_the_one_used_last(two: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    two.do("new Other --rules osr")
    assert why(two) == "other.campaign: the campaign used last"
    two.run("use", "here.campaign").ok()
    assert named(two) == "Here"
    two.do("use below/b.campaign")
    two.run("status").is_(
        2,
        "This folder holds several campaigns (here.campaign and other.campaign);"
        " choose one with `campaign use FILE` or -c FILE.",
    )
    monkeypatch.chdir(two.folder / "below")
    assert named(two) == "Below"


def test_elsewhere_the_one_used_last(two: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert why(two) == "b.campaign: the campaign used last"
    path = two.folder / "below" / "b.campaign"
    path.unlink()
    sentence = f"The campaign used last, {path}, is gone; choose another with `campaign use FILE` or -c FILE."
    two.run("status").is_(2, sentence)
    two.run("note", "x").is_(2, sentence)


def test_writing_makes_a_campaign_the_one_used_last_and_reading_does_not(two: Shell, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    two.do("status -c here.campaign")
    os.chdir(tmp_path / "elsewhere")
    assert named(two) == "Below"
    two.do(f"note x -c {two.folder / 'here.campaign'}")
    assert named(two) == "Here"


def test_without_any_campaign_one_is_told_how_to_begin(shell: Shell) -> None:
    begin = [f'campaign new "Name" --rules {rules}' for rules in ("osr", "deckahedron", "gloomhaven")]
    lines = f"Next: {begin[0]}\nor:   {begin[1]}\nor:   {begin[2]}"
    for words in (["status"], ["log"], ["note", "x"], ["osr", "enrol", "brog"], ["act"], ["undo"], ["rules"], ["play"]):
        shell.run(*words).is_(2, f"There is no campaign yet.\n{lines}")
    shell.run("use").is_(1, f"There is no campaign here.\n{lines}")
    shell.run("list").is_(1, f"There is no campaign here yet.\n{lines}")
    shell.run("list", ".").is_(1, f"There is no campaign there yet.\n{lines}")
    assert json.loads(shell.run("doctor", "--json").ok().out)["file"] == "none: There is no campaign yet."
    for line in begin:  # each can be typed as it stands, but for the name
        shell.do(line.removeprefix("campaign ").replace("Name", line[-4:]))


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"\0", b"nowhere\nat all", b"/" * 5000])
def test_a_broken_memory_of_the_last_one_is_no_campaign(shell: Shell, content: bytes) -> None:
    shell.do("new x --rules osr")
    (pointer,) = Path(os.environ["XDG_STATE_HOME"]).rglob("current")
    (shell.folder / "x.campaign").unlink()
    pointer.write_bytes(content)
    result = shell.run("status")
    lines = 4 if result.err.startswith("There is no campaign yet.") else 1 + content.count(b"\n")
    assert result.code == 2 and result.out == "" and result.err.count("\n") == lines


def test_the_rules_of_another_system_are_not_played_here(shell: Shell) -> None:
    shell.do("new x --rules osr")
    result = shell.run("deckahedron", "breather", "brog", "strength")
    result.is_(2, "x.campaign is played under osr; its verbs: campaign osr --help")
    assert len(shell.turns()) == 1


# -- doctor --------------------------------------------------------------------------------------------------


def test_doctor_tells_versions_and_the_file(shell: Shell) -> None:
    shell.do("new x --rules osr", "osr enrol brog", "note y", "undo")
    record = shell.run("doctor", "--json").json()
    assert {"campaign", "python", "sqlite", "eventsourcing", "msgspec", "typer", "rule systems", "id"} <= set(record)
    assert (record["name"], record["turns"], record["standing"], record["characters"]) == ("x", 4, 3, 1)
    assert record["health"] == "every turn can be read"
    assert shell.run("doctor", "-O", "ndjson").ok().rows() == [record]
    assert shell.run("doctor", "-O", "csv").ok().out.startswith("name,value\ncampaign,")
    assert shell.run("doctor", "-O", "md").ok().out.startswith("| name | value |\n")
    lines = shell.run("doctor").ok().out.splitlines()
    assert any(line.split() == ["health", "every", "turn", "can", "be", "read"] for line in lines)


def test_the_doctor_of_a_server_writes_what_it_found_in_every_format(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.store.server.administering.server_facts", lambda _: {"user": "keeper", "campaigns": 2})
    doctor = ("server", "doctor", "postgresql://keeper@tables.example/campaigns")
    assert shell.run(*doctor, "--json").ok().json() == {"user": "keeper", "campaigns": 2}
    assert shell.run(*doctor, "-O", "csv").ok().out == "name,value\nuser,keeper\ncampaigns,2\n"
    assert shell.run(*doctor, "-O", "md").ok().out.startswith("| name | value |\n")
    assert shell.run(*doctor).ok().out == "user       keeper\ncampaigns  2\n"


@pytest.mark.parametrize(("content", "code"), [(b"Dear diary", 2), (b"SQLite format 3\0", 5)])
def test_doctor_says_what_is_wrong_with_a_file(shell: Shell, content: bytes, code: int) -> None:
    (shell.folder / "bad.campaign").write_bytes(content)
    result = shell.run("doctor")
    assert result.code == code and "bad.campaign is" in result.out and "only campaign in this folder" in result.out


def test_doctor_reads_every_turn_though_a_kept_state_would_spare_it_some(shell: Shell) -> None:
    shell.do("new x --rules osr")
    lines = "\n".join('{"type": "note", "text": "y"}' for _ in range(EVERY))
    shell.run("act", "-", stdin=lines).ok()
    connection = sqlite3.connect(shell.folder / "x.campaign")
    connection.execute("UPDATE stored_events SET state = x'c1' WHERE originator_version = 2")
    connection.commit()
    connection.close()
    result = shell.run("doctor", "--json")
    health = json.loads(result.out)["health"]
    assert (result.code, health) == (5, "Turn T2 is damaged: its record cannot be read.")


def test_the_version_is_told(shell: Shell) -> None:
    assert shell.run("--version").ok().out.startswith("campaign ")
