"""Render a handoff: what was asked, done and left open, and what comes next."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from vademecum.domain.item import Item
from vademecum.domain.outline import IN_PROGRESS, UNCOMMITTED, UNVERIFIED, WAITS, Outline
from vademecum.extract.titles import between_words, rule_alone, whole_clauses
from vademecum.language.load import languages
from vademecum.language.patterns import speech
from vademecum.language.sentences import begun

#: The type at the beginning of a conventional commit's subject: "docs(plans): add ...".
_COMMIT_TYPE = re.compile(r"^\w+(?:\([^)]*\))?!?: ")
#: Maximum characters of the goal in the title.
GOAL_MAX_CHARS = 80
#: Maximum characters of the next step in the title.
STEP_MAX_CHARS = 120
LAST_MAX_CHARS = 600
#: Lines per section, counted from the end: the end shows where a session stopped.
_MOST = 8


def handoff_title(found: Outline) -> str:
    """Return the goal and the state: "Export as CSV (tests fail)", "Export as CSV (next: Add the header)".

    Both are whole clauses. A step that is too long is left out; a goal whose first clause is too long is cut between words. Without
    a model's goal the subject of the first commit stands for a request that has to be cut or only points at something.
    """
    title, asked = (" ".join(text.split()) for text in (found.title, found.goal))
    if not title or asked.startswith(title.rstrip("….")):  # the tool cut its title from the request
        title = asked or "a session"
    title = rule_alone(title).rstrip(" :")
    wishes = _wishes(title) if found.read else ""
    goal = wishes or whole_clauses(title, GOAL_MAX_CHARS) or between_words(title, GOAL_MAX_CHARS)
    subject = whole_clauses(_COMMIT_TYPE.sub("", next(iter(_committed(found)), "")), GOAL_MAX_CHARS)
    if subject and not found.read and _is_vague(goal):
        goal = subject
    goal = begun(goal)
    state, step = _state(found)
    if state != "in progress" and len(step) > STEP_MAX_CHARS:  # the first clause of a report may be what is done
        step = ""
    step = whole_clauses(step, STEP_MAX_CHARS).rstrip(" ,;:.")
    known = goal.rstrip("…").casefold()
    if step and step.casefold() not in known and known not in step.casefold():
        return f"{goal} ({state}: {step})"
    state = "open" if state == "next" else state
    return f"{goal} ({state})" if state else goal


def _wishes(goal: str) -> str:
    """Return as many wishes of a model's goal as fit into the title; "" if the first is too long. A semicolon separates them."""
    wishes = goal.split("; ")
    fitting = ("; ".join(wishes[:number]) for number in range(len(wishes), 0, -1))
    return next((text for text in fitting if len(text) <= GOAL_MAX_CHARS), "")


def _state(found: Outline) -> tuple[str, str]:
    """Return (state of a session in a few words, next step); each "" when unknown.

    A model names open work first and git last; patterns find what is open in the order in which it was said.
    """
    done = any(not line.startswith(UNVERIFIED) and _says_done(line) for line in found.done)
    requested = next((line.removeprefix(IN_PROGRESS) for line in found.open if line.startswith(IN_PROGRESS)), "")
    states = (
        (found.validation == "failed" or found.failing, "tests fail" if found.validation == "failed" else "it fails", ""),
        (requested, "in progress", requested.partition(' ("')[0]),
        (any(line.startswith(WAITS) for line in found.open), "waits for an answer", ""),
        (any(line.startswith(UNCOMMITTED) for line in found.open), "not committed", ""),
        (found.next, "next", found.next),
        (found.open, "open", found.open[0 if found.read else -1] if found.open else ""),
        (_committed(found), "committed", ""),
        (done, "done", ""),
    )
    return next(((state, step) for holds, state, step in states if holds), ("", ""))


def _committed(found: Outline) -> list[str]:
    """Return the subjects of the commits that are certain."""
    return [subject for _, subject in found.commits if not subject.startswith(UNVERIFIED)]


