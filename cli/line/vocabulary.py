"""The words that people use at a table, each kind once, as the readers of lines and phrases know them, and their forms.

What the rules of one system call things is none of them: fields and actions declare that themselves (`synonyms`,
`also_said`, `hinted_by`, `announced_by`, `predicates`, `said_alone`). All words are in small letters.
"""

# -- forms of words ----------------------------------------------------------------------------------------------------

#: A word without its ending has so many letters at least: `is` is no `i`, and `bring` no `br`.
LEAST_OF_A_BASE = 3
#: So many letters of a choice mean it among other words: `dex`.
LEAST_OF_A_CHOICE = 3
#: Plurals in -ies of which one ends in -ie, and not in -y.
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
#: Articles, and one as a hurried hand types it.
ARTICLES = frozenset(("a", "an", "the", "teh"))
#: Articles and possessives: `his bow`.
DETERMINERS = ARTICLES | {"his", "her", "its", "my", "our", "their"}
#: Words behind a blow that is not the first: `hits the ghoul back`.
AGAIN = frozenset(("again", "back", "too"))
#: Words at the end of a line about something that happened to somebody else before: `… too`, `… as well`.
TOO = (("too",), ("also",), ("as", "well"))
#: What asks for the same once more.
ONCE_MORE = (("again",), ("once", "more"), ("same", "again"), ("the", "same", "again"))
#: Words before somebody whom the log need not know: `another goblin`.
ANOTHER = ARTICLES | {"another", "one", "some"}
#: What may stand between two names.
JOINS = ("and", "&", "+")
#: What stands between two things, one after the other.
THEN = ("then",)
#: What stands between two things of which one is meant.
OR = "or"
#: Signs at the ends of a word that belong to the sentence.
STOPS = ",.!:;"
#: Signs that end the first of two things.
ENDS = (",", ";")
#: Words for a number.
NUMBER_WORDS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
#: Words for a number that may be counted itself: `two dozen`, `half a dozen`.
GROUPS_OF = {"dozen": 12, "hundred": 100}
#: Words for a place in a row.
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ONE = frozenset(word for word, number in NUMBER_WORDS.items() if number == 1)
#: The word for two of us.
BOTH = "both"
#: The signs before a number that is a change, or what a card adds.
SIGNS = frozenset("+-−")
#: Words behind a number that holds for everybody who is named: `take 3 each`.
APIECE = frozenset(("each", "apiece"))
#: What stands before the points of a blow.
FOR = "for"
#: Words before the source of a loss, which are no part of it: `from a trap`.
FROM = ("from", "by")
#: What stands before whoever is struck.
AGAINST = ("on", "to", "at", "against")
#: Prepositions behind a name, before how something is done: `rests by the fire`.
MANNER_WORDS = frozenset(("at", "by", "for", "from", "in", "on", "with"))
#: Words that only join what stands before and behind them, where both are values of the verb.
FILLERS = ("at", "on", "to", "with", "against", "vs", "for", "from", "of", "hits", "hit", "attacks", "takes")
#: What stands before a number with its name: `at level 1`, `with 30 gold`.
BEFORE_A_NAMED_NUMBER = ("at", "with")

# -- people ------------------------------------------------------------------------------------------------------------

#: Words for everyone who can still act, and for those with a player.
ALL, PARTY = ("all", "everyone", "everybody"), ("party",)
#: What leaves somebody out of a group.
BUT = ("but", "except", "without")
#: What begins what is said against the words before it: no source of a hit is called so.
CONTRASTING = ("but",)
#: Words of whoever speaks for the whole table, and those before a group.
WE, BEFORE_A_GROUP = ("we",), ("the", "our")
#: Words of somebody who says what they do themselves.
FIRST_PERSON = frozenset(("i", *WE))
#: Pronouns for whoever did something last.
SUBJECT_PRONOUNS = frozenset(("he", "she", "they"))
#: What stands for somebody or something to whom something is done.
PERSONAL_OBJECTS = frozenset(("it", "him", "her", "them"))
#: Pronouns for what was attacked last.
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
#: Words before what somebody uses: `with a sword`.
WITH = ("with", "using")
#: What somebody does with a card whose result counts.
FLIPPING = frozenset(("flip", "flips", "flipped"))
#: Verbs of somebody who tries something.
TRYING = frozenset(("try", "tries", "tried", "attempt", "attempts", "attempted"))
#: What people say before the name of a player.
PLAYED_BY = ["played", "by"]

# -- being, having, doing ----------------------------------------------------------------------------------------------

