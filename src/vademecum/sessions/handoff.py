"""Write down where a session stopped: one handoff for each session, written anew under its id when the session went on (X-11).

It stands in `_handoffs`, outside search, for the session that comes next. A page in the memory folder names the last ones.
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
from vademecum.domain.session import MIN_TURNS, Session
from vademecum.extract.outline import outline
from vademecum.ingest.load_session import own_part, whole_session
from vademecum.sessions.daily_notes import day_link
from vademecum.sessions.handoff_text import handoff_text, handoff_title, page_lines, short_handoff_text
from vademecum.vault.handoffs_page import HANDOFFS_PAGE, with_list
from vademecum.vault.places import slugify
from vademecum.write.gate import Saved, line_of, record

#: Tags by which those who want them find what was made by itself. Without hyphens: some tools break tags at them.
HANDOFF_TAGS = ("autohandoff", "transcript")
BY_HANDOFF = By("extraction", "handoff")
#: Whose words the lines of a handoff are, for the guard: the person may say what an agent may not.
BY_PERSON = By("user", "handoff")
#: Handoffs looked through for the one of this session, newest first.
LOOKED_THROUGH = 2000
#: Handoffs that the page names.
LAST_ONES = 10
#: Fields of an outline that hold the person's own words, and those that hold an agent's or a tool's.
_PERSONS, _AGENTS = (("title", "asked", "corrected"), ("done", "decided", "learned", "open", "next", "failing", "changed"))


def hand_over(context: Context, found: Outline) -> str:
    """Write the handoff of a session and return its id; "" when there is nothing to hand over.

    A session that was only looked into (fewer spoken turns than are mined, no file changed) leaves none.
    """
    saved = write_handoff(context, found)
    return saved.memory.id if saved is not None and saved.memory is not None else ""


def write_handoff(context: Context, found: Outline) -> Saved | None:
    """Write the handoff that an outline makes; None when it says too little, or the person opted the session out."""
    if not found.asked or (found.turns < MIN_TURNS and not found.changed):
        return None
    former = handoffs_of(context, found.session)
    if len(former) == 1:
        standing = context.vault.get(former[0].key)
        if standing.source_span == found.cursor:  # written from the same last turn
            return Saved("confirmed", standing)
    return _written(context, found, former)


def own_outline(context: Context, session: Session) -> Outline:
    """Return the outline of what was said in a conversation itself. One that goes on from a copy of another keeps the goal of that one.

    What the other one had before stands in the other one's handoff. Without anything asked behind the copy it is the whole outline.
    """
    own, whole = own_part(context, session), outline(session)
    whole_outline = outline(own) if len(own.turns) < len(session.turns) else whole
    if not whole_outline.asked:  # nothing was asked behind the copy
        return whole
    asked = tuple(dict.fromkeys((*whole.asked[:1], *whole_outline.asked)))
    return replace(whole_outline, title=whole.title, turns=whole.turns, asked=asked)


def retell(context: Context, session_uri: str, told: Handoff) -> Saved | None:
    """Write a session's handoff anew with what somebody tells who read it; files, commits and tests stay those of its tools.

    Raises:
        NotFound: there is no transcript of it any more, and none in the archive.
    """
    whole_outline = own_outline(context, whole_session(context, session_uri)[0])
    asked = (told.asked,) if told.asked else whole_outline.asked
    decided = told.decided or whole_outline.decided
    read = replace(whole_outline, asked=asked, done=told.done, decided=decided, open=told.open, next=told.next, read=True)
    return _written(context, read, handoffs_of(context, session_uri))


def handoffs_of(context: Context, session: str) -> list[Item]:
    """Return the handoffs of a session that stand, newest first: one, or more when two computers wrote one."""
    scope = Scope(sources=FILED_SOURCES, kinds=("handoff",), statuses=("active",))
    return [item for item in context.index.select(scope, limit=LOOKED_THROUGH) if item.origin == session]


def write_page(context: Context) -> None:
    """Bring the page that names the last handoffs up to date; what the person wrote around its list stays.

    A page that cannot be read, or that somebody writes to, stays as it is until the next time.
    """
    scope = Scope(sources=("handoff",), statuses=("active",))
    last = context.index.select(scope, limit=LAST_ONES)

    def change(texts: Sequence[str | None]) -> Sequence[str | None]:
        return [with_list(texts[0], list(page_lines(last, context.local_time))) if last or texts[0] else None]

    with contextlib.suppress(Conflict, InvalidInput):
        context.vault.pages.revise((HANDOFFS_PAGE,), change, op="handoffs", by=BY_HANDOFF)


def stand_alone(context: Context, draft: Draft, slug: str, former: Sequence[Item], *, by: By) -> Saved:
    """Write a handoff in the place of the former ones of its session, newest first: under the id of the first, which keeps no copy.

    One that somebody else changed, by hand or by a verb, gives way to a new one and goes to the archive whole.

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
    """Return whether a memory's file is as a program wrote it."""
    last = [
        other_record
        for other_record in context.vault.history.of(identity)
        if any(change.memory == identity for change in other_record.changes)
    ][-1:]
    etags = {
        change.after.etag
        for other_record in last
        for change in other_record.changes
        if change.memory == identity and change.after
    }
    return any(other_record.actor == "extraction" for other_record in last) and context.vault.get(identity).etag in etags


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
    text = short_handoff_text(judged) if short else handoff_text(judged, day_link(context, began, judged.project))
    tags = HANDOFF_TAGS if context.choices.transcript_tags else ()
    draft = Draft("handoff", handoff_title(judged), text, tags, "", known)
    name = f"{context.local_time(began):%Y-%m-%d-%H%M}" if began else slugify(judged.session)  # tells nothing to be forgotten
    try:
        return stand_alone(context, draft, name, former, by=BY_HANDOFF)
    except Refused as error:
        return Saved("refused", None, warnings=(error.message,))


def _as_in_the_log(context: Context, whole_outline: Outline) -> Outline:
    """Return the outline with commits that git did not name as the repository's log has them; one that it lacks is marked.

    What git named itself was made, also when it was rebased since. Where no repository is, the commands' word stands.
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
    """Return the outline with every line as its speaker may be quoted: the person's own words never wait for the person."""
    subjects = [(name, line_of(context, subject, BY_HANDOFF)) for name, subject in whole_outline.commits]
    changes: dict[str, Any] = {"commits": tuple(dict.fromkeys(subjects))}
    speaker = BY_PERSON if whole_outline.last.startswith("user:") else BY_HANDOFF
    for by, names in ((BY_PERSON, _PERSONS), (BY_HANDOFF, _AGENTS), (speaker, ("last",))):
        for name in names:
            value = getattr(whole_outline, name)
            lines = [line_of(context, line, by) for line in ([value] if isinstance(value, str) else value) if line]
            changes[name] = "".join(lines) if isinstance(value, str) else tuple(dict.fromkeys(filter(None, lines)))
    return replace(whole_outline, **changes)
