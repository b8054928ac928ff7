"""The tools that agents have: one table, each tool a verb or two under the name that agents expect.

Arguments are checked as everywhere (`entrypoints/arguments.py`) and named as on the command line; older names are accepted. The default
list has six tools (`DEFAULT`), because every session pays for it in tokens. All other tools can still be called by name, and `use_verb`
reaches them and every verb that agents may use.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.api import Vademecum
from vademecum.api.runner import READS, WRITES, Needs, run
from vademecum.domain.conversation import interface_named
from vademecum.domain.errors import InvalidInput, NotFound, VademecumError
from vademecum.domain.kinds import FACETS, KINDS
from vademecum.domain.memory import STATUSES, By, Memory
from vademecum.domain.query import Hit, Query, Recall
from vademecum.entrypoints.answers import as_answer
from vademecum.entrypoints.arguments import BadArgument, checked
from vademecum.entrypoints.mcp import data
from vademecum.entrypoints.recalled import scores_text
from vademecum.entrypoints.verbs import VERBS, verb_named
from vademecum.entrypoints.verbs.table import REQUIRED, Param, Verb, with_flags
from vademecum.plugin import named

Cost = Literal["cheap", "medium", "expensive"]

#: Most calls in a minute, by cost (VO-60).
PER_MINUTE: Mapping[Cost, int] = {"cheap": 60, "medium": 30, "expensive": 10}

#: Verbs that read whole conversations, sources or the whole memory. Any other costs about as much as a save, a tenth of a second.
READING_MUCH = frozenset({
    "ingest", "lint", "mark", "save-conversation", "save-conversation --close", "checkpoint --close", "checkpoint", "handoff",
    "sessions show",
    "sessions export", "wiki read", "log --learned", "sources --add",
})  # fmt: skip
#: The tool for all verbs that have no tool of their own.
USE_VERB = "use_verb"
#: Tools in the default list: search, read, save, correct, forget, and one for everything else.
DEFAULT = ("recall_memory", "read_memory", "save_to_memory", "update_memory", "forget_memory", USE_VERB)
#: Default number of hits and candidates of recall_memory; most ids in a call of read_memory.
RECALLED, READ_MOST = 20, 20


class Tool(Struct, frozen=True):
    """One thing that an agent can do.

    Attributes:
        run: called with the memory, the checked arguments and who acts; returns a JSON object.
        tell: renders that object as text.
        output: JSON types of its members, for `outputSchema`.
        reads: changes nothing. destroys: may delete something. repeats: is idempotent. These become annotations, by which hosts ask for
            permission.
        verbs: names of its verbs.
        scoped: reads or changes memories, so with strict interfaces it must name an app.
        listed: False for an older name that can still be called.
        brief: parameters shown in the default list; the others are accepted too. Empty: all are shown.
        aliases: older name of a parameter -> its name.
        on_request: it is offered, and listed, only where the setting `mcp_tools` names it.
        own_needs: what it needs of the memory; None: what its verbs need, or one that reads or writes, when it has none.
    """

    name: str
    title: str
    meaning: str
    params: tuple[Param, ...]
    run: Callable[[Vademecum, Mapping[str, Any], By], dict[str, Any]]
    tell: Callable[[Mapping[str, Any]], str]
    output: Mapping[str, Any]
    reads: bool = False
    destroys: bool = False
    repeats: bool = False
    cost: Cost = "cheap"
    verbs: tuple[str, ...] = ()
    scoped: bool = False
    listed: bool = True
    own_needs: Needs | None = None
    on_request: bool = False
    brief: tuple[str, ...] = ()
    aliases: Mapping[str, str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name, because its functions cannot be pickled."""
        return _tool_named, (self.name,)

    @property
    def needs(self) -> Needs:
        """What it needs of the memory."""
        if self.own_needs is not None:
            return self.own_needs
        rows = [verb_named(name).needs for name in self.verbs] or [READS if self.reads else WRITES]
        return Needs(any(row.writes for row in rows), any(row.heals for row in rows), any(row.enabled for row in rows))

    def cost_of(self, arguments: Mapping[str, Any]) -> Cost:
        """Return the cost of a call; for `use_verb`, that of the verb."""
        if self.name != USE_VERB:
            return self.cost
        if tool := _by_name().get(str(arguments.get("verb"))):
            return tool.cost
        verb = next((verb for verb in with_flags(VERBS) if verb.name == arguments.get("verb")), None)
        return "expensive" if verb is None or verb.asks or verb.name in READING_MUCH else "cheap"

    def is_aside(self, values: Mapping[str, Any]) -> bool:
        """Return whether a call may run in another process (:meth:`Verb.is_aside`)."""
        names, given = ((values["verb"],), values["arguments"]) if self.name == USE_VERB else (self.verbs, values)
        if tool := _by_name().get(values["verb"]) if self.name == USE_VERB else None:
            names = tool.verbs
        rows = [verb for verb in with_flags(VERBS) if verb.name in names]
        return bool(rows) and all(verb.is_aside(given) for verb in rows)

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Check arguments for :meth:`do`. Older names, and a single text for a list, are accepted.

        Raises:
            BadArgument: an unknown name, a missing value, or a value of the wrong type.
        """
        twice = [name for name in given if self.aliases.get(name, name) != name and self.aliases[name] in given]
        if twice:
            raise BadArgument(f"{twice[0]} is an older name of {self.aliases[twice[0]]}: give one of them.")
        named = {self.aliases.get(name, name): value for name, value in given.items()}
        lists = {param.name for param in self.params if param.type == "list"}
        return checked(
            self, {name: [value] if name in lists and isinstance(value, str) else value for name, value in named.items()}
        )

    def do(self, memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
        """Run it with its needs satisfied, and return its result."""
        seen = (
            memory if self.name == USE_VERB else memory.seen_by(by, str(values.get("agent") or ""))
        )  # a verb does that itself
        return run(memory.context, self.needs, lambda: self.run(seen, values, by))

    def output_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its result."""
        return {"type": "object", "properties": {name: _SCHEMA_OF[kind] for name, kind in self.output.items()}}


