"""The file under an open program is renamed, moved, replaced, deleted, overwritten or unplugged: nothing is lost.

python -m tests.campaigns.moved --tries 10000 --seed 7

A library that is compiled here and loaded before the program's own does it just before the n-th call that is about the
campaign, and what was answered is listed by whoever reads the answers. Afterwards every answered line has to be in a
file that is whole: where the file went to, in the rescue copy beside it, or in the file that took its place if that is
what the program had opened. A file that took the place of one that was open is left as it was. The control is a program
that never looks whether its file is still there: it has to lose something.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from cli.shell.command_context import open_chosen
from cli.shell.failures import explain
from cli.store.checking import findings_in
from cli.store.failures import FAILING, Unopenable
from cli.store.file import open_campaign
from cli.store.stored_log import StoredLog
from domain.common.notes import Note
from domain.log.port import DamagedLog
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.failing_disk import FAILING as LIBRARY
from tests.campaigns.failing_disk import IMPATIENT
from tests.kit.longer_runs import compiled, end
from tests.kit.phones import served
from tests.kit.shell import Result
from tests.kit.warm import Warm

CAMPAIGN = "dc.campaign"
TEXTS = [f"Line {number} of the evening" for number in range(1, 5)]
#: Where a program finds what is typed into it.
TYPED = "TYPED"


class Mishap(NamedTuple):
    """What is done meanwhile: what, with which file, and to which."""

    what: str
    file: str
    to: str = ""

    @property
    def replacement(self) -> str | None:
        """The file that is at the campaign's place afterwards."""
        return self.file if self.to == CAMPAIGN else None


MISHAPS = {
    "renamed": Mishap("rename", CAMPAIGN, "k.campaign"),
    "moved": Mishap("rename", CAMPAIGN, "../elsewhere/dc.campaign"),
    "folder renamed": Mishap("rename", "../table", "../elsewhere/table"),
    "replaced by another": Mishap("rename", "other.campaign", CAMPAIGN),
    "replaced by an older": Mishap("rename", "older.campaign", CAMPAIGN),
    "deleted": Mishap("unlink", CAMPAIGN),
    "overwritten by another": Mishap("copy", "other.campaign", CAMPAIGN),
    "overwritten by an older": Mishap("copy", "older.campaign", CAMPAIGN),
    "emptied": Mishap("copy", "/dev/null", CAMPAIGN),
    "unplugged": Mishap("unmount", "../table"),
}


class Program(NamedTuple):
    """What is typed behind `campaign`, and into it."""

    words: tuple[str, ...]
    #: Most calls of the disk that it makes: where the last tries lie.
    calls: int
    typed: str = ""
    #: What is in the log once it has ended well, beside the lines that it answered.
    facts: tuple[str, ...] = ()


PROGRAMS = {
    "note": Program(("note", TEXTS[0], "-c", CAMPAIGN), 91),
    "act": Program(
        ("act", "-c", CAMPAIGN), 218, "".join(json.dumps({"type": "note", "text": text}) + "\n" for text in TEXTS)
    ),
    "play": Program(("play", "-c", CAMPAIGN), 239, "".join(f"note {text}\n" for text in TEXTS)),
    "serve": Program(("serve",), 260),
    "undo": Program(("undo", "--yes", "-c", CAMPAIGN), 107, facts=("undo",)),
    "session": Program(("session", "open", "-c", CAMPAIGN), 92, facts=("session.open",)),
    "branch": Program(("branch", "plan", "-c", CAMPAIGN), 75, facts=("branch plan",)),
    "join": Program(("join", "longer.campaign", "-c", CAMPAIGN), 97, facts=("Elsewhere",)),
    "backup": Program(("backup", "copy.campaign", "-c", CAMPAIGN), 37),
    "export": Program(("export", "-o", "out.ndjson", "-c", CAMPAIGN), 31),
}


