"""Shapes: what a record is packed from, as one hash. Read by other shapes, bytes may mean something else."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any, get_args

import msgspec

from domain.system.registry import record_types
from domain.system.ruled import PackedRulings, RulingInForce


@cache
def record_shapes(rules: str) -> bytes:
    """The hash of every Struct that a state of these rules is packed from: their fields, in order, with types."""
    # the rulings are packed apart from the record
    kinds = (record_types(rules).state, PackedRulings, RulingInForce)
    return sha256("\n".join(line for kind in kinds for line in _told(kind, set())).encode()).digest()


def _told(kind: Any, known: set[Any]) -> Iterator[str]:
    """Each Struct that is met in a type, once."""
    for part in get_args(kind):
        yield from _told(part, known)
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)) or kind in known:
        return
    known.add(kind)
    hints: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        hints |= vars(base).get("__annotations__", {})
    config = kind.__struct_config__
    yield f"{kind.__name__} {config.tag!r} {config.array_like} {config.omit_defaults}"
    for name in kind.__struct_fields__:
        yield f"{name}: {hints[name]!r}"
    for name in kind.__struct_fields__:
        yield from _told(hints[name], known)
