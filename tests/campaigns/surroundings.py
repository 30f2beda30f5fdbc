"""Commands among what a system allows: odd names, zones, clocks, links, limits, rights, streams, signals, full disks.

python -m tests.campaigns.surroundings --tries 10000 --seed 7

Each try lays one or two of these around a campaign and types two commands, each in a process of its own. A traceback
is a failure; an exit code of nobody; an error without a word, or with a reason that is not the one; a turn that is not
there and was answered, or is there and was called not saved; anything left beside the campaign. The control is a
program that knows no reasons of the system: it has to give wrong ones.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from cli.store.failures import FAILING, Unopenable
from cli.store.file import open_campaign
from domain import times
from domain.common.notes import Note
from domain.log.port import DamagedLog
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.fuzz import CODES
from tests.kit.longer_runs import end
from tests.kit.warm import Warm

#: What lies around the process itself, told to it in this variable as JSON.
VARIABLE = "SURROUNDINGS"
#: Seconds after which a command hangs.
LONGEST = 60
#: Nobody else has it open, so nobody is waited for.
IMPATIENT = "from cli.store import connection; connection.LONGEST_WAIT = 0.05"
NOBODY = 65534
CAMPAIGN = "dc.campaign"
SIDES = ("-lock", "-journal", "-wal", "-shm")


class Place:
    """A campaign of four turns in a folder, and what the next commands are surrounded by."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.chance = chance
        self.root = root
        self.folder = root / "table"
        #: The campaign's file, and how it is typed.
        self.file, self.typed = self.folder / CAMPAIGN, CAMPAIGN
        self.env = {name: str(root / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        self.env |= {"TZ": "UTC", "CAMPAIGN": ""}
        self.process: dict[str, Any] = {}
        #: What was laid beside the campaign, which may stay there.
        self.laid: set[str] = set()
        #: What of it has to stay there.
        self.in_the_way: set[str] = set()

    def beside(self, side: str) -> Path:
        """Where SQLite and the lock have such a file, which from now on may stay there."""
        path = self.file.with_name(f"{self.file.name}{side}")
        self.laid.add(path.name)
        return path


#: What is laid around a campaign, and the words of which an error has to say one; None: nothing of it is an error.
Surrounding = Callable[[Place], tuple[str, ...] | None]

ODD_NAMES = (
    "a b", "-n", "n\udcff", "é", "e\u0301", "\u202egnp", "a\nb", "'", '"', "%41", "a?mode=ro", "#", "*", "~", "$HOME",
    "x" * 200, "Ж" * 100, "con", " ", "a.", ".hidden", "\\",
)  # fmt: skip


def odd_folder(place: Place) -> None:
    new = place.root / place.chance.choice(ODD_NAMES)
    place.folder = place.folder.rename(new)
    place.file = new / place.file.name


def odd_file(place: Place) -> None:
    name = f"{place.chance.choice(ODD_NAMES)}.campaign"
    place.file = place.file.rename(place.file.with_name(name))
    place.typed = f"./{name}"


def long_path(place: Place) -> tuple[str, ...]:
    new = place.folder
    while len(str(new)) < 600:
        new /= "f" * 100
    new.mkdir(parents=True)
    place.file = place.file.rename(new / place.file.name)
    place.typed = str(place.file.relative_to(place.folder))
    return ("path is longer", "too long")


def odd_zone(place: Place) -> None:
    place.env["TZ"] = place.chance.choice(
        ("AAA-25", "AAA+167:59:59", "", ":", "/nonexistent", "\x01", "Europe/Nowhere", "EST5EDT", "AAA-24:00:01BBB")
    )


def odd_clock(place: Place) -> None:
    place.process["clock"] = place.chance.choice((-1e18, -6.3e10, 0.0, 253402300800.0, 1e18))


def behind_a_link(place: Place) -> None:
    real = place.root / "elsewhere"
    real.mkdir()
    place.file = place.file.rename(real / place.file.name)
    (place.folder / CAMPAIGN).symlink_to(place.file)


def lost_link(place: Place) -> tuple[str, ...]:
    link = place.folder / "link.campaign"
    link.symlink_to(place.chance.choice(("nowhere", "link.campaign", "link.campaign/x", CAMPAIGN + "/x", "x" * 300)))
    place.typed = link.name
    return ("There is no file", "is not the name of a file", "too long", "cannot be opened")


def second_name(place: Place) -> tuple[str, ...]:
    (place.folder / "second.campaign").hardlink_to(place.file)
    return ("second name",)


def in_the_way(place: Place) -> tuple[str, ...]:
    side = place.chance.choice(SIDES)
    beside = place.beside(side)
    place.in_the_way.add(beside.name)
    match place.chance.randrange(4):
        case 0:
            beside.mkdir()
        case 1:
            beside.symlink_to("nowhere")
        case 2:
            beside.symlink_to(beside.name)
        case 3:
            os.mkfifo(beside)
    return (side,)


def foreign_beside(place: Place) -> tuple[str, ...]:
    side = place.chance.choice(SIDES)
    whole = place.file.read_bytes()
    if not os.path.lexists(place.beside(side)):
        place.beside(side).write_bytes(place.chance.choice((b"", b"\0" * 512, b"Dear diary\n", whole[:5000], whole)))
    place.laid.add(f"{place.file.name}-journal.of-another-file")
    return (side,)


def homes_in_the_way(place: Place) -> tuple[str, ...]:
    name = place.chance.choice(("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"))
    home = Path(place.env[name])
    shutil.rmtree(home, ignore_errors=True)
    match place.chance.randrange(5):
        case 0:
            home.write_bytes(b"")
        case 1:
            home.symlink_to("nowhere")
        case 2:
            home.symlink_to(home.name)
        case 3:
            place.env[name] = place.chance.choice(("", "relative", "/dev/null", "/proc", "\udcff", "x" * 5000))
        case 4:
            home.mkdir()
            (home / "campaign-log").write_bytes(b"")
    return ("remember", "current", "state", "folder", "kept", "view")


def few_files(place: Place) -> tuple[str, ...]:
    place.process["NOFILE"] = place.chance.randrange(4, 24)
    return ("no more files", "ulimit -n", "Too many open files")


def small_files(place: Place) -> tuple[str, ...]:
    place.process["FSIZE"] = place.chance.randrange(0, 60_000)
    return ("ulimit -f", "File too large", "grow so large")


def nobodys(place: Place) -> tuple[str, ...]:
    place.process["user"] = NOBODY
    match place.chance.randrange(4):
        case 0:
            place.file.chmod(0o600)
        case 1:
            place.file.chmod(0o644)
            place.folder.chmod(0o777)
        case 2:
            place.file.chmod(0o666)
            place.folder.chmod(0o755)
        case 3:
            place.folder.chmod(0o700)
    return ("write-protected", "not yours", "There is no", "Permission", "somebody else", "cannot be written")


def no_reader(place: Place) -> tuple[str, ...]:
    place.process["streams"] = [
        (number, place.chance.choice(("closed", "full", "broken")))
        for number in place.chance.choice(((1,), (2,), (1, 2), (0,), (0, 1, 2)))
    ]
    return ("the answer", "No space left", "Broken pipe", "Nothing was typed", "stdin")


def told_to_end(place: Place) -> tuple[str, ...]:
    number = place.chance.choice((signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE))
    place.process["signal"] = (place.chance.randrange(1, 400), int(number))
    return ("",)


def full_disk(place: Place) -> tuple[str, ...]:
    small = place.root / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", small], check=True)
    place.file = Path(shutil.move(place.file, small / CAMPAIGN))
    place.typed = str(place.file)
    ballast = small / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    os.truncate(ballast, max(0, ballast.stat().st_size - place.chance.choice((0, 4096, 12288, 65536, 80_000))))
    place.laid.add(ballast.name)
    return ("disk is full", "No space left")


def among_others(place: Place) -> None:
    for number, content in enumerate((b"", b"Dear diary\n", b"SQLite format 3\0", b"SQLite format 3\0" + bytes(500))):
        (place.folder / f"{number}.campaign").write_bytes(content)
    (place.folder / "folder.campaign").mkdir()
    (place.folder / "lost.campaign").symlink_to("nowhere")
    (place.folder / "loop.campaign").symlink_to("loop.campaign")
    os.mkfifo(place.folder / "pipe.campaign")


def gone_folder(place: Place) -> tuple[str, ...]:
    place.process["gone"] = True
    place.typed = str(place.file)
    return ("folder", "There is no")


SURROUNDINGS: dict[str, Surrounding] = {
    function.__name__.replace("_", " "): function
    for function in (
        odd_folder,
        odd_file,
        long_path,
        odd_zone,
        odd_clock,
        behind_a_link,
        lost_link,
        second_name,
        in_the_way,
        foreign_beside,
        homes_in_the_way,
        few_files,
        small_files,
        nobodys,
        no_reader,
        told_to_end,
        full_disk,
        among_others,
        gone_folder,
    )
}
#: Those that move the file, of which there is one in a try.
MOVING = {"odd folder", "odd file", "long path", "behind a link", "lost link", "gone folder", "full disk"}

#: What can be typed behind `campaign`; {text} is a text of its own.
WRITING = (
    ("note", "{text}"), ("note", "{text}", "--when", "yesterday"), ("note", "{text}", "--by", "Mia"),
    ("osr", "damage", "brog", "1"), ("undo", "--yes"), ("session", "open"), ("branch", "plan"), ("switch", "main"),
    ("new", "Mill", "--rules", "osr"), ("import", "dc.ndjson", "--file", "new.campaign"), ("use", "{file}"),
    ("backup", "copy.campaign"), ("export", "-o", "out.ndjson"), ("site", "-o", "site"), ("seal",), ("play",),
    ("adopt", "plan", "--yes"), ("join", "other.campaign"), ("amend", "T4", "text=fog", "--yes"),
)  # fmt: skip
READING = (
    ("status",), ("status", "--json"), ("log",), ("log", "-O", "ndjson"), ("show",), ("list",), ("doctor",),
    ("verify",), ("recap",), ("stats",), ("query", "select * from turns"), ("why", "brog.hp"), ("check-sheet", "brog"),
    ("rules",), ("views", "path"), ("diff", "T2..@"), ("branch",), ("status", "--at", "yesterday"), ("manual", "line"),
)  # fmt: skip
#: Those that take no -c.
OF_NO_CAMPAIGN = {"new", "import", "use", "list", "manual"}


def surrounded(main: Callable[[], None]) -> None:
    """Be surrounded as the variable says, and run the program."""
    how = json.loads(os.environ.pop(VARIABLE))
    signal.alarm(LONGEST)
    os.closerange(3, 256)  # of the process that it was forked from
    time.tzset()
    for number, kind in how.get("streams", ()):
        os.close(number)
        if kind == "full":
            os.open("/dev/full", os.O_WRONLY)
        elif kind == "broken":
            reading, writing = os.pipe()
            os.dup2(writing, number)
            for descriptor in {reading, writing} - {number}:
                os.close(descriptor)
        stream = ("stdin", "stdout", "stderr")[number]
        if kind == "closed":
            setattr(sys, stream, None)
        elif number:  # as Python opens it at the start of a process: it knows of a pipe that it cannot be sought in
            setattr(sys, stream, open(number, "w", encoding="utf-8", buffering=1, closefd=False))  # noqa: SIM115
    if "clock" in how:
        times.seconds_since_1970 = lambda: how["clock"]  # type: ignore[attr-defined]
    if "signal" in how:
        at, number = how["signal"]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        left = [at]

        def hook(*_: object) -> None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), number)

        sys.addaudithook(hook)
    if how.get("gone"):
        with tempfile.TemporaryDirectory() as gone:
            os.chdir(gone)
    for limit in ("NOFILE", "FSIZE"):
        if limit in how:
            import resource  # here, for Windows has none

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (how[limit], how[limit]))
    if "user" in how:
        os.setgroups(())
        os.setgid(how["user"])
        os.setuid(how["user"])
    main()


