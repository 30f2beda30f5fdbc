"""The names of campaign files: the one that a link leads to, the one while it is made, and those that are not free."""

import os
from contextlib import suppress
from pathlib import Path

from cli.store.failures import Unopenable
from cli.store.layout import SIDE_FILES


def resolve(path: str | os.PathLike[str]) -> Path:
    """The path with its symbolic links resolved, as the lock and the `-wal` lie beside it. Raises Unopenable."""
    with suppress(OSError, RuntimeError, ValueError):
        real_path = Path(path).resolve()
        # a loop of links is an error only before Python 3.13
        if not os.path.islink(real_path):  # noqa: PTH114  which is no error in a closed folder
            return real_path
    raise Unopenable(f"{os.fspath(path)!r} is not the name of a file.", 2)


def lock_of(path: Path) -> Path:
    """The file that whoever writes into this one locks."""
    return path.with_name(f"{path.name}-lock")


def owner_of_side_file(path: Path) -> str | None:
    """The name of the campaign beside which a file of this name would be taken for its `-wal` or its lock; or None."""
    for side in (*SIDE_FILES, "-lock"):
        name = path.name.removesuffix(side)
        if name != path.name and (name.endswith(".campaign") or path.with_name(name).is_file()):
            return name
    return None


def while_being_made(path: Path) -> Path:
    """The name of a file that is not complete yet."""
    return path.with_name(f".{path.name}.being-made")


def take_first_name_away(path: Path) -> None:
    """Take away the name that a file had while it was made, which a maker killed in between leaves. Needs the lock."""
    first = while_being_made(path)
    with suppress(OSError):
        if first.samefile(path):
            first.unlink()
