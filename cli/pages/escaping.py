"""Words of the log as Markdown shows them: as they are."""

import re

from cli.terminal.screen import safe

#: What Markdown could read as something else than text, wherever it stands.
_MARKS = r"(?i)[\\`*_\[\]<|#~&$]|(?<=:)/(?=/)|(?<=www)\."
#: What begins a list, a rule or an underlined heading at the start of a line.
_START = r"^(\s*(?=[-+=>])|\s*\d+(?=[.)]))(.)"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    shown = safe(text, lines=True).replace("\n", " ")
    return re.sub(_START, r"\1\\\2", re.sub(_MARKS, lambda sign: f"\\{sign[0]}", shown))


def prose(text: str) -> str:
    """Text in full as Markdown shows it: an empty line begins a paragraph, a line stays a line."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(
        "\\\n".join(escaped(line.strip()) for line in part.split("\n") if line.strip()) for part in paragraphs
    )