SURROUND = f"""
import cli.main, json, os
import dateutil.tz, sqlite_utils, zoneinfo  # which nobody may read from where they are installed, perhaps
from tests.campaigns.surroundings import surrounded
main = cli.main.main
cli.main.main = lambda: surrounded(main) if {VARIABLE!r} in os.environ else main()
"""
#: The control.
IGNORANT = "from cli.store import failures; failures.REASONS.clear()"


def _is_hot(path: Path) -> bool:
    """Whether this was left beside a campaign; whoever writes next takes a journal away that begins with zeros."""
    is_cold = path.name.endswith("-journal") and path.read_bytes()[:1] in (b"", b"\0")
    return path.name.endswith((*SIDES, ".being-made")) and not is_cold


class Wrong(Exception):
    """What is wrong with how a command ended."""


def texts_in(file: Path, copy: Path) -> list[str]:
    """The notes in a copy of the file alone. Raises Wrong for one that is not whole."""
    copy.write_bytes(file.read_bytes())
    try:
        with open_campaign(copy) as log:
            return [turn.action.text for turn in log.read() if isinstance(turn.action, Note)]
    except (Unopenable, DamagedLog) as error:
        raise Wrong(f"the file alone: {error}") from error
    finally:
        copy.unlink()


class Folder:
    """Where places are laid, and the program that is run in them."""

    def __init__(self, folder: Path, first: str = "") -> None:
        self.folder = folder
        folder.chmod(0o755)
        self.program = Warm(folder, first=f"{IMPATIENT}\n{SURROUND}\n{first}")
        self.whole = folder / "whole"

    def begin(self) -> None:
        self.whole.mkdir()
        for words in (
            "new Crypt --rules osr --file dc.campaign", "osr enrol brog --rolled 4", "osr damage brog 1", "note Fog.",
            "export -o dc.ndjson", "backup other.campaign", "note There. -c other.campaign",
        ):  # fmt: skip
            chosen = () if "-c" in words or words.startswith("new") else ("-c", CAMPAIGN)
            homes = {name: str(self.folder / "before") for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
            assert self.program.run(self.whole, *words.split(), *chosen, **homes).code == 0

    def tried(self, names: list[str], chance: random.Random) -> tuple[str, str | None]:
        """What was typed among these, and what is wrong with how it ended."""
        root = self.folder / "now"
        root.mkdir()
        place = Place(root, chance)
        shutil.copytree(self.whole, place.folder)
        for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            Path(place.env[name]).mkdir()
            Path(place.env[name]).chmod(0o777)
        reasons: list[str] | None = None
        tried = ""
        try:
            # the last ones take the rights and the room from those before
            for name in sorted(names, key=list(SURROUNDINGS).index):
                if (words := SURROUNDINGS[name](place)) is not None:
                    reasons = [*(reasons or ()), *words]
            for number in range(2):
                text = f"Text {number}."
                words = chance.choice(WRITING if chance.random() < 0.7 else READING)
                typed = [word.format(text=text, file=place.typed) for word in words]
                typed += [] if words[0] in OF_NO_CAMPAIGN else ["-c", place.typed]
                tried = f"{', '.join(names)}: {' '.join(typed)[:100]!r}"
                self._must_end_well(place, typed, text, reasons)
        except Wrong as error:
            return tried, str(error)
        finally:
            if (root / "small").exists():
                subprocess.run(["umount", root / "small"], check=True)
            shutil.rmtree(root)
        return tried, None

    def _must_end_well(self, place: Place, typed: list[str], text: str, reasons: list[str] | None) -> None:
        before = {path.name for path in place.file.parent.iterdir()}
        held_before = texts_in(place.file, self.folder / "copy.campaign")
        result = self.program.run(place.folder, *typed, **place.env, **{VARIABLE: json.dumps(place.process)})
        told = f"exit {result.code}: {result.err.strip()[-700:]}"
        ending = place.process.get("signal", (0, 0))[1]
        is_heard = all(number != 2 for number, _ in place.process.get("streams", ()))
        if "Traceback" in result.err or "Exception ignored" in result.err:
            raise Wrong(told)
        if result.code not in {*CODES, *({-ending, 130} if ending else ())}:
            raise Wrong(told)
        if result.code > 0 and result.code != 130 and is_heard and not result.err + result.out:
            raise Wrong(f"{told} without a word")
        if FAILING in result.err:
            raise Wrong(told)
        has_one_reason = is_heard and typed[0] in ("note", "osr", "status", "log", "show")
        if result.code in (2, 5, 6) and has_one_reason and not any(reason in result.err for reason in reasons or ()):
            raise Wrong(f"{told}; reasons would be {reasons}")
        held = texts_in(place.file, self.folder / "copy.campaign")
        if held[: len(held_before)] != held_before:
            raise Wrong(f"{told}; {held_before} before, {held} now")
        if typed[0] == "note":
            is_there, is_unknown = text in held, "may or may not be" in result.err
            if result.code == 0 and not is_there:
                raise Wrong(f"{told}; it is not there")
            if result.code > 0 and is_there and is_heard and not (is_unknown or "saved" in result.err or ending):
                raise Wrong(f"{told}; it is there")
        after = {path.name for path in place.file.parent.iterdir()}
        if taken := place.in_the_way & before - after:
            raise Wrong(f"{told}; taken away: {taken}")
        left = after - before - place.laid
        if (
            not ending
            and "may or may not be" not in result.err
            and (left := {name for name in left if _is_hot(place.file.with_name(name))})
        ):
            raise Wrong(f"{told}; left beside it: {left}")


def may_mount() -> bool:
    """Whether a small disk of our own may be mounted here."""
    with tempfile.TemporaryDirectory() as name:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "none", name], capture_output=True, check=False)
        if mounted.returncode == 0:
            subprocess.run(["umount", name], check=True)
        return mounted.returncode == 0


