"""Who says it, beside what heals; and how a name is spelled in the command that is proposed."""

import pytest

from cli.shell.jsonlines import action_and_author
from cli.terminal.spelling import hints_of
from domain.deckahedron.harm import Strain
from domain.deckahedron.healing import Heal
from domain.refusal import Invalid
from tests.deckahedron.tables import act, enrol, override
from tests.kit.given import Given


def test_the_author_of_a_healing_stands_beside_what_heals() -> None:
    action, about = action_and_author("deckahedron", act("heal", by="item", at="2026-01-01T10:00:00+00:00"))
    assert (action.by, list(about)) == ("item", ["at"])
    action, about = action_and_author("deckahedron", act("heal", by="Ann"))
    assert (action, about) == (Heal(character="brog"), {"by": "Ann"})
    action, about = action_and_author("deckahedron", act("heal", by=None))
    assert (action, about) == (Heal(character="brog"), {})
    with pytest.raises(Invalid):
        action_and_author("deckahedron", act("heal", by=5))


def test_on_the_command_line_the_verb_keeps_its_own_by() -> None:
    from cli.shell.verbs import verb

    for kind, said_by in ((Heal, "--said-by"), (Strain, "--by")):
        names = [name for parameter in verb("deckahedron", kind).params for name in parameter.opts]
        assert names.count("--by") == 1
        assert said_by in names


def test_a_name_of_two_words_is_quoted_in_the_command_that_is_proposed() -> None:
    given = Given("deckahedron").when(enrol("Old Tom")).when(override(name="Old Tom", incapacitated=True))
    _, command = hints_of(given.system.pending_for(given.handler.state(), "Old Tom"))
    assert "storyteller 'Old Tom' " in command
