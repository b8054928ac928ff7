"""The tools that agents have: one table, each tool a verb or two under the name that agents expect.

Arguments are checked as everywhere (`entrypoints/arguments.py`) and named as on the command line; older names are accepted. The default
list has six tools (`DEFAULT`), because every session pays for it in tokens. All other tools can still be called by name, and `use_verb`
reaches them and every verb that agents may use.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from vademecum.api import Vademecum
from vademecum.api.runner import READS, WRITES, Needs, run
from vademecum.domain.conversation import interface_named
from vademecum.domain.errors import InvalidInput, NotFound, UnknownWord, VademecumError
from vademecum.domain.kinds import FACETS, KINDS
from vademecum.domain.memory import By, Memory
from vademecum.domain.query import Hit, Query, Recall
from vademecum.domain.saved import SaveOptions
from vademecum.domain.uris import item_and_place
from vademecum.domain.why_nothing import FOUND
from vademecum.entrypoints.answers import as_answer
from vademecum.entrypoints.arguments import BadArgument, checked, unwritten
from vademecum.entrypoints.mcp import data
from vademecum.entrypoints.verbs import VERBS, verb_named
from vademecum.entrypoints.verbs.verb import Param, Verb, with_flags
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
        older: names that it had before, which are still answered.
        brief: parameters shown in the default list; the others are accepted too. Empty: all are shown.
        aliases: older name of a parameter -> its name.
        own_needs: what it needs of the memory; None: what its verbs need, or a read or write if it has none.
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
    older: tuple[str, ...] = ()
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
        """Check arguments for :meth:`do`. Older names, a single text for a list, and values written as texts are accepted.

        Raises:
            BadArgument: an unknown name, a missing value, or a value of the wrong type.
        """
        twice = [name for name in given if self.aliases.get(name, name) != name and self.aliases[name] in given]
        if twice:
            raise BadArgument(f"{twice[0]} is an older name of {self.aliases[twice[0]]}: give one of them.")
        named = {self.aliases.get(name, name): value for name, value in given.items()}
        return checked(self, unwritten(self.params, named))

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

INTERFACE = Param("source_interface", "text", "Your app, such as claude-ai.", "", max_chars=40)
#: Parameters of many tools are explained only at the first one. The error of a wrong call says more.
ONLY_EXPLAINED = Param("source_interface", "text", "Only from this app.", "", max_chars=40)
ONLY = replace(ONLY_EXPLAINED, meaning="")
REF_EXPLAINED = Param("ref", "text", "Id, title or path.", max_chars=300)
REF = replace(REF_EXPLAINED, meaning="")
#: Former names of arguments -> their names on the command line.
OLDER_ARGUMENTS = {"query": "question", "top_k": "limit", "content": "body", "id": "ref", "source_uri": "source"}
WHY = Param("reason", "text", "", "", max_chars=1000)
PROJECT = Param("project", "text", "", "", max_chars=200)
PROJECT_EXPLAINED = replace(PROJECT, meaning="Default: the one you work in.")
QUOTE = Param("quote", "text", "The person's words, verbatim.", "", max_chars=1000)
#: Stands for all projects.
EVERYWHERE = "any"


def kind_param(default: Any = "") -> Param:
    return Param("kind", "text", "preference, fact, decision, lesson, task, ...", default, max_chars=40)


def apps_of(values: Mapping[str, Any]) -> tuple[str, ...]:
    word = values["source_interface"]
    return (interface_named(word),) if word else ()


def project_of(memory: Vademecum, values: Mapping[str, Any]) -> str:
    """Return the project to search: the named one, else that of the working folder (X-43); "" for all."""
    named = values["project"] or memory.project
    return "" if named == EVERYWHERE else named


def _recall(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    kinds = (values["kind"],) if values["kind"] else ()
    scope = memory.notes.scope(kind=kinds, project=project_of(memory, values), interface=apps_of(values))
    limit = values["limit"] or (None if values["multi_hop"] else RECALLED)
    query = Query(values["question"], scope, memory.default_profile, limit, multi_hop=values["multi_hop"])
    result = memory.recall.ask(query)
    return data.hits(result, candidates(memory, query, result), memory.now())


def candidates(memory: Vademecum, query: Query, found: Recall) -> tuple[Hit, ...]:
    """Return the best hits below the threshold, up to the limit of the query; none if nothing is known or links are followed."""
    room = (query.limit or 0) - len(found.hits)
    if room <= 0 or found.verdict != FOUND or query.multi_hop:
        return ()
    return memory.recall.candidates(query, found.hits)[:room]


def _save(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    content, word = values["body"].strip(), values["source_interface"]
    kept = memory.notes.save(
        values["kind"] or "fact",
        values["title"],
        content + "\n",
        SaveOptions(unique=True, personal=values["personal"], quote=values["quote"]),
        tags=values["tags"],
        by=by,
        importance=values["importance"],
        project=values["project"],
        source=values["source"],
        source_interface=interface_named(word) if word else "",
        said=values["said"],
        when=values["when"],
    )
    return data.saved(kept)


def _update(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    if not values["ref"]:  # the call of an earlier tool of this name (VO-61)
        kind = values["category"] if values["category"] in KINDS or values["category"] in FACETS else "fact"
        return data.saved(memory.notes.save(kind, "", values["body"].strip() + "\n", by=by))
    if values["reason"].strip():
        return evolve(memory, {**values, "title": ""}, by)
    own = own_memory(memory, values)
    return data.changed(memory.notes.edit(own.id, body=values["body"].strip() + "\n", etag=values["etag"] or None, by=by))


def evolve(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    own = own_memory(memory, values)
    text, title, quote = values["body"].strip() + "\n", values["title"], values["quote"]
    return data.saved(memory.notes.evolve(own.id, values["reason"], text, title=title, quote=quote, by=by))


def _put_away(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
    return data.changed(memory.notes.archive(own_memory(memory, values).id, values["reason"], by=by))


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
    if not values["ref"].startswith(("session://", "document://")):
        try:
            return data.memory(own_memory(memory, values), memory.now())
        except NotFound:
            if not (key := _note_named(memory, values["ref"])):
                raise
            place = values["ref"].partition("#")[2].partition("|")[0].removesuffix("]]")
    else:
        key, place = item_and_place(values["ref"])
        key = key if memory.context.index.items([key]) else unquote(key)
    item, only = memory.context.index.items([key]).get(key), apps_of(values)
    if item is None or (only and item.host not in only):
        raise NotFound(f"There is no {values['ref']!r}.", "Give an id as recall_memory lists it.")
    return data.passages(item, [stored.passage for stored in memory.context.index.passages_of(key)], place, memory.now())


def _note_named(memory: Vademecum, name: str) -> str:
    """Return the key of the person's note with this path, file name, title or alias; "" if there is none."""
    bare = name.removeprefix("[[").removesuffix("]]") if name.startswith("[[") else name.removeprefix("./")
    keys = (key for text in dict.fromkeys((bare, unquote(bare))) for key in memory.context.index.named(text))
    return next((key for key in keys if key.startswith("document://")), "")


