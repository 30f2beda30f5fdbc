"""The wheel holds everything that the program and the suite need: used from its unpacked files and nothing else."""

import sys
import sysconfig
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

from tests import every_system
from tests.campaigns.installed import ROOT, built, play, run, strangers_package

#: Only the wheel and the libraries are to be found: no checkout, whatever is installed of it here.
ALONE = "import sys; sys.path[:0] = [{wheel!r}]; sys.path.append({libraries!r}); "


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(built(folder)) as wheel:
        wheel.extractall(folder / "unpacked")
    begin = ALONE.format(wheel=str(folder / "unpacked"), libraries=sysconfig.get_path("purelib"))
    return [sys.executable, "-S", "-P", "-c", begin]


def after(alone: list[str], code: str) -> list[str]:
    return [*alone[:-1], alone[-1] + code]


def test_a_campaign_is_played_with_the_wheel_alone(alone: list[str], tmp_path: Path) -> None:
    play(after(alone, "from cli.main import main; main()"), tmp_path, {"gloomhaven": "1"})


def test_the_checkout_is_out_of_its_way(alone: list[str], tmp_path: Path) -> None:
    found = run(after(alone, "import cli, data; print(cli.__file__, data.__file__)"), tmp_path)
    assert str(ROOT) not in found


def test_a_package_takes_the_suite_over_with_a_line_beside_tests_of_its_own(alone: list[str], tmp_path: Path) -> None:
    only = "test_every_system.py", "-k", "contract and fatigue or paragraph", "-p", "no:cacheprovider", "-q"
    code = f"import pytest; sys.path.append('.'); sys.exit(pytest.main({['tests/' + only[0], *only[1:]]!r}))"
    told = run(after(alone, code), strangers_package(tmp_path))
    assert " passed" in told
    assert "osr" not in told, "each test passed, and none is told by name"


def test_a_package_that_takes_the_suite_over_takes_all_of_it() -> None:
    """No module is left out, and no test hides another of the same name."""
    modules = [
        import_module(f"tests.every_system.{path.stem}") for path in (ROOT / "tests/every_system").glob("test_*")
    ]
    tests = [
        (name, each.__name__)
        for each in modules
        for name, value in vars(each).items()
        if name.startswith("test_") and getattr(value, "__module__", None) == each.__name__
    ]
    assert len(dict(tests)) == len(tests)
    assert {name: getattr(every_system, name).__module__ for name, _ in tests} == dict(tests)