def typed_into(main: Callable[[], None]) -> None:
    """Run the program with what is typed into it; for `serve` a table at which a phone taps."""
    if sys.argv[1:2] == ["serve"]:
        try:
            with open_chosen(CAMPAIGN, write=True) as (log, system), served(log, system) as table:
                phone = table.phone("referee")
                for text in TEXTS:
                    answer = phone.says(f"note {text}")
                    print(text if answer.status == 303 else answer.main, flush=True)
        except Exception as error:
            sys.exit(explain(error))
        return
    os.dup2(os.open(os.environ[TYPED], os.O_RDONLY), 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - the one before has been read from
    main()


FIRST = f"""
{IMPATIENT}
import cli.main, os
from tests.campaigns.moved import typed_into
main = cli.main.main
cli.main.main = lambda: typed_into(main) if {TYPED!r} in os.environ else main()
"""
#: The control.
CARELESS = """
from cli.store import file
file.is_at_its_path = lambda _: True
file.must_hold_what_was_answered = lambda *_: None
"""


class Wrong(Exception):
    """What is wrong with what was left."""


class Table:
    """A folder with a campaign, another one and a copy; and programs under which the file is moved."""

    def __init__(self, folder: Path, first: str = "") -> None:
        self.folder = folder
        self.program = Warm(folder, env={"LD_PRELOAD": str(compiled(LIBRARY, folder))}, first=f"{FIRST}\n{first}")
        self.whole, self.told = folder / "whole", folder / "told"

    def begin(self, turns: int) -> None:
        self.whole.mkdir()
        for name in (CAMPAIGN, "other.campaign"):
            for words in ("new", name[:2], "--rules", "osr", "--file", name), ("note", f"Of {name}.", "-c", name):
                assert self._run(self.whole, *words).code == 0
        for number in range(turns):
            assert self._run(self.whole, "note", f"{number} {'x' * 900}", "-c", CAMPAIGN).code == 0
        for name in "older.campaign", "longer.campaign":
            shutil.copy(self.whole / CAMPAIGN, self.whole / name)
        assert self._run(self.whole, "note", "Elsewhere", "-c", "longer.campaign").code == 0

    def _run(self, where: Path, *words: str, **env: str) -> Result:
        homes = {name: str(where.parent / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        return self.program.run(where, *words, **homes, **env)

    def tried(self, program: str, mishap: Mishap, at: int) -> tuple[bool, str | None]:
        """Whether the program got as far as that call, and what is wrong with what was left."""
        root = self.folder / "now"
        shutil.rmtree(root, ignore_errors=True)
        real = root / ("stick" if mishap.what == "unmount" else "table")
        shutil.copytree(self.whole, real)
        table = root / "table"
        (root / "elsewhere").mkdir()
        if mishap.what == "unmount":
            table.mkdir()
            subprocess.run(["mount", "--bind", real, table], check=True)
        words, _, typed, facts = PROGRAMS[program]
        (root / "typed").write_text(typed, "utf-8")
        self.told.unlink(missing_ok=True)
        try:
            result = self._run(
                table, *words, TYPED=str(root / "typed"),
                FAIL_KINDS="write sync open name read", FAIL_PATH=CAMPAIGN, FAIL_AT=str(at), FAIL_LASTING="0",
                FAIL_TOLD=str(self.told), MEANWHILE=mishap.what,
                MEANWHILE_FROM=_absolute(table, mishap.file), MEANWHILE_TO=_absolute(table, mishap.to),
            )  # fmt: skip
        finally:
            if mishap.what == "unmount":  # where the program did not get that far
                subprocess.run(["umount", "-l", table], capture_output=True, check=False)
        try:
            self._must_hold(root, mishap, facts, result)
        except Wrong as wrong:
            moment = self.told.read_text("utf-8").strip() if self.told.exists() else "too late"
            return self.told.exists(), f"before {moment}: {wrong}"
        return self.told.exists(), None

    def _must_hold(self, root: Path, mishap: Mishap, facts: tuple[str, ...], result: Result) -> None:
        told = f"exit {result.code}: {result.err.strip()[-500:]}"
        if "Traceback" in result.err or result.code not in (0, 1, 2, 3, 5, 6):
            raise Wrong(f"{told} {result.err[:1500]}")
        answered = [text for text in TEXTS if any(text in line for line in result.out.splitlines())]
        # what is overwritten in place at the very end of a command is overwritten after it
        answered += facts if result.code == 0 and mishap.what != "copy" else ()
        files = [path for path in sorted(root.rglob("*")) if path.suffix == ".campaign" or "-rescued" in path.name]
        held = {path: _texts_in(path) for path in files}
        for path, texts in held.items():
            # what is overwritten while it is read or written is damaged, and so is a copy of it, which is said
            if texts is None and not (mishap.what == "copy" and (path.name == CAMPAIGN or result.code == 5)):
                raise Wrong(f"{told}; {path.name} is damaged")
        if lost := [text for text in answered if not any(text in (texts or ()) for texts in held.values())]:
            raise Wrong(f"{told}; lost: {lost} of {answered}")
        place = root / "table" / CAMPAIGN
        is_its_own = set(answered) <= set(held.get(place) or ())  # opened by the program after it took the place
        if mishap.what == "rename" and mishap.replacement and not is_its_own:
            replacement = self.whole / mishap.replacement
            if place.exists() and place.read_bytes() != replacement.read_bytes():
                raise Wrong(f"{told}; something was written into the file that took its place")
        if any("rescued" in path.name for path in files) and "rescued" not in result.err + result.out:
            raise Wrong(f"{told} {result.out[-900:]}; nothing is said of the rescue copy")
        # a lock that nobody holds is taken over; it may have gone with its folder, and a journal with it
        side_files = {path.name for path in root.rglob(f"{CAMPAIGN}-*")}
        if left := side_files - {f"{CAMPAIGN}-lock", f"{CAMPAIGN}-journal.of-another-file"}:
            raise Wrong(f"{told}; left: {left}")
        if (
            mishap.what not in ("copy", "unmount") and FAILING in result.err + result.out
        ) or "is busy" in result.err + result.out:
            raise Wrong(f"{told} {result.out[-500:]}; that is not the reason")


def _absolute(folder: Path, name: str) -> str:
    return os.path.normpath(folder / name) if name else ""


def _texts_in(path: Path) -> list[str] | None:
    """What is in a campaign, or in lines that were rescued: texts, or tags; and branches. None if it is not whole."""
    if path.suffix == ".ndjson":
        actions = [json.loads(line)["action"] for line in path.read_text("utf-8").splitlines()]
        return [action.get("text") or action["type"] for action in actions]
    with suppress(Unopenable, DamagedLog), open_campaign(path) as log:
        if not [finding for finding in findings_in(log, quick=True) if finding.kind == "damage"]:
            actions = [turn.action for _, line in log.lines() if isinstance(line, StoredLog) for turn in line.read()]
            said = [
                action.text if isinstance(action, Note) else str(action.__struct_config__.tag) for action in actions
            ]
            return [*said, *(f"branch {branch.name}" for branch in log.branches())]
    return None


def run(tries: int, seed: int, mishaps: Sequence[str], turns: int, first: str = "") -> tuple[Counter[str], list[str]]:
    """So many tries: how often each was done to an open program in time, and what went wrong."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        table = Table(Path(name), first)
        with table.program:
            table.begin(turns)
            for number in range(tries):
                mishap = mishaps[number % len(mishaps)]
                program = chance.choice(list(PROGRAMS))
                at = chance.randint(1, PROGRAMS[program].calls)
                done, fault = table.tried(program, MISHAPS[mishap], at)
                count[f"{mishap} under {program}"] += done
                if fault is not None:
                    wrong.append(f"{number}: {mishap} under {program} at {at}: {fault}")
    return count, wrong


def may_unplug() -> bool:
    """Whether a folder can be mounted, and taken away, here."""
    with tempfile.TemporaryDirectory() as name:
        mounted = subprocess.run(["mount", "--bind", name, name], capture_output=True, check=False).returncode == 0
        if mounted:
            subprocess.run(["umount", name], check=True)
        return mounted


def possible() -> list[str]:
    """What can be done to a file on this machine."""
    return [name for name, mishap in MISHAPS.items() if mishap.what != "unmount" or may_unplug()]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--turns", type=int, default=40, help="how long the campaign is")
    parser.add_argument("--only", choices=list(MISHAPS), action="append")
    options = parser.parse_args(arguments)
    if shutil.which("cc") is None or not sys.platform.startswith("linux"):
        print("There is no compiler here, so nothing can be done at a call; nothing was tried.")
        return
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    mishaps = options.only or possible()
    count, wrong = run(options.tries, seed, mishaps, options.turns)
    _, control = run(max(40, options.tries // 20), seed, mishaps, options.turns, CARELESS)
    print(f"seed {seed}: {options.tries} tries, {count.total()} in time, {len(wrong)} lost something;"
          f" control: a program that does not look lost something in {len(control)}")  # fmt: skip
    for name, times in sorted(count.items()):
        print(f"  {name:<36} {times:6}")
    end(wrong, is_able_to_fail=bool(control))


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
