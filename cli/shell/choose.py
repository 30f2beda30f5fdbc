"""The choice of the campaign of a command: by option, environment, folder, the one used last there, or anywhere."""

import os
import re
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

from cli.store.failures import Unopenable, because
from cli.store.folders import state_folder
from cli.store.names import resolve
from cli.store.server.address import is_server
from domain.log.port import NotSaved
from domain.naming import listed_first
from domain.refusal import Invalid
from domain.system.installed import installed


class NotChosen(Invalid):
    """Nothing says which campaign a command is about, or what does names one that is not there."""


class ChosenCampaign(Struct, frozen=True):
    """The address of a campaign, a file or a server's, and why it was chosen."""

    address: str
    why: str
    #: When it was used last (seconds since 1970), if that was in another folder and is the only reason; else None.
    used_last: float | None = None


def _pointer(folder: Path | None = None) -> Path:
    """The file that holds the address of the campaign used last in this folder (None: in whichever)."""
    if folder is None:
        return state_folder() / "current"
    return state_folder() / "folders" / blake2b(os.fsencode(folder), digest_size=12).hexdigest()


class NotRemembered(NotSaved):
    """The campaign used last is still another one, or none; the sentence says why and what to type."""

    def __init__(self, address: str, target: Path, reason: str, before: str) -> None:
        import shlex  # which most commands need not

        super().__init__(
            f"The current campaign stays as it was: {target} cannot be written: {reason}."
            f" Until it can, name the campaign on each line: -c {shlex.quote(address)}"
        )
        #: The address of the campaign used last, which lines without -c go to; "": there is none.
        self.before = before


def remember(address: str | Path) -> None:
    """Store the address of the campaign used last, for this folder and for those that never used one.

    No other folder's campaign becomes another one by it. Raises NotRemembered.
    """
    text = str(address) if is_server(str(address)) else str(resolve(address))
    last = _read(_pointer())
    own = _used_here(last)
    if last and last != text and not is_server(last):
        # until now the folder that it lies in needed no word of its own
        home = _pointer(Path(last).parent)
        if not _read(home):
            _keep(home, last, str(address), own or last)
    if last == text:
        with suppress(OSError):
            os.utime(_pointer())
    else:
        _keep(_pointer(), text, str(address), own or last)
    if own != text and (here := _here()) is not None:
        _keep(_pointer(here), text, str(address), own or last)


def _keep(target: Path, text: str, address: str, before: str) -> None:
    """Write an address. Raises NotRemembered."""
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text, "utf-8", "surrogateescape")
        fresh.replace(target)
    except (OSError, ValueError) as error:
        with suppress(OSError):
            fresh.unlink()
        raise NotRemembered(address, target, because(error, target), before) from error


def _here() -> Path | None:
    """This folder; None if it was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _used_here(last: str) -> str:
    """The address of the campaign used last in this folder; "" if there is none.

    `last` is the one used last in any: where that is forgotten, because its file was deleted, so are these.
    """
    here = _here()
    return _read(_pointer(here)) if last and here is not None else ""


def _is_there(address: str) -> bool:
    return is_server(address) or Path(address).exists()


def _read(target: Path) -> str:
    """The address in a file; "" if there is none, or it cannot be read."""
    try:
        return target.read_text("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""


def choose(campaign: str | None) -> ChosenCampaign:
    """The campaign that a command is about; `campaign` is that of --campaign. Raises NotChosen if there is none."""
    if campaign:
        return ChosenCampaign(campaign, "named with --campaign")
    if from_environment := os.environ.get("CAMPAIGN"):
        if not _is_there(from_environment):
            raise NotChosen(f"$CAMPAIGN names {from_environment}, which is not there; change it, or say -c FILE.")
        return ChosenCampaign(from_environment, "named in $CAMPAIGN")
    here = sorted(Path().glob("*.campaign"))
    if len(here) == 1:
        return ChosenCampaign(str(here[0]), "the only campaign in this folder")
    last = _read(_pointer())
    own = _used_here(last)
    used = own or last
    if used and (not here or Path(used) in map(whole_path, here)):
        if not _is_there(used):
            gone = used if _is_there(last) else last
            raise NotChosen(
                f"The campaign used last, {gone}, is gone; choose another with `campaign use FILE` or -c FILE."
            )
        return ChosenCampaign(used, "the campaign used last", None if here or own else _pointer().stat().st_mtime)
    if here:
        names = listed_first(path.name for path in here)
        raise NotChosen(
            f"This folder holds several campaigns ({names}); choose one with `campaign use FILE` or -c FILE."
        )
    raise NotChosen(f"There is no campaign yet.\n{beginnings()}")


def beginnings(more: str = "") -> str:
    """The lines that begin a campaign, one for each rule system; `more` are options that they end with."""
    lines = (f'campaign new "Name" --rules {key}{more}' for key in installed())
    return "\n".join(f"{'or:  ' if number else 'Next:'} {line}" for number, line in enumerate(lines))


def whole_path(path: Path) -> Path | None:
    """The path with symbolic links resolved; None for a broken link."""
    try:
        return resolve(path)
    except Unopenable:
        return None


def slug(name: str) -> str:
    """A file name for a campaign, short enough for any disk: "Dungeon Crawl" is `dungeon-crawl`."""
    words = re.sub(r"[^\w]+", "-", name.casefold()).strip("-_")[:60]
    return words.encode()[:150].decode(errors="ignore") or "campaign"
