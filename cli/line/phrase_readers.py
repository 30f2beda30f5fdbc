"""The readers of phrases: how people talk besides verb first, a row for each way, in the order in which they are tried.

A row says at which stage of understanding a reader is asked, what a phrase needs for that (a cheap look at its words),
and the function that reads it, whose file is imported only then: most lines need none of them. A reader is given the
phrase and answers with a line to read instead, with what the phrase records, with an offer (Ambiguous or another
Misread, or a Refusal, which is raised), or with None: then the next row is asked.

A new way to talk is a function in `cli.line.phrases` that takes a `LinePhrase`, and a row here; its words stand in
`cli.line.vocabulary`. No reader may import this file or `cli.line.understanding`. `tests/line/test_phrase_readers.py`
removes each row in turn and wants a line of the corpus to mean something else without it.
"""

import re
from collections.abc import Callable, Collection
from importlib import import_module
from typing import Literal

from msgspec import Struct

from cli.line.errors import Misread
from cli.line.phrase import Actions, LinePhrase, Meant
from cli.line.values import somebody_meant
from cli.line.verbs import kinds_meant, names_a_turn, verbs_of
from cli.line.vocabulary import (
    APPEARING_WORDS,
    ARTICLES,
    ASKING_HOW,
    ASKING_WHO,
    ATTENDING,
    BEFORE_A_GROUP,
    BEGINNING_WORDS,
    BEING,
    BEING_SO,
    CHANGING,
    CONTRADICTING,
    DEAD,
    DEALING,
    DYING,
    ENDING_WORDS,
    ENDS,
    EVENINGS,
    FIRST_PERSON,
    FLIPPING,
    FOR,
    FORGETTING,
    GAINING,
    GETTING,
    HALF,
    HAND,
    HOUSE_RULE_WORDS,
    IN_A_TURN,
    JOINING_WORDS,
    JOINS,
    KILLING,
    NOT,
    OBJECT_PRONOUNS,
    ONCE_MORE,
    ONE,
    ONLY,
    OPENERS,
    OWNING,
    PERFORMING,
    POINTING,
    RECOVERING,
    SHARING,
    SIGN_OF,
    STRIKING,
    STRUCK,
    SUBJECT_PRONOUNS,
    TAKES_BACK,
    THEN,
    USING,
    WE,
    WEARING_OFF,
)
from cli.line.words import Line
from domain.common.paragraphs import ParagraphAdd
from domain.common.revisions import Amend, Redo, Undo
from domain.common.rulings import Ruling
from domain.common.sessions import SessionOpen
from domain.common.sheets import Override
from domain.naming import LITTLE
from domain.refusal import Refusal, Unknown
from domain.system.field_schema import NEW, Field, fields_of

#: When a reader is asked: of a line that names a turn first; before the verb is looked for, where none is found, and
#: behind one; and about the words behind it: where they are read, where they cannot be, and where nothing comes of the
#: line for any reason.
Stage = Literal["turn first", "before the verb", "no verb", "behind the verb", "read", "unread", "failed"]
#: What a reader answers with, if with anything: a line to read instead, what is recorded, an offer of lines.
Yields = Literal["line", "actions", "offer", "line or offer"]
Test = Callable[[LinePhrase], bool]
#: Words in which something is announced, at most.
MOST_ANNOUNCING = 8


class PhraseReader(Struct, frozen=True):
    """One row: the stage, what a phrase needs, what comes of it, and the reader: a FILE.FUNCTION of `phrases`."""

    stage: Stage
    needs: Test
    yields: Yields
    reader: str

    def read(self, phrase: LinePhrase) -> Meant:
        """What the phrase means to this reader. Raises Misread, and Refusal for somebody who is not there."""
        file, _, function = self.reader.partition(".")
        meaning: Meant = getattr(import_module(f"{__package__}.phrases.{file}"), function)(phrase)
        return meaning


def meaning_of(phrase: LinePhrase, stage: Stage) -> Line | Actions | None:
    """What the first reader of a stage that knows a phrase makes of it; None: none knows it.

    Raises Misread, and Refusal for somebody who cannot be meant.
    """
    for row in PHRASE_READERS:
        if row.stage == stage and row.needs(phrase) and (meaning := row.read(phrase)) is not None:
            if isinstance(meaning, Misread | Refusal):
                raise meaning
            return meaning
    return None


# -- what a phrase needs -----------------------------------------------------------------------------------------------


def opening(*words: Collection[str]) -> Test:
    """Its first word is one of these."""
    allowed = frozenset().union(*words)
    return lambda phrase: phrase.bare[:1] != () and phrase.bare[0] in allowed


