"""The folder of a site: known by what is in it, written beside itself and swapped in whole.

A run that breaks leaves the folder as it was; what did not change keeps its file, so that whoever copies the site
somewhere copies only what did.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from cli.pages.site import SessionOnSite
from domain.refusal import Invalid

#: The file by which a folder is known as ours; it says what each page was made of.
MANIFEST = "campaign-site.json"


class KeptSession(Struct, frozen=True):
    """A session as it stands on the site: what its page was made of, and what other pages say of it."""

    key: str
    session: SessionOnSite


class SiteManifest(Struct, frozen=True):
    """What a site was made of, for the next run."""

    campaign: str
    #: whose knowledge it keeps to; empty: nothing is left out
    viewer: str
    #: the versions of the program and of the rules
    made_by: str
    sessions: tuple[KeptSession, ...] = ()
    #: the path of each page -> the hash of its bytes
    files: dict[str, str] = {}


def recognized(folder: Path, campaign: str) -> SiteManifest | None:
    """What the site in a folder was made of; None: there is none yet, or it is empty.

    Raises Invalid for a folder that holds anything else, or the site of another campaign.
    """
    if not folder.name or folder.resolve() in (Path.cwd(), *Path.cwd().parents):
        raise Invalid(f"{folder} is the folder that you are in, or one around it; name a folder for the site alone.")
    before = _before(folder)
    if not folder.exists() and (before / MANIFEST).is_file():
        before.rename(folder)  # a run broke between the two renames
    if not folder.exists():
        if not folder.parent.is_dir():
            raise Invalid(f"There is no folder {folder.parent} to make {folder.name} in.")
        return None
    if not folder.is_dir():
        raise Invalid(f"{folder} is a file; name a folder.")
    there = {str(path.relative_to(folder).as_posix()) for path in folder.rglob("*") if not path.is_dir()}
    if not there:
        return None
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=SiteManifest)
    except (OSError, msgspec.MsgspecError):
        raise Invalid(f"{folder} holds other things than a site of campaign; name a new or an empty folder.") from None
    if manifest.campaign != campaign:
        raise Invalid(f"{folder} holds the site of another campaign; name another folder.")
    if strange := sorted(there - {MANIFEST, *manifest.files}):
        raise Invalid(
            f"{folder} holds {strange[0]}, which is no page of the site; move it elsewhere, or name a new folder."
        )
    return manifest


def hash_of(page: bytes) -> str:
    """What tells one state of a page from another."""
    return blake2b(page, digest_size=16).hexdigest()


def swap_in(folder: Path, manifest: SiteManifest, pages: Mapping[str, bytes], old: SiteManifest | None) -> int:
    """Put the site of this manifest in the place of the old one: `pages` are those that were made, the others stay.

    How many pages were written: one that came out the same keeps its file. Raises OSError, and leaves the folder as
    it was.
    """
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    before = _before(folder)
    written = 0
    try:
        for path, hashed in manifest.files.items():
            target = new / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if old is not None and old.files.get(path) == hashed and (folder / path).is_file():
                _keep(folder / path, target)
            else:
                _write(target, pages[path])
                written += 1
        _write(new / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        new.chmod(0o777 & ~_umask())
        shutil.rmtree(before, ignore_errors=True)
        if folder.exists():
            folder.rename(before)
        new.rename(folder)
    except BaseException:
        if before.exists() and not folder.exists():
            before.rename(folder)
        shutil.rmtree(new, ignore_errors=True)
        raise
    shutil.rmtree(before, ignore_errors=True)
    return written


def _before(folder: Path) -> Path:
    """Where the old site lies for the moment in which the new one takes its place."""
    return folder.parent / f".{folder.name}.before"


def _keep(page: Path, target: Path) -> None:
    """The same file under its new name; a copy where the disk knows no second name."""
    try:
        os.link(page, target)
    except OSError:
        shutil.copy2(page, target)


def _write(target: Path, page: bytes) -> None:
    with target.open("wb") as stream:
        stream.write(page)
        stream.flush()
        with suppress(OSError):
            os.fsync(stream.fileno())


def _umask() -> int:
    # there is no way to ask for it but to set it
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
