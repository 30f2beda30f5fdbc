"""Scenarios of deckahedron as lines of `campaign act`, with the sheet or the refusal that each line comes to.

A line is followed by what is expected of it: a paragraph that refuses it, "invalid", "refused" (by no paragraph),
or fields of brog's sheet; a field of the table has the table's name.
"""

from random import Random
from typing import Any

import msgspec
import pytest

from cli.shell.jsonlines import action_and_author
from cli.terminal.answers import answer_json
from domain.deckahedron.actions import Heal
from domain.deckahedron.cards import FRESH_DECK
from domain.log.chance import UNSEEN
from domain.log.standing import tell
from domain.refusal import Invalid, Refusal
from projections.chronicle import chronicle
from tests.deckahedron.tables import act, brog, deck, enrol, override, scene, told
from tests.kit.given import Given

Step = tuple[dict[str, Any], str | dict[str, Any]]

NO_STAMINA = [str(card) for card in range(10)]
STAMINA = [str(card) for card in range(10, 20)]
#: A Stamina card first, then every other one.
MIXED = [card for pair in zip(STAMINA, NO_STAMINA, strict=True) for card in pair]
FRESH: dict[str, Any] = {
    "player": None,
    "attributes": {"strength": 2, "dexterity": 3, "intelligence": 3},
    "deck_count": 20,
    "discard": [],
    "exhaustion": [],
    "harm": 0,
    "wounds": 0,
    "wound_cards": [],
    "stamina_left": 10,
    "incapacitated": False,
    "incapacitated_means": None,
}


def lose(points: int = 1, **fields: Any) -> dict[str, Any]:
    return act("lose_stamina", points=points, **fields)


def attack(**fields: Any) -> dict[str, Any]:
    return act("attack", None, **{"attacker": "brog", "style": "melee", **fields})


def ordered(*top: str) -> dict[str, Any]:
    return enrol(top=deck(*top))


STRAIN, WOUND = act("strain", what="a knee"), act("wound", what="a cut")
#: The Wound card w1 lies in the deck, 10 is exhausted.
WOUNDED: list[Step] = [(ordered("10", "11", "12"), {}), (WOUND, {"wound_cards": ["w1"]}), (override(discard=[]), {})]
TWICE_WOUNDED: list[Step] = [
    (ordered("10", "11", "12", "13", "14"), {}),
    (lose(3), {}),
    (WOUND, {}),
    (WOUND, {"wounds": 2, "wound_cards": ["w1", "w2"]}),
    (override(harm=2), {}),
]

