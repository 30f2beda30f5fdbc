"""What `--help` says: a command is told by the docstring of its file, in the list by the first line of it."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import cli.commands
import data
from cli.line.grammar import grammar_of
from cli.line.verbs import Verb
from cli.shell.catalogue import COMMANDS, chapter_of, declared_by, help_of
from cli.shell.declaration import LineDeclaration
from cli.shell.verbs import verb
from domain.common import ACTIONS as COMMON
from domain.registry import SYSTEMS, system_of, verb_name
from domain.system.field_schema import fields_of
from domain.turn import Action
from tests.kit.shell import Shell

FILES = {path.stem: path.stem.rstrip("_").replace("_", "-") for path in Path(cli.commands.__path__[0]).glob("[!_]*.py")}


@pytest.fixture
def shell(new_shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("COLUMNS", "100")
    return new_shell


def one_line(module: ModuleType) -> str:
    """The docstring of a module, on one line."""
    return " ".join((inspect.getdoc(module) or "").split())


def test_every_file_is_a_command_and_every_command_a_file() -> None:
    unlisted = sorted(set(FILES.values()) - set(COMMANDS))
    assert not unlisted, f"list these under a heading in cli/shell/catalogue.py: {unlisted}"
    gone = sorted(set(COMMANDS) - set(FILES.values()))
    twice = sorted({name for name in COMMANDS if COMMANDS.count(name) > 1})
    assert not twice, f"cli/shell/catalogue.py lists these under two headings: {twice}"
    assert not gone, f"cli/shell/catalogue.py lists these, which have no file in cli/commands: {gone}"


@pytest.mark.parametrize("file", FILES)
def test_all_of_a_docstring_reaches_the_help(file: str, shell: Shell) -> None:
    help_ = " ".join(shell.run(FILES[file], "--help").ok().out.split())
    text = one_line(import_module(f"cli.commands.{file}"))
    assert text
    assert help_.startswith(f"Usage: campaign {FILES[file]} [OPTIONS]")
    assert f" {text} " in help_


@pytest.mark.parametrize("file", FILES)
def test_a_command_is_told_once(file: str) -> None:
    module = import_module(f"cli.commands.{file}")
    declared = getattr(module, "COMMANDS", {file: getattr(module, file, None)})
    for value in declared.values():
        if isinstance(value, LineDeclaration):
            assert (value.help == module.__doc__) == (not hasattr(module, "COMMANDS"))
        else:
            assert callable(value)
            assert (value.__doc__ is None) == (not hasattr(module, "COMMANDS"))


ALSO_COMMANDS = [kind for kind in COMMON if kind.has_verb and verb_name(kind).split()[0] in COMMANDS]


@pytest.mark.parametrize("kind", ALSO_COMMANDS, ids=verb_name)
def test_a_command_that_is_a_verb_is_declared_as_a_line_alone(kind: type[Action]) -> None:
    """Its words are read by the reader of every line; no second declaration says what it takes."""
    found = declared_by(verb_name(kind).split())
    assert found is not None and isinstance(found[0], LineDeclaration), f"declare {verb_name(kind)} as a line"


def test_the_list_holds_the_first_line_of_each_on_one_line(shell: Shell) -> None:
    listed = shell.run("--help").ok().out.splitlines()
    for file, name in FILES.items():
        first = (inspect.getdoc(import_module(f"cli.commands.{file}")) or "").partition("\n")[0]
        assert first.endswith(".")
        assert f"  {name:<11}  {first}" in listed
        assert len(first) < 60, f"{name}: say it in fewer than 60 characters"
    assert all(any(line.startswith(f"  {name} ") for line in listed) for name in SYSTEMS)


@pytest.mark.parametrize("key", SYSTEMS)
def test_the_help_of_a_verb_begins_with_one_short_sentence(key: str) -> None:
    for kind in (*COMMON, *system_of(key).actions):
        first = (inspect.getdoc(kind) or "").partition("\n")[0]
        assert first.endswith("."), f"{kind.__name__}: the first line of its docstring is one sentence"
        assert len(first) < 60, f"{kind.__name__}: say it in fewer than 60 characters, and the rest below an empty line"


def test_what_many_commands_take_is_declared_once() -> None:
    declared: dict[tuple[tuple[str, ...], str | None], set[int]] = {}
    for file in FILES:
        module = import_module(f"cli.commands.{file}")
        for one in getattr(module, "COMMANDS", {file: getattr(module, file, None)}).values():
            taken = one.options if isinstance(one, LineDeclaration) else inspect.signature(one).parameters.values()
            for (spec,) in (each.annotation.__metadata__ for each in taken):
                spelt = (spec.default, *(spec.param_decls or ()))
                declared.setdefault((spelt, spec.help), set()).add(id(spec))
    assert (("--at",), "Read at a point: T4, S2, @-3, a date.") in declared
    twice = [what for what, places in declared.items() if len(places) > 1]
    assert not twice, f"declare each of them once, in cli/shell/options.py: {twice}"


@pytest.mark.parametrize("group", ["session", "views"])
def test_a_command_of_a_group_is_told_where_it_is_declared(group: str, shell: Shell) -> None:
    listed = shell.run(group, "--help").ok().out
    for name, declared in import_module(f"cli.commands.{group}").COMMANDS.items():
        first = help_of(declared).partition("\n")[0]
        assert any(line.split(maxsplit=1) == [name, first] for line in listed.splitlines())
        assert first in " ".join(shell.run(group, name, "--help").ok().out.split())


def test_listing_the_commands_imports_none_of_them(shell: Shell) -> None:
    _, modules = shell.importing("--help")
    assert "cli.shell.catalogue" in modules
    imported = sorted(name for name in modules if name.startswith("cli.commands."))
    assert not imported, f"`campaign --help` must not import these; its words are in cli/shell/catalogue.py: {imported}"


def test_commands_stand_under_what_one_wants_of_them(shell: Shell) -> None:
    listed = shell.run("--help").ok().out
    headings = ["At the table", "Look back", "Correct", "Rules", "Keep and share", "For programs and servers"]
    assert [listed.index(f"\n{heading}:\n") for heading in headings] == sorted(
        listed.index(f"\n{heading}:\n") for heading in headings
    )


def test_a_command_names_its_chapter_of_the_manual(shell: Shell) -> None:
    chapters = {path.stem for path in (Path(data.__path__[0]) / "manual").glob("*.md")}
    for name in COMMANDS:
        assert chapter_of(name) in chapters, f"cli/shell/catalogue.py names no chapter of the manual for {name}"
        assert f"Manual: campaign manual {chapter_of(name)}" in shell.run(name, "--help").ok().out, name
    assert "Manual: campaign manual line" in shell.run("osr", "damage", "--help").ok().out


@pytest.mark.parametrize("rules", SYSTEMS)
def test_no_verb_lists_an_option_twice(rules: str) -> None:
    for kind in (*system_of(rules).actions, *COMMON):
        spelt = [name for option in verb(rules, kind).params for name in (*option.opts, *option.secondary_opts)]
        options = [name for name in spelt if name[:2] == "--"]
        assert len(options) == len(set(options)), (kind.__name__, sorted(options))


@pytest.mark.parametrize("rules", SYSTEMS)
def test_the_help_of_a_verb_says_each_thing_once(rules: str, shell: Shell) -> None:
    """An argument that can also be named is no option beside itself, and no example stands there twice."""
    for kind in (action for action in system_of(rules).actions if action.has_verb):
        help_ = shell.run(rules, verb_name(kind), "--help").ok().out
        examples = [line for line in help_.splitlines() if line.startswith("  campaign ")]
        assert len(examples) == len(set(examples)), help_
        arguments = re.findall(r"(?m)^  \[?([A-Z_]+)\]?(?:\.\.\.)?  ", help_.partition("Arguments:")[2])
        options = re.findall(r"(?m)^  --([a-z-]+)", help_)
        twice = {argument.lower().replace("_", "-") for argument in arguments} & set(options)
        assert not twice, f"the help of {rules} {verb_name(kind)} lists these as arguments and as options: {twice}"


def test_a_verb_shows_where_its_words_stand_and_what_a_choice_can_be(shell: Shell) -> None:
    assert (
        "Usage: campaign osr damage [OPTIONS] CHARACTER AMOUNT [SOURCE]\n" in shell.run("osr", "damage", "--help").out
    )
    perform = shell.run("gloomhaven", "perform", "--help").ok().out
    assert "  HALF       Which half: top or bottom.\n" in perform
    assert "  You can also name an argument: --card N|NAME\n" in perform


def test_the_help_of_a_rule_system_shows_the_short_names(shell: Shell) -> None:
    listed = shell.run("osr", "--help").ok().out
    assert "  damage (d) " in listed and "  short-rest (rest) " in listed


def test_the_verbs_of_every_campaign_stand_at_the_table(shell: Shell) -> None:
    at_the_table = shell.run("--help").ok().out.partition("At the table:")[2].partition("Look back:")[0]
    assert all(f"\n  {verb} " in at_the_table for verb in ("track", "absent", "retire"))


@pytest.mark.parametrize("key", SYSTEMS)
def test_the_arguments_are_what_has_to_be_said_in_the_order_in_which_a_line_is_read(key: str) -> None:
    for action in (*COMMON, *system_of(key).actions):
        if not action.has_verb:
            continue
        shown = [str(taken.name) for taken in verb(key, action).params if taken.param_type_name == "argument"]
        said = [field for field in fields_of(action) if field.required and field.kind.shape != "flag"]
        assert {f"given_{field.name}" for field in said} <= {*shown}, action
        grammar = grammar_of(Verb(verb_name(action), action))
        read = [f"given_{field.name}" for field in (grammar.who, *grammar.order, grammar.words) if field is not None]
        assert [name for name in read if name in shown] == [name for name in shown if name in read], action


def test_a_line_in_the_order_of_the_help_is_read(shell: Shell) -> None:
    shell.run("new", "Mill", "--rules", "deckahedron").ok()
    shell.run("enrol", "Wren", "strength", "2", "dexterity", "3", "intelligence", "2").ok()
    assert "CHARACTER HOURS WHAT" in shell.run("deckahedron", "effort", "--help").ok().out
    assert "Wren spends 6 hours on reading" in shell.run("effort", "wren", "6", "reading").ok().out
