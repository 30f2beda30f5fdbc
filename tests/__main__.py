"""Every check of the project: `uv run python -m tests`.

The tests are run by two processes, and what looks at the code alone runs beside them.
What is given after it goes to pytest, and then only the tests are run: `uv run python -m tests -k rest`.
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
    """Run the tests and beside them the checks; the exit code is the first that is not 0, and nothing is skipped."""
    pytest = [sys.executable, "-m", "pytest", *arguments]
    if arguments:
        return subprocess.run(pytest, cwd=ROOT, check=False).returncode
    code = 0
    with subprocess.Popen(pytest, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as tests:
        running = {
            what: subprocess.Popen(
                [tool(name), *rest], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            for what, (name, *rest) in CHECKS.items()
        }
        # the tests take longest and are told last, so that what was told last is how they ended
        for what, check in running.items():
            told, _ = check.communicate()
            print(f"== {what}\n{told}", end="", flush=True)
            code = code or check.returncode
        print("== tests (pytest)", flush=True)
        assert isinstance(tests.stdout, io.BufferedReader)
        while part := tests.stdout.read1():
            sys.stdout.buffer.write(part)
            sys.stdout.buffer.flush()
    return code or tests.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
