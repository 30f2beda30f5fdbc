"""Verbs are derived from actions: every shape of a field as words of a shell, and a new rule system has its verbs."""

import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from cli.line.context import Context
from cli.line.guiding import candidates_for
from cli.line.words import line_of_arguments
from cli.shell.command_context import handler_for, open_chosen
from cli.shell.words import option_of
from domain.registry import SYSTEMS, record_types, system_of
from domain.system.decision import Decision
from domain.system.field_schema import fields_of
from domain.system.rows import Row
from domain.system.rulesystem import RuleSystem
from domain.system.state import Options, Sheet, State, TableState
from domain.turn import Action, Event, Name, NewName, Sentence, Text, Whole
from tests.kit.shell import Shell

Ref = Annotated[int, Meta(ge=1)] | Annotated[str, Meta(min_length=1)]


class Enrol(Action, frozen=True, kw_only=True, tag="toy.enrol"):
    """Enrol somebody."""

    character: Annotated[NewName, Meta(description="the new character")]

    def decide(self, decision: "Deciding") -> None:
        decision.tell(Enrolled(self.character))


class TryEverything(Action, frozen=True, kw_only=True, tag="toy.try_everything"):
    """Try every shape of a field.

    This paragraph is only in the help of the verb.
    """

    character: Annotated[Name, Meta(description="who tries")]
    kind: Annotated[Literal["high", "low"], Meta(description="which way")]
    amount: Annotated[int, Meta(description="how much, below zero too")]
    sure: Annotated[bool, Meta(description="must be said")]
    words: Annotated[tuple[Text, ...] | None, Meta(description="some words")] = None
    numbers: Annotated[tuple[int, ...] | None, Meta(description="some numbers")] = None
    cards: Annotated[tuple[Ref, ...] | None, Meta(description="cards by number or name")] = None
    card: Annotated[Ref | None, Meta(description="one card")] = None
    step: Annotated[Literal[1, 2, 3] | None, Meta(description="one of three numbers")] = None
    friends: Annotated[tuple[Name, ...] | None, Meta(description="who helps")] = None
    rolled: Annotated[
        dict[Name, tuple[int, ...]] | None, Meta(description="dice of each", extra={"keyed_by": "character"})
    ] = None
    losses: Annotated[dict[Literal["wit", "nerve"], Whole] | None, Meta(description="points of each")] = None
    safe: Annotated[bool, Meta(description="on unless told")] = True
    loud: Annotated[bool, Meta(description="off unless told")] = False
    minutes: Annotated[Whole, Meta(description="how long")] = 10
    extra: Annotated[dict[str, Any] | None, Meta(description="a table of a file", extra={"file": "extra"})] = None
    in_: Annotated[Text | None, Meta(description="a field named like a word of Python")] = msgspec.field(
        name="in", default=None
    )

    def decide(self, decision: "Deciding") -> None:
        decision.tell(Tried(msgspec.to_builtins(self)))


class Gather(Action, frozen=True, kw_only=True, tag="toy.gather"):
    """Gather several."""

    characters: Annotated[tuple[Name, ...], Meta(description="who gathers")]
    place: Annotated[Text, Meta(description="where")]

    def decide(self, decision: "Deciding") -> None:
        decision.tell(Tried(msgspec.to_builtins(self)))


class Enrolled(Event, frozen=True, tag="toy.enrolled"):
    """Somebody came."""

    character: str

    def sentence(self) -> Sentence:
        return (f"{self.character} is here.",)

    def fold(self, state: "Game") -> None:
        state.characters[self.character] = ToySheet()


class Tried(Event, frozen=True, tag="toy.tried"):
    """Everything was tried."""

    what: dict[str, Any]

    def sentence(self) -> Sentence:
        return ("Tried.",)

    def fold(self, state: "Game") -> None:
        """It leaves nothing behind."""


class ToySheet(Sheet, frozen=True):
    luck: int = 0


class ToyTable(TableState, frozen=True):
    """Nothing."""


class ToyOptions(Options, frozen=True):
    """None."""


Deciding = Decision[ToySheet, ToyTable, ToyOptions]
Game = State[ToySheet, ToyTable, ToyOptions]


