"""The campaigns of a folder, each with its name and its last turn, and which of them are copies of one campaign."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote

from msgspec import Struct

from cli.shell.choose import choose, whole_path
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.stored_log import StoredLog
from cli.terminal.screen import as_text
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
    campaign_id: str | None = None


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
                yield Campaign(file, name, log.rules, log.last(), here, log.campaign_id)
        except (Unopenable, DamagedLog) as error:
            yield Campaign(file, str(error), None, None, here)


def copies_among(campaigns: Sequence[Campaign]) -> list[str]:
    """A sentence for each file that is a further copy of a campaign, as sync tools leave them, with what to type."""
    first: dict[str, Campaign] = {}
    sentences = []
    # the current one first, then the one that goes furthest
    for campaign in sorted(campaigns, key=lambda each: (not each.current, -(each.turn or 0))):
        if campaign.campaign_id is None:
            continue
        one = first.setdefault(campaign.campaign_id, campaign)
        if one is not campaign:
            sentences.append(
                f"{as_text(one.file)} (up to T{one.turn}) and {as_text(campaign.file)} (up to T{campaign.turn}) are one"
                f" campaign; campaign join {quote(as_text(campaign.file))} -c {quote(as_text(one.file))} brings them"
                " together."
            )
    return sentences


def conflicted_copies(log: StoredLog) -> list[str]:
    """A sentence for each copy beside an open file that is called a conflicted one, and has turns that it lacks."""
    file = Path(log.address)
    sentences = []
    with suppress(OSError):
        for copy in sorted(file.parent.glob("*.campaign")):
            if "conflict" not in copy.name.casefold() or copy == file:
                continue
            with suppress(Unopenable, DamagedLog), open_campaign(copy) as other:
                last = other.last()
                if other.campaign_id == log.campaign_id and log.branch_of(other.id_in(other.stream, last)) is None:
                    folder = Path.cwd()
                    there, here = (
                        quote(as_text(path.relative_to(folder) if path.is_relative_to(folder) else path))
                        for path in (copy, file)
                    )
                    sentences.append(
                        f"{as_text(copy.name)} is another copy of this campaign, with turns up to T{last} that are not"
                        f" here; campaign join {there} -c {here} brings them in."
                    )
    return sentences
