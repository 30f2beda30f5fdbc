"""The numbers that a log has given out: to whoever asks, the set of what was added."""

from hypothesis import given
from hypothesis import strategies as st

from domain.system.used_numbers import UsedNumbers

NUMBERS = st.lists(st.integers(min_value=-3, max_value=40), max_size=30)


@given(NUMBERS, NUMBERS)
def test_they_are_the_set_of_what_was_added(first: list[int], later: list[int]) -> None:
    numbers = UsedNumbers()
    numbers.add("brog/wound#", first)
    copied = numbers.copy()
    numbers.add("brog/wound#", later)
    for held, expected in ((copied, {*first}), (numbers, {*first, *later})):
        assert [number for number in range(-5, 45) if held.has("brog/wound#", number)] == sorted(expected)
        assert held.highest("brog/wound#") == max(expected, default=0)


def test_a_key_that_gave_out_nothing_has_none() -> None:
    assert (UsedNumbers().has("session#", 1), UsedNumbers().highest("session#")) == (False, 0)
