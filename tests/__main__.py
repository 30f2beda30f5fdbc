"""Every check of the project, one after another: `uv run python -m tests`.

What is given after it goes to pytest, and then only the tests are run: `uv run python -m tests -k rest`.
"""

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
    """Run the checks, then the tests; the exit code is the first that is not 0, and nothing after it is skipped."""
    code = 0
    for what, (name, *rest) in ({} if arguments else CHECKS).items():
        print(f"== {what}", flush=True)
        code = subprocess.run([tool(name), *rest], cwd=ROOT, check=False).returncode or code
    print("== tests (pytest)", flush=True)
    tests = subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=ROOT, check=False).returncode
    return code or tests


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
