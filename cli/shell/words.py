"""What a person types, as what is meant: a turn, a session, `name=value`."""

from typing import Any

from domain.refusal import Invalid


def turn_number(text: str | None) -> int | None:
    """A turn as typed, T4 or 4. Raises Invalid."""
    if text is None:
        return None
    digits = text.strip().removeprefix("T").removeprefix("t")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
        raise Invalid(f"{text[:40]!r} is not a turn; write it like T4.")
    return int(digits)


def field_values(words: list[str]) -> dict[str, Any]:
    """`hp=7 condition=up wounds=[]`: JSON where it parses, else text. Raises Invalid."""
    import msgspec

    found: dict[str, Any] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or not name.strip():
            raise Invalid(f"Write a sheet field as FIELD=VALUE, not {word!r}.")
        if name.strip() in found:
            raise Invalid(f"{name.strip()} is set twice.")
        try:
            found[name.strip()] = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            found[name.strip()] = text
    return found


def session_number(text: str | None) -> int | None:
    """A session as typed, S3 or 3. Raises Invalid."""
    if text is None:
        return None
    digits = text.strip().removeprefix("S").removeprefix("s")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
        raise Invalid(f"{text[:40]!r} is not a session; write it like S3 or 3.")
    return int(digits)


def option_values(given: list[str] | None, rules: str) -> dict[str, object]:
    """`name=value` words as option values: JSON where it parses as the option's type, else text."""
    import msgspec

    from domain.common.campaign import options_of
    from domain.system.registry import system_of

    known = options_of(system_of(rules).options)
    found: dict[str, object] = {}
    for word in given or ():
        name, sign, text = word.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            raise Invalid(f"Write an option as NAME=VALUE; {word!r} has no value.")
        if name in found:
            raise Invalid(f"{name} is set twice.")
        found[name] = text
        if name in known:
            try:
                found[name] = msgspec.json.decode(text, type=known[name].type)
            except (msgspec.DecodeError, RecursionError):
                found[name] = text
    return found
