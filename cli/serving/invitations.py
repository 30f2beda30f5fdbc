"""Invitations: a link for each seat, used once for a cookie; only hashes are stored, outside the log, for one evening.

A seat is the referee's (sees everything), a player's, or the table's (what every player may know); of a whole club
there is the keeper's. The file is in the state folder, one for each campaign; another process may end a seat in it
while the page is served.
"""

import hmac
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from cli.store.folders import state_folder
from cli.store.lock import sole_holder, sole_writer
from domain.naming import key_of, listed_first
from domain.refusal import Unknown

Role = Literal["referee", "player", "table", "keeper"]
#: How the seats that are no player's are called. No player can be called so: a name has no control character.
REFEREE, TABLE, KEEPER = "\0referee", "\0table", "\0keeper"
#: Bits of a token.
BITS = 128
#: Devices of one seat, and pages that it has open: one more ends the oldest. The table's seat is for any number of
#: people who look on.
MOST_DEVICES, MOST_WATCHING = 8, 500


class Seat(Struct, frozen=True):
    """One seat: for a player, under the name as the sheets spell it."""

    role: Role
    name: str

    @property
    def key(self) -> str:
        """Its name in a form of the page."""
        return self.role if self.role != "player" else f"player {self.name}"

    @property
    def address(self) -> str:
        """What is typed to mean it, and who its turns are by; no two seats have the same one.

        A player who is called like a role is "player Referee".
        """
        if self.role != "player":
            return self.role
        called = key_of(self.name)
        is_taken = called.removeprefix("the ") in ("referee", "table") or called.startswith("player ")
        return self.key if is_taken else self.name

    @property
    def most(self) -> int:
        """How many devices it may have, and how many open pages."""
        return MOST_WATCHING if self.role == "table" else MOST_DEVICES

    @property
    def label(self) -> str:
        """Its name in a sentence."""
        return self.address if self.role == "player" else f"the {self.role}"


def seat_of(name: str) -> Seat:
    """The seat that is stored under this name."""
    return Seat({REFEREE: "referee", TABLE: "table", KEEPER: "keeper"}.get(name, "player"), name)  # type: ignore[arg-type]


class KeptSeat(Struct):
    """What is stored of one seat: hashes alone."""

    #: of the link that has not been used; nothing: there is none
    link: str = ""
    #: of the cookies of its devices, the oldest first
    devices: list[str] = []
    #: somebody ended it; a new link begins it anew
    ended: bool = False


class ServedEvening(Struct):
    """What is stored of one evening."""

    #: the name of its cookie, so that two pages on one machine do not take each other's
    cookie: str
    #: what the ids of taps are made with: a tap that is sent again after the server was begun anew is the same one
    taps: str
    seats: dict[str, KeptSeat] = {}
    #: where it is served
    address: str = ""
    #: its links are good the next time too
    keep: bool = False


class SeatState(Struct, frozen=True):
    """One seat with its devices and its link, for a list of them."""

    seat: Seat
    devices: int
    has_link: bool
    ended: bool

    def __str__(self) -> str:
        if self.ended:
            return "ended"
        sitting = f"{self.devices} {'device' if self.devices == 1 else 'devices'}" if self.devices else ""
        return ", ".join(filter(None, (sitting, "a link that nobody has used" if self.has_link else ""))) or "no link"


