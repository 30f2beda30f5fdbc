"""Lines about tracked values: `track hob gold +75`, and tracked names as verbs."""

import pytest

from cli.line.errors import LineError
from cli.line.guiding import guide
from cli.line.spelling import line_of
from domain.common.tracking import Track
from domain.osr.hit_points import Enrol
from tests.kit.given import Given
from tests.kit.lines import QUESTIONS, context, means, misread, one, understood


@pytest.fixture
def kept(osr: Given) -> Given:
    """Brog and Wen have gold, the table counts days, Ada has armour and silver coins."""
    for fields in (
        {"character": "brog", "name": "gold", "value": 165},
        {"character": "Wen", "name": "gold", "value": 5},
        {"name": "day", "value": 14},
        {"character": "Ada", "name": "armour", "value": "leather"},
        {"character": "Ada", "name": "silver coins", "value": 3},
        {"character": "Ada", "name": "note", "value": 3},
    ):
        osr.and_given(Track(**fields))
    return osr


@pytest.mark.parametrize(
    ("line", "typed_line"),
    [
        ("track brog gold +75 the chest", {"character": "brog", "name": "gold", "change": 75, "source": "the chest"}),
        ("track gold brog +75", {"character": "brog", "name": "gold", "change": 75}),
        ("gold brog +75 the chest", {"character": "brog", "name": "gold", "change": 75, "source": "the chest"}),
        ("brog gold 240", {"character": "brog", "name": "gold", "value": 240}),
        ("brog gold +75 the chest", {"character": "brog", "name": "gold", "change": 75, "source": "the chest"}),
        ("GOLD brog 240", {"character": "brog", "name": "gold", "value": 240}),
        ("gold brog = 240", {"character": "brog", "name": "gold", "value": 240}),
        ("track brog gold=240", {"character": "brog", "name": "gold", "value": 240}),
        ("gold brog -500 debt the inn", {"character": "brog", "name": "gold", "change": -500, "debt": True,
                                        "source": "the inn"}),
        ("day +1", {"name": "day", "change": 1}),
        ("track day 15", {"name": "day", "value": 15}),
        ("track fund +5", {"name": "fund", "change": 5}),
        ('track ada armour "chain, AC 5"', {"character": "Ada", "name": "armour", "value": "chain, AC 5"}),
        ("armour chain and shield", {"character": "Ada", "name": "armour", "value": "chain and shield"}),
        ("track ada silver coins -1", {"character": "Ada", "name": "silver coins", "change": -1}),
        ('track ada "copper coins" 9', {"character": "Ada", "name": "copper coins", "value": 9}),
        ("gold brog drop", {"character": "brog", "name": "gold", "drop": True}),
        ("track drop brog gold he lost it", {"character": "brog", "name": "gold", "drop": True,
                                             "source": "he lost it"}),
        ("track pin gold", {"name": "gold", "pin": True}),
        ("track unpin silver coins", {"name": "silver coins", "pin": False}),
        ("gold unpin", {"name": "gold", "pin": False}),
        ("track --name gold --character brog --change 5", {"character": "brog", "name": "gold", "change": 5}),
    ],
)  # fmt: skip
def test_a_line_is_a_turn(kept: Given, line: str, typed_line: dict[str, object]) -> None:
    assert one(kept, line) == typed_line


@pytest.mark.parametrize(
    ("line", "typed_line"),
    [
        ("track 'Sir Tom' gold +1", {"character": "Sir Tom", "name": "gold", "change": 1}),
        ("track 'Sir Tom' gold 3", {"character": "Sir Tom", "name": "gold", "value": 3}),
        ("gold 'sir tom' +2", {"character": "Sir Tom", "name": "gold", "change": 2}),
        ("track sir tom armour chain mail", {"character": "Sir Tom", "name": "armour", "value": "chain mail"}),
        ("track leader 'Sir Tom'", {"name": "leader", "value": "Sir Tom"}),
        ("track wen friend 'Sir Tom'", {"character": "Wen", "name": "friend", "value": "Sir Tom"}),
    ],
)
def test_a_name_of_several_words_is_somebody_s_in_quotes_too(
    kept: Given, line: str, typed_line: dict[str, object]
) -> None:
    kept.and_given(Enrol(character="Sir Tom", rolled=(5,)))
    assert one(kept, line) == typed_line


