"""Where a session stopped, as the text of a memory: what was asked, done, left open, and what comes next."""

from collections.abc import Iterable, Iterator

from vademecum.model.outline import Outline

TITLE_MAX_CHARS = 90
LAST_MAX_CHARS = 120
#: Lines of each section. The last ones: where a session stopped is at its end.
_MOST = 8


def handoff_title(found: Outline) -> str:
    """What to call it: the session's title or its goal."""
    return _cut(found.title or found.goal or "a session", TITLE_MAX_CHARS)


def _cut(text: str, max_chars: int) -> str:
    """At most so many characters, cut between words."""
    return text if len(text) <= max_chars else text[: max_chars - 1].rpartition(" ")[0] + "…"


def handoff_text(found: Outline) -> str:
    """Markdown; a section without lines is left out."""
    sections: tuple[tuple[str, Iterable[str]], ...] = (
        ("Asked", _bullets(_ends(found.asked))),
        ("Done", _bullets(found.done[-_MOST:])),
        ("Decided", _bullets(found.decided[-_MOST:])),
        ("Open", _bullets([*found.open[-_MOST:], *(f"failing: {name}" for name in found.failing[-_MOST:])])),
        ("Next", [found.next] if found.next else []),
        ("Last message", [_cut(found.last, LAST_MAX_CHARS)] if found.last else []),
        ("Files changed", _bullets(f"`{path}`" for path in found.changed[-_MOST * 2 :])),
        ("Commits", _bullets(found.commits[-_MOST:])),
    )
    written = [(heading, "\n".join(lines)) for heading, lines in sections]
    return "\n\n".join([_facts(found), *(f"## {heading}\n\n{text}" for heading, text in written if text)]) + "\n"


#: Characters of each section of the short form: requested, done, last message.
SHORT_CHARS = (150, 200, 120)


def short_handoff_text(found: Outline) -> str:
    """Markdown of three sections, each one line: what was requested, what was done, the last message."""
    said = (found.goal, "; ".join(found.done[-_MOST:]), found.last)
    headings = ("What was requested", "What was done", "Last message")
    lines = ((heading, _cut(text, most)) for heading, text, most in zip(headings, said, SHORT_CHARS, strict=True))
    return "\n\n".join(f"## {heading}\n\n{text}" for heading, text in lines if text) + "\n"


def _facts(found: Outline) -> str:
    when = f"{found.started:%Y-%m-%d %H:%M} UTC" if found.started else "an unknown time"
    where = f", branch {found.branch}" if found.branch else ""
    return f"A conversation with {found.host} at {when}{where}, {found.turns} turns. From the transcript, by patterns."


def _ends(asked: tuple[str, ...]) -> tuple[str, ...]:
    """The goal and the last requests."""
    return asked if len(asked) <= _MOST else (asked[0], *asked[-(_MOST - 1) :])


def _bullets(lines: Iterable[str]) -> Iterator[str]:
    return (f"- {line}" for line in lines)
