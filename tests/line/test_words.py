"""The words that are left over go to the action's own remark, as they were typed; several turns are said together."""

import shlex

import pytest

from cli.line.words import for_shell, line_of_arguments, quote, tokenize
from domain.refusal import Invalid
from tests.kit.given import Given
from tests.kit.lines import means, misread, one, unclear, understood


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("d brog 4 a ghoul", "a ghoul"),
        ("d brog 4 the lord's curse", "the lord's curse"),
        ('d brog 4 "a ghoul"', "a ghoul"),
        ("d brog 4   two  spaces ", "two  spaces"),
        ('d brog 4 he said "no"', 'he said "no"'),
        ("d brog 4 --source ghoul", "ghoul"),
        ("d brog 4 wen", "wen"),
        ('d brog 4 "because x=3"', "because x=3"),
    ],
)
def test_words_run_to_the_end_of_the_line(osr: Given, line: str, source: str) -> None:
    assert one(osr, line) == {"character": "brog", "amount": 4, "source": source}


def test_a_value_that_stands_in_its_order_is_not_named_once_more(osr: Given) -> None:
    misread(osr, "d brog 3 --amount 4", "amount is given twice")


@pytest.mark.parametrize(
    ("line", "key", "words"), [("d brog 4 a ghoul", "source", "a ghoul"), ("n it rains", "text", "it rains")]
)
def test_options_stand_behind_whatever_words_there_are(osr: Given, line: str, key: str, words: str) -> None:
    reading = understood(osr, f"{line} --by Mia --after T3")
    assert reading.manner == {"by": "Mia", "after": "T3"} and getattr(reading.actions[0], key) == words


def test_words_begin_where_no_value_fits(osr: Given, turns: Given) -> None:
    assert one(osr, "saves brog 26 crushed hand") == {"character": "brog", "strength": 26, "wound": "crushed hand"}
    assert one(turns, "a 3 bandit guard 2") == {"character": "Brann", "value": 3, "target": "bandit guard 2"}
    assert one(turns, "kill bandit guard") == {"character": "Brann", "monster": "bandit guard"}


def test_a_ghoul_hits_nobody_called_ada(osr: Given) -> None:
    assert one(osr, "d brog 4 a ghoul")["source"] == "a ghoul"
    assert len(means(osr, "d brog 4 ada ghoul")) == 1
    assert [action["character"] for action in means(osr, "d brog 4 ada 3 ghouls")] == ["brog", "Ada"]


def test_a_note_is_words_from_its_first_word_on(osr: Given) -> None:
    assert one(osr, "n turn 5 was odd") == {"text": "turn 5 was odd"}
    assert one(osr, "n brog 5") == {"text": "brog 5"}
    assert one(osr, "n about=seg rule=6.4 she was right") == {
        "text": "she was right",
        "about": "Ségolène",
        "rule": "6.4",
    }
    assert one(osr, "n --turn T3 so it was") == {"text": "so it was", "turn": 3}


def test_several_turns_are_said_together(osr: Given) -> None:
    two = means(osr, "d brog 5 wen 6 a fireball")
    assert two == [
        {"type": "osr.damage", "character": "brog", "amount": 5, "source": "a fireball"},
        {"type": "osr.damage", "character": "Wen", "amount": 6, "source": "a fireball"},
    ]
    assert means(osr, "d brog,wen 5 ada 2") == [
        {"type": "osr.damage", "character": "brog", "amount": 5},
        {"type": "osr.damage", "character": "Wen", "amount": 5},
        {"type": "osr.damage", "character": "Ada", "amount": 2},
    ]


def test_a_name_that_may_be_two_and_has_a_value_is_refused(osr: Given) -> None:
    unclear(osr, "d wen 5 b 5", "b may be brog or Big Bo.")
    assert one(osr, "d wen 5 b for bear")["source"] == "b for bear"


def test_each_of_several_needs_every_value(choosing: Given) -> None:
    assert len(means(choosing, "s brann 1 2 ysa 61 62")) == 2
    misread(choosing, "s brann 1 2 ysa 61", "select needs second")


def test_how_it_is_told_is_told_apart(osr: Given) -> None:
    reading = understood(osr, "d brog 4 --by Mia --after T3 --keep")
    assert reading.manner == {"by": "Mia", "after": "T3", "conflicts": "keep"}
    assert (reading.backdating.after, reading.backdating.before, reading.backdating.conflicts) == ("T3", None, "keep")
    assert not understood(osr, "d brog 4").backdating
    with pytest.raises(Invalid, match="conflicts takes drop or keep, not 'both'"):
        understood(osr, "d brog 4 --after T3 --conflicts both").backdating  # noqa: B018
    assert one(osr, "u T3 --drop") == {"turns": [3], "conflicts": "drop"}
    for how in ("drop", "keep"):
        assert one(osr, f"u T3 --{how}-later") == {"turns": [3], "conflicts": how}
        assert understood(osr, f"d brog 4 a ghoul --after T3 --{how}-later").manner == {"after": "T3", "conflicts": how}
    assert one(osr, "rest brog --keep brog")["keep"] == ["brog"]


def test_a_verb_with_a_keep_of_its_own_keeps_later_turns_too(cards: Given) -> None:
    meant = understood(cards, "f wren dex cards 2 keep worst lift --after T2 --keep-later")
    assert meant.manner == {"after": "T2", "conflicts": "keep"}
    assert one(cards, "f wren dex cards 2 keep worst lift --after T2 --keep-later") == {
        "character": "Wren", "attribute": "dexterity", "cards": 2, "keep": "worst", "attempt": "lift",
    }  # fmt: skip


# -- words and quotes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("d brog 4", ["d", "brog", "4"]),
        ('d "big bo" 4', ["d", "big bo", "4"]),
        ('source="a ghoul" 4', ["source=a ghoul", "4"]),
        ("“big bo” «x y»", ["big bo", "x y"]),
        ("d o'neil's 4", ["d", "o'neil's", "4"]),
        ('5" nail', ['5"', "nail"]),
        ('"open', ['"open']),
        ('"say ""no"" now"', ['say "no" now']),
        ('""', [""]),
        (" \t ", []),
    ],
)
def test_quotes_hold_words_together_and_apostrophes_do_not(text: str, words: list[str]) -> None:
    assert [word.text for word in tokenize(text).words] == words


@pytest.mark.parametrize("text", ["", "a", "a b", 'a "b"', '"', "“", "a,b", "=", "\n", "it's"])
def test_a_text_is_written_as_one_word_and_read_back(text: str) -> None:
    (word,) = tokenize(quote(text)).words
    assert word.text == text
    (value,) = tokenize(f"x={quote(text)}").words
    assert value.text == f"x={text}"


def test_where_a_word_stands() -> None:
    line = tokenize('d  "big bo" 4')
    assert [(word.start, word.end) for word in line.words] == [(0, 1), (3, 11), (12, 13)]
    assert [(word.start, word.end, word.quoted) for word in line_of_arguments(("d", "big bo")).words] == [
        (0, 1, False),
        (2, 8, True),
    ]


@pytest.mark.parametrize("line", ['d "Goblin" 2', 'd "Goblin 2" 1', 'n "4"', 'd 3 "a ""x"""'])
def test_a_line_written_for_a_shell_is_quoted_where_it_was(line: str) -> None:
    handed = line_of_arguments(shlex.split(for_shell(line)))
    assert [(word.text, word.quoted) for word in handed.words] == [
        (word.text, word.quoted) for word in tokenize(line).words
    ]
