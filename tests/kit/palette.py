"""The way from the empty line to a recorded turn by the palette and the slots alone, with its keys counted."""

from typing import Any

from cli.line.words import quote

from .typed import Typed

#: Keys on the way of one verb, beside what is typed as text.
MOST_KEYS = 12
#: What is read from a file, and typed by nobody.
OF_A_FILE = ("learn",)


def begun(typed: Typed, verb: str, values: dict[str, Any]) -> None:
    """Choose a verb in the palette, or what the table waits for by it, by as few letters as single it out."""

    def is_meant(line: str) -> bool:
        said = line.removeprefix(verb)
        return (
            line.startswith(verb)
            and (not said or said[0] == " ")
            and set(said.split()) <= set(map(str, values.values()))
        )

    for letters in range(1, len(verb) + 1):
        count = typed.count
        typed.keys(f"⏎{verb[:letters]}")
        for _ in range(2):
            if not is_meant(typed.lit):
                typed.keys("↓")
        if is_meant(typed.lit):
            break
        typed.keys("⎋" * 3)
        typed.count = count
    assert is_meant(typed.lit), (verb, typed.listed, typed.dimmed.get(verb))
    typed.keys("⏎")


def filled(typed: Typed, verb: str, values: dict[str, Any]) -> int:
    """Answer each slot that is asked for, and say the rest by name; return how many keys were text."""
    left, text_keys = with_dice_behind_names(values), 0
    while typed.asked is not None:
        key = typed.asked.slot.key
        if typed.asked.is_optional and key not in left:
            typed.keys("⏎")
            continue
        others = [other for other in (way.partition("=")[0] for way in typed.asked.instead) if other in left]
        assert key in left or others, f"{verb} asks for {key} in {typed.text!r}"
        answer = written(left.pop(key)) if key in left else said(others[0], left.pop(others[0]))
        before = typed.text
        if typed.asked.is_closed and answer in typed.listed:
            letters = iter(answer)
            while typed.lit != answer and (letter := next(letters, None)) is not None:
                typed.keys(letter)
            assert typed.lit == answer, (verb, key, answer, typed.text, typed.listed)
        else:
            typed.keys(answer)
            text_keys += len(answer)
            if not any(slot.required and not slot.text and slot.key in left for slot in typed.guidance.slots):
                text_keys += said_by_name(typed, left)
        typed.keys("⏎")
        assert typed.text != before or typed.asked is None, (verb, key, answer, typed.said)
    return text_keys + said_by_name(typed, left)


def said_by_name(typed: Typed, values: dict[str, Any]) -> int:
    """Type what is left by its name."""
    whom = typed.guidance.slots[0] if typed.guidance.slots else None
    if whom is not None and whom.text == values.get(whom.key):  # it is known who is meant
        del values[whom.key]
    if typed.table.unseen_from(typed.text) is not None:
        more = " ".join(quote(written(value)) for value in values.values())
    elif typed.asked is None and not typed.guidance.slots:  # as behind amend, which has the fields of another verb
        more = " ".join(values.values())
    else:
        more = " ".join(said(key, value) for key, value in values.items())
    values.clear()
    if more and not typed.text.endswith(" "):
        more = f" {more}"
    typed.keys(more)
    return len(more)


def with_dice_behind_names(values: dict[str, Any]) -> dict[str, Any]:
    """The values with the dice of each person behind the name, as a line has them."""
    dice = {key.partition(".")[2]: value for key, value in values.items() if key.startswith("rolled.")}
    others = {key: value for key, value in values.items() if not key.startswith("rolled.")}
    for key in [key for key in others if "." in key]:  # a form has a field for each, a line one that takes them all
        field, _, name = key.partition(".")
        pair = f"{name}={quote(written(others.pop(key)))}"
        others[field] = f"{others[field]} {pair}" if field in others else pair
    if dice:
        others["characters"] = " ".join(f"{name} {written(dice[name])}" for name in values["characters"])
    return others


def said(key: str, value: Any) -> str:
    """A value that no slot asked for: by its name, or as the names of a list, which need none."""
    if isinstance(value, list) and any(" " in item for item in value):
        return " ".join(map(quote, value))
    text = written(value)
    return f"{key}={text if isinstance(value, list) else quote(text)}"


def written(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, str) and value.replace(" ", "").isdecimal():
        return value.replace(" ", ",")
    return ",".join(value) if isinstance(value, list) else str(value)


def walk(typed: Typed, verb: str, values: dict[str, Any]) -> None:
    """From the empty line to a turn."""
    before, typed.count, typed.script = typed.table.log.last(), 0, ""
    assert typed.text == ""
    begun(typed, verb, values)
    text_keys = filled(
        typed, verb, {key: value for key, value in values.items() if str(value) not in typed.text.split()}
    )
    if typed.text:
        typed.keys("⏎")
    while typed.question is not None:
        typed.keys(typed.question_keys[0])
    assert typed.table.log.last() > before, (verb, typed.text, typed.said, typed.preview)
    assert typed.count - text_keys <= MOST_KEYS, (verb, typed.count, text_keys, typed.script)
