"""What keys do while a line is typed, without a screen: candidates, slots, palette, questions, Esc, history."""

import pytest

from cli.store.failures import Unopenable
from cli.table.bar import keys_of
from cli.table.table import OpenTable
from domain.common.notes import Note
from domain.common.revisions import Amend, Undo
from domain.common.tracking import Track
from domain.gloomhaven.levels import ChooseHand
from domain.gloomhaven.performing import Perform
from domain.log.port import NotSaved
from domain.osr.injuries import BypassingHit, ChooseFate, Damage, InjurySaves
from domain.turn import Action
from tests.kit.shell import Shell, shell_after
from tests.kit.typed import Typed, sitting

shell = shell_after(
    "new Crawl --rules osr", "enrol Brog player=Mia level=2 rolled=5,6", "enrol Ségolène rolled=3", "enrol Wen rolled=5"
)


def bar(typed: Typed) -> str:
    return "   ".join(keys_of(typed, looks_back=False, is_scrolled=False, in_chronicle=False))


def recorded(table: OpenTable) -> Action:
    """The action of the latest turn."""
    (turn,) = table.log.read(after=table.log.last() - 1)
    return turn.action


def test_a_line_is_typed_and_done(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d seg 2 a rat")
        assert typed.preview.text == "Ségolène is hit for 2 by a rat and has 1 hit point left."
        assert table.log.last() == 4
        assert typed.keys("⏎").text == "" and table.log.last() == 5


@pytest.mark.parametrize(
    ("key", "begins", "typed_behind", "line", "would"),
    [
        ("3", "T5 ", "amount=2", "T5 amount=2", "Brog is hit for 2"),
        ("4", "T5 after ", "T3", "T5 after T3", "It happened directly after T3."),
        ("5", "note  turn=T5", "a rat", "note a rat turn=T5", "Note on T5: a rat"),
    ],
)
def test_the_menu_of_a_turn_begins_the_line_about_it(
    shell: Shell, key: str, begins: str, typed_behind: str, line: str, would: str
) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d brog 4⏎")
        typed.ask_about(5)
        assert typed.keys(key).text == begins
        assert typed.keys(typed_behind).text == line
        assert would in typed.preview.text and typed.preview.kind == "would"


def test_the_menu_of_a_turn_offers_what_can_be_done_to_it(shell: Shell) -> None:
    shell.do("d brog 4", "u")
    with sitting(shell) as table:
        menus = [table.ask_about(turn).choices for turn in (1, 4, 5, 6)]
        says = [[choice.says for choice in menu.choices] for menu in menus if menu is not None]
    assert says == [
        ["why", "note"],
        ["why", "undo", "amend", "move", "note"],
        ["why", "restore", "note"],
        ["why", "undo", "note"],
    ]


def test_candidates_are_narrowed_by_letters_in_order_with_beginnings_first(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("da")
        assert typed.listed[0] == "damage" and typed.items[0].short == "d" and typed.items[0].help
        assert Typed(table).keys("lvp").listed == ["level-up"]
        assert Typed(table).keys("nrest").listed[0] == "night-rest"


def test_arrows_and_tab_choose_and_space_or_enter_take_and_nothing_is_recorded(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d ")
        assert typed.lit == "", "nothing is taken that nobody chose"
        assert typed.keys("⇥").lit == "Brog" and typed.keys("⇥↓").lit == "Wen"
        assert typed.keys("⇤↑").lit == "Brog", "and back"
        assert typed.keys("⇤").lit == typed.listed[-1], "before the first comes the last"
        assert typed.keys("↓↓").keys(" ").text == "d Ségolène "
        assert typed.keys("⎋").text == "d ", "what was taken is given back"
        assert typed.keys("↓⏎").text == "d Brog " and table.log.last() == 4


def test_verbs_that_can_do_nothing_come_last_with_the_reason_and_names_only_where_they_are_legal(shell: Shell) -> None:
    shell.do("d brog 14", "saves brog strength=40 will=40", "d wen 9")
    with sitting(shell) as table:
        typed = Typed(table).keys("⏎")
        assert list(typed.dimmed) == [item for item in typed.listed if item in typed.dimmed], "behind the others"
        assert typed.dimmed["choose-fate"].startswith("Brog has no fate to choose")
        assert "treat" not in typed.dimmed and "injury-saves" not in typed.dimmed
        assert Typed(table).keys("treat⏎").listed == ["Brog", "party"]
        assert Typed(table).keys("rally ").dimmed["Brog"] == "Brog has not collapsed", "all where it is legal for none"
        assert Typed(table).keys("rally⏎").said == ("Brog has not collapsed.", "failed")


def test_nobody_is_offered_to_whom_nothing_can_be_done_nor_a_group_with_one_of_them(shell: Shell) -> None:
    shell.do("enrol Wight foe 5", "d wight 9")
    with sitting(shell) as table:
        assert Typed(table).keys("d brog 2 ").dimmed["Wight"] == "Wight is dead"
        assert Typed(table).keys("d ").dimmed["Wight"] == "Wight is dead"
        assert "party" in Typed(table).keys("d ").listed and "all" not in Typed(table).keys("d ").dimmed
        rally = Typed(table).keys("rally ").dimmed
        assert rally["all"] == "Brog has not collapsed" == rally["Brog"]


def test_what_the_table_waits_for_stands_first_in_the_palette(shell: Shell) -> None:
    shell.do("d wen 9")
    with sitting(shell) as table:
        typed = Typed(table).keys("⏎")
        assert typed.palette and typed.lit == "injury-saves Wen"
        assert Typed(table).keys("⏎1").lit == "injury-saves Wen", "by the key that it has on the empty line"
        typed.keys("⏎")
        assert typed.text == "injury-saves Wen " and typed.asked is not None
        assert typed.asked.question.startswith("strength: ")
        typed.keys("30 30⏎")
        assert typed.text == "" and table.log.last() == 6


def test_the_palette_is_opened_over_a_line_and_given_back(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d bro").keys("Ⓟ")
        assert typed.palette and typed.text == ""
        assert typed.keys("zzzz").listed == [] and "Nothing here has these letters" in typed.preview.text
        assert (typed.keys("⏎").palette, table.log.last()) == (True, 4)
        assert Typed(table).keys("d bro").keys("Ⓟ⎋").text == "d bro"


def test_the_slots_stand_in_order_and_the_open_one_is_known(shell: Shell) -> None:
    with sitting(shell) as table:
        guidance = Typed(table).keys("d brog ").guidance
        assert [slot.label for slot in guidance.slots][:2] == ["who", "amount"]
        assert guidance.slots[0].text == "Brog" and guidance.open == 1
        assert guidance.slots[-1].key == "source" and guidance.slots[-1].words
        for typed, shown in (
            ("d brog 3 the ", "the"),
            ("d brog 3 the wig", "the wig"),
            ("d brog 3 the wight", "the wight"),
        ):
            assert Typed(table).keys(typed).guidance.slots[-1].text == shown, "the word that is being typed as well"


def test_the_slots_stand_in_the_order_of_the_line_with_the_word_that_is_being_typed(shell: Shell) -> None:
    def shown(line: str) -> list[str]:
        return [slot.text or slot.label for slot in Typed(table).keys(line).guidance.slots]

    with sitting(shell) as table:
        assert shown("d brog 4")[:2] == ["Brog", "4"] and shown("d bro")[:2] == ["Brog", "amount"]
        assert shown("enrol Sly player Mia ")[:3] == ["Sly", "Mia", "foe"], "said by its name, and not at the end"
        assert shown("enrol Sly player Mia level 2 ")[:4] == ["Sly", "Mia", "2", "foe"]


def test_enter_asks_for_one_open_slot_after_the_other_and_the_last_answer_does_the_line(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d⏎")
        assert typed.asked is not None and typed.asked.question == "who: who is hit" and typed.lit == "Brog"
        typed.keys("w⏎")
        assert typed.text == "d Wen " and typed.asked is not None and typed.asked.slot.key == "amount"
        typed.keys("⏎")
        assert typed.text == "d Wen " and table.log.last() == 4, "nothing is left out"
        typed.keys("2")
        assert typed.preview.text == "Wen is hit for 2 and has 3 hit points left."
        assert typed.keys("⏎").text == "" and table.log.last() == 5


def test_a_slot_is_asked_for_where_it_belongs(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d 4⏎")
        assert typed.asked is not None and typed.asked.slot.label == "who"
        typed.keys("seg⏎")
        assert typed.text.startswith("d Ségolène 4")
        typed.keys("⏎")
        assert table.log.last() == 5


@pytest.mark.parametrize(
    ("answer", "means"),
    [
        ("12⏎", BypassingHit(character="Brog", dc=12)),
        ("sacrifice cost=2⏎", BypassingHit(character="Brog", sacrifice=True, cost=2)),
        ("sacrifice⏎2⏎", BypassingHit(character="Brog", sacrifice=True, cost=2)),
    ],
)
def test_a_field_that_is_needed_unless_another_is_said_is_asked_for(
    shell: Shell, answer: str, means: BypassingHit
) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("bypassing-hit brog⏎")
        assert typed.asked is not None and typed.asked.question.endswith("saves; or sacrifice")
        typed.keys(answer)
        assert recorded(table) == means


def test_names_of_several_words_are_parted_by_commas_where_several_are_asked_for(new_shell: Shell) -> None:
    new_shell.do("new Stairs --rules gloomhaven", "gloomhaven enrol Brann brute")
    hand = ["Trample", "Eye for an Eye", "Sweeping Blow", "Provoking Roar", "Overwhelming Assault", "Grab and Go"]
    hand += ["Warding Strength", "Shield Bash", "Leaping Cleave", "Spare Dagger"]
    with sitting(new_shell) as table:
        Typed(table).keys(f"choose-hand brann⏎{', '.join(hand)}⏎")
        assert recorded(table) == ChooseHand(character="Brann", hand=tuple(hand))


def test_a_line_in_the_place_of_a_turn_is_led_to_like_any_other(shell: Shell) -> None:
    shell.do("d wen 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys("T6 = d⏎")
        assert typed.asked is not None and typed.asked.question == "who: who is hit"
        typed.keys("br⏎2⏎1")
        assert recorded(table) == Amend(turn=6, action={"type": "osr.damage", "character": "Brog", "amount": 2})
        assert "Enter" not in bar(Typed(table).keys("amend T5")), "of which no field is asked for"


def test_esc_goes_back_one_step_and_then_leaves_and_nothing_lingers(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("⏎dam⏎w⏎4")
        assert typed.text == "damage Wen 4"
        assert typed.keys("⎋").text == "damage Wen ", "the answer that is being typed"
        typed.keys("⎋⎋⎋⎋")
        assert (typed.text, typed.asked, typed.palette, typed.shown.lines) == ("", None, False, ())
        typed = Typed(table).keys("d⏎⎋⎋n the torch gutters⏎")
        assert typed.said[1] != "failed" and table.log.last() == 5
        assert not typed.shown.lines, "nothing of the line that was left"


@pytest.mark.parametrize(
    ("left", "typed_next", "stands"),
    [
        ("note⏎⎋", "session close", "session close"),
        ("⏎note⏎⎋", "session close", "session close"),
        ("⏎note⏎dark⎋", "light", "note light"),
        ("d⏎b⏎⎋", "w", "d w"),
        ("d⏎b⏎⎋⎋", "n", "n"),
        ("⏎dam⏎w⏎4⎋", "5", "damage Wen 5"),
        ("d⏎brog⏎x⏎⎋", "5", "d Brog 5"),
        ("d b⇥ ⎋", "w", "d w"),
        ("d b⇥⏎⎋", "w", "d w"),
        ("note⏎⎋", " x", "note x"),
    ],
)
def test_behind_esc_nothing_that_was_left_is_glued_to_what_is_typed(
    shell: Shell, left: str, typed_next: str, stands: str
) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys(left)
        assert typed.keys(typed_next).text == stands and table.log.last() == 4


def test_a_question_mark_shows_the_keys_and_behind_a_verb_its_help_and_is_a_word_in_words(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("?")
        assert typed.text == "" and typed.shown.lines[0].startswith("Enter ")
        assert any("help VERB" in line for line in typed.shown.lines)
        typed = Typed(table).keys("d brog ?")
        assert typed.text == "d brog " and typed.shown.lines[0].startswith("damage ")
        assert Typed(table).keys("n who is there?").text == "n who is there?"


def test_lines_typed_before_are_searched_and_brought_back(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d brog 1 a rat⏎n dark⏎d wen 1⏎")
        assert typed.keys("↑").text == "d wen 1" and typed.keys("↑").text == "n dark" and typed.keys("↓↓").text == ""
        typed.keys("Ⓡrat")
        assert typed.listed == ["d brog 1 a rat"]
        assert typed.keys("⏎").text.strip() == "d brog 1 a rat" and table.log.last() == 7
        assert typed.keys("⎋").text == "" and Typed(table).keys("d weⓇx⎋").text == "d we"


def test_a_digit_answers_a_question_at_once_and_a_letter_begins_a_line(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys("T5 amount=2⏎")
        assert typed.question_keys == ["1", "2"]
        assert typed.keys("7").preview.text == "That key is no answer. Press 1 or 2, or Esc to cancel."
        assert typed.keys("n").text == "n" and typed.keys("⌫").text == "T5 amount=2", "the question is as it was"
        typed.keys("1n x⏎")
        assert table.log.last() == 8 and typed.question is None, "what comes behind the answer is the next line"


@pytest.mark.parametrize(("answer", "last"), [("y", 7), ("Yes", 7), ("no", 6)])
def test_an_answer_may_be_typed_in_words(shell: Shell, answer: str, last: int) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys(f"T5 amount=2⏎{answer}")
        assert typed.preview.text == f"Enter answers: {'no' if answer == 'no' else 'yes'}"
        typed.keys("⏎")
        assert typed.question is None and table.log.last() == last


def test_a_number_that_is_typed_at_a_question_is_the_number(shell: Shell) -> None:
    """With keys of digits the 1 of 15 chose an answer, and 5 was recorded."""
    shell.do("d brog 12")
    with sitting(shell) as table:
        typed = Typed(table).keys("saves brog 12⏎")
        assert typed.preview.text.startswith("Type the number or type B and Enter, or Esc to cancel")
        typed.keys("15⏎")
        assert recorded(table) == InjurySaves(character="Brog", strength=12, will=15)
        typed.keys("u⏎saves brog 12⏎b⏎")
        assert recorded(table) == InjurySaves(character="Brog", strength=12, fail_will=True)


def test_lines_typed_over_a_question_are_done_once_it_is_answered(shell: Shell) -> None:
    """The y of why changed what had happened, and the n of a note left it as it was."""
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys("T5 amount=2⏎n the rain 12")
        assert typed.text == "n the rain 12" and typed.preview.text.startswith("This line waits for the answer")
        assert "Enter keeps the line for later" in bar(typed) and table.log.last() == 6
        typed.keys("⏎Wen -2⏎")
        assert typed.text == "T5 amount=2"
        assert typed.preview.text == "2 lines wait for the answer. Press 1 or 2, or Esc to cancel."
        typed.keys("1")
        assert [turn.action.__class__.__name__ for turn in table.log.read(after=6)] == ["Amend", "Note", "Damage"]
        assert typed.text == "" and not typed.shown.lines


def test_a_line_that_waits_for_an_answer_is_not_done_with_another_once_that_is_left(shell: Shell) -> None:
    """The next line that was recorded took it along, and its preview had said nothing of it."""
    shell.do("d brog 12")
    with sitting(shell) as table:
        typed = Typed(table).keys("saves brog 12⏎brog rest 15 B⎋")
        assert typed.question_keys and typed.text == "saves brog 12"
        typed.keys("n dark⏎⎋")
        assert not typed.question_keys and table.log.last() == 5
        typed.keys("⎋d wen 1⏎")
        assert recorded(table) == Damage(character="Wen", amount=1) and table.log.last() == 6
        assert typed.preview.text == "Not done: n dark. ↑ brings it back, Esc forgets it."
        typed.keys("rest⏎n late⏎⎋⎋d wen 1⏎")
        assert recorded(table) == Damage(character="Wen", amount=1) and table.log.last() == 7


def test_an_answer_that_does_something_else_does_not_do_what_was_typed_behind_the_line(new_shell: Shell) -> None:
    """Of a turn that was to end, a card was played first, and the next hero's lines were done in that turn."""
    new_shell.do("new Barrow --rules gloomhaven", "enrol Brann brute", "begin-scenario 1", "begin-round",
                 "select brann 2 1", "reveal")  # fmt: skip
    with sitting(new_shell) as table:
        last = table.log.last()
        typed = Typed(table).keys("e⏎n dark⏎2")
        while typed.question_keys:
            typed.keys("1")
        assert [type(turn.action) for turn in table.log.read(after=last)] == [Perform]
        assert typed.preview.text.startswith("Not done: e; n dark.")


def test_what_takes_back_is_asked_for_while_a_line_stands_as_not_done(shell: Shell) -> None:
    """The undo of a line that was refused took back the one before it."""
    with sitting(shell) as table:
        typed = Typed(table).keys("d brog 1⏎d brgo 2⏎u⏎")
        assert typed.question is not None and table.log.last() == 5
        typed.keys("⎋⎋⎋u⏎")
        assert isinstance(recorded(table), Undo)


def test_a_line_under_a_key_that_is_typed_over_is_said_to_be_not_done(shell: Shell) -> None:
    shell.do("d brog 12", "saves brog 1 40")
    with sitting(shell) as table:
        death, wound = (
            next(key for key in table.proposals.by_key() if table.line_of_key(key).endswith(fate))
            for fate in ("death", "major_wound")
        )
        typed = Typed(table).keys(f"{death}⏎n dark⏎")
        assert typed.preview.text == "Not done: choose-fate Brog death. ↑ brings it back, Esc forgets it."
        typed.keys(f"⎋{wound}⏎n dark⏎lost ear⏎")
        assert table.log.last() == 9, "behind which words may stand they go on with it, and a line waits"
        assert [type(turn.action) for turn in table.log.read(after=7)] == [ChooseFate, Note]


@pytest.mark.parametrize(
    ("asks", "early", "answer", "last"),
    [
        ("n⏎", "d wen 1", "a draught⏎⏎", Damage(character="Wen", amount=1)),
        ("n⏎", "d wen", '"d wen"⏎', Note(text="d wen")),  # though something of it is missing
        ("d⏎wen⏎", "n dark", "2⏎", Note(text="dark")),
        ("⏎enrol⏎", "n dark", "Tam⏎⏎", Note(text="dark")),
        ("choose brog major wound⏎1", "n dark", "lost ear⏎⏎", Note(text="dark")),
    ],
)
def test_a_line_typed_where_an_answer_is_asked_for_waits_for_that(
    shell: Shell, asks: str, early: str, answer: str, last: Action
) -> None:
    """The breather was taken "n rain on the roof", and a new foe was called "br cass int"."""
    shell.do("d brog 12", "saves brog 1 40")
    with sitting(shell) as table:
        typed = Typed(table).keys(f"{asks}{early}")
        before = table.log.last()
        assert typed.preview.text.startswith("This line waits for the answer"), typed.preview
        typed.keys("⏎")
        assert typed.shown.lines == (early,) and not typed.text.endswith(early)
        typed.keys(answer)
        assert recorded(table) == last and table.log.last() > before


def test_no_key_too_many_lets_somebody_die(shell: Shell) -> None:
    shell.do("d brog 12", "saves brog 1 40")
    with sitting(shell) as table:
        typed = Typed(table).keys("fate brog⏎")
        assert typed.listed[-1] == "death" and typed.lit == "major_wound"
        typed.keys("d wen 1⏎")
        assert typed.shown.lines == ("d wen 1",) and typed.text == "fate brog "
        assert typed.keys("dea⏎").text.strip() == "fate brog death" and typed.enter == "records"
        typed = Typed(table).keys("fate brog⏎major wound⏎crushed leg⏎")
        assert recorded(table) == ChooseFate(character="Brog", fate="major_wound", wound="crushed leg")


def test_what_waits_keeps_its_number_and_nothing_else_takes_one_that_was_shown(shell: Shell) -> None:
    """A 1 that was meant for Wen's saves let Brog die."""
    shell.do("enrol Tam rolled=3", "d brog 12", "d wen 9")
    with sitting(shell) as table:

        def shown() -> dict[str, str]:
            return {key: choice.fields["character"] for key, (_, choice) in table.proposals.by_key().items() if choice}

        assert shown() == {"1": "Brog", "2": "Wen"}
        table.answer("saves brog 1 40")
        assert shown() == {"2": "Wen", "3": "Brog", "4": "Brog"}
        table.answer("saves wen 30 30")
        assert shown() == {"3": "Brog", "4": "Brog"}
        table.answer("fate brog death")
        assert shown() == {}
        table.answer("d tam 9")
        assert shown() == {"1": "Tam"}


def test_a_line_typed_into_the_list_of_what_can_be_done_is_done(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("n one⏎⏎wen -1 a nettle⏎")
        assert recorded(table) == Damage(character="Wen", amount=1, source="a nettle") and not typed.palette


def test_a_line_typed_over_the_menu_of_a_turn_leaves_it(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table)
        table.place = "T5"
        typed.ask_about(5)
        typed.keys("n rain")
        assert typed.question is None and typed.preview.text == "Note: rain", "it is typed now, and not looked back"


def test_a_name_with_values_behind_it_is_no_name_of_several_words(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("⏎enrol⏎Dax 2 Dee 3⏎")
        assert typed.said[1] == "failed" and "Dax 2 Dee 3" not in typed.text.replace("enrol Dax 2 Dee 3", "")


def test_a_line_that_was_not_done_and_typed_over_is_not_forgotten(shell: Shell) -> None:
    """The next one of several typed ahead took its place, and nothing said so."""
    with sitting(shell) as table:
        typed = Typed(table).keys("d brgo 2⏎n dark⏎")
        assert typed.preview.text == "Not done: d brgo 2. ↑ brings it back, Esc forgets it."
        assert typed.keys("↑").text == "d brgo 2" and typed.keys("⎋").preview.text == ""
        typed.keys("d brgo 2⏎d brog 2⏎d brgo 3⏎d brog 1⏎")
        assert typed.preview.text.startswith("Not done: d brgo 2; d brgo 3."), "though others with its verb were done"
        assert typed.keys("⎋").preview.text == ""


def test_a_line_typed_too_early_that_cannot_be_done_keeps_no_other_from_its_turn(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys("T5 amount=2⏎d brgo 4⏎d brog 5⏎1⏎n one⏎")
        assert [turn.action for turn in table.log.read(after=7)] == [
            Damage(character="Brog", amount=5),
            Note(text="one"),
        ]
        assert typed.preview.text.startswith("Not done: d brgo 4.")


def test_lines_that_wait_are_in_sight_before_enter_does_them(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table)
        typed.paste(["treat brog 3", "n one"], whole=True)
        typed.keys("why brog hp⏎")
        assert typed.shown.title == "why brog hp" and table.log.last() == 6
        assert typed.keys("⏎").shown.lines == ("n one",) and table.log.last() == 6
        assert typed.keys("⏎").table.log.last() == 7


def test_an_enter_behind_the_digit_that_asks_for_words_leaves_them_asked_for(shell: Shell) -> None:
    shell.do("d brog 12", "saves brog 1 40")
    with sitting(shell) as table:
        typed = Typed(table).keys("choose brog major wound⏎1⏎lost ear⏎")
        assert recorded(table) == ChooseFate(character="Brog", fate="major_wound", wound="lost ear")
        assert typed.text == ""


def test_a_line_behind_one_that_was_put_together_waits_for_that(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("short-rest⏎wen⏎n dark⏎")
        assert typed.text == "short-rest Wen " and typed.shown.lines == ("n dark",)
        typed.keys("⏎")
        assert recorded(table) == Note(text="dark") and table.log.last() == 6


def test_nothing_is_asked_about_one_of_several_where_another_is_refused(new_shell: Shell) -> None:
    new_shell.do("new Vale --rules gloomhaven", "enrol Brann brute", "enrol Ysa spellweaver",
                 "begin-scenario Crypt level=1", "d Ysa 20 a fall")  # fmt: skip
    with sitting(new_shell) as table:
        typed = Typed(table).keys("d brann 1 gas⏎")
        assert typed.question is not None, "suffer or negate"
        typed = Typed(table).keys("⎋d brann ysa 1 gas")
        assert typed.enter == "" and "Ysa is exhausted" in typed.preview.text
        assert typed.keys("⏎").question is None and "Ysa is exhausted" in typed.said[0]


def test_a_sentence_about_somebody_is_no_answer_to_who(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("retire⏎seg swears loudly⏎")
        assert typed.said == ("Only who is asked for here, and 'swears loudly' is more than that.", "failed")
        typed.keys("wen⏎⏎")
        assert typed.preview.text == "Not done: seg swears loudly. ↑ brings it back, Esc forgets it."
        assert typed.keys("↑").text == "seg swears loudly"
        assert table.log.last() == 5


def test_a_line_that_nobody_can_do_is_not_done_either(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys("T5 amount=2⏎rally⏎n one⏎1")
        assert recorded(table) == Note(text="one") and typed.preview.text.startswith("Not done: rally.")
        shell_line = typed.keys("rally⏎d wen 1⏎").preview.text
        assert shell_line.startswith("Not done: rally.")


def test_nobody_dies_of_a_digit(shell: Shell) -> None:
    shell.do("session open", "d brog 12", "saves brog 1 40")
    with sitting(shell) as table:
        typed = Typed(table).keys("session close⏎")
        assert typed.question is not None
        assert typed.preview.text.startswith("Press 1 or 3 or type 2 and Enter")
        typed.keys("2")
        assert typed.preview.text == "Enter answers: death" and table.log.last() == 7
        typed.keys("⏎")
        assert recorded(table) == ChooseFate(character="Brog", fate="death")


def test_what_waits_is_done_in_its_order_though_the_answer_is_no(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys("T5 amount=2⏎n one⏎n two⏎2")
        assert [turn.action for turn in table.log.read(after=6)] == [Note(text="one"), Note(text="two")]
        typed.keys("T5 amount=2⏎n one")
        assert typed.keys("⎋2").shown.lines == ("Not done: T5 amount=2",)


def test_pasted_lines_wait_for_the_answer_to_an_open_question(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys("T5 amount=2⏎")
        typed.paste(["n rain", "n wind"], whole=False)
        assert typed.preview.text.startswith("2 lines wait for the answer.") and table.log.last() == 6
        typed.keys("1")
        assert recorded(table) == Note(text="rain") and typed.text == "n wind"


def test_a_slip_in_the_verb_of_the_next_line_is_no_answer_in_words(shell: Shell) -> None:
    """The major wound was called "f oda 2 rat", and the lines behind it were done."""
    shell.do("d brog 12", "saves brog 1 40")
    with sitting(shell) as table:
        last = table.log.last()
        typed = Typed(table).keys("choose brog major wound⏎f wen 2 rat⏎d wen 1⏎n the dark⏎")
        assert table.log.last() == last
        assert typed.shown.lines == ("d wen 1", "n the dark")
        typed.keys("lost ear⏎")
        assert [type(turn.action) for turn in table.log.read(after=last)] == [ChooseFate, Damage, Note]
        assert typed.preview.text.startswith("Not done: f wen 2 rat.")


@pytest.mark.parametrize("words", ["1lost ear⏎", "lost ear⏎⏎"])
def test_words_are_said_behind_the_digit_that_asks_for_them_or_at_once(shell: Shell, words: str) -> None:
    shell.do("d brog 12", "saves brog 1 40")
    with sitting(shell) as table:
        typed = Typed(table).keys("choose brog major wound⏎")
        assert typed.preview.text == "Press 1 or 2, or Esc to cancel."
        typed.keys(words)
        assert recorded(table) == ChooseFate(character="Brog", fate="major_wound", wound="lost ear")


def test_the_next_line_typed_too_early_drops_no_later_turns(shell: Shell) -> None:
    shell.do("d brog 20", "saves brog 1 40")
    with sitting(shell) as table:
        before = table.log.last()
        typed = Typed(table).keys("T5 amount=2⏎d wen 1⎋")
        assert typed.question is not None and table.log.last() == before
        typed.keys("11")
        assert recorded(table) == Amend(
            turn=5, action={"type": "osr.damage", "character": "Brog", "amount": 2}, conflicts="drop"
        )


def test_a_question_that_is_left_keeps_its_line_to_be_mended(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys("T5 amount=2⏎⎋")
        assert typed.question is None and typed.text == "T5 amount=2" and typed.gives_way
        assert typed.keys("d").text == "d", "the next letter begins another line"


def test_a_refusal_is_said_until_the_next_key_and_the_line_is_mended_or_replaced(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("treat brog 3⏎")
        assert typed.preview.text.startswith("Brog has no wound") and "replace" in bar(typed)
        assert typed.keys(" ").text == "treat brog 3 "
        typed = Typed(table).keys("treat brog 3⏎d")
        assert typed.text == "d"
        assert Typed(table).keys("treat brog 3⏎⎋").text == ""


@pytest.mark.parametrize("error", [NotSaved("The file is locked."), Unopenable("It is gone.", 5)])
def test_what_was_not_saved_is_said_until_the_next_key_however_fast_the_keys_came(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    with sitting(shell) as table:
        monkeypatch.setattr(table.conversation.handler, "handle", refuse)
        typed = Typed(table).keys("d brog 1 x⏎")
        said = typed.preview
        typed.edited(typed.text, typed.cursor)  # as the screen's widget tells it afterwards
        assert typed.preview == said and said.kind == "refused" and typed.text == "d brog 1 x"
        monkeypatch.undo()
        assert typed.keys("⏎").text == "" and table.log.last() == 5, "Enter tries it again"


def test_pasted_lines_are_done_up_to_the_one_that_is_not(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table)
        typed.paste(["d brog 1", "treat brog 3", "n dark"], whole=True)
        assert table.log.last() == 5 and typed.text == "treat brog 3"
        assert typed.preview.text.startswith("Brog has no wound")
        assert (typed.shown.title, typed.shown.lines) == ("1 line is still to be done", ("n dark",))


def test_pasted_lines_that_wait_stay_in_sight_and_go_on_once_the_refused_one_is_mended(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table)
        typed.paste(["d brog 1", "treat brog 3", "n dark", "d wen 1"], whole=True)
        typed.keys("d brog 2")
        assert typed.shown.lines == ("n dark", "d wen 1"), "while it is mended"
        typed.keys("⏎")
        assert table.log.last() == 8 and typed.text == "" and not typed.shown.lines


def test_pasted_lines_that_wait_go_on_with_enter_and_are_dropped_with_esc_which_says_so(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table)
        typed.paste(["treat brog 3", "n dark", "d wen 1", "d w"], whole=False)
        typed.keys("⎋")
        assert (typed.text, typed.shown.lines) == ("", ("n dark", "d wen 1", "d w"))
        typed.keys("status⏎⎋")
        assert "n dark" in typed.shown.lines and "Enter goes on" in bar(typed), "what was read is closed first"
        typed.keys("⏎")
        assert table.log.last() == 6 and typed.text == "d w"
        typed.keys("⎋").paste(["treat brog 3", "n dark"], whole=True)
        typed.keys("⎋⎋")
        assert (typed.said[0], typed.shown.lines) == ("1 line was dropped.", ())
        assert typed.keys("⏎").palette


def test_a_question_of_a_pasted_line_is_answered_and_the_others_go_on(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table)
        typed.paste(["T5 amount=2", "n light"], whole=True)
        assert typed.question is not None
        typed.keys("1")
        assert table.log.last() == 8 and typed.text == ""


def test_many_pasted_lines_are_done(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table)
        typed.paste(["treat brog 3", *["n dark"] * 300], whole=True)
        typed.keys("n light⏎")
        assert table.log.last() == 305


@pytest.mark.parametrize("answer", ["br⏎", "br⇥⏎", "br⇥ "])
def test_behind_a_last_answer_people_are_asked_for_what_they_mostly_say(new_shell: Shell, answer: str) -> None:
    new_shell.do("new Vale --rules gloomhaven")
    with sitting(new_shell) as table:
        typed = Typed(table).keys(f"⏎enrol⏎Brann⏎{answer}")
        assert typed.asked is not None and typed.asked.slot.key == "player" and typed.asked.is_optional


def test_esc_goes_back_from_a_last_answer_with_which_the_line_was_not_saved(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NotSaved("Another program is writing.")

    with sitting(shell) as table:
        typed = Typed(table).keys("d⏎brog⏎")
        monkeypatch.setattr(table.handler, "handle", refuse)
        assert typed.keys("5⏎").said == ("Another program is writing.", "failed")
        assert typed.asked is not None and typed.asked.slot.key == "amount" and typed.text.endswith("5")
        typed.keys("⎋⎋")
        assert typed.text == "d " and typed.asked is not None and typed.asked.slot.key == "character"


def test_a_refused_answer_stands_at_its_slot_and_what_is_typed_next_replaces_it(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d⏎brog⏎fifteen⏎")
        assert typed.said[1] == "failed" and typed.asked is not None and typed.asked.slot.key == "amount"
        assert "replace the answer" in bar(typed)
        typed.keys("15")
        assert typed.text == "d Brog 15"
        typed.keys("⏎")
        assert table.log.last() == 5


def test_an_answer_is_checked_when_it_is_given(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("ruling⏎99⏎")
        assert typed.asked is not None and typed.asked.slot.key == "rule"
        assert typed.said[0].startswith("There is no rule '99' in osr")
        typed.keys("6.5⏎")
        assert typed.asked is not None and typed.asked.slot.key == "text" and typed.text.split()[0] == "ruling"


def test_nothing_of_a_line_that_was_cleared_comes_back(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d brog⏎")
        typed.edited("", 0)  # Ctrl-U
        assert typed.keys("?⎋").text == "" and not typed.shown.lines
        typed = Typed(table).keys("d brog⏎4")
        typed.edited("n", 1)  # Ctrl-U, and another line
        assert typed.keys("⎋").text == ""


def test_a_field_that_a_line_was_to_do_without_is_asked_for_in_the_next_one(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NotSaved("The file is locked.")

    with sitting(shell) as table:
        typed = Typed(table).keys("enrol⏎Sly⏎")
        monkeypatch.setattr(table.conversation.handler, "handle", refuse)
        typed.keys("⏎")
        assert typed.text == "enrol Sly "
        typed.edited("", 0)  # Ctrl-U
        typed.keys("enrol⏎Bo⏎")
        assert typed.asked is not None and typed.asked.slot.key == "player"


def test_esc_goes_back_through_what_was_taken_and_to_a_line_that_was_typed_anew(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d b⇥ ⇥ ")
        assert typed.text == "d Brog Ségolène " and typed.keys("⎋").text == "d Brog "
        assert typed.keys("⎋").text == "d "
        typed = Typed(table).keys("⏎note⏎⎋⎋note ⏎⎋")
        assert (typed.text, typed.gives_way) == ("note ", True), "not what the palette had taken before"


def test_where_the_bar_says_that_esc_clears_one_esc_does(shell: Shell) -> None:
    with sitting(shell) as table:
        for keys in ("treat brog 3⏎", "d brog 4", "d⏎brog⏎⎋⎋⎋d brog 4 a rat"):
            typed = Typed(table).keys(keys)
            assert "Esc clears" in bar(typed), keys
            assert typed.keys("⎋").text == "", keys
        typed = Typed(table).keys("⏎rally⏎")
        assert "Esc back" in bar(typed) and typed.keys("⎋").palette


def test_an_answer_that_drops_a_line_says_which(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table).keys("T5 amount=2⏎2 bats")
        assert typed.shown.lines == ("Not done: T5 amount=2",) and table.log.last() == 6


def test_no_sentence_denies_what_is_listed(shell: Shell) -> None:
    with sitting(shell) as table:
        for letter in "abcdefghijklmnopqrstuvwxyz":
            typed = Typed(table).keys(letter)
            assert not (typed.listed and "No verb" in typed.preview.text), letter
        assert Typed(table).keys("u T").preview.text == ""
        assert "No verb" in Typed(table).keys("qx").preview.text
        assert "no verb 's'" in Typed(table).keys("s ").preview.text, "others begin like that"


def test_a_line_that_begins_with_no_verb_lists_those_that_may_be_meant_in_its_place(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("sesion open")
        assert typed.listed == ["session open"]
        assert typed.keys("⇥⏎").text.strip() == "session open" and table.log.last() == 4
        assert typed.keys("⎋").text == ""
        typed = Typed(table).keys("damgae wen 2")
        assert typed.listed[0] == "damage" and "no verb 'damgae'" in typed.preview.text
        assert typed.keys("⇥ ").text == "damage wen 2" and typed.guidance.slots[0].text == "Wen"
        assert Typed(table).keys("damgae").listed == ["damage"], "and while it is typed"


def test_each_row_of_the_palette_says_what_it_is(shell: Shell) -> None:
    shell.do("d wen 9")
    with sitting(shell) as table:
        assert not [item.text for item in Typed(table).keys("⏎").items if not item.help]


def test_a_turn_that_may_be_named_is_listed_with_its_sentence(shell: Shell) -> None:
    with sitting(shell) as table:
        items = {item.text: item.help for item in Typed(table).keys("undo T").items}
        assert items["T4"] == "Wen joins at level 1, rolls 5 and has 5 hit points."
        assert Typed(table).keys("n x --after T").items[0].help.startswith("Wen joins")


def test_why_of_a_place_in_the_log_names_the_line_that_was_meant(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("why T3⏎")
        assert typed.said[0] == "T3 is a place in the log, and why is asked about somebody: show T3"


def test_ctrl_c_with_nothing_to_go_back_from_says_how_to_leave(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d")
        typed.press("ctrl+c")
        assert (typed.text, typed.said[0]) == ("", "")
        typed.press("ctrl+c")
        assert typed.said[0] == "Ctrl-D or quit leaves the table."


def test_a_question_says_before_enter_what_it_shows(shell: Shell) -> None:
    with sitting(shell) as table:
        assert Typed(table).keys("quit").preview.text == "Leave the table."
        assert Typed(table).keys("why brog").preview.text == "Shows: why Brog.hp"


def test_while_an_earlier_turn_is_in_sight_a_sheet_is_as_it_was_then(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d brog 4⏎")
        table.place = "T4"
        typed.press("f3")
        assert any("11/12" in line for line in typed.shown.lines), typed.shown.lines


def test_what_can_be_done_at_an_earlier_place_is_what_could_be_done_there(shell: Shell) -> None:
    shell.do("d brog 20", "saves brog 1 40", "n dark")
    with sitting(shell) as table:
        assert "Brog" in Typed(table).keys("rest ").dimmed
        table.place = "T4"
        assert "Brog" not in Typed(table).keys("rest ").dimmed
        assert "Brog" in Typed(table).keys("saves ").dimmed
        typed = Typed(table).keys("rest⏎")
        assert typed.asked is not None and "Brog" in typed.listed
        table.place = "T5"
        assert "Brog" in Typed(table).keys("rest ").dimmed
        assert "Brog" not in Typed(table).keys("saves ").dimmed
        table.place = None
        typed = Typed(table).keys("rest after T4⏎")
        assert typed.asked is not None and "Brog" in typed.listed


def test_an_earlier_place_has_the_foes_that_were_there(new_shell: Shell) -> None:
    new_shell.do("new Reef --rules deckahedron", "enrol Ash 2 2 3", 'foe "guard 5" 6', "foe wolf", "n rain")
    new_shell.do('foe "guard 5" gone', "n dark")
    with sitting(new_shell) as table:
        assert not Typed(table).keys("at ash guard 5 x").preview.enter
        table.place = "T5"
        preview = Typed(table).keys("at ash guard 5 x").preview
        assert preview.text.startswith("late entry, after T5: Ash attacks guard 5")
        typed = Typed(table).keys("at ash x⏎")
        assert typed.asked is not None and "guard 5" in typed.listed
        table.place = None
        typed = Typed(table).keys("T5 = fa guard 5 v ash")
        assert typed.preview.enter == "asks", typed.preview.text


def test_the_sheets_are_shown_one_after_another_over_a_question_too(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        typed = Typed(table)
        shown = []
        for _ in range(3):
            typed.press("f3")
            shown.append(typed.shown.title)
        assert shown == ["status Brog", "status Ségolène", "status Wen"]
        typed.keys("T5 amount=2⏎")
        typed.press("f3")
        assert typed.question is not None and typed.shown.title == "status Brog"


def test_the_key_bar_says_what_the_keys_do(shell: Shell) -> None:
    shell.do("d brog 1", "n dark")
    with sitting(shell) as table:
        assert bar(Typed(table)).startswith("Enter lists what can be done")
        assert bar(Typed(table).keys("⏎")).startswith("type to narrow")
        assert bar(Typed(table).keys("d ⇥")).startswith("Enter or Space takes")
        assert bar(Typed(table).keys("d brog 4")).startswith("Enter records")
        assert bar(Typed(table).keys("d brog")).startswith("Enter goes on")
        assert bar(Typed(table).keys("why brog")).startswith("Enter shows it")
        assert bar(Typed(table).keys("quit")).startswith("Enter leaves")
        assert "Enter" not in bar(Typed(table).keys("treat brog 1"))
        assert bar(Typed(table).keys("T5 amount=2")).startswith("Enter asks first")
        assert bar(Typed(table).keys("d⏎brog⏎4")).startswith("Enter records")
        assert bar(Typed(table).keys("d⏎brog")).startswith("Enter or Space takes")
        assert bar(Typed(table).keys("d brog 20⏎saves brog 30")).startswith("Enter asks first"), "for the will save"
        assert bar(Typed(table).keys("T5 amount=2⏎")).startswith("press 1 or 2")


def test_an_enter_behind_the_key_of_an_answer_opens_no_list(shell: Shell) -> None:
    """The next line would be taken for a choice from that list."""
    shell.do("d brog 12")
    with sitting(shell) as table:
        typed = Typed(table).keys("saves brog 12⏎B⏎⏎n Rain⏎")
        assert recorded(table) == Note(text="Rain") and not typed.palette
        typed.keys("⏎")
        assert typed.palette


def test_a_verb_is_not_refused_for_everybody_because_one_has_to_say_which(shell: Shell) -> None:
    """Brog has several wounds, and Wen one."""
    for blow in ("d brog 12", "d brog 20", "d wen 12"):
        name = blow.split()[1]
        shell.do(blow, f"saves {name} 1 60", f"choose {name} major wound bite", "night all")
    with sitting(shell) as table:
        typed = Typed(table).keys("treat⏎")
        assert typed.asked is not None and [value.text for value in typed.asked.values][:2] == ["Brog", "Wen"]
        assert "Which one? Next: treat Brog 1" in Typed(table).keys("treat brog⏎").preview.text


def test_an_answer_stands_behind_a_verb_of_two_words(shell: Shell) -> None:
    """It stood between them: "short rest all rest"."""
    with sitting(shell) as table:
        typed = Typed(table).keys("short rest⏎")
        assert typed.asked is not None and typed.text[: typed.cursor] == "short rest "


def test_whoever_leaves_is_told_first_of_lines_that_were_not_done(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("d brgo 2⏎n dark⏎")
        typed.leave()
        assert (
            not typed.leaves
            and typed.preview.text.startswith("Not all lines are done")
            and "d brgo 2" in typed.preview.text
        )
        assert typed.keys("quit⏎").leaves
        typed = Typed(table).keys("d brgo 2⏎n rain⏎quit⏎")
        assert not typed.leaves
        assert typed.keys("⎋⎋quit⏎").leaves, "nothing is left undone any more"
        assert Typed(table).keys("quit⏎").leaves


def test_a_notice_and_what_was_not_done_are_said_together_and_what_was_done_since_is_not(shell: Shell) -> None:
    shell.do("d wen 9", "saves wen 1 1", "fate wen major")
    with sitting(shell) as table:
        typed = Typed(table).keys("d brgo 2⏎d all 1⏎")
        assert typed.preview.text.startswith("Without Wen") and "Not done: d brgo 2." in typed.preview.text
        typed = Typed(table).keys("n⏎d brog 1⏎a wet rope⏎n two⏎a wet rope⏎⏎")
        assert typed.preview.text == ""


def test_a_digit_for_a_question_that_did_not_come_stands_before_no_line(shell: Shell) -> None:
    """It was the first sign of the next line, which was refused."""
    with sitting(shell) as table:
        typed = Typed(table).keys("d brog 1⏎1d wen 1⏎")
        assert recorded(typed.table) == Damage(character="Wen", amount=1)
        typed.keys("track 10ft-poles 3⏎10ft-poles -1⏎")
        assert recorded(table) == Track(name="10ft-poles", change=-1), "unless something begins with it"
    shell.do("d brog 12", "saves brog 1 40")
    with sitting(shell) as table:
        key = next(key for key in table.proposals.by_key() if table.line_of_key(key))
        assert Typed(table).keys(f"{key}d").text == "d"
