"""Commit the memory folder to git, if it is in a repository and the person wants that (SW-52)."""

from collections.abc import Sequence

from vademecum.context.context import Context
from vademecum.domain.errors import Problem
from vademecum.domain.memory import personal_space
from vademecum.domain.query import Scope
from vademecum.language.text import brief

SUBJECT_CHARS = 72


def commit_memory(context: Context, _seconds: float | None = None) -> tuple[str, Sequence[Problem]]:
    """Commit the changes in the folder of personal memories and nothing else; never push.

    After sessions the message is the last handoff's title; for daily commits it is the day.

    Raises:
        Refused: changes are staged, a merge or rebase is in progress, or git fails; it is tried again later.
    """
    home = personal_space(context.vault.spaces)
    repository = context.outside.open_repository(home.root)
    message = _of_session(context) if context.choices.git_commit == "session" else _of_day(context, repository.subjects)
    if not message:
        return "", ()
    made = repository.commit(message)
    return (f"commit {made}: {message}" if made else ""), ()


def _of_day(context: Context, subjects: Sequence[tuple[str, str]]) -> str:
    """Return the message of today's commit; "" when it exists already."""
    message = f"memory of {context.local_time(context.clock.now()):%Y-%m-%d}"
    return "" if any(subject == message for _, subject in subjects) else message


def _of_session(context: Context) -> str:
    """Return a message from the last handoff; "" when there is none since the last run."""
    last = context.state.jobs.all().get("commit")
    newest = next(iter(context.index.select(Scope(sources=("handoff",), statuses=("active",)), limit=1)), None)
    if newest is None or newest.updated is None or (last and last.succeeded and newest.updated < last.succeeded):
        return ""
    return brief(f"memory: {' '.join(newest.title.split())}", SUBJECT_CHARS)
