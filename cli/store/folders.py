"""The user's folders for state and cache, outside of any campaign."""

import os
import sys
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
