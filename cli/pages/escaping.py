"""Escaping for Markdown: text of the log comes out as text and can mark nothing up."""

import re

from cli.terminal.screen import safe

#: What Markdown could read as something else than text, wherever it stands.
_MARKS = r"(?i)[\\`*_\[\]<|#~&$]|(?<=:)/(?=/)|(?<=www)\."
#: What begins a list, a rule or an underlined heading at the start of a line.
_START = r"^(\s*(?=[-+=>])|\s*\d+(?=[.)]))(.)"


def escape(text: str) -> str:
    """The text on one line, with whatever Markdown could read as markup escaped."""
    line = safe(text, lines=True).replace("\n", " ")
    return re.sub(_START, r"\1\\\2", re.sub(_MARKS, lambda sign: f"\\{sign[0]}", line))


def prose(text: str) -> str:
    """The text escaped with its layout kept: an empty line begins a paragraph, a line end stays one."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(
        "\\\n".join(escape(line.strip()) for line in part.split("\n") if line.strip()) for part in paragraphs
    )