class Toy(RuleSystem):
    """Every shape that a field can have."""

    key, cite, version = "toy", "TOY", 1
    chapters = (sys.modules[__name__],)
    sheet, table, options = ToySheet, ToyTable, ToyOptions

    def to_view(self, state: Game, name: str) -> dict[str, Any]:
        return dict(msgspec.to_builtins(state.characters[name]))

    def rows(self, state: Game, name: str, view: dict[str, Any]) -> tuple[Row, ...]:  # noqa: ARG002
        return ()

    def audit(self, decision: Deciding, name: str, overridden: Mapping[str, Any]) -> None:
        """Anything goes."""

    def proposals(self, state: Game, action: type[Action], field: str, name: str | None) -> tuple[str, ...] | None:  # noqa: ARG002
        return ("Sword", "Shield") if field == "card" else None


TOY = ModuleType("domain.toy")
TOY.SYSTEM = Toy()  # type: ignore[attr-defined]


@pytest.fixture
def shell(new_shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A table under rules that only this test knows: one module and one line in the registry."""
    monkeypatch.setitem(SYSTEMS, "toy", "every shape that a field can have")
    monkeypatch.setitem(sys.modules, "domain.toy", TOY)
    new_shell.do("new Toys --rules toy --file toys.campaign", "toy enrol Ada", "toy enrol 'Big Bo'")
    yield new_shell
    system_of.cache_clear()
    record_types.cache_clear()


ASKED = {"type": "toy.try_everything", "character": "Ada", "kind": "high", "amount": 3, "sure": True}
START = ["Ada", "high", "3", "--sure"]
GIVEN: list[tuple[list[str], dict[str, Any]]] = [
    (START, {}),
    (["ADA", "low", "-3", "--no-sure"], {"kind": "low", "amount": -3, "sure": False}),
    (["--sure", "Ada", "--amount", "3", "high"], {}),
    (["Ada", "--kind", "high", "--amount=-7", "--sure"], {"amount": -7}),
    (["Ada", "high", "+3", "--sure"], {}),
    ([*START, "--words", "one,two words"], {"words": ["one", "two words"]}),
    ([*START, "--words", "one", "--words", "two"], {"words": ["one", "two"]}),
    ([*START, "--numbers", "1,-2, 3"], {"numbers": [1, -2, 3]}),
    ([*START, "--numbers", "-2"], {"numbers": [-2]}),
    ([*START, "--cards", "12,Iron Fist,7"], {"cards": [12, "Iron Fist", 7]}),
    ([*START, "--card", "12"], {"card": 12}),
    ([*START, "--card", "Iron Fist"], {"card": "Iron Fist"}),
    ([*START, "--step", "2"], {"step": 2}),
    ([*START, "--friends", "big bo,ada"], {"friends": ["Big Bo", "Ada"]}),
    ([*START, "--rolled", "3,4"], {"rolled": {"Ada": [3, 4]}}),
    ([*START, "--rolled", "Big Bo=3,4", "--rolled", "ada=1"], {"rolled": {"Big Bo": [3, 4], "Ada": [1]}}),
    ([*START, "--losses", "wit=2,nerve=1"], {"losses": {"wit": 2, "nerve": 1}}),
    ([*START, "--losses", "wit=2", "--losses", "nerve=1"], {"losses": {"wit": 2, "nerve": 1}}),
    ([*START, "--no-safe", "--loud"], {"safe": False, "loud": True}),
    ([*START, "--safe", "--no-loud"], {}),
    ([*START, "--minutes", "0"], {"minutes": 0}),
    ([*START, "--minutes", "10"], {}),
    ([*START, "--extra", "extra.toml"], {"extra": {"a": {"b": [1, 2]}}}),
    ([*START, "--in", "the dark"], {"in": "the dark"}),
    ([*START, "--in", "-x"], {"in": "-x"}),
]


def test_every_shape_of_a_field_reaches_the_log_as_json_would_hold_it(shell: Shell) -> None:
    (shell.folder / "extra.toml").write_text("[a]\nb = [1, 2]\n", "utf-8")
    for words, more in GIVEN:
        shell.run("toy", "try-everything", *words).ok()
        assert shell.turns()[-1]["action"] == ASKED | more, words


def test_a_list_of_names_takes_all_words_that_are_left(shell: Shell) -> None:
    shell.do("toy gather ada 'big bo' --place inn")
    assert shell.turns()[-1]["action"] == {"type": "toy.gather", "characters": ["Ada", "Big Bo"], "place": "inn"}


WRONG: list[tuple[list[str], str]] = [
    (
        [],
        "try-everything needs character: Ada or Big Bo; and kind: high or low; and amount: how much, below zero too;"
        " and sure: yes or no. Like: try-everything Ada high 1 yes.",
    ),
    (["Ada", "high", "3"], "try-everything needs sure: yes or no. Like: try-everything Ada high 3 yes."),
    (
        [*START, "more"],
        "'more' does not fit here; try-everything takes no words. Like: try-everything Ada high 3 --sure words=more.",
    ),
    (["Ada", "high", "3", "--amount", "4"], "amount is given twice."),
    (
        ["Ada", "hgh", "3", "--sure"],
        "'hgh' does not fit here; kind takes high or low. Like: try-everything Ada high 3 --sure.",
    ),
    ([*START, "--step", "4"], "--step must be 1, 2 or 3, not '4'."),
    ([*START, "--numbers", "1,x"], "--numbers must be a list, each item a whole number, not '1,x'."),
    (
        [*START, "--losses", "luck=1"],
        "losses must be an object with wit or nerve as its keys, each value a whole number of 0 or more, not"
        ' {"luck":1}.',
    ),
    ([*START, "--losses", "wit"], "--losses must be NAME=VALUE, like wit=1, not 'wit'."),
    ([*START, "--extra", "nofile"], "nofile cannot be read: no such file or directory."),
    ([*START, "--minutes", "-1"], "minutes must be a whole number of 0 or more, not -1."),
    ([*START, "--loudly"], "There is no option --loudly; did you mean --loud?"),
    ([*START, "--rolled"], "--rolled needs a value."),
]


def test_what_does_not_fit_is_told_and_nothing_is_logged(shell: Shell) -> None:
    (shell.folder / "bad.toml").write_text("Not TOML", "utf-8")
    for words, sentence in WRONG:
        shell.run("toy", "try-everything", *words).is_(2, sentence)
    nobody = shell.run("toy", "try-everything", *START, "--friends", "adx")
    nobody.is_(3, "There is no character 'adx'; did you mean Ada?")
    assert len(shell.turns()) == 3


def test_dice_of_one_of_several_must_say_whose(shell: Shell) -> None:
    shell.do("new Dungeon --rules osr --file d.campaign", "osr enrol brog", "osr enrol mira")
    result = shell.run("osr", "short-rest", "brog", "mira", "--rolled", "3")
    assert result.code == 2 and result.err.startswith("Say whose: rolled=NAME=3.")


# -- help ----------------------------------------------------------------------------------------------------


def test_the_help_of_a_rule_system_lists_its_verbs(shell: Shell) -> None:
    assert "toy          Record every shape that a field can have." in shell.run("--help").ok().out
    text = shell.run("toy", "--help").ok().out
    for line in ("enrol           Enrol somebody.", "try-everything  Try every shape of a field."):
        assert line in text


def test_the_help_of_every_verb_describes_every_field(shell: Shell) -> None:
    for key in SYSTEMS:
        for action in system_of(key).actions:
            if not action.__struct_config__.tag.startswith(f"{key}."):  # type: ignore[union-attr]
                continue
            verb = str(action.__struct_config__.tag).partition(".")[2].replace("_", "-")
            text = " ".join(shell.run(key, verb, "--help").ok().out.split())
            for field in fields_of(action):
                assert f"{option_of(field)} " in text or field.key.upper() in text, (verb, field.key)
                assert field.description, f"{key} {verb}: {field.key} has no description"
                what, otherwise = (" ".join(words.split()) for words in (field.what[1:], field.otherwise))
                assert what in text and (not otherwise or f"(default: {otherwise})." in text), (verb, field.key)


def test_a_whole_docstring_is_the_help_of_its_verb(shell: Shell) -> None:
    text = shell.run("toy", "try-everything", "--help").ok().out
    assert "This paragraph is only in the help of the verb." in text
    assert "--no-safe" in text and "On unless told (default: true)." in text
    assert "How long (default: 10)." in text


def test_a_rule_system_alone_shows_its_help_as_usage(shell: Shell) -> None:
    result = shell.run("toy")
    assert (result.code, result.out) == (2, "") and "try-everything" in result.err


# -- completion ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shell")
def test_a_new_rule_system_is_completed_as_well() -> None:
    def proposed(*words: str) -> list[str]:
        with open_chosen(None) as (log, system):
            context = Context(system, handler_for(log).state(), log)
            return [
                way.text
                for way in candidates_for(line_of_arguments(["try-everything", *words[:-1]]), words[-1], context)
            ]

    assert proposed("b") == ["Big Bo"]
    assert proposed("ada", "high", "1", "yes", "card=sw") == ["card=Sword"]
    assert proposed("ada", "H") == ["high"]
    assert proposed("ada", "high", "1", "yes", "minutes=") == []
