"""Write handoffs: where a session stopped. Each session has one, rewritten under the same id when the session continues (X-11).

Handoffs are stored in `_handoffs`, outside search, for the next session. A page in the memory folder lists the latest ones.
"""

import contextlib
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import Conflict, InvalidInput, Refused
from vademecum.domain.item import FILED_SOURCES, Item
from vademecum.domain.memory import By, Draft
from vademecum.domain.outline import UNVERIFIED, Handoff, Outline
from vademecum.domain.query import Scope
from vademecum.domain.saved import Saved
from vademecum.domain.session import MIN_TURNS, Session
from vademecum.extract.outline import outline
from vademecum.ingest.load_session import own_part, whole_session
from vademecum.sessions.handoff_text import handoff_text, handoff_title, page_lines, short_handoff_text
from vademecum.vault.handoffs_page import HANDOFFS_PAGE, with_list
from vademecum.vault.places import slugify
from vademecum.write.gate import line_of, record

#: Tags of generated handoffs. They contain no hyphens because some tools split tags at hyphens.
HANDOFF_TAGS = ("autohandoff", "transcript")
BY_HANDOFF = By("extraction", "handoff")
#: Speaker for the guard when a line is the person's own; the guard is stricter for agents.
BY_PERSON = By("user", "handoff")
#: Maximum handoffs searched for the session's own, newest first.
LOOKED_THROUGH = 2000
#: Number of handoffs that the page lists.
LAST_ONES = 10
#: Outline fields with the person's own words, and those with an agent's or a tool's.
_PERSONS, _AGENTS = (("title", "asked", "corrected"), ("done", "decided", "learned", "open", "next", "failing", "changed"))


def hand_over(context: Context, found: Outline) -> str:
    """Write the handoff of a session and return its id; "" when there is none.

    A session with fewer spoken turns than are mined and no changed file gets no handoff.
    """
    saved = write_handoff(context, found)
    return saved.memory.id if saved is not None and saved.memory is not None else ""


def write_handoff(context: Context, found: Outline) -> Saved | None:
    """Write the handoff of an outline; None when the outline says too little, or the session is excluded."""
    if not found.asked or (found.turns < MIN_TURNS and not found.changed):
        return None
    former = handoffs_of(context, found.session)
    if len(former) == 1:
        standing = context.vault.get(former[0].key)
        if standing.source_span == found.cursor:  # the handoff already covers the last turn
            return Saved("confirmed", standing)
    return _written(context, found, former)


def own_outline(context: Context, session: Session) -> Outline:
    """Return the outline of a conversation without turns copied from another one.

    It keeps the goal of the conversation it continues. The copied turns are covered by the other conversation's handoff. If
    nothing was asked after them, the full outline is returned.
    """
    own, whole = own_part(context, session), outline(session)
    whole_outline = outline(own) if len(own.turns) < len(session.turns) else whole
    if not whole_outline.asked:  # nothing was asked after the copied turns
        return whole
    asked = tuple(dict.fromkeys((*whole.asked[:1], *whole_outline.asked)))
    return replace(whole_outline, title=whole.title, turns=whole.turns, asked=asked)


def rewrite_handoff(context: Context, session_uri: str, summary: Handoff) -> Saved | None:
    """Rewrite a session's handoff with a model's summary. Files, commits and tests still come from the session's tools.

    Raises:
        NotFound: neither the host nor the archive has its transcript.
    """
    whole_outline = own_outline(context, whole_session(context, session_uri)[0])
    return _written(context, with_summary(whole_outline, summary), handoffs_of(context, session_uri))


def with_summary(found: Outline, summary: Handoff) -> Outline:
    """Return the outline with what a model says was asked, done and left open.

    Its goal is the title, too, because it names the subject; the first request follows it in the person's own words.
    """
    asked = (summary.asked, *found.asked[:1]) if summary.asked else found.asked
    return replace(
        found,
        title=summary.asked or found.title,
        asked=asked,
        done=summary.done,
        decided=summary.decided or found.decided,
        open=summary.open,
        next=summary.next,
        read=True,
    )


def handoffs_of(context: Context, session: str) -> list[Item]:
    """Return the active handoffs of a session, newest first. There are several when two computers wrote one."""
    scope = Scope(sources=FILED_SOURCES, kinds=("handoff",), statuses=("active",))
    return [item for item in context.index.select(scope, limit=LOOKED_THROUGH) if item.origin == session]


