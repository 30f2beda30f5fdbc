"""Whatever is given to the program, it ends in one of its ways: a result, or a sentence and an exit code.

python -m tests.campaigns.fuzz --rounds 2000 --seed 7

Command lines, lines of `act`, exports, class files, damaged caches and damaged campaigns, each changed at random. What
is no foreseen end (a traceback, an exit code of nobody) is a failure; so is a cache that changes an answer, but for the
tables, which `verify` compares; and a log that does not verify at the end. The control is the same with a program that
foresees nothing: it has to fail often, or nothing was tried.
"""

import argparse
import json
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.shell import failures
from cli.shell.catalogue import COMMANDS
from cli.shell.parser import CommandGroup
from cli.shell.program import program
from cli.store.file import open_campaign
from domain.system.installed import SYSTEMS
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.gloomhaven.tables import TINKERER
from tests.kit.longer_runs import end
from tests.kit.recordings import recordings_in
from tests.kit.shell import ROOT, Result, Shell

#: What a command may end with.
CODES = {0, 1, 2, 3, 4, 5, 6}
#: Serves until it is stopped; plays out whole campaigns, again and again the same.
LEFT_OUT = {"explore", "serve", "demo"}
#: Turns that each table is begun with.
TURNS = 24

HOSTILE = (
    "", " ", "-", "--", "---", "=", "a=b=c", "=1", ",", ".", "..", "@", "@-3", "@-99999999999999999999", "T1", "T0",
    "T-1", "T99999999999999999999999", "T1..T3", "T3..T1", "..", "S1", "S0", "S99", "R1", "R99", "2026-01-31",
    "0000-00-00", "9999-12-31T23:59:59+23:59", "0001-01-01T00:00:00+23:59", "1", "-1", "0", "+3", "3,4", "1e400",
    "NaN", "Infinity", "9" * 30, "9" * 5000, "1_000", "０", "²", "null", "true", "[]", "{}", "[" * 3000, '{"a":' * 3000,
    '{"a":1,"a":2}', "\udcff", "\ud800", "\x00", "\x1b[31m", "\x1b]52;c;eA==\x07", "\u202e", "\ufeff", "\r", "a\nb",
    "Ж" * 300, "😀", "x" * 70_000, "'", '"', "'a", "\\", "%s", "{}", "{0}", "$HOME", "~", "*", "/dev/zero", "/dev/full",
    "/dev/null", "/nonexistent/x", "nowhere.campaign", "select 1", "select * from turns", "select randomblob(9e9)",
    "brog.hp < 3", "a.b.c.d = 1", "T4 amount=2", "hp=7", "all", "party", "6.4", "OSR 6.4", "GH 80", "DH 16", "text",
    "json", "ndjson", "csv", "md", "html",
)  # fmt: skip

#: Values that JSON can hold, fit for nothing.
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 2**53, 2**53 + 1, -(2**64), 10**400, "", " ", "x" * 5000, "\ud800", "\x1b[31m",
    "\x00", [], {}, [None], [[]], {"": ""}, ["a", "a"], [0] * 300, {"a": {"a": {"a": [1, "2", None]}}}, "T1", "S1",
    "nobody", "🙂",
)  # fmt: skip

READING = (
    ("status",), ("status", "--json"), ("log",), ("log", "-O", "ndjson"), ("log", "--grep", "a"),
    ("log", "--kind", "note"), ("show", "@"), ("show", "T2"), ("recap",), ("stats",), ("rules",), ("diff", "T2..@"),
    ("replay", "--fast"), ("query", "select turn, sentence, standing, folded from turns"),
    ("query", 'select * from "values"'), ("query", "select * from sheets"), ("query", "select * from rolls"),
    ("query", "select * from events"), ("query", "select rowid from turns_fts where turns_fts match 'the'"),
    ("export",), ("seal",), ("branch",),
)  # fmt: skip


#: The example that is played at a table of each rule system: by its name, so that one more changes none of them.
PLAYED = {"osr": "drowned-chapel", "deckahedron": "salt-road", "gloomhaven": "lamps-in-the-barrow"}


