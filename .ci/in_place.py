"""`campaign_log` in an installation from the clone: it stands for the folders, and each module has both names.

What others import is `campaign_log.rules`, and for their tests `campaign_log.suite`.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

#: As they are called here -> as they are called in the clone.
FOLDERS = {"rules": "domain.rules", "suite": "tests", "cli": "cli", "domain": "domain", "projections": "projections"}
FOLDERS |= {"data": "data"}


class _TheSame(MetaPathFinder, Loader):
    """Finds `campaign_log.X` as the module X of the clone."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != __name__ or _called(fullname) is None:
            return None
        return spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        # whoever imports it gets what stands here once it is executed
        sys.modules[module.__name__] = import_module(str(_called(module.__name__)))


def _called(fullname: str) -> str | None:
    first, dot, rest = fullname.partition(".")[2].partition(".")
    return f"{FOLDERS[first]}{dot}{rest}" if first in FOLDERS else None


__path__: list[str] = []
# before all others: behind the name of a folder they would find its modules, and load each once more
sys.meta_path.insert(0, _TheSame())
