"""Render a session's activity on a day as a block of the daily note, and as the fields of its sidecar."""

from collections.abc import Iterable, Iterator
from typing import Any

from vademecum.domain.daily import Block, Commit
from vademecum.plugins.daily.values import Activity

TITLE_MAX_CHARS = 90


def daily_block(found: Activity) -> Block:
    """Return the block; empty sections are left out."""
    return Block(
        session=found.session,
        time=f"{found.start:%H:%M}",
        title=_title(found),
        body="\n\n".join([_facts(found), *_sections(found)]),
        facts=sidecar_fields(found),
        incident=bool(found.incident),
    )


def sidecar_fields(found: Activity) -> dict[str, Any]:
    """Return the fields of the JSON line; times are ISO 8601 with offset."""
    return {
        "session_id": found.session.rpartition("/")[2],
        "timestamp": found.end.isoformat(timespec="seconds"),
        "session_start": found.start.isoformat(timespec="seconds"),
        "message_count": found.turns,
        "title": _title(found),
        "topics": list(found.topics),
        "decisions": list(found.decisions),
        "files_modified": list(found.files),
        "open_questions": list(found.open),
        "deliverables": list(found.delivered),
        "key_outputs": list(found.outputs),
        "lessons": list(found.lessons),
        "rejected_approaches": list(found.rejected),
        "corrections": list(found.corrections),
        "process_reflection": list(found.reflections),
        "signal_driven_actions": list(found.signals),
        "continue_from": found.next or (found.open[-1] if found.open else ""),
        "validation_status": found.validation,
        "coe_signal": bool(found.incident),
        "coe_topic": found.incident,
        "git_commits": [{"hash": commit.hash, "subject": commit.subject} for commit in found.commits],
        "host": found.host,
        "project": found.project,
        "cursor": found.cursor,
    }


def _title(activity: Activity) -> str:
    about = _line(activity.title) or "a session"
    return about if len(about) <= TITLE_MAX_CHARS else about[: TITLE_MAX_CHARS - 1].rpartition(" ")[0] + "…"


def _facts(activity: Activity) -> str:
    """Return one line: host, project, end, number of turns, and the session's URI."""
    where = [activity.host, activity.project, f"branch {activity.branch}" if activity.branch else ""]
    texts = [*filter(None, where), f"until {activity.end:%H:%M}", f"{activity.turns} turns", f"`{activity.session}`"]
    handoff = [f"[[{activity.handoff}|handoff]]"] if activity.handoff else []
    return " · ".join(map(_line, [*texts, *handoff]))


def _sections(activity: Activity) -> Iterator[str]:
    rows: tuple[tuple[str, Iterable[str]], ...] = (
        ("Delivered", activity.delivered),
        ("Outputs", activity.outputs),
        ("Decisions", activity.decisions),
        ("Lessons", activity.lessons),
        ("Rejected", activity.rejected),
        ("Corrections", activity.corrections),
        ("Signal-Driven", activity.signals),
        ("Process Reflection", activity.reflections),
        ("Files", (f"`{path}`" for path in activity.files)),
        ("Git activity", map(_commit, activity.commits)),
        ("COE", [activity.incident] if activity.incident else []),
        ("Validation", [f"tests: {activity.validation}"] if activity.validation else []),
        ("Open", activity.open),
        ("Next", [activity.next] if activity.next else []),
    )
    for heading, lines in rows:
        bullets = "\n".join(f"- {_line(line)}" for line in lines)
        if bullets:
            yield f"### {heading}\n\n{bullets}"


def _commit(commit: Commit) -> str:
    return f"`{commit.hash}` {commit.subject}" if commit.hash else commit.subject


def _line(text: str) -> str:
    """Return a text on one line without code fences: an open fence would swallow the end of our block."""
    return " ".join(text.split()).replace("```", "'''").replace("~~~", "'''")
