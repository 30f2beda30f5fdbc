"""A reader finds the way: the chapter draws every room that is there, and every file says what it is for."""

from tests.kit.chapters import CHAPTERS, CONTRIBUTING, README
from tests.kit.shell import ROOT
from tests.rooms import ROOMS, described, drawn, lost_names, named_in, there

TREE = "the tree under `The packages` in data/manual/how-it-is-built.md"


def test_the_tree_of_the_chapter_names_every_room() -> None:
    missing = sorted(there() - drawn())
    assert not missing, f"add a line, or a name to a line, with what it is for, to {TREE}: {', '.join(missing)}"


def test_what_the_tree_of_the_chapter_names_is_there() -> None:
    gone = sorted(path for path in drawn() if not (ROOT / path).exists())
    assert not gone, f"take these out of {TREE}, or write their new names: {', '.join(gone)}"


def test_what_the_book_names_is_there() -> None:
    for page in (README, CONTRIBUTING, *CHAPTERS):
        gone = sorted(path for path in named_in(page) if not (ROOT / path).exists())
        assert not gone, f"write in {page.name} how these are called now: {', '.join(gone)}"


def test_every_file_says_what_it_is_for() -> None:
    silent = [path for path, sentence in described(ROOMS) if not sentence and (ROOT / path).stat().st_size]
    assert not silent, f"begin each of these with a docstring of one sentence: {', '.join(silent)}"


def test_what_a_docstring_calls_by_its_dotted_name_is_there() -> None:
    lost = sorted(lost_names())
    assert not lost, f"write in these docstrings and comments how it is called now: {'; '.join(lost)}"