def _is_vague(goal: str) -> bool:
    """Return whether a goal had to be cut, points at something ("This should be hidden"), or is a remark or a condition."""
    return goal.endswith("…") or any(speech(sign).match(goal) for sign in ("pointing", "self_talk", "passing"))


def _says_done(line: str) -> bool:
    return any(languages().sign("reports", sign).search(line) for sign in ("deed", "did", "green", "committed"))


def _cut(text: str, max_chars: int) -> str:
    """Shorten a text to at most `max_chars` characters, between words."""
    return text if len(text) <= max_chars else text[: max_chars - 1].rpartition(" ")[0] + "…"


def handoff_text(found: Outline) -> str:
    """Return the handoff as Markdown; empty sections are left out."""
    sections: tuple[tuple[str, Iterable[str]], ...] = (
        ("Asked", _bullets(_ends(found.asked))),
        ("Done", _bullets(found.done[-_MOST:])),
        ("Decided", _bullets(found.decided[-_MOST:])),
        ("Open", _bullets([*found.open[-_MOST:], *(f"failing: {name}" for name in found.failing[-_MOST:])])),
        ("Next", [found.next] if found.next else []),
        ("Last message", [_cut(found.last, LAST_MAX_CHARS)] if found.last else []),
        ("Files changed", _bullets(f"`{path}`" for path in found.changed[-_MOST * 2 :])),
        ("Commits" if found.pushed else "Commits, not pushed", _bullets(map(_commit, found.commits[-_MOST:]))),
    )
    written = [(heading, "\n".join(lines)) for heading, lines in sections]
    return "\n\n".join([_facts(found), *(f"## {heading}\n\n{text}" for heading, text in written if text)]) + "\n"


#: Maximum characters of each section of the short form: requested, done, last message.
SHORT_CHARS = (150, 200, 120)


def short_handoff_text(found: Outline) -> str:
    """Return a short handoff as Markdown, three sections of one line: what was requested, what was done, the last message."""
    goal = (found.goal, "; ".join(found.done[-_MOST:]), found.last)
    headings = ("What was requested", "What was done", "Last message")
    lines = ((heading, _cut(text, most)) for heading, text, most in zip(headings, goal, SHORT_CHARS, strict=True))
    return "\n\n".join(f"## {heading}\n\n{text}" for heading, text in lines if text) + "\n"


def page_lines(last: Iterable[Item], local: Callable[[datetime], datetime]) -> Iterator[str]:
    """Yield a line for each handoff: when its session stopped, its project, and its title as a link.

    Args:
        local: converts a moment to the person's time zone.
    """
    return (f"- {_when(item, local)}[[{item.path.removesuffix('.md')}|{_label(item.title)}]]" for item in last)


def _when(item: Item, local: Callable[[datetime], datetime]) -> str:
    moment = f"{local(item.updated):%Y-%m-%d %H:%M} " if item.updated else ""
    return f"{moment}{item.project}: " if item.project else moment


def _label(title: str) -> str:
    """Return a title without characters that would break a link."""
    return title.translate({ord(char): " " for char in "[]|"})


def _commit(commit: tuple[str, str]) -> str:
    name, subject = commit
    return f"`{name}` {subject}" if name else subject


def _facts(outline: Outline) -> str:
    when = f"{outline.started:%Y-%m-%d %H:%M} UTC" if outline.started else "an unknown time"
    how = "Read by a model; files and commits by its tools." if outline.read else "From the transcript, by patterns."
    where = f", branch {outline.branch}" if outline.branch else ""
    return f"A conversation with {outline.host} at {when}{where}, {outline.turns} turns. {how}"


def _ends(asked: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first request, which is the goal, and the last ones."""
    return asked if len(asked) <= _MOST else (asked[0], *asked[-(_MOST - 1) :])


def _bullets(lines: Iterable[str]) -> Iterator[str]:
    return (f"- {line}" for line in lines)
