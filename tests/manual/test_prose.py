"""The commands and options that stand in the sentences of the book are there; its blocks are run elsewhere."""

import re
import shlex
from pathlib import Path

import pytest

from domain.registry import SYSTEMS
from tests.kit.chapters import BOOK, CONTRIBUTING, MANUAL
from tests.kit.shell import Shell
from tests.sentences import KEPT

#: Commands that are found behind another word.
GROUPS = (*SYSTEMS, "session", "paragraph", "server", "views")
#: Chapters that speak of what was, or of what no command is called.
NOT_OF_TODAY = ("changes", "reference")
CHAPTERS = [path for path in (*BOOK, CONTRIBUTING) if path.stem not in NOT_OF_TODAY]


def named_in(text: str) -> set[str]:
    """The command lines that stand in the sentences of a chapter."""
    sentences = re.sub(r"^```\w+\n.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return set(re.findall(r"`campaign ([^`]+)`", sentences.replace("\n", " ")))


def help_of(shell: Shell, words: list[str]) -> str:
    """The help of the command, or of the verb of some rule system; "" if there is none."""
    command = words[:2] if words[0] in GROUPS and words[1:] and re.fullmatch(r"[a-z-]+", words[1]) else words[:1]
    for before in ((), *((key,) for key in SYSTEMS)):
        result = shell.run(*before, *command, "--help")
        if result.code == 0:
            return result.out
    return ""


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_the_commands_in_its_sentences_and_their_options_are_there(chapter: Path, shell: Shell) -> None:
    for line in sorted(named_in(chapter.read_text("utf-8"))):
        words = shlex.split(line)
        if words[0].startswith("-"):
            continue
        page = help_of(shell, words)
        assert page, f"there is no command `campaign {line}`"
        for option in re.findall(r"(?<!\S)--?[a-zA-Z][\w-]*", " ".join(words)):
            assert option in page, f"`campaign {line}`: there is no option {option}"


def test_a_command_that_is_not_there_is_found(shell: Shell) -> None:
    assert named_in("Type `campaign frobnicate\n--now`.\n```sh\n`campaign none`\n```\n") == {"frobnicate --now"}
    assert help_of(shell, ["frobnicate", "--now"]) == ""


def test_what_the_chapter_on_trouble_quotes_is_what_the_program_says() -> None:
    chapter = (MANUAL / "trouble.md").read_text("utf-8")
    said = KEPT.read_text("utf-8")
    quoted = re.findall(r'^\| "([^"]+)" \|', chapter, re.MULTILINE)
    assert len(quoted) >= 7
    assert [sentence for sentence in quoted if sentence not in said] == []
