"""Every block of the README and the manual is run: what it shows is what happens."""

from pathlib import Path

import pytest

from tests.kit.chapters import BOOK, blocks, played
from tests.manual.rules_of_its_own import installed_for


@pytest.mark.parametrize("chapter", BOOK, ids=lambda path: path.stem)
def test_every_console_block_shows_what_happens(chapter: Path, tmp_path: Path) -> None:
    for command, code, printed in played(chapter, tmp_path, *installed_for(chapter, tmp_path)):
        assert command.agrees(code, printed), (
            f"$ {command.typed}\n{printed}(exit {code})\n"
            f"Read what changed, then: python -m tests.record_manual {chapter.stem}"
        )


def test_there_are_many() -> None:
    assert sum(block.count("$ ") for chapter in BOOK for kind, block in blocks(chapter) if kind == "console") > 100


def test_no_block_is_of_a_kind_that_nothing_runs() -> None:
    run = {"console", "server", "standby", "sh", "toml", "python", "text"}
    assert {kind for chapter in BOOK for kind, _ in blocks(chapter)} <= run
