"""What a line would do, how it may go on, and what the table waits for, whatever shows it."""

import pytest

from cli.table.commands import OF_A_SEAT
from cli.terminal.asking import choice_key
from tests.kit.shell import Shell, shell_after
from tests.kit.typed import sitting

shell = shell_after("new Crawl --rules osr", "osr enrol Brog --level 2 --rolled 5,6", "osr enrol Wen --rolled 3")


def test_what_a_line_would_do_is_told_and_not_done(shell: Shell) -> None:
    with sitting(shell) as table:
        before = table.log.last()
        preview = table.preview("d brog 4 a ghoul")
        assert (preview.kind, preview.text) == ("would", "Brog is hit for 4 by a ghoul and has 7 hit points left.")
        assert table.log.last() == before


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("", "nothing", ""),
        ("d brog", "missing", "damage needs amount: points of damage. Like: d brog 1."),
        ("treat brog 3", "refused", "Brog has no wound."),
        ("d nobody 3", "refused", "There is no character 'nobody'; known: Brog and Wen."),
        ("why brog", "would", "Shows: why Brog.hp"),
    ],
)
def test_what_keeps_a_line_from_being_done_is_told(shell: Shell, line: str, kind: str, text: str) -> None:
    with sitting(shell) as table:
        preview = table.preview(line)
    assert (preview.kind, preview.text) == (kind, text)


def test_a_way_to_go_on_calls_people_as_a_hurried_hand_does(shell: Shell) -> None:
    shell.do("enrol 'Mother Aubépine of the Wells' 3", "d mother 9")
    with sitting(shell) as table:
        (way,) = table.proposals.waiting()[0].proposals
        assert (way.says, way.line) == ("injury-saves mother STRENGTH WILL", "injury-saves mother ")


def test_a_bare_undo_of_what_was_told_last_is_done_and_of_anything_else_asked_for(shell: Shell) -> None:
    with sitting(shell) as table:
        table.conversation.by = "Mia"
        table.answer("d brog 1")
        assert table.answer("u").choices is None and table.log.last() == 5
        asked = table.answer("u").choices
        assert asked is not None and asked.why == "Do this?" and table.log.last() == 5, "the undo was told last"
        table.answer("d brog 1 --by Zoe")
        asked = table.answer("u").choices
        assert asked is not None and asked.why == "T6 is Zoe's line. Undo it?"
        assert table.answer("u --by Zoe").choices is None
        table.answer("d brog 1 --by Zoe")
        assert table.answer("undo T8").choices is None, "a turn that is named is meant"


def test_nothing_random_is_shown_before_it_is_done(shell: Shell) -> None:
    with sitting(shell) as table:
        previews = {table.preview("rest brog").text for _ in range(20)}
        assert previews == {"Brog takes a short rest: rolls 2d6 for Brog's re-roll."}
        reported = table.preview("rest brog 34").text
    assert reported == "Brog rolls 3 4 and has 7 hit points. Brog's fatigue is now 1."


def test_cards_that_lie_in_an_order_nobody_saw_are_told_as_drawn(new_shell: Shell) -> None:
    new_shell.do("new Road --rules deckahedron", "enrol Wren 2 3 3")
    with sitting(new_shell) as table:
        assert table.preview("f wren dex climb").text == "Wren tries dexterity (climb): draws cards."


def test_what_changes_earlier_turns_is_shown_and_asked_for(shell: Shell) -> None:
    with sitting(shell) as table:
        table.answer("d brog 4")
        table.answer("d brog 1")
        asked = table.answer("T4 amount=2")
        assert asked.choices is not None and asked.choices.why == "Do this?" and table.log.last() == 5
        assert any("now: Brog is hit for 1 and has 8 hit points left." in line for line in asked.lines)
        assert table.choose("x").code == 2 and table.log.last() == 5
        assert table.choose("yes").choices is None and table.log.last() == 6


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("learn --ghs deck.json", "Files are read by the shell, and not at the table: campaign learn --ghs deck.json"),
        ("import-save save.json", "Files are read by the shell, and not at the table: campaign import-save save.json"),
        ("doctor", "doctor runs on the shell, not at the table: campaign doctor"),
    ],
)
def test_what_only_the_shell_does_is_told_with_its_line(new_shell: Shell, line: str, sentence: str) -> None:
    new_shell.do("new Stairs --rules gloomhaven")
    with sitting(new_shell) as table:
        assert (table.preview(line).text, table.answer(line).lines) == (sentence, (sentence,))
        text = "\n".join(table.answer("help").lines)
        assert "campaign learn --ghs FILE" in text and "campaign import-save FILE" in text