def test_several_people_are_several_turns(kept: Given) -> None:
    changes = [(action["character"], action["change"]) for action in means(kept, "gold brog,wen +5 the guild")]
    assert changes == [("brog", 5), ("Wen", 5)]
    assert [action["character"] for action in means(kept, "gold all +10")] == list(context(kept).able())
    each_their_own = means(kept, "gold brog +5 wen +7 the guild")
    assert [(action["character"], action.get("change"), action.get("value")) for action in each_their_own] == [
        ("brog", 5, None), ("Wen", 7, None),
    ]  # fmt: skip
    assert {action["source"] for action in each_their_own} == {"the guild"}


def test_a_word_that_is_a_verb_or_a_question_stays_that(kept: Given) -> None:
    assert means(kept, "note 4") == [{"type": "note", "text": "4"}]
    assert one(kept, "track ada note +1")["name"] == "note"
    kept.and_given(Track(character="brog", name="stats", value=1))
    question = understood(kept, "stats").question
    assert question is not None and question.command == "stats"


def test_a_sign_begins_nothing_that_is_kept(kept: Given) -> None:
    with pytest.raises(LineError):
        understood(kept, "+ brog 3")


def test_the_whole_name_is_needed(kept: Given) -> None:
    misread(kept, "gol brog +5", "no verb 'gol'")


def test_it_is_told_late_and_by_somebody(kept: Given) -> None:
    meant = understood(kept, "gold brog +5 bread after T9 ")
    assert meant.manner == {"after": "T9"} and meant.actions[0].source == "bread"  # type: ignore[attr-defined]
    assert understood(kept, "gold brog +5 --by Mia").manner == {"by": "Mia"}


def test_drop_is_its_field_where_no_value_stands_and_drop_later_is_not(kept: Given) -> None:
    assert one(kept, "track brog gold --drop") == {"character": "brog", "name": "gold", "drop": True}
    late = understood(kept, "gold brog --drop --after T9")
    assert late.manner == {"after": "T9"} and late.actions[0].drop  # type: ignore[attr-defined]
    for option, how in (("--drop", "drop"), ("--drop-later", "drop"), ("--keep", "keep"), ("--keep-later", "keep")):
        meant = understood(kept, f"gold brog +5 {option} --after T9")
        assert meant.manner == {"after": "T9", "conflicts": how}, option
        assert not meant.actions[0].drop  # type: ignore[attr-defined]
    meant = understood(kept, "track --name gold --character brog --drop --drop-later --after T9")
    assert meant.manner == {"after": "T9", "conflicts": "drop"} and meant.actions[0].drop  # type: ignore[attr-defined]


def test_a_turn_is_amended_like_any_other(kept: Given) -> None:
    (amend,) = means(kept, "T8 value=170")
    assert amend["action"]["value"] == 170
    (amend,) = means(kept, "T8 = gold brog +5")
    assert amend["action"] == {"type": "track", "character": "brog", "name": "gold", "change": 5}


@pytest.mark.parametrize(
    "action",
    [
        Track(character="brog", name="silver coins", change=-3, debt=True, source="the inn, +2 later"),
        Track(name="day", value=14),
        Track(character="Ada", name="spells", value='Light "and" Sleep'),
        Track(character="Ada", name="armour", drop=True, source="stolen"),
        Track(name="silver coins", pin=False),
        Track(character="brog", name="debt", change=3, source="debt of honour"),
        Track(character="brog", name="12", value=3),
    ],
)
def test_each_is_written_as_a_line_that_means_it(kept: Given, action: Track) -> None:
    line = line_of(context(kept), action)
    assert understood(kept, line).actions == (action,), line


def test_names_are_completed(kept: Given) -> None:
    def ways(text: str) -> list[str]:
        return [way.text for way in guide(text, len(text), context(kept), QUESTIONS).candidates]

    assert "gold" in ways("go") and "silver coins" in ways("silv")
    assert "brog" in ways("gold b") and "gold" in ways("track brog g") and ways("gold brog +5 ") == []


def test_a_name_behind_the_number_says_whose_it_is(kept: Given) -> None:
    for line, way in (
        ("gold -4 wen", "gold Wen -4"),
        ("track gold +20 brog the chest", "gold brog +20 the chest"),
    ):
        with pytest.raises(LineError, match="Whose gold") as error:
            understood(kept, line)
        assert error.value.nearest == (way,), line


def test_a_number_of_the_sheet_is_led_to_the_line_that_takes_it(kept: Given) -> None:
    misread(kept, "check-sheet brog gold 165", "Like: check-sheet brog gold=165.")
    misread(kept, "brog +1", "with the reason: override brog hp=12 and why.")