def holding(*words: Collection[str]) -> Test:
    """One of these words is in it."""
    allowed = frozenset().union(*words)
    return lambda phrase: not allowed.isdisjoint(phrase.bare)


def behind_somebody(*words: Collection[str]) -> Test:
    """It names somebody first, and one of these words behind them."""
    allowed = frozenset().union(*words)
    return lambda phrase: (
        0 < phrase.behind_people < len(phrase.bare) and not allowed.isdisjoint(phrase.bare[phrase.behind_people :])
    )


def every(*tests: Test) -> Test:
    """All of these are so."""
    return lambda phrase: all(test(phrase) for test in tests)


def _any_phrase(phrase: LinePhrase) -> bool:  # noqa: ARG001
    """Nothing: the reader looks for itself, as what it looks for is not said by words of its own."""
    return True


def _holds_a_number(phrase: LinePhrase) -> bool:
    """A digit stands in it."""
    return any(sign.isdigit() for sign in phrase.line.text)


def _says_of_a_turn(phrase: LinePhrase) -> bool:
    """It says more of a turn than a field with its value: `T44 was 7`."""
    return len(phrase.bare) > 2 and "=" not in phrase.line.text


def _corrects(phrase: LinePhrase) -> bool:
    """It begins as a correction, or says what is not so, or only so much, or what somebody's blow was."""
    begins = phrase.bare[0] in OPENERS | POINTING | CHANGING
    contradicts = begins or NOT in phrase.bare[1:] or ONLY in phrase.bare[1:3]
    tells_of_a_blow = "'" in phrase.line.text.replace("’", "'") and not BEING_SO.isdisjoint(phrase.bare)
    return len(phrase.bare) > 1 and (contradicts or tells_of_a_blow)


def _asks_for_more(phrase: LinePhrase) -> bool:
    """It asks for the same once more: `again`, `once more`."""
    return phrase.bare in ONCE_MORE


def _says_more(phrase: LinePhrase) -> bool:
    """It has several words."""
    return len(phrase.bare) > 1


def _takes_back(phrase: LinePhrase) -> bool:
    """It says no more than that the latest line was wrong: `oops`, `wait, no`, `scratch that`."""
    return re.fullmatch(TAKES_BACK, phrase.line.text.casefold().replace("’", "'").strip(" .!")) is not None


def _names_a_turn_second(phrase: LinePhrase) -> bool:
    """Its second word is a turn: `oops, T20 was 7`, `in T20 it was 7`."""
    return len(phrase.line.words) > 2 and names_a_turn(phrase.line.words[1].text)


def _tells_late(phrase: LinePhrase) -> bool:
    """It begins with what says that something was forgotten: `forgot: …`, `we forgot: …`."""
    return not FORGETTING.isdisjoint(phrase.bare[: 1 + (phrase.bare[0] in WE)])


def _names_somebody_first(phrase: LinePhrase) -> bool:
    """It begins with somebody, or with everybody: `we rest`, `the party rests`."""
    return phrase.bare[0] in (*WE, *BEFORE_A_GROUP) or phrase.behind_people > 0


def _may_name_somebody(phrase: LinePhrase) -> bool:
    """Its first word is so much of a name, or of several, that it is hardly another word."""
    return somebody_meant(phrase.line.words, 0, phrase.context)


def _is_about_somebody(phrase: LinePhrase) -> bool:
    """It begins with the name of somebody, or of several."""
    return phrase.behind_people > 0


def _is_nickname(phrase: LinePhrase) -> bool:
    """Its first word is what people call a verb."""
    return bool(kinds_meant(phrase.context.system.key, phrase.line, phrase.at)[0])


def _fields(phrase: LinePhrase) -> list[Field]:
    """All fields of the actions of the rules."""
    return [field for kind in phrase.context.system.actions for field in fields_of(kind)]


def _is_announcement(phrase: LinePhrase) -> bool:
    """It is short, and in nobody's words."""
    return len(phrase.bare) <= MOST_ANNOUNCING and not any(word.quoted for word in phrase.line.words)


def _tells_of_a_death(phrase: LinePhrase) -> bool:
    """It tells of a death, or of somebody who kills: `kill the goblin`, `brog kills the goblin`, `rat 1 dies`."""
    return opening(KILLING)(phrase) or behind_somebody(KILLING, DYING, DEAD)(phrase)


def _hints_at_a_field(phrase: LinePhrase) -> bool:
    """It is short, and a field of the rules knows one of its words as a hint: `the lurker flees`."""
    return _is_announcement(phrase) and any(
        not set(field.hinted_by).isdisjoint(phrase.bare) for field in _fields(phrase)
    )