def possible() -> list[str]:
    """The surroundings that there can be on this machine."""
    impossible = set() if hasattr(os, "geteuid") and os.geteuid() == 0 else {"nobodys", "full disk"}
    return [name for name in SURROUNDINGS if name not in impossible | (set() if may_mount() else {"full disk"})]


def run(numbers: Sequence[int], seed: int, names: list[str], first: str = "") -> tuple[Counter[str], list[str]]:
    """Tries of these numbers: how many there were among each, and what went wrong."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(Path(name), first)
        with folder.program:
            folder.begin()
            for number in numbers:
                chance = random.Random(f"{seed} {number}")
                among = [names[number % len(names)]]
                if chance.random() < 0.3:
                    other = chance.choice(names)
                    among += [] if other in among or {other, among[0]} <= MOVING else [other]
                count.update(among)
                tried, fault = folder.tried(among, chance)
                wrong += [f"{number} {tried}: {fault}"] if fault else []
    return count, wrong


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--try", type=int, dest="one", help="only the one of this number")
    parser.add_argument("--only", choices=list(SURROUNDINGS), action="append")
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    names = options.only or possible()
    numbers = range(options.tries) if options.one is None else [options.one]
    count, wrong = run(numbers, seed, names)
    _, control = run(range(max(20, len(numbers) // 20)), seed, names, IGNORANT)
    print(
        f"seed {seed}: {len(numbers)} tries, {len(wrong)} wrong;"
        f" control: a program that knows no reasons is wrong in {len(control)}"
    )
    for name, times_tried in count.items():
        print(f"  {name:<20} {times_tried:6}")
    end(wrong, is_able_to_fail=bool(control))


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
