"""A link holds a turn and all before it; a seal is a link that fits on the edge of a sheet and is read back kindly."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.hash_chain import DIGITS, Seal, StoredRow, beginning, links_of, seal_from, seal_of
from domain.refusal import Invalid

TURNS: list[StoredRow] = [(1, "campaign.start", b"one"), (2, "note", b"two"), (3, "note", b"")]


def length(part: bytes) -> bytes:
    return len(part).to_bytes(8, "big") + part


def chain(turns: list[StoredRow], stream: str = "abc") -> list[bytes]:
    return list(links_of(beginning("abc"), stream, turns))


def test_a_link_is_what_the_formula_says() -> None:
    link = sha256(b"campaign-log 1" + length(b"abc")).digest()
    assert beginning("abc") == link
    for at, (number, topic, state) in enumerate(TURNS):
        link = sha256(
            link + length(b"abc") + number.to_bytes(8, "big") + length(topic.encode()) + length(state)
        ).digest()
        assert chain(TURNS)[at] == link
    assert link.hex() == "c581385ed4e20a6c7e90ce4de154bd24347c9c2f78241131f9ceddc7e270b983", "and stays so for ever"


@pytest.mark.parametrize(
    "changed",
    [
        [(1, "campaign.start", b"One"), *TURNS[1:]],
        [(1, "campaign.starT", b"one"), *TURNS[1:]],
        [(9, "campaign.start", b"one"), *TURNS[1:]],
        [(1, "campaign.star", b"tone"), *TURNS[1:]],
        [TURNS[0], TURNS[2]],
        [TURNS[1], TURNS[0], TURNS[2]],
    ],
)
def test_whatever_is_changed_before_it_the_last_link_is_another(changed: list[StoredRow]) -> None:
    assert chain(changed)[-1] != chain(TURNS)[-1]


def test_a_link_is_bound_to_its_campaign_and_its_stream() -> None:
    assert chain(TURNS, "abc/plan") != chain(TURNS)
    assert list(links_of(beginning("abd"), "abc", TURNS)) != chain(TURNS)


def test_it_goes_on_where_it_left_off() -> None:
    first, *rest = TURNS
    begun = chain([first])
    assert begun + list(links_of(begun[0], "abc", rest)) == chain(TURNS)


@given(
    number=st.integers(1, 10**9), link=st.binary(min_size=32, max_size=32), other=st.binary(min_size=32, max_size=32)
)
def test_a_seal_is_read_back_however_it_was_copied(number: int, link: bytes, other: bytes) -> None:
    seal = seal_of(number, link)
    written = str(seal)
    assert len(written.split(" ")[1]) == 19 and set(written.split(" ")[1]) <= {*DIGITS, "-"}
    look_alike = written.lower().replace("0", "o").replace("1", "l")
    for copied in (
        written,
        f"  {written}  ",
        written.replace("-", ""),
        written.replace("-", " "),
        look_alike,
        written[1:],
    ):
        assert seal_from(copied) == seal
    assert seal.fits(link) and seal.fits(other) == (other[:10] == link[:10])
    assert Seal(number + 1, seal.digits) != seal


def test_digits_that_begin_like_a_turn_are_read_back_with_spaces() -> None:
    assert seal_from("T7 T000 0000 0000 0000") == Seal(7, "T000000000000000")


def test_eighty_bits_are_in_it() -> None:
    link = bytes(range(32))
    for bit in range(80):
        changed = bytearray(link)
        changed[bit // 8] ^= 1 << bit % 8
        assert seal_of(1, bytes(changed)) != seal_of(1, link)
    assert seal_of(86, bytes.fromhex("b8de8f4e4e9be2a44d9f")) == seal_from("T86 Q3F8-YKJE-KFHA-8KCZ")


NO_SEALS = (
    "",
    "T86",
    "QK3F-9M2X-7TPA-4WZE",
    "T86 QK3F-9M2X-7TPA-4WZ",
    "Tx QK3F-9M2X-7TPA-4WZE",
    "T86 UK3F-9M2X-7TPA-4WZE",
    "T86 QK3F-9M2X-7TPA-4WZE0",
    "T² QK3F-9M2X-7TPA-4WZE",
)


@pytest.mark.parametrize("wrong", NO_SEALS)
def test_what_is_no_seal(wrong: str) -> None:
    with pytest.raises(Invalid, match="is not a seal"):
        seal_from(wrong)
