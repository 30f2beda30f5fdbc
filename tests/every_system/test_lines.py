"""Every action can be written as a line of the table and is understood as itself; no line at all is a fault."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from cli.line.errors import LineError
from cli.line.guiding import guide
from cli.line.spelling import GAP, line_of, line_with_gaps
from cli.line.understanding import understand
from cli.line.verbs import verbs_of
from cli.line.words import line_of_arguments, tokenize
from cli.terminal.spelling import command_line_of as command_line
from domain.choice import Choice
from domain.common.revisions import Amend, Redo
from domain.log.deciding import names_in, with_names
from domain.refusal import Invalid, Refusal, Unknown
from domain.registry import action_from, action_kinds, system_of
from domain.system.field_schema import fields_of
from domain.turn import Action

from ..kit.given import Given
from ..kit.lines import context
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import Chances, fresh, line, open_table, revising_line

TABLES, TRIES, LINES = 6, 25, 80
#: So many tables are played at most until something rare was met: one more verb thins out all others.
MOST_TABLES = 48
#: What lines are made of besides verbs, names and fields.
SCRAPS = (
    "4", "545", "-3", "2+1", "5,4", "T2", "T99", "@", "@-1", "@-99", "all", "party", "a", "ghoul", "=", "==", "x=1",
    "=3", "--", "--x", "not", "no", "yes", '"', '"a b"', "“", "'", ",", "brog,", "rolled=brog=5", "set={", "{}", "[]",
    "hp=[", "\u202e", "9" * 30, "é", "?",
)  # fmt: skip


def as_taken(table: Given, asked: Mapping[str, Any]) -> Action:
    """An action as `act` takes it, with its names as enrolled and nothing in it that says nothing."""
    action = with_names(table.line(asked), table.handler.state())
    if isinstance(action, Amend):
        action = replace(action, action=msgspec.to_builtins(as_taken(table, action.action)))
    return action


def test_every_action_is_written_as_a_line_and_understood_as_itself(subject: Subject) -> None:
    """Whatever is asked for at random tables, legal or not; what names nobody at the table has no line."""
    written = set()
    for seed in range(TABLES):
        chance = Chances(seed)
        table = open_table(chance, subject)
        for _ in range(TRIES):
            asked = (revising_line if chance.random() < 0.2 else line)(chance, subject, table)
            try:
                action = as_taken(table, asked)
            except (Refusal, Invalid):
                continue
            inner = action_kinds(subject.key)[action.action["type"]] if isinstance(action, Amend) else type(action)
            if not inner.has_verb:  # taken in JSON, and typed as something else
                table.when(asked)
                continue
            short_form = line_of(context(table), action)
            try:
                meant = understand(tokenize(short_form), context(table)).actions
            except Refusal as refusal:
                if isinstance(action, Amend) and not _was_there(table, action):
                    assert isinstance(refusal, Unknown), short_form  # nor has a line what nobody could do then
                elif isinstance(action, Redo):  # in JSON it means the latest undo, whatever was recorded since
                    assert action == Redo(conflicts=action.conflicts), short_form
                    assert "say which undo" in refusal.reason, short_form
                else:
                    assert isinstance(action, Amend) and "says that already" in refusal.reason, short_form
                continue
            except LineError as two:  # whom a list does not hold is added by a turn of its own
                assert isinstance(action, Amend) and " new " in short_form and "turns in its place" in two.reason, (
                    short_form
                )
                continue
            # whom a list does not hold is never made by naming them: the line adds them first
            assert meant[-1:] == (action,) and _only_add(meant[:-1], action), short_form
            written.add(type(action))
            table.when(asked)
    assert len(written) > len(system_of(subject.key).actions) / 2


def _was_there(table: Given, amendment: Amend) -> bool:
    """Whether all whom an amendment names were at the table when its turn was decided."""
    then = context(table).before(amendment.turn).state.characters
    return {*names_in(action_from(table.log.rules, amendment.action))} <= {*then}


def _only_add(actions: Sequence[Action], named: Action) -> bool:
    """Whether actions do nothing but add whom another one names."""
    adding = {field.added_by for field in fields_of(type(named)) if field.added_by is not None}
    return {msgspec.to_builtins(action)["type"] for action in actions} <= adding


def test_no_line_is_a_fault_and_none_goes_on_in_a_faulty_way(subject: Subject) -> None:
    """Scraps in any order: they mean something, or the grammar says why not; every way to go on is one.

    And whatever line the grammar advises can be read.
    """
    understood, advice = 0, 0
    for seed in range(TABLES):
        chance = Chances(seed)
        table = fresh(chance, subject)
        at = context(table)
        verbs = verbs_of(subject.key)
        names = list(at.state.characters) or ["nobody"]
        for _ in range(LINES):
            verb = chance.choice(verbs)
            fields = [field.key for field in fields_of(verb.kind)] or ["none"]
            scraps = (*SCRAPS, *names, chance.choice(names)[:2], chance.choice(fields), f"{chance.choice(fields)}=")
            begins = chance.choice(names) if not chance.randrange(10) else verb.name[chance.randrange(10) == 0 :]
            line = " ".join([begins, *(chance.choice(scraps) for _ in range(chance.randint(0, 5)))])
            found = guide(line, chance.randint(0, len(line)), at, ("why", "show"))
            assert all(way.text for way in found.candidates)
            try:
                understood += bool(understand(tokenize(line), at, ("why", "show")).actions)
            except (Refusal, Invalid) as error:
                assert error.reason.endswith((".", "?")), error.reason
                for nearest in error.nearest if isinstance(error, LineError) else ():
                    advice += bool(understand(nearest, at, ("why", "show")))
    assert understood > 8 * TABLES
    assert advice > TABLES / 2


def advised(table: Given) -> list[Choice]:
    """What the table is told to do next: by what is open, and by the last refusal."""
    system, state = table.system, table.handler.state()
    matters = [*system.pending_for_anyone(state), *system.pending_for_table(state)]
    ways = [way for matter in matters for way in matter.choices]
    return ways + list(table.error.choices if isinstance(table.error, Refusal) else ())


def test_what_is_advised_can_be_typed(subject: Subject) -> None:
    """At random tables: each way as the table spells it and as the shell does, whole or up to what it asks for."""
    typed_whole, own = 0, False
    for seed in range(MOST_TABLES):
        if seed >= TABLES and (typed_whole > TABLES or not own):
            break
        chance = Chances(seed)
        table = open_table(chance, subject)
        for _ in range(TRIES):
            table.when((revising_line if chance.random() < 0.1 else line)(chance, subject, table))
            for way in advised(table):
                at = context(table)
                begun_, on_shell = line_with_gaps(way.action, way.fields), shlex.split(command_line(way))
                assert on_shell[0] == "campaign"
                lines = [tokenize(begun_.partition(GAP)[0]), line_of_arguments(on_shell)]
                for typed_lines in lines if GAP not in begun_ and not way.asks else lines[:1]:
                    try:
                        meant = understand(typed_lines, at)
                    except LineError as error:
                        assert {*error.missing} & {*way.asks, *missing_of(way)}, typed_lines.text
                        continue
                    assert [type(action) for action in meant.actions] == [way.action], typed_lines.text
                    typed_whole += 1
                own = own or str(way.action.__struct_config__.tag).startswith(f"{subject.key}.")
    assert typed_whole > TABLES or not own, "a system may advise nothing; what it advises is told whole now and then"


def missing_of(way: Choice) -> set[str]:
    """The fields that must be said and that a way does not say."""
    return {field.key for field in fields_of(way.action) if field.required} - set(way.fields)


def test_what_is_proposed_can_be_typed(subject: Subject) -> None:
    """Lines made of nothing but what is proposed: many of them come to an action."""
    whole = 0
    for seed in range(TABLES):
        chance = Chances(seed)
        at = context(fresh(chance, subject))
        for _ in range(30):
            line = f"{chance.choice(verbs_of(subject.key)).name} "
            for _ in range(4):
                ways = [way for way in guide(line, len(line), at).candidates if not way.continues]
                line += f"{chance.choice(ways).as_word} " if ways else ""
            try:
                whole += len(understand(tokenize(line), at).actions) > 0
            except (Refusal, Invalid) as error:
                assert " may be " not in error.reason, f"{line}: {error}"
    assert whole > 3 * TABLES