def new_token() -> str:
    """A new token of a link or a device."""
    return secrets.token_urlsafe(BITS // 8)


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def path_of(campaign_id: str) -> Path:
    """The file of a campaign's evening."""
    return state_folder() / "serve" / f"{_hash(campaign_id)[:24]}.json"


class Invitations:
    """The seats of one campaign's evening."""

    def __init__(self, campaign_id: str) -> None:
        self._path = path_of(campaign_id)
        self._version: tuple[int, int, int] | None = None
        self._evening = ServedEvening("", "")
        #: the token of each link that nobody has used; only the process that made it knows it
        self.unused_links: dict[str, str] = {}

    # -- the file ------------------------------------------------------------------------------------------

    @property
    def evening(self) -> ServedEvening:
        """What is stored now, read again if another process changed it."""
        try:
            status = self._path.stat()
            version = (status.st_mtime_ns, status.st_size, status.st_ino)
            if version != self._version:
                self._evening = msgspec.json.decode(self._path.read_bytes(), type=ServedEvening)
                self._version = version
        except (OSError, msgspec.MsgspecError):
            # what cannot be read lets nobody in
            self._evening, self._version = ServedEvening(self._evening.cookie, self._evening.taps), None
        return self._evening

    def refresh(self) -> None:
        """Read again what another process may have changed; a file is looked at whenever it is asked."""

    @property
    def version(self) -> object:
        """Changes whenever anything in the file does, whoever changed it."""
        return self.evening and self._version

    @property
    def is_kept(self) -> bool:
        """Whether there is an evening: served now, or kept with --keep."""
        with self.serving() as alone:
            return self._path.is_file() and (self.evening.keep or not alone)

    @property
    def port(self) -> int | None:
        """The port that the evening was served at last."""
        return urlsplit(self.evening.address).port

    @contextmanager
    def _changing(self) -> Iterator[ServedEvening]:
        """The evening, to be changed; written whole, or as it was. Raises NotSaved, OSError."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with sole_writer(self._path):
            evening = msgspec.json.decode(msgspec.json.encode(self.evening), type=ServedEvening)
            yield evening
            fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}")
            fresh.touch(mode=0o600)
            fresh.write_bytes(msgspec.json.encode(evening))
            fresh.replace(self._path)
        self._version = None

    @contextmanager
    def serving(self) -> Iterator[bool]:
        """Whether nobody else on this machine serves this campaign; then nobody else does for as long as this lasts.

        One campaign has one evening: `--players` and `--revoke` mean its seats, and its end ends its links.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with sole_holder(self._path.with_suffix(".served")) as alone:
            yield alone

    def begin(self, *, anew: bool, keep: bool = False, address: str = "") -> None:
        """Begin an evening, or continue the stored one."""
        with self._changing() as evening:
            evening.address, evening.keep = address, keep
            if anew or not evening.cookie:
                evening.cookie, evening.taps = f"campaign-{secrets.token_hex(4)}", secrets.token_hex(16)
                evening.seats = {}

    def end(self) -> None:
        """Forget the evening: its links and cookies open nothing any more."""
        self._path.unlink(missing_ok=True)
        self.unused_links = {}

    # -- seats ---------------------------------------------------------------------------------------------

    def seat_all(self, players: Iterable[str]) -> None:
        """A seat and a link for the referee, the table, and each player who has none."""
        names = {key_of(name) for name in self.evening.seats}
        new = [name for name in (REFEREE, *players, TABLE) if key_of(name) not in names]
        for name in dict.fromkeys(new):
            self.invite(name)

    def invite(self, name: str) -> str:
        """Make a new link for a seat; an unused one stops working. Its devices keep their seat."""
        token = new_token()
        with self._changing() as evening:
            seat = evening.seats.setdefault(name, KeptSeat())
            seat.link, seat.ended = _hash(token), False
        self.unused_links[name] = token
        return token

    def find_seat(self, name: str) -> Seat:
        """The seat of this address: a player's, the referee's or the table's. Raises Unknown."""
        seats = sorted(map(seat_of, self.evening.seats), key=lambda seat: seat.role != "player")
        for seat in seats:
            if key_of(name) in (key_of(seat.address), key_of(seat.key)):
                return seat
        known = listed_first(seat.address for seat in seats)
        raise Unknown("seat", name, f"Nobody called {name[:60]!r} has a seat", f"known: {known}.")

    def revoke(self, name: str) -> Seat:
        """End the seat that is meant: its link, and every device. Raises Unknown."""
        seat = self.find_seat(name)
        self.end_seat(seat.name)
        return seat

    def end_seat(self, name: str) -> None:
        """End a seat: its link and every device."""
        with self._changing() as evening:
            evening.seats[name] = KeptSeat(ended=True)
        self.unused_links.pop(name, None)

    def states(self) -> Sequence[SeatState]:
        """Every seat, with its devices and its link."""
        return [
            SeatState(seat_of(name), len(entry.devices), bool(entry.link), entry.ended)
            for name, entry in self.evening.seats.items()
        ]

    # -- tokens --------------------------------------------------------------------------------------------

    def of_link(self, token: str) -> Seat | None:
        """The seat of an unused link; None if it is nobody's, or was used."""
        return self._seat_of(token, lambda entry: [entry.link])

    def of_cookie(self, token: str) -> Seat | None:
        """The seat of a cookie; None if it is nobody's."""
        return self._seat_of(token, lambda entry: entry.devices)

    def _seat_of(self, token: str, hashes: Callable[[KeptSeat], Sequence[str]]) -> Seat | None:
        """Compares every hash, whichever matches, so that the time it takes tells nothing."""
        sought, name_of_seat = _hash(token), None
        for name, entry in self.evening.seats.items():
            for digest in hashes(entry):
                if hmac.compare_digest(digest, sought):
                    name_of_seat = name
        return None if name_of_seat is None else seat_of(name_of_seat)

    def take(self, token: str, device: str = "") -> tuple[Seat, str] | None:
        """Use a link: the seat, and the cookie of a new device. None: it is nobody's, or was used meanwhile.

        `device` is the cookie that the page behind the link was given for it, if there was one: whoever sends both
        once more, because no answer came, has the seat already.
        """
        cookie = device if len(device) == len(new_token()) else new_token()
        if (taken := self.of_cookie(cookie)) is not None:
            return taken, cookie
        with self._changing() as evening:
            seat = self.of_link(token)
            if seat is None:
                return None
            entry = evening.seats[seat.name]
            entry.link = ""
            entry.devices = [*entry.devices, _hash(cookie)][-seat.most :]
        self.unused_links.pop(seat.name, None)
        return seat, cookie

    def leave(self, cookie: str) -> None:
        """End one device."""
        with self._changing() as evening:
            for entry in evening.seats.values():
                entry.devices = [device for device in entry.devices if device != _hash(cookie)]

    def tap_id(self, seat: Seat, *content: object) -> str:
        """The id of a turn: the same for what one seat says twice of the same table, and for nothing else."""
        words = msgspec.json.encode([self.evening.taps, seat.name, *map(str, content)])
        return sha256(words).hexdigest()[:32]
