"""The screen of the table: the party, the chronicle, what the table waits for, and one line to type in.

The only file that knows Textual. What a line does is the sitting's; here it is only shown.
"""

import gc
from collections.abc import Iterable
from typing import Any, ClassVar

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from cli.table.sitting import Answer, Proposal, Sitting
from cli.terminal.screen import Line, Span, safe, spans
from cli.terminal.sheet import bits_line, brief_lines
from domain.common.revisions import REVISIONS
from domain.log.folding import state_at
from domain.system.registry import tag_of
from projections.chronicle import Entry, chronicle
from projections.secrecy import sheet_for

#: Turns of the chronicle that are in sight at first; the rest comes with the wheel.
AT_FIRST = 300
#: How often others' turns are looked for, in seconds.
LOOKS_EVERY = 1.0
#: Ways to go on that are shown.
MOST_WAYS = 6
#: Kinds of turns that speak of earlier ones.
REVISING = tuple(tag_of(kind) for kind in REVISIONS)
KINDS = {"nothing": "", "would": "green", "refused": "bold red", "missing": "yellow"}


def text_of(line: Line) -> Text:
    """A line as Textual paints it; nothing in it can be taken for markup or a code."""
    text = Text()
    for part in line:
        if isinstance(part, Span):
            text.append(safe(part.text), part.style)
        else:
            text.append(safe(part))
    return text


class LineInput(Input):
    """The line to type in. A digit in an empty line picks what the table waits for."""

    def on_key(self, event: events.Key) -> None:
        app = self.app
        assert isinstance(app, PlayApp)
        if not self.value and event.character and event.character.isdigit() and app.pick(int(event.character)):
            event.prevent_default()
            event.stop()


