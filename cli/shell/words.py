"""Parsing of the words of a command line: `NAME=VALUE`, the forms of fields of actions, and files that they name."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from cli.line.values import json_or_text
from domain.refusal import Invalid
from domain.registry import system_of
from domain.system.field_schema import Field, Kind
from domain.system.installed import data_folder, installed
from domain.system.options import options_of

# -- NAME=VALUE --------------------------------------------------------------------------------------------


def pairs(words: Iterable[str], form: str) -> Iterator[tuple[str, str]]:
    """The names and values of `NAME=VALUE` words; `form` describes the form in errors. Raises Invalid."""
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or not name.strip():
            raise Invalid(f"Write {form}, not {word[:60]!r}.")
        yield name.strip(), text


def values_by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names with their values. Raises Invalid for a name that occurs twice."""
    values: dict[str, str] = {}
    for name, text in pairs:
        if name in values:
            raise Invalid(f"{name} is set twice.")
        values[name] = text
    return values


def option_values(words: Iterable[str] | None, rules: str) -> dict[str, Any]:
    """The options of a rule system: JSON where it parses as the option's type, else text. Raises Invalid."""
    options = options_of(system_of(rules).options)
    texts = values_by_name(
        (name.replace("-", "_"), text) for name, text in pairs(words or (), "an option as NAME=VALUE")
    )
    return {name: json_or_text(text, options[name].type) if name in options else text for name, text in texts.items()}


# -- the fields of an action -------------------------------------------------------------------------------

#: The forms of values on the shell.
Shape = Literal["text", "number", "flag", "list", "map", "json", "file"]


def shape_of(field: Field) -> Shape:
    """The form in which a field is given on the shell."""
    if field.file is not None:
        return "file"
    if field.kind.shape in ("list", "map"):
        return field.kind.shape
    return scalar(field.kind)


def scalar(kind: Kind) -> Literal["text", "number", "flag", "json"]:
    """The form of a value of one word; a reference is a number where it can be read as one, else a name."""
    if kind.shape == "choice":
        return "number" if all(isinstance(choice, int) for choice in kind.choices) else "text"
    if kind.reference:
        return "number"
    return kind.shape if kind.shape in ("text", "number", "flag") else "json"


def option_of(field: Field) -> str:
    """The name of a field's option; a field that is read from a file may have another one."""
    return f"--{field.file or field.key.replace('_', '-')}"


#: Bytes of a TOML file at most.
LONGEST_FILE = 1_000_000


def from_file(word: str) -> Any:
    """The content of a TOML file, or of a template of that name where no such file is here. Raises Invalid."""
    import tomllib

    try:
        with _file_or_template(word).open("rb") as stream:
            content = stream.read(LONGEST_FILE + 1)  # not by the file's size, as a device has none and no end
        if len(content) > LONGEST_FILE:
            raise Invalid(f"{word} is too large to be read as TOML (more than 1 MB).")
        return tomllib.loads(content.decode())
    except OSError as error:
        raise Invalid(f"{word} cannot be read: {(error.strerror or str(error)).lower()}.") from None
    except RecursionError:
        raise Invalid(f"{word} is nested too deeply to be read as TOML.") from None
    except ValueError as error:  # of TOML, UTF-8 and whole numbers
        raise Invalid(f"{word} is not a TOML file: {str(error).rstrip('.')}.") from None


def _file_or_template(word: str) -> Path:
    """The file of that name, else the template that a rule system brings under it: examples read those."""
    path = Path(word)
    if path.name == word and word.startswith("template-") and not path.exists():
        templates = (data_folder(key) / word for key in installed())
        return next((template for template in templates if template.is_file()), path)
    return path