def test_a_new_round_is_no_new_campaign(new_shell: Shell) -> None:
    new_shell.do("new Stairs --rules gloomhaven", "enrol Brann brute", "begin-scenario 1")
    with sitting(new_shell) as table:
        assert "campaign new" not in table.preview("new round").text
        assert table.answer("start the round").lines[0].endswith("Round 1 begins.")


def test_the_preview_of_an_undo_names_the_amendment_that_it_takes_back(shell: Shell) -> None:
    with sitting(shell) as table:
        table.answer("d brog 4 a ghoul")
        table.answer("T4 amount=2")
        preview = table.preview("u").text
    assert preview == "Undoes T5, an amendment. Changes T4: Brog is hit for 4 by a ghoul and has 7 hit points left."


def test_an_undo_says_what_it_takes_back(shell: Shell) -> None:
    with sitting(shell) as table:
        table.answer("d brog 4 a ghoul")
        table.answer("d brog 1")
        assert table.preview("u").text == "Undoes T5: Brog is hit for 1 and has 6 hit points left."
        assert table.preview("undo last=2").text == "Undoes T4 and T5."
        table.answer("u")
        assert table.preview("r").text == "Restores T5: Brog is hit for 1 and has 6 hit points left."
        assert table.preview("T4 amount=2").text == (
            "Changes T4: Brog is hit for 2 by a ghoul and has 9 hit points left."
        )
        table.answer("d brog 1")
        table.answer("undo T4 T7")
        table.choose("yes")
        assert table.preview("r").text == "Restores T4 and T7."


def test_what_a_way_needs_is_named(shell: Shell) -> None:
    with sitting(shell) as table:
        table.answer("d brog 20")
        (matter,) = table.proposals.waiting()
        assert matter.proposals[0].says == "injury-saves Brog STRENGTH WILL"
        assert not any("Next:" in line for line in table.answer("status brog").lines), "it is in sight anyhow"
        assert "Next: campaign osr injury-saves Brog" in shell.run("status", "brog").out


def test_a_command_that_names_another_names_it_as_the_table_takes_it(shell: Shell) -> None:
    with sitting(shell) as table:
        (named,) = [line for line in table.answer("rules").lines if "Next:" in line]
        assert named.startswith("Next: rules ")
        assert table.answer(named.removeprefix("Next: ").partition(" shows")[0]).code == 0
        (nothing,) = table.answer("rules wyvern").lines
        assert nothing == "No paragraph says 'wyvern'; rules without a word lists them all."
    assert "Next: campaign rules " in shell.run("rules").out


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("when", "CONDITION is missing. Try: help when"),
        ("diff T2 T4", "Write both places as one word: diff T2..T4"),
        ("log x", "'x' is neither a place in the log nor a name. To search for it: log --grep x."),
        ("why T2", "T2 is a place in the log, and why is asked about somebody: show T2"),
    ],
)
def test_a_question_that_cannot_be_answered_is_told_as_it_is_typed_at_the_table(
    shell: Shell, line: str, sentence: str
) -> None:
    with sitting(shell) as table:
        assert table.answer(line).lines == (sentence,)
        helped = "\n".join(table.answer(f"help {line.split()[0]}").lines)
        assert f"Usage: {line.split()[0]} " in helped and f"campaign {line.split()[0]}" not in helped


def test_what_the_table_waits_for_is_a_line_each(shell: Shell) -> None:
    with sitting(shell) as table:
        assert table.proposals.waiting() == ()
        table.answer("d brog 20")
        ((saves,),) = (matter.proposals for matter in table.proposals.waiting())
        assert (saves.key, saves.line) == ("1", "injury-saves Brog ")
        table.answer("saves brog 1 40")
        (fates,) = (matter.proposals for matter in table.proposals.waiting())
        assert [(fate.key, fate.says, fate.line) for fate in fates] == [
            ("1", "death", "choose-fate Brog death"), ("2", "major wound", "choose-fate Brog major_wound")
        ]  # fmt: skip
        assert table.pick("3") is None


def test_an_answered_line_is_in_the_log_before_its_answer(shell: Shell) -> None:
    with sitting(shell) as table:
        answer = table.answer("d brog 4")
        assert [turn["turn"] for turn in shell.turns()][-1] == 4
    assert answer.lines == ("T4  Brog is hit for 4 and has 7 hit points left.",)


