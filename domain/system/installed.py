"""Which rule systems are installed: the built-in ones, and those that other packages name as entry points.

Entry points are looked up only for a key that is not built in, and for listings.
"""

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The group of entry points: `KEY = "package:Class"`.
GROUP = "campaign.rules"
#: The built-in ones: key -> what it is for, as the help says it.
SYSTEMS = {
    "osr": "hit points, injuries and healing",
    "deckahedron": "stamina, harm and wounds in a deck of cards",
    "gloomhaven": "ability cards, rests, damage and items",
}


@cache
def entry_points_of_packages() -> "Mapping[str, EntryPoint]":
    """The entry points of rule systems in other packages, by key. Built-in keys take precedence."""
    from importlib.metadata import entry_points

    return {
        entry_point.name: entry_point for entry_point in entry_points(group=GROUP) if entry_point.name not in SYSTEMS
    }


def is_installed(key: str) -> bool:
    return key in SYSTEMS or key in entry_points_of_packages()


def package_of(key: str) -> str | None:
    """The package that brings this rule system; None if it is built in or not installed."""
    entry_point = entry_points_of_packages().get(key) if key not in SYSTEMS else None
    return None if entry_point is None else entry_point.dist.name if entry_point.dist else entry_point.module


def missing(key: str, package: str | None = None) -> str:
    """The end of a sentence about rules that are not installed. `package` brought them when the campaign began."""
    return f"{key!r}, which is not installed; install the package {package or 'that brings these rules'}."


def purpose_of(key: str) -> str:
    """What a rule system is for, or which package brings it."""
    return SYSTEMS[key] if key in SYSTEMS else f"rules of the package {package_of(key)}"


def installed() -> dict[str, str]:
    """Every rule system that is installed: key -> what it is for, or which package brings it. None is imported."""
    return {key: purpose_of(key) for key in (*SYSTEMS, *sorted(entry_points_of_packages()))}


def data_folder(key: str) -> Path:
    """The data folder of a rule system: `data/KEY`, or `data` inside the package that brings it."""
    if key and key not in SYSTEMS and key in entry_points_of_packages():
        package = find_spec(entry_points_of_packages()[key].module.partition(".")[0])
        if package is not None and package.submodule_search_locations:
            return Path(package.submodule_search_locations[0], "data")
    import data

    # importlib.resources would find it too, but takes longer to import
    return Path(data.__path__[0], key)