class Table:
    """A campaign of one rule system that strangers do things to, in a folder of its own."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, rules: str, chance: random.Random) -> None:
        self.chance, self.rules = chance, rules
        self.shell = Shell(folder, patch)
        self.path = self.shell.folder / "table.campaign"
        patch.setenv("CAMPAIGN", str(self.path))
        example = next(example for example in recordings_in(ROOT / "data", rules) if example.name == PLAYED[rules])
        self.lines = [json.loads(line) for line in example.file("actions.ndjson").splitlines()][:TURNS]
        self.shell.run("new", "Table", "--rules", rules, "--file", str(self.path)).ok()
        assert self.shell.act(*self.lines).code == 0
        self.words = [*HOSTILE, *self._fit()]
        self.commands = list(_commands(program()))
        self.whole = self.path.read_bytes()

    def _fit(self) -> list[str]:
        """Words that mean something at this table: as many as the others."""
        values = [str(value) for line in self.lines for value in line.values() if isinstance(value, str | int)]
        names = [line["character"] for line in self.lines if isinstance(line.get("character"), str)]
        fields = [
            f"{name}.{field} {rest}".strip()
            for name in names[:3]
            for field in (
                "hp",
                "fatigue",
                "cards",
                "cards.1",
                "hand",
                "attributes.strength",
                "wounds",
                "conditions",
                "x",
            )
            for rest in ("", "< 3", "= 'discard'", "contains poison", "= none", "> brog.hp")
        ]
        return [self.chance.choice((*values, *fields)) for _ in HOSTILE]

    def word(self) -> str:
        """Some word, now and then with a sign changed."""
        word: str = self.chance.choice(self.words)
        if self.chance.random() < 0.2:
            at = self.chance.randrange(len(word) + 1)
            word = word[:at] + chr(self.chance.choice((0, 0x20, 0x2D, 0x3D, 0xDC80, 0x1F600, 0x202E))) + word[at:]
        return word

    # -- the ways: each gives what it tried, and what came of it

    def command_line(self) -> tuple[Any, Result]:
        """Some command with some of its options and words that nobody would give it."""
        path, options = self.chance.choice(self.commands)
        words = [*path]
        for _ in range(self.chance.choice((0, 1, 1, 2, 3))):
            option = self.chance.choice(options or ["--help"])
            words += [option] if self.chance.random() < 0.4 else [option, self.word()]
        words += [self.word() for _ in range(self.chance.choice((0, 0, 1, 1, 2, 3)))]
        # an operating system gives no word with a NUL to a program
        clean_words = [word.replace("\0", "") for word in words]
        return clean_words, self.shell.run(*clean_words, stdin="\n")

    def line(self) -> tuple[Any, Result]:
        """A line of `act`, changed somewhere."""
        text = self.changed_json(self.chance.choice(self.lines))
        options = self.chance.choice(((), ("--dry-run",), ("--together",), ("--keep-going",)))
        return text, self.shell.run("act", *options, stdin=text + b"\n")

    def export(self) -> tuple[Any, Result]:
        """An export, changed somewhere; what is taken has to be readable."""
        lines = self.shell.run("export").out.encode().splitlines()
        for _ in range(self.chance.choice((1, 1, 2))):
            at = self.chance.randrange(len(lines))
            match self.chance.randrange(4):
                case 0:
                    del lines[at]
                case 1:
                    lines.insert(at, self.chance.choice(lines))
                case _:
                    try:
                        lines[at] = self.changed_json(json.loads(lines[at]))
                    except ValueError:  # it was changed before
                        lines[at] = b"{"
            lines = lines or [b""]
        new = self.shell.folder / "imported" / "x.campaign"
        new.parent.mkdir(exist_ok=True)
        how = ["--unverified"] if self.chance.random() < 0.7 else []
        result = self.shell.run("import", "-", "--file", str(new), *how, stdin=b"\n".join(lines))
        if result.code == 0:
            for reading in self.chance.sample(READING, 4):
                exported = self.shell.run(*reading, *(() if reading[0] == "demo" else ("-c", str(new))))
                if exported.code not in (0, 1):
                    return (lines, reading), exported
        shutil.rmtree(new.parent)
        return lines, result

    def class_file(self) -> tuple[Any, Result]:
        """A class that is not built in, from a file that is not quite TOML, or not quite a class."""
        text = TINKERER.splitlines()
        for _ in range(self.chance.choice((1, 2, 3))):
            at = self.chance.randrange(len(text))
            name = text[at].partition("=")[0] or "a "
            value = self.chance.choice((*TOML, json.dumps(self.chance.choice(ODD))))
            text[at] = self.chance.choice((f"{name}= {value}", "", text[at] * 2, value, text[at][:-1]))
        content = self.flipped("\n".join(text).encode(errors="replace"), self.chance.choice((0, 0, 0, 1)))
        file = self.shell.folder / "class.toml"
        file.write_bytes(content)
        class_name = self.chance.choice(
            ("class.toml", "class.toml", "class.toml", "class.toml", "/dev/zero", ".", "/dev/null")
        )
        return (content, class_name), self.shell.run(
            "gloomhaven", "enrol", f"ada{self.chance.random()}", "tinkerer", "--class-file", class_name
        )

    def damaged_cache(self) -> tuple[Any, Result]:
        """Something of what lies in the cache and the state folder is damaged: the answer is the same, or about it."""
        reading = self.chance.choice(READING)
        homes = [self.shell.folder.parent / home for home in ("xdg_cache_home", "xdg_state_home")]
        for home in homes:
            shutil.rmtree(home, ignore_errors=True)
        before = self.shell.run(*reading)
        self.shell.do("status", "views path")
        files = [path for home in homes for path in home.rglob("*")]
        file = self.chance.choice(sorted(path for path in files if path.is_file()))
        content = file.read_bytes()
        match self.chance.randrange(6):
            case 0:
                file.write_bytes(content[: self.chance.randrange(len(content) + 1)])
            case 1:
                file.write_bytes(self.chance.randbytes(self.chance.randrange(200)))
            case _:
                file.write_bytes(self.flipped(content, self.chance.choice((1, 1, 1, 4, 40))))
        after = self.shell.run(*reading)
        attempt = (reading, file.name)
        if file.suffix != ".sqlite" and (after.code, after.out, after.err) != (before.code, before.out, before.err):
            raise AssertionError(f"{attempt} told otherwise: {str(after)[:600]} instead of {str(before)[:600]}")
        return attempt, after

    def damaged_campaign(self) -> tuple[Any, Result]:
        """Some bits of the campaign itself are flipped: whatever is told of it, it is told in a sentence."""
        file = self.shell.folder / "damaged" / "x.campaign"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(self.flipped(self.whole, self.chance.choice((1, 2, 8, 200))))
        writing = (
            ("note", "x"),
            ("undo", "--yes"),
            ("act",),
            ("branch", "b"),
            ("switch", "main"),
            ("backup", "damaged/copy"),
        )
        command = self.chance.choice(
            (*READING, ("doctor",), ("doctor", "--json"), ("verify",), ("verify", "--quick"), *writing)
        )
        result = self.shell.run(*command, "-c", str(file), stdin='{"type": "note", "text": "x"}\n')
        shutil.rmtree(file.parent)
        return command, result

    # -- changing

    def flipped(self, content: bytes, times: int) -> bytes:
        """With so many bits the other way round."""
        bytes_now = bytearray(content)
        for _ in range(times if bytes_now else 0):
            bytes_now[self.chance.randrange(len(bytes_now))] ^= 1 << self.chance.randrange(8)
        return bytes(bytes_now)

    def changed_json(self, value: Any) -> bytes:
        """A value as JSON, with something in it changed."""
        value = json.loads(json.dumps(value))
        for _ in range(self.chance.choice((1, 1, 2))):
            self._change(value)
        text = json.dumps(value, ensure_ascii=self.chance.random() < 0.5).encode("utf-8", "surrogatepass")
        text = text.replace(b"Infinity", b"1e400")
        match self.chance.randrange(12):
            case 0:
                return self.flipped(text, 1)
            case 1:
                return text[: self.chance.randrange(len(text) + 1)]
            case 2:
                return self.chance.choice(
                    (b"[" * 20_000, b'{"type":' * 5000, b"\xff\xfe", b"NaN", b"[]", b'"a"', b"1" * 9000)
                )
        return text

    def _change(self, value: Any) -> None:
        while isinstance(value, dict | list) and value:
            keys = list(value) if isinstance(value, dict) else list(range(len(value)))
            key = self.chance.choice(keys)
            if isinstance(value[key], dict | list) and value[key] and self.chance.random() < 0.6:
                value = value[key]
                continue
            match self.chance.randrange(5):
                case 0:
                    del value[key]
                case 1 if isinstance(value, dict):
                    value[self.chance.choice((*value, "by", "at", "id", "after", "cites", "type", "\ud800", "x"))] = (
                        self.odd()
                    )
                case _:
                    value[key] = self.odd()
            return

    def odd(self) -> Any:
        """A value that is seldom fit."""
        return json.loads(json.dumps(self.chance.choice(ODD)))


#: What TOML can hold and JSON cannot, and what is too much of it.
TOML = (
    "1979-05-27", "1979-05-27T07:32:00Z", "07:32:00", "nan", "-inf", "1e400", "9" * 30, "9" * 5000, "[" * 20_000,
    "{a = " * 2000, '"\\ud800"', '"""', "[[", "[[cards]]", "[cards]", "a.b.c = 1", "[1979-05-27]", "{ a = 07:32:00 }",
    "0x" + "f" * 30,
)  # fmt: skip


