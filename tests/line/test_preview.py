"""What a line would do, while it is typed: in words, or what is missing, or what is unclear; nothing is decided."""

from cli.line.preview import Preview, preview
from tests.kit.given import Given, unchanged
from tests.kit.lines import QUESTIONS, context


def seen(table: Given, text: str) -> Preview:
    with unchanged(table):
        return preview(text, context(table), QUESTIONS)


def test_what_is_understood_is_told_in_full(osr: Given, cards: Given) -> None:
    assert seen(osr, "d b").told == ()
    assert seen(osr, "d brog 4 a ghoul").told == ("damage: Brog, amount 4, source a ghoul",)
    assert seen(osr, "d brog,wen 4").told == ("damage: Brog, amount 4", "damage: Wen, amount 4")
    assert seen(osr, "rest brog 54 wen 61 unsafe").told == (
        "short rest: Brog and Wen, rolled Brog 5 4, Wen 6 1, not safe",
    )
    assert seen(osr, "T3 level=3").told == ("T3 becomes enrol: character Wen, player Jon, level 3, rolled 5 6",)
    assert seen(osr, "u").told == ("undo",)
    assert seen(cards, "at wren 12 tob 7 mel").told == (
        "attack: Wren, defender Tobin, style melee, flipped 12, defender flipped 7",
    )


def test_what_is_missing_is_told(osr: Given) -> None:
    found = seen(osr, "d brog")
    assert [field.key for field in found.missing] == ["amount"]
    assert found.wrong == "damage needs amount: a whole number of 0 or more." and not found.actions


def test_what_is_unclear_names_the_word_and_what_it_may_be(osr: Given) -> None:
    found = seen(osr, "d b 4")
    assert (found.at, found.candidates) == (1, ("brog", "Big Bo"))
    assert seen(osr, "d borg 4").wrong == "There is no character 'borg'; did you mean brog?"
    assert seen(osr, "rally brog gladly").at == 2


def test_a_question_is_one(osr: Given) -> None:
    found = seen(osr, "why brog")
    assert found.question is not None and found.question.words == ("brog.hp",) and not found.wrong
