"""The page by keys alone, to a screen reader, and for whoever has chosen other colours or no motion (WCAG 2.2, AA)."""

from itertools import pairwise
from typing import Any

import pytest

from cli.serving.invitations import REFEREE
from tests.kit.browsers import CHROMIUM, PHONE, patient, seat_at, wait_until_settled
from tests.kit.online import online
from tests.kit.phones import Served

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

#: Every kind of page.
PAGES = (
    "/", "/act/damage", "/ask", "/log", "/at", "/turn/3", "/sheet/ysa", "/rule/53", "/why?of=brann.hp", "/recap",
)  # fmt: skip
FOR_THE_REFEREE = ("/", "/seats", "/stats", "/query?sql=select+1")
#: What somebody can do something with.
CONTROLS = ("button", "link", "textbox", "combobox", "checkbox", "radio", "slider", "DisclosureTriangle", "spinbutton")
#: What is named so that one finds it.
PLACES = ("region", "navigation", "group", "image", "log")
#: What has the focus: what it says, and what could keep one from seeing that.
REACHED = """() => {
    const on = document.activeElement, box = on.getBoundingClientRect(), style = getComputedStyle(on);
    const [x, y] = [box.left + Math.min(box.width, innerWidth) / 2, box.top + box.height / 2];
    const over = document.elementFromPoint(x, y);
    return { says: (on.textContent || on.name || on.tagName).trim(), tag: on.tagName,
        ringed: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
        seen: Boolean(over) && (on.contains(over) || over.contains(on)) };
}"""


def accessible_nodes(page: Any) -> list[dict[str, Any]]:
    """What a screen reader is told: the role of each thing, its name, and what else there is to it."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    return [
        {
            "role": node["role"]["value"], "name": node.get("name", {}).get("value", ""),
            **{property_["name"]: property_["value"].get("value") for property_ in node.get("properties", ())},
        }
        for node in nodes if not node.get("ignored")
    ]  # fmt: skip


def test_everything_has_a_role_and_a_name(browser: Any, barrow: Served) -> None:
    with online(barrow) as address:
        for who, pages in (("Ines", PAGES), (REFEREE, FOR_THE_REFEREE)):
            page, _ = seat_at(browser, barrow, address, who, PHONE)
            for path in pages:
                page.goto(address + path)
                nodes = accessible_nodes(page)
                named = [node for node in nodes if node["role"] in CONTROLS + PLACES]
                group = [node for node in named if node["role"] == "group"]  # that of details is named by its summary
                assert [node for node in named if not node["name"] and node not in group] == [], path
                levels = [node["level"] for node in nodes if node["role"] == "heading"]
                assert levels[:1] == [1], path
                assert all(after <= before + 1 for before, after in pairwise(levels)), path
                assert levels.count(1) == 1, path
                assert [node["role"] for node in nodes].count("main") == 1, path
                # two buttons that do different things do not say the same
                says = [node["name"] for node in nodes if node["role"] == "button" and path != "/ask"]
                assert sorted(set(says)) == sorted(says), path


def test_the_page_by_keys_alone(browser: Any, barrow: Served) -> None:
    expect = patient()
    with online(barrow) as address:
        page, wrong = seat_at(browser, barrow, address, "Ines", PHONE)
        page.goto(address)
        stops: list[dict[str, Any]] = []
        while not stops or stops[-1]["tag"] != "BODY":
            page.keyboard.press("Tab")
            stops.append(page.evaluate(REACHED))
            assert len(stops) < 100
        stops.pop()
        assert [stop for stop in stops if not (stop["ringed"] and stop["seen"])] == []
        says = [stop["says"] for stop in stops]
        assert says[:2] == ["Skip to the content", "Table"]
        assert says.index("Type a line") <= 10
        # over what stands on every page
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate(REACHED)["says"] == "Type a line"
        # what the rules ask is asked where one is
        wait_until_settled(page)
        page.get_by_role("button", name="Select Trample").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".why").first).to_be_focused()
        wait_until_settled(page)
        page.get_by_role("button", name="Eye for an Eye").focus()
        page.keyboard.press("Space")
        expect(page.locator("#now")).to_contain_text("Brann selects Trample, then")
        # the number pad is one stop
        page.goto(f"{address}/act/damage")
        page.get_by_label("The damage before shields").focus()
        page.keyboard.press("Tab")
        for key in ("ArrowRight", "ArrowRight", "Enter"):
            page.keyboard.press(key)
        expect(page.get_by_label("The damage before shields")).to_have_value("3")
        page.keyboard.press("Tab")
        assert page.evaluate(REACHED)["tag"] == "INPUT"
        expect(page.locator("form.fields .would").first).not_to_be_empty()
        # the slider goes step by step, and asks when it is told to
        page.goto(f"{address}/at")
        page.get_by_label("Turn").focus()
        for key in ("ArrowLeft", "ArrowLeft", "Tab", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("h1")).to_have_text(f"As of T{barrow.log.last() - 2}")
        assert wrong == []


def test_a_turn_is_read_out_once_and_takes_nobody_away(browser: Any, barrow: Served) -> None:
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, "Ines", PHONE)
        desk, _ = seat_at(browser, barrow, address, REFEREE, PHONE)

        def says(line: str) -> None:
            turn = barrow.log.last()
            answer = desk.request.post(f"{address}/do", form={"at": turn, "line": line}, headers={"origin": address})
            assert answer.status == 200
            page.wait_for_function("turn => document.getElementById('now').dataset.turn == turn", arg=turn + 1)

        page.get_by_role("button", name="Select Sweeping Blow").focus()
        for number in range(3):
            says(f"n The {number}th bell")
        heard = page.locator("#heard p").all_text_contents()
        assert [f"The {number}th bell" in heading for number, heading in enumerate(heard)] == [True] * 3
        (region,) = (node for node in accessible_nodes(page) if node["role"] == "log")
        assert region["live"] == "polite"
        assert page.evaluate(REACHED)["says"].startswith("Select Sweeping Blow")
        # where the button is gone, what stands in its place is next
        says("d brann 1 lose_hand=sweeping")
        assert page.evaluate(REACHED)["says"].startswith("Select Provoking Roar")
        says("s brann 1 10")
        assert page.evaluate("document.activeElement.id") == "now"


def test_other_colours_and_no_motion(browser: Any, barrow: Served) -> None:
    with online(barrow) as address:
        more: dict[str, Any] = {"forced_colors": "active", "reduced_motion": "reduce"}
        page, _ = seat_at(browser, barrow, address, "Ines", PHONE, **more)
        edges = page.evaluate(
            "() => [...document.querySelectorAll('.matter, .card, .sheet, button')].filter((each) => each.offsetParent)"
            ".map((each) => getComputedStyle(each).borderTopWidth)"
        )
        assert edges
        assert "0px" not in edges
        moving = "() => [...document.querySelectorAll('*')].map((each) => getComputedStyle(each))"
        assert (
            page.evaluate(
                f"({moving})().filter((style) => style.transitionDuration !== '0s' || style.animationName !== 'none'"
                " || style.scrollBehavior !== 'auto').length"
            )
            == 0
        )


def test_the_line_stays_in_sight_where_there_is_room(browser: Any, crypt: Served) -> None:
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        stays = """() => [...document.querySelectorAll('*')]
            .filter((each) => getComputedStyle(each).position === 'fixed' && !each.hidden)
            .map((each) => each.className)"""
        assert page.evaluate(stays) == ["menu", "bar foot"]
        page.set_viewport_size({"width": PHONE["height"], "height": PHONE["width"]})
        assert page.evaluate(stays) == []
