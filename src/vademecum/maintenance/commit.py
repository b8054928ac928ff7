"""Keep the memory folder under version control, where the person has it there and wants that (SW-52)."""

from collections.abc import Sequence

from vademecum.context.context import Context
from vademecum.domain.errors import Problem
from vademecum.domain.memory import personal_space
from vademecum.domain.query import Scope
from vademecum.language.text import brief

SUBJECT_CHARS = 72


def commit_memory(context: Context, _seconds: float | None = None) -> tuple[str, Sequence[Problem]]:
    """Make a commit of what changed in the folder of the personal memories and nothing else; never push.

    After sessions the commit is called by the last handoff; once a day by the day.

    Raises:
        Refused: the person is in the middle of something there; it is tried again.
    """
    home = personal_space(context.vault.spaces)
    repository = context.outside.open_repository(home.root)
    message = _of_session(context) if context.choices.git_commit == "session" else _of_day(context, repository.subjects)
    if not message:
        return "", ()
    made = repository.commit(message)
    return (f"commit {made}: {message}" if made else ""), ()


def _of_day(context: Context, subjects: Sequence[tuple[str, str]]) -> str:
    """Return how today's commit is called; "" when it was made."""
    message = f"memory of {context.local_time(context.clock.now()):%Y-%m-%d}"
    return "" if any(subject == message for _, subject in subjects) else message


def _of_session(context: Context) -> str:
    """Return how a commit is called after the last handoff; "" when there is none since the last round."""
    last = context.state.jobs.all().get("commit")
    newest = next(iter(context.index.select(Scope(sources=("handoff",), statuses=("active",)), limit=1)), None)
    if newest is None or newest.updated is None or (last and last.succeeded and newest.updated < last.succeeded):
        return ""
    return brief(f"memory: {' '.join(newest.title.split())}", SUBJECT_CHARS)
