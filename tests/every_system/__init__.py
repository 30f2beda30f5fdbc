"""The suite that every rule system has to pass, the built-in ones and those that come in a package of their own.

A package that brings a rule system takes the whole suite over with one test file. It installs `campaign-log[suite]`,
in which this folder is called `campaign_log.suite.every_system` (`tests` would be taken for its own):

    from campaign_log.suite.every_system import *

    from .subject import SUBJECT

    SUBJECTS = (SUBJECT,)

A `Subject` says which rule system it is, how it is played at random, and what it promises: `tests/kit/subjects.py`
tells all of it, `tests/osr/subject.py` is one. Without `SUBJECTS` the built-in rule systems are tested, here only.
"""

# ruff: noqa: F403
from .test_contract import *
from .test_evening import *
from .test_examples import *
from .test_foreseeing import *
from .test_late_entries import *
from .test_lines import *
from .test_lines_of_play import *
from .test_mixtures import *
from .test_old_logs import *
from .test_palette import *
from .test_paragraphs import *
from .test_play import *
from .test_random_tables import *
from .test_revising import *
from .test_secrets import *
from .test_tags import *
from .test_verifying import *
from .test_versions import *
from .test_whole_sheet import *
