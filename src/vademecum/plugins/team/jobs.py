"""The job that updates the mirrors while the helper runs."""

from datetime import timedelta

from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import Did, Job
from vademecum.plugins.team.membership import mirror_all, spaces


def _teams(context: Context, _seconds: float | None) -> Did:
    done = mirror_all(context)
    came, went = sum(mirrored.taken for mirrored in done), sum(mirrored.dropped for mirrored in done)
    return (f"copies taken: {came}; withdrawn: {went}" if came or went else ""), [
        why for mirrored in done for why in mirrored.problems
    ]


def _is_in_a_team(context: Context) -> bool:
    return bool(spaces(context))


JOBS = (Job("teams", "Updates the mirrors of team spaces.", _teams, timedelta(minutes=5), wanted=_is_in_a_team, alone=True),)
