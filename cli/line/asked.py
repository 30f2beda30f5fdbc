"""What `why` is asked about, as people say it: `brog hp`, `seg hit points`, `aub wounds 1`, `ysa cards mana bolt`."""

from collections.abc import Sequence

from cli.line.values import title_at
from cli.line.words import given
from domain.naming import find_name, key_of, same_letters, somebody
from domain.refusal import Invalid


def asked_about(
    words: Sequence[str],
    names: Sequence[str],
    fields: Sequence[str],
    vital: tuple[str, str],
    tracked: Sequence[str] = (),
) -> str:
    """The same with full stops between its parts; without a field it is what says how much somebody can take.

    `tracked` are the names of what the table tracks for itself. Full stops may stand there already. Raises Unclear,
    and Refusal for somebody who is not there.
    """
    if len(words) == 1 and any(key_of(words[0]).startswith(f"{key_of(name)}.") for name in names):
        return words[0]  # a name may hold full stops itself
    parts = [part for word in words for part in word.split(".") if part.strip()]
    words_ = given(parts).words
    found = title_at(words_, 0, tuple(names)) if words_ else None
    if found is None and (own := same_letters(" ".join(parts).removeprefix("table "), tracked)) is not None:
        return f"table.{own}"
    if found is None and len(parts) == 1 and key_of(parts[0]) in fields:
        raise Invalid(f"Say whose {key_of(parts[0])}, like {somebody(names)}.{key_of(parts[0])}.")
    if found is None:
        return find_name(" ".join(parts), names)
    name, beyond = found
    rest = parts[beyond:]
    if not rest or key_of(" ".join(rest)) == key_of(vital[1]):
        return f"{name}.{vital[0]}"
    for count in range(len(rest), 0, -1):
        # `hit dice` is hit_dice; what lies inside a field follows it
        field = key_of("_".join(rest[:count])).replace("-", "_")
        field = "cards" if field == "card" else field
        if field in (*fields, "cards"):
            inside = [" ".join(rest[count:])] if field == "cards" and rest[count:] else rest[count:]
            return ".".join((name, field, *inside))
    return f"{name}.{'_'.join(rest)}"
