"""Every check against the lowest and the newest versions of what this project stands on, on each Python there is.

python -m tests.campaigns.environments [--python 3.11 --python 3.13] [--resolution lowest-direct] [-- -k rests]

Makes a fresh environment for each and runs types and tests there; what stands behind `--` goes to pytest. A Python is
looked for on this machine, among those of pyenv too, which uv does not know; none is downloaded, and the newest is left
out where there is none.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from tests.campaigns.ended import clean_up_when_told_to_end

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = ("lowest-direct", "highest")


def program_in(folder: Path, name: str) -> Path:
    """Where an environment keeps a program of this name."""
    return folder / "Scripts" / f"{name}.exe" if sys.platform == "win32" else folder / "bin" / name


def interpreter(python: str) -> str | None:
    """Where this version of Python, or the one at this path, is on this machine; None where it is not."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    # behind all others: what is found there without them, pyenv's own stand-ins included, may refuse to start
    folders = [os.environ["PATH"], *(str(path) for path in sorted(pyenv.glob("versions/*/bin"), reverse=True))]
    process = subprocess.run(
        ["uv", "python", "find", "--system", "--no-project", "--no-python-downloads", python],
        env=os.environ | {"PATH": os.pathsep.join(folders)}, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    return process.stdout.strip() if process.returncode == 0 else None


def is_missed(python: str, executable: Sequence[str] | None) -> bool:
    """Say that there is no such Python, and whether that fails the run, as it does but for the newest."""
    if executable is None and python == PYTHONS[-1]:
        print(f"Python {python}: left out, for there is none on this machine.", flush=True)
        return False
    print(
        f"Python {python}: there is none on this machine. Install it, or give the path of one with --python.",
        flush=True,
    )
    return True


def outcomes(python: str, resolution: str, folder: Path, tests: Sequence[str]) -> Iterator[tuple[str, int]]:
    """What was done in one environment, and the exit code that it ended with; nothing follows a failed install."""
    there = program_in(folder, "python")
    group = ["--group", "dev", "-e", ".[explore,serve,suite]"]
    steps = {
        "make": ["uv", "venv", "-q", "--python", python, str(folder)],
        "install": ["uv", "pip", "install", "-q", "--python", str(there), "--resolution", resolution, *group],
        "types": [str(there), "-m", "mypy"],
        "tests": [str(there), "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
    }
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    # a machine may trust certificates that only its own store knows
    environment["UV_SYSTEM_CERTS"] = "1"
    for step, command in steps.items():
        process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False)
        if process.returncode:
            print(process.stdout[-3000:], process.stderr[-3000:], sep="\n", flush=True)
        yield step, process.returncode
        if process.returncode and step in ("make", "install"):
            return


def main(arguments: Sequence[str] | None = None) -> int:
    """Try every environment; the exit code is 1 if anything failed in any of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help=f"a version or a path; otherwise {', '.join(PYTHONS)}")
    parser.add_argument("--resolution", action="append", choices=RESOLUTIONS)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args(arguments)
    failed = False
    for python, resolution in product(options.python or PYTHONS, options.resolution or RESOLUTIONS):
        if (there := interpreter(python)) is None:
            failed |= is_missed(python, options.python)
            continue
        with tempfile.TemporaryDirectory() as folder:
            exit_codes = dict(outcomes(there, resolution, Path(folder) / "env", options.tests))
        failed = failed or any(exit_codes.values())
        outcomes_of_it = ", ".join(
            f"{step} {'ended with ' + str(code) if code else 'ok'}" for step, code in exit_codes.items()
        )
        print(f"Python {python}, {resolution}: {outcomes_of_it}", flush=True)
    return int(failed)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    sys.exit(main())