def _commands(group: CommandGroup, before: Sequence[str] = ()) -> list[tuple[tuple[str, ...], list[str]]]:
    """Every command with its words and its options."""
    commands = []
    names = [*COMMANDS, *SYSTEMS] if not before else group.list_commands(None)
    for name in names:
        command = group.get_command(None, name)
        if name in LEFT_OUT or command is None:
            continue
        if isinstance(command, CommandGroup):
            commands += _commands(command, (*before, name))
        else:
            commands.append(
                (
                    (*before, name),
                    [option for spelling in command.params for option in spelling.opts if option[:1] == "-"],
                )
            )
    return commands


WAYS: dict[str, Callable[[Table], tuple[Any, Result]]] = {
    "command lines": Table.command_line,
    "lines of act": Table.line,
    "exports": Table.export,
    "class files": Table.class_file,
    "damaged caches": Table.damaged_cache,
    "damaged campaigns": Table.damaged_campaign,
}


def tried(table: Table, way: str) -> str | None:
    """Try something in this way; what is wrong with how it ended, None if nothing is."""
    try:
        attempt, result = WAYS[way](table)
    except Exception as error:  # whatever comes out of the program is what is looked for
        frames = error.__traceback__
        while frames is not None and frames.tb_next is not None:
            frames = frames.tb_next
        where = f"{frames.tb_frame.f_code.co_filename}:{frames.tb_lineno}" if frames else ""
        return f"{type(error).__name__}: {str(error)[:1500]} ({where})"
    if result.code not in CODES:
        return f"exit {result.code} of {str(attempt)[:300]}"
    if result.code == 0 or way == "damaged campaigns" or result.err or result.out:
        return None
    return f"exit {result.code} without a word, of {str(attempt)[:300]}"


