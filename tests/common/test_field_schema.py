"""What the types of an action's fields say, read once for everybody who asks."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from domain.common import ACTIONS as COMMON
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.joining import Enrol
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.recovering import Recover
from domain.osr.injuries import InjurySaves
from domain.osr.rests import ShortRest
from domain.registry import SYSTEMS, system_of
from domain.system.field_schema import Kind, fields_of, kind_of
from domain.turn import Action, Name


def field(action: type[Action], key: str) -> Any:
    return next(field for field in fields_of(action) if field.key == key)


def test_a_field_is_called_as_json_calls_it() -> None:
    assert [field.key for field in fields_of(Enrol)][:3] == ["character", "player", "class"]
    assert field(Enrol, "class").name == "class_"


def test_what_stands_further_out_says_more_and_none_is_no_value() -> None:
    bounded = Annotated[int, Meta(ge=0, le=9, description="inner", extra={"rule": "1", "one": 1})]
    kind = kind_of(Annotated[bounded | None, Meta(le=5, description="outer", extra={"one": 2})])
    assert (kind.shape, kind.bounds) == ("number", {"ge": 0, "le": 5})
    assert (kind.description, kind.extra) == ("outer", {"rule": "1", "one": 2})


def test_a_thing_that_is_meant_by_number_or_name_is_a_reference() -> None:
    assert field(Perform, "card").kind.reference
    assert field(Recover, "cards").kind.item.reference
    assert not field(Recover, "up_to").kind.reference and not field(Perform, "half").kind.reference


def test_names_are_found_in_values_in_lists_and_in_keys() -> None:
    assert field(ShortRest, "characters").names == "character"
    assert field(Damage, "character").names == "character"
    assert field(Enrol, "character").names == "new character"
    rolled = field(ShortRest, "rolled")
    assert rolled.names is None and rolled.keyed_by_names and rolled.keyed_by == "characters"
    assert not field(InjurySaves, "stat_loss").keyed_by_names


def test_a_choice_tells_its_values_and_a_flag_is_none() -> None:
    assert field(Perform, "half").kind.choices == ("top", "bottom")
    assert field(Perform, "basic").kind.shape == "flag" and field(Perform, "basic").default is False
    assert kind_of(Literal[1, 2]).choices == (1, 2)


def test_maps_and_lists_say_what_is_in_them() -> None:
    kind = kind_of(dict[Name, tuple[int, ...]])
    assert (kind.shape, kind.keys, kind.item) == ("map", kind_of(Name), Kind("list", item=Kind("number")))


def test_every_field_of_every_action_is_of_a_known_shape() -> None:
    """`any` is only where JSON of any shape is meant: a map of sheet fields or options, an amended action, a class."""
    loose = {
        (action.__struct_config__.tag, field.key)
        for rules in SYSTEMS
        for action in (*COMMON, *system_of(rules).actions)
        for field in fields_of(action)
        if field.kind.shape in ("any", "object") or (field.kind.item is not None and field.kind.item.shape == "any")
    }
    assert loose == {
        ("campaign.start", "options"),
        ("campaign.start", "inherits"),
        ("ruling", "set"),
        ("amend", "action"),
        ("override", "set"),
        ("sheet.check", "expect"),
        ("gloomhaven.enrol", "class_data"),
        ("gloomhaven.learn", "data"),
    }
