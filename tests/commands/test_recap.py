"""An evening as a page: what is on it, that none of it can be anything but text, and that it keeps secrets."""

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cli.pages.html_page import shown
from cli.pages.recap_html import page as html_page
from cli.pages.recap_markdown import page as markdown_page
from cli.pages.recap_markdown import text_plot
from cli.pages.rows import markdown
from cli.shell.examples import examples
from domain.common.notes import Note
from domain.common.revisions import Amend, Undo
from domain.common.rulings import Ruling
from domain.common.sessions import SessionClose, SessionOpen
from domain.common.sheets import Override, SheetCheck
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rounds import BeginRound, CleanUp, EndTurn, Reveal, Select
from domain.gloomhaven.scenarios import BeginScenario
from domain.log.effective_history import effective_turns
from domain.log.points import sessions_of
from domain.osr import Osr
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage as Hit
from domain.osr.rests import NightRest, ShortRest
from domain.turn import Action
from projections.chronicle import plain
from projections.recap import Curve, Recap, recap_of
from tests.commands.test_exchange import tables
from tests.gloomhaven.tables import brog, spell
from tests.kit.given import Given
from tests.kit.shell import Shell
from tests.kit.typed import NASTY
from tests.record_examples import replayed

#: Reads everything that the common dialects read: tables, strikethrough, bare HTML.
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@pytest.fixture
def shell(after_two_evenings: Shell) -> Shell:
    return after_two_evenings


def section(text: str, title: str) -> list[str]:
    """The lines below one heading."""
    _, _, after = text.partition(f"\n## {title}\n")
    assert after, f"no section {title!r} in {text}"
    return [line for line in after.partition("\n## ")[0].splitlines() if line]


# -- what is on it -----------------------------------------------------------------------------------------


def test_the_page_tells_the_evening(shell: Shell) -> None:
    text = shell.run("recap", "S1").ok().out
    assert text.startswith("# Crypt, session 1: The crypt\n\n2026-01-09 · osr · T2 to T14\n")
    assert section(text, "Who was there") == ["- Mia with Brog", "- Jon with Ada"]
    assert section(text, "What happened")[2] == "- Brog is hit for 9 by a ghoul and has 2 hit points left. (T5)"
    assert section(text, "Rulings") == [
        "- R1 on OSR 6.4: Keep the higher. Why: It hurts too much. (keep\\_higher = true) (T8)"
    ]
    assert section(text, "Hit points over the evening") == ["    Brog  11 ██▂▂█▇ 9", "    Ada    6  ▅▅___ 0"]


def test_turning_points_are_of_the_story_and_what_was_set_right_stands_apart(shell: Shell) -> None:
    text = shell.run("recap", "S1").ok().out
    assert not [line for line in section(text, "What happened") if "(T6)" in line]
    assert [line.partition(".")[0] for line in section(text, "Turning points")] == [
        "- **T5** Brog loses 9 hit points at once, the most of the evening: from 11 to 2",
        "- **T10** Ada is collapsed",
    ]
    assert [line.partition(".")[0] for line in section(text, "Corrections")] == [
        "- **T6** Taken back by T12",
        "- **T11** The referee overrides Brog's sheet",
    ]
    page = shell.run("recap", "S1", "-O", "html").ok().out
    assert page.index("<h2>Turning points</h2>") < page.index("<h2>Corrections</h2>") < page.index("Taken back by T12")


def evening(*actions: Action) -> Given:
    """Brog and Ada, and what they did."""
    brog = Enrol(character="brog", player="Mia", level=2, rolled=(6, 6))
    ada = Enrol(character="ada", player="Jon", rolled=(6,))
    return Given("osr", brog, ada, SessionOpen(), *actions)


def test_dice_that_come_out_lower_are_no_blow() -> None:
    rest = ShortRest(characters=("brog",), rolled={"brog": (1, 1)})
    quiet = evening(rest)
    assert quiet.sheet("brog")["hp"] == 2
    assert recap_of(quiet.system, quiet.log, 1).moments == ()
    struck = evening(rest, Hit(character="ada", amount=3))
    (worst,) = recap_of(struck.system, struck.log, 1).moments
    assert worst.what == "Ada loses 3 hit points at once, the most of the evening: from 6 to 3"


def test_a_figure_that_is_worse_the_higher_it_is_is_told_the_right_way_round() -> None:
    rest = ShortRest(characters=("brog",))
    table = evening(rest, rest, NightRest(characters=("brog",)), rest)

    class Weary(Osr):
        vital = ("fatigue", "fatigue")
        blows = frozenset({"osr.fatigue_gained"})

    told = recap_of(Weary(), table.log, 1)
    assert [moment.what for moment in told.moments] == [
        "Brog takes 1 fatigue at once, the most of the evening: from 0 to 1"
    ]
    assert told.higher_is_worse and not recap_of(table.system, table.log, 1).higher_is_worse


