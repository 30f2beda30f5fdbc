"""The first evening of each rule system: typed at the table every line is done, and every verb has its example."""

from cli.line.context import Context
from cli.line.evening import evening_of, examples_of, first_steps, lines_of
from cli.line.understanding import understand
from cli.line.words import line_of_arguments, tokenize
from cli.shell.words import from_file
from cli.table.commands import QUESTIONS
from domain.registry import system_of, verb_name
from domain.system.installed import data_folder

from ..kit.given import Given
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests


def test_every_verb_has_an_example_in_the_first_evening(subject: Subject) -> None:
    verbs = [action for action in system_of(subject.key).actions if action.has_verb]
    without = [verb_name(verb) for verb in verbs if not examples_of(subject.key, verb)]
    assert not without, f"type each of them once in data/{subject.key}/evening.txt: {', '.join(without)}"


def test_the_first_steps_begin_the_evening(subject: Subject) -> None:
    steps = first_steps(subject.key)
    assert 1 < len(steps) < 6
    lines = lines_of(evening_of(subject.key))[: len(steps)]
    # the title of a session is the group's own
    assert steps[0] == "session open" and lines[0].startswith(steps[0]) and lines[1:] == steps[1:]


def test_every_line_of_the_first_evening_is_done(subject: Subject) -> None:
    table = Given(subject.key)
    for line in lines_of(evening_of(subject.key)):
        against = Context(
            table.system, table.handler.state(), table.log, lambda name: from_file(str(data_folder(subject.key) / name))
        )
        for action in understand(tokenize(line), against, QUESTIONS).actions:
            table.handler.record(action)


def test_a_shell_takes_each_line_as_it_stands(subject: Subject) -> None:
    """So that the help can show it behind `campaign`: quotes and signs mean the same there."""
    from shlex import split

    for line in lines_of(evening_of(subject.key)):
        assert [word.text for word in tokenize(line).words] == [
            word.text for word in line_of_arguments(split(line)).words
        ], line
        assert not set(line) & set("$`\\!*?;&|<>(){}[]#~'"), line
