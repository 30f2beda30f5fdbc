"""Where this user's own things lie is where platformdirs says, which is asked only where it is not plain."""

import platformdirs
import pytest

from cli.store.folders import NAME, cache_folder, state_folder
from tests.kit.elsewhere import ask_for

ENVIRONMENTS: list[dict[str, str]] = [
    {"HOME": "/home/mia"},
    {"HOME": "/home/mia", "XDG_CACHE_HOME": "/big/cache", "XDG_STATE_HOME": "/big/state"},
    {"HOME": "/home/mia", "XDG_CACHE_HOME": "", "XDG_STATE_HOME": " "},
    {"HOME": "/home/mia", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "~/state"},
    {"HOME": ""},
    {"HOME": "mia"},
    {},
]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_folders_are_those_of_platformdirs(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    if not environment.get("HOME", "").startswith("/"):
        ask_for("pwd")  # which knows a home where the environment does not
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert str(cache_folder()) == platformdirs.user_cache_dir(NAME, appauthor=False)
    assert str(state_folder()) == platformdirs.user_state_dir(NAME, appauthor=False)
