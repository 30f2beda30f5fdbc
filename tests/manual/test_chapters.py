"""What the README and the manual say of the project is so."""

import re
import tomllib
from functools import cache

import pytest

from cli.shell.catalogue import GROUPS
from domain.common import ACTIONS as COMMON
from domain.registry import system_of
from tests import record_reference, sentences
from tests.__main__ import CHECKS
from tests.kit.chapters import BOOK, CHAPTERS, CONTRIBUTING, MANUAL, README, blocks
from tests.kit.shell import ROOT

SYSTEMS = ("osr", "deckahedron", "gloomhaven")


@cache
def text(chapter: str) -> str:
    return (MANUAL / f"{chapter}.md").read_text("utf-8")


def test_the_index_lists_every_chapter_once() -> None:
    files = set(MANUAL.glob("*.md")) - {MANUAL / "index.md"}
    assert not files - set(CHAPTERS), f"add a line to data/manual/index.md for {sorted(files - set(CHAPTERS))}"
    gone = sorted(set(CHAPTERS) - files)
    assert not gone, f"data/manual/index.md lists these, and there is no such chapter: {gone}"
    twice = sorted({chapter for chapter in CHAPTERS if CHAPTERS.count(chapter) > 1})
    assert not twice, f"data/manual/index.md lists these twice: {twice}"


def test_the_readme_fits_in_the_hand() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= 200


def test_every_link_between_chapters_leads_somewhere() -> None:
    for chapter in (*BOOK, MANUAL / "index.md"):
        for target in re.findall(r"\]\(([\w/.-]+\.md)\)", chapter.read_text("utf-8")):
            assert (chapter.parent / target).is_file(), f"mend in {chapter.name} the link to {target}"


def test_the_commands_of_the_set_up_are_those_that_ci_runs() -> None:
    shell = "".join(block for kind, block in blocks(README) if kind == "sh")
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "uv run python -m tests\n" in shell
    assert "uv run python -m tests\n" in ci
    assert "uv run --no-dev campaign demo\n" in shell


def test_what_the_set_up_names_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["scripts"]["campaign"] == "campaign_log.cli.main:main"
    assert "dev" in project["dependency-groups"]
    for chapter in BOOK:
        for module in re.findall(r"python -m (tests\.[\w.]+)", chapter.read_text("utf-8")):
            assert ROOT.joinpath(*module.split(".")).with_suffix(".py").is_file(), (
                f"{chapter.name} names {module}, which is not there"
            )


def test_the_longer_runs_are_those_that_are_listed() -> None:
    rows = re.findall(
        r"^\| ((?:`[a-z_]+(?: FOLDER)?` ?)+)\|", text("figures").partition("modules of `tests/campaigns`")[2], re.M
    )
    listed = {name for row in rows for name in re.findall(r"`([a-z_]+)", row)}
    files = (ROOT / "tests" / "campaigns").glob("[a-z]*.py")
    runs = {file.stem for file in files if '__name__ == "__main__"' in file.read_text("utf-8")}
    assert runs - listed == set(), "add these to the table of longer runs in data/manual/figures.md"
    assert listed - runs == set(), "data/manual/figures.md lists these, but there is no such module in tests/campaigns"


def test_every_file_that_is_named_is_there() -> None:
    for chapter in (*BOOK, CONTRIBUTING):
        named = re.findall(r"`((?:cli|domain|projections|tests|data)/[\w/.-]+\.\w+)`", chapter.read_text("utf-8"))
        missing = [path for path in named if not (ROOT / path.replace("KEY", "osr")).is_file()]
        assert missing == [], f"{chapter.name} names files that are not there"


@pytest.mark.parametrize("folder", ["domain", "projections", "cli", "tests", "data"])
def test_the_layout_is_as_drawn(folder: str) -> None:
    assert (ROOT / folder).is_dir()
    assert f"\n    {folder}/" in text("how-it-is-built"), f"draw {folder}/ in data/manual/how-it-is-built.md"


def test_the_line_names_every_short_name() -> None:
    listed = set(re.findall(r"`([^`]+)`", text("line").partition("Short names: ")[2].partition("\n\n")[0]))
    shorts = {short for rules in SYSTEMS for kind in (*system_of(rules).actions, *COMMON) for short in kind.shorts}
    assert listed == shorts - {"enroll"}, "the paragraph Short names of data/manual/line.md lists other names"


@pytest.mark.parametrize(("command", "chapter"), [pair for group in GROUPS.values() for pair in group.items()])
def test_the_chapter_that_the_help_of_a_command_names_shows_it(command: str, chapter: str) -> None:
    assert f"campaign {command}" in text(chapter), f"show `campaign {command}` in data/manual/{chapter}.md"


def test_the_reference_lists_what_is_declared_and_nothing_else() -> None:
    assert text("reference") == record_reference.chapter(), "read what changed, then: python -m tests.record_reference"


def test_the_reference_says_what_an_option_does_where_it_does_something_else() -> None:
    of_log = text("reference").partition("**`campaign log`**")[2].partition("**`campaign")[0]
    assert "* `--after`: Only turns after this one" in of_log
    assert "* `--campaign`" not in of_log


def test_every_sentence_that_somebody_meets_is_the_one_that_was_read() -> None:
    assert sentences.KEPT.read_text("utf-8") == sentences.listing(), (
        "read what changed aloud (git diff tests/sentences.txt after: python -m tests.sentences --write)"
    )


def test_pre_commit_runs_the_checks_of_the_test_command() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    entries = dict(re.findall(r"name: (.+)\n +entry: uv run (.+)\n", hooks))
    assert {what: line.split()[0] for what, line in entries.items()} == {
        what: run[0] for what, run in CHECKS.items()
    }, "write the same checks in .pre-commit-config.yaml as in CHECKS of tests/__main__.py"


def test_every_command_that_records_is_named_where_somebody_adds_something() -> None:
    page = CONTRIBUTING.read_text("utf-8")
    named = set(re.findall(r"`((?:record_\w+|sentences --write))", page))
    needed = {"record_version", "record_examples", "record_reference", "record_manual", "sentences --write"}
    assert needed <= named, f"CONTRIBUTING.md does not name {', '.join(sorted(needed - named))}"
    for name in named:
        assert (ROOT / "tests" / f"{name.split()[0]}.py").is_file(), name
