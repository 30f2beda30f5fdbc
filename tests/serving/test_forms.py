"""Every action has its form: an evening of each system, from an empty campaign, with nothing but forms and taps."""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import pytest

from cli.line.verbs import verbs_of
from cli.shell.command_context import open_chosen
from domain.registry import verb_name
from domain.system.options import options_of
from domain.system.paragraphs import paragraphs_of
from tests.deckahedron.evening import EVENING as DECKAHEDRON
from tests.gloomhaven.evening import EVENING as GLOOMHAVEN
from tests.kit.on_disk import handler_of
from tests.kit.phones import Reply, Served, served
from tests.kit.shell import Shell
from tests.kit.subjects import Filled
from tests.osr.evening import EVENING as OSR


class Table:
    """A referee's phone that fills in forms."""

    def __init__(self, served: Served) -> None:
        self.served, self.phone = served, served.phone("referee")

    def asked_first(self, page: Reply, values: dict[str, Any]) -> Reply:
        """The form behind what is asked before the rest, chosen from what is listed; the page itself without that."""
        ends = tuple(f"?{key}={value}" for key, value in values.items())
        return next((self.phone.get(to) for to in picks(page).values() if to.endswith(ends)), page)

    def fill_in(self, verb: str, values: dict[str, Any]) -> None:
        """Open the form, fill it in, look, and do it, whatever the rules ask first."""
        before = self.served.log.last()
        page = self.asked_first(self.phone.get(f"/act/{verb.replace(' ', '%20')}" + _whose(values)), values)
        assert page.status == 200, page
        form = page.form("Look")
        settled = {name for name, _ in form.fields} - form.open.keys()
        rest = {key: value for key, value in values.items() if f"f.{key}" not in settled}
        fields = [(name, value) for name, value in form.fields if name.removeprefix("f.") not in rest]
        for key, value in rest.items():
            assert f"f.{key}" in form.open, f"{verb} has no place for {key}: {list(form.open)}"
            offered = [choice for choice in form.open[f"f.{key}"] if choice]
            for part in value if isinstance(value, list) else [value]:
                assert not offered or part in offered, f"{verb} does not offer {part} for {key}: {offered}"
                fields.append((f"f.{key}", part))
        looked = self.phone.post("/look", fields)
        assert looked.status == 200, (verb, looked.main)
        # a sentence, no verb with its fields
        assert not re.search(rf": {verb.replace('-', ' ')}[,:]", looked.main), (verb, looked.main)
        reply = self.phone.post("/do", fields)
        for _ in range(4):
            if reply.status != 200:
                break
            asked = [form for form in reply.forms if form.action == "/do"]
            assert asked, (verb, reply.main)
            reply = self.phone.post("/do", asked[0].fields)
        assert reply.status == 303, (verb, reply.main)
        assert self.served.log.last() > before, verb


def first(evening: Sequence[Filled], *verbs: str) -> list[Filled]:
    """The first step of an evening with each of these verbs, in their order."""
    steps = iter(evening)
    return [next(step for step in steps if step[0] == verb) for verb in verbs]


def picks(page: Reply) -> dict[str, str]:
    """What is asked before the rest of a form: the text of each choice, and where it leads."""
    listed = page.main.partition('class="rows picks"')[2].partition("</ul>")[0]
    return {html.unescape(says): html.unescape(to) for to, says in re.findall(r'<a href="([^"]*)">(.*?)</a>', listed)}


def _whose(values: dict[str, Any]) -> str:
    if "turn" in values:
        return f"?turn={values['turn']}"
    return f"?for={values['character']}" if isinstance(values.get("character"), str) else ""


