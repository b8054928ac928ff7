"""What an agent starts with: the briefing of a project, and the core memory that stays in its context."""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.llm_queue import pause_notice
from vademecum.domain.item import Item
from vademecum.domain.kinds import CURATED_KINDS
from vademecum.domain.procedural import ANY_AGENT, CODING
from vademecum.domain.project_document import ProjectDocument
from vademecum.domain.query import Bundle, Scope
from vademecum.domain.relations import MAY_REPLACE, SUPERSEDES
from vademecum.domain.session import Snapshot, Turn
from vademecum.extract.voice import voices
from vademecum.inject.briefing_text import (
    BriefingFacts,
    Order,
    Work,
    candidates,
    compose_briefing,
    leaves_nothing_open,
)
from vademecum.inject.code import since
from vademecum.inject.context import RecallContext
from vademecum.inject.cool_down import rests_at_start
from vademecum.inject.core_memory import compose_brain
from vademecum.inject.memory_text import text_of_memory
from vademecum.inject.numbers import (
    AT_START_S,
    CORE_FROM,
    CURRENT_FOR,
    DISPUTED_MOST,
    HANDOFFS_IN_CORE,
    LAST_FILES,
    LAST_SESSIONS,
    TEXT_PASSAGES,
)
from vademecum.inject.recovery import to_recover
from vademecum.inject.scope import last_handoffs, last_words, open_scope
from vademecum.inject.touch import terms_in, text_words
from vademecum.language.sentences import is_bulk
from vademecum.ports.index import Index
from vademecum.ports.repository import Unanswered
from vademecum.recall.conflicts import taken_over

#: Prefix of the person's messages among the last words of a session.
BY_PERSON = "[user]"
#: Kinds that are shown as statements of the person.
OWN_WORDS = ("identity", "preference", "style")


class BriefingRequest(Struct, frozen=True, kw_only=True):
    """Which briefing to compose.

    Attributes:
        project: "": the project of the working folder.
        budget: maximum tokens; 0: the value of the settings.
        session: id of the session that starts; its own interruption is not reported to it.
        context: where the person talks, such as a host; styles for other contexts are left out. A project adds the coding context.
        agent: agent that starts; its own memories are shown beside the shared ones.
        last_words: last words of that agent's chat, shown instead of those of an interrupted session.
        held_out: selected items -> keys of those held out of this session on purpose; they are not replaced by others.
        holds_back: what does not bind any work whatever its subject is kept for the session's first prompt.
    """

    project: str = ""
    budget: int = 0
    session: str = ""
    context: str = ""
    agent: str = ""
    last_words: Snapshot | None = None
    held_out: Callable[[Iterable[Item]], frozenset[str]] = lambda _: frozenset()
    holds_back: bool = False


def briefing(recall: RecallContext, request: BriefingRequest) -> Bundle:
    """Return the briefing of a session, within its budget."""
    in_project = bool(request.project or recall.project)
    project, agent = request.project or recall.briefed_project, request.agent
    index, now = recall.context.index, recall.context.clock.now()
    scope = _briefed_scope(recall, project, agent)
    disputed = index.select(replace(scope, statuses=("disputed",)), order="importance", limit=DISPUTED_MOST)

    def select(fields: Mapping[str, Any], order: Order, most: int) -> tuple[Item, ...]:
        if fields.get("kinds") == ("handoff",):
            return last_handoffs(recall.context, scope, project, most, agent)
        return index.select(replace(scope, **fields), order=order, limit=most)

    excluded = recall.context.storage.pauses.excluded()
    words = [snapshot for snapshot in last_words(recall.context, project) if snapshot.session not in excluded]
    named = "-".join(request.context.casefold().split())
    facts = BriefingFacts(
        recovery=request.last_words or to_recover(words, now, request.session),
        missing=_unread(recall),
        contexts=(*((named,) if named else ()), *((CODING,) if in_project else ())),
        later_of=partial(_later_of, index) if index.with_edge(MAY_REPLACE) or index.with_edge(SUPERSEDES) else lambda key: None,
        since=_since(recall),
        work=_work(recall, project, words),
        in_project=in_project,
        holds_back=request.holds_back,
        documents=_documents(recall, project),
    )
    budget = request.budget or recall.limits.briefing_tokens

    def compose(items: Sequence[Item]) -> Bundle:
        return compose_briefing(items, partial(text_of_memory, index, TEXT_PASSAGES), budget, now, facts)

    items = _shown(recall, project, [*candidates(select, agent), *disputed])
    bundle = compose(items)
    taken = [item for item in items if item.key in bundle.keys]
    gone = request.held_out(taken).intersection(bundle.keys)
    if not gone:
        return bundle
    return replace(
        compose([item for item in taken if item.key not in gone]), omitted=bundle.omitted, held_back=bundle.held_back
    )


def _shown(recall: RecallContext, project: str, items: Sequence[Item]) -> list[Item]:
    """Remove items in cool-down, pasted material taken for the person's own statement, and handoffs of today that left nothing open.

    Such a handoff is shown if the briefing would be empty without it.
    """
    usage, now = recall.context.state.usage, recall.context.clock.now()
    text_of = partial(text_of_memory, recall.context.index, TEXT_PASSAGES)
    out = rests_at_start(usage, project if recall.project else "", items, now, text_of)
    out |= {item.key for item in items if item.kind in OWN_WORDS and item.trust == "extracted" and _is_pasted(recall, item)}
    rest = [item for item in items if item.key not in out]
    return [item for item in rest if item.kind != "handoff" or not _is_closed(recall, item, now)] or rest


