"""The paragraphs of osr: each is kept by code or left to the table, and nothing else is cited."""

import pytest

from domain.common.campaign import options_of
from domain.osr import SYSTEM
from domain.system.citing import INDEX
from domain.system.paragraphs import paragraphs_of
from tests.kit.given import Given

PARAGRAPHS = paragraphs_of("osr")
CITED = {citation.removeprefix("OSR ") for citation in INDEX if citation.startswith("OSR ")}


def test_the_paragraphs_run_from_6_1_to_6_12() -> None:
    assert list(PARAGRAPHS) == [f"6.{number}" for number in range(1, 13)]


def test_each_modelled_paragraph_is_kept_by_code_and_nothing_else_is() -> None:
    assert {number for number, paragraph in PARAGRAPHS.items() if paragraph.modelled} == CITED


def test_what_is_left_to_the_table_says_why() -> None:
    left = {number for number, paragraph in PARAGRAPHS.items() if not paragraph.modelled}
    assert left == {"6.3"}
    assert all(bool(paragraph.reason) != paragraph.modelled for paragraph in PARAGRAPHS.values())


def test_every_paragraph_has_its_title_and_summary() -> None:
    assert all(paragraph.title and paragraph.summary for paragraph in PARAGRAPHS.values())


def test_the_history_that_the_source_tells_is_kept() -> None:
    assert {number for number, paragraph in PARAGRAPHS.items() if paragraph.background} == {"6.4", "6.6", "6.9", "6.10"}


def test_every_event_cites_a_modelled_paragraph() -> None:
    for event in SYSTEM.events:
        assert event.cites, event
        for citation in event.cites:
            assert citation.removeprefix("OSR ") in CITED, event


def test_every_event_says_what_it_means() -> None:
    assert all(kind.__doc__ for kind in (*SYSTEM.events, *SYSTEM.actions))


@pytest.mark.parametrize(
    ("name", "rule", "values"),
    [
        ("keep_higher", "6.4", (False, True)),
        ("short_rest_together", "6.4", (False, True)),
        ("zero_is_injury", "6.6", (False, True)),
        ("save_meets_dc", "6.6", (True, False)),
        ("minor_injuries", "6.9", ("referee", "recovery_marks")),
    ],
)
def test_an_open_question_is_an_option_of_its_paragraph_default_first(
    name: str, rule: str, values: tuple[object, ...]
) -> None:
    option = options_of(SYSTEM.options)[name]
    assert (option.rule, option.values, option.default) == (rule, values, values[0])
    assert option.meaning


def test_there_are_no_other_options() -> None:
    assert len(options_of(SYSTEM.options)) == 5


@pytest.mark.parametrize("option", ["keep_higher", "short_rest_together"])
def test_a_ruling_sets_an_option_of_its_own_paragraph_only(option: str) -> None:
    table = Given("osr")
    table.when({"type": "ruling", "rule": "6.6", "text": "x", "set": {option: True}}).refused(None, "6.4")
    assert table.when({"type": "ruling", "rule": "OSR 6.4", "text": "x", "set": {option: True}}).events
    assert getattr(table.scribe.state().options, option) is True