#: Verbs before a participle or a state: `is hit`, `are poisoned`.
BEING = frozenset(("is", "are", "was", "were", "am", "gets", "get", "got", "been"))
#: What people say before a condition that somebody gets.
HAVING = frozenset(("has", "gains", "gain", "gained", "becomes", "became"))
#: Denials of a state: in the place of `is`; behind it, by the number of their words; at the end of the line.
NOT_BEING = frozenset(("isn't", "isnt", "aren't", "wasn't"))
NO_LONGER = {1: ("not",), 2: ("no", "longer")}
ANY_MORE = frozenset(("anymore", "any more", "any longer", "now"))
#: Words for the end of a condition: `the poison on ysa ends`.
WEARING_OFF = frozenset(("gone", "ends", "ended", "remove", "removes", "removed", "off", "over"))
#: What people say before a verb of several words: `takes a short rest`.
TAKING = frozenset(("take", "takes", "took", "has", "have", "makes", "make", "does", "do"))
#: What somebody does who decides something.
CHOOSING = frozenset(("chooses", "choose", "chose", "picks", "prefers", "wants"))

# -- blows, loss and healing -------------------------------------------------------------------------------------------

#: Verbs for a blow: forms that say who strikes; forms of the past, which may also say who was struck.
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
#: Nicknames of a loss that only whoever is struck does.
SUFFERING = frozenset(("suffer",))
#: Verbs of somebody who loses something.
LOSING = frozenset(("loses", "lose", "lost"))
#: What people say for the system's own loss and for its healing, with a number behind it.
SIGN_OF = {
    **dict.fromkeys(("takes", "take", "took", *LOSING, "suffers", "suffer", "suffered"), "-"),
    **dict.fromkeys(("heals", "heal", "healed", "regains", "regain", "regained"), "+"),
}
#: Verbs said of points where these are named, and of wounds and cards too.
RECOVERING = frozenset(("recovers", "recover", "recovered"))
#: Verbs before so much damage: `gets 3 damage`.
GETTING = frozenset(("gets", "get", "got", "receives", "received"))
#: For points that come back: beginnings of verbs, words beside the number, and participles of whoever has them back.
HEALING_STEMS = ("bandag", "cure", "curing", "heal", "mend", "patch", "recover", "regain", "restor", "reviv")
HEALING_NOUNS = frozenset(("back", "potion", "potions"))
HEALED = frozenset(("healed", "cured"))
#: Words that count whatever somebody loses.
POINTS = ("point", "points")
#: What stands before a figure that somebody has now: `is at 3`, `drops to 3 hp`.
AT_A_FIGURE = frozenset(("at", "to"))
#: Words before a figure that say no more than that it is low, or so now.
BEFORE_A_FIGURE = frozenset(("already", "down", "left", "now", "only", "still", "that", "this", "low"))
#: Words before a number of points that come back, which are no part of what gave them.
BEFORE_POINTS = frozenset(("for", "by", "gets", "gains", "and"))

# -- deaths ------------------------------------------------------------------------------------------------------------

#: For deaths: verbs of whoever kills, verbs of whoever dies, and words behind `is`.
KILLING = frozenset(("kill", "kills", "killed", "slays", "slew", "murders", "murdered", "finishes", "beheads"))
DYING = frozenset(("die", "dies", "died", "perishes"))
DEAD = frozenset(("dead", "killed", "slain", "down"))
#: Verbs before `down`: `goes down`.
GOING = frozenset(("goes", "went"))

# -- goods -------------------------------------------------------------------------------------------------------------

#: Verbs for having more of something, for having less, and for having it.
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
#: Verbs for playing a card: those that other things may be used with too, and those for cards alone.
USING = frozenset(("uses", "used", "using"))
PERFORMING = frozenset(("performs", "performed"))
#: What somebody asks to see of their own sheet, and words around it.
HAND = frozenset(("hand", "hands", "cards", "sheet"))
AROUND_A_HAND = DETERMINERS | frozenset((
    "what", "what's", "whats", "which", "is", "are", "in", "of", "show", "me", "see", "do", "does", "i", "have", "has",
    "got", "left", "own",
))  # fmt: skip
#: Words around a card and its half that are part of neither.
AROUND_PARTS = DETERMINERS | frozenset(("half", "of", "from", "then", *JOINS))
OWNING = frozenset(("carries", "has", "have", "holds", "owns"))
#: Units of money and things, and not of points: `loses 10 gold`.
GOODS = frozenset((
    "coin", "coins", "copper", "cp", "ep", "gem", "gems", "gold", "gp", "pp", "silver", "sp", "treasure", "xp",
))  # fmt: skip
#: Units of time and distance, which are neither points nor things: `take 10 minutes`.
TIME_AND_DISTANCE = frozenset((
    "day", "feet", "foot", "hour", "mile", "minute", "month", "moment", "round", "second", "step", "turn", "week",
))  # fmt: skip
#: Words behind what is counted that add nothing: `40 gold pieces`.
PIECES = frozenset(("piece", "pieces", "coin", "coins", "point", "points"))
#: Words between what was done and the number of it: `buys a rope for 3 gold`.
GIVEN_FOR = frozenset(("for", "from", "in", "as"))
BEFORE_A_NUMBER = frozenset(("for", "up", "away", "down"))
#: How much somebody takes of what the others took.
HALF = "half"
#: Words for a number that a group shares.
SHARING = frozenset((
    "divide", "divided", "divides", "equally", "evenly", "share", "shared", "shares", "split", "splits",
))  # fmt: skip
#: Verbs before dice.
ROLLING = ("roll", "rolled", "rolling", "rolls")
#: Words around the numbers that the rules wait for.
AROUND_NUMBERS = frozenset((
    "a", "an", "for", "gets", "got", "his", "her", "makes", "of", "on", "roll", "rolled", "rolls", "save", "saves",
    "saving", "the", "their", "throws", "with",
)) | frozenset(JOINS)  # fmt: skip
#: What people call the number of a turn, whatever its field is called.
AMOUNT_NAMES = frozenset(("amount", "damage", "number", "points", "value"))

