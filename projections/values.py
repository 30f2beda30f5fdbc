"""What the fields of a sheet are called in words."""

import msgspec

from domain.system.hints import kind_of
from domain.system.rulesystem import RuleSystem


def field_in_words(system: RuleSystem, field: str) -> str:
    """What a field of the sheet is called: "wounds.1" is wound 1, "ability_loss.strength" ability loss strength."""
    top, _, inside = field.partition(".")
    kinds = {each.encode_name: kind_of(each.type).shape for each in msgspec.structs.fields(system.sheet)}
    # one member of several
    first = top.removesuffix("s") if inside and kinds.get(top) == "list" else top
    return f"{first} {inside}".strip().replace("_", " ").replace(".", " ")
