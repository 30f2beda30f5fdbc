"""What several longer runs do alike: a library laid under a program, and the end of a run."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

#: So many faults are printed.
MOST = 40


def compiled(source: str, folder: Path) -> Path:
    """A library for `LD_PRELOAD`, of C source, in this folder. Raises CalledProcessError if it cannot be."""
    path, library = folder / "preloaded.c", folder / "preloaded.so"
    path.write_text(source, "utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, path, "-ldl"], check=True)
    return library


def end(faults: Sequence[object], *, is_able_to_fail: bool = True) -> None:
    """Print the first faults, and exit with 1 if there is one, or if the control of the run found nothing."""
    sys.stdout.writelines(f"  {fault}\n" for fault in faults[:MOST])
    if faults or not is_able_to_fail:
        sys.exit(1)
