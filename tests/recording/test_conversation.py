"""What the driver answers to what is typed and chosen, with no terminal, page or store."""

from contextlib import suppress

import pytest

from cli.line.words import tokenize
from cli.recording.audience import Audience
from cli.recording.choosing import KEYS
from cli.recording.confirming import CONFIRM
from cli.recording.conversation import Conversation
from cli.recording.foretelling import foretell
from cli.recording.steps import Ask, Done, TurnsRecorded, TypeOn
from domain.log.effective_history import effective_history
from domain.osr.injuries import InjurySaves
from domain.refusal import Refusal
from domain.registry import tag_of
from tests.kit.given import Given

#: Why the dead do not get back thirteen hit points: the referee's word would be legal with fewer.
DEAD = "Oswin is dead (OSR 6.7)."


def talking(rules: str, *lines: str, by: str | None = None, seed: int = 0) -> tuple[Given, Conversation]:
    """A table at which these lines were typed, and a conversation at it."""
    table = Given(rules, seed=seed)
    audience = Audience(table.log, table.system, table.handler.state, keeper=True)
    conversation = Conversation(table.handler, audience, by=by)
    for line in lines:
        step = conversation.type(line)
        while isinstance(step, TurnsRecorded):
            step = conversation.proceed()
        assert isinstance(step, Done), (line, step)
    return table, conversation


OSR = ("enrol Brog level 2 56", "enrol Wen level 1 4", "d brog 2 a rat")


def test_a_line_is_in_the_log_before_its_step_is_given() -> None:
    table, conversation = talking("osr", *OSR)
    step = conversation.type("d wen 1")
    assert isinstance(step, TurnsRecorded) and step.outcomes[0].turn.number == table.log.last() == 5
    assert isinstance(conversation.proceed(), Done)


def test_an_undo_of_somebody_elses_line_says_whose_it_is_and_no_leaves_it() -> None:
    table, conversation = talking("osr", *OSR, "d wen 1 --by Robin", by="Mia")
    step = conversation.type("u")
    assert isinstance(step, Ask) and step.kind == "confirm" and step.why == "T5 is Robin's line. Undo it?"
    assert isinstance(conversation.choose("no"), Done) and table.log.last() == 5
    conversation.type("u")
    assert isinstance(conversation.choose("yes"), TurnsRecorded) and table.log.last() == 6


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("undo T4", "T4 is Robin's line. Undo it?"),
        ("T4 amount=1", "T4 is Robin's line. Change it?"),
        ("redo", "T5 is Iris' line. Restore it?"),
    ],
)
def test_a_change_of_somebody_elses_line_says_whose_it_is(line: str, asked: str) -> None:
    typed_line = ("d brog 2 a rat --by Robin", "d brog 1 --by Iris", "d brog 1 --by Mia")
    undone = ("undo T5 --by Iris",) if line.startswith("redo") else ()
    _, conversation = talking("osr", *OSR[:2], *typed_line, by="Mia")
    for effective_turn in undone:
        conversation.type(effective_turn)
        conversation.choose("yes")
        while not isinstance(conversation.step, Done):
            conversation.proceed()
    step = conversation.type(line)
    assert isinstance(step, Ask) and step.kind == "confirm" and step.why == asked


def test_a_change_of_earlier_turns_is_shown_and_asked_for() -> None:
    table, conversation = talking("osr", *OSR, "d wen 1")
    step = conversation.type("T4 amount=1")
    assert isinstance(step, Ask) and step.why == CONFIRM and step.preview is not None and table.log.last() == 5
    conversation.leave()
    assert table.log.last() == 5 and isinstance(conversation.step, Done), "what is left is not done"


