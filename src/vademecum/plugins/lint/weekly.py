"""The weekly look at the health of notes: a report of problems, and a count of memories that could be archived."""

from pathlib import Path

from vademecum.domain.memory import By, personal_space
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import WEEK, Did, Job
from vademecum.plugin_api.vault import VIEWS_FOLDER
from vademecum.plugins.lint.propose import propose
from vademecum.plugins.lint.run import lint


def _lint(context: Context, _seconds: float | None) -> Did:
    linted = lint(context, report=True, by=By("extraction", "lint"))
    return (f"findings: {len(linted.findings)} in {linted.report}" if linted.findings else ""), ()


def _health(context: Context, _seconds: float | None) -> Did:
    proposals = propose(context)
    count = len(proposals.proposals) + proposals.left
    return (f"could be archived: {count}; see vade lint --health" if count else ""), ()


def _has_views(context: Context) -> bool:
    home = personal_space(context.vault.spaces)
    return (Path(home.root) / VIEWS_FOLDER).is_dir()


JOBS = (
    Job(
        "lint",
        "Writes a report of what is wrong in notes to _views, if you have pages there.",
        _lint,
        WEEK,
        _has_views,
        alone=True,
    ),
    Job("health", "Counts what could be archived; nothing is archived without you.", _health, WEEK, alone=True),
)
