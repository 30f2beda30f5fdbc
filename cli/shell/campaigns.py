"""The campaigns of a folder, each with its name and its last turn."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from cli.shell.choose import choose, whole_path
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from domain.log.folding import state_at
from domain.log.port import DamagedLog
from domain.refusal import Invalid
from domain.registry import system_of


class Campaign(Struct, frozen=True):
    """One campaign of a folder; if it cannot be opened, `name` holds the reason."""

    file: Path
    name: str
    rules: str | None
    turn: int | None
    current: bool


def campaigns_of(folder: Path) -> Iterator[Campaign]:
    """The campaigns of a folder, sorted by file name."""
    try:
        current = whole_path(Path(choose(None).address))
    except (Invalid, OSError):
        current = None
    for file in sorted(folder.glob("*.campaign")):
        here = current is not None and whole_path(file) == current
        try:
            with open_campaign(file) as log:
                name = state_at(system_of(log.rules), log, 1).campaign.name
                yield Campaign(file, name, log.rules, log.last(), here)
        except (Unopenable, DamagedLog) as error:
            yield Campaign(file, str(error), None, None, here)
