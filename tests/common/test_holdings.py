"""The rulings of a state: in whatever order they are told of, what is in force is what the whole list says."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.system.rulings_in_force import RulingInForce, Rulings, holdings

NUMBERS = st.integers(1, 9)
MADE = st.builds(
    RulingInForce,
    NUMBERS,
    st.sampled_from(("6.4", "6.5")),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 3), max_size=2),
    trial=st.booleans(),
    supersedes=st.none() | NUMBERS,
)
STEPS = st.lists(st.one_of(MADE, MADE, NUMBERS, st.just("kept")), max_size=14)


def check(rulings: Rulings, rest: dict[int, RulingInForce]) -> None:
    """They are these, and in force is what the definition takes from all of them."""
    assert list(rulings) == [rest[number] for number in sorted(rest)] == [*rulings.newest_first()][::-1]
    left = holdings(rest.values())
    assert rulings.in_force == {number for number, value in left.items() if value.in_force}
    overridden = {name: value for entry in left.values() for name, value in entry.options.items()}
    assert rulings.overridden("abc") == rulings.overridden("abcd") == overridden
    for number in range(11):
        assert rulings.get(number) == rest.get(number)
        assert rulings.superseded_by(number) == (left[number].superseded_by if number in left else None)


@given(STEPS)
def test_in_force_is_what_the_whole_list_says_and_packing_changes_nothing(steps: list[Any]) -> None:
    rulings, rest, last = Rulings(), dict[int, RulingInForce](), 1
    for step in steps:
        if isinstance(step, RulingInForce):
            rulings, last = rulings.with_made(step), step.number
            rest[last] = step
        elif step == "kept":
            rulings = rulings.with_kept(last)
            rest |= {n: replace(value, trial=False, review=None) for n, value in rest.items() if n == last}
        else:
            rulings = rulings.with_ended(step)
            rest |= {n: replace(value, ended=True) for n, value in rest.items() if n == step}
        check(rulings, rest)
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(rulings), type=Rulings) == rulings
