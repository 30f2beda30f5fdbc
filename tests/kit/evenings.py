"""The evenings of the examples, played from phones: each line by whoever plays the character, else by the referee.

Connections are dropped: any answer may get lost, and then the phone sends the same tap again.
"""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from cli.line.context import Context
from cli.line.spelling import line_of
from cli.line.understanding import understand
from cli.line.words import tokenize as words_of
from cli.recording.choosing import completed
from cli.recording.steps import sign_of
from cli.serving.invitations import Seat
from cli.shell.examples import FOLDER, examples, first_turn
from cli.shell.jsonlines import action_and_author, strict_object
from cli.store.anywhere import open_log
from cli.store.making import create
from domain.common.revisions import Amend
from domain.log.backdating import NOW, Backdating
from domain.log.command_handler import CommandHandler
from domain.log.deciding import with_names
from domain.log.folding import state_at
from domain.refusal import Invalid, Refusal
from domain.registry import action_from, system_of, tag_of
from domain.turn import Action
from projections.sheets import status_of
from tests.kit.phones import Phone, Served, served


class Evening:
    """One example on phones; `lost` is how often an answer was lost and the tap sent again."""

    def __init__(self, name: str, folder: Path, chance: Random, losing: float) -> None:
        self.name, self.chance, self.losing, self.lost, self.by_players = name, chance, losing, 0, 0
        self.example = examples()[name]
        self.path = folder / f"{name}.campaign"
        create(self.path, f"evening-{name}", first_turn(self.example))

    def play(self) -> dict[str, Any]:
        """Every line of the example; the sheets at the end."""
        system = system_of(self.example.rules)
        with ExitStack() as stack:
            log = stack.enter_context(open_log(str(self.path), write=True))
            ids = count(1)
            # what a line draws rests on its place in the log alone: previews draw nothing away
            handler = CommandHandler(
                log,
                clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
                new_id=lambda: f"own-{next(ids)}",
                new_seed=lambda: log.last() + 1,
            )
            table = stack.enter_context(served(log, system, handler))
            self.begin(stack, table)
            phones: dict[str, Phone] = {}
            for line in (FOLDER / self.name / "actions.ndjson").read_bytes().splitlines():
                value = strict_object(line)
                action, about = action_and_author(self.example.rules, value)
                self._say(table, phones, action, about, value)
            self.end(table)
            status = status_of(log, system, state_at(system, log), log.last())
        del status["campaign"]["id"]
        return status

    def begin(self, stack: ExitStack, table: Served) -> None:
        """What is there before the first line, for as long as the evening lasts."""

    def end(self, table: Served) -> None:
        """What is looked at after the last line."""

    def _say(
        self, table: Served, phones: dict[str, Phone], action: Action, about: dict[str, Any], value: dict[str, Any]
    ) -> None:
        backdating = about.get("backdating") or NOW
        line = line_for(table.serving.view(referee(table)).audience.context, action, backdating)
        signs = answers(table.handler, action, backdating)
        before = table.log.last()
        for seat in (*self._players(table, action), "referee"):
            if line is None:
                is_done = self.sent(table, phones, seat, ("action", msgspec.json.encode(value).decode()), signs)
            else:
                is_done = self.typed(table, phones, seat, line, signs)
            if is_done:
                break
        assert table.log.last() == before + 1, line or value
        self.by_players += seat != "referee"

    def typed(self, table: Served, phones: dict[str, Phone], seat: str, line: str, signs: Sequence[str]) -> bool:
        """Somebody types a line, and answers with the ways of these signs; whether it was theirs to do."""
        return self.sent(table, phones, seat, ("line", line), signs)

    def sent(
        self, table: Served, phones: dict[str, Phone], seat: str, filling: tuple[str, str], signs: Sequence[str]
    ) -> bool:
        """A phone sends a line or an action, as its forms do; whether that was this player's to do."""
        phone = phones.get(seat) or phones.setdefault(seat, table.phone(seat))
        fields = [("at", str(table.log.last())), filling, ("sure", "yes"), *(("answer", sign) for sign in signs)]
        reply = phone.post("/do", fields)
        if reply.status == 409 and seat != "referee":
            return False
        assert reply.status in (200, 303), (filling, reply)
        while self.chance.random() < self.losing:
            self.lost += 1
            assert "That was done already" in phone.post("/do", fields).main
        return True

    def _players(self, table: Served, action: Action) -> list[str]:
        state = table.handler.state()
        character = getattr(action, "character", None)
        player = getattr(state.characters.get(character), "player", None) if isinstance(character, str) else None
        return [player] if player else []


def referee(table: Served) -> Seat:
    """The seat of whoever keeps the log."""
    return next(seat.seat for seat in table.invitations.states() if seat.seat.role == "referee")


def line_for(context: Context, action: Action, backdating: Backdating = NOW) -> str | None:
    """The line for one turn of an example; None for an attack on a foe that nobody added.

    A line adds such a foe in a turn of its own before the attack, and the examples count their turns without one.
    """
    line = line_of(context, action)
    if backdating.after is not None:
        # of an amendment it is said behind the turn; what stands behind its = is the turn's own
        head, gap, rest = line.partition(" ") if isinstance(action, Amend) else (line, "", "")
        line = f"{head} --after {backdating.after}{gap}{rest}"
    return line if len(understand(words_of(line), context).actions) == 1 else None


def answers(handler: CommandHandler, action: Action, backdating: Backdating) -> list[str]:
    """What is tapped where the rules ask about an action, for it to be done as it stands."""
    answers_so_far: list[str] = []
    try:
        draft = with_names(action, handler.state())
    except (Invalid, Refusal):
        return answers_so_far
    asking = completed(handler, (draft,), handler.state(), backdating)
    with suppress(StopIteration):
        matter = next(asking)
        while True:
            as_it_stands = [
                way
                for way in matter.choices
                if not way.asks and action_from(handler.log.rules, {"type": tag_of(way.action), **way.fields}) == draft
            ]
            if not as_it_stands:
                break
            answers_so_far.append(sign_of(as_it_stands[0]))
            matter = asking.send(as_it_stands[0])
    return answers_so_far


def recorded(name: str) -> dict[str, Any]:
    """The sheets of an example at its end, as they are recorded with it."""
    bounds: dict[str, Any] = msgspec.json.decode((FOLDER / name / "sheets.json").read_bytes())["@"]
    return bounds