def test_what_reaches_far_back_is_not_decided_while_it_is_typed(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.recording.foretelling.FAR", 0)
    with sitting(shell) as table:
        table.answer("d brog 4")
        table.answer("d brog 1")
        near = table.preview("T5 amount=2")
        assert "goes back" not in near.text
        far = table.preview("T4 amount=2")
        assert far.kind == "would"
        assert far.text.endswith("this goes back to T4; if it changes anything from there on, you see that first.")
        assert table.answer("T4 amount=2").choices is not None


def test_a_late_note_far_back_promises_no_question_that_is_not_asked(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.recording.foretelling.FAR", 0)
    with sitting(shell) as table:
        table.answer("d brog 4")
        table.place = "T3"
        late = table.preview("n dark")
        assert late.text.endswith("this goes back to T3; if it changes anything from there on, you see that first.")
        assert late.enter == "looks back"
        recorded = table.answer("n dark")
        assert recorded.choices is None and recorded.is_recorded


def test_what_is_left_as_it_is_is_not_asked_again_while_it_is_the_same(shell: Shell) -> None:
    with sitting(shell) as table:
        table.answer("d brog 12")
        table.answer("saves brog 40 1")
        table.answer("rest brog 11")
        ((up, left),) = (matter.proposals for matter in table.proposals.waiting())
        assert (up.says, left.says) == ("back up", "stays down")
        before = table.log.last()
        answer = table.pick(left.key)
        assert answer is not None and (answer.code, answer.lines) == (0, ())
        assert table.proposals.waiting() == () and table.log.last() == before


def test_who_is_left_out_of_everybody_is_said(shell: Shell) -> None:
    with sitting(shell) as table:
        for line in ("d brog 12", "saves brog 40 1", "d wen 20", "saves wen 1 40", "fate wen death"):
            assert table.answer(line).code == 0
        shell.do("enrol Ada 4")
        assert table.preview("d all 1").text.endswith(
            "Ada is hit for 1 and has 3 hit points left. Without Brog (collapsed)."
        )
        assert table.answer("rest all").notice == "Without Brog (collapsed)."
        assert table.answer("rest ada brog").notice == "", "who is named is not left out; the dead are not missed"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("d brog 1 --as Mia", "Choose the seat when you open the table: campaign play --as NAME."),
        ("d brog 1 --json", "--json is an option of the shell, and not of the table."),
        (
            "d brog 1 --nonsense",
            "There is no option --nonsense.",
        ),
        ("status -c other.campaign", "This table is of Crawl; ask the shell about another campaign."),
    ],
)
def test_options_of_the_shell_are_told_for_what_they_are(shell: Shell, line: str, sentence: str) -> None:
    with sitting(shell) as table:
        assert table.answer(line).lines == (sentence,)
        assert table.log.last() == 3


def test_a_screen_that_keeps_secrets_is_of_one_seat_and_tells_no_other(new_shell: Shell) -> None:
    new_shell.do(
        "new Stairs --rules gloomhaven", "enrol Brann brute player Ines", "enrol Ysa spellweaver player Marek",
        "session open",
    )  # fmt: skip
    with sitting(new_shell) as table:
        table.audience.viewer = "Marek"
        table.audience.viewer = None
        for line in ("status --as Ines", "log --as=Nobody", "heal brann 1 --as Ines"):
            answer = table.answer(line)
            assert (answer.lines, answer.code) == ((OF_A_SEAT,), 2), line
        assert table.answer("why brann cards").lines == ("Say which card: Brann.cards.Trample",)
        assert table.answer("why brann card trample").code == 0
        (sentence,) = table.answer("rules --preview 81").lines
        assert sentence.startswith("Say which rule and which option: rules --preview 81 ")
        assert "reroll" in sentence, "an option of that rule"


def test_a_dry_run_at_the_table_shows_what_a_line_would_do_and_does_nothing(shell: Shell) -> None:
    with sitting(shell) as table:
        sentence = "Brog is hit for 4 by a ghoul and has 7 hit points left."
        assert table.preview("d brog 4 a ghoul --dry-run").text == sentence
        assert table.answer("d brog 4 --dry-run a ghoul").lines == (sentence, "Nothing was recorded.")
        table.answer("d brog 4")
        table.answer("d brog 1")
        changes = table.answer("T4 amount=2 --dry-run")
        assert any("now: Brog is hit for 1 and has 8 hit points left." in line for line in changes.lines)
        assert changes.choices is None and table.log.last() == 5
        assert table.answer("d nobody 4 --dry-run").code == 3
        for line in ("brog -2 --dry-run", "u last 2 --dry-run", "undo T4..T5 --dry-run"):
            previewed = table.preview(line.removesuffix(" --dry-run"))
            assert (table.preview(line).text, previewed.kind) == (previewed.text, "would"), line
            assert table.preview(line).enter == "shows", line
            assert (table.answer(line).lines[-1], table.log.last()) == ("Nothing was recorded.", 5), line


