"""How many turns a question decodes: those since the nearest kept state, however long the log is.

Counted on logs that have lived, with sessions, rulings and turns taken back; what a count holds, no clock has to.
"""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cli.line.context import Context
from cli.line.understanding import understand
from cli.line.words import tokenize
from cli.shell.command_context import point_in
from cli.shell.viewing import viewing
from cli.store.branches import make_branch
from cli.store.checking import findings_in
from cli.store.file import CampaignFile, open_campaign
from domain.common.notes import Note
from domain.common.revisions import Amend, Redo, Undo
from domain.log.backdating import Backdating
from domain.log.command_handler import Command, CommandHandler
from domain.log.effective_history import effective_history
from domain.log.folding import state_at
from domain.log.points import NEAR_THE_END, session_at, turn_at
from domain.log.port import AsOf, MemoryLog
from domain.log.snapshots import EVERY
from domain.refusal import Invalid, Refusal
from domain.registry import system_of
from projections.preview import simulate
from projections.recap import recap_of
from projections.views.chronicle_queries import entries
from tests.campaigns.lived import EVENING, campaign_of, keep_states, lived
from tests.kit.elsewhere import move_home
from tests.kit.on_disk import handler_of, started

OSR = system_of("osr")
LENGTHS = (2003, 4003)
#: The share of turns that open or close a session, or revise others: they say which sessions there are.
OF_SESSIONS = 0.05

#: What is asked of a log with its command handler, and how many turns it may decode.
QUESTIONS: dict[str, tuple[Callable[[CampaignFile, CommandHandler], Any], int]] = {
    "the sheets": (lambda log, _: state_at(OSR, log), EVERY + 50),
    "a note": (lambda _, handler: handler.record(Note(text="Rain.")), EVERY + 50),
    "the latest turn undone": (lambda _, handler: handler.record(Undo()), 3 * EVERY),
    "the 300th last turn undone": (
        lambda log, handler: handler.record(Undo(turns=(_a_note(log, 300),), conflicts="drop")),
        3 * EVERY + 3 * 300,
    ),
    "an undo redone": (lambda _, handler: (handler.record(Undo()), handler.record(Redo())), 8 * EVERY),
    "a note told late": (
        lambda log, handler: handler.record(Note(text="Late."), backdating=Backdating(after=f"T{log.last() - 300}")),
        3 * EVERY + 3 * 300,
    ),
    "a note amended": (
        lambda log, handler: handler.record(Amend(turn=_a_note(log, 290), action={"type": "note", "text": "So."})),
        3 * EVERY + 3 * 300,
    ),
    "a note amended, before it is done": (
        lambda log, handler: simulate(
            handler, Command(Amend(turn=_a_note(log, 290), action={"type": "note", "text": "So."}))
        ),
        3 * EVERY + 3 * 300,
    ),
    "half of the latest loss": (lambda log, handler: _read_line("brog takes half", log, handler), 2 * 500 + 3 * EVERY),
    "the latest turn amended": (lambda log, handler: _read_line("amend 2", log, handler), 3 * EVERY),
    "a line that amends a note": (
        lambda log, handler: understand(tokenize(f"T{_a_note(log, 290)} text=So"), Context(OSR, handler.state(), log)),
        3 * EVERY + 300,
    ),
}


def _read_line(line: str, log: CampaignFile, handler: CommandHandler) -> None:
    """Read a line, whatever comes of it."""
    with suppress(Refusal, Invalid):
        understand(tokenize(line), Context(OSR, handler.state(), log))


def _a_note(log: CampaignFile, back: int) -> int:
    """The number of a note so many turns back that stands."""
    after = log.last() - back
    stands = effective_history(log, after=after).stands
    return next(turn.number for turn in log.read(after) if isinstance(turn.action, Note) and stands(turn.number))


