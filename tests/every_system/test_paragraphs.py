"""The paragraphs of every rule system: each is kept by code or left to the table, and nothing else is cited."""

from domain.registry import system_of, tag_of
from domain.system.citing import INDEX
from domain.system.field_schema import stored_fields
from domain.system.options import options_of
from domain.system.paragraphs import Paragraph, paragraphs_of
from domain.system.rulesystem import RuleSystem

from ..kit.given import Given
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests


def read(subject: Subject) -> tuple[RuleSystem, dict[str, Paragraph], set[str]]:
    """The rule system, its paragraphs, and the numbers that its code cites."""
    system = system_of(subject.key)
    prefix = f"{system.cite} "
    cited = {citation.removeprefix(prefix) for citation in INDEX if citation.startswith(prefix)}
    return system, paragraphs_of(subject.key), cited


def test_every_paragraph_of_the_source_is_listed_in_its_order(subject: Subject) -> None:
    assert tuple(read(subject)[1]) == subject.paragraphs


def test_each_modelled_paragraph_is_kept_by_code_and_no_other_is(subject: Subject) -> None:
    _, paragraphs, cited = read(subject)
    modelled = {number for number, paragraph in paragraphs.items() if paragraph.modelled}
    file = f"data/{subject.key}/paragraphs.toml"
    assert not modelled - cited, f"{file} calls these modelled: cite them where the code keeps them: {modelled - cited}"
    assert not cited - modelled, f"the code cites these: {file} has to call them modelled: {cited - modelled}"


def test_what_is_left_to_the_table_says_why_and_nothing_else_does(subject: Subject) -> None:
    for number, paragraph in read(subject)[1].items():
        assert bool(paragraph.reason.strip()) != paragraph.modelled, (
            f"data/{subject.key}/paragraphs.toml: {number} needs a reason, or to be modelled, and not both"
        )


def test_every_paragraph_has_its_title_and_its_summary(subject: Subject) -> None:
    for number, paragraph in read(subject)[1].items():
        assert paragraph.title.strip(), f"give {number} a title in data/{subject.key}/paragraphs.toml"
        assert paragraph.summary.strip(), f"give {number} a summary in data/{subject.key}/paragraphs.toml"


def test_every_event_cites_paragraphs_that_are_modelled(subject: Subject) -> None:
    system, _, cited = read(subject)
    for event in system.events:
        unmodelled = {citation.removeprefix(f"{system.cite} ") for citation in event.cites} - cited
        assert not unmodelled, f"{event.__name__} cites {unmodelled}, which are not among the modelled paragraphs"


def test_every_action_and_every_event_says_what_it_means(subject: Subject) -> None:
    system = read(subject)[0]
    for kind in (*system.actions, *system.events):
        assert (kind.__doc__ or "").strip().endswith("."), f"end the docstring of {kind.__name__} with a full stop"


def test_what_a_summary_says_beyond_the_source_is_listed_with_it(subject: Subject) -> None:
    for number, paragraph in read(subject)[1].items():
        for added in paragraph.not_in_source:
            assert added.strip() and not added.endswith("."), number


def test_the_fields_of_an_option_are_optional_fields_of_an_action_and_the_option_is_of_that_paragraph(
    subject: Subject,
) -> None:
    system, paragraphs, _ = read(subject)
    options, actions = options_of(system.options), {tag_of(action): action for action in system.actions}
    for number, paragraph in paragraphs.items():
        for option_field in paragraph.option_fields:
            option = options[option_field.option]
            assert option.rule == f"{system.cite} {number}" or option.rule == number, option_field
            assert option.values is None or option_field.value in option.values, option_field
            fields = stored_fields(actions[option_field.action])
            assert option_field.fields and all(
                name in fields and not fields[name].required for name in option_field.fields
            ), option_field


def test_every_open_question_is_an_option_of_its_paragraph_default_first(subject: Subject) -> None:
    system, paragraphs, _ = read(subject)
    options = options_of(system.options)
    described = {name: (option.rule, option.values or (option.default,)) for name, option in options.items()}
    assert described == dict(subject.options), (
        "`options` of the SUBJECT lists each option with its paragraph and its values, the default first"
    )
    for name, option in options.items():
        assert option.default == described[name][1][0]
        assert option.meaning.strip(), name
        assert option.rule in paragraphs


def test_an_option_is_ruled_to_each_of_its_values_under_its_own_paragraph_only(subject: Subject) -> None:
    for name, (rule, values) in subject.options.items():
        for value in values:
            ruling = {"type": "ruling", "rule": rule, "text": "So be it.", "set": {name: value}}
            table = Given(subject.key).when(ruling)
            assert table.error is None, table.error
            assert getattr(table.handler.state().options, name) == value
            other = next(number for number in subject.paragraphs if number != rule)
            table.when({**ruling, "rule": other}).refused(None, rule)
            table.when({**ruling, "set": {name: "otherwise"}}).refused(None, name)
