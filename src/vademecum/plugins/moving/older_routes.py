"""HTTP routes called by programs of two earlier designs (IN-53, SW-54), served from this memory.

An agent's entry is a memory with that `agent`, its conversation an accepted one, a deleted entry an archived memory.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from vademecum.domain.agents import agent_named
from vademecum.domain.conversation import UNKNOWN, Conversation
from vademecum.domain.errors import IndexDamaged, InvalidInput, NotFound, VademecumError
from vademecum.domain.item import Item
from vademecum.domain.memory import By
from vademecum.domain.query import Query, Scope
from vademecum.domain.saved import SaveOptions
from vademecum.plugin_api.conversations import LIVES, Handling
from vademecum.plugin_api.http import OlderRoute, object_schema
from vademecum.plugin_api.memory import Needs, Vademecum
from vademecum.plugin_api.recall import rankers
from vademecum.plugin_api.verbs import Param, error_text, snippet
from vademecum.plugins.moving.importing import ImportOptions, import_memories
from vademecum.plugins.moving.verbs import FILES

#: Their category -> our kind.
CATEGORIES = {
    "decisions": "decision", "lessons": "lesson", "tasks": "task", "projects": "project", "handoffs": "handoff",
}  # fmt: skip
_CATEGORY_OF = {kind: category for category, kind in CATEGORIES.items()}

ENTRIES_MAX, CONVERSATIONS_MAX = 500, 50
SNIPPET_CHARS = 120
SAVE_SESSION_LEAST = 3

#: Counts in the result of a compaction (IN-41).
_COUNTS = ("checkpointsCleaned", "conversationsTrimmed", "vaultEntriesMerged", "legacyFilesCleaned")

#: Profile that tolerates typing errors, if installed.
MISTYPED = "agent"

_ROLE_OF = {"user": "user", "agent": "assistant", "assistant": "assistant"}


def conversations(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Return the conversations of all agents, or of one."""
    known = [
        conversation
        for conversation in memory.conversations.list(limit=CONVERSATIONS_MAX)
        if conversation.id.startswith("agent-")
    ]
    wanted = [conversation.id for conversation in known if values["agentId"] in ("", conversation.title)]
    return {"conversations": [_conversation(memory.context.storage.conversations.get(identity)) for identity in wanted]}


