"""Each paragraph is kept by code that cites it, or left to the table with a reason; events cite what exists."""

from domain.system.citing import INDEX
from domain.system.paragraphs import paragraphs_of
from domain.system.registry import system_of

SYSTEM = system_of("gloomhaven")
PARAGRAPHS = paragraphs_of("gloomhaven")
CITED = {citation.removeprefix("GH ") for citation in INDEX if citation.startswith("GH ")}


def test_every_number_from_1_to_87_is_listed_in_order() -> None:
    assert list(PARAGRAPHS) == [str(number) for number in range(1, 88)]


def test_every_modelled_paragraph_is_kept_by_a_function() -> None:
    assert {number for number, each in PARAGRAPHS.items() if each.modelled} - CITED == set()


def test_every_cited_paragraph_is_listed_and_modelled() -> None:
    assert CITED - {number for number, each in PARAGRAPHS.items() if each.modelled} == set()


def test_what_is_left_to_the_table_says_why_and_nothing_else_does() -> None:
    assert all(bool(each.reason) != each.modelled for each in PARAGRAPHS.values())


def test_every_paragraph_has_words() -> None:
    assert all(each.title.strip() and each.summary.strip() for each in PARAGRAPHS.values())


def test_events_cite_paragraphs_that_are_modelled() -> None:
    cites = {citation for event in SYSTEM.events for citation in event.cites}
    assert {each.removeprefix("GH ") for each in cites} <= CITED


def test_options_belong_to_paragraphs_that_name_them() -> None:
    from domain.common.campaign import options_of

    for name, option in options_of(SYSTEM.options).items():
        assert name in PARAGRAPHS[option.rule].summary
