"""Lists that are packed but for their end: like any list, and smaller."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from domain.log import packed_list
from domain.log.command_handler import Command
from domain.log.packed_list import PackedList
from domain.registry import action_from
from projections.preview import simulate
from tests.osr.asked import amend, enrol, hit, table


class Pair(Struct, frozen=True):
    number: int
    words: tuple[str, ...] | None


pairs = st.lists(st.builds(Pair, st.integers(0, 9), st.none() | st.tuples(st.text(max_size=3))), max_size=12)


@given(records=pairs, piece=st.integers(1, 5), data=st.data())
def test_it_is_the_list_that_it_was_made_of(records: list[Pair], piece: int, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as pieces:
        pieces.setattr(packed_list, "PIECE", piece)
        held = PackedList[Pair](Pair, records)
        plain = list(records)
        for at in data.draw(st.lists(st.sampled_from(range(len(records))), max_size=3)) if records else ():
            held[at] = plain[at] = Pair(at, ("anew",))
        assert (list(held), len(held), bool(held)) == (plain, len(plain), bool(plain))
        assert held == plain and held != [*plain, Pair(0, None)]
        assert [held[at] for at in range(-len(plain), len(plain))] == plain * 2
        assert held[1:-1:2] == plain[1:-1:2]
        with pytest.raises(IndexError):
            held[len(plain)]


def test_a_revision_of_every_turn_is_foreseen_in_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    at = table(enrol("brog", 6, 6, 6), *[hit(0)] * 2_000)
    line = Command(action_from("osr", amend(2, enrol("brog", 5, 6, 6))))

    def room() -> int:
        """The bytes that are held of what is foreseen."""
        tracemalloc.start()
        try:
            foreseen = simulate(at.handler, line)
            assert len(foreseen.changed) == 2_001
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    monkeypatch.setattr(packed_list, "PIECE", 1_000_000)
    whole = min(room(), room())  # whatever is made once is made in the first
    monkeypatch.setattr(packed_list, "PIECE", 50)
    assert room() < whole / 5
