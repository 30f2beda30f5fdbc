"""Numbers given out: kept as runs, and to whoever asks the same as the set of them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from domain.log.used_numbers import UsedNumbers, numbers_in, runs_of

NUMBERS = st.lists(st.integers(min_value=-3, max_value=40), max_size=30)


@given(NUMBERS, NUMBERS)
def test_they_are_the_set_of_what_was_added(first: list[int], later: list[int]) -> None:
    numbers = UsedNumbers()
    numbers.add("brog/wound#", first)
    copied = numbers.copy()
    numbers.add("brog/wound#", later)
    for held, expected in ((copied, {*first}), (numbers, {*first, *later})):
        assert [each for each in range(-5, 45) if held.has("brog/wound#", each)] == sorted(expected)
        assert held.highest("brog/wound#") == max(expected, default=0)
        assert held == UsedNumbers({"brog/wound#": runs_of(expected)})
        assert [*numbers_in(held.runs["brog/wound#"])] == sorted(expected)


@given(NUMBERS)
def test_no_two_runs_touch(numbers: list[int]) -> None:
    runs = runs_of(numbers)
    assert all(first < end for first, end in runs)
    assert all(one[1] < other[0] for one, other in pairwise(runs))


def test_a_key_that_gave_out_nothing_has_none() -> None:
    assert (UsedNumbers().has("session#", 1), UsedNumbers().highest("session#")) == (False, 0)