def test_what_a_line_leaves_open_is_asked_with_whose_it_is(shell: Shell) -> None:
    with sitting(shell) as table:
        table.answer("d brog 20")
        table.answer("saves brog 1 40")
        asked = table.answer("fate brog").choices
        assert asked is not None and asked.why.startswith("Brog: ")
        assert [choice.says for choice in asked.choices] == ["death", "major wound"], "as what is open says it"
        assert table.choose("2").code == 0


def test_what_becomes_of_later_turns_that_stand_in_the_way_is_asked(shell: Shell) -> None:
    with sitting(shell) as table:
        table.answer("d brog 20")
        table.answer("saves brog 1 40")
        before = table.log.last()
        assert (
            table.preview("T4 amount=2").text
            == "1 later turn would no longer be legal; you are asked what to do with it."
        )
        asked = table.answer("T4 amount=2")
        assert asked.lines == ("T5: Brog has no injury to save against (OSR 6.6).",)
        assert asked.choices is not None and [choice.key for choice in asked.choices.choices] == ["1", "2", "3"]
        assert table.choose("3").lines == ("Not done: T4 amount=2",) and table.log.last() == before
        assert table.ask_about(4).choices is not None and table.choose("2").choices is not None
        assert any("hp" in line for line in table.choose("2").lines), "what comes of the answer is shown"
        assert table.choose("1").code == 0
        assert [turn["standing"] for turn in shell.turns()[3:]] == [False, True, True]
        assert table.answer("n dark --after T99").choices is None, "what is refused is not asked about"


def test_nobody_is_asked_what_becomes_of_later_turns_in_a_pipe(shell: Shell) -> None:
    played = shell.run("play", stdin="d brog 20\nsaves brog 1 40\nT4 amount=2\n")
    assert played.code == 4 and "Settle it with --drop" in played.out


def test_sql_is_typed_as_it_stands(shell: Shell) -> None:
    with sitting(shell) as table:
        asked = "query select count(*) as n from turns where sentence like '%Wen%' -O csv"
        assert table.answer(asked).lines == ("n", "1")
        assert table.answer('query "select 2 - -1 as n" --json').lines == ('[{"n":3}]',)


def test_a_ruling_takes_yes_for_an_answer(shell: Shell) -> None:
    with sitting(shell) as table:
        assert table.answer("ruling 6.4 Lower dice are forgiven keep_higher=yes").code == 0
        assert table.handler.state().options.keep_higher is True
    shell.do("ruling 6.4 'No more' --set keep_higher=no")
    assert shell.run("status", "--json").json()["options"]["keep_higher"] is False


@pytest.mark.parametrize(
    ("answer", "key"), [("2", "2"), ("Dex", "2"), ("d", None), ("", None), ("st", None), ("stay", "4"), ("9", None)]
)
def test_a_question_is_answered_with_its_key_or_the_beginning_of_what_it_means(answer: str, key: str | None) -> None:
    assert choice_key(answer, [("1", "strength"), ("2", "dexterity"), ("3", "d6"), ("4", "stays down")]) == key


@pytest.mark.parametrize(
    ("answer", "key"),
    [("wound", "2"), ("the Wound", "2"), ("a wound", "2"), ("1d4+1 stamina", "1"), ("stamina", "1"), ("1d4", None)],
)
def test_a_question_is_answered_with_the_last_words_of_what_an_answer_means(answer: str, key: str | None) -> None:
    assert choice_key(answer, [("1", "the defender loses 1d4+1 Stamina"), ("2", "a Wound")]) == key


@pytest.mark.parametrize(
    ("answer", "key"),
    [("x", "3"), ("xx", "4"), ("v", "2"), ("VV", "1"), ("vx", None), ("one cross", "3"), ("one", None)],
)
def test_a_meaning_said_whole_is_that_answer_even_if_another_begins_with_it(answer: str, key: str | None) -> None:
    assert (
        choice_key(answer, [("1", "vv: ✔✔ two checks"), ("2", "v: ✔ one check"), ("3", "x: ✗ one cross"), ("4", "xx")])
        == key
    )