SCENARIOS: dict[str, tuple[dict[str, Any], list[Step]]] = {
    "a fresh character": ({}, [(enrol(), FRESH), (enrol("ＢＲＯＧ "), "refused"), (enrol("x" * 61), "invalid")]),
    "what a search that fails saw, in one list (9)": (
        {},
        [
            (enrol(top=MIXED), {}),
            (lose(11, flipped=MIXED), "DH 8"),
            (lose(11, flipped=MIXED + NO_STAMINA[:9]), "DH 8"),
            (lose(11, flipped=[*MIXED, *NO_STAMINA, "0"]), "DH 4"),
            (
                lose(11, flipped=MIXED + NO_STAMINA),
                {"discard": NO_STAMINA, "exhaustion": STAMINA, "deck_count": 0, "incapacitated": True},
            ),
        ],
    ),
    "its reshuffle may be reported (8)": (
        {},
        [(enrol(top=MIXED), {}), (lose(11, shuffled=NO_STAMINA[::-1]), {"discard": NO_STAMINA[::-1]})],
    ),
    "of two shuffles the first is reported (7, 8)": (
        {},
        [
            (enrol(top=deck()), {}),
            (
                lose(11, reshuffle_first=True, shuffled=MIXED),
                {"exhaustion": STAMINA, "deck_count": 0, "incapacitated": True},
            ),
        ],
    ),
    "nothing to search and nothing to flip (1, 9)": (
        {},
        [
            (enrol(), {}),
            (override(exhaustion=list(FRESH_DECK)), {"deck_count": 0, "stamina_left": 0}),
            (act("flip", attribute="strength"), "DH 1"),
            (lose(flipped=["3"]), "DH 4"),
            (lose(flipped=[]), {"incapacitated": True, "exhaustion": list(FRESH_DECK)}),
        ],
    ),
    "the cards of this flip stay out of its reshuffle (1)": (
        {},
        [
            (enrol(top=STAMINA), {}),
            (lose(10), {}),
            (act("flip", attribute="strength", cards=8), {"deck_count": 2}),
            (
                act("flip", attribute="strength", cards=3, shuffled=NO_STAMINA[7::-1]),
                {"discard": ["8", "9", "7"], "deck_count": 7},
            ),
            (act("flip", attribute="strength", cards=12), "DH 1"),
        ],
    ),
    "what a Wound card costs in a breather may be left out of its list (26)": (
        {},
        [
            *WOUNDED,
            (scene("combat"), {"scene": "combat", "foe_superior": False}),
            (act("breather", attribute="intelligence", flipped=["w1", "11"], rolled=2), "DH 14"),
            (
                act("breather", attribute="intelligence", flipped=["w1"], regained=["10"]),
                {"stamina_left": 9, "foe_superior": True},
            ),
            (scene("combat"), {"foe_superior": False}),
        ],
    ),
    "a third strain pays its own point with the last Stamina (17)": (
        {"third_strain": "both"},
        [
            (enrol(), {}),
            (override(harm=2), {}),
            (lose(9), {}),
            (STRAIN, {"incapacitated": True, "harm": 2, "wounds": 1, "wound_cards": ["w1"], "stamina_left": 0}),
        ],
    ),
    "a Wound card met in a search bites until nothing is left (26)": (
        {"wound_card_in_search": "as_flip"},
        [
            *WOUNDED,
            (lose(flipped=["w1", "11"]), "DH 4"),
            (lose(flipped=["w1", "11", "0", "12"]), {"discard": ["w1", "0"]}),
        ],
    ),
    "a rest where fewer cards lie than tokens (21)": (
        {},
        [
            (enrol(top=STAMINA), {}),
            (override(harm=2, wounds=2), {}),
            (lose(2), {}),
            (act("rest", hours=8, kept=["10"]), "DH 21"),
            (act("rest", hours=8, kept=["11", "10"]), {"exhaustion": ["10", "11"], "harm": 1, "deck_count": 18}),
            (act("rest", hours=8, shuffled=list(FRESH_DECK)), "DH 22"),
        ],
    ),
    "healing by magic and by an item, wherever one is (30)": (
        {},
        [
            *TWICE_WOUNDED,
            (scene("combat"), {}),
            (act("heal"), "DH 29"),
            (act("heal", by="magic", days=2), "invalid"),
            (
                act("heal", by="magic", kept=["12"]),
                {"wounds": 1, "harm": 0, "wound_cards": ["w2"], "exhaustion": ["12"]},
            ),
            (act("heal", by="item"), {"wounds": 0, "wound_cards": [], "exhaustion": [], "deck_count": 20}),
        ],
    ),
    "who says so is not what heals (29)": (
        {},
        [
            *TWICE_WOUNDED,
            (act("heal", by="Ann"), "DH 29"),
            (scene("haven"), {}),
            (act("heal", by="Ann"), {"wounds": 1}),
        ],
    ),
    "days that run into each other (23, 34)": (
        {},
        [
            (enrol(), {}),
            (act("rest", hours=8, day=1), {}),
            (act("effort", what="runes", hours=15, day=1), {}),
            (act("effort", what="runes", hours=2, day=1), "DH 23"),
            (scene("haven"), {}),
            (act("heal", day=1), "DH 34"),
            (act("heal", days=2, day=0), "DH 34"),
            (act("heal", days=2, day=2), {}),
            (act("rest", hours=4, day=3), "DH 34"),
            (act("rest", hours=4, day=4), {}),
            ({"type": "undo", "last": 2}, {}),
            (act("rest", hours=4, day=3), {}),
        ],
    ),
    "an override of each field": (
        {},
        [
            (enrol(), {}),
            (override(player="Bo"), {**FRESH, "player": "Bo"}),
            (override(player=None), FRESH),
            (override(attributes={"strength": 4, "dexterity": 1, "intelligence": 2, "luck": 3}), "invalid"),
            (override(attributes={"strength": 4}), "invalid"),
            (
                override(attributes={"strength": 4, "dexterity": 1, "intelligence": 2}),
                {"attributes": {"strength": 4, "dexterity": 1, "intelligence": 2}},
            ),
            (override(wound_cards=["w2", "w1"]), {"wound_cards": ["w1", "w2"], "deck_count": 22}),
            (override(discard=["w1"], exhaustion=["12"]), {"discard": ["w1"], "deck_count": 20, "stamina_left": 9}),
            (override(wound_cards=["w2"]), "DH 1"),
            (override(wound_cards=["w2"], discard=[]), {"deck_count": 20, "wound_cards": ["w2"]}),
            (override(incapacitated=True, incapacitated_means="dead"), {"incapacitated_means": "dead"}),
            (override(incapacitated=False), {"incapacitated": False, "incapacitated_means": None}),
            (override(incapacitated=True), {"incapacitated": True, "incapacitated_means": None}),
        ],
    ),
    "names in other letters": (
        {},
        [
            (enrol(top=STAMINA), {}),
            (enrol("Orik", top=STAMINA), {}),
            (lose() | {"character": " ＢＲＯＧ"}, {"exhaustion": ["10"]}),
            (attack(attacker="BROG", defender="ｏｒｉｋ"), {}),
            (attack(attacker="BROG", defender="brog"), "DH 35"),
            (lose() | {"character": "brok"}, "refused"),
        ],
    ),
}


