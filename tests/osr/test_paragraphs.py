"""What osr alone promises of its paragraphs."""

from domain.registry import system_of
from domain.system.paragraphs import paragraphs_of

PARAGRAPHS = paragraphs_of("osr")


def test_only_what_lost_hit_points_look_like_is_left_to_the_table() -> None:
    assert {number for number, paragraph in PARAGRAPHS.items() if not paragraph.modelled} == {"6.3"}


def test_the_history_that_the_source_tells_is_kept() -> None:
    numbers = {
        number
        for number, paragraph in PARAGRAPHS.items()
        if not paragraph.background.startswith("The source gives no history")
    }
    assert numbers == {"6.4", "6.6", "6.9", "6.10"}


def test_every_event_cites_its_paragraph() -> None:
    without = [event.__name__ for event in system_of("osr").events if not event.cites]
    assert not without, f"give each of these `cites`, the paragraph that it comes from: {without}"


def test_what_is_of_the_game_and_not_of_the_source_is_marked() -> None:
    marked = {number for number, paragraph in paragraphs_of("osr").items() if paragraph.not_in_source}
    assert {"6.4", "6.12"} <= marked