def write_page(context: Context) -> None:
    """Update the page that lists the latest handoffs. What the person wrote around the list stays.

    If the page cannot be read or is being edited, it is left unchanged until the next time.
    """
    scope = Scope(sources=("handoff",), statuses=("active",))
    last = context.index.select(scope, limit=LAST_ONES)

    def change(texts: Sequence[str | None]) -> Sequence[str | None]:
        return [with_list(texts[0], list(page_lines(last, context.local_time))) if last or texts[0] else None]

    with contextlib.suppress(Conflict, InvalidInput):
        context.vault.pages.revise((HANDOFFS_PAGE,), change, op="handoffs", by=BY_HANDOFF)


def stand_alone(context: Context, draft: Draft, slug: str, former: Sequence[Item], *, by: By) -> Saved:
    """Write a handoff that replaces the session's earlier ones (newest first).

    It gets the id of the newest, whose text is not kept. An earlier handoff that a person or another operation changed is
    archived, and the new one gets a new id.

    Raises:
        Refused: memory is switched off, or the conversation was forgotten.
    """
    ids = [item.key.removeprefix("memory://") for item in former]
    if ids and _is_as_written(context, ids[0]):
        saved = record(context, draft, slug, by=by, known=ids[0])
        for other in ids[1:]:
            context.vault.supersede(other, ids[0], "replaced by a newer memory", by=by)
    else:
        saved = record(context, draft, slug, by=by, replaces=ids)
    write_page(context)
    return saved


def _is_as_written(context: Context, identity: str) -> bool:
    """Return whether a program wrote the memory's file and nobody changed it since."""
    last = [
        entry for entry in context.vault.history.of(identity) if any(change.memory == identity for change in entry.changes)
    ][-1:]
    etags = {change.after.etag for entry in last for change in entry.changes if change.memory == identity and change.after}
    return any(entry.actor == "extraction" for entry in last) and context.vault.get(identity).etag in etags


def _written(context: Context, whole_outline: Outline, former: Sequence[Item]) -> Saved | None:
    if whole_outline.session in context.storage.pauses.excluded():
        return None
    judged = _judged(context, _as_in_the_log(context, whole_outline))
    properties: dict[str, object] = {
        "project": judged.project,
        "source": judged.session,
        "source_interface": "transcript",
        "source_span": judged.cursor,
        "trust": "extracted",
        "valid_from": judged.ended,
    }
    known = {name: value for name, value in properties.items() if value not in ("", None)}
    began = judged.started or judged.ended
    short = context.choices.handoff_form == "short"
    text = short_handoff_text(judged) if short else handoff_text(judged)
    tags = HANDOFF_TAGS if context.choices.transcript_tags else ()
    draft = Draft("handoff", handoff_title(judged), text, tags, "", known)
    name = f"{context.local_time(began):%Y-%m-%d-%H%M}" if began else slugify(judged.session)  # no text that may be forgotten
    try:
        return stand_alone(context, draft, name, former, by=BY_HANDOFF)
    except Refused as error:
        return Saved("refused", None, warnings=(error.message,))


def _as_in_the_log(context: Context, whole_outline: Outline) -> Outline:
    """Look up commits that git did not print in the repository's log.

    They get their hashes from the log; those that the log lacks are marked as unverified. Commits that git printed are kept
    even if they were rebased since. Without a repository the commands' own record counts.
    """
    unnamed = [subject for name, subject in whole_outline.commits if not name]
    log = context.outside.open_repository(whole_outline.folder).subjects if unnamed and whole_outline.folder else ()
    if not log:
        return whole_outline
    names = {subject: name for name, subject in reversed(log)}
    commits = [
        (name or names.get(subject, ""), subject if name or subject in names else f"{UNVERIFIED} {subject}")
        for name, subject in whole_outline.commits
    ]
    return replace(whole_outline, commits=tuple(commits))


def _judged(context: Context, whole_outline: Outline) -> Outline:
    """Return the outline after the guard checked every line for its own speaker.

    The person's own words are therefore never held for review.
    """
    subjects = [(name, line_of(context, subject, BY_HANDOFF)) for name, subject in whole_outline.commits]
    changes: dict[str, Any] = {"commits": tuple(dict.fromkeys(subjects))}
    speaker = BY_PERSON if whole_outline.last.startswith("user:") else BY_HANDOFF
    for by, names in ((BY_PERSON, _PERSONS), (BY_HANDOFF, _AGENTS), (speaker, ("last",))):
        for name in names:
            value = getattr(whole_outline, name)
            lines = [line_of(context, line, by) for line in ([value] if isinstance(value, str) else value) if line]
            changes[name] = "".join(lines) if isinstance(value, str) else tuple(dict.fromkeys(filter(None, lines)))
    return replace(whole_outline, **changes)