@pytest.fixture
def table(request: pytest.FixtureRequest, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    shell = Shell(tmp_path, monkeypatch)
    shell.do(f"new Table --rules {request.param}")
    with open_chosen(None, write=True) as (log, system), served(log, system, handler_of(log)) as found:
        yield Table(found)


@pytest.mark.parametrize(
    ("table", "evening"), [("osr", OSR), ("deckahedron", DECKAHEDRON), ("gloomhaven", GLOOMHAVEN)], indirect=["table"]
)
def test_an_evening_of_forms(table: Table, evening: Sequence[Filled]) -> None:
    for verb, values in evening:
        table.fill_in(verb, values)


@pytest.mark.parametrize(
    ("table", "evening"), [("osr", OSR), ("deckahedron", DECKAHEDRON), ("gloomhaven", GLOOMHAVEN)], indirect=["table"]
)
def test_a_form_with_a_group_that_is_open_says_that_it_is_to_be_chosen(table: Table, evening: Sequence[Filled]) -> None:
    for verb, values in evening[: len(evening) // 2]:
        table.fill_in(verb, values)
    seen = 0
    for verb in sorted({verb_name(verb.kind) for verb in verbs_of(table.served.system.key)}):
        page = table.phone.get(f"/act/{quote(verb)}")
        open_groups = [
            group
            for group in re.findall(r"<fieldset data-required>.*?</fieldset>", page.main, re.DOTALL)
            if " checked" not in group
        ]
        if not open_groups:
            continue
        seen += 1
        preview = table.phone.filling_in(page.form("Look").fields)
        assert preview["problem"] and not preview["would"], (verb, preview)
        if page.main.index(open_groups[0]) < page.main.index("<p><label"):
            # the first that is open is named
            label = re.search(r"<legend>(.*?)( <span|</legend>)", open_groups[0])
            assert label is not None
            assert html.unescape(label[1])[1:].partition(", like")[0] in preview["problem"], (verb, preview)
            assert preview["problem"].startswith(("Choose first: ", "Answer first: ")), (verb, preview)
    assert seen >= 3


@pytest.mark.parametrize(("rules", "evening"), [("osr", OSR), ("deckahedron", DECKAHEDRON), ("gloomhaven", GLOOMHAVEN)])
def test_every_action_has_a_form_that_is_submitted(rules: str, evening: Sequence[Filled]) -> None:
    ours = {verb.kind for verb in verbs_of(rules)}
    submitted = {verb for verb, _ in (*evening, *(kind for kind in OSR if rules != "osr"))}
    missing = sorted({verb_name(kind) for kind in ours} - submitted)
    assert not missing, f"fill each of these in, in tests/{rules}/evening.py: {missing}"


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_nothing_is_offered_that_can_only_be_refused(table: Table) -> None:
    def offered() -> str:
        return table.phone.get("/act").main

    table.fill_in("enrol", {"character": "Brog", "level": "2", "rolled": "5 6"})
    for verb in ("Choose fate", "Injury saves", "Treat", "Rally"):
        assert verb not in offered()
    assert "Choose fate" not in table.phone.get("/").main
    table.fill_in("bypassing-hit", {"character": "Brog", "dc": "18"})
    assert "Injury saves" in offered()
    table.fill_in("injury-saves", {"character": "Brog", "strength": "3", "will": "15"})
    assert "Choose fate" in offered()
    assert "Injury saves" not in offered()


@pytest.mark.parametrize("table", ["gloomhaven"], indirect=True)
def test_nobody_is_offered_to_use_what_nobody_has(table: Table) -> None:
    table.fill_in(*GLOOMHAVEN[0])
    ines = table.served.phone("Ines")
    assert 'href="/act/damage"' in ines.get("/").main and 'href="/act/use-item"' not in ines.get("/").main
    assert 'href="/act/use-item"' not in table.phone.get("/").main
    table.fill_in("buy-item", {"character": "Brann", "item": "Minor Healing Potion"})
    assert 'href="/act/use-item"' in ines.get("/").main


@pytest.mark.parametrize("table", ["gloomhaven"], indirect=True)
def test_what_holds_records_of_its_own_has_no_place_in_a_form(table: Table) -> None:
    """A file that holds such records can be pasted; cards and items one by one cannot be typed into a field."""
    opened_fields = table.phone.get("/act/learn").form("Look").open
    assert "f.data" in opened_fields
    assert not {"f.cards", "f.items", "f.classes"} & opened_fields.keys()


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_what_was_forgotten_is_told_late_by_its_form(table: Table) -> None:
    table.fill_in("enrol", {"character": "Brog", "player": "Mia", "level": "2", "rolled": "5 6"})
    table.fill_in("damage", {"character": "Brog", "amount": "2"})
    table.fill_in("note", {"text": "Rain"})
    # the turn itself leads to the form
    assert 'href="/act?after=T3"' in table.phone.get("/turn/3").main
    assert 'href="/act/damage?after=T3"' in table.phone.get("/act?after=T3").main
    page = table.phone.get("/act/damage?after=T3")
    form = page.form("Look")
    assert ("after", "T3") in form.fields
    looked = table.phone.post("/look", [*form.fields, ("f.amount", "4")])
    assert "It happened directly after T3." in looked.main
    asked = table.phone.post("/do", [*form.fields, ("f.amount", "4")])
    agrees = asked.form("Do it")
    assert table.phone.post("/do", agrees.fields).status == 303
    assert "Late entry: it happened directly after" in table.phone.get("/turn/5").main
    # wherever a form is opened, the turn can be typed; what is no turn is said in plain words
    form = table.phone.get("/act/damage").form("Look")
    refused = table.phone.post(
        "/look",
        [*(pair for pair in form.fields if pair[0] != "after"), ("f.amount", "4"), ("after", "yesterday evening")],
    )
    assert "Write a turn, like T4" in refused.main
    # a player tells what happens now, and an undo is always of now
    assert "after" not in table.served.phone("Mia").get("/act/damage").form("Look").open
    assert "after" not in table.phone.get("/act/undo").form("Look").open


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_a_late_form_is_of_who_was_there_and_of_what_happens_at_the_table(table: Table) -> None:
    table.fill_in("enrol", {"character": "Brog", "player": "Mia", "rolled": "5"})
    table.fill_in("damage", {"character": "Brog", "amount": "2"})
    table.fill_in("enrol", {"character": "Ada", "player": "Jo", "rolled": "4"})
    for line in ("d brog 9", "saves brog 1 1", "fate brog death"):
        assert table.phone.says(line).status == 303
    assert 'value="Brog"' not in table.phone.get("/act/damage").main
    # Brog lived then, and Ada had not come; a turn needs no T
    for place in ("T3", "3"):
        page = table.phone.get(f"/act/damage?after={place}")
        assert {("f.character", "Brog"), ("after", "T3")} <= set(page.form("Look").fields) and "Ada" not in page.main
    entries = table.phone.get("/act?after=T3").main
    assert 'href="/act/short-rest?after=T3"' in entries
    # an undo is of the log as it is now
    for verb in ("undo", "redo", "amend"):
        assert f"/act/{verb}?" not in entries
        assert table.phone.get(f"/act/{verb}?after=T3").status == 404
    # whoever cannot tell what happened earlier does not tell it as of now
    mia = table.served.phone("Mia")
    for address in ("/act?after=T3", "/act/damage?after=T3"):
        page = mia.get(address)
        assert (page.status, "can tell what happened earlier" in page.main) == (409, True)
    fields = [*mia.get("/act/damage").form("Look").fields, ("f.amount", "1"), ("after", "T3")]
    assert mia.post("/do", fields).status == 409


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_what_the_table_waits_for_stands_on_its_form(table: Table) -> None:
    table.fill_in("enrol", {"character": "Brog", "player": "Mia", "rolled": "5"})
    assert table.phone.says("d brog 9 a ghoul").status == 303
    why = "strength and will saves against DC 24 (a ghoul)."
    assert why in table.phone.get("/act/injury-saves").main
    assert why not in table.phone.get("/act/short-rest").main


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_the_number_of_a_turn_is_one_where_a_turn_is_asked_for(table: Table) -> None:
    table.fill_in("enrol", {"character": "Brog", "player": "Mia", "rolled": "5"})
    table.fill_in("note", {"text": "Rain"})
    form = table.phone.get("/act/undo").form("Look")
    assert table.phone.post("/do", [*form.fields, ("f.to", "2")]).status == 303
    assert "undone" in table.phone.get("/turn/3").main.casefold()


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_what_is_asked_on_the_way_of_a_late_entry_keeps_its_turn(table: Table) -> None:
    table.fill_in("enrol", {"character": "Brog", "player": "Mia", "rolled": "5"})
    for line in ("d brog 9", "n Rain", "saves brog 1 1"):
        assert table.phone.says(line).status == 303
    another = table.phone.get("/act/ruling?after=T3&rule=6.4").main.partition(">Choose another")[0]
    assert another.endswith('href="/act/ruling?after=T3"')
    asked = table.phone.says("saves brog strength=14 after=T3").form("the total of the will save")
    page = table.phone.post("/do", asked.fields)
    assert ("after", "T3") in page.form("Look").fields
    assert page.headers["content-location"] == "/act/injury-saves?for=Brog&after=T3"


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_an_empty_campaign_says_what_comes_first(table: Table) -> None:
    page = table.phone.get("/")
    assert "Nobody is enrolled yet." in page.main
    assert 'href="/act/enrol"' in page.main
    form = table.phone.get("/act/enrol").form("Look")
    assert form.open["f.character"] == [""]
    assert "Nobody is enrolled yet." in table.phone.get("/act/damage").main
    recap = table.phone.get("/recap")
    assert (recap.status, "The recap of a session can be read here once there is one." in recap.main) == (200, True)


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_what_needs_somebody_or_something_is_at_hand_once_that_is_there(table: Table) -> None:
    def at_hand() -> set[str]:
        listed = table.phone.get("/").main.partition('class="verbs"')[2].partition("</section>")[0]
        return {part.partition("<")[0].lower() for part in listed.split(">") if part[:1].isalpha()}

    assert at_hand() & {"enrol", "damage", "short rest", "undo", "redo", "note"} == {"note"}
    assert 'href="/act/session%20open"' in table.phone.get("/").main
    table.fill_in("session open", {"title": "The crypt"})
    assert 'href="/act/session%20open"' not in table.phone.get("/").main
    table.fill_in("enrol", {"character": "Brog", "rolled": "3"})
    assert at_hand() & {"damage", "short rest", "undo", "redo"} == {"damage", "short rest", "undo"}
    table.fill_in("undo", {"turns": "T2"})
    assert "redo" in at_hand()


@pytest.mark.parametrize("table", ["gloomhaven"], indirect=True)
def test_an_item_that_nobody_has_met_is_bought_by_its_name(table: Table) -> None:
    for verb, values in first(GLOOMHAVEN, "enrol", "enrol", "learn"):
        table.fill_in(verb, values)
    page = table.phone.get("/act/buy-item?for=Brann")
    assert "Drum" not in page.main
    form = page.form("Look")
    fields = [*form.fields, ("f.item", "Minor Healing Potion"), ("f.item", "drum")]
    assert "buys Drum" in table.phone.post("/look", fields).main
    assert table.phone.post("/do", fields).status == 303
    assert "Drum" in table.phone.get("/").main


@pytest.mark.parametrize("table", ["deckahedron"], indirect=True)
def test_cards_on_the_table_are_reported_in_the_order_in_which_they_came(table: Table) -> None:
    who = {"player": "Kim", "strength": "2", "dexterity": "3", "intelligence": "2"}
    table.fill_in("enrol", {"character": "Wren", "cards": "table", **who})
    table.fill_in("enrol", {"character": "Ash", **who})
    page = table.phone.get("/act/flip?for=Wren").main
    asked, _, _ = page.partition("<details")
    # each card with what it shows at each rank; the deck on the table comes first, the log's own may be left out
    assert asked.count("data-card=") == 20
    assert "1\u00a0✔  2\u00a0✔✔  3\u00a0✔  4\u00a0✔✔" in asked.partition('data-card="17"')[2].partition("</button>")[0]
    assert "data-card=" in table.phone.get("/act/flip?for=Ash").main.partition("<details")[2]
    assert "data-card=" not in table.phone.get("/act/flip?for=Ash").main.partition("<details")[0]
    table.fill_in("flip", {"character": "Wren", "attribute": "dexterity", "cards": "2", "flipped": "17 3"})
    (turn,) = table.served.log.read(after=table.served.log.last() - 1)
    assert turn.events[0].cards == ("17", "3")  # type: ignore[attr-defined]
    again = table.phone.get("/act/flip?for=Wren").main
    assert "in the discard pile" in again
    assert again.index('data-card="19"') < again.index('data-card="17"') < again.index('data-card="3"')


def offered(page: Reply, name: str) -> list[str]:
    """What a form lists for one field, as boxes or as cards."""
    field = page.main.partition(f'name="f.{name}"')
    cards = re.findall(r'data-card="([^"]*)"', field[2].partition("</div>")[0])
    return cards or [choice for choice in page.form("Look").open.get(f"f.{name}", []) if choice]


@pytest.mark.parametrize("table", ["deckahedron"], indirect=True)
def test_whom_an_attack_may_hit_is_anybody_else(table: Table) -> None:
    for verb, values in first(DECKAHEDRON, "enrol", "enrol"):
        table.fill_in(verb, values)
    table.fill_in("foe", {"foe": "Troll", "stamina": "6"})
    table.fill_in("scene", {"scene": "combat"})
    for phone in (table.served.phone("Kim"), table.phone):
        page = phone.get("/act/attack?for=Wren")
        asked, _, _ = page.main.partition("<details")
        # with a foe there, it is chosen, and whoever else could be attacked is asked for behind the rest
        assert 'name="f.foe"' in asked and 'name="f.defender"' not in asked
        assert (offered(page, "defender"), offered(page, "foe")) == (["Ash"], ["Troll"])
        # nobody is needed as long as it is a foe
        hit = [*page.form("Look").fields, ("f.defender", ""), ("f.foe", "Troll"), ("f.foe_result", "x")]
        assert "Wren attacks Troll" in phone.post("/look", hit).main
    table.fill_in("absent", {"character": "Ash"})
    alone = table.phone.get("/act/attack?for=Wren").main
    assert 'name="f.defender"' not in alone
    assert 'name="f.defender_flipped"' not in alone


@pytest.mark.parametrize("table", ["deckahedron"], indirect=True)
def test_only_cards_that_can_have_been_turned_over_are_listed(table: Table) -> None:
    fresh = [str(number) for number in range(20)]
    assert offered(table.phone.get("/act/enrol"), "deck") == fresh
    for verb, values in first(DECKAHEDRON, "enrol", "enrol"):
        table.fill_in(verb, {**values, "cards": "table"})
    page = table.phone.get("/act/attack?for=Wren")
    assert offered(page, "flipped") == offered(page, "defender_flipped") == fresh
    # nothing was discarded: nothing can be shuffled
    assert "shuffled" not in page.main
    table.fill_in("wound", {"character": "Ash", "what": "a bite", "flipped": "17"})
    page = table.phone.get("/act/attack?for=Wren")
    assert offered(page, "flipped") == fresh
    assert set(offered(page, "defender_flipped")) == {*fresh, "w1"} - {"17"}
    assert (offered(page, "shuffled"), "w1" in offered(page, "defender_shuffled")) == ([], True)
    refused = table.phone.post("/look", [("verb", "flip"), ("f.character", "Wren"), ("f.attribute", "dexterity")])
    assert "the cards turned over are missing." in refused.main


#: What nobody would say: a name of a field or of an option, a type, a piece of JSON.
UNSAID = re.compile(r"\w_\w|=…|\w = \w|[{}\[\]]|\bof at most\b|: None|\bFalse\b|\bTrue\b")


@pytest.mark.parametrize(
    ("table", "evening"), [("osr", OSR), ("deckahedron", DECKAHEDRON), ("gloomhaven", GLOOMHAVEN)], indirect=["table"]
)
def test_a_form_speaks_in_words(table: Table, evening: Sequence[Filled]) -> None:
    for verb, values in evening[:20]:
        table.fill_in(verb, values)
    for verb in re.findall(r'href="/act/([^"]+)"', table.phone.get("/act").main):
        page = table.phone.get(f"/act/{verb}").main
        labels = re.findall(r"<(?:legend|label)[^>]*>(.*?)</(?:legend|label)>", page, re.DOTALL)
        shown = [html.unescape(re.sub(r"<[^>]*>", "", label)).strip() for label in labels]
        unsaid = [field for field in shown if UNSAID.search(field)]
        assert not unsaid, f"the form of {verb} shows these as the code has them; write them in words: {unsaid}"
        # two fields are not asked for in the same words
        asked = re.findall(
            r"<legend>(.*?)</legend>|<label (?!class)[^>]*>(.*?)</label>|checkbox[^>]*> (.*?)</label></p>", page
        )
        alike = [value for value, times in Counter(asked).items() if times > 1]
        assert not alike, f"the form of {verb} asks for two fields in the same words: {alike}"


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_what_means_something_only_under_a_ruling_is_asked_under_it(table: Table) -> None:
    for verb, values in first(OSR, "enrol", "enrol"):
        table.fill_in(verb, values)
    assert 'name="f.keep"' not in table.phone.get("/act/short-rest").main
    table.fill_in("ruling", {"rule": "6.4", "text": "The old total may stay", "set.keep_higher": "true"})
    assert 'name="f.keep"' in table.phone.get("/act/short-rest").main


@pytest.mark.parametrize("table", ["gloomhaven"], indirect=True)
def test_what_has_no_legal_value_is_not_asked_for(table: Table) -> None:
    for verb, values in first(GLOOMHAVEN, "enrol", "enrol", "begin-scenario", "begin-round"):
        table.fill_in(verb, values)
    page = table.phone.get("/act/damage?for=Ysa")
    assert "Mana Bolt" in offered(page, "lose_hand")
    assert 'name="f.lose_discard"' not in page.main
    # what is needed is said to be missing
    assert "There is nothing to choose from right now." in table.phone.get("/act/perform?for=Ysa").main


@pytest.mark.parametrize("table", ["gloomhaven"], indirect=True)
def test_a_form_is_titled_with_whom_it_is_about(table: Table) -> None:
    table.fill_in(*GLOOMHAVEN[0])

    def title(verb: str) -> str:
        return html.unescape(table.phone.get(f"/act/{verb}").main.partition("<h1>")[2].partition("</h1>")[0])

    assert [title(verb) for verb in ("begin-scenario", "damage")] == ["Begin scenario", "Damage: Brann"]


@pytest.mark.parametrize(
    ("table", "rule", "option", "asked", "chosen", "line"),
    [
        ("osr", "6.4", "keep_higher", {"no": "false", "yes": "true"}, "true", "keep_higher=yes"),
        ("osr", "6.4", "keep_higher", {"no": "false", "yes": "true"}, "false", "keep_higher=false"),
        (
            "osr",
            "6.9",
            "minor_injuries",
            {"referee": "referee", "recovery marks": "recovery_marks"},
            "recovery_marks",
            "minor_injuries=recovery_marks",
        ),
        ("deckahedron", "18", "rest_hours", {}, "6", "rest_hours=6"),
        ("deckahedron", "9", "incapacitated_heal", {"no": "false", "yes": "true"}, "true", "incapacitated_heal=true"),
    ],
    indirect=["table"],
)
def test_a_ruling_sets_an_option_that_is_chosen(
    table: Table, rule: str, option: str, asked: dict[str, str], chosen: str, line: str
) -> None:
    """The paragraph from the list, the option with what it means, its value: the same action as the line's."""
    known = options_of(table.served.system.options)[option]
    first = table.phone.get("/act/ruling")
    paragraph = paragraphs_of(table.served.system.key)[rule]
    page = table.phone.get(picks(first)[f"{rule} {paragraph.title}"])
    assert f"<h1>Ruling: {rule} {paragraph.title}</h1>" in html.unescape(page.main)
    text = html.unescape(page.main.partition("<details")[0])
    assert known.meaning[1:] in text
    field = text.partition(f'name="f.set.{option}"')[2].partition("</fieldset>")[0]
    now = "no" if known.default is False else "yes" if known.default is True else str(known.default).replace("_", " ")
    assert f"as it is now: {now}" in text
    boxes = re.findall(rf'name="f\.set\.{option}" value="([^"]+)"> ([^<]*)</label>', text)
    assert {says: value for value, says in boxes} == asked
    assert ("data-pad" in field) == (not asked)
    # only the options of this paragraph
    others = [other for other in options_of(table.served.system.options).values() if other.rule != rule]
    assert not [other.name for other in others if f"set.{other.name}" in page.main]
    table.fill_in("ruling", {"rule": rule, "text": "So be it", f"set.{option}": chosen})
    set_to = {"true": True, "false": False, "6": 6}.get(chosen, chosen)
    assert table.phone.post("/do", [("at", "0"), ("line", f'ruling {rule} "So be it" {line}')]).status == 303
    tapped, typed = list(table.served.log.read(after=table.served.log.last() - 2))
    assert tapped.action == typed.action
    assert tapped.events[0].set == typed.events[0].set == {option: set_to}  # type: ignore[attr-defined]
    # what is in force by now is said
    again = html.unescape(table.phone.get(f"/act/ruling?rule={rule}").main)
    assert again.count(f"as it is now: {now}") == text.count(f"as it is now: {now}") - (set_to != known.default)


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_a_paragraph_is_chosen_from_those_in_force(table: Table) -> None:
    table.fill_in("paragraph add", {"rule": "H1", "title": "Torches", "text": "A torch lasts six turns."})
    for verb in ("ruling", "paragraph%20revise", "paragraph%20withdraw"):
        assert list(picks(table.phone.get(f"/act/{verb}"))) == [
            *(f"{number} {paragraph.title}" for number, paragraph in paragraphs_of("osr").items()),
            "H1 Torches",
        ]
    assert "Make a ruling on it" in table.phone.get("/rule/H1").main
    # by the title that it has now
    table.fill_in("paragraph revise", {"rule": "H1", "title": "Lights", "why": "lamps too"})
    assert "<h1>Ruling: H1 Lights</h1>" in table.phone.get(picks(table.phone.get("/act/ruling"))["H1 Lights"]).main
    table.fill_in("paragraph withdraw", {"rule": "H1", "why": "too much to count"})
    assert not [title for title in picks(table.phone.get("/act/ruling")) if title.startswith("H1")]
    assert "Make a ruling on it" not in table.phone.get("/rule/H1").main
    assert table.phone.get("/act/ruling?rule=99").status == 404
    # without an option of its own a paragraph is asked for none; and what is sent for another is refused
    assert "set." not in table.phone.get("/act/ruling?rule=6.5").main
    sent = [("verb", "ruling"), ("f.rule", "6.5"), ("f.text", "So"), ("f.set.keep_higher", "true")]
    assert "belongs to 6.4" in table.phone.post("/look", sent).main
    assert "There is no option" in table.phone.post("/look", [*sent[:3], ("f.set.sleep", "true")]).main


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_a_value_that_does_not_fit_is_refused_by_its_label(table: Table) -> None:
    table.fill_in("enrol", {"character": "Brog", "rolled": "3"})
    sent = [("verb", "damage"), ("f.character", "Brog")]
    for amount, problem in (
        ("-3", "Points of damage must be a whole number of 0 or more, not -3."),
        ("many", "Points of damage must be a whole number of 0 or more, not &#34;many&#34;."),
    ):
        looked = table.phone.post("/look", [*sent, ("f.amount", amount)])
        assert (looked.status, problem in looked.main) == (422, True), looked.main


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_no_choice_stands_there_twice(table: Table) -> None:
    for verb, values in first(OSR, "enrol", "enrol", "bypassing-hit"):
        table.fill_in(verb, values)
    page = table.phone.get("/act/injury-saves?for=Ada").main
    field = page.partition("What ends a minor wound")[2].partition("</fieldset>")[0]
    assert re.findall(r'value="([^"]*)"[^>]*> ([^<]*)</label>', field) == [("", "not said"), ("long rest", "long rest")]


@pytest.mark.parametrize("table", ["gloomhaven"], indirect=True)
def test_an_enrolment_lists_the_cards_of_the_class_alone(table: Table) -> None:
    first = table.phone.get("/act/enrol")
    assert list(picks(first)) == ["Brute", "Spellweaver"]
    assert "Trample" not in first.main
    assert "Mana Bolt" not in first.main
    page = table.phone.get(picks(first)["Spellweaver"])
    cards = offered(page, "hand")
    assert "Mana Bolt" in cards
    assert "Trample" not in page.main
    # a class that only a file tells of is named, and its cards are typed
    other = table.phone.get("/act/enrol?class=tinkerer")
    assert (offered(other, "hand"), "f.class_data" in other.form("Look").open) == ([], True)


@pytest.mark.parametrize("table", ["deckahedron"], indirect=True)
def test_what_a_foe_flipped_is_chosen_in_words(table: Table) -> None:
    for verb, values in first(DECKAHEDRON, "enrol", "enrol"):
        table.fill_in(verb, values)
    table.fill_in("scene", {"scene": "combat"})
    table.fill_in("foe", {"foe": "Troll", "stamina": "6"})
    for verb in ("attack?for=Wren", "foe-attack"):
        page = table.phone.get(f"/act/{verb}").main
        field = page.partition("What the foe flipped")[2].partition("</fieldset>")[0]
        says = re.findall(r'value="([^"]*)"[^>]*> ([^<]*)</label>', field)
        assert says[-4:] == [
            ("vv", "✔✔ two checks"), ("v", "✔ one check"), ("x", "✗ one cross"), ("xx", "✗✗ two crosses"),
        ]  # fmt: skip
        assert "vv, v, x" not in page
        # what it means to choose nothing stands where nothing is chosen
        assert verb == "foe-attack" or says[0] == ("", "none, and the foe is unaware")


def test_nothing_is_offered_for_the_dead_nor_before_an_open_injury(shell: Shell) -> None:
    shell.do(
        "new Crypt --rules osr",
        *(f"osr enrol {name} --player Mia --level 2 --rolled 4,4" for name in ("Brog", "Ada", "Wen")),
        "osr damage Ada 30",
        "osr injury-saves Ada --strength 1 --will 1",
        "osr choose-fate Ada death",
        "osr damage Brog 13",
    )
    with open_chosen("crypt.campaign", write=True) as (log, system), served(log, system, handler_of(log)) as table:
        mia = table.phone("Mia")
        steps = re.findall(r'aria-label="([^"]+), hit points"', mia.get("/").main)
        assert steps == ["Hit: Wen", "Short rest: Wen"]
        # Wen alone is left to choose, so nobody is chosen from
        assert 'aria-label="For whom"' not in mia.get("/act/damage").main
        assert "<h1>Damage: Wen</h1>" in mia.get("/act/damage").main
        assert "Ada" not in mia.get("/touch/less?figure=hit+points&who=Wen").main
        assert "<h1>Injury saves: Brog</h1>" in mia.get("/act/injury-saves").main
        # whoever asks for somebody else is not given another
        assert "<h1>Damage: Ada</h1>" in mia.get("/act/damage?for=Ada").main
        table.phone("referee").says("d wen 40")
        table.phone("referee").says("saves wen 1 1")
        table.phone("referee").says("fate wen death")
        table.phone("referee").says("saves brog 1 1")
        table.phone("referee").says("fate brog death")
        verbs = re.findall(r'class="verb" href="/act/([^"]+)"', mia.get("/").main)
        assert verbs == ["note"]


def test_a_modifier_in_words_of_its_own_is_said_to_be_one(shell: Shell) -> None:
    shell.do("new Barrow --rules gloomhaven", "enrol Ysa spellweaver --player Marek", "begin-scenario 1")
    shell.do("begin-round", "select Ysa 'Mana Bolt' 'Frost Armor'", "reveal", "attack Ysa 2 guard")
    with open_chosen("barrow.campaign", write=True) as (log, system), served(log, system, handler_of(log)) as table:
        marek = table.phone("Marek")
        form = marek.get("/act/draw-modifier?for=Ysa").form("Look")
        for typed, remark in (("minus one", True), ("1", True), ("+1 stun", True), ("-1", False), ("", False)):
            page = marek.post("/look", dict(form.fields) | {"f.modifier": typed})
            assert ("it is recorded in your words." in page.main) == remark, (typed, page.main)


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_a_sheet_is_overridden_and_compared_field_by_field(table: Table) -> None:
    """Each field with its present value; what is left alone stays, and a pair as in a line is not asked for."""
    table.fill_in("enrol", {"character": "Brog", "level": "2", "rolled": "5 6"})
    page = table.phone.get("/act/override")
    assert "<h1>Override: Brog</h1>" in page.main
    assert re.search(r'for="f.set.hp">Hit points <span class="faint">\(as it is now: 11\)</span>', page.main)
    # what changes all evening stands first, below the pad
    assert next(name for name in page.form("Look").open if name.startswith("f.set.")) == "f.set.hp"
    table.fill_in("override", {"character": "Brog", "set.hp": "9", "why": "a potion"})
    assert table.served.handler.state().characters["Brog"].hp == 9
    assert "as it is now: 9" in table.phone.get("/act/check-sheet").main
    sent = [("verb", "check-sheet"), ("f.character", "Brog")]
    assert "Brog’s paper sheet differs" in table.phone.post("/look", [*sent, ("f.expect.hp", "12")]).main.replace(
        "&#39;", "’"
    )
    refused = table.phone.post("/look", [*sent, ("f.expect.hp", "nine")])
    assert (refused.status, "Hit points must be a whole number, not &#34;nine&#34;." in refused.main) == (422, True)


@pytest.mark.parametrize("table", ["osr"], indirect=True)
@pytest.mark.parametrize("typed", ["5 4 3", "5.4.3", "543", "5, 4, 3", "5,4,3."])
def test_dice_are_typed_as_they_fell(table: Table, typed: str) -> None:
    table.fill_in("enrol", {"character": "Brog", "level": "3", "rolled": typed})
    assert table.served.handler.state().characters["Brog"].hp == 12
    table.fill_in("damage", {"character": "Brog", "amount": "4"})
    sent = [("verb", "short-rest"), ("f.characters", "Brog")]
    rests = table.phone.post("/look", [*sent, ("f.safe", "yes"), ("f.rolled.Brog", typed)])
    assert (rests.status, "12" in rests.main) == (200, True), rests.main
    refused = table.phone.post("/look", [*sent, ("f.rolled.Brog", "5 x")]).main
    assert "The dice as rolled: hit dice and one for each fatigue must be dice as rolled, like 5 4 5" in refused


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_a_turn_is_amended_in_the_form_of_what_it_says(table: Table) -> None:
    for verb, values in first(OSR, "enrol", "enrol", "damage", "short-rest"):
        table.fill_in(verb, values)
    hit = table.served.log.last() - 1
    assert f"T{hit} Brog is hit for 4" in next(
        title for title in picks(table.phone.get("/act/amend")) if "is hit" in title
    )
    page = table.phone.get(f"/act/amend?turn=T{hit}")
    form = page.form("Look")
    assert (("f.action.amount", "4") in form.fields, "Points of damage" in page.main) == (True, True)
    same = table.phone.post("/look", form.fields)
    assert (same.status, f"Change something of T{hit}; so far it says what it said." in same.main) == (422, True)
    table.fill_in("amend", {"turn": f"T{hit}", "action.amount": "3", "why": "misheard"})
    (turn,) = table.served.log.read(after=table.served.log.last() - 1)
    assert turn.action.action["amount"] == 3  # type: ignore[attr-defined]
    assert turn.action.action["source"] == "a ghoul"  # type: ignore[attr-defined]
    # a player is asked nothing where only the own last line can be meant, and is told nothing of other turns
    mia = table.served.phone("Mia")
    assert "You may change your own last line, and no other." in mia.get(f"/act/amend?turn=T{hit}").main
    assert mia.says("n Torches").status == 303
    assert f"<h1>Amend: T{table.served.log.last()}</h1>" in mia.get("/act/amend").main


@pytest.mark.parametrize("table", ["gloomhaven"], indirect=True)
def test_a_question_of_yes_or_no_that_was_not_answered_is_missing(table: Table) -> None:
    table.fill_in(*GLOOMHAVEN[0])
    table.fill_in("begin-scenario", {"scenario": "1", "level": "1"})
    looked = table.phone.post("/look", [("verb", "end-scenario")])
    assert (looked.status, "Answer first: Was the goal reached?" in looked.main) == (422, True), looked.main


@pytest.mark.parametrize("table", ["osr"], indirect=True)
def test_whoever_needs_it_is_chosen_and_what_is_the_only_one(table: Table) -> None:
    for verb, values in first(OSR, "enrol", "enrol", "bypassing-hit", "injury-saves"):
        table.fill_in(verb, values)
    assert "<h1>Treat: Ada</h1>" in table.phone.get("/act/treat").main
    assert "<h1>Treat: Brog</h1>" in table.phone.get("/act/treat?for=Brog").main
    assert "Is the spot fairly safe?" in table.phone.get("/act/short-rest").main


@pytest.mark.parametrize("table", ["gloomhaven"], indirect=True)
def test_the_only_item_is_chosen(table: Table) -> None:
    for verb, values in first(GLOOMHAVEN, "enrol", "buy-item"):
        table.fill_in(verb, values)
    assert ("f.item", "Minor Healing Potion") in table.phone.get("/act/sell-item").form("Look").fields


def test_a_card_that_is_lost_by_a_tap_says_so_before(shell: Shell) -> None:
    shell.do("new Barrow --rules gloomhaven", "enrol Ysa spellweaver --player Marek", "begin-scenario 1", "begin-round")
    shell.do("select Ysa 'Mana Bolt' 'Flame Strike'", "reveal", "perform Ysa 'Mana Bolt' top")
    shell.do(
        *("perform Ysa 'Flame Strike' bottom", "end-turn Ysa", "clean-up"),
        *("begin-round", "declare-long-rest Ysa", "reveal"),
    )
    with open_chosen("barrow.campaign", write=True) as (log, system), served(log, system, handler_of(log)) as table:
        page = table.phone("Marek").get("/").main
        button = page.partition('data-tap="Mana Bolt"')[2].partition("</button>")[0]
        assert "loses Mana Bolt" in button, page


@pytest.mark.parametrize("table", ["deckahedron"], indirect=True)
def test_an_attack_says_whom_where_there_are_foes(table: Table) -> None:
    for line in ("enrol Wren 2 2 2 player Mia", "foe wolf 9", "foe crow 4", "enrol Tobin 1 1 1 player Jo"):
        assert table.phone.says(line).status == 303, line
    mia = table.served.phone("Mia")

    def preview(*filled: tuple[str, str]) -> dict[str, str]:
        fields = [field for field in mia.get("/act/attack").form("Look").fields if field[0] not in dict(filled)]
        return mia.filling_in([*fields, *filled])

    assert preview()["problem"] == "Choose first: the foe who is attacked, if no character."
    # whether the foe is unaware decides the outcome: nobody says so by leaving it out
    assert (
        " checked" not in mia.get("/act/attack").main.partition("The foe who is attacked")[2].partition("<details")[0]
    )
    assert preview(("f.foe", "wolf"))["problem"] == "Choose first: what the foe flipped."
    assert "the wolf, which is unaware" in preview(("f.foe", "wolf"), ("f.foe_result", ""))["would"]
    assert "wolf" in preview(("f.foe", "wolf"), ("f.foe_result", "x"))["would"]
    assert "Tobin" in preview(("f.defender", "Tobin"))["would"]