def post(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Save an agent's conversation, one memory, or a project, depending on the fields (IN-53)."""
    values = {**values, "agentId": agent_named(values["agentId"])}
    if values["content"].strip() and not values["project"]:
        return add_entry(memory, values, by)
    if values["project"]:
        return _init_project(memory, values, by)
    if not values["messages"]:
        raise InvalidInput("There is nothing to save.", "Give messages, or content (a memory), or project.")
    return save_conversation(memory, values, by)


def _init_project(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    project = values["project"].strip()
    known = next(iter(memory.notes.list(1, kind=("project",), project=project, by=by)), None)
    if known is not None and known.project == project:
        return {"id": known.key.removeprefix("memory://"), "action": "known", "warnings": []}
    kept = memory.notes.save(
        "project", project, values["content"].strip() + "\n", SaveOptions(unique=True), by=by, project=project
    )
    return {"id": kept.memory.id if kept.memory else "", "action": kept.action, "warnings": list(kept.warnings)}


def save_conversation(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Save an agent's conversation, or its new messages; internal ones are left out (IN-06)."""
    result = [
        {"role": _ROLE_OF[value["role"]], "content": value["text"]} for value in values["messages"] if not value["internal"]
    ]
    if not any(fields["content"].strip() for fields in result):
        return {"saved": 0, "messages": 0}
    done = memory.conversations.accept(
        UNKNOWN,
        result,
        Handling(
            title=values["agentId"],
            conversation_id=_going_on(memory, values["agentId"], values["chatId"], result),
            create=True,
            at_once=True,
            about={name: values[name] for name in ("chatId", "modelId") if values[name]},
        ),
    )
    return {"saved": done.added, "messages": done.messages}


def entries(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Return the agents; for an agent, the number of entries by category; for a category, its entries, newest first."""
    agent, category = values["agentId"], values["category"]
    kinds = (CATEGORIES[category],) if category else tuple(CATEGORIES.values())
    items = [item for item in memory.notes.list(ENTRIES_MAX, kind=kinds, only_agent=agent, by=by) if item.agent]
    if not agent:
        return {"agents": sorted(_names_of_agents(memory, kinds))}
    if not category:
        counted = Counter(_CATEGORY_OF[item.kind] for item in items)
        return {"agentId": agent, "counts": {name: counted.get(name, 0) for name in CATEGORIES}}
    return {"entries": [_entry(memory, item) for item in items]}


def _names_of_agents(memory: Vademecum, kinds: tuple[str, ...]) -> set[str]:
    """Return the names of agents that have entries. Names are not withheld, although an agent's memories may be."""
    index = memory.context.unfiltered or memory.context.index
    return {name for (name,) in index.facets(Scope(sources=("memory",), kinds=kinds), ("agent",)) if name}


def add_entry(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Save an agent's entry as a memory."""
    content = values["content"].strip()
    kept = memory.notes.save(
        CATEGORIES[values["category"]],
        "",
        content + "\n",
        SaveOptions(unique=True),
        tags=values["tags"],
        by=by,
        agent=values["agentId"],
    )
    return {"id": kept.memory.id if kept.memory else "", "action": kept.action, "warnings": list(kept.warnings)}


def update_entry(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Replace the text of an entry. Its tags stay unless new ones are given."""
    known = memory.notes.get(_own(memory, values))
    content = values["content"].strip()
    properties: dict[str, Any] = {"tags": list(values["tags"])} if values["tags"] else {}
    return {"id": memory.notes.edit(known.id, body=content + "\n", properties=properties or None, by=by).id}


def delete_entry(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Archive an entry."""
    return {"id": memory.notes.archive(_own(memory, values), "deleted over HTTP", by=by).id, "archived": True}


def search(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Return entries that match the words, best first."""
    kinds = (CATEGORIES[values["category"]],) if values["category"] else ()
    scope = memory.notes.scope(kind=kinds, source=("memory",), only_agent=values["agentId"])
    profile = MISTYPED if MISTYPED in rankers() else memory.default_profile
    result = memory.recall.ask(Query(values["q"], scope, profile, values["limit"], gated=False))
    results = [
        {
            "id": hit.item.key.removeprefix("memory://"),
            "agentId": hit.item.agent,
            "category": _CATEGORY_OF.get(hit.item.kind, hit.item.kind),
            "date": hit.item.updated.isoformat() if hit.item.updated else "",
            "score": hit.score,
            "snippet": snippet(hit.passage.text, values["q"], SNIPPET_CHARS),
            "content": hit.passage.text,
        }
        for hit in result.hits
    ]
    return {"query": values["q"], "results": results}


def last_compaction(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Return the result of the last compaction, or null."""
    noted = memory.maintenance.last_compaction()
    return {"lastCompaction": _compaction(str(noted["at"]), noted) if noted else None}


def compact(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Compact now, like `vade compact`."""
    done = memory.maintenance.compact()
    return _compaction(done.time.isoformat(timespec="milliseconds"), done.counts)


def _compaction(at: str, done: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result with the names of IN-41. Memories are never merged or deleted here, so those two counts are always 0."""
    counts = {"checkpointsCleaned": int(done.get("checkpoints", 0)), "conversationsTrimmed": int(done.get("trimmed", 0))}
    return {"timestamp": at, "indexRebuilt": True, **dict.fromkeys(_COUNTS, 0), **counts}


def migrate(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Import files of agent-memory, like `vade import agent-memory FOLDER --mine`.

    Return the names of files with and without new records.
    """
    done = import_memories(memory.context, ("agent-memory",), values["files"], ImportOptions(mine=True, yes=True), by=by)
    files = {path: gave for brought in done.brought for path, gave in brought.files.items()}
    return {
        "migrated": [path for path, gave in files.items() if gave],
        "skipped": [path for path, gave in files.items() if not gave and not path.startswith("_")],
        "problems": [f"{problem.path}: {problem.message}" for problem in done.problems],
    }


def compliance(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Compare sessions on disk with sessions read completely (X-17)."""
    seen, behind = memory.conversations.coverage()
    return {"sessions": seen, "processed": seen - len(behind), "behind": list(behind[:20]), "compliant": not behind}


def health(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Report state and problems of the memory."""
    status = memory.maintenance.status()
    problems = [f"{problem.path}: {problem.message}" for problem in memory.context.vault.problems()]
    return {
        "status": "degraded" if status.degraded or problems else "ok",
        "degraded": list(status.degraded),
        "problems": problems,
        "inbox": status.inbox,
        "memories": dict(status.memories),
        "waiting": status.waiting,
    }


def save_session(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    """Mine a session's messages from a given index on; an error is returned in the body."""
    since = values["since_message_idx"]
    try:
        done = memory.conversations.mark(values["session_id"], since=since, least=SAVE_SESSION_LEAST)
    except IndexDamaged:
        raise  # the caller rebuilds the index and runs this again
    except VademecumError as error:
        return {"status": "error", "entries": [], "total_saved": 0, "next_message_idx": since, "message": error_text(error)}
    kept = [saved.memory for saved in done.captured.saved if saved.memory]
    enough = done.turns - since >= SAVE_SESSION_LEAST
    return {
        "status": "saved" if kept else "empty",
        "entries": [{"id": other.id, "kind": other.kind, "title": other.title, "status": other.status} for other in kept],
        "total_saved": len(kept),
        "next_message_idx": done.turns if enough else since,
        "message": f"{len(kept)} memories from {done.turns - since} messages."
        if enough
        else f"Fewer than {SAVE_SESSION_LEAST} new messages.",
    }


def _own(memory: Vademecum, values: Mapping[str, Any]) -> str:
    """Return the id of an entry if it belongs to this agent and category."""
    known = memory.notes.get(values["id"])
    if known.agent != values["agentId"] or known.kind != CATEGORIES[values["category"]]:
        raise NotFound(f"{values['agentId']} has no entry {values['id']} in {values['category']}.", "List them first.")
    return known.id


def _entry(memory: Vademecum, item: Item) -> dict[str, Any]:
    known = memory.notes.get(item.key)
    return {
        "id": known.id,
        "agentId": known.agent,
        "category": _CATEGORY_OF[known.kind],
        "date": known.created.isoformat(),
        "tags": list(known.tags),
        "content": known.body.strip(),
    }


def _conversation(known: Conversation) -> dict[str, Any]:
    role_of = {"assistant": "agent"}
    return {
        "agentId": known.title,
        "savedAt": int(known.used.timestamp() * 1000),
        "messages": [{"role": role_of.get(message.role, message.role), "text": message.text} for message in known.messages],
    }


def _going_on(memory: Vademecum, agent: str, chat: str, result: Sequence[Mapping[str, str]]) -> str:
    """Return the id of the conversation to which these messages belong.

    With a chat id, it is that chat's. Otherwise it is the agent's last conversation, if it was used recently or contains one of
    the messages; else a new one.
    """
    if chat:
        return _conversation_id(agent, chat)
    known = next(
        (
            conversation
            for conversation in memory.conversations.list(limit=CONVERSATIONS_MAX)
            if conversation.title == agent and not conversation.about
        ),
        None,
    )
    if known is None:
        return _conversation_id(agent, "")
    there = {(message.role, message.text) for message in memory.context.storage.conversations.get(known.id).messages}
    if memory.now() - known.used <= LIVES or any((fields["role"], fields["content"]) in there for fields in result):
        return known.id
    return _conversation_id(agent, memory.now().isoformat())


def _conversation_id(agent: str, chat: str) -> str:
    """Return a file name for an agent's chat; the hash distinguishes names that differ only in special characters."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", agent).strip("-")[:40]
    named = f"{agent}\0{chat}" if chat else agent
    return f"agent-{plain}-{hashlib.blake2b(named.encode(), digest_size=4).hexdigest()}".replace("--", "-")


_AGENT = Param("agentId", "words", "Name of the agent.", max_chars=100)
_ANY_AGENT = Param("agentId", "text", "Only this agent.", "", max_chars=100)
_CATEGORY = Param("category", "text", "Kind of entry.", choices=tuple(CATEGORIES))
_ANY_CATEGORY = Param("category", "text", "Only this kind.", "", choices=("", *CATEGORIES))
_ENTRY = Param("id", "words", "Id of the entry.", max_chars=100)
_CONTENT = Param("content", "words", "Text of the entry.", max_chars=20_000)
_TAGS = Param("tags", "list", "Tags.", (), max_items=50, max_chars=80)
_MESSAGES = Param(
    "messages", "objects", "What was said.", max_items=500,
    fields=(
        Param("role", "text", "Who said it.", choices=("user", "agent", "assistant")),
        Param("text", "text", "What was said.", max_chars=100_000),
        Param("internal", "flag", "Not to be kept.", False),
    ),
)  # fmt: skip
_CHAT = (
    Param("chatId", "text", "Id of the chat, to resume it.", "", max_chars=200),
    Param("modelId", "text", "Model of the chat.", "", max_chars=200),
)
_BASE = "/api/memory"

ROUTES: tuple[OlderRoute, ...] = (
    OlderRoute(_BASE, "get", "load-conversations", "Conversations of all agents, or of one.", (_ANY_AGENT,), conversations,
               object_schema(conversations="array")),
    OlderRoute(_BASE, "post", "save-agent-conversation", "Save an agent's conversation (messages), one memory (content) or a project.",
               (_AGENT, replace(_MESSAGES, default=()), *_CHAT, replace(_CONTENT, default=""), replace(_TAGS, default=()),
                replace(_CATEGORY, default="lessons"), Param("project", "text", "A project to make known; content says what it is about.",
                                                             "", max_chars=200)),
               post, object_schema(saved="integer", messages="integer", id="string", action="string", warnings="array")),
    OlderRoute(f"{_BASE}/vault", "get", "entries", "Agents, their counts, or the entries of a category.", (_ANY_AGENT, _ANY_CATEGORY),
               entries, object_schema(agents="array", counts="object", entries="array")),
    OlderRoute(f"{_BASE}/vault", "post", "add-entry", "A new entry.", (_AGENT, _CATEGORY, _CONTENT, _TAGS), add_entry,
               object_schema(id="string", action="string", warnings="array")),
    OlderRoute(f"{_BASE}/vault", "put", "update-entry", "Another text for an entry.", (_AGENT, _CATEGORY, _ENTRY, _CONTENT, _TAGS),
               update_entry, object_schema(id="string")),
    OlderRoute(f"{_BASE}/vault", "delete", "delete-entry", "Archive an entry.", (_AGENT, _CATEGORY, _ENTRY), delete_entry,
               object_schema(id="string", archived="boolean")),
    OlderRoute(f"{_BASE}/search", "get", "search-entries", "Entries that hold the words, best first.",
               (Param("q", "words", "The question.", max_chars=10_000), _ANY_AGENT, _ANY_CATEGORY,
                Param("limit", "number", "Most results.", 10, least=1, most=100)), search, object_schema(query="string", results="array")),
    OlderRoute(f"{_BASE}/compact", "get", "last-compaction", "Result of the last compaction.", (), last_compaction,
               object_schema(lastCompaction="any"), direct_only=True),
    OlderRoute(f"{_BASE}/compact", "post", "compact", "Tidy up; nothing is lost.", (), compact,
               object_schema(timestamp="string", indexRebuilt="boolean", **dict.fromkeys(_COUNTS, "integer")),
               direct_only=True),
    OlderRoute(f"{_BASE}/migrate", "post", "migrate", "Take over files of agent-memory.", (FILES,), migrate,
               object_schema(migrated="array", skipped="array", problems="array"), direct_only=True),
    OlderRoute("/api/memory-compliance", "get", "memory-compliance", "Sessions on disk against sessions read.", (), compliance,
               object_schema(sessions="integer", processed="integer", behind="array", compliant="boolean")),
    OlderRoute("/api/memory-health", "get", "memory-health", "What there is and what does not work.", (), health,
               object_schema(status="string", degraded="array", problems="array", inbox="integer")),
    OlderRoute(f"{_BASE}/save-session", "post", "save-session", "Take memories from a session's messages.",
               (Param("session_id", "words", "URI or id of the session.", max_chars=300),
                Param("since_message_idx", "number", "Messages to pass over.", 0)), save_session,
               object_schema(status="string", entries="array", total_saved="integer", next_message_idx="integer", message="string"),
               own_needs=Needs(writes=True)),
)  # fmt: skip
