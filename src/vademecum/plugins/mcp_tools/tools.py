"""Tools with names of their own for verbs that `use_verb` reaches too: conversations, lists, the inbox, source notes."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from vademecum.domain.memory import STATUSES, By
from vademecum.domain.query import Query, SessionFilter
from vademecum.plugin_api.conversations import Handling
from vademecum.plugin_api.mcp import (
    INTERFACE,
    OLDER_ARGUMENTS,
    ONLY,
    PROJECT,
    QUOTE,
    REF,
    SAVED,
    WHY,
    Tool,
    apps_of,
    data,
    evolve,
    kind_param,
    own_memory,
    project_of,
    scores_text,
    verb_named,
)
from vademecum.plugin_api.memory import READS, Vademecum
from vademecum.plugin_api.verbs import REQUIRED, BadArgument, Param
from vademecum.plugins.mcp_tools import answers

_NOTE = Param("note_path", "text", "", max_chars=1000)
_CONVERSATION = Param("conversation_id", "text", "", max_chars=80)
_MESSAGES = Param(
    "messages", "objects", "", max_items=500,
    fields=(
        Param("role", "text", "", choices=("user", "assistant", "system", "tool")),
        Param("content", "text", "", max_chars=100_000),
    ),
)  # fmt: skip
#: Parameters of the verb `mark` that are useful for an agent.
_FACTS = Param(
    "facts", "objects", "Found by you.", (), max_items=50,
    fields=(
        Param("text", "text", "", max_chars=300), Param("quote", "text", "As said.", max_chars=1000),
        Param("kind", "text", "", "fact", max_chars=40), Param("importance", "share", "", 0.5),
    ),
)  # fmt: skip


def _search(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    session_search = memory.sessions.search(
        values["question"],
        SessionFilter(
            role={"assistant": "agent"}.get(values["role"], values["role"]),
            source=values["source"],
            host=apps_of(values),
            tool=(values["tool"],) if values["tool"] else (),
            file=(values["file"],) if values["file"] else (),
            session=values["session"],
            thread=values["thread"],
            project=project_of(memory, values),
            since=values["since"],
            until=values["until"],
        ),
        by=by,
        limit=values["limit"],
        around=values["around"],
    )
    return answers.places(session_search, memory.now())


def _hand_over(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    done = memory.conversations.accept(
        values["source_interface"],
        values["messages"],
        Handling(
            title=values["title"],
            conversation_id=values["conversation_id"],
            thread_id=values["cross_interface_thread_id"],
            living_document=values["living_document"],
            exclude=values["exclude"],
        ),
    )
    return answers.handed_over(done)


def _context(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    bundles = []
    if not values["source_interface"]:
        bundles.append(memory.recall.briefing(values["project"], values["budget"], agent=values["agent"]))
    if values["prompt"].strip():
        scope = memory.notes.scope(project=values["project"], interface=apps_of(values), agent=values["agent"])
        budget = values["budget"] or None
        bundles.append(memory.recall.bundle(Query(values["prompt"], scope, memory.default_profile, budget_tokens=budget)))
    return data.context(bundles)


def _list(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    items = memory.notes.list(
        values["limit"],
        by=by,
        kind=(values["kind"],) if values["kind"] else (),
        status=(values["status"],) if values["status"] else (),
        tag=(values["tag"],) if values["tag"] else (),
        project=project_of(memory, values),
        interface=apps_of(values),
    )
    return data.items(items, memory.now())


def _review(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    if values["action"] == "list":
        waiting = memory.notes.list(values["limit"], status=("inbox",), interface=apps_of(values), by=by)
        return data.items(waiting, memory.now())
    if not values["ref"]:
        raise BadArgument(f"review_inbox needs ref to {values['action']}.", "List the inbox first.")
    own_memory(memory, values)
    done = verb_named("review").do(
        memory, {"ref": values["ref"], "decision": values["action"], "reason": values["reason"], "body": None, "older": ""}, by
    )
    return {"memories": [answers.decided(done)]}


def _review_text(fields: Mapping[str, Any]) -> str:
    if fields["memories"] and "action" in fields["memories"][0]:
        return data.saved_text(fields["memories"][0])
    return data.items_text(fields)


def _why(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    story = memory.recall.why(values["trace"], by=by)
    return {"question": story.query.text, "verdict": story.verdict, "story": scores_text(story)}


def _sync(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    result = [{"role": "user", "content": values["transcript"]}]
    memory.conversations.accept("unknown", result, Handling(title=values["title"], living_document=False))
    learned = [memory.notes.save("lesson", "", text + "\n", by=by) for text in values["learnings"]]
    return {"saved": [data.saved(saved) for saved in learned]}


_HANDED = {"action": "text", "conversation_id": "text", "cross_interface_thread_id": "text", "sync": "text", "saved": "list"}

TOOLS: tuple[Tool, ...] = (
    Tool(
        "search_history", "Search conversations",
        "Search past conversations: exact words first, then the nearest. Without question: uses of tool or file.",
        (
            Param("question", "words", "", "", max_chars=10_000), Param("limit", "number", "", 10, least=1, most=30),
            Param("role", "text", "", "", choices=("", "user", "assistant", "tool")),
            Param("source", "text", "log: what tools wrote.", "", choices=("", "session", "log")),
            Param("session", "text", "", "", max_chars=300), Param("thread", "text", "", "", max_chars=80), PROJECT,
            Param("tool", "text", "", "", max_chars=200), Param("file", "text", "", "", max_chars=300),
            Param("since", "date", "ISO date.", None), Param("until", "date", "", None),
            Param("around", "number", "Turns of context.", 0, most=answers.AROUND_MOST), ONLY,
        ),
        _search, answers.places_text, {"hits": "list", "uses": "list"}, reads=True, repeats=True, cost="medium",
        verbs=("sessions search",), scoped=True, aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "save_conversation", "Save this conversation",
        "Save a conversation; call it again to add turns.",
        (
            _MESSAGES, replace(INTERFACE, default=REQUIRED), Param("title", "text", "", "", max_chars=200),
            Param("living_document", "flag", "Continue the last one of the past 30 minutes.", True),
            Param("conversation_id", "text", "Continue this one.", "", max_chars=80),
            Param("cross_interface_thread_id", "text", "Join conversations of several apps.", "", max_chars=80),
            Param("exclude", "flag", "Learn nothing from it.", False),
        ),
        _hand_over, answers.handed_over_text, _HANDED, repeats=True, cost="expensive", verbs=("save-conversation",),
    ),
    Tool(
        "close_conversation", "End a saved conversation", "Nothing is added any more.", (_CONVERSATION,),
        lambda memory, values, by: answers.handed_over(memory.conversations.close(values["conversation_id"])),
        answers.handed_over_text, {"action": "text", "conversation_id": "text"}, repeats=True, verbs=("save-conversation --close",),
    ),
    Tool(
        "mark_for_memory", "Extract memories from a conversation now",
        "Take memories from a conversation now; the latest when none is named.",
        (Param("session", "text", "", "", max_chars=300), WHY, _FACTS),
        lambda memory, values, by: answers.marked(memory.conversations.mark(values["session"], values["reason"], facts=values["facts"])),
        answers.marked_text, {"session": "text", "turns": "number", "saved": "list", "rejected": "list"}, repeats=True,
        cost="expensive", verbs=("mark",), scoped=True,
    ),
    Tool(
        "get_context", "Briefing",
        "What to know at the start, and for a prompt.",
        (
            PROJECT, Param("prompt", "text", "", "", max_chars=10_000), Param("budget", "number", "Tokens.", 0, most=50_000),
            Param("agent", "text", "", "", max_chars=80), ONLY,
        ),
        _context, data.context_text, {"text": "text", "tokens": "number", "omitted": "list"}, reads=True, repeats=True,
        cost="medium", verbs=("briefing", "bundle"), scoped=True,
    ),
    Tool(
        "list_memories", "List", "List memories, newest first.",
        (
            kind_param(), Param("status", "text", "", "", choices=("", *STATUSES)),
            Param("tag", "text", "", "", max_chars=80), PROJECT, Param("limit", "number", "", 20, least=1, most=200), ONLY,
        ),
        _list, data.items_text, {"memories": "list"}, reads=True, repeats=True, verbs=("list",), scoped=True,
    ),
    Tool(
        "evolve_memory", "Replace a memory",
        "Replace what a memory says; the old text is archived.",
        (REF, Param("reason", "words", "", max_chars=1000), Param("body", "words", "", max_chars=20_000),
         Param("title", "text", "", "", max_chars=200), replace(QUOTE, meaning=""), ONLY),
        evolve, data.saved_text, SAVED, cost="medium", verbs=("evolve",), scoped=True, aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "review_inbox", "Review the inbox",
        "List proposals; approve or reject one as told.",
        (
            Param("action", "text", "", "list", choices=("list", "approve", "reject")), replace(REF, default=""), WHY,
            Param("limit", "number", "", 20, least=1, most=200), ONLY,
        ),
        _review, _review_text, {"memories": "list"}, destroys=True, verbs=("inbox", "review"), scoped=True,
        own_needs=READS,  # the verbs that it runs declare their own needs
        aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "list_memory_sources", "List source notes", "Notes that memories are taken from.",
        (Param("only_dirty", "flag", "Only changed ones.", False),),
        lambda memory, values, by: answers.sources(memory.person.sources(values["only_dirty"])),
        answers.sources_text, {"sources": "list"}, reads=True, repeats=True, verbs=("sources",), scoped=True,
        older=("list_memory_source_notes",),
    ),
    Tool(
        "add_memory_source", "Add a source note", "Take memories from a note, also when it changes.",
        (_NOTE, Param("write_frontmatter", "flag", "", True)),
        lambda memory, values, by: answers.sources([memory.person.add_source(values["note_path"], values["write_frontmatter"], by=by)]),
        answers.sources_text, {"sources": "list"}, repeats=True, cost="expensive", verbs=("sources --add",), scoped=True,
        older=("mark_note_as_memory_source",),
    ),
    Tool(
        "remove_memory_source", "Remove a source note", "What was taken stays.",
        (_NOTE, Param("clear_frontmatter", "flag", "", True)),
        lambda memory, values, by: answers.sources([memory.person.remove_source(values["note_path"], values["clear_frontmatter"], by=by)]),
        answers.sources_text, {"sources": "list"}, destroys=True, verbs=("sources --remove",), scoped=True,
        older=("unmark_note_as_memory_source",),
    ),
    Tool(
        "why", "Explain a recall", "How a recall came about; without trace, the last.",
        (Param("trace", "text", "", "", max_chars=40),),
        _why, lambda fields: data.quoted([fields["story"]]), {"question": "text", "verdict": "text", "story": "text"},
        reads=True, repeats=True, verbs=("why",), scoped=True,
    ),
    Tool(
        "sync_session", "Save a session", "Deprecated: use save_conversation and save_to_memory.",
        (
            Param("title", "text", "", max_chars=200), Param("transcript", "words", "", max_chars=100_000),
            Param("learnings", "list", "", (), max_items=50, max_chars=4_000),
        ),
        _sync, lambda fields: f"{len(fields['saved'])} learnings saved.", {"saved": "list"}, cost="expensive", listed=False,
    ),
)  # fmt: skip
