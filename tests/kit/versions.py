"""What a version of a rule system is: the names that it stores, and what the recorded examples come to under it.

`version.json` beside `stored.txt` of a rule system holds this for its version. Whoever plays on with an old log relies
on it: a turn that today's version decided is decided again by `campaign verify` and has to come out the same.
"""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.common.start import CampaignStarted
from domain.registry import SYSTEMS, record_types, system_of, tag_of
from domain.turn import Drawn, Turn

from .recordings import recordings_in
from .subjects import Subject


class Version(Struct, frozen=True, kw_only=True):
    """One version of a rule system, as it is recorded."""

    version: int
    #: Tag -> the hash of its fields and their types.
    tags: dict[str, str]
    #: Example -> how many turns it had, and the hash of what they come to.
    examples: dict[str, tuple[int, str]]


def path_of(subject: Subject) -> Path:
    """Where the version of a rule system is recorded."""
    return subject.stored_names.with_name("version.json")


def version_now(subject: Subject) -> Version:
    """What the code is now."""
    examples = {}
    for example in recordings_in(subject.data, subject.key):
        turns = example.replayed().turns
        examples[example.name] = (len(turns), outcomes(turns))
    return Version(version=system_of(subject.key).version, tags=_tags(subject.key), examples=examples)


def outcomes(turns: Sequence[Turn]) -> str:
    """The hash of what turns come to, whatever version their first one names."""
    first, *rest = turns
    events = [replace(event, version=0) if isinstance(event, CampaignStarted) else event for event in first.events]
    first_version = [replace(first, events=tuple(events)), *rest]
    return _short(b"\n".join(msgspec.json.encode(turn) for turn in first_version))


def _tags(key: str) -> dict[str, str]:
    """The tags of a rule system; with those of all campaigns for one that is built in, as it is released with them."""
    record = record_types(key)
    (events, _) = get_args(get_type_hints(record.turn)["events"])
    kinds = [*get_args(record.action), *get_args(events)]
    if key not in SYSTEMS:
        kinds = [kind for kind in kinds if tag_of(kind).startswith(f"{key}.")]
    tags = {tag_of(kind): _short(_description(kind, key).encode()) for kind in sorted(kinds, key=tag_of)}
    # the record around them has no tag
    return {"(turn)": _short(_fields(Turn, Drawn).encode()), **tags} if key in SYSTEMS else tags


def _fields(*kinds: type[Struct]) -> str:
    return "; ".join(f"{field.encode_name}: {field.type}" for kind in kinds for field in msgspec.structs.fields(kind))


def _description(kind: type[Struct], key: str) -> str:
    """A record's fields with their types and defaults, the Structs in them too."""
    schemas, parts = msgspec.json.schema_components([kind])
    return msgspec.json.encode(_bare([schemas, parts], key), order="sorted").decode()


def _bare(value: Any, key: str) -> Any:
    """A schema without what is written for people: help may change at any time."""
    if isinstance(value, dict):
        return {name: _bare(value, key) for name, value in value.items() if name not in ("description", "title")}
    return [_bare(inner, key) for inner in value] if isinstance(value, list | tuple) else value


def _short(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def differences(version: Version, subject: Subject) -> list[str]:
    """What is other than it was recorded for the same version, each as a sentence."""
    now = version_now(subject)
    sentences = [f"the tag {tag} is new" for tag in now.tags.keys() - version.tags.keys()]
    sentences += [f"the tag {tag} is gone" for tag in version.tags.keys() - now.tags.keys()]
    sentences += [
        f"the fields of {tag} changed" for tag, fields in version.tags.items() if now.tags.get(tag, fields) != fields
    ]
    for example in recordings_in(subject.data, subject.key):
        turns, digest = version.examples.get(example.name, (0, ""))
        # an example may gain turns
        if turns and outcomes(example.replayed().turns[:turns]) != digest:
            sentences.append(f"the first {turns} turns of {example.name} come out differently")
    return sorted(sentences)
