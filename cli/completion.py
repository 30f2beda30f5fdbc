"""What the shell proposes: characters and what is legal now. Whatever goes wrong, it proposes nothing."""

from typing import Any

from domain.naming import key_of


def _reading(named: str | None) -> Any:
    from cli.choose import choose
    from cli.store import open_campaign
    from domain.reading import state_at
    from domain.systems import system_of

    with open_campaign(choose(named).path) as log:
        system = system_of(log.rules)
        return system, state_at(system, log)


def characters(incomplete: str, named: str | None = None) -> list[str]:
    """The characters whose names begin so, ignoring case."""
    try:
        _, state = _reading(named)
    except Exception:  # a broken campaign must not break the shell's prompt
        return []
    return [name for name in state.characters if key_of(name).startswith(key_of(incomplete))]


def branches(incomplete: str, named: str | None = None) -> list[str]:
    """The branches whose names begin so."""
    from cli.choose import choose
    from cli.store import MAIN, open_campaign

    try:
        with open_campaign(choose(named).path) as log:
            names = [MAIN, *(branch.name for branch in log.branches())]
    except Exception:  # as above
        return []
    return [name for name in names if name.startswith(incomplete)]


def values_for(
    key: str,
    action: type[Any],
    field: str,
    names: bool,
    choices: tuple[str, ...],
    character: str | None,
    named: str | None,
    incomplete: str,
) -> list[str]:
    """The values of one field that are legal now, or the characters, or the choices of its type."""
    if names:
        return characters(incomplete, named)
    found: Any = choices
    if not choices:
        try:
            system, state = _reading(named)
            whose = next((each for each in state.characters if key_of(each) == key_of(character or "")), None)
            found = system.proposals(state, action, field, whose) if system.key == key else ()
        except Exception:  # as above
            found = ()
    return [str(each) for each in found or () if key_of(str(each)).startswith(key_of(incomplete))]
