"""What the fields of a sheet are called in words."""

from domain.system.field_schema import kind_of, stored_fields
from domain.system.rulesystem import RuleSystem


def field_in_words(system: RuleSystem, field: str) -> str:
    """What a field of the sheet is called: "wounds.1" is wound 1, "tracked.gold" gold."""
    top, _, inside = field.partition(".")
    if top == "tracked" and inside:
        return inside
    stored = stored_fields(system.sheet).get(top)
    # one member of several
    first = top.removesuffix("s") if inside and stored and kind_of(stored.type).shape == "list" else top
    return f"{first} {inside}".strip().replace("_", " ").replace(".", " ")
