"""The user's folders for state and cache, outside of any campaign, and the file of a view in the latter."""

import os
import sys
from hashlib import blake2b
from pathlib import Path

#: The name of the folders.
NAME = "campaign-log"


def cache_folder() -> Path:
    """The folder for disposable files."""
    plain = _on_linux("XDG_CACHE_HOME", ".cache")
    if plain is not None:
        return plain
    import platformdirs

    return Path(platformdirs.user_cache_dir(NAME, appauthor=False))


def state_folder() -> Path:
    """The folder for what is remembered between commands."""
    plain = _on_linux("XDG_STATE_HOME", ".local/state")
    if plain is not None:
        return plain
    import platformdirs

    return Path(platformdirs.user_state_dir(NAME, appauthor=False))


def view_path(stream: str, viewer: str | None = None) -> Path:
    """The file of the view of a branch, by its stream, for a player (None: the keeper)."""
    # hashed, as an id is free text and may be no valid file name, like the name of a player
    of_a_player = "" if viewer is None else f"\0{viewer}"
    name = blake2b(f"{stream}{of_a_player}".encode(), digest_size=12).hexdigest()
    return cache_folder() / "views" / f"{name}.sqlite"


def _on_linux(variable: str, usual: str) -> Path | None:
    """The folder on plain Linux by the XDG rules; None elsewhere, where platformdirs knows it.

    Importing platformdirs would take a tenth of the time of a command.
    """
    if sys.platform != "linux" or "ANDROID_ROOT" in os.environ:
        return None
    folder, home = Path(os.environ.get(variable, "")), Path(os.environ.get("HOME", ""))
    if folder.is_absolute():
        return folder / NAME
    return home / usual / NAME if home.is_absolute() else None
