"""Record what the group decided about a rule.

With --set an option of the rule holds from this turn on; with --since from that point on, and the turns
after it are decided again. `campaign ruling keep R3` adopts what was on trial, `campaign ruling end R3` ends it.

Examples:
  campaign ruling 6.4 If one of us rests, we all rest short_rest_together=true
  campaign ruling 6.4 "Keep the better roll" --set keep_higher=true --since S1
  campaign ruling end R1 we forgot it anyway
"""

from typing import Annotated, Any

from cli.shell import options
from cli.shell.command_context import opened
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.recording import RecordOptions, perform, with_record_options
from cli.shell.words import option_values, ruling_number, turn_numbers
from domain.refusal import Invalid


@with_record_options()
def ruling(
    manner: RecordOptions,
    rule: Annotated[
        str | None,
        ArgumentSpec(
            help="The rule, like 6.4; or keep, or end.", autocompletion=options.complete_rules, show_default=False
        ),
    ] = None,
    text: Annotated[
        str | None, ArgumentSpec(help="What was decided; behind keep or end: which ruling.", show_default=False)
    ] = None,
    why: options.Why = None,
    set_: Annotated[
        list[str] | None,
        OptionSpec(
            "--set",
            metavar="OPTION=VALUE",
            autocompletion=options.complete_rule_options,
            help="An option it sets.",
            show_default=False,
        ),
    ] = None,
    trial: Annotated[bool, OptionSpec("--trial", help="To be evaluated later.", show_default=False)] = False,
    review: Annotated[
        str | None,
        OptionSpec(metavar="S5", help="With --trial: the session or day to look at it again.", show_default=False),
    ] = None,
    because: options.Because = None,
    supersedes: Annotated[
        str | None, OptionSpec(metavar="R1", help="The ruling that it takes the place of.", show_default=False)
    ] = None,
    since: Annotated[
        str | None, OptionSpec(metavar="POINT", help="It counts from this point on.", show_default=False)
    ] = None,
    end: Annotated[
        str | None, OptionSpec(metavar="R1", help="End this ruling instead of making one.", show_default=False)
    ] = None,
) -> None:
    value: dict[str, Any]
    if end is not None:
        if rule is not None or text is not None or set_:
            raise Invalid("Either end a ruling with --end R1, or make one.")
        rule, text = "end", end
    if rule in ("keep", "end") and text is not None:
        if set_ or trial or review is not None or because or supersedes is not None or since is not None:
            raise Invalid(f"ruling {rule} takes a number and --why, nothing else.")
        value = {"type": f"ruling.{rule}", "ruling": ruling_number(text), "why": why}
    elif rule is None or text is None:
        raise Invalid('A ruling names its rule and says what was decided: campaign ruling 6.4 "…" --why "…"')
    else:
        with opened(manner.campaign) as (log, _):
            sets = option_values(set_, log.rules) if set_ else None
        value = {"type": "ruling", "rule": rule, "text": text, "why": why, "set": sets, "since": since, "trial": trial}
        value |= {"because": turn_numbers(because), "review": review}
        value["supersedes"] = ruling_number(supersedes) if supersedes is not None else None
    perform(manner, value)
