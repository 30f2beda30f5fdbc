"""Builds the wheel as one package, `campaign_log`; in the repository its folders are packages of their own.

Every module that the wheel holds is copied, with `from domain.turn import …` as `from campaign_log.domain.turn import
…`: so nothing of ours lies at the top of an environment, and type checkers follow what is there. An installation from
the clone, which is edited in place, gets a package of that name instead that stands for the folders: each module is the
same under both names. See "How it is built" in the manual.
"""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "campaign_log"
#: Folder of the repository -> what it is called in the package.
FOLDERS = {"cli": "cli", "domain": "domain", "projections": "projections", "data": "data", "tests": "suite"}
#: Of the tests only the suite that rule systems of others take over.
SUITE = ("__init__.py", "record_examples.py", "record_version.py", "every_system", "kit")
#: What only this repository's tests need.
LEFT_OUT = ("__pycache__", "*.pyc", "old_logs")
#: What others import of it: module of the repository -> its name in the package.
PUBLIC = {"domain/rules.py": "rules.py"}

_OURS = "|".join(FOLDERS)
_FROM = re.compile(rf"^(\s*from )({_OURS})(?=[.\s])", re.MULTILINE)
_IMPORT = re.compile(rf"^(\s*)import ({_OURS})$", re.MULTILINE)
_NAMED = re.compile(r"""(?<=["'])(cli|domain|projections)\.(?=[a-z_{])""")


def renamed(source: str) -> str:
    """A module as it reads in the package."""
    source = _FROM.sub(lambda found: f"{found[1]}{NAME}.{FOLDERS[found[2]]}", source)
    source = _IMPORT.sub(lambda found: f"{found[1]}from {NAME} import {FOLDERS[found[2]]} as {found[2]}", source)
    return _NAMED.sub(rf"{NAME}.\1.", source)


class OnePackage(BuildHookInterface[Any]):
    """Hatchling's way to say what goes into a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self._folder(), NAME)
        if version == "editable":
            folder.mkdir()
            shutil.copy(Path(self.root, ".ci", "in_place.py"), folder / "__init__.py")
            build_data["force_include_editable"] = {str(folder): NAME}
            return
        for name, called in FOLDERS.items():
            only = shutil.ignore_patterns(*LEFT_OUT)
            if name == "tests":
                for each in SUITE:
                    there, here = Path(self.root, name, each), folder / called / each
                    here.parent.mkdir(parents=True, exist_ok=True)
                    (shutil.copytree(there, here, ignore=only) if there.is_dir() else shutil.copy(there, here))
            else:
                shutil.copytree(Path(self.root, name), folder / called, ignore=only)
        for module, called in PUBLIC.items():
            (folder / module).rename(folder / called)
        (folder / "__init__.py").write_text(
            '"""The log of a tabletop campaign. Rule systems import `campaign_log.rules`."""\n', "utf-8"
        )
        (folder / "py.typed").touch()
        for module in folder.rglob("*.py"):
            module.write_text(renamed(module.read_text("utf-8")), "utf-8")
        build_data["force_include"] = {str(folder): NAME}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        shutil.rmtree(self._folder(), ignore_errors=True)

    def _folder(self) -> str:
        if not hasattr(self, "_made"):
            self._made = tempfile.mkdtemp(prefix="campaign-wheel-")
        return self._made
