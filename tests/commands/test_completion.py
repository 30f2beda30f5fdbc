"""What the shell proposes, asked for as the shells themselves ask."""

import pytest

from tests.kit.shell import Shell, bash, shell_after

shell = shell_after(
    "new Table --rules osr --file dc.campaign",
    "session open",
    "osr enrol Brog --player Mia --level 2 --rolled 5,6",
    "osr enrol 'Big Bo' --rolled 3",
    'osr enrol "O\'Neil"',
    "osr enrol 龍",
    "osr damage Brog 30 --source rats",
    "osr injury-saves Brog 2 --fail-will",
)


PROPOSALS = [
    ("campaign st", ["status", "stats"]),
    ("campaign os", ["osr"]),
    ("campaign session ", ["open", "close"]),
    ("campaign osr short", ["short-rest"]),
    # whoever cannot be hit before the saves stands behind the others
    ("campaign osr damage b", [r"Big\ Bo", "Brog"]),
    ("campaign osr damage B", [r"Big\ Bo", "Brog"]),
    ("campaign osr damage o", [r"O\'Neil"]),
    ("campaign osr damage 龍", ["龍"]),
    ("campaign osr short-rest Brog b", [r"Big\ Bo"]),
    ("campaign osr short-rest --keep BR", ["Brog"]),
    ("campaign status br", ["Brog"]),
    ("campaign status -c dc.campaign br", ["Brog"]),
    ("campaign log --character br", ["Brog"]),
    ("campaign note x --about br", ["Brog"]),
    ("campaign override br", ["Brog"]),
    (
        "campaign osr choose-fate brog ",
        ["major_wound", "death", "wound=", "effect=", "ability_loss=", r"Big\ Bo", r"O\'Neil", "龍"],
    ),
    ("campaign osr choose-fate brog DE", ["death"]),
    ("campaign osr recovery-roll Brog ST", ["strength"]),
    ("campaign osr damage Brog --so", ["--source"]),
    ("campaign status --color n", ["never"]),
    ("campaign status -O ", ["text", "json", "ndjson", "csv", "md", "html", "lines", "ids"]),
    ("campaign new x --rules o", ["osr"]),
    ("campaign rules 6.1", ["6.1", "6.10", "6.11", "6.12"]),
    ("campaign ruling 6.12", ["6.12"]),
    ("campaign osr damage Brog ", [r"Big\ Bo", r"O\'Neil", "龍", "rats", "amount=", "source=", "dc=", "how="]),
    ("campaign osr damage x", []),
    ("campaign why br", ["Brog"]),
    ("campaign why BRÖG.h", ["Brog.hit_dice", "Brog.hp"]),
    ("campaign when br", ["Brog"]),
    ("campaign undo T7", ["T7"]),
    ("campaign amend T7 a", ["amount="]),
    ("campaign check-sheet Brog h", ["hit_dice=", "hp="]),
    ("campaign override brög h", ["hit_dice=", "hp="]),
    ("campaign ruling 6.4 x --set k", ["keep_higher=false", "keep_higher=true"]),
    ("campaign stats damage", ["damage-by-source"]),
    ("campaign use d", ["dc.campaign"]),
    ("campaign status -c d", ["dc.campaign"]),
    ("campaign d BRÖ", ["Brog"]),
    ("campaign why Brog f", ["fatigue"]),
    ("campaign redo T7", []),  # which is no undo
    ("campaign amend T7 --set am", ["amount="]),
    ("campaign new x --rules osr --set k", ["keep_higher=false", "keep_higher=true"]),
    ("campaign osr damage Brog 3 --source ", ["rats"]),
    ("campaign d Brog 3 r", ["rats"]),
    ("campaign status --at T7", ["T7"]),
    ("campaign recap ", ["S1"]),
    ("campaign show T7", ["T7"]),
    ("campaign osr damage Brog 3 --after T7", ["T7"]),
    ("campaign log --kind short", ["short-rest"]),
    ("campaign status --as m", ["Mia"]),
    ("campaign inj", ["injury-saves"]),
    ("campaign sa", ["saves"]),
    ("campaign log S", ["S1"]),
    ("campaign d Brog 4 --aft", ["--after"]),
    ("campaign d Brog 4 --after T7", ["T7"]),
    ("campaign rules --preview 6.12 ", []),
    ("campaign rules --preview 6.4 k", ["keep_higher=false", "keep_higher=true"]),
]


