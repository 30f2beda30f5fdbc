"""The living rulebook on the shell: paragraphs, trials and what becomes of them."""

import re

import pytest

from cli.shell.examples import examples
from tests.kit.shell import Shell, shell_after

shell = shell_after("new Mill --rules osr", "session open", "enrol brog level 2 56")


def test_a_paragraph_is_added_revised_and_withdrawn(shell: Shell) -> None:
    result = shell.run("paragraph", "add", "H1", "Bloodied", "Below half.", "--why", "it came up", "--because", "T3,T2")
    assert result.ok().out == "T4  New paragraph H1, Bloodied: Below half. Why: it came up. Because of T2 and T3.\n"
    result = shell.run("paragraph", "revise", "H1", "At half or below.", "--title", "Hurt", "--why", "half of what?")
    assert result.ok().out == "T5  Paragraph H1, now Hurt now reads: At half or below. Why: half of what?\n"
    result = shell.run("paragraph", "withdraw", "h1", "--why", "nobody used it")
    assert result.ok().out == "T6  Paragraph H1 is withdrawn. Why: nobody used it.\n"
    shell.run("paragraph", "withdraw", "H1", "--why", "again").is_(
        3, "OSR H1 is withdrawn already; undo that turn to have it in force again."
    )


def test_a_paragraph_may_be_told_late(shell: Shell) -> None:
    shell.do("d brog 1", "paragraph add H1 Bloodied 'Below half.' --after T3")
    assert shell.turns()[-1]["place"] == 3


def test_at_the_table_the_words_run_on(shell: Shell) -> None:
    lines = 'paragraph add H1 "Bloodied" "below half" why=x', 'paragraph revise H1 text="at half" nobody knew', "u"
    shell.run("play", stdin="".join(f"{line}\n" for line in lines))
    turns = shell.turns()
    assert [turn["action"] for turn in turns[3:5]] == [
        {"type": "paragraph.add", "rule": "H1", "title": "Bloodied", "text": "below half", "why": "x"},
        {"type": "paragraph.revise", "rule": "H1", "text": "at half", "why": "nobody knew"},
    ]
    assert not turns[4]["standing"]


@pytest.mark.parametrize(
    ("words", "text", "why"),
    [
        (["--text", "Lamps", "--why", "bar"], "Lamps", "bar"),
        (["Lamps burn two hours", "--why", "nobody counted"], "Lamps burn two hours", "nobody counted"),
        (["--why", "nobody counted", "Lamps burn"], "Lamps burn", "nobody counted"),
        (["Lamps burn.", "--why", "bar"], "Lamps burn.", "bar"),
        (["Lamps burn.", "nobody", "counted"], "Lamps burn.", "nobody counted"),
        (["--title", "Lamps", "nobody", "counted"], None, "nobody counted"),
    ],
)
def test_a_paragraph_is_revised_with_its_words_and_the_reason_in_any_order(
    words: list[str], text: str | None, why: str, shell: Shell
) -> None:
    shell.do("paragraph add H1 Lamps they burn")
    shell.run("paragraph", "revise", "H1", *words).ok()
    revised = shell.turns()[-1]["action"]
    assert (revised.get("text"), revised["why"]) == (text, why)


def test_a_revision_without_words_is_told_how_it_goes(shell: Shell) -> None:
    shell.run("paragraph", "revise", "6.4", "--why", "no reason").is_(
        2,
        "Say what the paragraph says now: its text, its title or both. Like:"
        ' paragraph revise 6.4 "The new words" why it changed.',
    )


def test_a_trial_is_made_kept_and_another_ended(shell: Shell) -> None:
    made = shell.run("ruling", "6.4", "Keep the better.", "--trial", "--review", "S2", "--because", "T3")
    assert made.ok().out == (
        "T4  Ruling R1 on 6.4 (on trial until session 2): Keep the better. Because of T3.\n"
        "    It sets nothing: the log decides 6.4 as before. "
        "You can set: keep_higher=… and short_rest_together=…\n"
    )
    assert shell.run("ruling", "keep", "R1", "--why", "it worked").ok().out == (
        "T5  Ruling R1 is kept and no longer on trial: it worked.\n"
    )
    shell.do(
        "ruling 6.5 'No fatigue.' --trial", "ruling end R2 --why 'too soft'", "ruling 6.4 'Rather not.' --supersedes R1"
    )
    assert shell.turns()[-1]["sentence"] == "Ruling R3 on 6.4: Rather not. It replaces R1."
    shell.run("ruling", "keep", "R3").is_(3, "Ruling R3 is not on trial.")
    shell.run("ruling", "keep", "R3", "--trial").is_(2, "There is no option --trial.")