def test_the_page_names_its_curves_below_them_for_a_phone(shell: Shell) -> None:
    page = shell.run("recap", "-O", "html").ok().out
    legend = page.partition('<p class="legend">')[2].partition("</p>")[0]
    assert re.sub(r"<[^>]+>", "", legend).split() == ["Brog", "2"]


def test_a_narrow_plot_shows_the_worst_of_each_column() -> None:
    course = Curve("brog", tuple((turn, 9 if turn == 70 else 1) for turn in range(1, 121)))
    (high,) = text_plot([course], higher_is_worse=True)
    (low,) = text_plot([course], higher_is_worse=False)
    assert ("█" in high, "█" in low) == (True, False)


def test_only_who_acted_or_was_acted_on_was_there() -> None:
    table = evening(
        Hit(character="brog", amount=1),
        Note(text="Ada is away.", about="ada"),
        Override(character="ada", set={"fatigue": 1}, why="told by message"),
        SheetCheck(character="ada", expect={"hp": 6}),
    )
    told = recap_of(table.system, table.log, 1)
    assert (told.players, told.others) == ({"Mia": ("brog",)}, ())
    assert [sheet.took_part for sheet in told.sheets] == [True, False]


def test_who_is_only_touched_by_what_follows_was_not_there() -> None:
    together = Ruling(rule="6.4", text="If one rests, all do.", set={"short_rest_together": True})
    table = evening(together, ShortRest(characters=("brog",)))
    assert table.sheet("ada")["fatigue"] == 1
    told = recap_of(table.system, table.log, 1)
    assert told.players == {"Mia": ("brog",)}
    assert [(sheet.character, sheet.took_part) for sheet in told.sheets] == [("brog", True), ("ada", False)]


def test_sheets_stand_before_and_after(shell: Shell) -> None:
    value = shell.run("recap", "2", "--json").json()
    (brog,) = value["sheets"]
    assert {"name": "hp", "before": "9", "after": "2"} in brog["fields"]
    assert "| hp | 9 | **2** |" in shell.run("recap", "2").ok().out
    assert value["open"] is True
    assert value["curves"] == [
        {"character": "brog", "points": [[14, 9], [16, 2]]},
    ]


def test_the_last_session_is_told_unless_another_is_named(shell: Shell) -> None:
    assert shell.run("recap").ok().out == shell.run("recap", "S2").ok().out


def test_the_past_knows_nothing_of_what_came_later(shell: Shell) -> None:
    then = shell.run("recap", "--at", "T7").ok().out
    assert "still open" in then
    assert "(T6)" in "".join(section(then, "What happened"))


def test_a_session_that_is_not_there_is_said_in_one_sentence(shell: Shell) -> None:
    shell.run("recap", "S7").is_(1, "There is no session S7; known: S1 and S2.")
    shell.run("recap", "--at", "T1").is_(1, "No session was held yet.")
    shell.run("recap", "crypt").is_(2, "'crypt' is not a session; write it like S3 or 3.")


def test_a_correction_of_a_later_evening_is_told() -> None:
    hit = Hit(character="brog", amount=2)
    table = Given("osr", SessionOpen(), Enrol(character="brog", rolled=(6,)), hit, SessionClose())
    table.when(Amend(turn=4, action={"type": "osr.damage", "character": "brog", "amount": 3}))
    told = recap_of(table.system, table.log, 1)
    corrected = told.corrections
    assert [moment.turn for moment in corrected] == [4]
    assert "hit for 2" in corrected[0].what
    assert "hit for 3" in corrected[0].sentence
    assert told.curves[0].points == ((3, 6), (4, 3))


@pytest.mark.parametrize("name", sorted(examples()))
def test_every_evening_of_the_examples_can_be_told(name: str) -> None:
    log = replayed(name)
    table = Given(log.rules)
    for session, (first, last) in sessions_of(log).items():
        told = recap_of(table.system, log, session)
        assert (told.first, told.last) == (first, last)
        # an evening may mend the past and rule, and play nothing
        assert told.lines or told.rulings
        assert bool(told.players) == bool(told.lines)
        assert all(first <= line.turn <= last for line in told.lines)
        assert well_formed(html_page(told)) == set()
        json.dumps(told.as_json(), default=str)


@settings(max_examples=100, deadline=None)
@given(table=tables())
def test_the_sessions_are_those_that_the_chronicle_tells(table: Given) -> None:
    found: dict[int, tuple[int, int]] = {}
    for told in effective_turns(table.log):
        if told.session and (told.session in found or told.standing):
            found[told.session] = (found.get(told.session, (told.turn.number, 0))[0], told.turn.number)
    assert sessions_of(table.log) == found


