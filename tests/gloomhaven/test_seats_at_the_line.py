"""One seat speaks of another player's cards: whatever these are, only whoever plays them can say that."""

import pytest

from cli.line.trials import reason_now
from cli.line.words import tokenize
from cli.recording.audience import Audience
from cli.recording.conversation import Conversation
from domain.gloomhaven.rounds import Reveal
from domain.refusal import Refusal
from tests.kit.given import Given
from tests.line.tables import FIRST_ROUND, table_of


def at_the_seat_of(player: str, table: Given) -> Conversation:
    audience = Audience(table.log, table.system, table.handler.state, viewer=player)
    return Conversation(table.handler, audience, by=player, dry_run=True)


@pytest.mark.parametrize(
    "line",
    [
        "d ysa 1 lose_hand=65",
        "d ysa 1 lose_hand=61",
        "s ysa 69 65",
        "s ysa 61 62",
        "override ysa hand=1,2 as on paper",
        "check-sheet ysa hand=61",
        "T7 = s ysa 63 64",
    ],
)
def test_another_players_cards_are_for_that_player_to_name(line: str) -> None:
    table = table_of("gloomhaven turns")
    with pytest.raises(Refusal, match=r"^Only Ysa's player can say that\.$"):
        at_the_seat_of("Mia", table).understand(tokenize(line))
    at_the_seat_of("Ines", table).understand(tokenize(line))


@pytest.mark.parametrize("line", ["d ysa 1 items=11", "d ysa 2 a trap", "h ysa 1", "n ysa hums"])
def test_what_lies_open_may_be_said_of_anybody(line: str) -> None:
    assert at_the_seat_of("Mia", table_of("gloomhaven turns")).understand(tokenize(line)).actions


def test_the_reason_beside_reveal_names_only_those_who_have_not_chosen() -> None:
    table = Given("gloomhaven")
    for turn in (*FIRST_ROUND, {"type": "gloomhaven.select", "character": "Brann", "lead": 2, "second": 1}):
        table.when(turn).then_some()
    audience = Audience(table.log, table.system, table.handler.state)
    assert reason_now(audience.context, Reveal, ()) == "Ysa has neither selected two cards nor declared a long rest"