def own_memory(memory: Vademecum, values: Mapping[str, Any]) -> Memory:
    """Return the named memory, which must come from the named app, if one is named.

    Raises:
        InvalidInput: it came from elsewhere.
    """
    notes = memory.notes.get(values["ref"])
    only = apps_of(values)
    if only and notes.source_interface not in only:
        raise InvalidInput(f"{values['ref']!r} did not come from {only[0]}.", "Name the interface that it came from.")
    return notes


def _tool_named(name: str) -> Tool:
    return all_tools()[name]


SAVED = {"action": "text", "id": "text", "warnings": "list"}
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
            Param("multi_hop", "flag", "Also linked ones.", False), kind_param(), ONLY_EXPLAINED,
            replace(PROJECT, meaning="Default: the one you work in; any: all."),
        ),
        _recall, data.hits_text, _HITS, reads=True, repeats=True, cost="medium", verbs=("recall",), scoped=True,
        brief=("question", "kind", "project", "limit"), aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "save_to_memory", "Remember",
        "Save one thing that later sessions need: a decision and its reason, a preference, a correction, a fix that worked. Use it when"
        " the person asks to remember something, or when such a thing was agreed. Never save secrets.",
        (
            Param("body", "words", "Understandable without this conversation.", max_chars=4_000),
            Param("title", "text", "", "", max_chars=200), kind_param("fact"),
            Param("tags", "list", "", (), max_items=5, max_chars=80), Param("importance", "share", "", 0.5), INTERFACE,
            Param("source", "text", "URI that it comes from.", "", max_chars=1000), PROJECT_EXPLAINED,
            Param("personal", "flag", "Shown in all projects.", False), QUOTE, Param("said", "date", "When it was said.", None),
            Param("when", "list", 'Show it before such a call: "run: git push".', (), commas=False),
        ),
        _save, data.saved_text, SAVED, repeats=True, cost="medium", verbs=("save",),
        brief=("body", "title", "kind", "tags", "project", "personal", "quote"), aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "update_memory", "Correct a memory",
        "Correct a memory that is wrong or outdated. With reason, the old text is archived and stays linked; without, the text is"
        " replaced. The person's own memories change when they accept the proposal.",
        (
            replace(REF_EXPLAINED, default=""), Param("body", "words", "The new text.", max_chars=20_000),
            Param("reason", "text", "Why it changed.", "", max_chars=1000), QUOTE,
            Param("etag", "text", "From read_memory.", "", max_chars=64),
            Param("category", "text", "Without ref: saves new.", "", max_chars=40), ONLY,
        ),
        _update, data.saved_text, SAVED, destroys=True, repeats=True, cost="medium", verbs=("edit",), scoped=True,
        brief=("ref", "body", "reason", "quote"), aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "read_memory", "Read",
        "Full text of memories, notes or conversation turns that recall_memory listed; several in one call.",
        (Param("ref", "list", "Ids, titles or paths.", max_items=READ_MOST, max_chars=300, commas=False), ONLY), _read, data.read_text,
        {"id": "text", "title": "text", "text": "text", "trust": "text", "etag": "text", "memories": "list"}, reads=True, repeats=True,
        verbs=("show",), scoped=True, brief=("ref",), aliases=OLDER_ARGUMENTS,
    ),
    Tool(
        "forget_memory", "Put a memory away",
        "Erases nothing: archives a memory, or proposes it when the memory is the person's own. For when they ask to forget."
        " Only the person erases: `vade forget`.",
        (REF, WHY, ONLY), _put_away, data.saved_text, SAVED, destroys=True, verbs=("archive",), scoped=True,
        brief=("ref", "reason"), aliases=OLDER_ARGUMENTS,
    ),
)  # fmt: skip


