"""Every check of the project: `uv run python -m tests`.

Three processes run the tests, more than there may be cores, because many tests wait for a browser or a program; the
checks that only read the code run beside them. Arguments go to pytest, in one process, and then only the tests run:
`uv run python -m tests -k rest --pdb`.
"""

import io
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = {
    "style (ruff)": ["ruff", "check", "."],
    "layout (ruff)": ["ruff", "format", "--check", "."],
    "types (mypy, strict)": ["mypy"],
    "import order (import-linter)": ["lint-imports"],
}


def tool(name: str) -> str:
    """A program of this environment, else of the machine."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name) or name


def main(arguments: list[str]) -> int:
    """Run the tests and the checks beside them, all of them; the exit code is the first that is not 0."""
    pytest = [sys.executable, "-m", "pytest"]
    if arguments:
        return subprocess.run([*pytest, *arguments], cwd=ROOT, check=False).returncode
    code = 0
    # neighbours share what was made for one of them, so each process begins with a stretch of its own
    with subprocess.Popen(
        [*pytest, "-n", "3", "--dist", "worksteal"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as tests:
        running = {
            what: subprocess.Popen([tool(name), *rest], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for what, (name, *rest) in CHECKS.items()
        }
        # the tests take longest and are told last, so that what was told last is how they ended
        for what, check in running.items():
            output, _ = check.communicate()
            # as bytes: what a tool tells need not be of the encoding that this process prints in
            sys.stdout.buffer.write(f"== {what}\n".encode() + output)
            sys.stdout.buffer.flush()
            code = code or check.returncode
        print("== tests (pytest)", flush=True)
        assert isinstance(tests.stdout, io.BufferedReader)
        while part := tests.stdout.read1():
            sys.stdout.buffer.write(part)
            sys.stdout.buffer.flush()
    return code or tests.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
