"""The command lines that more than one file of tests begins with."""

import shlex

#: What no page may take for anything but text.
NASTY = (
    "<script>alert(1)</script> *bold* [x](javascript:alert(1)) | `code` # ![i](http://e.org/p.png)"
    " & &lt; https://e.org ~~s~~ $x$"
)
#: `dc.campaign`, where Brog of level 2 has 11 hit points, at T2.
WITH_BROG = ("new Table --rules osr --file dc.campaign", "osr enrol brog --level 2 --rolled 5,6")
#: Brog (level 2, 11 hit points) and Mira (level 3, 6 hit points) in `dc.campaign`, at T4 in session 1.
IN_THE_CRYPT = (
    "new 'Dungeon Crawl' --rules osr --file dc.campaign",
    "session open 'The crypt'",
    "osr enrol brog --player Ada --level 2 --rolled 5,6",
    "osr enrol Mira --level 3 --rolled 1,2,3",
)
#: All that a reading can show, under osr: in T1 to T14 a wound, a ruling, an override, an undone turn, a note that is
#: no good; then a night. The second session, from T15 on, is still open.
TWO_EVENINGS = (
    "new Crypt --rules osr --file crypt.campaign",
    "session open 'The crypt' --when 2026-01-09T19:00+01:00",
    "osr enrol brog --player Mia --level 2 --rolled 5,6",
    "osr enrol ada --player Jon --level 1 --rolled 6",
    "osr damage brog 9 --source 'a ghoul'",
    "osr short-rest brog --rolled 3,4",
    f"note {shlex.quote(NASTY)} --about ada --by Mia",
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
