"""A level that is said has to be the next one (OSR 6.2)."""

from tests.kit.given import Given


def test_the_next_level_may_be_said_and_no_other() -> None:
    table = Given("osr")
    table.when({"type": "osr.enrol", "character": "Oswin", "level": 2}).then_some()
    table.when({"type": "osr.level_up", "character": "Oswin", "level": 4}).refused(
        "OSR 6.2", "the next one is 3, not 4"
    )
    table.when({"type": "osr.level_up", "character": "Oswin", "level": 3}).then_some()
    table.has("Oswin", level=3)