def _announces(phrase: LinePhrase) -> bool:
    """It is short, and a field of the rules knows one of its words as an announcement: `combat begins`."""
    return _is_announcement(phrase) and any(
        not field.kind.announced_by.keys().isdisjoint(phrase.bare) for field in _fields(phrase)
    )


def _names_what_begins(phrase: LinePhrase) -> bool:
    """One of its words is what something is called that begins by its number: `scenario 1`, `the first session`."""
    from cli.line.phrases.announcements import what_begins  # hardly any line says so

    return not what_begins(phrase.context).keys().isdisjoint(phrase.bare)


def _is_a_value(phrase: LinePhrase) -> bool:
    """It is nothing but what people say for a value of the rules: `x2`, `we won`."""
    patterns = (field.said_alone for field in _fields(phrase) if field.said_alone)
    return any(re.fullmatch(pattern, phrase.alone, re.IGNORECASE) for pattern in patterns)


def _is_in_a_turn(phrase: LinePhrase) -> bool:
    """Somebody's turn is open."""
    return phrase.context.system.whose_turn(phrase.context.state) is not None


def _may_say_two_things(phrase: LinePhrase) -> bool:
    """Several of its parts may each be a line, and it is not itself such a part."""
    return not phrase.is_one_thing and _holds_two_things(phrase)


def _may_begin_with_a_story(phrase: LinePhrase) -> bool:
    """A part of it may be a line, and the words before that part only tell: `fireball: everyone takes 3`."""
    return not phrase.is_one_thing and (_holds_two_things(phrase) or any(w.text[-1:] == ":" for w in phrase.line.words))


def _holds_two_things(phrase: LinePhrase) -> bool:
    """`and`, `then` or a sign of the sentence parts it."""
    joins = not frozenset((*JOINS, *THEN)).isdisjoint(phrase.bare)
    return joins or any(word.text.endswith((*ENDS, ".")) for word in phrase.line.words[:-1])


def _misses_somebody(phrase: LinePhrase) -> bool:
    """It names somebody who is not there."""
    return isinstance(phrase.error, Unknown) and phrase.error.kind == "character"


def _verb_of(*kinds: type) -> Test:
    """Its verb is that of one of these actions."""
    return lambda phrase: phrase.verb is not None and phrase.verb.kind in kinds


def _goes_on(phrase: LinePhrase) -> bool:
    """Words stand behind the verb."""
    return phrase.at < len(phrase.line.words)


def _may_hold_another(phrase: LinePhrase) -> bool:
    """A part of it, or a verb or somebody among the words of a remark, may begin another line."""
    result = phrase.result
    words = result.best.words if result is not None else None
    if _holds_two_things(phrase) or result is None or words is None or result.clause.grammar.words_alone:
        return _holds_two_things(phrase)
    names = {verb.name for verb in verbs_of(phrase.context.system.key)}
    places = range(words.start + 1, words.end)
    return any(phrase.bare[at] in names or somebody_meant(phrase.line.words, at, phrase.context) for at in places)


def _ends_a_verb(phrase: LinePhrase) -> bool:
    """Its last word is the last of what a verb of several words is called: `end of round`."""
    rules, last = phrase.context.system.key, phrase.bare[-1]
    names = (parts for verb in verbs_of(rules) for parts in (verb.words, *map(str.split, verb.kind.synonyms)))
    return any(len(parts) > 1 and parts[-1] == last for parts in names)


def _names_a_thing(phrase: LinePhrase) -> bool:
    """Its verb is of what has no more than a name."""
    return phrase.verb is not None and any(field.thing for field in fields_of(phrase.verb.kind))


def _enrols(phrase: LinePhrase) -> bool:
    """Its verb is about somebody new."""
    return phrase.verb is not None and any(field.names == NEW for field in fields_of(phrase.verb.kind))


# -- the table ---------------------------------------------------------------------------------------------------------

