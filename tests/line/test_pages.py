"""The page's line, its question before it is sent, and its forms, over every row of the corpus: as at the table.

A line that is posted from the page comes to the same turns, the same question with the same answers, or the same
refusal as one that is typed at the table; an action that a line means can be filled in as a form and is the same.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest

from cli.line.words import quote, tokenize
from cli.recording.audience import Audience
from cli.recording.conversation import Conversation
from cli.recording.steps import Ask, TurnsRecorded, TypeOn
from cli.serving.controls import OPTIONS, PREFIX, holds_sheet_fields
from cli.serving.field_controls import is_filled_in
from cli.serving.forms import Forms
from cli.serving.invitations import Invitations, Seat
from cli.serving.permissions import QUESTIONS, SeatPermissions
from cli.serving.recent_turns import RecentTurns
from cli.serving.tap import ConfirmationNeeded, FormNeeded, Recorded, RulesQuestion, Tap
from cli.serving.tap_handler import TapHandler
from cli.serving.turned_over import OpenQuestions
from domain.common.rulings import Ruling
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import action_from, verb_name
from domain.system.field_schema import Field, fields_of
from domain.turn import Action
from domain.values import as_written
from tests.kit.given import Given
from tests.line.tables import table_of
from tests.line.test_corpus import ROWS, name_of
from tests.recording.test_conversation import FOES, talking

SAID = [row for row in ROWS if "asked" not in row][::11]


def recorded_after(table: Given, before: int) -> list[Any]:
    """The turns behind one, each as far as a line decides it."""
    return [(turn.action, turn.by, turn.place) for turn in table.log.read(after=before)]


def typed_at_the_table(table: Given, line: str) -> Any:
    """What a line comes to at the table, up to the first question."""
    before = table.log.last()
    audience = Audience(table.log, table.system, table.handler.state, keeper=True)
    conversation = Conversation(table.handler, audience, by="Mia", questions=QUESTIONS)
    try:
        step = conversation.say(tokenize(line))
    except (Refusal, Invalid, Conflict) as refused:
        return type(refused), str(refused)
    match step:
        case TurnsRecorded():
            return recorded_after(table, before)
        case Ask(kind="field"):
            behind = [quote(answer.sign.removeprefix("=")) for answer in step.answers]
            return [f"{line.rstrip()} {answer}" for answer in behind]
        case Ask(kind="confirm"):
            return "confirm"
        case Ask():
            return step.why, len(step.answers)
        case TypeOn(error=error) if error is not None:
            return type(error), str(error)
    return step


def handler_of_page(table: Given) -> TapHandler:
    """The referee's page of a table."""
    audience = Audience(table.log, table.system, table.handler.state, keeper=True)
    recent = RecentTurns()
    permissions = SeatPermissions(table.handler, audience, Seat("referee", "referee"), recent, by="Mia")
    invitations, questions = Invitations(table.log.campaign_id), OpenQuestions(table.log)
    return TapHandler(table.handler, audience, permissions, invitations, recent, questions)


def posted(table: Given, tap: Tap) -> Any:
    """What a tap on the page comes to, said as `typed_at_the_table` says it."""
    before = table.log.last()
    try:
        answer = handler_of_page(table).do(tap)
    except (Refusal, Invalid, Conflict) as error:
        return type(error), str(error)
    match answer:
        case Recorded():
            return recorded_after(table, before)
        case RulesQuestion(why, choices) if choices and choices[0].tap.answers:
            return why, len(choices)
        case RulesQuestion(why, choices):
            lines = [choice.tap.line for choice in choices]
            return lines if all(line.startswith(tap.line.rstrip()) for line in lines) else (why, lines)
        case ConfirmationNeeded():
            return "confirm"
        case FormNeeded(way):
            return way
    return answer


def test_a_question_has_a_button_for_each_answer_even_where_there_are_no_more_keys() -> None:
    table, _ = talking("deckahedron", "enrol Ash 3 3 2", *(f"foe {name} 10" for name in FOES))
    assert posted(table, Tap(line="fa ash")) == [f"fa ash {name}" for name in FOES]


@pytest.mark.parametrize("row", SAID, ids=name_of)
def test_a_line_posted_from_the_page_comes_to_the_same(row: dict[str, Any]) -> None:
    table = table_of(row["at"])
    there, here = table.copied(), table.copied()
    assert posted(here, Tap(at=here.log.last(), line=row["say"])) == typed_at_the_table(there, row["say"])


