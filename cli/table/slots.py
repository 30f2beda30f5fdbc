"""The open slots of a line: which one is asked for next, what it may hold, and the line with its answer."""

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from cli.line.guiding import Candidate, Slot
from cli.line.words import quote
from cli.table.table import OpenTable
from domain.system.field_schema import NEW, fields_of
from domain.system.type_descriptions import either


class OpenSlot(Struct, frozen=True):
    """A field that a line still needs, and what is known of it."""

    slot: Slot
    #: what it means
    help: str
    #: the index in the line at which its answer is typed
    place: int
    #: what may be chosen for it, as it is typed; and whether nothing else is right
    values: tuple[Candidate, ...] = ()
    is_closed: bool = False
    #: whether somebody new may be named, who is added first
    takes_new: bool = False
    #: the other fields of which one may be said instead, as they are typed: `gold=…`, `sacrifice`
    instead: tuple[str, ...] = ()
    #: whether it may be left out
    is_optional: bool = False
    #: whether it is the name of somebody or something new
    is_name: bool = False
    #: whether it names people who are there
    is_whom: bool = False

    @property
    def question(self) -> str:
        """The question for it: its name, and what it means."""
        question = f"{self.slot.label}: {self.help}" if self.help else self.slot.label
        question += "; for a new one type new NAME" if self.takes_new else ""
        question += f"; or {either(self.instead)}" if self.instead else ""
        return f"{question} (optional: Enter leaves it out)" if self.is_optional else question


def open_slot(table: OpenTable, text: str) -> tuple[str, OpenSlot] | None:
    """The line with room for the first field that it still needs, and that field; None: it needs none."""
    return _with_room(table, text, table.missing(text))


def wanted_slot(table: OpenTable, text: str, left_out: Collection[str]) -> tuple[str, OpenSlot] | None:
    """The next optional field that people usually fill in, except `left_out`."""
    kind = table.kind_of(text)
    wanted = {field.key for field in fields_of(kind) if field.wanted} if kind is not None else set()
    wanted -= set(left_out)
    if not wanted or table.preview(text).kind != "would":
        return None
    keys = [slot.key for slot in table.guide(f"{text} ", len(text) + 1).slots if slot.key in wanted and not slot.text]
    found = _with_room(table, text, keys)
    return None if found is None else (found[0], replace(found[1], is_optional=True))


def _with_room(table: OpenTable, text: str, keys: Collection[str]) -> tuple[str, OpenSlot] | None:
    """The line with room for the first of these fields that is open, and that field; None where none is.

    The answer stands behind the verb where it says whom the line is about, else behind the values, before the words.
    """
    if not keys:
        return None
    first = max(1, table.end_of_verb(text))
    ends = [at for at in range(first, len(text)) if text[at].isspace() and not text[at - 1].isspace()]
    found = None
    for at in (*ends, len(text.rstrip())):
        before = f"{text[:at].rstrip()} "
        slots = table.guide(before, len(before)).slots
        slot = next((slot for slot in slots if slot.key in keys and not slot.text), None)
        if slot is None or any(other.words and other.text for other in slots):
            continue
        behind = text[at:].strip()
        # parted from what follows while the answer is typed, too
        found = f"{before} {behind}" if behind else before, _described(table, text, slot, len(before))
        if slot is slots[0]:
            break
    return found


def _described(table: OpenTable, text: str, slot: Slot, place: int) -> OpenSlot:
    kind = table.kind_of(text)
    field = next((field for field in fields_of(kind) if field.key == slot.key), None) if kind is not None else None
    values = table.values_of(text, slot, place)
    if field is None:
        return OpenSlot(slot, "", place, values)
    is_any = field.one.shape in ("text", "any") and field.names not in ("character", "ally") and not field.turn
    is_closed = not is_any or field.one.values is not None or field.added_by is not None
    others = (other for other in fields_of(kind) if other.key in field.unless) if kind is not None else ()
    instead = tuple(other.key if other.kind.shape == "flag" else f"{other.key}=…" for other in others)
    takes_new, is_name, is_whom = field.added_by is not None, field.names == NEW, field.names == "character"
    found = OpenSlot(slot, field.description, place, values, is_closed, takes_new, instead)
    return replace(found, is_name=is_name, is_whom=is_whom)


def with_answer(table: OpenTable, text: str, asked: OpenSlot, answer: str) -> tuple[str, int]:
    """The line with an answer in the open slot, and the index behind it.

    It stands there as it was typed if it is read as that; otherwise by the name of the field, and in quotes.
    """
    before, behind = text[: asked.place], text[asked.place :].removeprefix(answer).strip()
    ways = [answer, f"{asked.slot.key}={answer}", f"{asked.slot.key}={quote(answer)}"]
    labels = {value.label.casefold(): value.as_word for value in asked.values if value.label}
    if answer.casefold() in labels:
        ways.insert(0, labels[answer.casefold()])
    if asked.is_name and any(word.isdecimal() for word in answer.split()):
        ways = [answer]  # a name with what belongs to other fields behind it
    is_text = not (asked.is_closed or asked.slot.words or "=" in answer)
    if is_text and any(slot.words for slot in table.guide(before, len(before)).slots):
        ways.insert(0, quote(answer, always=True))  # so that it ends where the words begin
    names = [name.strip() for name in answer.split(",")]
    if asked.is_closed and len(names) > 1 and any(" " in name for name in names):
        ways.insert(0, " ".join(map(quote, names)))
    for way in ways:
        line = f"{before}{way} {behind}".rstrip()
        if is_filled(table, line, asked, answer):
            return line, len(before) + len(way)
    return f"{before}{answer} {behind}".rstrip(), len(before) + len(answer)


def what_is_wrong(table: OpenTable, line: str, asked: OpenSlot, answer: str) -> str:
    """Why an answer cannot stand in the slot of a line: it is no value of it, or no line with it can be done.

    A name with words behind it is a sentence that was typed too early. "" where nothing is wrong with it.
    """
    is_right = is_filled(table, line, asked, answer)
    if is_right and asked.is_whom:
        words = [slot.text for slot in table.guide(f"{line} ", len(line) + 1).slots if slot.words and slot.text]
        if any(text in answer for text in words):
            return f"Only {asked.slot.label} is asked for here, and {words[0]!r} is more than that."
    return table.unfit(line, asked.slot.key) if is_right else table.preview(line).text


def is_filled(table: OpenTable, line: str, asked: OpenSlot, answer: str) -> bool:
    """Whether the slot of a line is filled, and by all of the answer where it takes words; or need not be filled."""
    slot = asked.slot
    texts = {there.key: there.text for there in table.guide(f"{line} ", len(line) + 1).slots}
    text = texts.get(slot.key)
    if not text:  # unless another field is said instead
        is_instead = any(texts.get(way.partition("=")[0]) for way in asked.instead)
        return is_instead or ("=" in answer and not slot.required and table.preview(line).kind == "would")
    is_whole = not slot.words or answer.strip('"') in text or text in answer
    return is_whole and slot.key not in table.missing(line)
