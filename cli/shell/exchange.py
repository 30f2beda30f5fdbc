"""The export format: a header, each turn as a line of JSON, and a seal; its writer, and its strict reader."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from typing import Annotated, Any, BinaryIO

import msgspec
from msgspec import UNSET, Meta, Struct

from cli.shell.jsonlines import lines_of, strict_object
from cli.store.stored_log import StoredLog
from cli.terminal.screen import complain, json_text
from domain.common.revisions import Amend
from domain.common.rulings import Ruling
from domain.common.sheets import SheetOverridden, as_field
from domain.common.start import CampaignStart, CampaignStarted
from domain.log.hash_chain import Seal, seal_from
from domain.log.points import number_in
from domain.log.port import DamagedLog, Log
from domain.refusal import Invalid
from domain.registry import record_types, system_of
from domain.registry.newer import holds_unknown
from domain.system.chance import COUNTED
from domain.system.installed import is_installed, missing
from domain.system.rulesystem import RuleSystem
from domain.turn import Turn, TurnRedecided, TurnUndone, packed, same, unsound
from projections.difference import differences

#: The kind and version in the header of an export.
KIND = "campaign-log"
VERSION = 2
#: The key under which a line holds the stored bytes of a turn, if today it would be stored in other bytes.
STORED = "stored"
#: Bytes of one turn, and turns, that an import takes: more than any real campaign, less than fills a memory.
LONGEST_TURN = 16_000_000
MOST_TURNS = 1_000_000


class Header(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of an export."""

    format: str
    version: int
    campaign: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    name: str
    rules: str
    rules_version: Annotated[int, Meta(ge=1)]
    turns: Annotated[int, Meta(ge=1)]


def export_lines(log: Log, system: RuleSystem, upto: int, seal: Seal | None = None) -> Iterator[str]:
    """The lines of an export: the header, the turns up to `upto`, and the seal of the last one if given.

    If the rules are not installed, the turns are exported as they are stored, without decoding them by their rules.
    """
    first = next(log.read(upto=1), None)
    if first is None:  # something else was written over it since it was opened
        raise DamagedLog("Turn T1 is missing.")
    start = first.facts[0]
    assert isinstance(first.action, CampaignStart)
    assert isinstance(start, CampaignStarted)
    header = Header(
        format=KIND,
        version=VERSION,
        campaign=log.campaign_id,
        name=first.action.name,
        rules=system.key,
        rules_version=start.version,
        turns=upto,
    )
    # control characters are escaped, which changes the bytes but not the JSON value
    yield json_text(header)
    for number, line in enumerate(_turn_lines(log, upto), 1):
        if len(line.encode()) > LONGEST_TURN:
            complain(f"T{number} is longer than an import takes ({LONGEST_TURN:,} bytes).")
        yield line
    if seal is not None:
        yield json_text({"seal": str(seal)})


def _turn_lines(log: Log, upto: int) -> Iterator[str]:
    if not isinstance(log, StoredLog):
        yield from map(json_text, log.read(upto=upto))
    elif not is_installed(log.rules):
        yield from (json_text(msgspec.msgpack.decode(state)) for _, _, state in log.rows(upto))
    else:
        for turn, (_, _, state) in zip(log.read(upto=upto), log.rows(upto), strict=True):
            # an earlier version laid the same record out in other bytes, and the links are over those
            line, is_older = json_text(turn), packed(turn) != state and _is_record_of(turn, state)
            yield f'{line[:-1]},"{STORED}":"{b64encode(state).decode()}"}}' if is_older else line


def _is_record_of(turn: Turn, state: bytes) -> bool:
    """Whether these bytes hold what the turn holds, however they are laid out."""
    return same(msgspec.msgpack.decode(state), msgspec.msgpack.decode(packed(turn)))


