"""What Gloomhaven alone promises of its paragraphs."""

from domain.registry import system_of
from domain.system.options import options_of
from domain.system.paragraphs import paragraphs_of


def test_every_option_is_named_in_the_summary_of_its_paragraph() -> None:
    paragraphs = paragraphs_of("gloomhaven")
    for name, option in options_of(system_of("gloomhaven").options).items():
        assert name in paragraphs[option.rule].summary


def test_what_is_of_the_game_and_not_of_the_source_is_marked() -> None:
    marked = {number for number, paragraph in paragraphs_of("gloomhaven").items() if paragraph.not_in_source}
    assert {"6", "12", "28", "44", "58", "69"} <= marked


def test_what_needs_line_of_sight_says_so() -> None:
    paragraphs = paragraphs_of("gloomhaven")
    assert all("line of sight" in paragraphs[number].summary for number in ("39", "40", "57"))