def test_a_note_says_that_a_rule_is_disputed(shell: Shell) -> None:
    assert shell.run("note", "I disagree.", "--rule", "6.4", "--disputed").ok().out == (
        "T4  Note on rule 6.4 (disputed): I disagree.\n"
    )


# -- reading it ----------------------------------------------------------------------------------------------


def history_of(shell: Shell, rule: str, *options: str) -> list[str]:
    """The lines of a rule's history."""
    out = shell.run("rules", rule, *options).ok().out
    return [line for line in out.splitlines() if line.startswith("- ")]


def test_every_wording_stays_with_what_became_of_it(shell: Shell) -> None:
    shell.do(
        "paragraph add H1 Bloodied 'Below half.' --by Mia",
        "paragraph revise H1 'At half.' --why 'half of what?'",
        "paragraph revise H1 'At a third.' --why 'too often'",
        "undo T6 --why 'no'",
        "amend T4 --set 'text=Under half.' --why typo",
    )
    assert history_of(shell, "H1") == [
        "- added (session 1, T4, Mia): Bloodied. Below half. No longer in force: amended by T8.",
        "- added (session 1, T4, Mia): Bloodied. Under half. Reworded by T8.",
        "- reworded (session 1, T5): At half. Why: half of what?",
        "- reworded (session 1, T6): At a third. Why: too often. No longer in force: undone by T7.",
    ]
    shell.do("undo T8")
    assert history_of(shell, "H1")[:2] == [
        "- added (session 1, T4, Mia): Bloodied. Under half. Reworded by T8. No longer in force: T8, which says"
        " so, is undone by T9.",
        "- added (session 1, T4, Mia): Bloodied. Below half.",
    ]
    assert "\nAt half.\nWorded like this since T5.\n" in shell.run("rules", "h1").ok().out
    assert "\nBelow half.\n" in shell.run("rules", "H1", "--at", "T4").ok().out


def test_what_the_rules_say_is_read_below_what_a_group_made_of_it(shell: Shell) -> None:
    shell.do("paragraph revise 6.3 'Tell it as you like.' --why 'we always did'")
    words = "What lost hit points look like. Hit points may stand for"

    def forms_with_the_rules() -> list[str]:
        forms = (("6.3",), ("--book", "-O", "md"), ("--book", "-O", "html"))
        return [
            mark
            for form, mark in zip(
                forms, ("- in the rules: ", "- **in the rules**: ", "<li><strong>in the rules</strong>: "), strict=True
            )
            if f"{mark}{words}" in shell.run("rules", *form).ok().out
        ]

    assert len(forms_with_the_rules()) == 3
    shell.do("new Heirs --rules osr --inherit mill.campaign")
    assert len(forms_with_the_rules()) == 3
    shell.do("use mill.campaign", "undo")
    assert not forms_with_the_rules()


def test_an_own_paragraph_whose_addition_is_undone_is_still_read(shell: Shell) -> None:
    shell.do("paragraph add H1 Bloodied 'Below half.'", "undo")
    assert "OSR H1    Bloodied  withdrawn  (1 in its history)" in shell.run("rules").ok().out
    assert "OSR H1" not in shell.run("rules", "--in-force").ok().out
    assert shell.run("rules", "H1").code == 1
    (paragraph,) = (paragraph for paragraph in shell.run("rules", "--json").json() if paragraph["rule"] == "OSR H1")
    (wording,) = paragraph["wordings"]
    assert (wording["version"], wording["title"], wording["text"]) == (0, "Bloodied", "Below half.")


def test_words_are_looked_for_in_paragraphs_and_their_histories(shell: Shell) -> None:
    shell.do("note 'the Straße is safe' --rule 6.4")
    for words in (("strasse",), ("ten", "MINUTES", "safe")):
        found = shell.run("rules", *words, "--json").json()
        assert [paragraph["rule"] for paragraph in found] == ["OSR 6.4"], words
    shell.run("rules", "zeppelin").is_(1, "No paragraph says 'zeppelin'; rules without a word lists them all.")
    assert "There is no rule '6.99'" in shell.run("rules", "6.99").err


