"""Whoever looks as one seat meets every verb as through a wall: nothing that is answered to a line tells a secret.

Two logs differ in what another player keeps. Every verb and every field is asked at both, with cards and names of
everybody: previews, completions, questions, refusals and dry runs have to be the same, word for word.
"""

from collections.abc import Iterator
from random import Random

from cli.line.guiding import guide
from cli.line.verbs import verbs_of
from cli.line.words import tokenize
from cli.recording.audience import Audience
from cli.recording.conversation import Conversation
from cli.recording.foretelling import foretell
from cli.recording.steps import Ask, Step, TypeOn
from domain.common.revisions import REVISIONS
from domain.log.folding import state_before
from domain.naming import plain_words
from domain.refusal import Conflict, Invalid, Refusal
from domain.system.field_schema import fields_of
from domain.system.secrets import lies_face_down, secrets_of
from tests.kit.given import Given
from tests.kit.subjects import secretive
from tests.kit.twins import Twins
from tests.line.tables import table_of

TABLES, LINES = 6, 200
QUESTIONS = ("why", "status", "show")


def lines(chance: Random, table: Given) -> Iterator[str]:
    """Every verb with every field of it, about everybody, with a card, a number and a word as its value."""
    state = table.handler.state()
    names = list(state.characters)
    for verb in verbs_of(table.system.key):
        if issubclass(verb.kind, REVISIONS) or len(verb.name) < 2:
            continue
        for who in names:
            yield f"{verb.name} {plain_words(who)[0]}"
            sheet = state.characters[who]
            cards = [str(card) for card in (*sheet.hand, *sheet.selected, *sheet.discard, *sheet.lost)] or ["1"]
            card, other = chance.choice(cards), chance.choice(cards)
            yield f"{verb.name} {plain_words(who)[0]} {card} {other}"
            # an attack asks for armour before anything else
            off = [f"{field.key}=no" for field in fields_of(verb.kind) if field.default is True]
            for field in fields_of(verb.kind):
                yield " ".join([verb.name, plain_words(who)[0], "1", *off, f"{field.key}={card}"])
    for who in names:
        yield from said_of(chance, table, who)


def said_of(chance: Random, table: Given, who: str) -> Iterator[str]:
    """What people say of somebody's cards in words of their own, by numbers and by names."""
    state = table.handler.state()
    kinds = [kind for kind in table.system.actions if lies_face_down(kind)]
    cards = [
        card
        for kind in kinds
        for field in secrets_of(kind)
        for card in table.system.proposals(state, kind, field, who) or ()
    ]
    for say in ("{} picks {} and {}", "{} takes {} and {}", "{} has {} {}", "{} {}, {}"):
        yield say.format(plain_words(who)[0], chance.randrange(1, 99), chance.randrange(1, 99))
        if cards:
            yield say.format(plain_words(who)[0], chance.choice(cards), chance.choice(cards))


def answers(table: Given, viewer: str, line: str) -> list[str]:
    """All that is answered to a line at one seat: while it is typed, and when it is tried."""
    audience = Audience(table.log, table.system, table.handler.state, viewer=viewer)
    conversation = Conversation(table.handler, audience, by=viewer, questions=QUESTIONS, dry_run=True)
    found = [", ".join(way.text for way in guide(f"{line} ", len(line) + 1, audience.context, QUESTIONS).candidates)]
    for sentences in (foretold, tried):
        try:
            found.append(sentences(conversation, line))
        except (Refusal, Invalid, Conflict) as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


def foretold(conversation: Conversation, line: str) -> str:
    understood = conversation.understand(tokenize(line))
    return foretell(conversation, understood, understood.backdating)


def tried(conversation: Conversation, line: str) -> str:
    return step_in_words(conversation.type(line))


def step_in_words(step: Step) -> str:
    """A step as somebody sees it, but for what a preview shows, which is told in `foretold`."""
    if isinstance(step, Ask):
        return f"{step.why} {[(answer.key, answer.says) for answer in step.answers]}"
    return f"{step.beginning} {step.error}" if isinstance(step, TypeOn) else type(step).__name__


def test_what_lay_face_down_at_an_earlier_place_is_not_known_there() -> None:
    table = table_of("gloomhaven turns")
    audience = Audience(table.log, table.system, table.handler.state, viewer="Mia")
    then = state_before(table.system, table.log, 8, table.log.last())
    assert then.characters["Ysa"].selected
    known = audience.context.after(7).state
    assert known == audience.known(then) != then, "both had selected, and nothing was revealed"


def test_every_verb_and_field_is_answered_the_same_whatever_another_keeps() -> None:
    compared = refused = 0
    for subject in secretive():
        for seed in range(TABLES):
            chance = Random(seed)
            twins = Twins(chance, subject)
            if not twins.tell_apart:
                continue
            player = str(getattr(twins.one.handler.state().characters[twins.viewer], "player", None))
            asked = list(lines(chance, twins.one))
            for line in chance.sample(asked, min(LINES, len(asked))):
                one, other = (answers(table, player, line) for table in (twins.one, twins.other))
                assert one == other, f"seed {seed}, {line}"
                compared += 1
                refused += any("player can say that" in answer for answer in one)
    assert compared > LINES and refused > 10, (compared, refused)
