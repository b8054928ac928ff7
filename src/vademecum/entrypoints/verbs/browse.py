"""Verbs to look around: list and count memories, operations, deliveries, questions."""

from collections.abc import Mapping

from vademecum.api import Vademecum
from vademecum.domain.feed import LogFilter, Operation, ShownLog
from vademecum.domain.ids import short_id
from vademecum.domain.query import Asked
from vademecum.entrypoints.text import counted, items_text, moment
from vademecum.entrypoints.verbs.verb import Param, Verb, where_params
from vademecum.maintenance.browse import Facets, Listing

#: Most values of a field in text; `--json` has more.
VALUES_SHOWN = 12


def listing_text(result: Listing) -> str:
    """Return a line for each item, and how to see the next page."""
    following = f"\nnext page: the same with --after {result.next}" if result.next else ""
    return items_text(result.items) + following


def facets_text(result: Facets) -> str:
    """Return a line for each field, the most frequent values first, and one for each day."""
    lines = [f"total     {result.total}"]
    lines += [f"{field:<9} {_counts(values)}" for field, values in result.by.items() if values]
    lines += [f"{day}  {sum(kinds.values()):>5}  {_counts(kinds)}" for day, kinds in result.days.items()]
    return "\n".join(lines)


def _counts(values: Mapping[str, int]) -> str:
    more = f", and {len(values) - VALUES_SHOWN} more" if len(values) > VALUES_SHOWN else ""
    return ", ".join(f"{value} {count}" for value, count in list(values.items())[:VALUES_SHOWN]) + more


def log_text(result: tuple[Operation, ...]) -> str:
    """Return a line for each operation, and how to undo one."""
    if not result:
        return "No memory was changed in that time."
    lines = [f"{moment(one.time)}{one.op:<10} {_touched(one)}  by {one.actor}  ({one.id})" for one in result]
    return "\n".join([*lines, "Take one back with: vade undo ID"])


def _touched(operation: Operation) -> str:
    more = f" and {len(operation.memories) - 1} more" if len(operation.memories) > 1 else ""
    return f"{operation.memories[0].title or operation.memories[0].id}{more}"


def shown_text(result: ShownLog) -> str:
    """Return how a memory was used, and a line for each conversation with what was shown in it."""
    use = result.use
    lines = [_use(use.shown, use.used, use.found)] if use else []
    for session in result.sessions:
        titles = "" if use else "\n  " + "\n  ".join(f"{item.title}  ({short_id(item.key)})" for item in session.shown)
        lines.append(f"{moment(session.last)}{session.title or session.session}{titles.rstrip()}")
    return "\n".join(lines) or "Nothing was shown to an agent in the last 30 days."


def _use(count: int, used: int, number: int) -> str:
    return f"Shown {counted(count, 'time')}, used in {counted(used, 'conversation')}, matched by {counted(number, 'question')}."


def traces_text(result: tuple[Asked, ...]) -> str:
    """Return a line for each question, and how to see its explanation."""
    if not result:
        return "Nothing was asked yet."
    lines = [
        f"{moment(question.time)}{question.verdict}, {counted(question.found, 'result')}: {question.question}  ({question.trace})"
        for question in result
    ]
    return "\n".join([*lines, "See how one was answered: vade why ID"])


_LIMIT = Param("limit", "number", "Maximum number of entries.", 50, least=1, most=1000)

VERBS = (
    Verb(
        "list --page",
        "Everything that is known, the latest changes first, page by page: memories, or conversations and notes with --source.",
        (*where_params(), _LIMIT, Param("after", "text", "Continue behind the previous page: its `next`.", "", max_chars=500)),
        Vademecum.notes.browse,
        listing_text,
        signed=True,
    ),
    Verb(
        "list --count",
        "How much there is of each source, kind, status, project and tag.",
        (*where_params(), Param("days", "number", "With --count: also for each of the last N days.", 0, most=3660)),
        Vademecum.notes.facets,
        facets_text,
        signed=True,
    ),
    Verb(
        "log",
        "Changes to memories: what, by whom and when, newest first. Each can be undone.",
        (
            _LIMIT,
            Param("since", "date", "Only changes since this date.", None),
            Param("until", "date", "Only changes before this date.", None),
            Param("before", "text", "Only changes before this operation: its id.", "", max_chars=40),
            Param("evolution", "flag", "Only changes to learned memories: corrections, competence, optimizations and similar.", False),
        ),
        Vademecum.maintenance.log,
        log_text,
        {"only": LogFilter},
        signed=True,
    ),
    Verb(
        "log --shown",
        "What agents were shown, in which conversations, and what is still in their context; for one memory also its effect.",
        (
            Param("ref", "text", "Only changes of this memory: a title, an id, ...", "", place=True, named="memory"),
            _LIMIT,
        ),
        Vademecum.maintenance.shown,
        shown_text,
        signed=True,
    ),
    Verb(
        "why --recent",
        "The last searches and the number of their results; `vade why` explains one.",
        (_LIMIT, Param("before", "text", "Only those before this recall: its id.", "", max_chars=40)),
        Vademecum.recall.asked,
        traces_text,
        signed=True,
    ),
)  # fmt: skip