@pytest.fixture(scope="module")
def lived_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of two lengths, with the states that were kept while they were played, and their views."""
    folder = tmp_path_factory.mktemp("lived")
    with pytest.MonkeyPatch.context() as patch:
        move_home(patch, folder)
        paths = {turns: campaign_of(folder, lived(turns), f"lived{turns}") for turns in LENGTHS}
        for turns, path in paths.items():
            with open_campaign(path, write=True) as log:
                keep_states(log, lived(turns))
                with viewing(log, OSR):
                    pass
    return folder


@pytest.fixture
def campaigns(lived_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[int, Path]:
    """Copies of these logs for one test, which may undo their latest turns."""
    folder = tmp_path / "lived"
    shutil.copytree(lived_folder, folder)
    move_home(monkeypatch, folder)
    return {turns: folder / f"lived{turns}.campaign" for turns in LENGTHS}


def decoded(path: Path, what: Callable[[CampaignFile], Any], branch: str | None = None) -> int:
    """How many turns are decoded for this."""
    count = 0

    def counting(decode: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        def counted(state: bytes) -> Any:
            nonlocal count
            count += 1
            return decode(state)

        return counted

    with open_campaign(path, write=True, branch=branch) as log:
        log.decoder._decode = counting(log.decoder._decode)
        what(log)
    return count


@pytest.mark.parametrize("asked", QUESTIONS)
def test_what_is_asked_of_a_log_decodes_no_more_of_a_longer_one(asked: str, campaigns: dict[int, Path]) -> None:
    ask, most = QUESTIONS[asked]
    counts = [decoded(path, lambda log: ask(log, handler_of(log))) for path in campaigns.values()]
    assert max(counts) <= most and max(counts) - min(counts) <= 5, counts


def test_a_view_is_caught_up_by_the_turns_that_are_new(campaigns: dict[int, Path]) -> None:
    def look(log: CampaignFile) -> None:
        with viewing(log, OSR):
            pass

    for path in campaigns.values():
        decoded(path, look)
        decoded(path, lambda log: handler_of(log).record(Note(text="One more.")))
        assert decoded(path, look) <= 10


def test_a_view_is_caught_up_after_an_undo_by_what_follows_it(campaigns: dict[int, Path]) -> None:
    def look(log: CampaignFile) -> None:
        with viewing(log, OSR):
            pass

    counts = []
    for path in campaigns.values():
        decoded(path, look)
        decoded(path, lambda log: handler_of(log).record(Undo()))
        counts.append(decoded(path, look))
    assert max(counts) <= 1000 + 200 and max(counts) - min(counts) <= 50, counts


def test_a_point_that_was_undone_behind_is_told_by_what_lies_between(campaigns: dict[int, Path]) -> None:
    def tell(log: CampaignFile) -> None:
        with viewing(log, OSR, point) as view:
            assert [segment.database for segment in view.segments()] == ["main", "beside"]
            assert [entry.turn for entry in entries(view, newest=3)] == [point - 2, point - 1, point]

    counts = []
    for path in campaigns.values():
        with open_campaign(path, write=True) as log:
            handler_of(log).record(Undo(turns=(_a_note(log, 12),), conflicts="drop"))
            point = log.last() - 1
            with viewing(log, OSR):
                pass
        counts.append(decoded(path, tell))
    assert max(counts) <= 4 * EVERY, counts
    assert max(counts) - min(counts) <= OF_SESSIONS * (LENGTHS[1] - LENGTHS[0]), counts


def test_the_last_evening_is_told_from_its_own_turns(campaigns: dict[int, Path]) -> None:
    def tell(log: CampaignFile) -> None:
        session, bounds = session_at(log, log.last(), None)
        assert recap_of(OSR, log, session, bounds=bounds).lines

    counts = []
    for path in campaigns.values():
        decoded(path, tell)
        counts.append(decoded(path, tell))
    assert max(counts) <= EVENING + 3 * EVERY, counts
    assert max(counts) - min(counts) <= OF_SESSIONS * (LENGTHS[1] - LENGTHS[0]), counts


def test_a_session_and_a_time_are_found_without_reading_the_log(campaigns: dict[int, Path]) -> None:
    for turns, path in campaigns.items():
        decoded(path, lambda log: handler_of(log).record(Note(text="Rain.")))  # long after what was played
        with open_campaign(path) as log:
            when = next(log.read(after=turns - 20)).at
            assert point_in(AsOf(log, 1500), "S3") == turn_at("S3", log, 1500) == 753
        assert decoded(path, lambda log: point_in(log, "S3")) <= OF_SESSIONS * turns
        assert 0 < decoded(path, lambda log, when=when: point_in(log, when)) <= 2 * NEAR_THE_END  # type: ignore[misc]


def test_snapshots_stay_small_beside_the_log(campaigns: dict[int, Path]) -> None:
    sizes = []
    for path in campaigns.values():
        with open_campaign(path) as log:
            assert state_at(OSR, log) == state_at(OSR, MemoryLog("osr", turns=list(log.read())))
            (states,) = path.parent.rglob(f"{log.campaign_id}.snapshots")
        sizes.append(states.stat().st_size / path.stat().st_size)
    # rulings are never forgotten, and each state that is kept holds them all
    assert max(sizes) <= 0.1 and sizes[1] <= 1.2 * sizes[0], sizes


def test_the_turns_counted_are_turns(campaigns: dict[int, Path]) -> None:
    assert decoded(campaigns[LENGTHS[0]], lambda log: msgspec.json.encode(list(log.read(upto=100)))) == 100


def test_verifying_a_branch_decodes_what_lies_behind_its_fork_alone(tmp_path: Path) -> None:
    path = started(tmp_path / "many.campaign", 150)
    alone = decoded(path, lambda log: list(findings_in(log)))
    with open_campaign(path, write=True) as log:
        for number in range(30):
            made = make_branch(log, f"plan{number}", log.last() - number % 3)
            with open_campaign(path, write=True, branch=made.name) as branch:
                handler_of(branch).record(Note(text="Snow."))
    assert decoded(path, lambda log: list(findings_in(log))) - alone <= 30 * 3
