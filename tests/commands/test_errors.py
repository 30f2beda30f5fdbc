# ruff: noqa: E501  the sentences stand here as they are printed
"""A gallery of every error message: what provokes it, its exit code, its sentence, and a log left as it was."""

import shlex

from domain.naming import listed
from domain.registry import system_of
from domain.system.options import options_of
from tests.kit.beginnings import IN_THE_CRYPT
from tests.kit.shell import Shell, shell_after

shell = shell_after(*IN_THE_CRYPT)


#: the options of osr, as an error lists them
OPTIONS = listed(options_of(system_of("osr").options))
#: the words of a command line, the exit code, the whole of stderr
GALLERY: list[tuple[str | list[str], int, str]] = [
    # -- seals that are signed, and places
    ("seal --keep", 2, "--keep and -o are for a signature: add --sign KEY."),
    ("seal --sign nokey", 2, "There is no key nokey; ssh-keygen -t ed25519 -f nokey makes one."),
    ("session close --sign nokey", 2, "There is no key nokey; ssh-keygen -t ed25519 -f nokey makes one."),
    (
        "verify --signers nobody",
        2,
        "There is no file nobody; it should hold a line for every signer: NAME KEY, as git's does.",
    ),
    ("list nowhere", 2, "There is no folder nowhere."),
    # -- where a site may lie
    ("site dc.campaign", 2, "dc.campaign is a file; name a folder."),
    ("site nowhere/pages", 2, "There is no folder nowhere to make pages in."),
    ("site .", 2, ". is the folder you are in, or one around it; give the site a folder of its own."),
    ("site pages --as nobody", 1, "There is no player 'nobody'; known: Ada."),
    # -- words too many, and places in the log where somebody is named
    (
        "new Two Words",
        2,
        "'Words' does not fit here; put a name of several words in quotes. Try: campaign new \"Two Words\" --rules osr",
    ),
    (
        "new --rules osr The Old Mill --file x.campaign",
        2,
        "'Old Mill' does not fit here; put a name of several words in quotes."
        ' Try: campaign new --rules osr "The Old Mill" --file x.campaign',
    ),
    (
        "log T2 T3 --oneline",
        2,
        "'T3' does not fit here; write from one place to another as one word. Try: campaign log T2..T3 --oneline",
    ),
    ("seal T2 T3", 2, "'T3' does not fit here; name one place only. Try: campaign seal --help"),
    (
        "verify QK3F-9M2X",
        2,
        "'QK3F-9M2X' is not a seal; one is a turn and sixteen letters and digits, like T86 QK3F-9M2X-7TPA-4WZE.",
    ),
    ("doctor brog", 2, "'brog' does not fit here; campaign doctor takes options only. Try: campaign doctor --help"),
    ("status @-3", 2, "@-3 is a place in the log; it goes with --at: campaign status --at @-3"),
    ("status brog @-3", 2, "@-3 is a place in the log; it goes with --at: campaign status brog --at @-3"),
    ("why brog.hp T3", 2, "T3 is a place in the log; it goes with --at: campaign why brog.hp --at T3"),
    ("why T3", 2, "T3 is a place in the log, and why is asked about somebody: campaign show T3"),
    # -- which command, which option
    ("oser", 2, "There is no command 'oser'; did you mean osr? Try: campaign --help"),
    ("nosuch", 2, "There is no command 'nosuch'. Try: campaign osr --help"),
    # what people call it who do not know its verb, and the verbs of other rules
    ("hit brog 4", 2, "There is no command 'hit'; did you mean bypassing-hit or damage? Try: campaign --help"),
    ("heal brog", 2, "There is no command 'heal'; did you mean short-rest? Try: campaign --help"),
    (
        "flip brog",
        2,
        "There is no command 'flip'; it is a verb of deckahedron, and this campaign is played under osr."
        " Try: campaign osr --help",
    ),
    ("osr dmage brog 3", 2, "There is no command 'dmage'; did you mean damage? Try: campaign osr --help"),
    ("session opne", 2, "There is no command 'opne'; did you mean open? Try: campaign session --help"),
    (
        "-c dc.campaign status",
        2,
        "Put -c after the command, like campaign status -c FILE. Try: campaign --help",
    ),
    ("status --nope", 2, "There is no option --nope. Try: campaign status --help"),
    ("osr damage brog 3 --sorce trap", 2, "There is no option --sorce; did you mean --source?"),
    ("osr damage brog 3 4", 2, "'4' does not fit here. Like: damage brog 3 '\"4\"'."),
    ("status --xml", 2, "There is no option --xml. Try: campaign status --help"),
    ("status --hlep", 2, "There is no option --hlep; did you mean --help? Try: campaign status --help"),
    ("status the ferryman", 1, "There is no character 'the ferryman'; known: brog and Mira."),
    ("enrol Bram lvl 2", 2, "'lvl' does not fit here; enrol takes no words. Like: enrol \"Bram lvl\" 2."),
    (
        "why the ferryman",
        1,
        "There is no character 'the ferryman', and nothing of that name is tracked; known: Mira and brog.",
    ),
    ("why hp", 2, "Say whose hp, like Mira.hp."),
    ("use z", 2, "There is no campaign 'z' here; known: dc.campaign."),
    ("log T3-T4", 2, "Write from one turn to another as T3..T4."),
    (
        "reveal",
        2,
        "There is no command 'reveal'; it is a verb of gloomhaven, and this campaign is played under osr."
        " Try: campaign osr --help",
    ),
    (
        "session start The end",
        2,
        "There is no command 'start'; did you mean campaign session open? Try: campaign session --help",
    ),
    ("osr damage brog 3 --amount 4", 2, "amount is given twice."),
    ("osr damage brog", 2, "damage needs amount: points of damage. Like: damage brog 1."),
    (
        "osr damage",
        2,
        "damage needs character: brog or Mira; and amount: points of damage. Like: damage brog 1.",
    ),
    ("osr short-rest", 2, "short-rest needs characters: brog or Mira. Like: short-rest brog."),
    (
        "osr recovery-roll brog strength",
        2,
        "recovery-roll needs improved: yes or no. There are no recovery marks here, unless a ruling brings them in (OSR 6.9).",
    ),
    ("note", 2, "note needs text: what to write down."),
    ("new x", 2, "--rules is missing: osr, deckahedron or gloomhaven. Try: campaign new --help"),
    ("override brog hp=3", 2, "override needs why: the reason."),
    ("check-sheet brog", 2, "check-sheet needs expect: FIELD=VALUE, like hp=5."),
    ("status -c", 2, "Option '-c' requires an argument. Try: campaign --help"),
    ("status --json=3", 2, "Option '--json' does not take a value. Try: campaign --help"),
    (
        "status -O xml",
        2,
        "--output takes text, json, ndjson, csv, md, html, lines or ids. Try: campaign status --help",
    ),
    ("log -n -1", 2, "-n takes a whole number of 0 or more. Try: campaign log --help"),
    ("serve --port 99999", 2, "--port takes a whole number from 1 to 65535. Try: campaign serve --help"),
    ("d brog 1 --color red", 2, "--color takes auto, always or never. Try: campaign d --help"),
    ("log -n x", 2, "-n takes a whole number of 0 or more. Try: campaign log --help"),
    ("undo --last x", 2, "--last must be a whole number of 1 or more, not 'x'."),
    ("session open --number x", 2, "--number must be a whole number of 1 or more, not 'x'."),
    # -- a line of the table
    ("d brog", 2, "damage needs amount: points of damage. Like: d brog 1."),
    ("d brog fourty", 2, "damage needs amount: points of damage, before 'fourty'."),
    ("d brog 4 --sorce trap", 2, "There is no option --sorce; did you mean --source?"),
    ("d 4", 2, "damage needs character: brog or Mira. Like: d brog 4."),
    ("d borg 4", 3, "There is no character 'borg'; did you mean brog?"),
    ("re brog", 2, "There is no command 're'. Try: campaign osr --help"),
    ("rest brog,mira 54", 2, "Whose dice are 54? Each name has its own behind it."),
    ("rally brog gladly", 2, "'gladly' does not fit here; rally takes no words."),
    ("u 9", 2, "9 may be the turn T9 or the last 9 turns. There is no turn T9; the last one is T4."),
    ("T90 amount=2", 3, "There is no turn T90; the last one is T4."),
    (
        "T4 amuont=2",
        2,
        "T4 has no field for 'amuont=2'; known: character, player, level, hit_dice, side, saves and rolled.",
    ),
    # -- characters
    ("osr damage brag 3", 3, "There is no character 'brag'; did you mean brog?"),
    ("osr damage zzz 3", 3, "There is no character 'zzz'; known: brog and Mira."),
    ("osr damage '' 3", 3, "There is no character ''; known: brog and Mira."),
    (["osr", "damage", "br\x1b[31m", "3"], 3, "There is no character 'br\\x1b[31m'; known: brog and Mira."),
    ("status brag", 1, "There is no character 'brag'; did you mean brog?"),
    ("log --character brag", 1, "There is no character 'brag'; did you mean brog?"),
    ("note x --about brag", 3, "There is no character 'brag'; did you mean brog?"),
    ("override brag hp=3 --why x", 3, "There is no character 'brag'; did you mean brog?"),
    ("check-sheet brag hp=3", 3, "There is no character 'brag'; did you mean brog?"),
    ("osr short-rest brog --rolled brag=3,4", 3, "There is no character 'brag'; did you mean brog?"),
    ("osr enrol ''", 2, "A character's name must not be empty; give it at least one letter."),
    ("osr enrol '   '", 2, "A character's name must not be empty; give it at least one letter."),
    ("osr enrol BROG", 3, "Brog is enrolled already; choose another name."),
    ("osr enrol ＢＲＯＧ", 3, "Brog is enrolled already; choose another name."),
    (
        ["osr", "enrol", "a\x1b[31m"],
        2,
        "A character's name may hold only visible characters; U+001B is not one of them.",
    ),
    (["osr", "enrol", "a\x00b"], 2, "A character's name may hold only visible characters; U+0000 is not one of them."),
    (["osr", "enrol", "a\x85b"], 2, "A character's name may hold only visible characters; U+0085 is not one of them."),
    (
        ["osr", "enrol", "a\u202eb"],
        2,
        "A character's name may hold only visible characters; U+202E is not one of them.",
    ),
    (
        ["osr", "enrol", "a\u2066b"],
        2,
        "A character's name may hold only visible characters; U+2066 is not one of them.",
    ),
    (
        ["osr", "enrol", "a\u200bb"],
        2,
        "A character's name may hold only visible characters; U+200B is not one of them.",
    ),
    (
        ["osr", "enrol", "a\ufeffb"],
        2,
        "A character's name may hold only visible characters; U+FEFF is not one of them.",
    ),
    (
        ["osr", "enrol", "a\u2028b"],
        2,
        "A character's name may hold only visible characters; U+2028 is not one of them.",
    ),
    (
        ["osr", "enrol", "a\ue000b"],
        2,
        "A character's name may hold only visible characters; U+E000 is not one of them.",
    ),
    (["osr", "enrol", "a\ud800b"], 2, "An action cannot hold a broken character (half of a surrogate pair)."),
    (["osr", "enrol", "\u200b"], 2, "A character's name may hold only visible characters; U+200B is not one of them."),
    (["osr", "enrol", "x" * 61], 2, "A character's name has at most 60 characters; this one has 61."),
    (
        ["osr", "enrol", "x" * 201],
        2,
        'character must be a text of at most 200 characters, not "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx….',
    ),
    # -- numbers
    ("osr damage brog ''", 2, "damage needs amount: points of damage."),
    ("osr damage brog x", 2, "damage needs amount: points of damage, before 'x'."),
    ("osr damage brog -3", 2, "'-3' does not fit here. Like: damage brog 3."),
    ("osr damage brog 3.5", 2, "damage needs amount: points of damage, before '3.5'."),
    ("osr damage brog NaN", 2, "damage needs amount: points of damage, before 'NaN'."),
    ("osr damage brog 1e3", 2, "damage needs amount: points of damage, before '1e3'."),
    ("osr damage brog true", 2, "damage needs amount: points of damage, before 'true'."),
    (
        "osr damage brog 9007199254740973",
        2,
        "amount must be a whole number from 0 to 9007199254740972, not 9007199254740973.",
    ),
    ("osr damage brog 9007199254740993", 2, "An action cannot hold a whole number beyond ±2^53."),
    (["osr", "damage", "brog", "9" * 30], 2, "An action cannot hold a whole number beyond ±2^53."),
    ("osr damage brog ٣", 2, "'٣' does not fit here."),
    ("osr enrol new --level 0", 2, "level must be a whole number from 1 to 100, not 0."),
    ("osr enrol new --level 101", 2, "level must be a whole number from 1 to 100, not 101."),
    ("osr enrol new --hit-dice=-1", 2, "hit_dice must be a whole number from 1 to 100, not -1."),
    ("undo --last 0", 2, "last must be a whole number of 1 or more, not 0."),
    ("session open --number 0", 2, "number must be a whole number of 1 or more, not 0."),
    # -- dice
    (
        "osr enrol new --rolled 7",
        3,
        "A d6 cannot show 7 (OSR 6.1).\nNext: campaign osr enrol new --hit-dice 2 4 3",
    ),
    ("osr enrol new --rolled 0", 3, "A d6 cannot show 0 (OSR 6.1)."),
    ("osr enrol new --level 2 --rolled 1,2,3", 3, "New rolls 2 hit dice, not 3 (OSR 6.1)."),
    ("osr enrol new --level 2 --rolled 1", 3, "New rolls 2 hit dice, not 1 (OSR 6.1)."),
    ("osr enrol new --level 2 --rolled 1,x", 2, "--rolled must be dice as they were rolled, like 5,6, not '1,x'."),
    ("osr short-rest brog --rolled 3", 3, "Brog rolls 2 hit dice, not 1 (OSR 6.1)."),
    ("osr short-rest brog --rolled Mira=3,4,5", 3, "There are dice for Mira, who does not re-roll (OSR 6.1)."),
    ("osr short-rest brog Mira --rolled 3,4", 2, "Say whose: rolled=NAME=3,4."),
    ("osr short-rest brog --rolled brog=3,4 --rolled brog=3,4", 2, "rolled is given twice."),
    ("osr night-rest brog --rolled 3,4,5", 3, "Brog rolls 2 hit dice, not 3 (OSR 6.1)."),
    # -- what the rules forbid
    ("osr short-rest brog brog", 2, "Brog is named twice."),
    ("osr short-rest brog Brog", 2, "Brog is named twice."),
    ("osr short-rest brog --no-safe", 3, "A short rest needs a relatively safe spot (OSR 6.4)."),
    ("osr short-rest brog --minutes 9", 3, "Brog needs at least 10 minutes for a short rest, not 9 (OSR 6.4)."),
    (
        "osr short-rest brog --keep brog --rolled 1,1",
        3,
        "Brog cannot keep the old hit points: the new total counts, even if it is lower (OSR 6.4).",
    ),
    ("osr injury-saves brog 12", 3, "Brog has no injury to save against (OSR 6.6)."),
    ("osr choose-fate brog death", 3, "Brog has no fate to choose: that takes a failed strength save (OSR 6.7)."),
    (
        "osr choose-fate brog deth",
        2,
        "choose-fate needs fate: death or major_wound, before 'deth'. Brog has no fate to choose: that takes a failed strength save (OSR 6.7).",
    ),
    (
        "osr bypassing-hit brog 12 --sacrifice",
        2,
        "A sacrifice needs its price: give the attacker's level, or the cost. "
        "Like: bypassing-hit brog 12 --sacrifice cost=1.",
    ),
    ("osr treat brog 1", 3, "Brog has no wound."),
    ("osr rally brog", 3, "Brog has not collapsed (OSR 6.8)."),
    ("osr die-of-wounds brog", 3, "Brog has no major wound to die of (OSR 6.10)."),
    # -- words about the game
    ("note ''", 2, "A note must not be blank."),
    ("note '   '", 2, "A note must not be blank."),
    (
        ["note", "x" * 10_001],
        2,
        'text must be a text of at most 10,000 characters, not "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx….',
    ),
    (
        "note x --rule 99",
        3,
        "There is no rule '99' in osr; known: 6.1, 6.2, 6.3, 6.4, 6.5, 6.6, 6.7, 6.8 and 4 more.",
    ),
    ("note x --turn T9", 3, "There is no turn T9 yet; the last one is T4."),
    ("note x --turn q", 2, "--turn must be a turn, like T4, not 'q'."),
    ("note x --by ''", 2, "--by takes a name of 1 to 200 characters."),
    (
        "note x --when gestern",
        2,
        "'gestern' is not a time; write it like 21:30, yesterday 21:30 or 2026-01-31T19:30 (+01:00).",
    ),
    (["note", "\udcff"], 2, "An action cannot hold a broken character (half of a surrogate pair)."),
    (
        ["note", "x", "--by", "\udcff"],
        2,
        "--by cannot hold a broken character (half of a surrogate pair).",
    ),
    (
        "ruling",
        2,
        "ruling needs rule: which one, by its number; paragraph add makes one of your own; and text: what was decided.",
    ),
    ("ruling 6.4", 2, "ruling needs text: what was decided."),
    ("ruling 6.4 ''", 2, "Say what was decided; a ruling cannot be blank."),
    (
        "ruling 9 x",
        3,
        "There is no rule '9' in osr; known: 6.1, 6.2, 6.3, 6.4, 6.5, 6.6, 6.7, 6.8 and 4 more.",
    ),
    (
        "ruling 6.4 x --set zz=true",
        3,
        f"There is no option 'zz'; known: {OPTIONS}.",
    ),
    (
        "ruling 6.4 x --set keep_hihger=true",
        3,
        f"There is no option 'keep_hihger'; did you mean keep_higher? Known: {OPTIONS}.",
    ),
    ("ruling 6.4 x --set keep_higher", 2, "Write it as NAME=VALUE, not 'keep_higher'."),
    ("ruling 6.4 x --set keep_higher=maybe", 3, '"maybe" is not a value of keep_higher (6.4); it takes true or false.'),
    (
        "ruling 6.9 x --set minor_injuries=often",
        3,
        '"often" is not a value of minor_injuries (6.9); it takes referee or recovery_marks.',
    ),
    ("ruling 6.4 x --set keep_higher=true --set keep-higher=false", 2, "keep_higher is given twice."),
    ("ruling 6.4 x --set zero_is_injury=true", 3, "The option zero_is_injury belongs to 6.6, not to 6.4."),
    ("ruling 6.4 x --since T9", 3, "There is no turn T9; the log goes from T1 to T4."),
    (
        "ruling 6.4 x --since gestern",
        2,
        "'gestern' is not a place in the log. Write a turn (T4), a session (S2), @ for now, @-3 for three turns ago, a date or a date and time.",
    ),
    ("ruling 6.4 x --since T1 --drop --keep", 2, "conflicts is given twice."),
    ("ruling --end R1", 3, "There is no ruling R1; nobody has made a ruling yet."),
    ("ruling --end x", 2, "ruling end needs ruling: which ruling, like R3, before 'x'."),
    ("ruling 6.4 x --end R1", 2, "There is no option --end."),
    (
        "rules 6.44",
        1,
        "There is no rule '6.44' in osr; did you mean 6.4? Known: 6.1, 6.2, 6.3, 6.4, 6.5, 6.6, 6.7, 6.8 and 4 more.",
    ),
    (
        "override brog away=absent --why x",
        3,
        "away cannot be overridden; change it with absent or retire.",
    ),
    # -- what is tracked, who is away
    ("track", 2, "Say what is tracked. Like: track brog torches 6; or track day 14."),
    ("track brog", 2, "Say what is tracked. Like: track brog torches 6."),
    ("track brog gold", 2, "Say how much, or what it is. Like: track brog gold 12."),
    (
        "track brog gold 5 --drop",
        2,
        "--drop and --keep decide about later turns; use them with --after or --before.",
    ),
    (
        "track brog copper coins +3",
        2,
        '\'coins +3\' is no number; a text stands in quotes. Like: track brog "copper coins" +3; or track brog copper "coins +3".',
    ),
    ("track brog gold -5", 3, "Brog's gold would be -5, which is below zero; add debt if you mean that."),
    ("track brog gold drop", 3, "Brog's gold is not tracked, so there is nothing to drop."),
    (
        "track brog hp +3",
        3,
        "Brog's hp is kept by the rules of osr; it changes with damage, short-rest or night-rest.\n"
        "Next: campaign osr damage brog AMOUNT\nor:   campaign osr short-rest brog\nor:   campaign osr night-rest brog",
    ),
    ("track pin gold", 3, "Nobody tracks gold."),
    ("gold brog +3", 2, "There is no command 'gold'; did you mean campaign track? Try: campaign --help"),
    ("absent brog here", 3, "Brog is here already."),
    ("retire brag", 3, "There is no character 'brag'; did you mean brog?"),
    ("enrol Ada saves", 2, "Only a foe needs saves: everybody else makes them anyway."),
    ("override brog hpp=3 --why x", 2, "'hpp' is not a sheet field that can be set in osr; did you mean hp?"),
    ("override brog hp --why x", 2, "why is given twice."),
    ("override brog hp=3 hp=4 --why x", 2, "hp is given twice."),
    ("override brog hp=abc --why x", 2, 'The sheet field hp takes a whole number, not "abc".'),
    (
        "override brog hp=99 --why x",
        3,
        "Brog cannot have 99 hit points; with 2 hit dice they go from 0 to 12 (OSR 6.1).",
    ),
    (
        "override brog 'wounds=[[[]' --why x",
        2,
        'The sheet field wounds takes a list, each item an object with id, severity, what, effect, until and treated, not ["[[[]"].',
    ),
    ("override brog hp=3 --why ''", 2, "An override needs a reason: end the line with it."),
    ("check-sheet brog hpx=3", 3, "There is no sheet field 'hpx'; did you mean hp?"),
    (
        "session close '' --when never",
        2,
        "'never' is not a time; write it like 21:30, yesterday 21:30 or 2026-01-31T19:30 (+01:00).",
    ),
    ("session open", 3, "Session 1 is still open; close it first.\nNext: campaign session close"),
    (
        "osr injury-saves brog",
        2,
        "injury-saves needs strength: total of the strength save. Brog has no injury to save against (OSR 6.6).",
    ),
    # -- points
    ("status --at T9", 1, "There is no turn T9; the log goes from T1 to T4."),
    ("status --at T0", 1, "There is no turn T0; the log goes from T1 to T4."),
    ("status --at S9", 1, "There is no session S9; known: S1."),
    ("status --at @-9", 1, "@-9 lies before the first turn; the log has 4."),
    ("status --at 1999-01-01", 1, "The log begins after 1999-01-01."),
    (
        "status --at 2026-13-45",
        2,
        "'2026-13-45' is not a place in the log. Write a turn (T4), a session (S2), @ for now, @-3 for three turns ago, a date or a date and time.",
    ),
    (
        "status --at ''",
        2,
        "'' is not a place in the log. Write a turn (T4), a session (S2), @ for now, @-3 for three turns ago, a date or a date and time.",
    ),
    ("show T9", 1, "There is no turn T9; the log goes from T1 to T4."),
    (
        "show nowhere",
        2,
        "'nowhere' is not a place in the log. Write a turn (T4), a session (S2), @ for now, @-3 for three turns ago, a date or a date and time.",
    ),
    ("show 9", 1, "There is no turn T9; the log goes from T1 to T4."),
    ("log --history 9", 1, "There is no turn T9; the log goes from T1 to T4."),
    ("log --session 9", 1, "There is no session S9; known: S1."),
    ("diff S1 @", 2, "Write both places as one word: campaign diff S1..@"),
    (
        ["when", "old greta.hp < 7"],
        2,
        "'old' is not a field of a sheet. Put a name of several words in quotes of its own: 'Sir Tom'.hp < 3.",
    ),
    ("show T4 --at T2", 1, "There is no turn T4; the log goes from T1 to T2."),
    ("log T3..T4 --at T2", 1, "There is no turn T4; the log goes from T1 to T2."),
    ("log T9", 1, "There is no turn T9; the log goes from T1 to T4."),
    ("log T3..T2", 1, "T3..T2 is empty: T3 comes after T2."),
    ("log S1 --session 2", 2, "For one session use --session 1."),
    (
        "log X..Y",
        2,
        "'Y' is not a place in the log. Write a turn (T4), a session (S2), @ for now, @-3 for three turns ago, a date or a date and time.",
    ),
    ("log --session x", 2, "'x' is not a session; write it like S3 or 3."),
    (
        "log --rule 9.9",
        1,
        "There is no rule '9.9' in osr; did you mean 6.9? Known: 6.1, 6.2, 6.3, 6.4, 6.5, 6.6, 6.7, 6.8 and 4 more.",
    ),
    (
        "log --since gestern",
        2,
        "'gestern' is not a time; write it like 21:30, yesterday 21:30 or 2026-01-31T19:30 (+01:00).",
    ),
    ("log --at T9", 1, "There is no turn T9; the log goes from T1 to T4."),
    # -- revising
    ("undo T1", 3, "Turn 1 begins the log and cannot be undone."),
    ("undo T9", 3, "There is no turn T9; the last one is T4."),
    ("undo brog", 2, "'brog' is not a turn; name turns like T4, and then the reason."),
    ("undo 9", 2, "9 may be the turn T9 or the last 9 turns. There is no turn T9; the last one is T4."),
    ("undo T3 4", 2, "'4' does not fit here. Like: undo T3 '\"4\"'."),
    ("undo T2 T2", 3, "The same turn is named twice."),
    ("undo T2 --last 1", 2, "Name the turns, or give last or to: only one of these."),
    ("undo --last 9", 3, "Only 3 turns are left to undo, not 9."),
    ("undo --to @", 3, "No turn after T4 is left to undo."),
    ("undo --to T9", 3, "There is no turn T9; the log goes from T1 to T4."),
    ("undo --drop --keep", 2, "conflicts is given twice."),
    ("redo", 3, "There is nothing to redo."),
    ("redo --last 2", 3, "There is nothing to redo."),
    ("amend T1 --set name=x", 3, "Turn 1 begins the log and cannot be amended."),
    ("amend T9 --set x=y", 3, "There is no turn T9; the last one is T4."),
    (
        "amend x --set x=y",
        2,
        "T4 has no field for 'x'; known: character, player, level, hit_dice, side, saves and rolled.",
    ),
    ("amend T3", 2, "Say what changes in T3: character, player, level or rolled."),
    ("amend T3 --set level", 2, "Say what level becomes, as level=VALUE."),
    ("amend T3 --set level=2", 3, "T3 says that already; nothing would change."),
    (
        "amend T3 --set lvel=3",
        2,
        "T3 has no field for 'lvel=3'; did you mean level? Brog rolls 3 hit dice, not 2 (OSR 6.1).",
    ),
    ("amend T3 --set level=0", 2, "level must be a whole number from 1 to 100, not 0."),
    ("amend T3 --set rolled=7,7", 3, "A d6 cannot show 7 (OSR 6.1)."),
    # -- files
    ("new '' --rules osr", 2, "A campaign needs a name."),
    ("new x --rules osrr", 2, "There is no rule system 'osrr'; did you mean osr?"),
    ("new x --rules dnd", 2, "There is no rule system 'dnd'; known: osr, deckahedron and gloomhaven."),
    ("new x --rules osr --file dc.campaign", 2, "There is a file dc.campaign already; choose another name."),
    ("new x --rules osr --file nodir/x.campaign", 2, "There is no folder {folder}/nodir to make x.campaign in."),
    (
        "new x --rules osr --set foo=1",
        3,
        f"There is no option 'foo'; known: {OPTIONS}.",
    ),
    ("new x --rules osr --set keep_higher", 2, "Write an option as NAME=VALUE, not 'keep_higher'."),
    (
        "new x --rules osr --when gestern",
        2,
        "'gestern' is not a time; write it like 21:30, yesterday 21:30 or 2026-01-31T19:30 (+01:00).",
    ),
    ("status -c z.campaign", 2, "There is no file z.campaign."),
    ("use z.campaign", 2, "There is no file z.campaign."),
    ("use .", 2, "table is a folder, not a campaign."),
    ("act nofile", 2, "nofile cannot be read: no such file or directory."),
    ("act .", 2, ". cannot be read: is a directory."),
    # -- branches, previews, the life of a turn
    ("log --history T9", 1, "There is no turn T9; the log goes from T1 to T4."),
    (
        "log --history x",
        2,
        "'x' is not a place in the log. Write a turn (T4), a session (S2), @ for now, @-3 for three turns ago, a date or a date and time.",
    ),
    ("log --history T4 --at T2", 1, "There is no turn T4; the log goes from T1 to T2."),
    (
        "rules --preview keep_higher=true",
        2,
        "Say which rule and which option: campaign rules --preview 6.4 keep_higher=true",
    ),
    ("rules 6.4 --preview keep_higher", 2, "Write an option as NAME=VALUE, not 'keep_higher'."),
    (
        "rules 6.4 --preview keep_higher=maybe",
        3,
        '"maybe" is not a value of keep_higher (6.4); it takes true or false.',
    ),
    ("rules 6.6 --preview keep_higher=true", 3, "The option keep_higher belongs to 6.4, not to 6.6."),
    ("check-sheet brog hp", 2, "'hp' does not fit here; check-sheet takes no words."),
    ("check-sheet brog hp=3 hp=4", 2, "hp is given twice."),
    ("adopt", 2, "NAME is missing. Try: campaign adopt --help"),
    ("adopt x", 3, "There is no branch 'x'; known: main."),
    ("adopt main", 2, "You are on main; adopt another branch, like campaign adopt plan."),
    ("branch main", 3, "There is a branch main already; choose another name or delete it first."),
    ("branch 'a b' --at T9", 2, "There is no option --at. Try: campaign branch --help"),
    (
        "branch ''",
        2,
        "'' cannot be the name of a branch: use letters, digits, - and _, begin with a letter, and do not make it look like a place in the log.",
    ),
    ("switch x", 3, "There is no branch 'x'; known: main."),
    ("diff T1..T9", 1, "There is no turn T9; the log goes from T1 to T4."),
    ("replay S9", 1, "There is no session S9; known: S1."),
    ("recap S9", 1, "There is no session S9; known: S1."),
]


def test_every_error_is_one_sentence_with_its_exit_code_and_changes_nothing(shell: Shell) -> None:
    before = shell.turns(), shell.bytes_of("dc.campaign")
    for line, code, sentence in GALLERY:
        words = shlex.split(line) if isinstance(line, str) else line
        result = shell.run(*words)
        expected = sentence.replace("{folder}", str(shell.folder))
        assert (result.code, result.err, result.out) == (code, f"{expected}\n", ""), line
    assert (shell.turns(), shell.bytes_of("dc.campaign")) == before
    assert [path.name for path in shell.folder.iterdir()] == ["dc.campaign"]


def test_the_gallery_shows_every_kind_of_failure_that_a_command_line_can_provoke() -> None:
    assert {code for _, code, _ in GALLERY} == {1, 2, 3}, "conflicts, damage and full disks have tests of their own"
