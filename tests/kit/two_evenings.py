"""An evening with everything that a reading of it has to tell, typed as a person would."""

from tests.kit.shell import Shell

#: What no page may take for anything but text.
NASTY = (
    "<script>alert(1)</script> *bold* [x](javascript:alert(1)) | `code` # ![i](http://e.org/p.png)"
    " & &lt; https://e.org ~~s~~ $x$"
)


def two_evenings(shell: Shell) -> None:
    """Under osr: in T1 to T14 a wound, a ruling, an override, a turn taken back, a note that is no good; then a night.

    The second session, from T15 on, is still open.
    """
    shell.do(
        "new Crypt --rules osr --file crypt.campaign",
        "session open 'The crypt' --when 2026-01-09T19:00+01:00",
        "osr enrol brog --player Mia --level 2 --rolled 5,6",
        "osr enrol ada --player Jon --level 1 --rolled 6",
        "osr damage brog 9 --source 'a ghoul'",
        "osr short-rest brog --rolled 3,4",
    )
    shell.run("note", NASTY, "--about", "ada", "--by", "Mia").ok()
    shell.do(
        "ruling 6.4 'Keep the higher' --why 'It hurts too much' --set keep_higher=true",
        "osr damage ada 9 --source 'a trap'",
        "osr injury-saves ada --strength 26 --will 3",
        "override brog hp=11 --why 'a potion'",
        "undo T6 --yes",
        "osr damage brog 2",
        "session close",
        "session open 'Dawn'",
        "osr night-rest brog --rolled 1,1",
    )
