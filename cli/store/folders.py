"""Where this user's own things lie that belong to no campaign: what is remembered, and what is disposable."""

import os
import sys
from pathlib import Path

#: What the folders are called after.
NAME = "campaign-log"


def cache_folder() -> Path:
    """Where disposable files lie."""
    plain = _on_linux("XDG_CACHE_HOME", ".cache")
    if plain is not None:
        return plain
    import platformdirs

    return Path(platformdirs.user_cache_dir(NAME, appauthor=False))


def state_folder() -> Path:
    """Where is remembered what this user did last."""
    plain = _on_linux("XDG_STATE_HOME", ".local/state")
    if plain is not None:
        return plain
    import platformdirs

    return Path(platformdirs.user_state_dir(NAME, appauthor=False))


def _on_linux(variable: str, usual: str) -> Path | None:
    """What platformdirs says in the plain case; None for every other one, which is left to it.

    Importing it takes a tenth of what a whole command may take.
    """
    if sys.platform != "linux" or "ANDROID_ROOT" in os.environ:
        return None
    named, home = Path(os.environ.get(variable, "")), Path(os.environ.get("HOME", ""))
    if named.is_absolute():
        return named / NAME
    return home / usual / NAME if home.is_absolute() else None