def test_a_note_amended_into_an_opening_opens_a_session() -> None:
    table = Given("osr", Note(text="?"), Note(text="!")).when(Amend(turn=2, action={"type": "session.open"}))
    assert sessions_of(table.log) == {1: (2, 4)}


# -- nothing but text --------------------------------------------------------------------------------------

#: What the page itself is made of.
TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li", "strong", "em", "code", "s",
    "span", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "br", "svg", "line", "polyline", "text",
}  # fmt: skip
#: Attributes that could load or run something.
DANGEROUS = re.compile(r"on.*|src|href|xlink:href|action|formaction|srcset|data|background|poster")
VOID = {"meta", "br", "line"}


class Strict(HTMLParser):
    """Notes what a page holds that a recap does not need, and tags that do not close."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: set[str] = set()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.wrong.add(tag)
        self.wrong |= {name for name, _ in attrs if DANGEROUS.fullmatch(name)}
        self.wrong |= {
            f"style={value}" for name, value in attrs if name == "style" and not STYLE.fullmatch(value or "")
        }
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.add(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "title"):
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.wrong.add(f"<!--{data}")


STYLE = re.compile(r"(stroke|fill):var\(--c\d\)")


def well_formed(page: str) -> set[str]:
    """What is wrong with a page; nothing, for a good one."""
    strict = Strict()
    strict.feed(page)
    strict.close()
    return strict.wrong | set(strict.open)


def plain_text(page: str) -> str:
    strict = Strict()
    strict.feed(page)
    strict.close()
    return "".join(strict.text)


def test_a_note_stays_text_on_the_html_page(shell: Shell) -> None:
    page = shell.run("recap", "S1", "-O", "html").ok().out
    assert well_formed(page) == set()
    assert NASTY in plain_text(page)
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "").replace("https://e.org", "").replace("http://e.org", "")


def test_a_note_stays_text_in_markdown(shell: Shell) -> None:
    (line,) = section(shell.run("recap", "S1").ok().out, "Notes")
    rendered = READER.render(line)
    assert set(re.findall(r"<(/?\w+)", rendered)) == {"ul", "li", "/li", "/ul"}
    assert NASTY in plain_text(rendered)


words = st.text(
    st.sampled_from("ab \\`*_[]()<>|#~&$!+-=.:;/'\"{}1@\n\t\u202e\x1b\u2028=＝") | st.characters(codec="utf-8"),
    max_size=40,
)


@settings(max_examples=400, deadline=None)
@given(text=words)
def test_no_text_is_marked_up_by_markdown(text: str) -> None:
    for before in ("- ", "", "- **T4** "):
        rendered = READER.render(f"{before}{markdown(text)}\n")
        tags = set(re.findall(r"<(\w+)", rendered))
        assert tags <= ({"ul", "li", "strong"} if before else {"p"}), rendered


@settings(max_examples=200, deadline=None)
@given(text=words)
def test_a_table_cell_stays_a_cell(text: str) -> None:
    rendered = READER.render(f"| a | b |\n|---|---|\n| {markdown(text)} | end |\n")
    assert set(re.findall(r"<(\w+)", rendered)) == {"table", "thead", "tbody", "tr", "th", "td"}
    assert rendered.count("<td>") == 2
    assert "<td>end</td>" in rendered


@settings(max_examples=200, deadline=None)
@given(text=words)
def test_no_text_is_marked_up_by_html(text: str) -> None:
    page = f"<p>{shown(text)}</p>"
    assert well_formed(page) == set()
    assert set(re.findall(r"<(\w+)", page)) <= {"p", "br"}


@settings(max_examples=40, deadline=None)
@given(text=st.text(min_size=1, max_size=30).filter(lambda text: text.strip() != ""))
def test_no_title_place_player_or_summary_breaks_a_page(text: str) -> None:
    enrol = {"type": "osr.enrol", "character": "brog", "player": text, "rolled": [6]}
    table = Given("osr", SessionOpen(title=text, place=text)).when(enrol)
    table.and_given(Note(text=text), SessionClose(summary=text))
    told = recap_of(table.system, table.log, 1)
    assert well_formed(html_page(told)) == set()
    rendered = READER.render(markdown_page(told))
    allowed = {"h1", "h2", "h3", "p", "ul", "li", "strong", "pre", "code", "table", "thead", "tbody", "tr", "th", "td"}
    assert set(re.findall(r"<(\w+)", rendered)) <= allowed | {"blockquote"}


# -- into a file -------------------------------------------------------------------------------------------


def test_a_page_goes_into_a_file_whole(shell: Shell) -> None:
    told = shell.run("recap", "S1", "-O", "html", "-o", "s1.html").ok()
    assert told.out == "The recap of session 1 is in s1.html.\n"
    assert shell.bytes_of("s1.html").decode() == shell.run("recap", "S1", "-O", "html").ok().out
    (shell.folder / "s1.html").chmod(0o640)
    shell.run("recap", "S2", "-O", "html", "-o", "s1.html").ok()
    assert shell.bytes_of("s1.html").decode() == shell.run("recap", "S2", "-O", "html").ok().out
    assert (shell.folder / "s1.html").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in shell.folder.iterdir()) == ["crypt.campaign", "s1.html"]


def test_a_campaign_is_never_written_over(shell: Shell) -> None:
    before = shell.bytes_of("crypt.campaign")
    shell.run("recap", "-o", "crypt.campaign").is_(
        2, "crypt.campaign is a campaign or another database and is left alone; choose another name."
    )
    assert shell.bytes_of("crypt.campaign") == before
    shell.run("recap", "-o", "nowhere/x.md").is_(2, "There is no folder nowhere to write x.md in.")
    shell.run("recap", "-o", ".").is_(2, ". is a folder; name a file in it.")


# -- secrets -----------------------------------------------------------------------------------------------


def scenario(*later: Action) -> Given:
    """Brog's cards are selected, taken back, selected anew."""
    table = Given(
        "gloomhaven",
        SessionOpen(title="Black Barrow"),
        *(brog(), spell(), BeginScenario(scenario="1"), BeginRound()),
        Select(character="brog", lead=5, second=6),
        Undo(),
        Select(character="brog", lead=1, second=4),
    )
    return table.and_given(*later)