def test_what_is_in_force_on_trial_or_disputed(shell: Shell) -> None:
    shell.do(
        "paragraph add H1 Bloodied 'Below half.'",
        "paragraph withdraw H1 --why 'nobody used it'",
        "ruling 6.5 'No fatigue.' --trial --review 2",
        "note 'I disagree.' --rule 6.6 --disputed",
    )

    def rules(*options: str) -> list[str]:
        return [option["rule"] for option in shell.run("rules", *options, "--json").json()]

    assert "OSR H1" not in rules("--in-force") and "OSR H1" in rules()
    assert rules("--disputed") == ["OSR 6.6"]
    (trial,) = shell.run("rules", "--trials", "--json").json()
    assert (trial["ruling"], trial["rule"], trial["review"], trial["due"]) == (1, "6.5", 2, False)
    assert "R1 on OSR 6.5 (session 1, T6): No fatigue. On trial, to be looked at again in session 2." in (
        shell.run("rules", "--trials").ok().out
    )
    assert "Withdrawn by T5." in shell.run("rules", "H1").ok().out


def test_a_trial_comes_up_again_on_its_day(shell: Shell) -> None:
    shell.do("ruling 6.5 'No fatigue.' --trial --review 2096-12-01")
    again = "On trial, to be looked at again on 2096-12-01."
    assert again in shell.run("rules", "--trials").ok().out and again in shell.run("rules", "6.5").ok().out
    assert again in shell.run("rules", "--trial", "R1").ok().out


def test_a_trial_that_is_due_is_said_when_a_session_opens_and_closes(shell: Shell) -> None:
    shell.do("ruling 6.5 'No fatigue.' --trial --review 2", "ruling 6.4 'So.' --trial --review 2020-01-01")
    due = "    R2 on OSR 6.4 is on trial and due to be looked at again.\n    Next: campaign ruling keep R2\n"
    closed = shell.run("session", "close").ok().out
    assert due in closed and "R1 on" not in closed
    opened = shell.run("session", "open").ok().out
    assert due in opened and "R1 on OSR 6.5 is on trial and due" in opened
    shell.do("ruling keep R1", "ruling end R2")
    assert "due" not in shell.run("session", "close").ok().out


def test_of_what_is_no_trial_it_is_said_what_to_read_or_do(shell: Shell) -> None:
    begin = 'One begins with: campaign ruling 6.4 "…" --trial --set OPTION=VALUE'
    shell.run("rules", "--trial", "R1").is_(1, f"R1 is not a trial; nothing has been on trial yet. {begin}")
    shell.do("ruling 6.5 'No fatigue.'")
    read = "What was played under it: campaign log --under R1"
    shell.run("rules", "--trial", "R1").is_(1, f"R1 is not a trial; nothing has been on trial yet. {read}")
    shell.do("ruling 6.4 'So.' --trial")
    shell.run("rules", "--trial", "R1").is_(1, f"R1 is not a trial; on trial: R2. {read}")


def test_without_a_ruling_that_was_no_trial_the_same_is_asked_and_nothing_is_recorded(shell: Shell) -> None:
    shell.do("rest brog 66", "rest brog 615", "ruling 6.4 'Keep the better.' --set keep_higher=true")
    shell.act({"type": "osr.short_rest", "characters": ["brog"], "keep": ["brog"], "rolled": {"brog": [1, 1, 2, 2]}})
    before = shell.turns()
    whole = shell.run("rules", "--trial", "R1", "--json").json()
    assert [turn["turn"] for turn in whole["evidence"]["differing"]] == [7]
    assert (whole["came_to"], whole["evidence"]["played"]) == ("in force", [7])
    assert "It is in force." in shell.run("rules", "--trial", "R1").ok().out
    shell.do("ruling 6.4 'Not any more.' --set keep_higher=false")
    assert shell.run("rules", "--trial", "R1", "--json").json()["came_to"] != "in force"
    assert shell.run("rules", "--trials").ok().out == "Nothing is on trial.\n"
    assert shell.turns()[: len(before)] == before and len(shell.turns()) == len(before) + 1


