"""What a rule system of somebody else imports, as `campaign_log.rules`: names that stay, whatever moves behind them."""

from domain.naming import called, listed
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.decision import Decision
from domain.system.rows import Phrase, Pips, Row
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secret
from domain.system.state import Options, Sheet, State, TableState, option
from domain.system.story import SERIOUS, Own
from domain.turn import (
    Action,
    AllyName,
    Event,
    Name,
    NewName,
    NonEmptyText,
    Positive,
    Sentence,
    Struck,
    Text,
    Whole,
)

__all__ = [
    "SERIOUS",
    "Action",
    "AllyName",
    "Decision",
    "Event",
    "Invalid",
    "Name",
    "NewName",
    "NonEmptyText",
    "Options",
    "Own",
    "Phrase",
    "Pips",
    "Positive",
    "Refusal",
    "Row",
    "RuleSystem",
    "Sentence",
    "Sheet",
    "State",
    "Struck",
    "TableState",
    "Text",
    "Whole",
    "called",
    "listed",
    "option",
    "refuse_unless",
    "rule",
    "secret",
]
