"""Every question of every rule system, asked on the screen: it fits, names its keys, and a key answers it.

One evening for each system and window, one start of the screen for each evening: at first the party grows from one to
six, with long names and wide ones.
"""

from collections.abc import Sequence

import pytest
from msgspec import Struct

from tests.kit.shell import Shell
from tests.table.seen import Seen, Table
from tests.table.test_layout import LONG, NAMES


class Step(Struct, frozen=True):
    """A line with its Enter, or keys alone; what is asked or open then; the keys that answer it."""

    line: str = ""
    asks: str = ""
    keys: Sequence[str] = ()
    #: what leads to the next question; it is told elsewhere, for what it costs to draw it
    on_the_way: bool = False


EVERYBODY = ("brog", "aub", "龍", "zoe", "wen", "younger")
OSR = (
    Step(f"d all 2 {LONG}"),
    Step("rest brog 111", "Brog had 13 hit points and rolled 3.", "2"),
    Step("bypassing-hit brog 30 attacker_level 1", "Brog can stop this with 10 hit points.", "2"),
    Step("d brog", "damage needs amount"),
    Step("d", "damage needs character", ["escape"]),
    Step("d brog 40", "1↵ injury-saves Brog STRENGTH WILL"),
    Step("saves brog 99", "Brog's will save against DC", "2"),
    Step("rest brog 1111", "back up? 1↵ back up"),
    Step(keys="1"),
    Step("d aub 40"),
    Step("saves aub 1 40", "1↵ death 2↵ major wound"),
    Step("session close", "The session closes with something open.", ["escape", "escape"]),
    Step(keys="2"),
    Step(asks="major wound? [1] describe it", keys="2"),
    Step("fate aub major", "has no fate to choose"),
    Step("d wen 1 a rat"),
    Step("n it was dark"),
    Step("u"),
    Step("T10 amount=1", "Do this?", "n"),
    Step("T10 amount=1", "Do this?", "y"),
    Step("why brog"),
    Step(f"n {LONG}"),
    Step("zzz", "There is no verb"),
)
GLOOMHAVEN = (
    Step("begin-scenario 1", "1↵ begin-round"),
    Step(keys="1"),
    Step("s brog", "the card that gives the initiative", "24"),
    Step("s aub 1 3"),
    *(Step(f"s {name} 1 4", on_the_way=True) for name in EVERYBODY[2:]),
    Step("rev", "It is Brog's turn, with Eye for an Eye and Provoking Roar to perform."),
    Step("t", "the played card", ["escape"]),
    Step("t eye"),
    Step("a bandit", "waits for its modifier."),
    Step("m +1"),
    Step("d brog 3", "Brog: suffer 3 damage, or negate it?", "2"),
    Step(asks="one card of the hand", keys="1"),
    Step("e", "Brog has not played Provoking Roar.", "1"),
    *(Step("e", on_the_way=True) for _ in EVERYBODY[1:]),
    Step("clean-up", "1↵ begin-round"),
    Step("sr brog", "for 1 damage and lose another"),
    Step("rr brog", "Brog: suffer 1 damage, or negate it?", "1"),
    Step("d aub 2", "suffer 2 damage, or negate it?", "3"),
    Step(asks="two cards of the discard pile", keys="11"),
    *(Step(line, on_the_way=True) for line in ("begin-round", "lr zoe")),
    *(Step(f"s {name} 5 6", on_the_way=True) for name in EVERYBODY if name != "zoe"),
    *(Step(line, on_the_way=True) for line in ("rev", *"eeeee")),
    Step("long-rest", "the discarded card to lose", "1"),
)
DECKAHEDRON = (
    Step("scene combat"),
    Step("f younger", "the attribute", "2"),
    Step("at brog 10 aub 0 mel", "offers a choice", "1"),
    Step("br brog int", "How does Brog take the breather?", "2"),
    Step("foe ghoul 5"),
    Step("fa ghoul vv wen 0 mel", "", "1"),
    Step(f"strain brog {LONG}"),
    Step("ls 龍 10"),
    Step("ls 龍 1", "storyteller"),
    Step("session close", "The session closes with something open.", "1"),
)
EVENINGS = {
    "osr": ("enrol '{name}' level 3 rolled 5,6,4", OSR),
    "gloomhaven": ("enrol '{name}' brute", GLOOMHAVEN),
    "deckahedron": ("enrol '{name}' 2 3 3", DECKAHEDRON),
}


async def done(seen: Seen, step: Step) -> None:
    """One step, looked at after every key."""
    if step.on_the_way:
        assert seen.app.table.answer(step.line, asking=False).code == 0, step
        return
    seen.app.look_for_others()
    if step.line:
        await seen.type(step.line)
        seen.fits()
        await seen.press("enter")
        seen.fits()
    text = " ".join(f"{seen.of('waiting')} {seen.of('preview')}".split())
    assert step.asks in text, (step, text)
    if (asked := seen.app.choices) is not None:
        assert seen.of("preview").startswith("Press ")
        assert seen.of("preview").endswith(("Esc to cancel.", "Esc to cancel; the next try draws the same."))
        assert all(f"[{choice.key}]" in seen.of("waiting") for choice in asked.choices)
    # a question takes a key by itself; what else is open is picked with its key and Enter
    picks = asked is None and step.keys and "escape" not in step.keys
    for key in [*step.keys, "enter"] if picks else step.keys:
        await seen.press(key)
        seen.fits()
    if not seen.app.choices:
        await seen.press("escape")


#: Each evening in both windows, and each window in colour and without.
WINDOWS = [
    (rules, size, (size == (80, 24)) is (rules != "deckahedron"))
    for size in ((80, 24), (120, 40))
    for rules in EVENINGS
]


@pytest.mark.parametrize(
    ("rules", "size", "colour"),
    WINDOWS,
    ids=[f"{rules} {size[0]}x{size[1]}{'' if colour else ' no colour'}" for rules, size, colour in WINDOWS],
)
def test_every_question_fits_and_a_key_answers_it(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, rules: str, size: tuple[int, int], colour: bool
) -> None:
    shell.do(f"new 'A campaign whose name is rather longer than it had to be' --rules {rules}", "session open Long")
    if rules == "osr":
        shell.do("ruling 6.4 'Lower dice are forgiven' --set keep_higher=true")
    if not colour:
        monkeypatch.setenv("NO_COLOR", "1")
    enrol, evening = EVENINGS[rules]

    async def play(seen: Seen) -> None:
        for name in NAMES:
            await done(seen, Step(enrol.format(name=name).replace("'", '"')))
        assert len(seen.app.table.handler.state().characters) == len(NAMES)
        for step in evening:
            await done(seen, step)
        await seen.press("pageup")
        seen.fits()
        await seen.press("escape", "tab", "enter")
        assert seen.of("preview") == "Press w, u, a, m or n to answer, or Esc to cancel."
        seen.fits()

    Table(shell, size).play(play)