def tried(shell: Shell) -> None:
    """T5 is a rest with a worse result, R1 at T6 lets one keep the better, T7 uses it, T8 does not."""
    shell.do("rest brog 66", "rest brog 615", "ruling 6.4 'Keep the better.' --trial --set keep_higher=true")
    kept = {"type": "osr.short_rest", "characters": ["brog"], "keep": ["brog"], "rolled": {"brog": [1, 1, 2, 2]}}
    assert shell.act(kept).code == 0
    shell.do("rest brog 11122")


def test_a_trial_is_held_against_what_would_have_happened_without_it(shell: Shell) -> None:
    tried(shell)
    whole = shell.run("rules", "--trial", "R1", "--json").json()
    evidence = whole["evidence"]
    assert evidence["played"] == [7, 8]
    (kept,) = evidence["differing"]
    assert (kept["turn"], kept["session"], kept["characters"]) == (7, 1, ["brog"])
    assert "but keeps" in kept["under"], "the next rest is rolled with the same fatigue either way"
    assert kept["without"] == "Brog rolls 1 1 (2) (2) and has 2 hit points. Brog's fatigue is now 3."
    assert whole["by_session_and_character"] == [{"session": 1, "character": "brog", "turns": 1}]
    out = shell.run("rules", "--trial", "R1").ok().out
    assert "2 turns were played under it; without it 1 turn would read differently." in out
    assert "T7  under it:" in out and "without it:" in out
    shell.run("rules", "--trial", "R2").is_(1, "R2 is not a trial; on trial: R1.")
    shell.do("ruling end R1 --why 'too soft' --by Mia")
    assert history_of(shell, "6.4")[-1] == (
        "- R1 ends (session 1, T9, Mia). Why: too soft. 2 turns were played under it; without it 1 turn would read"
        " differently."
    )
    assert "It is over: ended at T9: too soft." in shell.run("rules", "--trial", "R1").ok().out


# -- played under --------------------------------------------------------------------------------------------


def test_a_trial_says_how_it_stands_with_it(shell: Shell) -> None:
    shell.do("ruling 6.4 'Keep the better.' --trial --review S2", "ruling 6.5 'No fatigue.' --trial")
    assert "On trial, to be looked at again in session 2." in history_of(shell, "6.4")[0]
    shell.do("ruling keep R1", "ruling end R2 --why 'too soft'")
    assert "On trial until T6." in history_of(shell, "6.4")[0] and "It was on trial." in history_of(shell, "6.5")[0]
    shell.do("undo T6")
    assert "On trial, to be looked at again in session 2." in history_of(shell, "6.4")[0]


def test_a_turn_that_reads_the_same_either_way_is_told_once(shell: Shell) -> None:
    deck = ",".join(map(str, (10, 17, 12, *range(10), 11, *range(13, 17), 18, 19)))
    shell.do(
        "new Road --rules deckahedron", f"enrol wren 2 3 3 deck={deck}", "scene combat", "lose-stamina wren 1",
        "breather wren int regained=10 rolled=1", "ruling 12 'Back into the deck.' --trial --set regained_to=deck",
    )  # fmt: skip
    told_ = shell.run("rules", "--trial", "R1").ok().out
    assert (
        "T5  the same words, with other dice, cards or counts behind them: Wren flips" in told_
        and "without it: Wren" not in told_
    )


def test_a_turn_names_the_wording_and_the_ruling_that_it_was_played_under(shell: Shell) -> None:
    shell.do(
        "rest brog 66",
        "paragraph revise 6.4 'Ten minutes.' --title Breather --why 'as we play it'",
        "ruling 6.4 'Keep the better.' --set keep_higher=true",
        "rest brog 615",
        "ruling end R1",
        "rest brog 6511",
    )
    out = shell.run("show", "T7").ok().out
    assert "OSR 6.4 Breather (in the words of T5)\n" in out and "ruling R1 on 6.4: Keep the better." in out
    before = shell.run("show", "T4").ok().out
    assert "OSR 6.4 Short rest\n" in before and "R1" not in before
    assert [row["turn"] for row in shell.run("log", "--under", "R1", "-O", "ndjson").ok().rows()] == [7]
    shell.run("log", "--under", "R2").is_(1, "There is no ruling R2; known: R1.")
    rules = shell.run("rules", "6.4").ok().out
    assert "Worded like this since T5; played in 2 turns, S1." in rules
    assert "Wording 1 was played in 1 turn, S1." in rules
    rows = shell.run("query", "select turn, rule, version, ruling from under where rule = 'OSR 6.4'", "--json").json()
    assert [list(row.values()) for row in rows] == [
        [4, "OSR 6.4", 1, None], [7, "OSR 6.4", 2, 1], [9, "OSR 6.4", 2, None],
    ]  # fmt: skip


