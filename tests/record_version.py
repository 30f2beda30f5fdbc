"""Record the version of each rule system: `uv run python -m tests.record_version [--unreleased]`.

To be run after `version` of a rule system was raised. With `--unreleased` the same version is written once more:
right only while nobody has played under it, for logs of that version would no longer verify. A package with a rule
system of its own calls `record` with its subject.
"""

import argparse
import sys

import msgspec

from .kit.subjects import Subject, built_in
from .kit.versions import Version, differences, path_of, version_now


def record(subject: Subject, *, unreleased: bool = False) -> str:
    """Write the version of one rule system beside its `stored.txt`. Gives a sentence on what was done."""
    path = path_of(subject)
    now = version_now(subject)
    if path.exists():
        before = msgspec.json.decode(path.read_bytes(), type=Version)
        if before.version == now.version and not unreleased and (found := differences(before, subject)):
            return f"{subject.key}: {'; '.join(found)}. Raise its version first (from {now.version}), or --unreleased."
    path.write_bytes(msgspec.json.format(msgspec.json.encode(now), indent=1) + b"\n")
    return f"{subject.key}: version {now.version}, {len(now.tags)} tags, {len(now.examples)} examples"


def main() -> None:
    """Record those that are built in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unreleased", action="store_true")
    options = parser.parse_args()
    for subject in built_in():
        sys.stdout.write(f"{record(subject, unreleased=options.unreleased)}\n")


if __name__ == "__main__":
    main()
