"""The folder of an exported site: recognised by its manifest, written under another name and swapped in whole.

A run that fails leaves the folder as it was. Unchanged pages keep their files, so that tools that upload the site copy
only what changed.
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
from cli.store.failures import Unopenable
from cli.store.names import resolve
from domain.refusal import Invalid

#: The name of the manifest, by which the folder is recognised.
MANIFEST = "campaign-site.json"


class KeptSession(Struct, frozen=True):
    """A session on the site: the hash of what its page was rendered from, and what other pages need of it."""

    key: str
    session: SessionOnSite


class SiteManifest(Struct, frozen=True):
    """What a site was rendered from, for the next run."""

    campaign: str
    #: the player whose knowledge limits the site; "": no limit
    viewer: str
    #: the versions of the program and of the rules
    made_by: str
    sessions: tuple[KeptSession, ...] = ()
    #: the path of each page -> the hash of its bytes
    files: dict[str, str] = {}


def manifest_of(folder: Path, campaign: str) -> SiteManifest | None:
    """The manifest of the site in a folder; None for an empty or missing folder.

    Raises Invalid for a folder that holds anything else, or the site of another campaign.
    """
    place = _place_of(folder)
    if place in (Path.cwd(), *Path.cwd().parents):
        raise Invalid(f"{folder} is the folder you are in, or one around it; give the site a folder of its own.")
    before = _before(place)
    if not place.exists() and (before / MANIFEST).is_file():
        before.rename(place)  # an earlier run failed between its two renames
    if not place.exists():
        if not place.parent.is_dir():
            raise Invalid(f"There is no folder {folder.parent} to make {folder.name} in.")
        return None
    if not folder.is_dir():
        raise Invalid(f"{folder} is a file; name a folder.")
    there = {str(path.relative_to(place).as_posix()) for path in place.rglob("*") if not path.is_dir()}
    if not there:
        return None
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=SiteManifest)
    except (OSError, msgspec.MsgspecError):
        raise Invalid(f"{folder} holds other files; name a new or an empty folder.") from None
    if manifest.campaign != campaign:
        raise Invalid(f"{folder} holds the site of another campaign; name another folder.")
    if strange := sorted(there - {MANIFEST, *manifest.files}):
        raise Invalid(
            f"{folder} holds {strange[0]}, which is no page of the site; move it elsewhere, or name a new folder."
        )
    return manifest


def hash_of(page: bytes) -> str:
    """The hash of a page by which changes are found."""
    return blake2b(page, digest_size=16).hexdigest()


def swap_in(folder: Path, manifest: SiteManifest, pages: Mapping[str, bytes], old: SiteManifest | None) -> int:
    """Replace the old site by that of this manifest; `pages` are the rendered ones, the others are kept.

    Returns how many pages were written, as unchanged ones keep their files. Raises OSError and leaves the folder as it
    was.
    """
    folder = _place_of(folder)
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    before = _before(folder)
    count = 0
    try:
        for path, digest in manifest.files.items():
            target = new / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if old is not None and old.files.get(path) == digest and (folder / path).is_file():
                _keep(folder / path, target)
            else:
                _write(target, pages[path])
                count += 1
        _write(new / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        # as a folder that is made without a temporary name; the mask can only be read by setting it
        mask = os.umask(0o077)
        os.umask(mask)
        with suppress(OSError):  # not every disk knows modes
            new.chmod(0o777 & ~mask)
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
    return count


def _place_of(folder: Path) -> Path:
    """Where a folder really is: what a link or `..` leads to is replaced, not the link. Raises Invalid."""
    try:
        return resolve(folder)
    except Unopenable:
        raise Invalid(f"{folder} is not the name of a folder.") from None


def _before(folder: Path) -> Path:
    """The path of the old site while the new one takes its place."""
    return folder.parent / f".{folder.name}.before"


def _keep(page: Path, target: Path) -> None:
    """Link a page to its new path, or copy it on a file system without hard links."""
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