def test_turns_are_found_by_the_paragraph_that_the_table_says_they_were_played_under(shell: Shell) -> None:
    shell.do("paragraph add H1 Bloodied 'Below half.'")
    assert shell.act({"type": "osr.damage", "character": "brog", "amount": 1, "cites": ["H1"]}).code == 0
    assert [row["turn"] for row in shell.run("log", "--rule", "h1", "-O", "ndjson").ok().rows()] == [4, 5]
    assert "OSR H1  Bloodied (in the words of T4)\n" in shell.run("show", "T5").ok().out
    assert "played in 1 turn, S1" in shell.run("rules", "H1").ok().out


# -- the book ------------------------------------------------------------------------------------------------


def test_the_book_holds_every_paragraph_with_its_history(shell: Shell) -> None:
    tried(shell)
    shell.do(
        "paragraph add H1 'A <b>bold</b> rule' 'Run *fast*.' --because T4",
        "note 'Says <script>alert(1)</script>' --rule H1 --disputed",
    )
    output = shell.run("rules", "--book", "-O", "html", "-o", "rules.html").ok().out
    assert output == "The rulebook of Mill is in rules.html.\n"
    page = (shell.folder / "rules.html").read_text("utf-8")
    assert "<script" not in page and "<b>" not in page and 'http-equiv="Content-Security-Policy"' in page
    for place in ('id="rule-6.4"', 'id="rule-H1"', 'id="R1"', 'id="T9"', 'id="T4"', 'id="options"', 'id="trials"'):
        assert page.count(place) == 1, place
    links = set(re.findall(r'href="#([^"]*)"', page))
    assert links and links <= set(re.findall(r'id="([^"]*)"', page))
    assert page.count("<details") == page.count("</details>") >= 4
    assert "@media print" in page and "max-width: 30rem" in page
    assert 'href="http://story-games.com/forums/discussion/comment/476092/"' in page
    text = shell.run("rules", "--book").ok().out
    assert "# The rules of Mill" in text and "<details><summary>History and notes</summary>" in text
    assert "OSR H1 A \\<b>bold" in text and "| [R1](#R1) |" in text


def test_the_book_as_json_leaves_nothing_out(shell: Shell) -> None:
    tried(shell)
    book = shell.run("rules", "--book", "-O", "json").json()
    assert (book["type"], book["campaign"], book["rules"], book["turn"]) == ("rulebook", "Mill", "osr", 8)
    (paragraph,) = [paragraph for paragraph in book["paragraphs"] if paragraph["rule"] == "6.4"]
    assert paragraph["facts"] == [], "by the name that programs know"
    assert paragraph["history"][0]["ruling"] == 1 and paragraph["wordings"][0]["played"]["turns"] == 4
    assert book["trials"][0]["evidence"]["played"] == [7, 8]
    assert book["sessions"] == [{"session": 1, "title": None, "date": None, "place": None}]


def test_the_book_is_whole_and_a_page_is_the_book(shell: Shell) -> None:
    assert shell.run("rules", "6.4", "--book").code == 2
    assert shell.run("rules", "-O", "html").code == 2
    assert shell.run("rules", "--book", "-O", "csv").code == 2


# -- taken over ----------------------------------------------------------------------------------------------


def handed_down(shell: Shell) -> None:
    tried(shell)
    shell.do(
        "paragraph add H1 Bloodied 'Below half.' --why 'it came up' --by Mia",
        "paragraph revise H1 'At half.' --why 'half of what?'",
        "paragraph revise 6.3 'Tell it as you like.' --why 'we always did'",
        "paragraph add H2 Luck 'A token each.'",
        "paragraph withdraw H2 --why 'nobody used it'",
        "ruling H1 'Half rounds down.'",
        "session close",
    )


