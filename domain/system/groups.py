"""The characters that `all` and `party` stand for: those of our side who are present; and a sum divided among them."""

from typing import Any

from domain.system.rulesystem import RuleSystem


def even_parts(number: int, count: int) -> list[int]:
    """`number` as a sum of `count` parts, as even as can be: the first parts take what is left over."""
    part, remainder = divmod(number, count)
    return [part + (place < remainder) for place in range(count)]


def present(system: RuleSystem, state: Any) -> tuple[str, ...]:
    """The characters of our side who are neither absent nor retired, in the order of enrolment."""
    return tuple(
        name for name, sheet in state.characters.items() if sheet.away is None and not system.is_foe(state, name)
    )


def able(system: RuleSystem, state: Any) -> tuple[str, ...]:
    """`all`: those present who can act, including hirelings."""
    return tuple(name for name in present(system, state) if system.fallen(state, name) is None)


def party(system: RuleSystem, state: Any) -> tuple[str, ...]:
    """`party`: those of them who have a player."""
    return tuple(name for name in able(system, state) if getattr(state.characters[name], "player", None))