_SCHEMA_OF = {"text": {"type": "string"}, "number": {"type": "number"}, "list": {"type": "array"}, "flag": {"type": "boolean"}}

_INTERFACE = Param("source_interface", "text", "Your app, such as claude-ai.", "", max_chars=40)
#: Parameters of many tools are explained only at the first one. The error of a wrong call says more.
_ONLY_TOLD = Param("source_interface", "text", "Only from this app.", "", max_chars=40)
_ONLY = replace(_ONLY_TOLD, meaning="")
_REF_TOLD = Param("ref", "text", "Id, title or path.", max_chars=300)
_REF = replace(_REF_TOLD, meaning="")
#: Former names of arguments -> their names on the command line.
OLDER_ARGUMENTS = {"query": "question", "top_k": "limit", "content": "body", "id": "ref", "source_uri": "source"}
_WHY = Param("reason", "text", "", "", max_chars=1000)
_PROJECT = Param("project", "text", "", "", max_chars=200)
_PROJECT_TOLD = replace(_PROJECT, meaning="Default: the one you work in.")
_QUOTE = Param("quote", "text", "The person's words, verbatim.", "", max_chars=1000)
#: Stands for all projects.
EVERYWHERE = "any"
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


def _limit(default: int = 10) -> Param:
    return Param("limit", "number", "", default, least=1, most=30)


def _kind(default: Any = "") -> Param:
    return Param("kind", "text", "preference, fact, decision, lesson, task, ...", default, max_chars=40)


def _only(values: Mapping[str, Any]) -> tuple[str, ...]:
    word = values["source_interface"]
    return (interface_named(word),) if word else ()


