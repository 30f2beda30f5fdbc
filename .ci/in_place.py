"""`campaign_log` in an installation from the clone: it stands for the folders, and each module has both names.

What others import is `campaign_log.rules`, and for their tests `campaign_log.suite`.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

#: As they are called here -> as they are called in the clone.
FOLDERS = {"rules": "domain.rules", "suite": "tests", "cli": "cli", "domain": "domain", "projections": "projections"}
FOLDERS |= {"data": "data"}


class _TheSame:
    """Finds `campaign_log.X` as the module X of the clone. No base class and few imports: each command waits for it."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        if fullname.partition(".")[0] != __name__ or _called(fullname) is None:
            return None
        return ModuleSpec(fullname, self)

    def create_module(self, spec: ModuleSpec) -> None:
        """One of the usual kind, for as long as it takes to execute it."""

    def exec_module(self, module: object) -> None:
        # whoever imports it gets what stands here once it is executed
        name = module.__name__
        sys.modules[name] = import_module(str(_called(name)))


def _called(fullname: str) -> str | None:
    first, dot, rest = fullname.partition(".")[2].partition(".")
    return f"{FOLDERS[first]}{dot}{rest}" if first in FOLDERS else None


__path__: list[str] = []
# before all others: behind the name of a folder they would find its modules, and load each once more
sys.meta_path.insert(0, _TheSame())
