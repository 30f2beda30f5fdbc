"""Every block of the README and the manual is run: what it shows is what happens."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.chapters import BOOK, CONTRIBUTING, blocks, played
from tests.kit.shell import ROOT
from tests.kit.warm import Warm
from tests.manual.rules_of_its_own import installed_for


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    with Warm(tmp_path_factory.mktemp("warm")) as running:
        yield running


@pytest.mark.parametrize("chapter", BOOK, ids=lambda path: path.stem)
def test_every_console_block_shows_what_happens(chapter: Path, tmp_path: Path, warm: Warm) -> None:
    for command, code, printed in played(chapter, tmp_path, *installed_for(chapter, tmp_path), warm=warm):
        assert command.agrees(code, printed), (
            f"$ {command.line}\n{printed}(exit {code})\n"
            f"Read what changed, then: python -m tests.record_manual {chapter.stem}"
        )


def test_there_are_many() -> None:
    assert sum(block.count("$ ") for chapter in BOOK for kind, block in blocks(chapter) if kind == "console") > 100


#: What runs the blocks of each kind. Those of `sh` are the set-up, which takes minutes and needs a package index.
RUN_BY = {
    "console": "tests/manual/test_blocks.py",
    "python": "tests/manual/rules_of_its_own.py",
    "json": "tests/assistant/test_chapter.py",
    "nginx": "tests/serving/test_club_set_up.py",
    "containerfile": "tests/serving/test_club_set_up.py",
    "serve": "tests/serving/test_manual.py",
    "server": "tests/store/test_manual.py",
    "sh": "tests/campaigns/set_up.py",
    "standby": "tests/campaigns/standby.py",
    "systemd": "tests/serving/test_club_set_up.py",
    "toml": "tests/manual/rules_of_its_own.py",
}


def test_every_block_is_of_a_kind_that_something_runs() -> None:
    kinds = {kind for chapter in (*BOOK, CONTRIBUTING) for kind, _ in blocks(chapter)}
    assert not kinds - RUN_BY.keys(), f"name in RUN_BY what runs blocks of these kinds: {sorted(kinds - RUN_BY.keys())}"
    assert not RUN_BY.keys() - kinds, f"take these out of RUN_BY, no block is of them: {sorted(RUN_BY.keys() - kinds)}"
    for module in RUN_BY.values():
        text = ROOT.joinpath(module).read_text("utf-8")
        assert "blocks(" in text, f"{module} reads no blocks"


def test_every_fence_says_what_its_block_is() -> None:
    for chapter in (*BOOK, CONTRIBUTING):
        text = chapter.read_text("utf-8")
        assert len(re.findall(r"^```", text, re.M)) == 2 * len(blocks(chapter)), chapter.name
