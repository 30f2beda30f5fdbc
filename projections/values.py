"""The names of sheet fields in words."""

from domain.system.field_schema import kind_of, stored_fields
from domain.system.rulesystem import RuleSystem


def field_in_words(system: RuleSystem, field: str) -> str:
    """The name of a field in words: "wounds.1" is wound 1, "tracked.gold" gold."""
    top, _, inside = field.partition(".")
    if top == "tracked" and inside:
        return inside
    stored_field = stored_fields(system.sheet).get(top)
    # one member of several
    first = top.removesuffix("s") if inside and stored_field and kind_of(stored_field.type).shape == "list" else top
    return f"{first} {inside}".strip().replace("_", " ").replace(".", " ")