@pytest.mark.usefixtures("shell")
def test_bash_proposes_what_fits_ignoring_case() -> None:
    for line, proposed in PROPOSALS:
        assert [line for line in bash(line).ok().out.split("\n") if line] == proposed, line


def test_only_what_is_legal_now_is_proposed(shell: Shell) -> None:
    shell.do("override Brog marks=2 --why test")
    proposed = bash("campaign osr choose-fate brog ").out.split()
    assert proposed[0] == "death" and "major_wound" not in proposed


@pytest.mark.usefixtures("shell")
def test_inside_open_quotes_bash_quotes_by_itself() -> None:
    assert bash('campaign osr damage "Bi').out.strip() == "Big Bo"


def test_zsh_and_fish_propose_the_same(shell: Shell) -> None:
    asked = {"_TYPER_COMPLETE_ARGS": "campaign osr damage br", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert "Brog" in shell.process(env=asked | {"_CAMPAIGN_COMPLETE": "complete_zsh"}).ok().out
    assert shell.process(env=asked | {"_CAMPAIGN_COMPLETE": "complete_fish"}).ok().out.startswith("Brog\t")


def fish(shell: Shell, line: str) -> list[list[str]]:
    """The proposals for the last word of a line, each with what stands beside it."""
    asked = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    out = shell.process(env=asked | {"_CAMPAIGN_COMPLETE": "complete_fish"}).ok().out
    return [row.split("\t") for row in out.splitlines()]


LONG = "a note [of many words] that goes on and on until no shell could show it beside a turn in one line"


@pytest.mark.parametrize("line", ["show", "undo", "amend", "log --after", "status --at", "d Brog 1 --before"])
def test_a_turn_is_proposed_with_its_sentence_on_one_line(shell: Shell, line: str) -> None:
    shell.run("note", LONG).ok()
    shell.do("session close", "session open Rain")
    proposed = dict(fish(shell, f"campaign {line} T"))
    assert proposed["T4"] == "Big Bo joins at level 1, rolls 3 and has 3 hit points."
    assert proposed["T9"].startswith("Note: a note (of many words) that goes on") and proposed["T9"].endswith("…")


def test_a_session_is_proposed_with_its_title(shell: Shell) -> None:
    shell.do("session close", "session open Rain")
    assert fish(shell, "campaign recap S") == [["S2", "Rain"], ["S1"]]


@pytest.mark.parametrize(
    ("name", "words"),
    [("bash", "complete -o default -F"), ("zsh", "#compdef campaign"), ("fish", "complete --command")],
)
def test_the_scripts_of_the_shells_are_printed(shell: Shell, name: str, words: str) -> None:
    assert words in shell.process(env={"_CAMPAIGN_COMPLETE": f"source_{name}"}).ok().out


@pytest.mark.parametrize("content", [b"", b"Dear diary", b"SQLite format 3\0" + bytes(200)])
def test_a_broken_campaign_proposes_nothing_and_says_nothing(shell: Shell, content: bytes) -> None:
    (shell.folder / "dc.campaign").write_bytes(content)
    for line in ("campaign osr damage b", "campaign status b", "campaign osr treat brog ", "campaign rules 6"):
        result = bash(line)
        assert (result.code, result.out.strip(), result.err) == (0, "", ""), line
    assert (shell.folder / "dc.campaign").read_bytes() == content


def test_without_any_campaign_commands_are_still_proposed(shell: Shell) -> None:
    (shell.folder / "dc.campaign").unlink()
    assert bash("campaign osr damage b").out.strip() == ""
    assert bash("campaign osr dam").out.strip() == "damage"