def as_line(given: Given, line: dict[str, Any]) -> Given:
    """One line through the door of `campaign act`."""
    given.outcome = given.error = None
    try:
        action, about = action_and_author("deckahedron", dict(line))
        given.outcome = given.scribe.record(action, **about)
    except (Refusal, Invalid) as error:
        given.error = error
    return given


@pytest.mark.parametrize("title", list(SCENARIOS))
def test_scenario(title: str) -> None:
    options, steps = SCENARIOS[title]
    given = Given("deckahedron", options=options)
    for line, expected in steps:
        as_line(given, line)
        if expected == "invalid":
            given.invalid()
        elif isinstance(expected, str):
            given.refused(None if expected == "refused" else expected)
        else:
            assert given.error is None, f"{line}: {given.error}"
            table = given.system.shown_table(given.scribe.state())
            shown = given.sheet("brog") | table
            assert {name: shown[name] for name in expected} == expected, line


# -- the table of melee as it is written, both sides

MELEE = (
    "✔✔:✔✔ 1d4/1d4 · ✔✔:✔ 1d4/1 · ✔✔:✗ 1d4/0 · ✔✔:✗✗ 1d4+1/0 wound · ✔:✔✔ 1/1d4 · ✔:✔ 1/1 · ✔:✗ 1d4/0 · "
    "✔:✗✗ 1d4/0 harm · ✗:✔✔ 0/1d4 gear · ✗:✔ 0/1 · ✗:✗ 0/0 · ✗:✗✗ 0/0 · ✗✗:✔✔ 0/1d4 · ✗✗:✔ 0/1d4 gear · "
    "✗✗:✗ 0/0 · ✗✗:✗✗ 0/0"
)
#: At rank 1 these cards show each result.
SHOWING = {"✔✔": "10", "✔": "9", "✗": "4", "✗✗": "0"}


@pytest.mark.parametrize("entry", MELEE.split(" · "))
def test_35_an_entry_of_the_table_with_its_dice_and_its_choice(entry: str) -> None:
    results, costs, *choice = entry.split(" ")
    mine, theirs = results.split(":")
    dice, losses = [], []
    for cost, die in zip(costs.split("/"), (3, 2), strict=True):
        dice += [die] if cost.startswith("1d4") else []
        losses.append({"1d4": die, "1d4+1": die + 1}.get(cost) if cost.startswith("1d4") else int(cost))
    given = Given("deckahedron")
    for name in ("brog", "Orik"):
        given.when(enrol(name, strength=1, top=()))
    shown = {"defender": "Orik", "flipped": [SHOWING[mine]], "defender_flipped": [SHOWING[theirs]]}
    given.when(attack(**shown, rolled=[*dice, 1])).refused("DH 35")
    if dice:
        given.when(attack(**shown, rolled=dice[1:])).refused("DH 35")
    for other in {"wound", "harm", "gear"} - set(choice):
        given.when(attack(**shown, choice=other)).refused("DH 35")
    left = [10 - (loss or 0) for loss in losses]
    given.when(attack(**shown, rolled=dice)).has("Orik", stamina_left=left[0]).has("brog", stamina_left=left[1])
    for which in choice:
        given.when({"type": "undo"}).when(attack(**shown, choice=which))
        fields = {"wound": {"wounds": 1}, "harm": {"harm": 1}, "gear": {"stamina_left": 10}}[which]
        given.has("brog" if which == "gear" else "Orik", **fields)


# -- the order of the deck


def keys_in(value: Any) -> set[str]:
    """Every key of a JSON value, at any depth."""
    if isinstance(value, dict):
        return set(value) | {key for each in value.values() for key in keys_in(each)}
    return {key for each in value for key in keys_in(each)} if isinstance(value, list | tuple) else set()


