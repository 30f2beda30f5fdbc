"""Actions and events that every campaign has under any rules, in chapters like those of a rule system."""

from domain.common import dice, notes, paragraphs, presence, revisions, rulings, sessions, sheets, start, tracking
from domain.system.rulesystem import classes_in
from domain.turn import Action, Event

CHAPTERS = (start, sessions, notes, dice, rulings, paragraphs, revisions, sheets, tracking, presence)
ACTIONS: tuple[type[Action], ...] = classes_in(CHAPTERS, Action)
EVENTS: tuple[type[Event], ...] = classes_in(CHAPTERS, Event)
