"""The examples of every help are what they say: each is typed on a shell, at a table where it makes sense."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import pytest

from cli.line.evening import evening_of, lines_of
from cli.shell.catalogue import COMMANDS
from cli.shell.parser import CommandGroup, LineCommand
from cli.shell.program import find_command
from domain.registry import SYSTEMS
from domain.system.installed import data_folder
from tests.kit.advice import none_that_is_refused
from tests.kit.elsewhere import ask_for
from tests.kit.shell import ROOT, Shell

#: What has to be so for an example to make sense.
BEFORE = {
    "redo": ["undo"],
    "session open": ["session close"],
    "session close": ["session open"],
    "paragraph add": ["u"],
    "amend": ["d brog 4 a ghoul"],
    "adopt": ["switch plan", "n at the door of the crypt", "switch main"],
}
#: A browser is opened, phones and assistants served, a demonstration played, a server asked, by tests of their own.
ELSEWHERE = ("explore", "serve", "mcp", "demo", "server init", "server doctor", "server invite", "server remove")


def examples() -> list[tuple[str, tuple[str, ...]]]:
    """The name of each command, those of groups too, and its examples."""
    found = []
    for name in COMMANDS:
        command = find_command(name)
        assert command is not None
        for part in getattr(command, "listing", lambda: {"": {"": ""}})().values():
            for one_of_them in part:
                one: Any = command.make(one_of_them, ()) if isinstance(command, CommandGroup) else command
                declared: Any = one.verb(None) if isinstance(one, LineCommand) else one
                found.append((f"{name} {one_of_them}".strip(), tuple(declared.examples())))
    return found


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the first evening of osr was played, with a branch, an export, and lines to play."""
    with pytest.MonkeyPatch.context() as patch:
        shell = Shell(tmp_path_factory.mktemp("evening"), patch)
        shell.do("new 'The Mill' --rules osr --file mill.campaign")
        for line in lines_of(evening_of("osr")):
            assert shell.run(*shlex.split(line)).code == 0, line
        key = shell.folder / "id_ed25519"
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "mia", "-f", str(key)]
        subprocess.run(made, check=True)
        (shell.folder / "allowed_signers").write_text(f"mia {key.with_suffix('.pub').read_text('utf-8')}", "utf-8")
        shell.do("undo --why 'one more room'", "branch plan @T40", "switch main", "export -o the-mill.ndjson")
        shell.do("export -o theirs.ndjson", "import theirs.ndjson --file theirs.campaign", "use mill.campaign")
        (shell.folder / "lines.txt").write_text("d brog 1 a rat\nn the rat got away\n", "utf-8")
        (shell.folder / "evening.ndjson").write_text('{"type": "note", "text": "the ghoul had a key"}\n', "utf-8")
        return shell.folder


@pytest.fixture
def shell(evening: Path, new_shell: Shell) -> Shell:
    copytree(evening, new_shell.folder, dirs_exist_ok=True)
    keys = Path(os.environ["HOME"], ".ssh")
    keys.mkdir(parents=True, exist_ok=True)
    (new_shell.folder / "id_ed25519").replace(keys / "id_ed25519")
    new_shell.run("use", "mill.campaign")
    return new_shell


@pytest.mark.parametrize(("name", "lines"), [example for example in examples() if example[0] not in ELSEWHERE])
def test_the_examples_of_a_command_are_done(name: str, lines: tuple[str, ...], shell: Shell) -> None:
    assert lines, f"{name} has no examples"
    for line in lines:
        for typed in BEFORE.get(name, ()):
            shell.run(*shlex.split(typed))
        program, *words = shlex.split(line)
        assert (program, words[0]) == ("campaign", name.split()[0]) or "| campaign" in line
        if set(line) & set("<|"):
            assert through_sh(shell, line) == 0, line
        else:
            result = shell.run(*words)
            assert result.code == 0, (
                f"{line}: {result}\nThe examples in the help of {name} are typed after the evening in"
                " data/osr/evening.txt: change the example, or let the evening end as it did."
            )


def through_sh(shell: Shell, line: str) -> int:
    """The exit code of a line that redirects."""
    ask_for("termios")  # and with it `sh`
    program = f"{shlex.quote(sys.executable)} -c 'from cli.main import main; main()'"
    typed = (
        line.replace("campaign ", f"{program} ", 1) if "| " not in line else line.replace("| campaign", f"| {program}")
    )
    return subprocess.run(
        typed, shell=True, cwd=shell.folder, env={**shell.environment(), "PYTHONPATH": str(ROOT)},
        capture_output=True, timeout=60, check=False,
    ).returncode  # fmt: skip


@pytest.mark.parametrize("name", ELSEWHERE)
def test_those_that_are_tried_elsewhere_have_examples_too(name: str) -> None:
    assert dict(examples())[name]


@pytest.mark.parametrize("rules", SYSTEMS)
def test_the_first_evening_is_done_on_the_shell(rules: str, new_shell: Shell) -> None:
    """So every example of a verb is, each is a line of it; and what is advised on the way can be done."""
    for path in data_folder(rules).glob("template-*.toml"):
        copy(path, new_shell.folder)
    assert new_shell.run("new", "Friday", "--rules", rules).code == 0
    for line in lines_of(evening_of(rules)):
        result = new_shell.run(*shlex.split(line))
        assert result.code == 0, (line, result)
        none_that_is_refused(new_shell, result)


@pytest.mark.parametrize("words", [("osr", "damage"), ("damage",), ("d",)])
def test_the_help_of_a_verb_quotes_the_evening(words: tuple[str, ...], shell: Shell) -> None:
    helped = shell.run(*words, "--help").ok().out
    assert "Examples:\n  campaign d brog 4 a ghoul\n  campaign damage brog 12 the wight\n" in helped
