"""A rule system as a package of its own, and what a system that lacks a piece is told."""

import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from types import ModuleType
from typing import Annotated, Any

import pytest

import campaign_tides
from campaign_tides import Tides
from domain.refusal import Incomplete
from domain.registry import action_kinds, record_types, system_of
from domain.system import installed
from domain.system.paragraphs import paragraphs_of
from domain.system.rulesystem import RuleSystem, check_system
from domain.system.secrets import secret
from domain.turn import Action, Event
from tests.kit.shell import Shell

PACKAGE = Path(campaign_tides.__file__).parent


def forget() -> None:
    """What is remembered of the packages that were installed."""
    for paragraph in (installed.entry_points_of_packages, system_of, record_types, action_kinds, paragraphs_of):
        paragraph.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE.name]:
        del sys.modules[name]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages, with tides in it."""
    folder = tmp_path / "site"
    copytree(PACKAGE, folder / "campaign_tides")
    about = folder / "campaign_tides-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: campaign-tides\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text("[campaign.rules]\ntides = campaign_tides:Tides\n", "utf-8")
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(folder))
        forget()
        yield folder
    forget()


@pytest.mark.usefixtures("site")
def test_a_campaign_is_played_under_the_rules_of_a_package(shell: Shell) -> None:
    shell.do("new Reef --rules tides --file reef.campaign", "tides enrol brog --player Ann --port Nowhere")
    assert shell.run("tides", "douse", "brog").ok().out == "T3  Brog's lantern goes out.\n"
    shell.run("tides", "douse", "brog").is_(3, "Brog's lantern is out already (TD 3).")
    shell.do("tides enrol spell --player Ben")
    assert shell.run("status", "--json", "--as", "Ben").json()["characters"]["brog"]["port"] is None
    assert "Nowhere" not in shell.run("log", "-O", "ndjson", "--as", "Ben").ok().out
    assert "Nowhere" in shell.run("log", "-O", "ndjson", "--as", "Ann").ok().out
    assert "Sailors" in shell.run("rules", "1").ok().out
    shell.do("undo T3", "log", "show T3", "stats")
    output = " ".join(shell.run("--help").ok().out.split())
    assert "Record rules of the package campaign-tides." in output


MISSING = "reef.campaign is played under 'tides', which is not installed; install the package campaign-tides."


@pytest.fixture
def reef(shell: Shell, site: Path) -> Shell:
    """A campaign under the rules of a package that has gone since."""
    shell.do(
        "new Reef --rules tides --file reef.campaign --by Ann",
        "session open 'The bar' --by Ann",
        "tides enrol brog --player Ann --port Nowhere --by Ann",
        "tides enrol spell --player Ben --by Ben",
        "tides douse brog",
        "note 'Fog comes up' --about brog",
        "ruling 1 'Lanterns burn on' --why 'They are good ones'",
        "amend T5 --set character=spell --why 'It was hers'",
        "undo T4 --drop --yes",
        "session close",
    )
    (site / "campaign_tides-1.0.dist-info" / "entry_points.txt").unlink()
    forget()
    return shell


def test_a_log_whose_rules_are_missing_tells_the_turns_of_every_campaign(reef: Shell) -> None:
    result = reef.run("log")
    assert (result.code, result.err) == (0, f"{MISSING}\n")
    assert [line for line in result.out.splitlines() if line] == [
        "Outside any session",
        " T1  The campaign Reef begins under the rules of tides. (Ann)",
        "Session 1: The bar",
        " T2  Session 1 opens: The bar. (Ann)",
        " T3  tides.enrol of Brog: install tides to read it. (Ann)",
        " T4  ✗ tides.enrol of Spell: install tides to read it. [undone by T9] (Ben)",
        " T5  ✗ tides.douse of Spell: install tides to read it. [undone by T9]",
        " T6  Note on Brog: Fog comes up",
        " T7  Ruling R1 on 1: Lanterns burn on. Why: They are good ones.",
        " T8  Amends T5. Why: It was hers.",
        " T9  Undoes T4. T5 is dropped.",
        "T10  Session 1 closes.",
    ]


@pytest.mark.parametrize(
    ("filters", "turns"),
    [
        (("--kind", "douse"), [5]),
        (("--character", "BROG"), [3, 6]),
        (("--session", "1", "--by", "ben"), [4]),
        (("--rule", "tides 1"), [7]),
        (("--undone",), [4, 5]),
        (("--grep", "fog"), [6]),
        (("T9..",), [9, 10]),
    ],
)
def test_its_turns_pass_the_filters(reef: Shell, filters: tuple[str, ...], turns: list[int]) -> None:
    result = reef.run("log", *filters, "-O", "ndjson")
    assert (result.code, [row["turn"] for row in result.rows()]) == (0, turns)


def test_a_turn_of_it_is_shown_and_nothing_that_only_its_rules_could_read(reef: Shell) -> None:
    (record,) = reef.run("show", "T3", "--json").json()
    assert (record["turn"], record["by"], record["standing"]) == (3, "Ann", True)
    assert record["action"] == {"type": "tides.enrol", "character": "brog"}
    assert record["events"] == [{"type": "tides.enrolled", "character": "brog"}]
    (amended,) = reef.run("show", "T8", "--json").json()
    assert amended["action"]["action"] == {"type": "tides.douse", "character": "spell"}
    for command in (("show", "T3"), ("show", "T7"), ("show", "T9"), ("log", "--history", "T3")):
        shown = reef.run(*command)
        assert (shown.code, shown.err) == (0, f"{MISSING}\n")
        assert "Nowhere" not in shown.out


def test_the_life_of_a_turn_of_it_is_told(reef: Shell) -> None:
    lines = reef.run("log", "--history", "T5").out.splitlines()
    assert [line.split("  ")[-1] for line in lines] == ["logged", "amended Why: It was hers.", "undone"]


@pytest.mark.parametrize(
    "command",
    [
        ("status",), ("log", "--as", "Ben"), ("show", "T3", "--as", "Ben"), ("note", "Rain"), ("undo",), ("stats",),
        ("why", "brog.lit"), ("diff", "T3..@"), ("recap",), ("rules",), ("query", "select 1"), ("play",),
    ],
)  # fmt: skip
def test_what_needs_the_rules_says_what_to_install(reef: Shell, command: tuple[str, ...]) -> None:
    reef.run(*command).is_(2, MISSING)


@pytest.mark.usefixtures("site")
def test_its_events_say_what_is_grave(shell: Shell) -> None:
    shell.do(
        "new Reef --rules tides --file reef.campaign", "session open", "tides enrol brog --port Nowhere",
        "tides douse brog", "tides light brog",
    )  # fmt: skip
    record = shell.run("recap", "--json").json()
    assert [(moment["turn"], moment["what"]) for moment in record["moments"]] == [(4, "Brog's lantern goes out")]


def test_its_bytes_are_kept_whole_without_its_rules(shell: Shell, site: Path) -> None:
    shell.do(
        "new Reef --rules tides --file reef.campaign", "tides enrol brog --port Nowhere", "undo", "branch storm @T2"
    )
    ruled = {name: shell.run(*name.split()).ok().out for name in ("export", "seal", "export --at T2", "verify")}
    (site / "campaign_tides-1.0.dist-info" / "entry_points.txt").unlink()
    forget()
    for name in ("export", "seal", "export --at T2"):
        result = shell.run(*name.split())
        assert (result.code, result.err, result.out) == (0, f"{MISSING}\n", ruled[name])
    result = shell.run("verify")
    seal = shell.run("seal").out.strip()
    assert (result.code, result.out.splitlines()) == (
        0,
        [
            "Nothing was decided again: that needs the rules of tides.",
            f"All 3 turns fit their links. Seal: {seal}",
        ],
    )
    assert shell.run("backup", "copy.campaign").code == 0
    assert shell.run("seal", "-c", "copy.campaign").out == ruled["seal"]
    assert "tides.enrol of Brog" in shell.run("export", "-O", "csv").out


def test_a_log_that_names_no_package_is_told_all_the_same(shell: Shell, site: Path) -> None:
    """An export, or a log from before packages were named."""
    shell.do("new Reef --rules tides --file reef.campaign")
    whole = shell.run("export").out
    (site / "campaign_tides-1.0.dist-info" / "entry_points.txt").unlink()
    forget()
    result = shell.run("import", "-", "--file", "copy.campaign", stdin=whole)
    assert result.code == 2
    assert "'tides', which is not installed; install the package that brings these rules." in result.err


def test_what_lacks_a_piece_is_told_in_one_sentence(shell: Shell, site: Path) -> None:
    path = site / "campaign_tides" / "__init__.py"
    path.write_text(path.read_text("utf-8").replace("    def audit(", "    def unaudited("), "utf-8")
    result = shell.run("new", "Reef", "--rules", "tides", "--file", "reef.campaign")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "audit()" in result.err and not (shell.folder / "reef.campaign").exists()


# -- registration names the missing piece ------------------------------------------------------------------


def chapter(*kinds: type[Any]) -> tuple[ModuleType, ...]:
    """A chapter that holds these actions and events."""
    module = ModuleType(kinds[0].__module__ if kinds else "nothing")
    for kind in kinds:
        setattr(module, kind.__name__, kind)
    return (module,)


class Row(Action, frozen=True, tag="tides.row"):
    """Row."""

    def decide(self, decision: Any) -> None:
        """Nothing comes of it."""


class Rowed(Event, frozen=True, tag="tides.rowed"):
    """It was rowed."""

    def sentence(self) -> tuple[str, ...]:
        return ("Rowed.",)

    def fold(self, state: Any) -> None:
        """Nothing is left behind."""


class Undecided(Action, frozen=True, tag="tides.undecided"):
    """Nobody knows."""


class Untold(Event, frozen=True, tag="tides.untold"):
    """Nobody says."""

    def fold(self, state: Any) -> None:
        """Nothing is left behind."""


class Unfolded(Event, frozen=True, tag="tides.unfolded"):
    """Nobody remembers."""

    def sentence(self) -> tuple[str, ...]:
        return ("",)


class Misnamed(Rowed, frozen=True, tag="ebbs.rowed"):
    """Of other rules."""


class Again(Rowed, frozen=True, tag="tides.rowed"):
    """The same tag once more."""


class Whispered(Rowed, frozen=True, tag="tides.whispered"):
    """A secret."""

    port: Annotated[str, secret()] = ""


@pytest.mark.parametrize(
    ("kinds", "piece"),
    [
        ((Rowed,), "hold no action"),
        ((Row,), "hold no event"),
        ((Undecided, Rowed), "Undecided of Tides lacks decide()"),
        ((Row, Untold), "Untold of Tides lacks sentence()"),
        ((Row, Unfolded), "Unfolded of Tides lacks fold()"),
        ((Row, Misnamed), "its tag begins with 'tides'"),
        ((Row, Rowed, Again), "are both stored as 'tides.rowed'"),
        ((Row, Whispered), "Whispered of Tides holds a secret and lacks sentence_for_others()"),
    ],
)
def test_a_chapter_that_lacks_a_piece_is_refused_by_its_name(
    monkeypatch: pytest.MonkeyPatch, kinds: tuple[type[Any], ...], piece: str
) -> None:
    monkeypatch.setattr(Tides, "chapters", chapter(*kinds))
    with pytest.raises(Incomplete, match=piece.replace("(", r"\(").replace(")", r"\)")):
        check_system(Tides())


@pytest.mark.parametrize("piece", ["key", "cite", "version", "chapters", "sheet", "table", "options"])
def test_a_system_that_lacks_a_piece_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch, piece: str) -> None:
    monkeypatch.delattr(Tides, piece)
    with pytest.raises(Incomplete, match=f"Tides has no {piece}"):
        check_system(Tides())


@pytest.mark.parametrize("method", ["to_view", "audit", "rows"])
def test_a_system_that_cannot_be_shown_is_refused(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setattr(Tides, method, getattr(RuleSystem, method))
    with pytest.raises(Incomplete, match=f"lacks {method}"):
        check_system(Tides())


def test_tides_is_whole() -> None:
    assert check_system(Tides()).keeps_secrets
