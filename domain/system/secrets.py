"""Secrets between players, declared on the fields that hold them.

A field of a sheet, an action or an event is declared secret: `hand: Annotated[tuple[Id, ...], secret()]`. Only the
player of the `character` it is about sees it. (If the record itself has a `player`, as an enrolment does, it is that
player's.) `projections.secrecy` removes secrets from readings; a rule system only says when a secret was revealed.
"""

from collections.abc import Mapping
from functools import cache

from msgspec import Meta, Struct

from domain.system.field_schema import fields_of


class Secret(Struct, frozen=True):
    """How one field is hidden from the other players."""

    #: The others see how many there are; otherwise nothing.
    counted: bool = False
    #: Hidden until the rule system says that it was revealed; otherwise for ever.
    until_revealed: bool = False


def secret(*, counted: bool = False, until_revealed: bool = False) -> Meta:
    """The annotation that declares a field secret."""
    return Meta(extra={"secret": Secret(counted, until_revealed)})


#: A map keyed by sheet fields: fields that are secret on the sheet are always secret here.
SHEET_FIELDS = Meta(extra={"holds": "sheet fields"})
#: An action as JSON: fields that are secret in it are secret here.
AN_ACTION = Meta(extra={"holds": "an action"})


@cache
def secrets_of(kind: type[Struct]) -> Mapping[str, Secret]:
    """The secret fields of a sheet, an action or an event, as JSON spells them."""
    return {field.key: secret for field in fields_of(kind) if (secret := field.kind.extra.get("secret")) is not None}


def lies_face_down(kind: type[Struct]) -> bool:
    """Whether an action makes a choice that stays secret until it is revealed."""
    return any(secret.until_revealed for secret in secrets_of(kind).values())


@cache
def holding(kind: type[Struct], content: str) -> tuple[str, ...]:
    """The fields that hold "sheet fields" or "an action", as JSON spells them."""
    return tuple(field.key for field in fields_of(kind) if field.kind.extra.get("holds") == content)