@pytest.mark.parametrize("row", SAID, ids=name_of)
def test_what_the_page_shows_beforehand_is_refused_only_where_the_line_is(row: dict[str, Any]) -> None:
    """Nothing is done by looking; what is refused while it is typed is refused when it is sent."""
    table = table_of(row["at"]).copied()
    before = table.log.last()
    try:
        handler_of_page(table).preview(Tap(at=before, line=row["say"]))
    except (Refusal, Invalid, Conflict) as error:
        lines = typed_at_the_table(table_of(row["at"]).copied(), row["say"])
        assert not (isinstance(lines, list) and lines and isinstance(lines[0], tuple)), (
            f"{error}: it is done all the same"
        )
    assert table.log.last() == before


def filled_in(field: Field, value: Any) -> Sequence[str]:
    """One field of an action, as a form sends it."""
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, Mapping):
        dice = {key: ",".join(map(str, value)) if isinstance(value, list) else value for key, value in value.items()}
        return [f"{key}={msgspec.json.encode(e).decode() if not isinstance(e, str) else e}" for key, e in dice.items()]
    if isinstance(value, list):
        return (
            [" ".join(map(str, value))]
            if field.dice
            else [f"T{inner}" if field.turn else str(inner) for inner in value]
        )
    return [f"T{value}" if field.turn and isinstance(value, int) else str(value)]


def as_form(kind: type[Action], value: Mapping[str, Any]) -> dict[str, Sequence[str]] | None:
    """What is filled in for an action; None where a form has no place for a part of it."""
    fields = {field.key: field for field in fields_of(kind)}
    own_fields = {key: value for key, value in value.items() if key != "type"}
    if not all(is_filled_in(fields[key]) for key in own_fields):
        return None
    # a box that is ticked by itself is sent, unless it is unticked
    ticked = {key: True for key, field in fields.items() if field.kind.shape == "flag" and field.default is True}
    # each option that a ruling sets is a field
    options = own_fields.pop(OPTIONS, {}) if kind is Ruling else {}
    # and so are the dice of each who rolls
    dice = {
        (key, name): own_fields[key][name] for key in own_fields if fields[key].keyed_by_names for name in value[key]
    }
    # and each of a sheet
    on_sheet = {
        (key, name): [as_written(value)]
        for key in own_fields
        if holds_sheet_fields(fields[key])
        for name, value in own_fields[key].items()
    }
    parted = [key for key in own_fields if fields[key].keyed_by_names or holds_sheet_fields(fields[key])]
    own_fields = {key: value for key, value in own_fields.items() if key not in parted}
    return {
        **{f"{PREFIX}{key}.{name}": texts for (key, name), texts in on_sheet.items()},
        **{f"{PREFIX}{key}": filled_in(fields[key], value) for key, value in {**ticked, **own_fields}.items()},
        **{f"{PREFIX}{OPTIONS}.{name}": [as_written(value)] for name, value in options.items()},
        **{f"{PREFIX}{key}.{name}": [" ".join(map(str, faces))] for (key, name), faces in dice.items()},
    }


def test_dice_that_a_form_sends_without_a_name_are_not_dropped() -> None:
    table = table_of("osr injured")
    forms = Forms(Audience(table.log, table.system, table.handler.state, keeper=True), None, dict, lambda: None)
    sent = {f"{PREFIX}characters": ["Wen"], f"{PREFIX}rolled": ["5 4"]}
    assert msgspec.json.decode(forms.action("short-rest", sent))["rolled"] == {"Wen": [5, 4]}


@pytest.mark.parametrize("row", [row for row in SAID if "means" in row and not row.get("manner")], ids=name_of)
def test_what_a_line_means_can_be_filled_in_as_a_form(row: dict[str, Any]) -> None:
    table = table_of(row["at"])
    taps = []
    for value in row["means"]:
        kind = type(action_from(table.log.rules, value))
        sent = as_form(kind, value)
        if value["type"] == "amend" or sent is None:
            return  # the form of an amendment sends a line; an object has no place in a form
        audience = Audience(table.log, table.system, table.handler.state, keeper=True)
        forms = Forms(audience, None, dict, lambda: None)
        taps.append(msgspec.json.decode(forms.action(verb_name(kind), sent)))
    assert [action_from(table.log.rules, tap) for tap in taps] == [
        action_from(table.log.rules, action) for action in row["means"]
    ]
    here = table.copied()
    filled = msgspec.json.encode(taps[0] if len(taps) == 1 else taps).decode()
    there = typed_at_the_table(table.copied(), row["say"])
    answer = posted(here, Tap(at=here.log.last(), action=filled))
    if isinstance(there, tuple) and isinstance(there[1], str):
        assert answer[0] is there[0], f"{answer} is not {there}"
    else:
        assert answer == there