# -- who is at the table -----------------------------------------------------------------------------------------------

#: For who is at the table: words behind `is`, and phrases by themselves, which may be part of the story too.
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
#: Words about when that say no more than the log knows.
TONIGHT = frozenset(("tonight", "today", "now", "again", "already", "early", "home", "any", "more", "anymore"))
#: Words of lines in which an evening begins, in which it ends, and in which somebody joins.
BEGINNING_WORDS = frozenset(("start", "begin", "play", "go", "starts", "begins"))
ENDING_WORDS = frozenset(("it", "all", "night", "goodnight", "stop", "done", "finished", "call", "over", "ends"))
#: What an evening is called.
EVENINGS = frozenset(("session", "evening"))
#: Words for the end of a scene or a fight.
ENDING = frozenset(("over", "end", "ends", "ended", "finished", "won", "done"))
#: What foes do who appear, and before whom.
APPEARING = tuple(
    form
    for verb, how in (
        ("appear", ""), ("arrive", ""), ("come", " in"), ("emerge", ""), ("join", " the fight"), ("jump", " out"),
        ("show", " up"),
    )
    for form in (f"{verb}{how}", f"{third_person(verb)}{how}")
)  # fmt: skip
UPON_US = ("us", "the party", "the group")
#: The first and last words of these.
APPEARING_WORDS = frozenset((*(said.split()[0] for said in APPEARING), *(said.split()[-1] for said in UPON_US)))
JOINING_WORDS = frozenset(("joins", "plays", "playing", "play", "played"))
#: What a rule of the house begins with.
HOUSE_RULE_WORDS = frozenset(("a", "new", "house", "houserule"))

# -- earlier turns -----------------------------------------------------------------------------------------------------

#: First words of a correction that may be taken for a verb.
CONTRADICTING = frozenset(("i", "no", "not"))
#: For corrections: first words; words that point at what is changed; verbs that change it; verbs for what it is; and
#: what is not so, or only so much.
OPENERS = frozenset(("actually", "correction", "no", "nope", "oops", "rather", "sorry", "wait"))
#: Those that are hardly ever anything else.
REGRETTING = frozenset(("nope", "oops", "sorry"))
POINTING = frozenset(("i", "it", "it's", "its", "make", "not", "should", "that", "that's", "thats", "this"))
CHANGING = frozenset(("amend", "change", "correct", "fix", "make", "set"))
BEING_SO = frozenset(("is", "was", "were", "should"))
NOT, ONLY = "not", "only"
#: What stands before the turn in which something was so.
IN_A_TURN = frozenset(("at", "in", "on"))
#: Words for a turn that should not be.
WRONG = frozenset(("wrong", "mistake", "nonsense", "false"))
#: Words around what was and what should have been, which are part of neither.
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
#: First words of a line about something that was forgotten.
FORGETTING = frozenset(("forgot", "forgotten", "earlier", "late", "missed", "oops"))
#: Words in a line about something that happened before.
EARLIER = frozenset(("earlier", "previously", "beforehand"))
#: Words for the latest turn; for the latest of a number of turns; and what such a number counts.
THAT, LAST = frozenset(("that", "this", "it")), "last"
TURNS = frozenset(("turn", "turns", "line", "lines", "one", "ones", "thing", "things", "entry", "entries", "action"))

# -- rules -------------------------------------------------------------------------------------------------------------

#: Words of four letters and more that say nothing about what a paragraph is about.
STOP_WORDS = frozenset((
    "also", "does", "each", "from", "goes", "have", "into", "made", "more", "must", "only", "some", "than", "that",
    "their", "them", "then", "there", "they", "this", "what", "when", "where", "which", "whoever", "with",
))  # fmt: skip
