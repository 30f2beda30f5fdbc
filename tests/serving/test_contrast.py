"""What is written on the page can be read, in both colour schemes: WCAG 2.2, 1.4.3 (AA)."""

import json
import re

import pytest

from cli.serving.asset_files import assets
from tests.kit.phones import Served

#: A text, and what it is written on.
WRITTEN = [
    *((text, ground) for ground in ("paper", "card") for text in ("ink", "faint", "link", "good", "bad")),
    ("on", "button"), ("ink", "mark"), ("bad", "mark"), *((f"c{number}", "paper") for number in range(6)),
]  # fmt: skip


def colours(dark: bool) -> dict[str, str]:
    """The colours of a scheme by their names; the dark one says only what differs."""
    style = assets()["style.css"].decode()
    schemes = re.compile(r"@media [^{]*prefers-color-scheme: dark\) { :root {([^}]*)} }")
    light = re.findall(r":root {([^}]*)}", schemes.sub("", style))
    found = re.findall(r"--(\w+): #(\w+)", " ".join([*light, *(schemes.findall(style) if dark else [])]))
    return {name: value * 2 if len(value) == 3 else value for name, value in found}


def luminance(colour: str) -> float:
    shares = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_stands_out_from_what_it_is_written_on(dark: bool) -> None:
    named = colours(dark)
    assert colours(True)["paper"] != colours(False)["paper"]
    assert contrast("000000", "ffffff") == pytest.approx(21)
    found = {(text, ground): round(contrast(named[text], named[ground]), 2) for text, ground in WRITTEN}
    faint = {pair: ratio for pair, ratio in found.items() if ratio < 4.5}
    assert not faint, f"make these colours of the style sheet differ more, to a ratio of 4.5 at least: {faint}"


def test_a_browser_shows_the_paper_of_a_page_around_it(crypt: Served) -> None:
    page = crypt.phone("Mia").get("/").text
    around = re.findall(r'<meta name="theme-color" content="#(\w+)"', page)
    assert around == [colours(dark)["paper"] for dark in (False, True)]
    manifest = json.loads(assets()["app.webmanifest"])
    assert manifest["theme_color"] == manifest["background_color"] == f"#{around[0]}"
