"""Versions of what is installed."""

from importlib.metadata import PackageNotFoundError, version


def version_of(name: str) -> str:
    """The version of an installed package."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "run from its sources, not installed"