def everything(told: Recap) -> str:
    return markdown_page(told) + html_page(told) + json.dumps(told.as_json(), default=str)


@pytest.mark.parametrize("later", [(), (Damage(character="brog", amount=1),)])
def test_a_recap_keeps_what_was_not_revealed(later: tuple[Action, ...]) -> None:
    table = scenario(*later)
    others = everything(recap_of(table.system, table.log, 1, viewer="ben"))
    for title in ("Trample", "Provoking", "Overwhelming", "Grab and Go"):
        assert title not in others
    own = everything(recap_of(table.system, table.log, 1, viewer="ann"))
    assert "Trample" in own
    assert "hand | – | 8" in others


def test_what_was_revealed_is_told_and_what_was_taken_back_is_not() -> None:
    table = scenario(Select(character="spell", lead=61, second=62), Reveal())
    others = everything(recap_of(table.system, table.log, 1, viewer="ben"))
    assert "Trample" in others
    assert "Overwhelming" not in others


def test_a_round_is_set_off_and_what_others_tell_as_well_is_left_out() -> None:
    table = scenario(Select(character="spell", lead=65, second=62), Reveal(), EndTurn(character="spell", tokens=1))
    halves = (
        Perform(character="brog", card=1, half="top"),
        Perform(character="brog", card=4, half="bottom", basic=True),
    )
    table.and_given(*halves, EndTurn(character="brog"), CleanUp(), BeginRound())
    told = recap_of(table.system, table.log, 1)
    assert [plain(line.parts) for line in told.lines if line.opens_part] == ["Round 1 begins.", "Round 2 begins."]
    happened = section(markdown_page(told), "What happened")
    assert [line for line in happened if not line.startswith("- ")] == [
        "### Round 1 begins. (T6)", "### Round 2 begins. (T17)"
    ]  # fmt: skip
    text = "\n".join(happened)
    assert "selects" not in text and "Brog's turn ends" not in text and "cleaned up" not in text, text
    assert "picks up 1 money token and has 1 gold. Spell's turn ends." in text and "The cards are revealed." in text
    assert "<h3>Round 2 begins. " in html_page(told)


def test_what_nobody_has_is_on_no_sheet_before_and_after() -> None:
    (sheet, *_) = recap_of(scenario().system, scenario().log, 1).sheets
    names = [field.name for field in sheet.fields]
    assert "kills" in names and not {"exhausted", "resting", "lost"} & set(names)


def test_who_falls_is_a_turning_point_in_every_system() -> None:
    table = scenario(Select(character="spell", lead=61, second=62), Reveal(), Damage(character="brog", amount=30))
    moments = [moment.what for moment in recap_of(table.system, table.log, 1).moments]
    assert "Brog is exhausted" in moments
    assert "Brog loses 10 hit points at once, the most of the evening: from 10 to 0" in moments


def test_on_a_terminal_it_is_read_and_not_raw_markdown(shell: Shell) -> None:
    seen = shell.terminal("recap", "S1", env={"PAGER": "cat", "NO_COLOR": "1"}).out
    assert "Who was there\n" in seen and "What happened\n" in seen
    assert not any(line.startswith(("#", "|", "> ")) for line in seen.splitlines())
    assert "**" not in seen and "\\" not in seen
    assert shell.run("recap", "S1").ok().out.startswith("# "), "in a pipe it is the page"