def test_what_the_rules_ask_of_a_hit_told_late_is_asked_at_the_table_too(new_shell: Shell) -> None:
    new_shell.do("new Stairs --rules gloomhaven", "enrol Brann brute", "begin-scenario 1", "d brann 1")
    with sitting(new_shell) as table:
        asked = table.answer("d brann 3 after T3")
        assert asked.choices is not None and asked.choices.why == "Brann: suffer 3 damage, or negate it?"
        shown = table.choose("1")
        assert shown.choices is not None and shown.choices.why == "Do this?"
        assert shown.lines[0] == "T5  late entry, after T3: Brann suffers 3 damage and has 7 hit points."
        table.choose("yes")
        assert table.handler.state().characters["Brann"].hp == 6


def test_what_was_shown_before_it_was_asked_for_is_told_once_at_the_table_too(shell: Shell) -> None:
    shell.do("d brog 1")
    with sitting(shell) as table:
        shown = table.answer("d brog 2 --after T3")
        assert shown.lines[-1].endswith("Brog: hp 10 → 8")
        assert table.choose("yes").lines == (
            "T5  Brog is hit for 2 and has 9 hit points left. T4 comes out differently.",
        )


#: Wren's deck, top first, of which three flips for Strength turn over the first three.
DECK = "16,4,15,14,0,1,2,3,5,6,7,8,9,10,11,12,13,17,18,19"


@pytest.fixture
def flipped(new_shell: Shell) -> Shell:
    """T3, T4 and T5 are flips of the cards 16, 4 and 15."""
    new_shell.do("new Deck --rules deckahedron", f"enrol Wren 2 2 2 deck={DECK}", *["f wren str"] * 3)
    return new_shell


def test_each_answer_to_an_undo_of_flips_is_foretold(flipped: Shell) -> None:
    with sitting(flipped) as table:
        sentence = table.answer("undo T3").lines
    assert sentence == (
        "T3  undone: Wren flips for Strength: 16 ✔✔.",
        "If the later results are kept:",
        "T4 and T5 stay as they were announced.",
        "    Wren: deck count 17 → 18, discard no longer has 16",
        "If they are decided again:",
        "T4  was: Wren flips for Strength: 4 ✗.",
        "    now: Wren flips for Strength: 16 ✔✔.",
        "T5  was: Wren flips for Strength: 15 ✗.",
        "    now: Wren flips for Strength: 4 ✗.",
        "    Wren: deck count 17 → 18, discard no longer has 15",
    )


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("1", "Undoes T3. T4 and T5 stay as they were announced."),
        ("2", "Undoes T3. T4 and T5 come out differently."),
    ],
)
def test_what_an_undo_of_flips_says_is_what_was_chosen(flipped: Shell, key: str, sentence: str) -> None:
    with sitting(flipped) as table:
        table.answer("undo T3")
        assert table.choose(key).lines[0] == f"T6  {sentence}"
        assert [entry.sentence for entry in table.chronicle(5)] == [sentence]
    assert sentence in flipped.run("log").ok().out


def test_a_question_about_what_was_drawn_says_that_the_next_try_draws_the_same(new_shell: Shell) -> None:
    deck = "0,16,4,15,14,1,2,3,5,6,7,8,9,10,11,12,13,17,18,19"
    new_shell.do("new Deck --rules deckahedron", f"enrol Wren 2 2 2 deck={deck}", "foe wolf 9")
    with sitting(new_shell) as table:
        first = table.answer("fa wolf vv wren").choices
        assert first is not None and first.why == "The wolf's ✔✔ against Wren's ✗✗ offers a choice."
        assert first.prompt == "Press 1 or 2, or Esc to cancel; the next try draws the same."
        table.leave()
        assert table.log.last() == 3
        assert table.answer("fa wolf vv wren").choices == first, "and it does"
        new_shell.do("f wren str")
    assert "Wren flips for Strength: 0 ✗✗." in new_shell.run("log").ok().out


def test_a_foe_whose_flip_is_not_said_is_told_to_be_unaware_before_the_attack(new_shell: Shell) -> None:
    new_shell.do("new Deck --rules deckahedron", f"enrol Wren 2 2 2 deck={DECK}", "foe wolf 9")
    with sitting(new_shell) as table:
        text = table.preview("at wren wolf").text
        assert text.startswith("Wren attacks the wolf, which is unaware (no result of its flip is given): ")
        assert table.preview("at wren wolf vv").text.startswith("Wren attacks the wolf: ")
