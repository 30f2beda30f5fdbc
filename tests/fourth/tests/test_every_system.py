"""The whole suite that campaign holds its own rule systems against, for tides."""

from campaign_log.suite.every_system import *

from .subject import SUBJECT

SUBJECTS = (SUBJECT,)
