"""The fingerprint of a sentence: of which turn it is, and of which sentence."""

from cli.serving.tap import LONGEST_FINGERPRINT, fingerprint, is_of_sentence, is_of_turn


def test_it_is_of_its_turn_and_of_its_sentence() -> None:
    shown = fingerprint(12, "Brog has 7 hit points left.")
    assert is_of_turn(shown, 12) and not is_of_turn(shown, 1) and not is_of_turn(shown, 13)
    assert is_of_sentence(shown, "Brog has 7 hit points left.")
    assert not is_of_sentence(shown, "Brog has 6 hit points left.")


def test_the_same_sentence_at_a_later_turn_is_the_same_sentence() -> None:
    assert is_of_sentence(fingerprint(3, "Rain"), "Rain") and is_of_sentence(fingerprint(400, "Rain"), "Rain")


def test_nothing_shown_is_the_fingerprint_of_no_sentence() -> None:
    assert fingerprint(12, "") == ""
    assert not is_of_sentence("", "") and not is_of_sentence(fingerprint(12, "Rain"), "")
    assert not is_of_turn("", 12)


def test_what_a_page_may_send_has_room_for_it() -> None:
    assert len(fingerprint(10**12, "Rain" * 1000)) <= LONGEST_FINGERPRINT
