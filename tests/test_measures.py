"""The measures of the program are told, each with its figure."""

from pathlib import Path

import pytest

from tests import measures


def test_every_measure_of_the_program_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    measures.main([])
    lines = capsys.readouterr().out.splitlines()
    for what in (
        "source lines",
        *(f"source lines: {kind}" for kind in measures.KINDS),
        "source lines of cli/line",
        "lines of tests",
        "words of the manual",
        "words of the manual: made from declarations",
        "largest class, lines",
        "largest function, lines",
        "class names in two files",
        "imports inside functions",
        *(f"functions called by `campaign {command}`" for command in measures.WALKED),
        "files from main() to the open log",
    ):
        assert any(line.startswith(what) and line[len(what) :].strip() for line in lines), what


def test_what_is_counted_of_a_source_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "ways", lambda _: {})
    for room, text in {
        "domain": "class A:\n    def f(self):\n        import os\n        def g():\n            import sys\n",
        "cli": 'import os\n\n\nclass A:\n    """One.\n\n    Two.\n    """\n\n    # three\n    pass\n',
        "projections": "T = (\n    1,\n    f(2),\n)\nU = [\n    x\n    for x in T\n]\n",
    }.items():
        (tmp_path / room).mkdir()
        (tmp_path / room / "one.py").write_text(text, "utf-8")
    (tmp_path / "data" / "manual").mkdir(parents=True)
    (tmp_path / "data" / "manual" / "reference.md").write_text("every verb", "utf-8")
    (tmp_path / "data" / "manual" / "line.md").write_text("Verbs", "utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_one.py").write_text("assert True\n", "utf-8")
    assert dict(measures.measures(tmp_path)) == {
        "source lines": "24",
        "source lines: code": "9",
        "source lines: docstrings and comments": "5",
        "source lines: imports": "3",
        "source lines: tables": "4",
        "source lines: blank": "3",
        "source lines of cli/line": "0",
        "lines of tests": "1",
        "words of the manual": "3",
        "words of the manual: made from declarations": "2",
        "largest class, lines": "8 (one.A)",
        "largest function, lines": "4 (one.f)",
        "class names in two files": "1 (A)",
        "imports inside functions": "2",
    }
