"""Every paragraph of the source is listed, and each modelled one has a function that keeps it."""

from domain.deckahedron.events import EVENTS
from domain.system.citing import INDEX
from domain.system.paragraphs import paragraphs_of
from domain.system.registry import system_of
from tests.deckahedron.tables import brog

CITED = {citation.removeprefix("DH ") for citation in INDEX if citation.startswith("DH ")}


def test_all_35_are_listed_in_order() -> None:
    assert list(paragraphs_of(system_of("deckahedron").key)) == [str(number) for number in range(1, 36)]


def test_each_modelled_paragraph_is_kept_by_code_and_no_other_is() -> None:
    modelled = {number for number, paragraph in paragraphs_of("deckahedron").items() if paragraph.modelled}
    assert modelled == CITED


def test_what_is_left_to_the_table_says_why() -> None:
    for number, paragraph in paragraphs_of("deckahedron").items():
        assert bool(paragraph.reason) != paragraph.modelled, number
        assert paragraph.title, number
        assert paragraph.summary, number


def test_each_event_cites_known_paragraphs() -> None:
    known = {f"DH {number}" for number in paragraphs_of("deckahedron")}
    for event in EVENTS:
        assert set(event.cites) <= known, event


def test_each_option_belongs_to_its_paragraph() -> None:
    for option, rule, value in (
        ("third_strain", "17", "both"),
        ("incapacitated_when", "9", "none_left"),
        ("wound_card_in_search", "26", "as_flip"),
        ("regained_to", "12", "deck"),
        ("rested_to", "22", "discard"),
        ("wound_card_removed", "31", False),
        ("rest_hours", "18", 0),
    ):
        ruling = {"type": "ruling", "rule": rule, "text": "So be it", "set": {option: value}}
        given = brog().when(ruling)
        assert given.error is None
        assert getattr(given.scribe.state().options, option) == value
        given.when({**ruling, "rule": "1"}).refused(None)
        given.when({**ruling, "set": {option: "otherwise"}}).refused(None)
