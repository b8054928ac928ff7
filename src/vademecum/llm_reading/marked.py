"""Mine a conversation on request, however short it is and whenever it was read."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.llm_queue import enqueue
from vademecum.domain.errors import InvalidInput, NotFound, Refused
from vademecum.domain.query import Scope
from vademecum.domain.saved import Saved
from vademecum.extract.llm_extraction import Conversation, candidates_of
from vademecum.extract.material import shown_of
from vademecum.extract.reading_prompt import Known
from vademecum.extract.voice import voices
from vademecum.ingest.batch import mine_again
from vademecum.ingest.growth import Captured
from vademecum.ingest.load_session import whole_session
from vademecum.ingest.transcripts import SHORT_WAIT_S, absorb
from vademecum.ingest.verify_claims import verified
from vademecum.sessions.lookup import named
from vademecum.write.candidates import route_all


class Marked(Struct, frozen=True):
    """Result of mining a conversation on request.

    Attributes:
        turns: number of spoken turns so far; the next request can start after them.
        reason: reason as given.
        queued: whether the language model will read it next.
        rejected: (text, reason) of an agent's facts that do not occur in the conversation.
    """

    captured: Captured
    turns: int
    reason: str = ""
    queued: bool = False
    rejected: tuple[tuple[str, str], ...] = ()


def mark(
    context: Context,
    session: str = "",
    reason: str = "",
    since: int = 0,
    least: int = 0,
    facts: Sequence[Mapping[str, Any]] = (),
) -> Marked:
    """Extract memories from a conversation now.

    Args:
        session: its URI, its id or the beginning of that, its path or title, or the id of a conversation that an agent sent;
            "": the one with the latest turn in the current project.
        reason: why, in words; returned without secrets.
        since, least: see :func:`vademecum.ingest.batch.mine_again`.
        facts: what the agent of the conversation proposes to remember, in the schema of a model's answer; `target` refers to a
            memory. Each is treated as a candidate: it must occur in the conversation.

    Raises:
        NotFound, Ambiguous: there is no such conversation, or several.
        Refused: memory is switched off, or the conversation waits for the person's confirmation.
    """
    context.must_be_enabled("nothing was read")
    uri, path = _named(context, session, context.outside.projects.slug_of(context.folder))
    looked_at, captured = mine_again(context, uri, path, since=since, least=least)
    turns = since + len(looked_at.turns) if looked_at.turns else since
    rejected: tuple[tuple[str, str], ...] = ()
    if facts:
        saved, rejected = _from_agent(context, captured.session, path, facts)
        captured = replace(captured, saved=(*captured.saved, *saved))
    return Marked(captured, turns, context.guard.clean(reason), enqueue(context, captured.session, path, forced=True), rejected)


def _from_agent(
    context: Context, session: str, path: str, facts: Sequence[Mapping[str, Any]]
) -> tuple[tuple[Saved, ...], tuple[tuple[str, str], ...]]:
    """Return (results of the accepted facts, (text, reason) of the rejected ones)."""
    whole, _ = whole_session(context, session, path)
    known, numbered = _known(context, facts)
    conversation = Conversation(whole, shown_of(whole.turns, voices(whole.turns)), tuple(known))
    candidates, rejected = candidates_of(numbered, conversation, "agent")
    return route_all(context, verified(context, candidates, whole.cwd), whole.host, folder=whole.cwd), rejected


def _known(context: Context, facts: Sequence[Mapping[str, Any]]) -> tuple[list[Known], list[Mapping[str, Any]]]:
    """Return (the memories that facts refer to, the facts with `target` as a position in that list)."""
    known: list[Known] = []
    numbered: list[Mapping[str, Any]] = []
    for fact in facts:
        target = ""
        if fact.get("target"):
            memory = context.vault.get(str(fact["target"]))
            known.append(Known(memory.id, memory.kind, memory.title))
            target = f"m{len(known)}"
        numbered.append({"relation": "new", **fact, "target": target})
    return known, numbered


def _named(context: Context, session: str, project: str) -> tuple[str, str]:
    """Return (URI, path of the transcript) of a conversation; for one that an agent sent, ("", path)."""
    if session and "://" not in session:
        try:
            handed_over = context.storage.conversations.get(session)
        except (NotFound, InvalidInput):
            handed_over = None
        if handed_over is not None and handed_over.pending:
            raise Refused(
                f"Conversation {handed_over.id} waits for the person's confirmation.",
                "They confirm it with: vade conversations --confirm",
            )
        if handed_over is not None:
            return "", handed_over.path
    absorb(context, (), wait_s=SHORT_WAIT_S)
    if not session:
        scope = Scope(sources=("session",), statuses=None, projects=(project,) if project else None)
        items = context.index.select(scope, limit=1)
    else:
        items = tuple(context.index.items([named(context, session)]).values())
    if not items:
        raise NotFound(
            f"The conversation {session} was not captured yet." if session else "No conversation was captured yet.",
            "Save it with save_conversation, or read transcripts with: vade capture",
        )
    return items[0].key, items[0].path
