"""Whom `all` and `party` mean: those of our side who are here."""

from typing import Any

from domain.system.rulesystem import RuleSystem


def present(system: RuleSystem, state: Any) -> tuple[str, ...]:
    """Everybody of our side who is neither absent nor retired, in the order of enrolment."""
    return tuple(
        name for name, sheet in state.characters.items() if sheet.away is None and not system.is_foe(state, name)
    )


def able(system: RuleSystem, state: Any) -> tuple[str, ...]:
    """Those of them who can act, hirelings too: `all`."""
    return tuple(name for name in present(system, state) if system.fallen(state, name) is None)


def party(system: RuleSystem, state: Any) -> tuple[str, ...]:
    """Those of them with a player: `party`."""
    return tuple(name for name in present(system, state) if getattr(state.characters[name], "player", None))
