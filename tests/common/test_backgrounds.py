"""What the built-in paragraphs say of themselves: where they come from, and where the log reads them its own way."""

import pytest

from domain.registry import system_of
from domain.system.installed import SYSTEMS
from domain.system.options import options_of
from domain.system.paragraphs import paragraphs_of


@pytest.mark.parametrize("key", SYSTEMS)
def test_every_paragraph_says_where_it_comes_from(key: str) -> None:
    without = [number for number, paragraph in paragraphs_of(key).items() if not paragraph.background.strip()]
    assert not without, f"say in data/{key}/paragraphs.toml where they come from: {', '.join(without)}"


@pytest.mark.parametrize("key", SYSTEMS)
def test_every_open_question_is_told_where_it_arises(key: str) -> None:
    paragraphs = paragraphs_of(key)
    silent = [
        option.name
        for option in options_of(system_of(key).options).values()
        if option.name not in paragraphs[option.rule].background + paragraphs[option.rule].summary
    ]
    advice = f"name each option in the background or summary of its paragraph in data/{key}/paragraphs.toml"
    assert not silent, f"{advice}: {', '.join(silent)}"


def test_the_stories_of_the_osr_source_are_told_with_who_when_and_where() -> None:
    backgrounds = {number: paragraph.background for number, paragraph in paragraphs_of("osr").items()}
    for number, words in {
        "6.4": ("Maastricht, 2018", "7.2", "stairs", "Dungeon Crawl, 2022"),
        "6.6": ("http://story-games.com/forums/discussion/comment/463440/", "Eero Tuovinen"),
        "6.9": ("Overgrown Cathedral", "Natalie", "recovery mark"),
        "6.10": ("http://story-games.com/forums/discussion/comment/476092/",),
    }.items():
        for word in words:
            assert word in backgrounds[number], (number, word)