def _of_plugins() -> tuple[Tool, ...]:
    return named("tools", TOOLS, lambda tool: tool.name)


@cache
def _by_name() -> dict[str, Tool]:
    """Return the tools of the table and those of plugins, by name: what `use_verb` reaches besides the verbs."""
    return {tool.name: tool for tool in (*TOOLS, *_of_plugins())}


#: Verbs and tools named in the description of `use_verb`. Naming all would take a tenth of the tokens of the tool list.
USUAL_VERBS = (
    "search_history", "list_memories", "get_context", "review_inbox", "save_conversation", "why", "history", "undo", "link", "handoff",
)  # fmt: skip


def use_verb_tool(verbs: tuple[Verb, ...]) -> Tool:
    """Return `use_verb`: it runs every verb that agents may use and that has no tool, and every tool, also by the name of its command."""
    taken = {name for tool in _by_name().values() if tool.listed for name in tool.verbs}
    rest = {verb.name: verb for verb in with_flags(verbs) if verb.agents and verb.name not in taken}
    reached = tuple(dict.fromkeys((*_by_name(), *rest)))
    named_as_commands = {
        verb: tool.name for tool in reversed(_by_name().values()) for verb in tool.verbs if verb not in reached
    }

    def used(memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
        given = values["arguments"]
        name = named_as_commands.get(values["verb"], values["verb"])
        if name not in reached:
            raise _no_such_verb(name, reached, verbs)
        if tool := _by_name().get(name):
            return {"result": tool.do(memory, tool.checked(given), by), "verb": name}
        values = checked(rest[name], unwritten(rest[name].params, given))
        return {"result": as_answer(rest[name].do(memory, values, by)), "verb": name}

    named = ", ".join((*(name for name in USUAL_VERBS if name in reached), "..."))
    params = (
        Param("verb", "text", named),
        Param("arguments", "object", "By name; a wrong call is answered with the names.", {}),
    )
    return Tool(
        USE_VERB, "Other operations",
        "Everything else: search conversations, list memories, review the inbox, history, undo, links, handoffs.", params, used,
        _used_text, {"verb": "text"}, destroys=True, cost="expensive", scoped=True,
        own_needs=READS,  # the verb does the rest
    )  # fmt: skip


def _no_such_verb(name: str, reached: Sequence[str], verbs: tuple[Verb, ...]) -> VademecumError:
    """Return the error for a verb that agents have not: it is the person's own, or there is none."""
    if any(verb.name == name for verb in with_flags(verbs)):
        return InvalidInput(f"{name!r} is for the person alone.", f"Ask them to run: vade {name}")
    return UnknownWord("verb", name, reached)


def _used_text(fields: Mapping[str, Any]) -> str:
    """Return the text of a tool, or the JSON of a verb."""
    if tool := _by_name().get(fields["verb"]):
        return tool.tell(fields["result"])
    return data.quoted([json.dumps(fields["result"], ensure_ascii=False)])


def all_tools(verbs: tuple[Verb, ...] = VERBS) -> dict[str, Tool]:
    """Return every tool by name, listed ones first and in the order of the table."""
    tools = {tool.name: tool for tool in (*TOOLS, use_verb_tool(verbs), *_by_name().values())}
    return tools | {name: replace(tool, name=name, listed=False, older=()) for tool in tools.values() for name in tool.older}


def older_names() -> Mapping[str, str]:
    """Return the names that tools had before -> their names."""
    return {name: tool.name for tool in (*TOOLS, *_of_plugins()) for name in tool.older}