class PlayApp(App[int]):
    """One campaign on one screen."""

    TITLE = "campaign"
    CSS = """
    Screen { layout: vertical; }
    #party { height: auto; max-height: 14; padding: 0 1; }
    #party-lines, #state, #waiting, #ways, #preview { height: auto; }
    #state { padding: 0 1; background: $panel; }
    #chronicle { height: 1fr; border: none; padding: 0 1; }
    #waiting { padding: 0 1; max-height: 6; }
    #ways, #preview { padding: 0 1; max-height: 3; }
    #line { border: none; height: 1; padding: 0 1; background: $boost; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "earlier", "earlier", priority=True),
        Binding("pagedown", "later", "later", priority=True),
        Binding("tab", "go_on", "complete", priority=True),
        Binding("escape", "clear", "clear", priority=True),
        Binding("up", "recall(-1)", "the line before", priority=True),
        Binding("down", "recall(1)", "the line after", priority=True),
        Binding("f2", "hide", "type unseen", priority=True),
        Binding("ctrl+c", "clear", "clear", priority=True),
        Binding("ctrl+d", "leave", "leave", priority=True),
    ]

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self.sitting = sitting
        #: the turn whose sheets are in sight; None: now
        self.point: int | None = None
        self.told = 0
        self.digits = 2
        self.lines_typed: list[str] = []
        self.recalled = 0
        #: a line that changes earlier turns and waits for a yes
        self.asked: str | None = None
        self.before: dict[str, Any] = {}
        self.proposals: list[Proposal] = []

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="party", can_focus=False):
            yield Static(id="party-lines")
        yield Static(id="state")
        yield OptionList(id="chronicle")
        yield Static(id="waiting")
        yield Static(id="ways")
        yield LineInput(id="line", placeholder="d brog 4 a ghoul   ? for help")
        yield Static(id="preview")

    def on_mount(self) -> None:
        gc.enable()  # an evening is longer than a command
        self.before = self._sheets(self.sitting.scribe.state())
        self._tell_anew()
        self._look()
        self.query_one(LineInput).focus()
        self.set_interval(LOOKS_EVERY, self.look_for_others)

    # -- what is shown -------------------------------------------------------------------------------------

    @property
    def _viewer(self) -> str | None:
        return self.sitting.viewer

    @property
    def _place(self) -> str | None:
        """The turn that one looks back to, where what is typed is told late."""
        return None if self.point is None else f"T{self.point}"

    def _sheets(self, state: Any) -> dict[str, Any]:
        system = self.sitting.system
        return {name: sheet_for(system, state, name, self._viewer) for name in state.characters}

    def _look(self) -> None:
        """Draw the party, the table and what it waits for, at the point in sight."""
        sitting = self.sitting
        point = self.point if self.point is not None else sitting.log.last()
        state = sitting.scribe.state() if self.point is None else state_at(sitting.system, sitting.log, point)
        sheets = self._sheets(state)
        changed = [name for name in sheets if self.point is None and sheets[name] != self.before.get(name)]
        party = brief_lines(sitting.system, state, sheets, changed)
        lines = Text("\n").join(map(text_of, party)) if sheets else Text("Nobody is enrolled yet.")
        self.query_one("#party-lines", Static).update(lines)
        self.before = sheets if self.point is None else self.before
        self.query_one("#state", Static).update(self._state_line(state, point))
        self._wait()

    def _state_line(self, state: Any, point: int) -> Text:
        sitting = self.sitting
        session = f"session {state.campaign.session}" if state.campaign.session else "no session"
        when = f"as of T{point}, PgDn to go on" if self.point is not None else f"T{point}"
        line: list[Span | str] = [Span(state.campaign.name, "bold"), Span(f" · {when} · {session}", "dim")]
        for label, bits in sitting.system.drawn_table(state):
            line += [Span(f" · {label} ", "dim"), *bits_line(bits)]
        return text_of(line)

    def _wait(self) -> None:
        self.proposals = []
        lines: list[Line] = []
        for matter in self.sitting.waiting() if self.point is None else ():
            said: list[Span | str] = [Span(f"{matter.why} ", "yellow")] if matter.why else []
            for proposal in matter.proposals:
                self.proposals.append(proposal)
                gap = "" if proposal.whole else "…"
                said += [Span(f"[{len(self.proposals)}] ", "bold yellow"), f"{proposal.line}{gap}  "]
            lines.append(said)
        self.query_one("#waiting", Static).update(Text("\n").join(map(text_of, lines[:6])))

    def _tell_anew(self) -> None:
        """The chronicle from where it is in sight on: what was taken back or decided again reads otherwise now."""
        log = self.sitting.log
        self.query_one("#chronicle", OptionList).clear_options()
        self.digits = len(str(log.last())) + 1
        self._tell(chronicle(self.sitting.system, log, after=max(0, log.last() - AT_FIRST), viewer=self._viewer))

    def _tell_since(self, turn: int) -> None:
        """The turns after one; if one of them speaks of earlier turns, these anew as well."""
        new = list(chronicle(self.sitting.system, self.sitting.log, after=turn, viewer=self._viewer))
        if any(entry.kind in REVISING or entry.place is not None for entry in new):
            self._tell_anew()
        else:
            self._tell(new)

    def _tell(self, entries: Iterable[Entry]) -> None:
        listed = self.query_one("#chronicle", OptionList)
        for entry in entries:
            number = Span(f"{f'T{entry.turn}':>{self.digits}}  ", "cyan")
            body = spans(entry.parts) if entry.standing else [Span(f"✗ {entry.sentence}", "dim strike")]
            by = [Span(f" ({entry.by})", "dim")] if entry.by else []
            listed.add_option(Option(text_of([number, *body, *by]), id=f"T{entry.turn}"))
            self.told = max(self.told, entry.turn)
        self._to_the_end()

    def _say(self, lines: Iterable[str]) -> None:
        listed = self.query_one("#chronicle", OptionList)
        for line in lines:
            listed.add_option(Option(Text.from_ansi(line) if line else Text(" "), disabled=True))
        self._to_the_end()

    def _to_the_end(self) -> None:
        listed = self.query_one("#chronicle", OptionList)
        listed.scroll_end(animate=False)

    # -- typing ---------------------------------------------------------------------------------------------

    @on(Input.Changed)
    def preview(self, event: Input.Changed) -> None:
        """What the line would do, and how it may go on."""
        shown = self.query_one("#preview", Static)
        ways = self.query_one("#ways", Static)
        if self.asked is not None:
            return
        preview = self.sitting.preview(event.value, self._place)
        late = f"told late, after T{self.point}: " if self.point is not None and preview.kind == "would" else ""
        shown.update(Text(safe(late + preview.text), KINDS[preview.kind]))
        found = self.sitting.completions(event.value, event.input.cursor_position).ways if event.value else ()
        line: list[Span | str] = []
        for way in found[:MOST_WAYS]:
            line += [Span(way.text, "bold"), Span(f" {way.help}   " if way.help else "   ", "dim")]
        ways.update(text_of(line))

    @on(Input.Submitted)
    def do(self, event: Input.Submitted) -> None:
        """Enter: the line is done, or asked about."""
        text = event.value.strip()
        if self.asked is not None:
            agreed, line = text.casefold() in ("y", "yes"), self.asked
            self.asked = None
            self._empty()
            self._done(
                self.sitting.answer(line, agreed=True, after=self._place) if agreed else Answer(("Nothing was done.",))
            )
            return
        if not text:
            return
        text = "help" if text == "?" else text
        if not event.input.password:
            self.lines_typed.append(text)
        self.recalled = len(self.lines_typed)
        answer = self.sitting.answer(text, after=self._place)
        if answer.asks:
            self.asked = text
            self._say(answer.lines)
            self._empty()
            self.query_one("#preview", Static).update(Text("Do this? y or n, and Enter", "bold yellow"))
            return
        if answer.code and not answer.leaves:
            # the line stays, to be mended
            self.query_one("#preview", Static).update(Text(" ".join(answer.lines), "bold red"))
            return
        self._empty()
        self._done(answer)

    def _done(self, answer: Answer) -> None:
        if answer.leaves:
            self.exit(0)
            return
        self.point = None
        before, now = self.told, self.sitting.log.last()
        if now > before:
            self._tell_since(before)
        else:
            self._say(answer.lines)
        self._look()

    def _empty(self) -> None:
        line = self.query_one(LineInput)
        line.value = ""
        line.password = False

    def pick(self, number: int) -> bool:
        """The proposal of this number, done if it is whole, else begun in the line."""
        if not 1 <= number <= len(self.proposals):
            return False
        proposal = self.proposals[number - 1]
        line = self.query_one(LineInput)
        line.value = proposal.line
        line.cursor_position = len(proposal.line)
        if proposal.whole:
            self.call_later(line.action_submit)
        return True

    @on(OptionList.OptionSelected)
    def take_turn(self, event: OptionList.OptionSelected) -> None:
        """Enter on a turn: it stands in the line, to be looked at, amended or undone."""
        if event.option.id is not None:
            line = self.query_one(LineInput)
            line.value = f"{event.option.id} "
            line.cursor_position = len(line.value)
            line.focus()

    # -- keys -----------------------------------------------------------------------------------------------

    def action_earlier(self) -> None:
        """The sheets as they were a turn earlier."""
        now = self.sitting.log.last() if self.point is None else self.point
        self.point = max(1, now - 1)
        self._look()

    def action_later(self) -> None:
        """The sheets a turn later, up to now."""
        if self.point is not None:
            self.point = self.point + 1 if self.point + 1 < self.sitting.log.last() else None
            self._look()

    def action_go_on(self) -> None:
        """Tab: the line goes on as far as there is only one way; in an empty line, to the chronicle."""
        line = self.query_one(LineInput)
        if not line.has_focus or not line.value:
            (self.query_one("#chronicle", OptionList) if line.has_focus else line).focus()
            return
        found = self.sitting.completions(line.value, line.cursor_position)
        if len(found.ways) == 1:
            way = found.ways[0]
            gap = "" if way.open else " "
            line.value = line.value[: found.start] + way.written + gap + line.value[found.end :]
            line.cursor_position = found.start + len(way.written) + len(gap)

    def action_clear(self) -> None:
        """Drop the line, or the question, or the look back."""
        self.asked = None
        self.point = None
        self._empty()
        self.query_one(LineInput).focus()
        self._look()

    def action_recall(self, step: int) -> None:
        """Lines typed before; in the chronicle, the turn before or after."""
        line = self.query_one(LineInput)
        if not line.has_focus:
            listed = self.query_one("#chronicle", OptionList)
            listed.action_cursor_up() if step < 0 else listed.action_cursor_down()
            return
        self.recalled = min(max(0, self.recalled + step), len(self.lines_typed))
        line.value = self.lines_typed[self.recalled] if self.recalled < len(self.lines_typed) else ""
        line.cursor_position = len(line.value)

    def action_hide(self) -> None:
        """Type unseen, for cards that are nobody else's business."""
        line = self.query_one(LineInput)
        line.password = not line.password

    def action_leave(self) -> None:
        self.exit(0)

    # -- others ---------------------------------------------------------------------------------------------

    def look_for_others(self) -> None:
        """Turns that somebody else told appear by themselves."""
        last = self.sitting.log.last()
        if last > self.told:
            self._tell_since(self.told)
            self._look()
