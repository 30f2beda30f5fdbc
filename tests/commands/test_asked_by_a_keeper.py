"""A keeper names an evening by its day, and a kind of turn by its verb."""

import pytest

from tests.kit.shell import Shell, shell_after

shell = shell_after(
    "new Keep --rules osr --file k.campaign --when 2026-01-01T18:00+00:00",
    "session open One --when 2026-01-02T19:00+00:00",  # T2
    "osr enrol Brog rolled=6 --when 2026-01-02T19:10+00:00",
    "osr damage Brog 2 --when 2026-01-03T00:10+00:00",  # after midnight
    "session close --when 2026-01-03T00:20+00:00",  # T5
    "session open Two --when 2026-02-02T19:00+00:00",
    "check-sheet Brog hp=4 --when 2026-02-02T19:10+00:00",
    "osr rest Brog rolled=6 --when 2026-02-02T19:20+00:00",  # T8
)


@pytest.mark.parametrize(("day", "title"), [("2026-01-02", "One"), ("2026-01-03", "One"), ("2026-02-02", "Two")])
def test_an_evening_is_found_by_its_day_also_after_midnight(shell: Shell, day: str, title: str) -> None:
    assert shell.run("recap", day, "--json").json()["title"] == title
    whole = shell.run("log", "--session", "1" if title == "One" else "2", "-O", "ids").ok().out
    assert shell.run("log", "--session", day, "-O", "ids").ok().out == whole
    shell.run("stats", "lost", "--session", day).ok()
    shell.run("replay", day).ok()


def test_a_day_without_an_evening_names_the_one_before(shell: Shell) -> None:
    shell.run("recap", "2026-01-20").is_(1, "No session was played on 2026-01-20; the one before is S1.")
    shell.run("recap", "2026-01-01").is_(1, "No session was played on 2026-01-01.")
    shell.run("recap", "Friday").is_(2, "'Friday' is not a session; write it like S3 or 3.")


@pytest.mark.parametrize(
    ("kind", "turns"),
    [("rests", "T8"), ("check-sheet", "T7"), ("d", "T4"), ("heal", "T8"), ("damage", "T4")],
)
def test_a_kind_of_turn_goes_by_every_name_of_its_verb(shell: Shell, kind: str, turns: str) -> None:
    assert shell.run("log", "--kind", kind, "-O", "ids").ok().out.split() == [turns]