@pytest.mark.parametrize("written", [True, False])
def test_another_campaign_begins_with_the_rulebook(shell: Shell, written: bool) -> None:
    handed_down(shell)
    shell.do("rules --book -O json -o book.json")
    source = "book.json" if written else "mill.campaign"
    begun = shell.run("new", "Heirs", "--rules", "osr", "--inherit", source).ok().out
    assert begun.startswith("Heirs begins, under the rules of osr with the rulebook of Mill, in heirs.campaign.\n")
    assert shell.turns()[0]["sentence"] == "The campaign Heirs begins under the rules of osr with the rulebook of Mill."
    assert shell.run("status", "--json").json()["options"]["keep_higher"] is True
    out = shell.run("rules", "H1").ok().out
    assert out.startswith("OSR H1  Bloodied\nAt half.\nIn the words of Mill.\nR2 of Mill: Half rounds down.\n")
    assert history_of(shell, "H1") == [
        "- added (Mill, session 1, T9, Mia): Bloodied. Below half. Why: it came up.",
        "- reworded (Mill, session 1, T10): At half. Why: half of what?",
        "- R2 of Mill (session 1, T14): Half rounds down.",
    ]
    assert "Tell it as you like." in shell.run("rules", "6.3").ok().out
    assert "OSR H2" not in shell.run("rules", "--in-force").ok().out and "Withdrawn." in shell.run("rules", "H2").out
    shell.do("session open", "enrol brog level 2 56", "paragraph revise H1 'A third.' --why 'too often'")
    assert shell.act({"type": "osr.damage", "character": "brog", "amount": 1, "cites": ["H1", "6.3"]}).code == 0
    assert "OSR H1  Bloodied (in the words of T4)\n" in shell.run("show", "T5").ok().out
    assert shell.run("rules", "--trials").ok().out == "Nothing is on trial.\n"
    page = shell.run("rules", "--book", "-O", "html").ok().out
    links = set(re.findall(r'href="#([^"]*)"', page))
    assert links <= set(re.findall(r'id="([^"]*)"', page))


def test_what_was_taken_over_is_handed_on(shell: Shell) -> None:
    handed_down(shell)
    shell.do("new Heirs --rules osr --inherit mill.campaign", "new Later --rules osr --inherit heirs.campaign")
    assert history_of(shell, "H1")[0] == "- added (Mill, session 1, T9, Mia): Bloodied. Below half. Why: it came up."
    assert "In the words of Heirs." in shell.run("rules", "H1").ok().out


@pytest.mark.parametrize("written", [True, False])
def test_what_a_trial_came_to_is_told_where_it_was_taken_over(shell: Shell, written: bool) -> None:
    tried(shell)
    shell.do("ruling end R1 --why 'too soft'", "rules --book -O json -o book.json")
    came_to = "2 turns were played under it; without it 1 turn would read differently."
    assert came_to in history_of(shell, "6.4")[-1]
    shell.do(f"new Heirs --rules osr --inherit {'book.json' if written else 'mill.campaign'}")
    assert came_to in history_of(shell, "6.4")[-1]
    shell.do("new Later --rules osr --inherit heirs.campaign")
    assert came_to in history_of(shell, "6.4")[-1] and came_to in shell.run("rules", "--book", "-O", "md").ok().out


def test_what_is_no_book_begins_nothing(shell: Shell) -> None:
    no = "not.json is not a rulebook; write one with campaign rules --book -O json -o not.json"
    for content in (b'{"type": "note"}', b'{"type": "rulebook", "a": "\xff"}', b'{"type": ', b'{"a":' + b"[" * 100_000):
        (shell.folder / "not.json").write_bytes(content)
        shell.run("new", "Heirs", "--rules", "osr", "--inherit", "not.json").is_(2, no)
    shell.run("new", "Heirs", "--rules", "deckahedron", "--inherit", "mill.campaign").is_(
        3, "The rulebook of Mill is one of osr; it does not fit deckahedron."
    )
    assert shell.run("new", "Heirs", "--rules", "osr", "--inherit", "gone.json").code == 2
    assert not list(shell.folder.glob("heirs*"))


def test_the_recap_tells_what_was_done_to_the_rules(shell: Shell) -> None:
    shell.do("ruling 6.5 'No fatigue.' --trial", "ruling keep R1", "paragraph add H1 Bloodied 'Below half.'")
    ruled = shell.run("recap", "--json").json()["rulings"]
    assert [ruling["sentence"] for ruling in ruled] == [
        None,
        "Ruling R1 is kept and no longer on trial.",
        "New paragraph H1, Bloodied: Below half.",
    ]
    page = shell.run("recap").ok().out
    happened, rulings = page.split("## Rulings")
    assert "New paragraph" not in happened and "- New paragraph H1, Bloodied: Below half. (T6)" in rulings


