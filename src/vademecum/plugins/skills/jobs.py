"""The weekly job that reads lists of published skills."""

from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import WEEK, Did, Job
from vademecum.plugins.skills.skills import SOURCES, discover


def _discover(context: Context, _seconds: float | None) -> Did:
    report = discover(context)
    return (f"on the watchlist: {len(report.new)}" if report.new else ""), report.problems


def _has_lists(context: Context) -> bool:
    return bool(context.setting(SOURCES)) and context.outside.web is not None


JOBS = (Job("skills", "Reads lists of published skills.", _discover, WEEK, wanted=_has_lists, alone=True),)
