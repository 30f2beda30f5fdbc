"""What holds for every test: the machine may be slow, and Python compiles what they import once for all processes.

Where nothing compiled is kept, each command in a process of its own compiles the whole program again.
"""

import gc
import os
import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# no property rests on how busy the machine is
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

PREFIX, NOT_KEPT = "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"
COMPILED = pytest.StashKey[pytest.MonkeyPatch]()


def pytest_configure(config: pytest.Config) -> None:
    """Before the workers are started, which share it: a folder that is gone when all tests are done."""
    if hasattr(config, "workerinput"):
        return
    patch = config.stash[COMPILED] = pytest.MonkeyPatch()
    patch.setenv(PREFIX, tempfile.mkdtemp(prefix="compiled-"))
    patch.delenv(NOT_KEPT, raising=False)


def pytest_collection_finish() -> None:
    """All that is there by now stays to the end, and is most of what each collection would look through."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    if COMPILED in config.stash:
        shutil.rmtree(os.environ[PREFIX], ignore_errors=True)
        config.stash[COMPILED].undo()
