"""What every campaign has, whatever its rules, in chapters like those of a rule system."""

from domain.common import notes, paragraphs, revisions, rulings, sessions, sheets, start
from domain.system.rulesystem import collected
from domain.turn import Action, Event

CHAPTERS = (start, sessions, notes, rulings, paragraphs, revisions, sheets)
ACTIONS: tuple[type[Action], ...] = collected(CHAPTERS, Action)
EVENTS: tuple[type[Event], ...] = collected(CHAPTERS, Event)
