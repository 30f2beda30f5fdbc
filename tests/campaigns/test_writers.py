"""Several write at once in a new file; the longer run is `tests.campaigns.writers`."""

from tests.campaigns.writers import EACH, run
from tests.kit.elsewhere import needs

pytestmark = needs("os.fork")


def test_each_turn_is_there_once_and_nobody_is_turned_away() -> None:
    assert run(rounds=1, writers=5) == (5 * EACH, [], [])


def test_without_the_lock_somebody_is_turned_away() -> None:
    """The control: without it, nothing was tried."""
    _, refusals, _ = run(rounds=1, writers=10, careless=True)
    assert refusals