class ExportReader:
    """Reads an export: the header at once, the turns one by one, each checked before it is yielded."""

    def __init__(self, stream: BinaryIO) -> None:
        self._lines = enumerate(lines_of(stream, LONGEST_TURN), 1)
        self._ids: set[str] = set()
        self.header = self._at_line(1, self._read_header)
        #: The seal in the last line, once all lines are read; None in exports of branches and of older versions.
        self.seal: Seal | None = None
        #: The bytes of the turns that were stored in others than they would be today, by their numbers.
        self.stored_bytes: dict[int, bytes] = {}

    def turns(self) -> Iterator[Turn]:
        """The turns. Raises Invalid, which names the line, at the first that is not valid."""
        self._system = system_of(self.header.rules)
        self._kind = record_types(self.header.rules)
        # folded only to find out whether the events fold; the state is thrown away
        self._state = self._system.opening()
        #: The version of the rules at the current turn.
        self._version = self.header.rules_version
        number = 0
        for at, line in self._lines:
            if line is not None and not line.strip():
                continue
            if number == self.header.turns and self.seal is None:
                self.seal = self._at_line(at, lambda line=line: self._read_seal(line))  # type: ignore[misc]
                continue
            number += 1
            yield self._at_line(at, lambda line=line, number=number: self._turn(line, number))  # type: ignore[misc]
        if number < self.header.turns:
            raise Invalid(
                f"The file ends after T{number}, but its first line promises {self.header.turns} turns:"
                " it was cut short. Nothing was imported."
            )

    def _at_line(self, at: int, reader: Callable[[], Any]) -> Any:
        try:
            return reader()
        except Invalid as error:
            raise Invalid(f"Line {at}: {error.reason} Nothing was imported.") from None

    def _read_header(self) -> Header:
        _, line = next(self._lines, (1, b""))
        if line is not None and not line.strip():
            raise Invalid("There is no header; an import is a file that `campaign export` wrote.")
        value = strict_object(line)
        if value.get("format") != KIND:
            raise Invalid("Not an export file: an import is a file that `campaign export` wrote.")
        if isinstance(value.get("version"), int) and value["version"] > VERSION:
            raise Invalid("It was written by a newer version of campaign; update yours to import it.")
        if wrong := unsound(value):
            raise Invalid(f"The header cannot hold {wrong}.")
        try:
            header = msgspec.convert(value, Header)
        except msgspec.ValidationError as error:
            raise Invalid(f"The first line is not a valid header: {_plain(error)}.") from None
        if not is_installed(header.rules):
            raise Invalid(f"It is played under {missing(header.rules)}")
        if header.rules_version > system_of(header.rules).version:
            raise Invalid(f"It is played under a newer version of the {header.rules} rules; update campaign.")
        if header.turns > MOST_TURNS:
            raise Invalid(f"It promises {header.turns:,} turns; an import takes at most {MOST_TURNS:,}.")
        return header

    def _read_seal(self, line: bytes | None) -> Seal:
        value = strict_object(line) if line is not None else {}
        if set(value) != {"seal"} or not isinstance(value["seal"], str):
            raise Invalid(f"This is one turn more than the {self.header.turns} that the first line promises.")
        return seal_from(value["seal"])

    def _turn(self, line: bytes | None, number: int) -> Turn:
        if number > self.header.turns:
            raise Invalid(f"This is one turn more than the {self.header.turns} that the first line promises.")
        if line is None:
            raise Invalid(f"The turn is longer than {LONGEST_TURN:,} bytes.")
        value = strict_object(line)
        if wrong := unsound(value):
            raise Invalid(f"A turn cannot hold {wrong}.")
        extra = value.pop(STORED, UNSET)
        if extra is not UNSET:
            line = msgspec.json.encode(value)
        try:
            turn = msgspec.json.decode(line, type=self._kind.turn)
        except (msgspec.MsgspecError, RecursionError) as error:
            action = value.get("action")
            topic = str(action.get("type")) if isinstance(action, dict) else ""
            is_newer = holds_unknown(self.header.rules, topic, msgspec.msgpack.encode(value))
            newer = " A newer version of campaign may have recorded it." if is_newer else ""
            raise Invalid(f"Not a valid {self.header.rules} turn: {_plain(error)}.{newer}") from None
        if msgspec.json.encode(turn, order="sorted") != msgspec.json.encode(value, order="sorted"):
            raise Invalid(f"Not a valid {self.header.rules} turn{_where(turn, value)}.")
        if extra is not UNSET:
            self.stored_bytes[number] = self._bytes_of(turn, extra)
        self._in_place(turn, number)
        self._foldable(turn)
        return turn

    def _bytes_of(self, turn: Turn, extra: Any) -> bytes:
        """The bytes that a line says its turn was stored in. Raises Invalid unless they are of this very turn."""
        try:
            state = b64decode(extra, validate=True)
            if _is_record_of(turn, state) and msgspec.msgpack.decode(state, type=self._kind.turn) == turn:
                return state
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
            pass
        raise Invalid("The bytes that it was stored in are not those of this turn.")

    def _in_place(self, turn: Turn, number: int) -> None:
        """Raise Invalid unless the number, id, time and references of a turn are valid at its place."""
        if turn.number != number:
            raise Invalid(f"T{number} is expected here, not T{turn.number}.")
        if not turn.id or len(turn.id) > 200:
            raise Invalid("A turn has an id of 1 to 200 characters.")
        if turn.id in self._ids:
            raise Invalid(f"The id {turn.id[:40]!r} belongs to an earlier turn.")
        self._ids.add(turn.id)
        try:
            has_zone = turn.moment.tzinfo is not None
        except ValueError:
            has_zone = False
        if not has_zone:
            raise Invalid(f"{turn.at[:40]!r} is not an ISO time with its zone.")
        if isinstance(turn.action, CampaignStart) != (number == 1):
            raise Invalid("A log begins with campaign.start, which appears nowhere else.")
        if number == 1:
            self._begins(turn)
        self._decided_by(turn)
        targets = [event.turn for event in turn.events if isinstance(event, TurnUndone | TurnRedecided)]
        targets += turn.action.new_actions if isinstance(turn.action, Amend) else ()
        if any(not 1 < target < number for target in targets):
            raise Invalid(f"T{number} refers to a turn that is not before it.")
        records = (turn.chance, *(event.chance for event in turn.events if isinstance(event, TurnRedecided)))
        counts = (entry.values for record in records for key, entry in record.items() if key.endswith(COUNTED))
        if any(not isinstance(value, int) for values in counts for value in values):
            raise Invalid(f"T{number} calculates with something that is not a number.")

    def _decided_by(self, turn: Turn) -> None:
        """Raise Invalid unless a turn names a version of the rules only if it rises, and to one known here."""
        if turn.rules_version is None:
            return
        today = self._system.version
        if turn.rules_version > today:
            raise Invalid(
                f"T{turn.number} was recorded by a newer version of campaign (version {turn.rules_version} of the"
                f" rules); update to import it."
            )
        if turn.number == 1 or turn.rules_version <= self._version:
            raise Invalid(
                f"T{turn.number} names version {turn.rules_version} of the rules where version {self._version} is in"
                " force already; versions only rise."
            )
        self._version = turn.rules_version

    def _begins(self, turn: Turn) -> None:
        action = turn.action
        assert isinstance(action, CampaignStart)
        beginning = turn.events[0] if len(turn.events) == 1 else None
        if not isinstance(beginning, CampaignStarted):
            raise Invalid("The first turn is campaign.started and nothing else.")
        start = (action.name, action.rules, beginning.name, beginning.rules, beginning.version)
        header = self.header
        if start != (header.name, header.rules, header.name, header.rules, header.rules_version):
            raise Invalid("The first turn and the header name different campaigns.")

    def _foldable(self, turn: Turn) -> None:
        """Raise Invalid unless the events of a turn fold, its amendments are actions, and its places are turns."""
        try:
            actions = [turn.action]
            if isinstance(turn.action, Amend):
                amendments = turn.action.new_actions.values()
                actions += [msgspec.convert(action_json, self._kind.action) for action_json in amendments]
            for action in actions:
                if isinstance(action, Ruling) and action.since is not None:
                    place = number_in(action.since, "T")
                    if place is None or action.since != f"T{place}" or not 1 <= place < turn.number:
                        raise Invalid(f"A ruling cannot count from {action.since[:40]!r} on here.")
            about = turn.action.turn if isinstance(turn.action, Amend) else turn.number
            if turn.place is not None and not 1 <= turn.place < about:
                raise Invalid(
                    f"T{turn.number} cannot be placed directly after T{turn.place}; its place must be an earlier turn."
                )
            if turn.together is not None and not 1 <= turn.together <= turn.number:
                raise Invalid(f"T{turn.number} cannot belong to the line of T{turn.together}, which comes later.")
            for event in turn.events:
                for fact in event.events if isinstance(event, TurnRedecided) else [event]:
                    fact.sentence()
                    fact.fold(self._state)
                    for name, value in fact.set.items() if isinstance(fact, SheetOverridden) else ():
                        as_field(self._system.sheet, name, value)
        except Invalid:
            raise
        except Exception as error:
            # whatever a rule system raises for lines of unknown origin counts as a fault of the line, which is better
            # found now than at every later reading
            raise Invalid(f"The events of T{turn.number} cannot be applied: {_plain(error)}.") from None


def _plain(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__  # on one line, as a name in it may hold a line end
    return text.removesuffix(".")[:200]


def _where(turn: Turn, value: dict[str, Any]) -> str:
    """The first field in which a line differs from the turn decoded from it, as a clause; "" if none is found."""
    fields = msgspec.json.decode(msgspec.json.encode(turn))
    first = next(differences(fields, value), None)
    return f": see {first.field[:80]!r}" if first is not None else ""