@pytest.mark.parametrize(
    ("rules", "lines", "line", "sentence"),
    [
        (
            "osr",
            (*OSR, "d brog 1"),
            "T4 amount=3",
            "T4 becomes: Brog is hit for 3 by a rat and has 8 hit points left. Changes T5.",
        ),
        (
            "deckahedron",
            ("enrol Wren 2 3 3", "enrol Bram 2 3 3", "lose-stamina wren 1", "f wren str"),
            "T4 who=bram",
            "T4 becomes: Bram loses 1 Stamina: draws cards. Changes T5.",
        ),
        (
            "deckahedron",
            ("enrol Wren 2 3 3", "enrol Bram 2 3 3", "foe captain 9", "scene combat", "fa captain v wren"),
            "T6 target=bram",
            "T6 is decided again: what is drawn decides. T6 becomes: The captain attacks Bram: draws cards.",
        ),
        (
            "deckahedron",
            ("enrol Wren 2 3 3", "strain wren a knee", "strain wren an elbow"),
            "strain wren a heel",
            "Wren is strained (a heel): draws cards. Wren has two Harm tokens already: a heel becomes a Wound.",
        ),
        (
            "deckahedron",
            ("enrol Cass 2 3 3 cards=table",),
            "cards cass log",
            "The log deals Cass's cards: shuffles 20 cards of Cass.",
        ),
    ],
)
def test_while_a_line_is_typed_it_says_what_it_comes_to(
    rules: str, lines: tuple[str, ...], line: str, sentence: str
) -> None:
    _, conversation = talking(rules, *lines)
    understood = conversation.understand(tokenize(line))
    assert foretell(conversation, understood, understood.backdating) == sentence


def test_later_turns_in_the_way_are_asked_about() -> None:
    table, conversation = talking("osr", *OSR)
    step = conversation.type("undo T2")
    assert isinstance(step, Ask) and step.kind == "conflicts" and [conflict.turn for conflict in step.conflicts] == [4]
    assert isinstance(conversation.choose("leave"), Done) and table.log.last() == 4
    conversation.type("undo T2")
    shown = conversation.choose("drop")
    assert isinstance(shown, Ask) and (shown.kind, shown.why) == ("confirm", CONFIRM), "Brog's sheet was in no question"
    assert shown.preview is not None and [change.turn for change in shown.preview.changed] == [2, 4]
    assert [answer.sign for answer in shown.answers] == ["yes", "no"], "what becomes of T4 is said already"
    assert isinstance(conversation.choose("no"), Done) and table.log.last() == 4
    conversation.type("undo T2")
    conversation.choose("drop")
    assert isinstance(conversation.choose("yes"), TurnsRecorded)


#: T5 is illegal in some of the ways that the cards may lie, and as they lie with the first of two seeds.
WOLF = ("enrol Bram 1 2 3", "foe wolf", "lose-stamina bram 1", "foe-attack wolf bram v choice=harm")


@pytest.mark.parametrize(("seed", "stands"), [(3, False), (12, True)])
def test_what_becomes_of_later_turns_is_asked_where_hidden_cards_decide_whether_they_are_legal(
    seed: int, stands: bool
) -> None:
    table, conversation = talking("deckahedron", *WOLF, seed=seed)
    step = conversation.type("T4 points=3")
    assert isinstance(step, Ask) and (step.kind, step.why) == ("conflicts", "A later turn may no longer be legal.")
    step = conversation.choose("drop")
    assert isinstance(step, Ask) and step.kind == "confirm" and isinstance(conversation.choose("yes"), TurnsRecorded)
    assert effective_history(table.log, table.log.last()).stands(5) == stands, "nobody learns beforehand which it is"


def test_what_no_simulation_has_met_is_asked_about_once_it_is_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    table, conversation = talking("deckahedron", *WOLF, seed=3)
    monkeypatch.setattr("projections.preview.SIMULATIONS", 1)
    step = conversation.type("T4 points=3")
    assert isinstance(step, Ask) and step.kind == "confirm"
    step = conversation.choose("yes")
    assert isinstance(step, Ask) and step.kind == "conflicts" and [turn.turn for turn in step.conflicts] == [5]
    assert table.log.last() == 5
    conversation.choose("keep")
    assert isinstance(conversation.choose("yes"), TurnsRecorded)


def test_what_a_line_does_not_say_is_typed_on_until_it_can_be_done() -> None:
    table, conversation = talking("osr", *OSR)
    step = conversation.type("d brog")
    assert isinstance(step, TypeOn) and step.beginning == "d brog "
    step = conversation.type("d brog high")
    assert isinstance(step, TypeOn) and "needs amount" in str(step.error) and table.log.last() == 4
    assert isinstance(conversation.type("d brog 1"), TurnsRecorded) and table.log.last() == 5


def test_nothing_typed_behind_a_beginning_does_nothing() -> None:
    table, conversation = talking("osr", *OSR)
    conversation.type("d brog")
    assert isinstance(conversation.type("d brog "), Done) and table.log.last() == 4


