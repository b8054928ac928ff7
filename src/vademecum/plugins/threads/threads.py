"""List open tasks by key, mark those that a session reports as done, and archive them a week later."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

from vademecum.domain.errors import Problem
from vademecum.domain.item import Item
from vademecum.domain.memory import BY_PERSON, By, Memory
from vademecum.domain.outline import UNVERIFIED
from vademecum.domain.query import Scope, is_withheld
from vademecum.language.text import common_words, tokens
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import Job
from vademecum.plugin_api.views import key_of
from vademecum.plugin_api.writing import line_of
from vademecum.plugins.threads.verbs import Thread

#: Time after which a resolved task is archived.
PUT_AWAY_AFTER = timedelta(days=7)
#: Maximum handoffs and tasks to look at, newest first.
HANDOFFS, TASKS = 30, 1_000
#: Property with the line of a session that suggests that the task is done.
MAYBE_DONE = "may_be_done"
#: Minimum significant words of a title; shorter titles are too common to recognise.
SIGNIFICANT_WORDS = 2
BY_THREADS = By("extraction", "threads")
_SECTION = re.compile(r"^## (?:Done|Commits)\b.*\n\n((?:- .*\n?)+)", re.MULTILINE)
#: Two words count as forms of one if this many first characters are equal.
_STEM = 5


def threads(context: Context, project: str, *, by: By = BY_PERSON) -> tuple[Thread, ...]:
    """Return the open tasks by priority, then oldest first. Withheld tasks are left out for agents."""
    all_threads = [
        Thread(
            memory.id, memory.title, key_of(memory.aliases), memory.project, memory.priority, f"{memory.created:%Y-%m-%d}",
            str(memory.extra.get(MAYBE_DONE, "")),
        )
        for memory in map(context.vault.get, (item.key for item in _tasks(context, ("active", "disputed"))))
        if project in ("", memory.project) and (by.actor == "user" or not is_withheld(memory.tags))
    ]  # fmt: skip
    return tuple(sorted(all_threads, key=lambda thread: (-thread.priority, thread.since, thread.id)))


def _tasks(context: Context, statuses: tuple[str, ...]) -> tuple[Item, ...]:
    return context.index.select(Scope(sources=("memory",), kinds=("task",), statuses=statuses), limit=TASKS)


def tend_threads(context: Context, _seconds: float | None = None) -> tuple[str, Sequence[Problem]]:
    """Resolve, mark and archive tasks by what recent sessions report.

    A task whose key is reported as done is resolved; one whose title is mentioned is marked; one resolved a week ago is
    archived. Tasks for which the person reversed such a change are left alone.
    """
    resolved, marked = _follow_sessions(context)
    before = context.clock.now() - PUT_AWAY_AFTER
    back = context.vault.history.touched_by(BY_THREADS, "archive")
    done = [item for item in _tasks(context, ("resolved",)) if item.updated and item.updated <= before]
    ids = [_id(item) for item in done if _id(item) not in back]
    if ids:
        context.vault.archive_together(ids, "It was done a week ago.", by=BY_THREADS)
    text = f"resolved: {resolved}; may be done: {marked}; put away: {len(ids)}"
    return (text if resolved or marked or ids else ""), ()


def _follow_sessions(context: Context) -> tuple[int, int]:
    """Compare open tasks with what recent sessions report as done; return how many were resolved and how many marked."""
    open_tasks = [item for item in _tasks(context, ("active",)) if not item.pin]
    if not open_tasks:
        return 0, 0
    back = context.vault.history.touched_by(BY_THREADS, "resolve", "edit")
    done = list(_done_lines(context))
    resolved = marked = 0
    for item in open_tasks:
        if _id(item) in back or not item.created:
            continue
        lines = [line for line, handoff in done if _is_about(handoff, item) and handoff.updated >= item.created]
        key = key_of(item.aliases)
        sure = next((line for line in lines if key and re.search(rf"\b{key}\b", line)), "")
        likely = sure or next((line for line in lines if _names(item.title, line)), "")
        if sure:
            context.vault.resolve(_id(item), line_of(context, sure, BY_THREADS), by=BY_THREADS)
            resolved += 1
        elif likely:
            fields = {MAYBE_DONE: line_of(context, likely, BY_THREADS)}
            context.vault.edit(_id(item), properties=fields, by=BY_THREADS)
            marked += 1
    return resolved, marked


def _is_about(handoff: Memory, task: Item) -> bool:
    """Return whether a session may be about a task. A task without a project fits every session."""
    return handoff.project == task.project or not handoff.project or not task.project


def _done_lines(context: Context) -> Iterator[tuple[str, Memory]]:
    """Yield lines of recent handoffs about finished work, without unverified ones, each with its handoff."""
    scope = Scope(sources=("handoff",), statuses=("active",))
    for item in context.index.select(scope, limit=HANDOFFS):
        handoff = context.vault.get(item.key)
        for section in _SECTION.finditer(handoff.body):
            lines = (line.removeprefix("- ").strip() for line in section[1].splitlines())
            yield from ((line, handoff) for line in lines if not line.startswith(UNVERIFIED))


def _names(title: str, line: str) -> bool:
    """Return whether a line contains every significant word of a title, in any form."""
    wanted, there = _significant(title), _significant(line)
    return len(wanted) >= SIGNIFICANT_WORDS and all(any(_is_form(entry, other) for other in there) for entry in wanted)


def _significant(text: str) -> set[str]:
    return {word for word in tokens(text) if len(word) > 2} - common_words(text)


def _is_form(entry: str, other: str) -> bool:
    return other.startswith(entry[:_STEM]) or entry.startswith(other[:_STEM])


def _id(item: Item) -> str:
    return item.key.removeprefix("memory://")


JOBS = (
    Job(
        "threads",
        "Marks tasks that a session reports as done, and archives them a week after they were resolved.",
        tend_threads,
    ),
)
