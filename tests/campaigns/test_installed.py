"""The wheel holds everything that the program and the suite need: used from its unpacked files and nothing else."""

import subprocess
import sys
import sysconfig
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

from tests import every_system
from tests.campaigns.installed import ROOT, fourth, play, play_fourth, run, wheel_of

#: Only the wheel and the libraries are to be found: no checkout, whatever is installed of it here.
ALONE = "import sys; sys.path[:0] = [{wheel!r}]; sys.path.append({libraries!r}); "


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("wheel")
    for name, project in (("ours", ROOT), ("theirs", fourth(folder))):
        with zipfile.ZipFile(wheel_of(project, folder / name)) as wheel:
            wheel.extractall(folder / "unpacked")
    begin = ALONE.format(wheel=str(folder / "unpacked"), libraries=sysconfig.get_path("purelib"))
    return [sys.executable, "-S", "-P", "-c", begin]


def after(alone: list[str], code: str) -> list[str]:
    return [*alone[:-1], alone[-1] + code]


def test_a_campaign_is_played_with_the_wheel_alone(alone: list[str], tmp_path: Path) -> None:
    play(after(alone, "from campaign_log.cli.main import main; main()"), tmp_path, {"gloomhaven": "1"})


def test_the_checkout_is_out_of_its_way(alone: list[str], tmp_path: Path) -> None:
    places = run(
        after(
            alone, "import campaign_log.cli, campaign_log.data as data; print(campaign_log.cli.__file__, data.__file__)"
        ),
        tmp_path,
    )
    assert str(ROOT) not in places


def test_nothing_else_of_ours_lies_at_the_top_of_an_environment(alone: list[str], tmp_path: Path) -> None:
    code = "import os; print(sorted(name for name in os.listdir(sys.path[0]) if not name.endswith('.dist-info')))"
    assert run(after(alone, code), tmp_path) == "['campaign_log', 'campaign_tides']\n"


def test_what_others_call_as_our_folders_is_not_in_its_way(alone: list[str], tmp_path: Path) -> None:
    for name in ("cli", "data", "domain", "projections", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('this is somebody else')", "utf-8")
    code = f"sys.path.insert(0, {str(tmp_path)!r}); from campaign_log.cli.main import main; main()"
    output = run([*after(alone, code), "new", "Crypt", "--rules", "osr", "--file", "crypt.campaign"], tmp_path)
    assert "Crypt begins" in output


def test_what_rule_systems_import_is_the_same_in_the_clone() -> None:
    import campaign_log.rules
    import campaign_log.suite.kit.given

    import domain.rules
    import tests.kit.given

    assert campaign_log.rules is domain.rules
    assert campaign_log.suite.kit.given is tests.kit.given


def test_a_campaign_is_played_under_the_rules_of_another_package(alone: list[str], tmp_path: Path) -> None:
    play_fourth(after(alone, "from campaign_log.cli.main import main; main()"), tmp_path)


def test_a_package_takes_the_suite_over_with_a_line_in_tests_of_its_own(alone: list[str], tmp_path: Path) -> None:
    """A longer run, which takes all of it: `python -m tests.campaigns.installed`."""
    only = (
        "tests",
        "-k",
        "contract or palette or paragraph or example or replay or old_log",
        "-p",
        "no:cacheprovider",
        "-q",
    )
    code = f"import pytest; sys.path.append('.'); sys.exit(pytest.main({list(only)!r}))"
    output = run(after(alone, code), fourth(tmp_path))
    assert " passed" in output
    assert "tides" not in output, "each test passed, and none is told by name"


def test_the_rule_system_of_another_package_has_its_folder_and_no_other_file() -> None:
    """Nothing of it is named elsewhere, but where it is installed."""
    process = subprocess.run(
        ["git", "grep", "-liw", "tides"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    elsewhere = {path for path in process.stdout.splitlines() if not path.startswith("tests/fourth/")}
    assert elsewhere == {
        "tests/campaigns/installed.py",
        "tests/campaigns/test_installed.py",
        "tests/common/test_packages.py",
    }


def test_a_package_that_takes_the_suite_over_takes_all_of_it() -> None:
    """No module is left out, and no test hides another of the same name."""
    modules = [
        import_module(f"tests.every_system.{path.stem}") for path in (ROOT / "tests/every_system").glob("test_*")
    ]
    tests = [
        (name, module.__name__)
        for module in modules
        for name, value in vars(module).items()
        if name.startswith("test_") and getattr(value, "__module__", None) == module.__name__
    ]
    assert len(dict(tests)) == len(tests)
    assert {name: getattr(every_system, name).__module__ for name, _ in tests} == dict(tests)
