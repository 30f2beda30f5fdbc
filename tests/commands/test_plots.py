"""A picture of a number over thousands of turns is drawn from as many points as it can show."""

from hypothesis import given
from hypothesis import strategies as st

from cli.commands.stats import _visible_points

DOTS = 10


@given(st.lists(st.integers(0, 30), min_size=1, max_size=400))
def test_of_each_dot_its_ends_are_drawn(values: list[int]) -> None:
    points = list(enumerate(values, 1))
    drawn = list(_visible_points(points, DOTS))
    if len(points) <= 4 * DOTS:
        assert drawn == points
        return
    assert drawn == sorted(drawn) and set(drawn) <= set(points)
    wide = len(points) / DOTS
    for dot in range(DOTS + 1):
        here = [value for turn, value in points if int(turn / wide) == dot]
        shown = [value for turn, value in drawn if int(turn / wide) == dot]
        assert bool(here) == bool(shown)
        if here:
            assert (min(shown), max(shown), shown[0], shown[-1]) == (min(here), max(here), here[0], here[-1])
    assert len(drawn) <= 4 * (DOTS + 1)
