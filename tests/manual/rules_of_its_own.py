"""The rule system that the manual writes as an example, installed as any package is."""

import re
import zipfile
from pathlib import Path

from tests.campaigns.installed import wheel_of
from tests.kit.chapters import blocks


def installed_for(chapter: Path, folder: Path) -> tuple[Path, ...]:
    """A folder to import from with the files that the chapter shows, built and unpacked; none where it shows none."""
    own = folder / "own"
    for _, block in blocks(chapter):
        if named := re.match(r"# ([\w/]+\.\w+)\n", block):
            path = own / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block, "utf-8")
    if not own.exists():
        return ()
    with zipfile.ZipFile(wheel_of(own, folder / "built")) as wheel:
        wheel.extractall(folder / "site")
    return (folder / "site",)