def _is_closed(recall: RecallContext, handoff: Item, now: datetime) -> bool:
    is_of_today = handoff.updated is not None and now - handoff.updated < CURRENT_FOR
    return is_of_today and leaves_nothing_open(text_of_memory(recall.context.index, TEXT_PASSAGES, handoff.key))


def _is_pasted(recall: RecallContext, item: Item) -> bool:
    text = text_of_memory(recall.context.index, TEXT_PASSAGES, item.key)
    return is_bulk(text) or voices([Turn(item.key, "user", text)])[item.key].pasted


def _work(recall: RecallContext, project: str, words: Sequence[Snapshot]) -> Work | None:
    """Return the current work of a project; None if there is none yet.

    It is described by the last handoff, the person's last messages, the titles of the last sessions, the files that they touched,
    and the branch.
    """
    index = recall.context.index
    sessions = index.select(Scope(sources=("session",), projects=(project,)), order="recent", limit=LAST_SESSIONS)
    if not sessions:
        return None
    scope = _briefed_scope(recall, project)
    handoffs = last_handoffs(recall.context, scope, project, 1)
    files = (touch.file.rpartition("/")[2] for _, touch in index.touches(Scope(projects=(project,)), LAST_FILES))
    texts = (text for snapshot in words[:LAST_SESSIONS] for _, text in snapshot.messages if text.startswith(BY_PERSON))
    about = "\n".join(
        (
            *(text_of_memory(index, None, item.key) for item in handoffs),
            *(item.title for item in (*handoffs, *sessions)),
            *texts,
            *dict.fromkeys(files),
            _branch(recall.context),
        )
    )
    touching = text_words(index, project, about)
    last = sessions[0].updated or recall.context.clock.now()

    def touch(item: Item) -> float:
        return touching.touch_of(terms_in(index, "\n".join((item.title, item.summary, *item.tags))))

    return Work(touch, last - CURRENT_FOR)


def _branch(context: Context) -> str:
    """Return the branch checked out in the working folder; "" for the default branch, or if git does not answer in time."""
    with contextlib.suppress(Unanswered):
        branches = context.outside.branches(context.folder, AT_START_S) if context.folder else None
        learnt = branches.learnt() if branches else None
        return learnt[0] if learnt else ""
    return ""


def _documents(recall: RecallContext, project: str) -> list[ProjectDocument]:
    """Return the project's own documents that the guard lets an agent read, with secrets removed."""
    guard = recall.context.guard
    project_documents = recall.documents() if project == recall.project else ()
    all_project_documents = [
        project_document
        for project_document in project_documents
        if guard.judge(project_document.text, trust="external", interface="document").action in ("allow", "redact")
    ]
    return [replace(project_document, text=guard.clean(project_document.text)) for project_document in all_project_documents]


def _unread(recall: RecallContext) -> tuple[str, ...]:
    """Return what a briefing lacks while the language model is paused (VO-40)."""
    notice = pause_notice(recall.context)
    return (f"what was said since. {notice}",) if notice else ()


def core_memory(
    recall: RecallContext, question: str = "", *, used: float = 0.0, channel: bool = False, project: str = ""
) -> Bundle:
    """Return the curated core: in full while it is small, else its index and the memories relevant to the question.

    Args:
        used: share of the context window in use, 0..1; a higher share lowers the budget.
        channel: others can read along: show only the index and the open threads.
    """
    index, asked = recall.context.index, recall.clean(question)
    scope = _briefed_scope(recall, project or recall.project)
    items = index.select(replace(scope, kinds=CURATED_KINDS), order="importance", limit=CORE_FROM)
    items = (*items, *last_handoffs(recall.context, scope, project or recall.project, HANDOFFS_IN_CORE))
    near, missing = recall.searcher.relevant(asked, items) if asked else ({}, ())
    now = recall.context.clock.now()
    core = compose_brain(items, partial(text_of_memory, index, None), near, now, used=used, channel=channel)
    return replace(core, missing=missing)


def _briefed_scope(recall: RecallContext, project: str, agent: str = "") -> Scope:
    agents = tuple(dict.fromkeys(("", agent)))
    scope = Scope(sources=("memory",), statuses=("active",), projects=(project,), agents=(*agents, ANY_AGENT))
    opened = open_scope(recall.context, scope, AT_START_S)
    return replace(opened, agents=agents)  # agents' notes about themselves have their own section


def _later_of(index: Index, key: str) -> Item | None:
    return taken_over(index, [key]).get(key)


def _since(recall: RecallContext) -> Callable[[Item], str]:
    """Return a function that says what changed in the code that a memory of the project names."""
    code, index = recall.code(AT_START_S), recall.context.index

    def changes_of(item: Item) -> str:
        if code is None or not recall.is_of_project(item) or item.kind == "handoff":
            return ""
        return since(code, item, f"{item.title}\n{text_of_memory(index, TEXT_PASSAGES, item.key)}")

    return changes_of