def test_the_figures_beside_a_paragraph_are_a_table_in_markdown(shell: Shell) -> None:
    shell.do("new Road --rules deckahedron")
    lines = shell.run("rules", "1", "-O", "md").ok().out.splitlines()
    head = lines.index("| card | rank 1 | rank 2 | rank 3 | rank 4 | d4 | Stamina |")
    assert lines[head + 1] == "|---|---|---|---|---|---|---|" and len(lines[head + 2].split("|")) == 9


def test_a_wide_table_names_each_of_its_cells_for_who_reads_it_on_a_phone(shell: Shell) -> None:
    page = shell.run("rules", "--book", "-O", "html").ok().out
    assert re.search(r"<table class=wide>\s*<thead>\s*<tr>\s*<th>rule</th>", page)
    assert '<td data-head="default">referee</td>' in page


@pytest.mark.parametrize("name", sorted(examples()))
def test_the_rulebook_of_each_example_is_a_page_whose_links_lead_somewhere(shell: Shell, name: str) -> None:
    shell.run("demo", name).ok()
    page = shell.run("rules", "--book", "-O", "html", "-c", f"campaign-demo/{name}.campaign").ok().out
    places = re.findall(r'id="([^"]*)"', page)
    assert len(places) == len(set(places))
    assert set(re.findall(r'href="#([^"]*)"', page)) <= set(places)
    still_open: list[str] = []
    for closing, tag in re.findall(r"<(/?)([a-z0-9]+)[^>]*>", page.partition("<body>")[2].partition("</body>")[0]):
        if not closing and tag not in ("br",):
            still_open.append(tag)
        elif closing:
            assert still_open.pop() == tag
    assert not still_open


def test_what_is_at_hand_beside_a_paragraph_stands_in_columns_of_any_window(new_shell: Shell) -> None:
    new_shell.do("new Road --rules deckahedron")
    rows = new_shell.terminal("rules", "35", columns=80, env={"NO_COLOR": "1"}).out.splitlines()
    assert max(map(len, rows)) <= 80
    at = next(number for number, row in enumerate(rows) if row.endswith("They clash"))
    column = rows[at].index("They clash")
    assert [row[column:] for row in rows[at + 1 : at + 3]] == ["and nobody", "is hurt."]
    assert "They clash and nobody is hurt." in new_shell.run("rules", "35").ok().out


def test_what_a_paragraph_says_beyond_its_source_is_marked_as_such(shell: Shell) -> None:
    marked = "Not in the source: that the price is paid in full or not at all."
    assert marked in shell.run("rules", "6.12").ok().out
    for form in ("md", "html"):
        assert marked in shell.run("rules", "--book", "-O", form).ok().out, form
    (row,) = shell.run("rules", "6.12", "--json").json()
    assert row["not_in_source"] == ["that the price is paid in full or not at all"]
    (row,) = [
        paragraph
        for paragraph in shell.run("rules", "--book", "--json").json()["paragraphs"]
        if paragraph["rule"] == "6.12"
    ]
    assert row["not_in_source"] == ["that the price is paid in full or not at all"]
    assert "Not in the source" not in shell.run("rules", "6.7").ok().out


def test_the_groups_own_wording_is_not_held_against_the_source(shell: Shell) -> None:
    shell.do("paragraph revise 6.12 'Twenty for each level.' --why 'too cheap'")
    assert "Not in the source" not in shell.run("rules", "6.12").ok().out


def test_a_trial_tells_the_sheets_at_the_end_even_where_they_are_the_same(shell: Shell) -> None:
    shell.do("ruling 6.4 'Keep the better.' --trial --set keep_higher=true", "rest brog --keep brog --rolled 1,1")
    output = shell.run("rules", "--trial", "R1").ok().out
    assert "without it: Brog rolls 1 1 and has 2 hit points. Brog's fatigue is now 1." in output
    assert "Sheets at the end\nbrog: hp 11, without it 2" in output
    shell.do("undo")
    assert "Sheets at the end\nThey would be the same without it." in shell.run("rules", "--trial", "R1").ok().out
