"""The slots of a newcomer, asked one after another: each answer is checked at its own slot."""

from tests.kit.shell import Shell, shell_after
from tests.kit.typed import Typed, sitting

shell = shell_after("new Reef --rules deckahedron")


def test_a_rank_that_does_not_exist_is_refused_at_its_slot_and_replaced(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("enrol Mako⏎5⏎")
        assert typed.asked is not None and typed.asked.slot.key == "strength"
        assert "1 to 4" in typed.said[0] and typed.said[1] == "failed"
        typed.keys("2⏎")
        assert typed.asked is not None and typed.asked.slot.key == "dexterity"
        assert typed.text.split() == ["enrol", "Mako", "2"]
