"""The subject of `why` in spoken form, `brog hp`, `seg hit points` or `ysa cards mana bolt`, as CHARACTER.FIELD."""

from collections.abc import Mapping, Sequence

from cli.line.errors import LineError
from cli.line.values import title_at
from cli.line.words import line_of_arguments
from domain.naming import did_you_mean, key_of, reads_as_point, same_letters, somebody
from domain.refusal import Invalid, Unknown
from domain.system.type_descriptions import either

#: Said of a place in the log where `why` takes somebody; behind it stands the line that was meant.
NOT_SOMEBODY = "is a place in the log, and why is asked about somebody"


def why_subject(
    words: Sequence[str],
    names: Sequence[str],
    fields: Sequence[str],
    vital: tuple[str, str],
    of_table: Sequence[str] = (),
    by_owner: Mapping[str, Sequence[str]] = {},
) -> str:
    """The words as CHARACTER.FIELD, with further parts behind full stops; without a field the system's vital one.

    `names` are the characters, `fields` those of a sheet, `vital` the vital field and its name in words, `of_table` the
    names that the table itself tracks, `by_owner` those that each character does. Words may hold full stops already.
    Raises LineError, Invalid for a field without a character, and Refusal for an unknown character.
    """
    if len(words) == 1 and any(key_of(words[0]).startswith(f"{key_of(name)}.") for name in names):
        return words[0]  # it is complete, also if the name itself holds full stops
    parts = [part for word in words for part in word.split(".") if part.strip()]
    line = line_of_arguments(parts)
    try:
        person = title_at(line, 0, tuple(names)) if line.words else None
    except LineError as error:
        raise LineError(error.reason) from None  # its lines would be of the subject alone
    if person is not None:
        name, beyond = person
        rest = parts[beyond:]
        if not rest or key_of(" ".join(rest)) == key_of(vital[1]):
            return f"{name}.{vital[0]}"
        for count in range(len(rest), 0, -1):
            # `hit dice` is hit_dice; the rest names a part inside the field
            field = key_of("_".join(rest[:count])).replace("-", "_")
            field = f"{field}s" if f"{field}s" in (*fields, "cards") else field  # as in `wound 2`
            if field in (*fields, "cards"):
                inside = [" ".join(rest[count:])] if field == "cards" and rest[count:] else rest[count:]
                return ".".join((name, field, *inside))
        return f"{name}.{'_'.join(rest)}"
    sought = " ".join(parts)
    if reads_as_point(sought):
        raise Invalid(f"{sought} {NOT_SOMEBODY}: show {sought}")
    if (tracked_name := same_letters(sought.removeprefix("table "), of_table)) is not None:
        return f"table.{tracked_name}"
    owners = [(name, own) for name, names in by_owner.items() if (own := same_letters(sought, names)) is not None]
    if len(owners) == 1:
        return ".".join(owners[0])
    if owners:
        raise Invalid(f"Say whose {owners[0][1]}: why {either('.'.join(owner) for owner in owners)}.")
    if len(parts) == 1 and key_of(parts[0]) in fields:
        raise Invalid(f"Say whose {key_of(parts[0])}, like {somebody(names)}.{key_of(parts[0])}.")
    sentence = f"There is no character {sought!r}, and nothing of that name is tracked"
    raise Unknown("character", sought, sentence, lambda: did_you_mean(sought, names, otherwise="enrol one first."))