PHRASE_READERS = (
    # `T44 was 7` does not say which number of the turn that was
    PhraseReader("turn first", _says_of_a_turn, "offer", "corrections.correction"),
    PhraseReader("turn first", _any_phrase, "actions", "corrections.amendment_of_turn"),
    PhraseReader(
        "before the verb",
        every(opening(OPENERS, IN_A_TURN), _names_a_turn_second),
        "line",
        "second_lines.behind_the_first_word",
    ),
    # `no, wait` is no correction of anything yet
    PhraseReader("before the verb", every(opening(CONTRADICTING), _takes_back), "offer", "turn_references.taking_back"),
    # these begin with a word that may be taken for a verb: `no` begins `note`, and `I` is short for the saves of osr
    PhraseReader("before the verb", opening(CONTRADICTING), "offer", "corrections.correction"),
    # an article begins no verb, but `a` may be a short name
    PhraseReader("before the verb", every(opening(ARTICLES), _is_a_value), "line or offer", "omissions.value_alone"),
    # a foe that strikes comes before one that dies or appears, as a line may hold the words of both
    PhraseReader("before the verb", every(opening(ARTICLES), holding(FLIPPING)), "line", "flips.flip_behind_an_attack"),
    PhraseReader("before the verb", opening(ARTICLES), "line or offer", "blows.blow_of_a_foe"),
    PhraseReader(
        "before the verb",
        every(opening(ARTICLES), holding(BEING, DYING, APPEARING_WORDS)),
        "offer",
        "fallbacks.of_a_monster",
    ),
    PhraseReader("before the verb", every(opening(EVENINGS), _says_more), "offer", "announcements.numbered_beginning"),
    PhraseReader("before the verb", opening(SUBJECT_PRONOUNS), "offer", "omissions.doer"),
    PhraseReader("no verb", opening(ASKING_WHO), "line", "omissions.everybody_asked_for"),
    PhraseReader("no verb", holding(HAND), "line", "omissions.sheet_asked_for"),
    PhraseReader("no verb", opening(ASKING_HOW), "line", "omissions.somebody_asked_for"),
    PhraseReader("no verb", every(opening(("and", *THEN)), _says_more, _is_in_a_turn), "offer", "attacks.next_target"),
    PhraseReader("no verb", every(opening(("and", *THEN)), _says_more), "line", "second_lines.behind_the_first_word"),
    PhraseReader("no verb", _asks_for_more, "line", "turn_references.once_more"),
    PhraseReader("no verb", _takes_back, "offer", "turn_references.taking_back"),
    # what was forgotten may hold any of the words below; so may what is corrected
    PhraseReader("no verb", _tells_late, "offer", "late_entries.late_entry"),
    PhraseReader("no verb", every(opening(OBJECT_PRONOUNS), holding(DYING, DEAD)), "offer", "fallbacks.of_a_monster"),
    # `that's it, we won` corrects nothing
    PhraseReader("no verb", _is_a_value, "line or offer", "omissions.value_alone"),
    PhraseReader("no verb", every(opening(POINTING), holding(ENDING_WORDS)), "offer", "announcements.session"),
    PhraseReader("no verb", _names_what_begins, "line or offer", "announcements.numbered_beginning"),
    PhraseReader("no verb", _corrects, "offer", "corrections.correction"),
    # a short line about the end of a foe is about nobody else whom it names
    PhraseReader("no verb", _hints_at_a_field, "offer", "deaths.end_of_the_listed"),
    PhraseReader("no verb", every(holding(OWNING), _holds_a_number), "offer", "deaths.figure_of_the_listed"),
    PhraseReader("no verb", holding(APPEARING_WORDS), "offer", "announcements.newcomer_on_the_other_side"),
    PhraseReader("no verb", _announces, "offer", "announcements.scene"),
    # what is flipped is part of the attack before it, and no line of its own
    PhraseReader("no verb", holding(FLIPPING), "line", "flips.flip_behind_an_attack"),
    # two whole lines in one: each would else end among the words of the other
    PhraseReader("no verb", _may_say_two_things, "actions", "second_lines.several_at_once"),
    # whoever strikes may be called like a character, so a blow of theirs comes before what that character does
    PhraseReader("no verb", holding(STRIKING, STRUCK, DEALING), "line or offer", "blows.blow_of_a_foe"),
    # the words of an open question are its answer, whatever else they may mean
    PhraseReader("no verb", _any_phrase, "line or offer", "pending_choices.pending_choice"),
    PhraseReader("no verb", every(_holds_two_things, _is_in_a_turn), "actions", "card_phrases.both_parts"),
    PhraseReader("no verb", every(_is_in_a_turn, holding(USING, PERFORMING)), "offer", "card_phrases.card_used"),
    PhraseReader("no verb", _names_somebody_first, "line or offer", "name_first.name_first"),
    PhraseReader("no verb", opening(ARTICLES), "line or offer", "name_first.name_behind_an_article"),
    PhraseReader("no verb", _is_announcement, "line or offer", "omissions.verb_in_other_words"),
    PhraseReader("no verb", _is_in_a_turn, "offer", "card_phrases.card_alone"),
    # what somebody does, or what befalls them, that is no verb of the rules; first what has words of its own
    PhraseReader("no verb", behind_somebody(ATTENDING), "line or offer", "attendance.attendance"),
    PhraseReader("no verb", opening(HOUSE_RULE_WORDS), "line", "announcements.house_rule"),
    PhraseReader("no verb", holding(BEGINNING_WORDS, ENDING_WORDS), "offer", "announcements.session"),
    PhraseReader("no verb", holding(JOINING_WORDS), "offer", "announcements.newcomer_or_player"),
    PhraseReader("no verb", _tells_of_a_death, "offer", "deaths.death"),
    PhraseReader("no verb", holding(SHARING), "offer", "sharing.sharing"),
    PhraseReader("no verb", _may_begin_with_a_story, "offer", "second_lines.line_within"),
    PhraseReader("no verb", _holds_a_number, "offer", "pending_numbers.pending_numbers"),
    PhraseReader("no verb", _holds_a_number, "offer", "loss_and_healing.healing"),
    PhraseReader("no verb", behind_somebody((HALF,)), "offer", "loss_and_healing.half_of_the_latest"),
    PhraseReader("no verb", _may_name_somebody, "offer", "name_first.one_of_several"),
    PhraseReader("no verb", _is_about_somebody, "offer", "misspellings.verb_behind_a_name"),
    PhraseReader("no verb", _names_somebody_first, "line or offer", "fallbacks.unrecorded_outcome"),
    PhraseReader("no verb", _is_about_somebody, "offer", "name_first.name_alone"),
    PhraseReader("no verb", _is_in_a_turn, "line", "omissions.doer_in_turn"),
    PhraseReader("no verb", every(_is_in_a_turn, opening(GAINING)), "offer", "omissions.coins_in_turn"),
    PhraseReader("no verb", _is_nickname, "offer", "omissions.doer_of_a_nickname"),
    # at last what the first word may stand for, or that it stands for nothing
    PhraseReader("no verb", holding(WEARING_OFF), "offer", "conditions.condition_gone"),
    PhraseReader("no verb", _any_phrase, "offer", "fallbacks.fallback"),
    # `i` is short for a verb, and `I` who speaks
    PhraseReader(
        "behind the verb",
        every(opening(FIRST_PERSON), _says_more, _is_in_a_turn),
        "line or offer",
        "omissions.speaker",
    ),
    PhraseReader("behind the verb", every(_verb_of(Amend), holding(BEING_SO)), "offer", "corrections.correction"),
    PhraseReader("behind the verb", _verb_of(Amend), "actions", "corrections.amendment_of_turn"),
    PhraseReader("behind the verb", _verb_of(Ruling, ParagraphAdd), "offer", "paragraph_words.words_for_a_number"),
    PhraseReader("behind the verb", every(_holds_two_things, _is_in_a_turn), "actions", "card_phrases.both_parts"),
    PhraseReader("behind the verb", every(_goes_on, holding((FOR,))), "line", "omissions.doer_behind_for"),
    PhraseReader("behind the verb", every(_goes_on, _ends_a_verb), "line or offer", "omissions.verb_in_other_words"),
    PhraseReader("behind the verb", every(_verb_of(SessionOpen), _goes_on), "offer", "announcements.dated_session"),
    PhraseReader("behind the verb", _enrols, "line or offer", "newcomers.newcomer"),
    PhraseReader(
        "behind the verb",
        every(_verb_of(Undo, Redo), _goes_on),
        "line or offer",
        "turn_references.undo_in_words",
    ),
    # `and` may begin another line, whether the words before it are a whole one or not
    PhraseReader("read", _may_hold_another, "offer", "second_lines.second_in_the_words"),
    PhraseReader("read", every(holding(OBJECT_PRONOUNS), _names_a_thing), "offer", "deaths.it_of_a_thing"),
    PhraseReader("unread", _verb_of(Override), "offer", "goods.override_of_the_tracked"),
    PhraseReader("unread", holding(JOINS), "offer", "second_lines.second_line"),
    PhraseReader("unread", _any_phrase, "offer", "attacks.either_attacker"),
    # a number is missing where an article stands; a name is misspelt; a little word that begins a verb tells a story
    PhraseReader("failed", holding(ONE), "offer", "omissions.one_of_something"),
    PhraseReader("failed", _misses_somebody, "offer", "misspellings.name"),
    PhraseReader("failed", opening(LITTLE), "offer", "fallbacks.narration"),
    # `loses 2 stamina` begins like a verb of some rules, and may only lack the name
    PhraseReader("failed", opening(SIGN_OF, BEING, GETTING, RECOVERING), "offer", "loss_and_healing.loss_of_nobody"),
)
