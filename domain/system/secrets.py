"""What players keep from each other, declared on the fields that hold it.

A field of a sheet, an action or an event says that it is secret: `hand: Annotated[tuple[Id, ...], secret()]`. It is
kept from everybody but the player of the `character` whom the sheet, action or event is about. (Where the record
names a `player` itself, as whoever enrols does, it is that one's.) The readings keep it, `projections.secrecy`; a
rule system only says when what is kept until it is revealed has been.
"""

from collections.abc import Mapping
from functools import cache

from msgspec import Meta, Struct

from domain.system.field_schema import fields_of


class Secret(Struct, frozen=True):
    """How one field is kept from the other players."""

    #: They are told how many there are; else nothing at all.
    counted: bool = False
    #: It is kept until the rule system says that it was revealed; else always.
    until_revealed: bool = False


def secret(*, counted: bool = False, until_revealed: bool = False) -> Meta:
    """The declaration of a secret field."""
    return Meta(extra={"secret": Secret(counted, until_revealed)})


#: A map whose keys are fields of a sheet: what is secret there is secret here, always.
SHEET_FIELDS = Meta(extra={"holds": "sheet fields"})
#: An action, as JSON: what is secret there is secret here.
AN_ACTION = Meta(extra={"holds": "an action"})


@cache
def secrets_of(kind: type[Struct]) -> Mapping[str, Secret]:
    """The secret fields of a sheet, an action or an event, as JSON spells them."""
    return {field.key: each for field in fields_of(kind) if (each := field.kind.extra.get("secret")) is not None}


@cache
def holding(kind: type[Struct], what: str) -> tuple[str, ...]:
    """The fields that hold "sheet fields" or "an action", as JSON spells them."""
    return tuple(field.key for field in fields_of(kind) if field.kind.extra.get("holds") == what)