def _project(memory: Vademecum, values: Mapping[str, Any]) -> str:
    """Return the project to search: the named one, else that of the working folder (X-43); "" for all."""
    named = values["project"] or memory.project
    return "" if named == EVERYWHERE else named


def _recall(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    kinds = (values["kind"],) if values["kind"] else ()
    scope = memory.notes.scope(kind=kinds, project=_project(memory, values), interface=_only(values))
    limit = values["limit"] or (None if values["multi_hop"] else RECALLED)
    query = Query(values["question"], scope, memory.default_profile, limit, multi_hop=values["multi_hop"])
    result = memory.recall.ask(query)
    return data.hits(result, candidates(memory, query, result), memory.now())


def candidates(memory: Vademecum, query: Query, found: Recall) -> tuple[Hit, ...]:
    """Return the best hits below the threshold, up to the limit of the query; none if nothing is known or links are followed."""
    room = (query.limit or 0) - len(found.hits)
    if room <= 0 or found.verdict != "found" or query.multi_hop:
        return ()
    return memory.recall.candidates(query, found.hits)[:room]


def _search(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    session_search = memory.sessions.search(
        values["question"],
        by=by,
        role={"assistant": "agent"}.get(values["role"], values["role"]),
        source=values["source"],
        host=_only(values),
        tool=(values["tool"],) if values["tool"] else (),
        file=(values["file"],) if values["file"] else (),
        session=values["session"],
        thread=values["thread"],
        project=_project(memory, values),
        since=values["since"],
        until=values["until"],
        limit=values["limit"],
        around=values["around"],
    )
    return data.places(session_search, memory.now())


def _save(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    content, word = values["body"].strip(), values["source_interface"]
    kept = memory.notes.save(
        values["kind"] or "fact",
        values["title"],
        content + "\n",
        tags=values["tags"],
        by=by,
        unique=True,
        importance=values["importance"],
        project=values["project"],
        personal=values["personal"],
        source=values["source"],
        source_interface=interface_named(word) if word else "",
        quote=values["quote"],
        said=values["said"],
        when=values["when"],
    )
    return data.saved(kept)


def _hand_over(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    done = memory.conversations.accept(
        values["source_interface"],
        values["messages"],
        title=values["title"],
        conversation_id=values["conversation_id"],
        thread_id=values["cross_interface_thread_id"],
        living_document=values["living_document"],
        exclude=values["exclude"],
    )
    return data.handed_over(done)


def _update(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    if not values["ref"]:  # the call of an earlier tool of this name (VO-61)
        kind = values["category"] if values["category"] in KINDS or values["category"] in FACETS else "fact"
        return data.saved(memory.notes.save(kind, "", values["body"].strip() + "\n", by=by))
    if values["reason"].strip():
        return _evolve(memory, {**values, "title": ""}, by)
    own = _own(memory, values)
    return data.changed(memory.notes.edit(own.id, body=values["body"].strip() + "\n", etag=values["etag"] or None, by=by))


def _evolve(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    own = _own(memory, values)
    text, title, quote = values["body"].strip() + "\n", values["title"], values["quote"]
    return data.saved(memory.notes.evolve(own.id, values["reason"], text, title=title, quote=quote, by=by))


def _put_away(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    return data.changed(memory.notes.archive(_own(memory, values).id, values["reason"], by=by))


def _context(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    bundles = []
    if not values["source_interface"]:
        bundles.append(memory.recall.briefing(values["project"], values["budget"], agent=values["agent"]))
    if values["prompt"].strip():
        scope = memory.notes.scope(project=values["project"], interface=_only(values), agent=values["agent"])
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
        project=_project(memory, values),
        interface=_only(values),
    )
    return data.items(items, memory.now())


def _read(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    refs = values["ref"]
    if not refs:
        raise BadArgument("read_memory needs ref.", "Give ids, as recall_memory lists them.")
    if len(refs) == 1:
        return _read_one(memory, {**values, "ref": refs[0]})
    return {"memories": [_read_or_error(memory, {**values, "ref": ref}) for ref in refs]}


def _read_or_error(memory: Vademecum, values: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return _read_one(memory, values)
    except VademecumError as problem:
        return {"id": values["ref"], "error": problem.message}


def _read_one(memory: Vademecum, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory, a note, or the turns around a place in a conversation."""
    key, _, place = values["ref"].partition("#")
    if not key.startswith(("session://", "document://")):
        return data.memory(_own(memory, values), memory.now())
    item, only = memory.context.index.items([key]).get(key), _only(values)
    if item is None or (only and item.host not in only):
        raise NotFound(f"There is no {values['ref']!r}.", "Give an id as recall_memory lists it.")
    return data.passages(item, [stored.passage for stored in memory.context.index.passages_of(key)], place, memory.now())


def _own(memory: Vademecum, values: Mapping[str, Any]) -> Memory:
    """Return the named memory, which must come from the named app, if one is named.

    Raises:
        InvalidInput: it came from elsewhere.
    """
    notes = memory.notes.get(values["ref"])
    only = _only(values)
    if only and notes.source_interface not in only:
        raise InvalidInput(f"{values['ref']!r} did not come from {only[0]}.", "Name the interface that it came from.")
    return notes


def _review(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    if values["action"] == "list":
        waiting = memory.notes.list(values["limit"], status=("inbox",), interface=_only(values), by=by)
        return data.items(waiting, memory.now())
    if not values["ref"]:
        raise BadArgument(f"review_inbox needs ref to {values['action']}.", "List the inbox first.")
    _own(memory, values)
    done = verb_named("review").do(
        memory, {"ref": values["ref"], "decision": values["action"], "reason": values["reason"], "body": None, "older": ""}, by
    )
    return {"memories": [data.decided(done)]}


def _review_text(fields: Mapping[str, Any]) -> str:
    if fields["memories"] and "action" in fields["memories"][0]:
        return data.saved_text(fields["memories"][0])
    return data.items_text(fields)


def _why(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    story = memory.recall.why(values["trace"], by=by)
    return {"question": story.query.text, "verdict": story.verdict, "story": scores_text(story)}


def _sync(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    result = [{"role": "user", "content": values["transcript"]}]
    memory.conversations.accept("unknown", result, title=values["title"], living_document=False)
    learned = [memory.notes.save("lesson", "", text + "\n", by=by) for text in values["learnings"]]
    return {"saved": [data.saved(saved) for saved in learned]}


def _tool_named(name: str) -> Tool:
    return all_tools()[name]


SAVED = {"action": "text", "id": "text", "warnings": "list"}
_HANDED = {"action": "text", "conversation_id": "text", "cross_interface_thread_id": "text", "sync": "text", "saved": "list"}
_HITS = {"hits": "list", "verdict": "text", "trace": "text"}

TOOLS: tuple[Tool, ...] = (
    Tool(
        "recall_memory", "Recall",
        "Search memories, notes and past conversations. Use it before asking the person what they may have said before, and before a"
        " decision that may exist already. Gives the best matches and up to 20 one-line candidates; read_memory gives their text. No"
        " matches: nothing is known.",
        (
            Param("question", "words", "With names, paths, error texts.", max_chars=10_000),
            Param("limit", "number", "", 0, least=1, most=30),
            Param("multi_hop", "flag", "Also linked ones.", False), _kind(), _ONLY_TOLD,
            replace(_PROJECT, meaning="Default: the one you work in; any: all."),
        ),
        _recall, data.hits_text, _HITS, reads=True, repeats=True, cost="medium", verbs=("recall",), scoped=True,
        brief=("question", "kind", "project", "limit"), aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "search_history", "Search conversations",
        "Search past conversations: exact words first, then the nearest. Without question: uses of tool or file.",
        (
            Param("question", "words", "", "", max_chars=10_000), _limit(),
            Param("role", "text", "", "", choices=("", "user", "assistant", "tool")),
            Param("source", "text", "log: what tools wrote.", "", choices=("", "session", "log")),
            Param("session", "text", "", "", max_chars=300), Param("thread", "text", "", "", max_chars=80), _PROJECT,
            Param("tool", "text", "", "", max_chars=200), Param("file", "text", "", "", max_chars=300),
            Param("since", "date", "ISO date.", None), Param("until", "date", "", None),
            Param("around", "number", "Turns of context.", 0, most=data.AROUND_MOST), _ONLY,
        ),
        _search, data.places_text, {"hits": "list", "uses": "list"}, reads=True, repeats=True, cost="medium",
        verbs=("sessions search",), scoped=True, aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "save_to_memory", "Remember",
        "Save one thing that later sessions need: a decision and its reason, a preference, a correction, a fix that worked. Use it when"
        " the person asks to remember something, or when such a thing was agreed. Never save secrets.",
        (
            Param("body", "words", "Understandable without this conversation.", max_chars=4_000),
            Param("title", "text", "", "", max_chars=200), _kind("fact"),
            Param("tags", "list", "", (), max_items=5, max_chars=80), Param("importance", "share", "", 0.5), _INTERFACE,
            Param("source", "text", "URI that it comes from.", "", max_chars=1000), _PROJECT_TOLD,
            Param("personal", "flag", "Shown in all projects.", False), _QUOTE, Param("said", "date", "When it was said.", None),
            Param("when", "list", 'Show it before such a call: "run: git push".', (), commas=False),
        ),
        _save, data.saved_text, SAVED, repeats=True, cost="medium", verbs=("save",),
        brief=("body", "title", "kind", "tags", "project", "personal", "quote"), aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "save_conversation", "Save this conversation",
        "Save a conversation; call it again to add turns.",
        (
            _MESSAGES, replace(_INTERFACE, default=REQUIRED), Param("title", "text", "", "", max_chars=200),
            Param("living_document", "flag", "Continue the last one of the past 30 minutes.", True),
            Param("conversation_id", "text", "Continue this one.", "", max_chars=80),
            Param("cross_interface_thread_id", "text", "Join conversations of several apps.", "", max_chars=80),
            Param("exclude", "flag", "Learn nothing from it.", False),
        ),
        _hand_over, data.handed_over_text, _HANDED, repeats=True, cost="expensive", verbs=("save-conversation",),
    ),
    Tool(
        "close_conversation", "End a saved conversation", "Nothing is added any more.", (_CONVERSATION,),
        lambda memory, values, by: data.handed_over(memory.conversations.close(values["conversation_id"])),
        data.handed_over_text, {"action": "text", "conversation_id": "text"}, repeats=True, verbs=("save-conversation --close",),
    ),
    Tool(
        "mark_for_memory", "Extract memories from a conversation now",
        "Take memories from a conversation now; the latest when none is named.",
        (Param("session", "text", "", "", max_chars=300), _WHY, _FACTS),
        lambda memory, values, by: data.marked(memory.conversations.mark(values["session"], values["reason"], facts=values["facts"])),
        data.marked_text, {"session": "text", "turns": "number", "saved": "list", "rejected": "list"}, repeats=True,
        cost="expensive", verbs=("mark",), scoped=True,
    ),
    Tool(
        "update_memory", "Correct a memory",
        "Correct a memory that is wrong or outdated. With reason, the old text is archived and stays linked; without, the text is"
        " replaced. The person's own memories change when they accept the proposal.",
        (
            replace(_REF_TOLD, default=""), Param("body", "words", "The new text.", max_chars=20_000),
            Param("reason", "text", "Why it changed.", "", max_chars=1000), _QUOTE,
            Param("etag", "text", "From read_memory.", "", max_chars=64),
            Param("category", "text", "Without ref: saves new.", "", max_chars=40), _ONLY,
        ),
        _update, data.saved_text, SAVED, destroys=True, repeats=True, cost="medium", verbs=("edit",), scoped=True,
        brief=("ref", "body", "reason", "quote"), aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "get_context", "Briefing",
        "What to know at the start, and for a prompt.",
        (
            _PROJECT, Param("prompt", "text", "", "", max_chars=10_000), Param("budget", "number", "Tokens.", 0, most=50_000),
            Param("agent", "text", "", "", max_chars=80), _ONLY,
        ),
        _context, data.context_text, {"text": "text", "tokens": "number", "omitted": "list"}, reads=True, repeats=True,
        cost="medium", verbs=("briefing", "bundle"), scoped=True,
    ),
    Tool(
        "list_memories", "List", "Memories, newest first.",
        (
            _kind(), Param("status", "text", "", "", choices=("", *STATUSES)),
            Param("tag", "text", "", "", max_chars=80), _PROJECT, Param("limit", "number", "", 20, least=1, most=200), _ONLY,
        ),
        _list, data.items_text, {"memories": "list"}, reads=True, repeats=True, verbs=("list",), scoped=True,
    ),
    Tool(
        "read_memory", "Read",
        "Full text of memories, notes or conversation turns that recall_memory listed; several in one call.",
        (Param("ref", "list", "Ids, titles or paths.", max_items=READ_MOST, max_chars=300, commas=False), _ONLY), _read, data.read_text,
        {"id": "text", "title": "text", "text": "text", "trust": "text", "etag": "text", "memories": "list"}, reads=True, repeats=True,
        verbs=("show",), scoped=True, brief=("ref",), aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "evolve_memory", "Replace a memory",
        "Replace what a memory says; the old text is archived.",
        (_REF, Param("reason", "words", "", max_chars=1000), Param("body", "words", "", max_chars=20_000),
         Param("title", "text", "", "", max_chars=200), replace(_QUOTE, meaning=""), _ONLY),
        _evolve, data.saved_text, SAVED, cost="medium", verbs=("evolve",), scoped=True, aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "forget_memory", "Put a memory away",
        "Erases nothing: archives a memory, or proposes it when the memory is the person's own. For when they ask to forget."
        " Only the person erases: `vade forget`.",
        (_REF, _WHY, _ONLY), _put_away, data.saved_text, SAVED, destroys=True, verbs=("archive",), scoped=True,
        brief=("ref", "reason"), aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "review_inbox", "Review the inbox",
        "List proposals; approve or reject one as told.",
        (
            Param("action", "text", "", "list", choices=("list", "approve", "reject")), replace(_REF, default=""), _WHY,
            Param("limit", "number", "", 20, least=1, most=200), _ONLY,
        ),
        _review, _review_text, {"memories": "list"}, destroys=True, verbs=("inbox", "review"), scoped=True,
        own_needs=READS,  # its verbs do the rest
        aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "list_memory_sources", "List source notes", "Notes that memories are taken from.",
        (Param("only_dirty", "flag", "Only changed ones.", False),),
        lambda memory, values, by: data.sources(memory.person.sources(values["only_dirty"])),
        data.sources_text, {"sources": "list"}, reads=True, repeats=True, verbs=("sources",), scoped=True,
    ),
    Tool(
        "add_memory_source", "Add a source note", "Take memories from a note, also when it changes.",
        (_NOTE, Param("write_frontmatter", "flag", "", True)),
        lambda memory, values, by: data.sources([memory.person.add_source(values["note_path"], values["write_frontmatter"], by=by)]),
        data.sources_text, {"sources": "list"}, repeats=True, cost="expensive", verbs=("sources --add",), scoped=True,
    ),
    Tool(
        "remove_memory_source", "Remove a source note", "What was taken stays.",
        (_NOTE, Param("clear_frontmatter", "flag", "", True)),
        lambda memory, values, by: data.sources([memory.person.remove_source(values["note_path"], values["clear_frontmatter"], by=by)]),
        data.sources_text, {"sources": "list"}, destroys=True, verbs=("sources --remove",), scoped=True,
    ),
    Tool(
        "why", "Explain a recall", "How a recall came about; without trace, the last.",
        (Param("trace", "text", "", "", max_chars=40),),
        _why, lambda fields: data.quoted([fields["story"]]), {"question": "text", "verdict": "text", "story": "text"},
        reads=True, repeats=True, verbs=("why",), scoped=True,
    ),
)  # fmt: skip

#: Former name of a tool -> its name now (VO-41, VO-61).
OLDER_NAMES: Mapping[str, str] = {
    "mark_note_as_memory_source": "add_memory_source",
    "unmark_note_as_memory_source": "remove_memory_source",
    "list_memory_source_notes": "list_memory_sources",
}

SYNC_SESSION = Tool(
    "sync_session", "Save a session", "Deprecated: use save_conversation and save_to_memory.",
    (
        Param("title", "text", "", max_chars=200), Param("transcript", "words", "", max_chars=100_000),
        Param("learnings", "list", "", (), max_items=50, max_chars=4_000),
    ),
    _sync, lambda fields: f"{len(fields['saved'])} learnings saved.", {"saved": "list"}, cost="expensive", listed=False,
)  # fmt: skip


def _of_plugins() -> tuple[Tool, ...]:
    return named("tools", (*TOOLS, SYNC_SESSION), lambda tool: tool.name)


@cache
def _by_name() -> dict[str, Tool]:
    """Return the tools of the table and those of plugins that are always offered, by name: what `use_verb` reaches besides the verbs."""
    return {tool.name: tool for tool in (*TOOLS, SYNC_SESSION, *_of_plugins()) if not tool.on_request}


#: Verbs and tools named in the description of `use_verb`. Naming all would take a tenth of the tokens of the tool list.
USUAL_VERBS = (
    "search_history", "list_memories", "get_context", "review_inbox", "save_conversation", "why", "history", "undo", "link", "handoff",
)  # fmt: skip


def use_verb_tool(verbs: tuple[Verb, ...]) -> Tool:
    """Return `use_verb`: it runs every verb that agents may use and that has no tool, and every unlisted tool."""
    taken = {name for tool in TOOLS for name in tool.verbs}
    rest = {verb.name: verb for verb in with_flags(verbs) if verb.agents and verb.name not in taken}
    reached = tuple(dict.fromkeys((*_by_name(), *rest)))

    def used(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
        name, given = values["verb"], values["arguments"]
        if tool := _by_name().get(name):
            return {"result": tool.do(memory, tool.checked(given), by), "verb": name}
        return {"result": as_answer(rest[name].do(memory, checked(rest[name], given), by)), "verb": name}

    named = ", ".join((*(name for name in USUAL_VERBS if name in reached), "..."))
    params = (
        Param("verb", "text", named, choices=reached, many=True),
        Param("arguments", "object", "By name; a wrong call is answered with the names.", {}),
    )
    return Tool(
        USE_VERB, "Other operations",
        "Everything else: search conversations, list memories, review the inbox, history, undo, links, handoffs.", params, used,
        _used_text, {"verb": "text"}, destroys=True, cost="expensive", scoped=True,
        own_needs=READS,  # the verb does the rest
    )  # fmt: skip


def _used_text(fields: Mapping[str, Any]) -> str:
    """Return the text of a tool, or the JSON of a verb."""
    if tool := _by_name().get(fields["verb"]):
        return tool.tell(fields["result"])
    return data.quoted([json.dumps(fields["result"], ensure_ascii=False)])


def all_tools(verbs: tuple[Verb, ...] = VERBS) -> dict[str, Tool]:
    """Return every tool by name, listed ones first and in the order of the table."""
    tools = {tool.name: tool for tool in (*TOOLS, use_verb_tool(verbs), *_by_name().values(), *_of_plugins())}
    return tools | {older: replace(tools[name], name=older, listed=False) for older, name in OLDER_NAMES.items()}
