"""Random tables: actions of every kind on two characters, drawn by Hypothesis, undone and amended in between."""

from typing import Any

from hypothesis import strategies as st

from tests.kit.given import Given

NAMES = ("brog", "Ada")
name = st.sampled_from(NAMES)
small = st.integers(0, 9)
earlier = st.integers(1, 8).map(lambda n: f"T{n}")
conflicts = st.sampled_from(["drop", "keep"])


def _an(kind: str, **fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(kind), **fields})


of_osr = st.one_of(
    _an("osr.damage", character=name, amount=small, source=st.sampled_from(["trap", "wolf"])),
    _an("osr.short_rest", characters=st.just(list(NAMES))),
    _an("osr.short_rest", characters=st.lists(name, min_size=1, max_size=1)),
    _an("osr.night_rest", characters=st.just(["brog"])),
    _an("osr.injury_saves", character=name, strength=st.integers(10, 30), will=st.integers(10, 30)),
    _an("osr.choose_fate", character=name, fate=st.just("major_wound")),
    _an("osr.level_up", character=name),
    _an(
        "ruling",
        rule=st.just("6.4"),
        text=st.just("Keep it."),
        set=st.fixed_dictionaries({"keep_higher": st.booleans()}),
    ),
)
of_every_campaign = st.one_of(
    _an("note", text=st.sampled_from(["The door is a mimic.", "Ärger im Süden"]), about=name),
    _an("session.open"),
    _an("session.close", summary=st.sampled_from(["Late.", "Won."])),
    _an("override", character=name, set=st.fixed_dictionaries({"fatigue": small}), why=st.just("a blessing")),
    _an("ruling.end", ruling=st.integers(1, 3)),
    _an("ruling", rule=st.just("6.5"), text=st.just("As written."), since=earlier, conflicts=conflicts),
    _an("undo", last=st.integers(1, 4), conflicts=conflicts),
    _an("undo", turns=st.lists(st.integers(2, 12), min_size=1, max_size=2, unique=True), conflicts=conflicts),
    _an("redo", conflicts=conflicts),
)  # fmt: skip
of_amending = st.one_of(
    _an("amend", turn=st.integers(2, 12), action=of_osr, conflicts=conflicts),
    _an("amend", turn=st.integers(2, 12), action=_an("note", text=st.just("Not so.")), conflicts=conflicts),
    _an(
        "ruling",
        rule=st.just("6.4"),
        text=st.just("Counts from earlier."),
        set=st.fixed_dictionaries({"keep_higher": st.booleans()}),
        since=earlier,
        conflicts=conflicts,
    ),
)
#: What somebody may ask for; whether it is legal then is another matter.
osr_actions = st.lists(st.one_of(of_osr, of_osr, of_every_campaign, of_amending), min_size=3, max_size=14)


def osr_table() -> Given:
    """Two characters of osr."""
    table = Given("osr")
    table.when({"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]})
    table.when({"type": "osr.enrol", "character": "Ada", "player": "Nora", "rolled": [4]})
    assert table.log.last() == 3
    return table
