"""The words that people use at a table, each kind once, as the readers of lines and phrases know them, and their forms.

What the rules of one system call things is none of them: fields and actions declare that themselves (`synonyms`,
`also_said`, `hinted_by`, `announced_by`, `predicates`, `said_alone`). All words are in small letters.
"""

# -- forms of words ----------------------------------------------------------------------------------------------------

#: A word without its ending has so many letters at least: `is` is no `i`, and `bring` no `br`.
LEAST_OF_A_BASE = 3
#: So many letters of a choice mean it among other words: `dex`.
LEAST_OF_A_CHOICE = 3
#: What one of is no word in -y.
IN_IE = ("brownies", "genies", "pixies", "zombies")


def third_person(verb: str) -> str:
    """What somebody does: `rests`, `crushes`, `carries`."""
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("ch", "sh", "s", "x")) else f"{verb}s"


def bases_of(word: str) -> list[str]:
    """A word, and the verbs that it may be a form of, the likeliest first: `rests`, `rallies`, `rested`, `stunned`."""
    bases = [word]
    for ending, in_its_place in (("ies", "y"), ("ied", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending):
            bases.append(f"{word.removesuffix(ending)}{in_its_place}")
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            root = word.removesuffix(ending)
            bases += [root, f"{root}e", *([root[:-1]] if root[-2:-1] == root[-1:] else [])]
    return [word, *(base for base in dict.fromkeys(bases[1:]) if len(base) >= LEAST_OF_A_BASE)]


def singular(word: str) -> str:
    """One of several: `goblin` of `goblins`, `wolf` of `wolves`; a word that is no plural as it is."""
    small = word.casefold()
    if small.endswith("ies") and small not in IN_IE:
        return f"{word[:-3]}y"
    if small.endswith(("eves", "lves", "rves")):
        return f"{word[:-3]}f"
    if small.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if small.endswith("s") and not small.endswith("ss") else word


def numbers_of(noun: str) -> list[str]:
    """A noun, and what it may be one of, or several: `torch` and `torches`."""
    return list(dict.fromkeys((noun, f"{noun}s", f"{noun}es", noun.removesuffix("s"), singular(noun))))


# -- little words ------------------------------------------------------------------------------------------------------

YES, NO = ("yes", "true", "on"), ("no", "not", "false", "off")
#: What stands before a noun, and what a hurried hand makes of it.
ARTICLES = frozenset(("a", "an", "the", "teh"))
#: What says no more of a noun than whose it is.
DETERMINERS = ARTICLES | {"his", "her", "its", "my", "our", "their"}
#: What says of a blow that it is not the first.
AGAIN = frozenset(("again", "back", "too"))
#: What says at the end that it happened to somebody else before.
TOO = (("too",), ("also",), ("as", "well"))
#: What asks for the same once more.
ONCE_MORE = (("again",), ("once", "more"), ("same", "again"), ("the", "same", "again"))
#: What begins a name for somebody who need not be anybody known: `the other goblin`.
ANOTHER = ARTICLES | {"another", "one", "some"}
#: What may stand between two names.
JOINS = ("and", "&", "+")
#: What stands between two things, one after the other.
THEN = ("then",)
#: What stands between two things of which one is meant.
OR = "or"
#: Signs at the ends of a word that belong to the sentence.
STOPS = ",.!:;"
#: What ends the first of two things, beside what joins names.
ENDS = (",", ";")
#: Words for a number.
NUMBER_WORDS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
#: Words for a number of which there may be several: `two dozen`, `half a dozen`.
GROUPS_OF = {"dozen": 12, "hundred": 100}
#: Words for which one of several it is.
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ONE = frozenset(word for word, number in NUMBER_WORDS.items() if number == 1)
#: What says that there are two.
BOTH = "both"
#: What a number begins with that is a change, or what a card adds.
SIGNS = frozenset("+-−")
#: What says that a number is that of everybody who is named.
APIECE = frozenset(("each", "apiece"))
#: What stands before the points of a blow.
FOR = "for"
#: What a source begins with that is no part of it, and what stands before the points.
FROM = ("from", "by")
#: What stands before whoever is struck.
AGAINST = ("on", "to", "at", "against")
#: What stands before how something is done, behind a name.
MANNER_WORDS = frozenset(("at", "by", "for", "from", "in", "on", "with"))
#: Words that only join what stands before and behind them, where both are values of the verb.
FILLERS = ("at", "on", "to", "with", "against", "vs", "for", "from", "of", "hits", "hit", "attacks", "takes")
#: What stands before a number with its name: `at level 1`, `with 30 gold`.
BEFORE_A_NAMED_NUMBER = ("at", "with")

# -- people ------------------------------------------------------------------------------------------------------------

#: What means everyone who can still act, and those with a player.
ALL, PARTY = ("all", "everyone", "everybody"), ("party",)
#: What leaves somebody out of a group.
BUT = ("but", "except", "without")
#: What begins what is said against the words before it: no source of a hit is called so.
CONTRASTING = ("but",)
#: Words of whoever speaks for the whole table, and those before a group.
WE, BEFORE_A_GROUP = ("we",), ("the", "our")
#: What somebody says who speaks of what they do themselves.
FIRST_PERSON = frozenset(("i", *WE))
#: What stands for whoever did something last.
SUBJECT_PRONOUNS = frozenset(("he", "she", "they"))
#: What stands for somebody or something to whom something is done.
PERSONAL_OBJECTS = frozenset(("it", "him", "her", "them"))
#: What stands for what was attacked last.
OBJECT_PRONOUNS = PERSONAL_OBJECTS | {"that", "this"}
#: What people call the field of whom a line is about.
WHO = ("who", "whom")
#: What asks about somebody: how many hit points has brog.
ASKING_HOW = frozenset(("how", "what", "what's", "whats", "where", "where's"))
#: What asks about everybody: who is down, who has the key.
ASKING_WHO = ("who", "who's", "whos")
#: What a question in words goes on with: `why do I have 3 hp`, `why is brog down`.
ASKING = frozenset((
    "do", "does", "did", "am", "is", "are", "was", "were", "has", "have", "had", "can", "cannot", "should",
))  # fmt: skip
#: What stands between the name of a newcomer and what somebody has or is.
LEADING = frozenset(("with", "as", "has", "having", "and", "is"))
#: What leads from the words of a line to a value at their end.
WITH = ("with", "using")
#: What somebody does with a card whose result counts.
FLIPPING = frozenset(("flip", "flips", "flipped"))
#: What somebody does who puts something to the test, and what stands before how.
TRYING = frozenset(("try", "tries", "tried", "attempt", "attempts", "attempted"))
#: What people say before the name of a player.
PLAYED_BY = ["played", "by"]

# -- being, having, doing ----------------------------------------------------------------------------------------------

#: What stands before the word for whoever is struck, or for what somebody is.
BEING = frozenset(("is", "are", "was", "were", "am", "gets", "get", "got", "been"))
#: What people say before a condition that somebody gets.
HAVING = frozenset(("has", "gains", "gain", "gained", "becomes", "became"))
#: What says of it that it is not so: in the place of `is`, behind it by the number of its words, and at the end.
NOT_BEING = frozenset(("isn't", "isnt", "aren't", "wasn't"))
NO_LONGER = {1: ("not",), 2: ("no", "longer")}
ANY_MORE = frozenset(("anymore", "any more", "any longer", "now"))
#: What says of a condition that it is over, where it is no verb of whoever had it.
WEARING_OFF = frozenset(("gone", "ends", "ended", "remove", "removes", "removed", "off", "over"))
#: What people say before a verb of several words: `takes a short rest`.
TAKING = frozenset(("take", "takes", "took", "has", "have", "makes", "make", "does", "do"))
#: What somebody does who decides something.
CHOOSING = frozenset(("chooses", "choose", "chose", "picks", "prefers", "wants"))

# -- blows, loss and healing -------------------------------------------------------------------------------------------

#: Words for a blow: those of whoever strikes now; those that may also say who was struck; the past, likewise.
STRIKING = frozenset(
    form
    for verb in (
        "attack", "bite", "burn", "claw", "crush", "damage", "harm", "hit", "hurt", "kick", "punch", "shoot", "slap",
        "slash", "smash", "stab", "sting", "strike", "wound",
    )
    for form in (third_person(verb), *(() if verb in ("burn", "damage", "harm", "hit", "hurt", "wound") else (verb,)))
)  # fmt: skip
STRUCK = frozenset((
    "hit", "hurt", "attacked", "bit", "bitten", "burned", "burnt", "clawed", "crushed", "damaged", "harmed", "kicked",
    "punched", "shot", "slashed", "smashed", "stabbed", "struck", "stung", "wounded",
))  # fmt: skip
#: What a blow is called.
BLOWS = frozenset(("attack", "blow", "bite", "damage", "shot", "strike"))
#: What stands before the points that somebody else loses: `deals 3 damage to the goblin`.
DEALING = frozenset(("deal", "deals", "dealt", "do", "does", "did", "inflict", "inflicts", "inflicted"))
#: What only whoever is struck does.
SUFFERING = frozenset(("suffer",))
#: What is lost is hardly ever what does it.
LOSING = frozenset(("loses", "lose", "lost"))
#: What people say for the system's own loss and for its healing, with a number behind it.
SIGN_OF = {
    **dict.fromkeys(("takes", "take", "took", *LOSING, "suffers", "suffer", "suffered"), "-"),
    **dict.fromkeys(("heals", "heal", "healed", "regains", "regain", "regained"), "+"),
}
#: What is also said of wounds and cards, and of points where these are named.
RECOVERING = frozenset(("recovers", "recover", "recovered"))
#: What people say before so much damage.
GETTING = frozenset(("gets", "get", "got", "receives", "received"))
#: What begins a word for getting points back, what stands beside a number of them, and who has got them back.
HEALING_STEMS = ("bandag", "cure", "curing", "heal", "mend", "patch", "recover", "regain", "restor", "reviv")
HEALING_NOUNS = frozenset(("back", "potion", "potions"))
HEALED = frozenset(("healed", "cured"))
#: What counts whatever somebody loses.
POINTS = ("point", "points")
#: What stands before a figure that somebody has now: `is at 3`, `drops to 3 hp`.
AT_A_FIGURE = frozenset(("at", "to"))
#: What says no more of a figure than that it is low, or so now.
BEFORE_A_FIGURE = frozenset(("already", "down", "left", "now", "only", "still", "that", "this", "low"))
#: What stands before a number of points that come back, and says nothing of it.
BEFORE_POINTS = frozenset(("for", "by", "gets", "gains", "and"))

# -- deaths ------------------------------------------------------------------------------------------------------------

#: What whoever kills does, and what becomes of whoever is killed, by itself and behind `is`.
KILLING = frozenset(("kill", "kills", "killed", "slays", "slew", "murders", "murdered", "finishes", "beheads"))
DYING = frozenset(("die", "dies", "died", "perishes"))
DEAD = frozenset(("dead", "killed", "slain", "down"))
#: What stands before `down` there.
GOING = frozenset(("goes", "went"))

# -- goods -------------------------------------------------------------------------------------------------------------

#: What people say for having more of something, for having less, and for what they have now.
GAINING = frozenset((
    "claims", "collect", "collects", "earn", "earned", "earns", "find", "finds", "found", "gain", "gained", "gains",
    "get", "gets", "got", "grabs", "loot", "looted", "loots", "pick", "picked", "picks", "pocket", "pockets", "receive",
    "received", "receives", "sell", "sells", "sold", "steal", "steals", "stole", "take", "takes", "took", "win", "wins",
    "won",
))  # fmt: skip
SPENDING = frozenset((
    "ate", "bought", "burn", "burns", "buy", "buys", "donates", "drank", "drink", "drinks", "drop", "drops", "eat",
    "eats", "gave", "give", "gives", "hands", "light", "lights", "lit", "lose", "loses", "lost", "paid", "pay", "pays",
    "shoots", "spend", "spends", "spent", "throws", "use", "used", "uses", "wastes",
))  # fmt: skip
#: What somebody does with a card: words that may be of other things, and those that want a name.
USING = frozenset(("uses", "used", "using"))
PERFORMING = frozenset(("performs", "performed"))
#: What somebody asks for who wants to see the own sheet, and the words around it.
HAND = frozenset(("hand", "hands", "cards", "sheet"))
AROUND_A_HAND = DETERMINERS | frozenset((
    "what", "what's", "whats", "which", "is", "are", "in", "of", "show", "me", "see", "do", "does", "i", "have", "has",
    "got", "left", "own",
))  # fmt: skip
#: What is said around a card and its part, and says nothing of either.
AROUND_PARTS = DETERMINERS | frozenset(("half", "of", "from", "then", *JOINS))
OWNING = frozenset(("carries", "has", "have", "holds", "owns"))
#: What is money and things, and no points: `loses 10 gold`.
GOODS = frozenset((
    "coin", "coins", "copper", "cp", "ep", "gem", "gems", "gold", "gp", "pp", "silver", "sp", "treasure", "xp",
))  # fmt: skip
#: What passes or is walked, and is neither points nor things: `take 10 minutes`.
TIME_AND_DISTANCE = frozenset((
    "day", "feet", "foot", "hour", "mile", "minute", "month", "moment", "round", "second", "step", "turn", "week",
))  # fmt: skip
#: What says nothing more of what is counted: `40 gold pieces`.
PIECES = frozenset(("piece", "pieces", "coin", "coins", "point", "points"))
#: What joins a number to what was done for it: `buys a rope for 3 gold`.
GIVEN_FOR = frozenset(("for", "from", "in", "as"))
BEFORE_A_NUMBER = frozenset(("for", "up", "away", "down"))
#: What somebody takes of what the others took.
HALF = "half"
#: What says that a number is no one's alone.
SHARING = frozenset((
    "divide", "divided", "divides", "equally", "evenly", "share", "shared", "shares", "split", "splits",
))  # fmt: skip
#: What somebody does whose dice follow.
ROLLING = ("roll", "rolled", "rolling", "rolls")
#: What is said around the numbers that the rules wait for.
AROUND_NUMBERS = frozenset((
    "a", "an", "for", "gets", "got", "his", "her", "makes", "of", "on", "roll", "rolled", "rolls", "save", "saves",
    "saving", "the", "their", "throws", "with",
)) | frozenset(JOINS)  # fmt: skip
#: What people call the number of a turn, whatever its field is called.
AMOUNT_NAMES = frozenset(("amount", "damage", "number", "points", "value"))

# -- who is at the table -----------------------------------------------------------------------------------------------

#: What says so behind `is`, and what says so by itself but may tell of the story too.
ABSENT = ("absent", "away", "missing", "not here", "not there", "not coming", "gone")
BACK = ("back", "here again", "here", "present", "there again", "here after all", "back after all", "there after all")
LEAVING = (
    "can't be here", "cannot be here", "can't make it", "cannot make it", "won't be here", "leaves", "left",
    "has left", "has gone", "goes home", "went home", "cannot come", "can't come", "is leaving",
    "is going", "has to go", "has to leave", "had to go", "had to leave",
    "must go", "must leave", "needs to go", "needs to leave",
)  # fmt: skip
RETURNING = ("returns", "returned", "comes back", "came back", "rejoins", "has returned", "has come back")
#: The words that all of these begin with.
ATTENDING = frozenset(phrase.split()[0] for phrase in (*ABSENT, *BACK, *LEAVING, *RETURNING))
#: What says no more about when than the log knows.
TONIGHT = frozenset(("tonight", "today", "now", "again", "already", "early", "home", "any", "more", "anymore"))
#: The words that stand in all that is said when an evening begins, when it ends, and when somebody joins.
BEGINNING_WORDS = frozenset(("start", "begin", "play", "go", "starts", "begins"))
ENDING_WORDS = frozenset(("it", "all", "night", "goodnight", "stop", "done", "finished", "call", "over", "ends"))
#: What an evening is called.
EVENINGS = frozenset(("session", "evening"))
#: What says that a scene or a fight is over.
ENDING = frozenset(("over", "end", "ends", "ended", "finished", "won", "done"))
#: What those do who come up against the party, or to whom they do it.
APPEARING = tuple(
    form
    for verb, how in (
        ("appear", ""), ("arrive", ""), ("come", " in"), ("emerge", ""), ("join", " the fight"), ("jump", " out"),
        ("show", " up"),
    )
    for form in (f"{verb}{how}", f"{third_person(verb)}{how}")
)  # fmt: skip
UPON_US = ("us", "the party", "the group")
#: The words of it that say so.
APPEARING_WORDS = frozenset((*(said.split()[0] for said in APPEARING), *(said.split()[-1] for said in UPON_US)))
JOINING_WORDS = frozenset(("joins", "plays", "playing", "play", "played"))
#: What a rule of the house begins with.
HOUSE_RULE_WORDS = frozenset(("a", "new", "house", "houserule"))

# -- earlier turns -----------------------------------------------------------------------------------------------------

#: What begins a correction, and a verb too.
CONTRADICTING = frozenset(("i", "no", "not"))
#: What a correction begins with; what points at what is changed; what says that it is; what is not so, and no more.
OPENERS = frozenset(("actually", "correction", "no", "nope", "oops", "rather", "sorry", "wait"))
#: Those that are hardly ever anything else.
REGRETTING = frozenset(("nope", "oops", "sorry"))
POINTING = frozenset(("i", "it", "it's", "its", "make", "not", "should", "that", "that's", "thats", "this"))
CHANGING = frozenset(("amend", "change", "correct", "fix", "make", "set"))
BEING_SO = frozenset(("is", "was", "were", "should"))
NOT, ONLY = "not", "only"
#: What stands before the turn in which something was so.
IN_A_TURN = frozenset(("at", "in", "on"))
#: What says of a turn that it should not be.
WRONG = frozenset(("wrong", "mistake", "nonsense", "false"))
#: Words around what was and what should have been, that say nothing of either.
AROUND_CORRECTIONS = frozenset((
    "a", "an", "and", "at", "be", "been", "but", "by", "damage", "did", "done", "for", "got", "had", "has", "have",
    "hit", "hurt", "is", "just", "last", "lost", "mean", "meant", "of", "on", "points", "should", "the", "to", "took",
    "was", "were", "who", "with",
))  # fmt: skip
#: What takes the latest line back, in all its words.
TAKES_BACK = (
    r"(oh,? |oops,? |whoops,? |sorry,? |no,? |wait,? )*("
    r"oops|whoops|(no|wait|sorry|nope),? (no|wait|oops|sorry|wrong|that'?s wrong|that was wrong)|my (bad|mistake)"
    r"|(scratch|strike|cancel|forget|ignore|delete|remove|take back|undo) (that|this|it|the last( one| line| turn)?)"
    r"|(that|the) last( one| line| turn)? (is|was) (wrong|a mistake|not right)"
    r"|take (that|it|this) back|(a )?mistake|never ?mind( that)?|that('s| is| was) (wrong|a mistake|not right))"
)
#: What a line begins with that says what was forgotten.
FORGETTING = frozenset(("forgot", "forgotten", "earlier", "late", "missed", "oops"))
#: What says of a line that it is told late.
EARLIER = frozenset(("earlier", "previously", "beforehand"))
#: What says no more than that the latest turn is meant, and what a number of the latest counts.
THAT, LAST = frozenset(("that", "this", "it")), "last"
TURNS = frozenset(("turn", "turns", "line", "lines", "one", "ones", "thing", "things", "entry", "entries", "action"))

# -- rules -------------------------------------------------------------------------------------------------------------

#: Words of four letters and more that say nothing about what a paragraph is about.
STOP_WORDS = frozenset((
    "also", "does", "each", "from", "goes", "have", "into", "made", "more", "must", "only", "some", "than", "that",
    "their", "them", "then", "there", "they", "this", "what", "when", "where", "which", "whoever", "with",
))  # fmt: skip
