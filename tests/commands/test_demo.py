"""`campaign demo`: the examples in a folder of their own, a screenful each, and what to do next."""

import shlex

import pytest

from cli.shell.examples import examples
from tests.kit.shell import Shell

#: Lines of the smallest terminal that people have.
SCREEN = 24


@pytest.fixture
def shell(new_shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("COLUMNS", "100")
    return new_shell


def test_the_examples_lie_in_a_folder_of_their_own(shell: Shell) -> None:
    shell.run("demo").ok()
    assert [path.name for path in shell.folder.iterdir()] == ["campaign-demo"]
    made = {path.name for path in (shell.folder / "campaign-demo").glob("*.campaign")}
    assert made == {f"{name}.campaign" for name in examples()}


def test_a_second_demo_leaves_the_first_alone(shell: Shell) -> None:
    shell.run("demo", "osr").ok()
    shell.run("demo", "osr").ok()
    assert sorted(path.name for path in shell.folder.iterdir()) == ["campaign-demo", "campaign-demo-2"]


@pytest.mark.parametrize("name", sorted(examples()))
def test_each_example_takes_a_screenful(shell: Shell, name: str) -> None:
    shown, _, _ = shell.run("demo", name).ok().out.partition("What to try next")
    assert 12 < len(shown.splitlines()) <= SCREEN


def test_what_to_try_next_can_be_typed(shell: Shell) -> None:
    _, _, more = shell.run("demo", "osr").ok().out.partition("What to try next\n")
    lines = [line.strip() for line in more.splitlines() if line.startswith("    campaign ")]
    assert len(lines) >= 5
    for line in lines:
        if not line.startswith("campaign play"):
            shell.run(*shlex.split(line)[1:]).ok()
