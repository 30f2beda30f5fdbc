"""The key bar: what the keys do in the present state of the line."""

from cli.table.guide import Guide
from cli.table.replies import Enter

#: What Enter does with what stands in the line.
ENTERS: dict[Enter, str] = {
    "": "",
    "records": "Enter records",
    "draws": "Enter draws, then records or asks",
    "asks": "Enter asks first",
    "looks back": "Enter records, or asks first",
    "goes on": "Enter goes on",
    "waits": "Enter keeps the line for later",
    "shows": "Enter shows it",
    "passes": "Enter leaves it so",
    "leaves": "Enter leaves the table",
}
#: What it does with an answer that is typed over a question.
ANSWERS = "Enter answers"
#: What it does where pasted lines wait.
PASTED = "Enter goes on with these lines"


def keys_of(guide: Guide, *, looks_back: bool, is_scrolled: bool, in_chronicle: bool) -> tuple[str, ...]:
    """What the keys do now, the most important first.

    `looks_back`: the table is shown as it was; `is_scrolled`: what is read takes more rows than there are;
    `in_chronicle`: the keys move among the turns.
    """
    page = ("PgUp PgDn scroll",) if is_scrolled else ()
    if guide.question is not None and guide.types_over:
        return (ENTERS["waits"] if guide.line_too_early else ANSWERS, "Esc drops it")
    if guide.question is not None:
        return (*guide.question.how, "Esc cancels", *page, "F3 sheet")
    if in_chronicle:
        return ("↑ ↓ a turn", "PgUp PgDn a page", "Enter about it", "Tab to the line", "Esc now")
    if guide.search is not None:
        return ("type to search", "↑ ↓ choose", "Enter takes the line", "Esc back")
    if guide.palette:
        return ("type to narrow", "↑ ↓ choose", "Enter takes", "Esc back")
    if guide.gives_way:
        what = "the answer" if guide.asked is not None else "the line"
        esc = "Esc back" if guide.asked is not None or guide.goes_back else "Esc clears it"
        enter = ENTERS[guide.enter] if guide.asked is None or guide.shows_words else ""
        return (enter, f"type to replace {what}", "Space keeps it", "Tab ↑ ↓ choose" if guide.items else "", esc)
    if guide.chosen is not None:
        next_ = ("Enter or Space takes", "Tab ↑ ↓ choose") if guide.items else ()
        return (*next_, "Esc back", "? help")
    if guide.asked is not None:
        return (ENTERS[guide.enter], "Tab ↑ ↓ choose" if guide.items else "", "Esc back", "? help")
    if guide.text:
        esc = "Esc back" if guide.goes_back else "Esc clears"
        return (ENTERS[guide.enter], "Tab ↑ ↓ choose" if guide.items else "", esc, "? help",
                "F2 shows" if guide.hides else "F2 hides")  # fmt: skip
    if guide.waits:
        return (*page, PASTED, "Esc drops them", "? help")
    if guide.shown.lines:
        return (*page, "Esc closes", "Enter lists what can be done", "? help")
    if looks_back:
        return ("Enter about this turn", "↑ ↓ a turn", "PgUp PgDn a page", "Esc now")
    return ("Enter lists what can be done", "? help", "↑ lines before", "Ctrl-R search", "Tab turns", "PgUp earlier",
            "F3 sheet", "Ctrl-D leaves")  # fmt: skip
