"""The paragraphs of deckahedron: what they say beyond their source is marked."""

from domain.system.paragraphs import paragraphs_of


def test_what_is_of_the_game_and_not_of_the_source_is_marked() -> None:
    marked = {number for number, paragraph in paragraphs_of("deckahedron").items() if paragraph.not_in_source}
    assert {"1", "35"} <= marked