def run(ways: Sequence[str], rounds: int, seed: int, rules: Sequence[str]) -> tuple[Counter[str], list[str]]:
    """So many of each way; how many there were, and what went wrong."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for system in rules:
        with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
            chance = random.Random(f"{seed} {system}")
            table = Table(Path(name), patch, system, chance)
            for _ in range(rounds):
                for way in ways:
                    if way == "class files" and system != "gloomhaven":
                        continue
                    count[way] += 1
                    # a stream of its own for each: what is added elsewhere changes none of the others
                    table.chance = random.Random(f"{seed} {system} {way} {count[way]}")
                    if (answer := tried(table, way)) is not None:
                        wrong.append(f"{system}, {way} {count[way]}: {answer}")
            with open_campaign(table.path) as log:
                from cli.store.checking import findings_in

                wrong += [f"{system}: {finding.sentence}" for finding in findings_in(log) if finding.kind == "damage"]
    return count, wrong


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", choices=list(WAYS), action="append")
    parser.add_argument("--rules", choices=SYSTEMS, action="append")
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    ways, rules = options.only or list(WAYS), options.rules or list(SYSTEMS)
    count, wrong = run(ways, options.rounds, seed, rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(failures, "explain", foresees_nothing)
        _, control = run(ways, max(2, options.rounds // 20), seed, rules)
    print(f"seed {seed}: {count.total()} tried, {len(wrong)} wrong; control: {len(control)} where nothing is foreseen")
    for way, times in count.items():
        print(f"  {way:<20} {times:6}")
    end(wrong, is_able_to_fail=bool(control))


def foresees_nothing(error: Exception) -> int:
    raise error


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