def test_no_answer_and_no_reading_holds_the_order_of_the_deck() -> None:
    order, another = (Random(seed).sample(FRESH_DECK, 20) for seed in (1, 2))
    first = enrol(top=order)
    lost = lose(reshuffle_first=True, shuffled=another)
    given = brog(order, lost)
    answers = []
    for line in (
        lose(11),
        {"type": "amend", "turn": 2, "action": first | {"deck": another}},
        {"type": "amend", "turn": 3, "action": lost | {"shuffled": order}},
        {"type": "undo", "turns": [2], "conflicts": "keep"},
        {"type": "redo"},
        override(discard=["3"], exhaustion=[]),
        {"type": "ruling", "rule": "9", "text": "early", "set": {"incapacitated_when": "none_left"}, "since": "T1"},
    ):
        as_line(given, line)
        assert given.error is None
        assert given.outcome is not None
        answers.append(answer_json(given.system, given.outcome.turn))
    assert any("turn.redecided" in str(answer) for answer in answers)
    read = [entry.as_json() for entry in chronicle(given.system, given.log)]
    sheets = [given.sheet("brog"), msgspec.to_builtins(given.system.shown_table(given.scribe.state()))]
    for key in keys_in([answers, read, sheets]):
        assert key not in ("deck", "shuffled", "seed")
        assert not key.endswith(UNSEEN)
    assert any(getattr(event, "deck", None) for each in tell(given.log) for event in each.facts)  # it is on record


def test_a_dry_run_leaves_no_trace_and_tells_nobody_what_lies_on_top() -> None:
    given = brog(MIXED)
    action = action_and_author("deckahedron", lose(10))[0]
    seen = set()
    for _ in range(3):
        (lost,) = given.scribe.record(action, dry_run=True).turn.events
        seen.add(lost.flipped)  # type: ignore[attr-defined]
    assert len(seen) == 3
    assert tuple(MIXED[:19]) not in seen
    given.when(lose(10)).has("brog", discard=NO_STAMINA[:9], exhaustion=STAMINA)


# -- what is said, and by whom


def test_the_author_of_a_healing_stands_beside_what_heals() -> None:
    action, about = action_and_author("deckahedron", act("heal", by="item", at="2026-01-01T10:00:00+00:00"))
    assert (action.by, list(about)) == ("item", ["at"])
    action, about = action_and_author("deckahedron", act("heal", by="Ann"))
    assert (action, about) == (Heal(character="brog"), {"by": "Ann"})
    action, about = action_and_author("deckahedron", act("heal", by=None))
    assert (action, about) == (Heal(character="brog"), {})
    with pytest.raises(Invalid):
        action_and_author("deckahedron", act("heal", by=5))


def test_on_the_command_line_the_verb_keeps_its_own_by() -> None:
    from cli.shell.verbs import verb

    for kind, said_by in ((Heal, "--said-by"), (type(action_and_author("deckahedron", STRAIN)[0]), "--by")):
        names = [name for parameter in verb("deckahedron", kind).params for name in parameter.opts]
        assert names.count("--by") == 1
        assert said_by in names


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([act("rest", hours=1)], "Brog cannot rest in 1 hour; it takes 4."),
        (
            [act("effort", what="x", hours=23, day=1), act("effort", what="x", hours=3, day=1)],
            "has 1 hour left on day 1",
        ),
        ([override(incapacitated=True), STRAIN], "Brog is incapacitated and cannot take a strain."),
        ([attack(foe="Wolf", foe_result="x", flipped=["0"], rolled=[1])], "This attack calls for no d4, not 1."),
    ],
)
def test_refusals_are_plain_english(lines: list[dict[str, Any]], said: str) -> None:
    given = brog((), *lines[:-1]).when(lines[-1])
    assert isinstance(given.error, Refusal)
    assert said in given.error.reason


@pytest.mark.parametrize(
    ("mine", "foe", "choice", "said"),
    [
        ("✔✔", "xx", None, "✔✔ against ✗✗, which costs the wolf 4 Stamina."),
        ("✔✔", "xx", "wound", "✔✔ against ✗✗, which gives the wolf a Wound."),
        ("✗", "vv", "gear", "✗ against ✔✔, so Brog drops gear."),
        ("✔", "v", None, "✔ against ✔, which costs the wolf 1 Stamina and Brog 1 Stamina."),
        ("✗", "x", None, "✗ against ✗. They clash and nobody is hurt."),
        ("✔", None, None, "✔, unopposed, which costs the wolf 3 Stamina."),
    ],
)
def test_an_attack_says_what_it_costs(mine: str, foe: str | None, choice: str | None, said: str) -> None:
    given = Given("deckahedron").when(enrol(strength=1, top=()))
    dice = [3] if "3 Stamina" in said or "4 Stamina" in said else []
    given.when(attack(foe="the wolf", foe_result=foe, flipped=[SHOWING[mine]], choice=choice, rolled=dice))
    assert f"Brog attacks the wolf in melee: {said}" in told(given)


def test_a_name_of_two_words_is_quoted_in_the_command_that_is_proposed() -> None:
    given = Given("deckahedron").when(enrol("Old Tom")).when(override(name="Old Tom", incapacitated=True))
    (matter,) = given.system.open_matters(given.scribe.state(), "Old Tom")
    assert "storyteller 'Old Tom' " in matter