def test_an_answer_goes_by_its_sign_in_another_process() -> None:
    _, conversation = talking("osr", *OSR, "d wen 1")
    step = conversation.type("T4 amount=1")
    assert isinstance(step, Ask)
    _, again = talking("osr", *OSR, "d wen 1")
    asked = again.type("T4 amount=1")
    assert isinstance(asked, Ask) and [answer.sign for answer in asked.answers] == [
        answer.sign for answer in step.answers
    ]


def test_a_key_that_answers_nothing_is_no_answer() -> None:
    _, conversation = talking("osr", *OSR, "d wen 1")
    conversation.type("T4 amount=1")
    with pytest.raises(KeyError):
        conversation.choose("q")
    assert isinstance(conversation.step, Ask), "the question stays open"


def test_an_undo_that_would_turn_up_other_cards_offers_first_to_keep_what_was_announced() -> None:
    flips = ["f wren str"] * 3
    table, conversation = talking("deckahedron", "session open", "enrol Wren 2 3 3 player Ada", *flips)
    first = table.log.last() - 2
    announced = [turn.facts for turn in table.log.read(after=first)]
    step = conversation.type(f"undo T{first}")
    assert isinstance(step, Ask) and [answer.sign for answer in step.answers] == ["keep", "yes", "no"]
    step = conversation.choose("keep")
    assert isinstance(step, TurnsRecorded)
    now = {change.turn: change.after for change in step.outcomes[0].changed}
    for number, before in enumerate(announced, first + 1):
        assert [event.cards for event in now.get(number) or before] == [event.cards for event in before]  # type: ignore[attr-defined]


def test_more_than_a_deck_ever_holds_is_asked_about_before_it_is_lost() -> None:
    table, conversation = talking("deckahedron", "enrol Ash 2 2 3")
    step = conversation.type("ash loses 22")
    assert isinstance(step, Ask) and step.why == "Ash has 10 Stamina left, not 22."
    assert [answer.says for answer in step.answers] == ["lose all 10 and be incapacitated", "lose 2"]
    assert table.log.last() == 2, "nothing is recorded before it is answered"
    step = conversation.choose("2")
    assert isinstance(step, TurnsRecorded) and step.outcomes[0].turn.action.points == 2  # type: ignore[attr-defined]
    assert isinstance(conversation.type("ls ash 9"), TurnsRecorded), "what a deck may hold is what it is"


@pytest.mark.parametrize(("more", "kept"), [("rest ash 8", False), ("Ash lies in the snow", True)])
def test_a_line_of_the_rules_behind_a_beginning_is_no_part_of_its_words(more: str, kept: bool) -> None:
    table, conversation = talking("deckahedron", "enrol Ash 2 2 3", "enrol Bo 2 2 3")
    conversation.type("ash loses 11")
    conversation.choose("1")
    conversation.proceed()
    conversation.leave()
    step = conversation.type("storyteller ash")
    assert isinstance(step, TypeOn)
    with suppress(Refusal):  # the incapacitated do not rest
        conversation.type(f"storyteller ash {more}")
    *_, latest = table.log.read(after=0)
    assert (tag_of(type(latest.action)) == "deckahedron.storyteller") == kept


FOES = tuple(f"{initial}{vowel}rt" for initial in "BCDFGHKLMN" for vowel in "aeio")


def test_more_answers_than_there_are_keys_are_left_to_faces_without_keys() -> None:
    _, conversation = talking("deckahedron", "enrol Ash 3 3 2", *(f"foe {name} 10" for name in FOES))
    step = conversation.type("fa ash")
    assert isinstance(step, Ask) and [answer.line for answer in step.answers] == [f"fa ash {name}" for name in FOES]
    assert [answer.label for answer in step.answers] == list(FOES)
    assert [answer.key for answer in step.with_keys] == list(KEYS) and step.answered_by("") is None
    assert conversation.choose(step.answers[-1].sign) != step


def test_what_a_turn_leaves_open_is_asked_next_unless_it_was_settled_meanwhile() -> None:
    for settled in (False, True):
        table, conversation = talking("osr", *OSR)
        conversation.settles = True
        assert isinstance(conversation.type("d brog 30 an ogre"), TurnsRecorded)
        if settled:
            table.handler.record(InjurySaves(character="Brog", strength=60, will=60))
        step = conversation.proceed()
        assert isinstance(step, Done) if settled else isinstance(step, TypeOn)
        assert settled or getattr(step, "beginning", "") == "injury-saves Brog "
