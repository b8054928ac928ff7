"""What can be done with a memory: one table. Command line, MCP and HTTP are made from it, so a verb appears in all at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from vademecum.doors import show
from vademecum.memory import Vademecum
from vademecum.model.conversation import INTERFACES
from vademecum.model.errors import InvalidInput
from vademecum.model.ideas import GC_MONTHS, RESEARCH_FETCHES, RESEARCH_SECONDS, RESEARCH_TOKENS, Idea, Stale
from vademecum.model.item import Item
from vademecum.model.kinds import KINDS
from vademecum.model.memory import CONFIDENCES, RELATIONS, By, Memory
from vademecum.model.onboarding import Known
from vademecum.model.procedural import SOUL_CATEGORIES
from vademecum.model.query import Bundle, Query, Recall
from vademecum.model.relations import STATED
from vademecum.model.reports import Decided, Saved

Type = Literal["text", "words", "number", "share", "flag", "list", "date", "file", "numbers", "object", "objects"]

REQUIRED = object()

#: Longest text of an argument and most entries of a list, in characters and entries; a row may say otherwise.
TEXT_MAX_CHARS, LIST_MAX_ITEMS, NUMBER_MAX = 200_000, 1_000, 1_000_000


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of a verb.

    Attributes:
        type: "words" is the rest of the line joined by spaces, "share" 0..1, "date" an ISO date or moment, "file" text that
            may come from a file or standard input, "numbers" a list of whole numbers, "object" any JSON object, "objects" a list
            of objects with `fields`.
        default: REQUIRED when it must be given.
        place: given by position on the command line rather than by name.
        choices: allowed values, or None. many: there are so many that schemas name none; a wrong one is answered with them.
        least, most: of a number, both inclusive. max_chars: of a text, or of each text of a list. max_items: of a list.
        commas: whether a list may be written as one text with commas between its entries.
    """

    name: str
    type: Type
    meaning: str
    default: Any = REQUIRED
    place: bool = False
    choices: tuple[str, ...] | None = None
    many: bool = False
    least: float = 0
    most: float = NUMBER_MAX
    max_chars: int = TEXT_MAX_CHARS
    max_items: int = LIST_MAX_ITEMS
    commas: bool = True
    fields: "tuple[Param, ...]" = ()


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that can be done.

    Attributes:
        run: called with the memory and the arguments by name; gives a value.
        show: makes text for a person of that value.
        changes: whether it may write.
        signed: whether `run` takes `by`, who acts through which door.
        agents: whether an agent may do it; False for what is the person's own word.
        consent: name of the flag without which it only tells what it would do; a person at a terminal is asked then.
        screen: what a terminal shows when it is called without arguments.
    """

    name: str
    meaning: str
    params: tuple[Param, ...]
    run: Callable[..., Any]
    show: Callable[[Any], str]
    changes: bool = False
    signed: bool = False
    agents: bool = True
    consent: str = ""
    screen: "Callable[[Vademecum], object] | None" = None

    @property
    def slug(self) -> str:
        """Its name as a part of an address: "sessions list" is "sessions-list" there."""
        return self.name.replace(" ", "-")

    def do(self, memory: Vademecum, values: Mapping[str, Any], by: By) -> Any:
        """Do it, with arguments as :func:`vademecum.doors.arguments.checked` gives them."""
        return self.run(memory, **values, **({"by": by} if self.signed else {}))


#: What can be decided about a proposal.
DECISIONS = ("approve", "edit", "reject", "skip", "supersede")


def _review_screen(memory: Vademecum) -> None:
    from vademecum.doors.review_screen import review_in_terminal

    review_in_terminal(memory)


_AS_OF = Param("as_of", "date", "As it was believed at that time, by what had been recorded then.", None)


def _ref() -> Param:
    return Param("ref", "text", "An id, the start of one, an alias, a path or a title.", place=True)


def _where() -> tuple[Param, ...]:
    return (
        Param("kind", "list", "Only these kinds.", ()),
        Param("space", "list", "Only these spaces.", ()),
        Param("source", "list", "Only these sources: memory, document, session.", ()),
        Param("status", "list", "Only these statuses.", ()),
        Param("project", "text", "Only this project's and those of no project.", ""),
        Param("tag", "list", "Only what has one of these tags.", ()),
        Param("since", "date", "Only what was said or changed since.", None),
        Param("until", "date", "Only what was said or changed before.", None),
        _AS_OF,
        Param("interface", "list", "Only what was saved or said in these tools: claude-ai, claude-code, chatgpt, ...", ()),
    )


def _reason(default: Any = "") -> Param:
    return Param("reason", "text", "Why; kept in the history.", default, place=True)


def _body(meaning: str, default: Any = None) -> Param:
    return Param("body", "file", meaning + " A file with @path, standard input with -.", default)


_CONVERSATION = Param("conversation_id", "text", "Its id.", place=True, max_chars=80)
_NOTE = Param("note", "text", "Path of the note in your vault.", place=True, max_chars=1000)
_MESSAGE = (
    Param("role", "text", "Who said it.", choices=("user", "assistant", "system", "tool")),
    Param("content", "text", "What was said.", max_chars=100_000),
)
#: What an agent found in its own conversation, all at once.
FACTS = Param(
    "facts", "objects", "", (), max_items=50,
    fields=(
        Param("text", "text", "One statement that stands alone.", max_chars=300),
        Param("quote", "text", "Words it comes from, exactly as said.", max_chars=1000),
        Param("kind", "text", "", "fact", max_chars=40),
        Param("importance", "share", "", 0.5),
        Param("topics", "list", "", (), max_items=3, max_chars=40),
        Param("relation", "text", "", "new", choices=STATED),
        Param("target", "text", "Memory it relates to.", "", max_chars=300),
        Param("rationale", "text", "", "", max_chars=1000),
    ),
)  # fmt: skip
_CALLED = Param("ref", "text", "An id, the start of one, a path, a title, or the session's URI.", place=True)
_AGENT = Param("agent", "text", "Name of the agent.", place=True)
_CHAT = (
    Param("chat", "text", "Id under which the host can resume the chat.", ""),
    Param("model", "text", "Model that answered.", ""),
)
_FROM = "A file with @path, standard input with -."
_QUESTION = Param("question", "words", "What is asked.", place=True)
_LIMIT = Param("limit", "number", "Most results.", 0)
_PROFILE = Param(
    "profile", "text", "Recall profile: auto, vault, swarm, agent, facts, composer, wiki (wiki-quick, wiki-deep).", ""
)
_SESSION = Param("session", "text", "Id of the session that asks; profiles with topics lean to what it is about.", "")


def _recall(
    memory: Vademecum, question: str, profile: str, limit: int, budget: int, session: str, multi_hop: bool, **where: Any
) -> Recall:
    scope, profile = memory.scope(**where), profile or memory.default_profile
    return memory.recall(Query(question, scope, profile, limit or None, budget or None, session=session, multi_hop=multi_hop))


def _search(memory: Vademecum, question: str, profile: str, limit: int, **where: Any) -> Recall:
    query = Query(question, memory.scope(**where), profile or memory.default_profile, limit or 10, gated=False)
    return memory.recall(query)


def _inbox(memory: Vademecum, limit: int, **where: Any) -> tuple[Item, ...]:
    return memory.list(limit, status=("inbox",), **where)


def _review(memory: Vademecum, ref: str, decision: str, reason: str, body: str | None, older: str, by: By) -> Decided:
    if not ref:
        raise InvalidInput("Which one? Without one, vade review needs a terminal.", "See what waits: vade inbox")
    if not decision:
        raise InvalidInput("Say what to do with it.", "One of: approve, edit, reject, skip, supersede")
    return memory.decide(ref, decision, reason, body=body, older=older, by=by)  # type: ignore[arg-type]


def _review_all(
    memory: Vademecum, decision: str, kind: str, confidence: str, older_than_hours: int, by: By
) -> tuple[Decided, ...]:
    return memory.decide_all(
        decision,  # type: ignore[arg-type]
        kind=kind,
        confidence=confidence,
        older_than_hours=older_than_hours,
        by=by,
    )


def _bundle(
    memory: Vademecum, question: str, profile: str, budget: int, session: str, stage: str, channel: bool, **where: Any
) -> Bundle:
    if not question and stage != "pre-session":
        raise InvalidInput("There is no question.", "Only --stage pre-session goes without one.")
    scope = memory.scope(**where)
    profile = profile or memory.default_profile
    return memory.bundle(
        Query(question, scope, profile, budget_tokens=budget or None, session=session, stage=stage, channel=channel)
    )


def _edit(memory: Vademecum, ref: str, body: str | None, set: tuple[str, ...], etag: str, by: By) -> Memory:  # noqa: A002 - the option's name
    pairs = dict(_pair(text) for text in set)
    return memory.edit(ref, body=body, properties=pairs, etag=etag or None, by=by)


_LISTS = ("tags", "topics", "aliases", *RELATIONS)


def _pair(text: str) -> tuple[str, Any]:
    """`key=value`; an empty value removes the key, `a, b` in a list property makes two entries."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise InvalidInput(f"--set takes key=value, not {text!r}.")
    entries = [entry.strip() for entry in value.split(",") if entry.strip()]
    return key.strip(), (entries if key.strip() in _LISTS else value.strip()) or None


def _onboard_screen(memory: Vademecum) -> None:
    from vademecum.doors.onboard_screen import onboard_in_terminal

    onboard_in_terminal(memory)


def _onboard(memory: Vademecum, question: str, answer: str, by: By) -> tuple[Saved, ...] | tuple[Known, ...]:
    return memory.onboard(question, answer, by=by) if question else memory.onboarding()


def _tidy_screen(memory: Vademecum) -> None:
    from vademecum.doors.ideas_screen import tidy_in_terminal

    tidy_in_terminal(memory)


def _tidy(memory: Vademecum, ref: str, decision: str, months: int, yes: bool, by: By) -> Idea | tuple[Stale, ...]:
    if not ref:
        return memory.stale_ideas(months or GC_MONTHS)
    if decision not in TIDYINGS:
        raise InvalidInput("Say what to do with it.", "One of: " + ", ".join(TIDYINGS))
    if decision == "delete" and not yes:
        raise InvalidInput("Deleting an idea cannot be undone.", "To do it, add: --yes. To put it away: archive")
    return memory.tidy_idea(ref, decision, by=by)  # type: ignore[arg-type]


#: What can become of an idea that nobody touched.
TIDYINGS = ("keep", "archive", "delete")


def _style_parts(required: Any) -> tuple[Param, ...]:
    return (
        Param("description", "text", "How to talk in this context.", required, place=required is REQUIRED, max_chars=4000),
        Param("examples", "list", "A sentence as it should sound.", (), max_items=20, max_chars=1000, commas=False),
        Param("importance", "share", "How much it matters, 0 to 1.", None),
    )


#: First word of verbs of two -> the second word that is meant when none is given: `vade idea TITLE`.
USUAL = {"idea": "add"}

#: First word of verbs of two -> what they are about.
GROUPS = {
    "queue": "What the language model is still to read.",
    "style": "How to talk with you, by context: list, add, update, remove.",
    "idea": "Ideas: capture one (vade idea TITLE), list them, look them up, make one a project, tidy old ones.",
    "sessions": "Conversations: list, read, search them word for word, and give their transcripts back.",
    "guard": "What the guard knows and did: scan what is stored, read its log.",
    "reflect": "Passes through what is known.",
}

VERBS: tuple[Verb, ...] = (
    Verb(
        "save",
        "Keep one thing worth knowing.",
        (
            Param("kind", "text", "What sort of memory: " + ", ".join(KINDS) + ".", place=True),
            Param("title", "text", "What to call it.", place=True),
            _body("The text.", ""),
            Param("tags", "list", "Tags.", ()),
            Param("space", "text", "Space to keep it in; the kind decides when empty.", ""),
            Param("project", "text", "Project it belongs to.", ""),
            Param("confidence", "text", "How sure it is.", "", choices=("", *CONFIDENCES)),
            Param("importance", "share", "How much it matters, 0 to 1; the kind decides when not given.", None),
            Param("summary", "text", "One line, 200 characters at most.", ""),
            Param("supersedes", "list", "Memories that it replaces.", ()),
            Param("always_load", "flag", "Tell every session.", False),
            Param("source", "text", "Where it comes from, as a URI.", ""),
        ),
        Vademecum.save,
        show.saved,
        changes=True,
        signed=True,
    ),
    Verb("show", "One memory, whole.", (_ref(), _AS_OF), Vademecum.get, show.memory),
    Verb(
        "list",
        "Memories, newest first.",
        (*_where(), Param("limit", "number", "Most memories.", 50)),
        Vademecum.list,
        show.items,
    ),
    Verb(
        "edit",
        "Change a memory in place. To replace what it says, use evolve.",
        (
            _ref(),
            _body("The new text."),
            Param("set", "list", "A property as key=value; an empty value removes it.", (), commas=False),
            Param("etag", "text", "Only if the file is still the one with this etag.", ""),
        ),
        _edit,
        show.memory,
        changes=True,
        signed=True,
    ),
    Verb(
        "evolve",
        "Replace what a memory says; the old text is archived whole and both know each other.",
        (
            _ref(),
            Param("reason", "text", "Why it changed.", place=True),
            _body("The new text.", REQUIRED),
            Param("title", "text", "A new title.", ""),
        ),
        Vademecum.evolve,
        show.saved,
        changes=True,
        signed=True,
    ),
    Verb(
        "supersede",
        "Say that one memory gave way to another.",
        (
            Param("old", "text", "The memory that no longer holds.", place=True),
            Param("new", "text", "The memory that holds now; STALE: none is known.", place=True),
            _reason(),
        ),
        Vademecum.supersede,
        show.memory,
        changes=True,
        signed=True,
    ),
    Verb(
        "doubts",
        "Memories that may have taken the place of others, newest first; settle decides, or vade review in a terminal.",
        (Param("project", "text", "Only this project's.", ""),),
        Vademecum.doubts,
        show.doubts,
    ),
    Verb(
        "settle",
        "Say that a memory holds and those that contradict it, or whose place it took, give way.",
        (_ref(), _reason(), Param("both", "flag", "All of them hold.", False)),
        Vademecum.settle,
        show.memory,
        changes=True,
        signed=True,
        agents=False,
    ),
    Verb("resolve", "Mark as done or settled.", (_ref(), _reason()), Vademecum.resolve, show.memory, changes=True, signed=True),
    Verb(
        "archive",
        "Put away; it can be restored.",
        (_ref(), _reason()),
        Vademecum.archive,
        show.memory,
        changes=True,
        signed=True,
    ),
    Verb(
        "restore",
        "Bring back from the archive or the inbox.",
        (_ref(),),
        Vademecum.restore,
        show.memory,
        changes=True,
        signed=True,
    ),
    Verb(
        "move",
        "Give a memory another kind, space or title. Its id stays, so every reference stays valid.",
        (
            _ref(),
            Param("kind", "text", "New kind.", ""),
            Param("space", "text", "New space.", ""),
            Param("title", "text", "New title.", ""),
        ),
        Vademecum.move,
        show.memory,
        changes=True,
        signed=True,
    ),
    Verb(
        "tag",
        "Add or remove tags.",
        (_ref(), Param("add", "list", "Tags to add.", ()), Param("remove", "list", "Tags to remove.", ())),
        Vademecum.tag,
        show.memory,
        changes=True,
        signed=True,
    ),
    Verb(
        "link",
        "Relate a memory to another, or to a URI.",
        (
            _ref(),
            Param("relation", "text", "How.", place=True, choices=RELATIONS),
            Param("target", "text", "The other memory, or a URI.", place=True),
        ),
        Vademecum.link,
        show.memory,
        changes=True,
        signed=True,
    ),
    Verb("confirm", "Say that it still holds.", (_ref(),), Vademecum.confirm, show.memory, changes=True, signed=True),
    Verb(
        "forget",
        "Remove a memory, a source or some words for good, with every copy of ours, and prove it. It asks first.",
        (
            Param("ref", "text", "An id, the start of one, an alias, a path or a title.", "", place=True),
            Param("source", "text", "A conversation, note or page (its URI), and all that came of it.", ""),
            Param("subject", "text", "Everything that holds these very words.", ""),
            Param("query", "text", "What this question finds.", ""),
            Param("dry_run", "flag", "Only say what would go.", False),
            Param("yes", "flag", "Do it without asking.", False),
        ),
        Vademecum.forget,
        show.forgetting,
        changes=True,
        signed=True,
        agents=False,
        consent="yes",
    ),
    Verb(
        "guard scan",
        "What looks like a secret, personal data or an order to agents in everything that is stored; never the values.",
        (Param("purge", "flag", "Put placeholders in their place, everywhere, for good.", False),),
        Vademecum.guard_scan,
        show.scanned,
        changes=True,
        signed=True,
        agents=False,
    ),
    Verb(
        "guard log",
        "What the guard changed or held back on this device, the last first, without values.",
        (Param("limit", "number", "Most lines.", 50),),
        Vademecum.guard_log,
        show.guard_log,
    ),
    Verb(
        "links",
        "What a memory is linked with, by typed edges: memories, notes, web pages, and names that name nothing any more.",
        (
            _ref(),
            Param("type", "list", "Only these types: refines, derived_from, contradicts, supersedes, links, mentions, ...", ()),
            Param("hops", "number", "How many edges away.", 1, least=1, most=3),
            Param("limit", "number", "Most links.", 20),
        ),
        Vademecum.links,
        show.links,
    ),
    Verb("history", "Every version of a memory.", (_ref(),), Vademecum.history, show.versions),
    Verb(
        "sql",
        "Ask with SQL, for reading only: facts, fact_edges, fact_embeddings, known_topics, memory_audit, sessions and more.",
        (
            Param("statement", "words", "One SELECT.", place=True),
            Param("limit", "number", "Most rows.", 1000, least=1, most=100_000),
            Param("seconds", "number", "Stopped after so long.", 5, least=1, most=60),
        ),
        Vademecum.sql,
        show.rows,
        agents=False,
    ),
    Verb(
        "undo",
        "Take back the last change, or the one named.",
        (Param("operation", "text", "Id of a change, from `history`; empty: the last one.", "", place=True),),
        Vademecum.undo,
        show.undone,
        changes=True,
        signed=True,
    ),
    Verb(
        "recall",
        "What memory knows about a question; nothing when it knows nothing.",
        (
            _QUESTION,
            _PROFILE,
            _LIMIT,
            Param("budget", "number", "Most tokens.", 0),
            _SESSION,
            Param("multi_hop", "flag", "Also what is linked with the best hits or shares their topic; 15 hits at most.", False),
            *_where(),
        ),
        _recall,
        show.recall,
    ),
    Verb(
        "search",
        "Everything that comes near, best first, without the threshold of recall.",
        (_QUESTION, _PROFILE, _LIMIT, *_where()),
        _search,
        show.search,
    ),
    Verb(
        "bundle",
        "The text that an agent would be given for a prompt.",
        (
            Param("question", "words", "What is asked; empty before a session has begun.", "", place=True),
            _PROFILE,
            Param("budget", "number", "Most tokens.", 0),
            _SESSION,
            Param("stage", "text", "Moment of the session: pre-session, first-message, mid-session.", ""),
            Param("channel", "flag", "Others read the session along.", False),
            *_where(),
        ),
        _bundle,
        show.bundle,
    ),
    Verb(
        "topics",
        "Topics in memory; with a text, those it is about; with a session, what that is about.",
        (
            Param("text", "words", "A text to compare with; empty: every topic.", "", place=True),
            Param("session", "text", "A session, by its id.", ""),
            Param("lock", "list", "Keep the session to this topic, whatever is asked.", ()),
            Param("release", "flag", "Let go of what the session is about.", False),
            Param("project", "text", "Only this project's and those of no project.", ""),
        ),
        Vademecum.topics,
        show.topics,
    ),
    Verb(
        "why",
        "How a recall came about: arms, scores, what was left out.",
        (Param("trace", "text", "Id of a recall; empty: the last one.", "", place=True),),
        Vademecum.why,
        show.why,
    ),
    Verb(
        "briefing",
        "What a session starts with.",
        (
            Param("project", "text", "The project; empty: that of the working folder.", ""),
            Param("budget", "number", "Most tokens.", 0),
            Param("session", "text", "Id of the session that starts.", ""),
            Param("context", "text", "Where you are talked with, such as a host; styles for other contexts are left out.", ""),
        ),
        Vademecum.briefing,
        show.bundle,
    ),
    Verb(
        "brain",
        "The curated core of memory: whole while it is small, else its index and what a question needs.",
        (
            Param("question", "words", "What it is wanted for; empty: the index alone when it is large.", "", place=True),
            Param("used", "share", "Share of the context window that is taken already, 0 to 1.", 0.0),
            Param("channel", "flag", "Others read the session along: only the index and what is open.", False),
            Param("project", "text", "The project; empty: that of the working folder.", ""),
        ),
        Vademecum.brain,
        show.bundle,
    ),
    Verb(
        "capture",
        "Read transcripts that grew, make them searchable and propose memories.",
        (
            Param("paths", "list", "Files or folders; empty: the folders of the settings.", (), place=True, commas=False),
            Param("mine", "flag", "Propose memories from what was said.", True),
        ),
        Vademecum.capture,
        show.captured,
        changes=True,
        agents=False,
    ),
    Verb(
        "save-conversation",
        "Keep a conversation whole, or what is new in one that is known.",
        (
            Param("interface", "text", "The tool it was held in: " + ", ".join(INTERFACES) + ".", place=True, max_chars=40),
            Param("messages", "objects", "What was said, as JSON.", max_items=500, fields=_MESSAGE),
            Param("title", "text", "What to call it; the first thing said when empty.", "", max_chars=200),
            Param("conversation_id", "text", "Continue this one, however old.", "", max_chars=80),
            Param("thread_id", "text", "Join it to conversations of other tools.", "", max_chars=80),
            Param("living_document", "flag", "Continue the tool's last one of the past half hour.", True),
            Param("exclude", "flag", "Keep it, but learn nothing from it.", False),
        ),
        Vademecum.hand_over,
        show.handed_over,
        changes=True,
    ),
    Verb(
        "close-conversation",
        "Add nothing more to a conversation.",
        (_CONVERSATION,),
        Vademecum.close_conversation,
        show.handed_over,
        changes=True,
    ),
    Verb(
        "conversations",
        "Conversations that agents saved, newest first.",
        (
            Param("pending", "flag", "Only those that wait for your word.", False),
            Param("interface", "text", "Only of this tool.", ""),
            Param("limit", "number", "Most conversations.", 50, least=1, most=1000),
        ),
        Vademecum.conversations,
        show.conversations,
    ),
    Verb(
        "confirm-conversation",
        "Let a conversation that waits be read, or drop it.",
        (_CONVERSATION, Param("drop", "flag", "Throw it away instead.", False)),
        Vademecum.confirm_conversation,
        show.handed_over,
        changes=True,
        agents=False,
    ),
    Verb(
        "mark",
        "Propose memories from a conversation now, however short it is.",
        (
            Param("session", "text", "Its URI or id; empty: the last one.", "", place=True),
            Param("reason", "text", "Why.", "", max_chars=1000),
            Param("since", "number", "Spoken turns to pass over.", 0),
            Param("least", "number", "With fewer turns nothing is proposed.", 0),
            FACTS,
        ),
        Vademecum.mark,
        show.marked,
        changes=True,
    ),
    Verb(
        "sources",
        "Notes that memories are taken from.",
        (Param("only_dirty", "flag", "Only those that changed since they were read.", False),),
        Vademecum.sources,
        show.sources,
    ),
    Verb(
        "add-source",
        "Take memories from a note you wrote, now and whenever it changes.",
        (_NOTE, Param("write_frontmatter", "flag", "Also note it in the note, if you allow writing there.", True)),
        Vademecum.add_source,
        show.source,
        changes=True,
        signed=True,
    ),
    Verb(
        "remove-source",
        "Take nothing more from a note; what was taken stays.",
        (
            _NOTE,
            Param("clear_frontmatter", "flag", "Also clear it in the note, if you allow writing there.", True),
            Param("forget", "flag", "Forget for good what was taken from it, with every copy of ours.", False),
        ),
        Vademecum.remove_source,
        show.source,
        changes=True,
        signed=True,
    ),
    Verb(
        "inbox",
        "What waits for your review, newest first.",
        (Param("limit", "number", "Most memories.", 50, least=1), Param("project", "text", "Only this project's.", "")),
        _inbox,
        show.items,
    ),
    Verb(
        "review",
        "Decide about what waits in the inbox; without REF, in a terminal, all of it with one key each.",
        (
            Param("ref", "text", "An id, the start of one, an alias, a path or a title.", "", place=True),
            Param("decision", "text", "What to do.", "", place=True, choices=("", *DECISIONS)),
            Param("reason", "text", "Why.", ""),
            _body("What it shall say, for edit."),
            Param("older", "text", "The memory that it replaces, for supersede.", ""),
        ),
        _review,
        show.reviewed,
        changes=True,
        signed=True,
        screen=_review_screen,
    ),
    Verb(
        "review-all",
        "Approve or reject everything in the inbox that fits.",
        (
            Param("decision", "text", "What to do.", place=True, choices=("approve", "reject")),
            Param("kind", "text", "Only this kind.", "", choices=("", *KINDS)),
            Param("confidence", "text", "Only what is so likely.", "", choices=("", *CONFIDENCES)),
            Param("older_than_hours", "number", "Only what waits so long.", 0),
        ),
        _review_all,
        show.reviewed_all,
        changes=True,
        signed=True,
        agents=False,
    ),
    Verb(
        "onboard",
        "Let memory get to know you: a few questions, each skippable; left in the middle, it goes on where it stopped.",
        (
            Param("question", "text", "Which question to answer; empty: all that are open.", "", place=True, max_chars=40),
            Param("answer", "words", "The answer.", "", place=True, max_chars=4000),
        ),
        _onboard,
        show.onboarded,
        changes=True,
        signed=True,
        agents=False,
        screen=_onboard_screen,
    ),
    Verb(
        "observe",
        "Note what you observed of the person. It waits, and is believed once three sessions agree.",
        (
            Param("text", "words", "What the person does or wants, in one sentence.", place=True, max_chars=1000),
            Param("session", "text", "Id of the session; empty: today counts.", "", max_chars=300),
            Param("kind", "text", "What sort of memory it would be.", "preference", max_chars=40),
            Param("project", "text", "Project it is about.", "", max_chars=200),
        ),
        Vademecum.observe,
        show.saved,
        changes=True,
        signed=True,
    ),
    Verb(
        "evolution",
        "Corrections, competence, optimizations, capabilities and failed evolutions, each with its id (C001, K001, ...).",
        (),
        Vademecum.evolution,
        show.evolution,
    ),
    Verb(
        "style list",
        "Styles for a context and those for everywhere, the most important first, five at most; without a context, all.",
        (Param("context", "text", "The context.", "", place=True, max_chars=80),),
        Vademecum.styles,
        show.styles,
    ),
    Verb(
        "style add",
        "Keep how to talk with the person in a context.",
        (Param("context", "text", "The context; default: everywhere.", place=True, max_chars=80), *_style_parts(REQUIRED)),
        Vademecum.add_style,
        show.saved,
        changes=True,
        signed=True,
    ),
    Verb(
        "style update",
        "Change what is given of a style.",
        (_ref(), Param("context", "text", "Another context.", "", max_chars=80), *_style_parts("")),
        Vademecum.update_style,
        show.memory,
        changes=True,
        signed=True,
    ),
    Verb("style remove", "Put a style away.", (_ref(),), Vademecum.remove_style, show.memory, changes=True, signed=True),
    Verb(
        "update-soul",
        "Keep one thing that you, the agent, hold about yourself; never shown as the person's.",
        (
            Param("category", "text", "What sort.", place=True, choices=SOUL_CATEGORIES),
            Param("text", "words", "What it is, in a sentence.", place=True, max_chars=2000),
            Param("importance", "share", "How much it matters, 0 to 1; 0.7 when not given.", None),
            Param("supersedes", "text", "The note of yours that it replaces.", "", max_chars=300),
            Param("agent", "text", "Whose self; empty: one over all tools.", "", max_chars=80),
        ),
        Vademecum.update_soul,
        show.saved,
        changes=True,
        signed=True,
    ),
    Verb(
        "soul",
        "What an agent holds about itself: at most three of each category.",
        (Param("agent", "text", "Whose; empty: the one over all tools.", "", place=True, max_chars=80),),
        Vademecum.soul,
        show.soul,
    ),
    Verb(
        "idea add",
        "Capture an idea: into the incubator with what is known about it, and into Ideas.md if you allow it.",
        (
            Param("title", "text", "What to call it.", place=True, max_chars=300),
            Param("pitch", "text", "What it is about, in two sentences.", "", max_chars=20_000),
            Param("session", "text", "The session in which it came up.", "", max_chars=300),
            Param("research", "flag", "Look it up on the web too, if you configured that.", False),
        ),
        Vademecum.idea,
        show.idea,
        changes=True,
        signed=True,
    ),
    Verb("idea list", "Ideas that incubate, the newest first.", (), Vademecum.ideas, show.ideas),
    Verb(
        "idea research",
        "Look an idea up on the web, if you configured that; what is found waits for your word beside the idea.",
        (
            _ref(),
            Param("urls", "list", "Pages to look at; none: those that it names, else what the search finds.", (), commas=False),
            Param("seconds", "number", "Seconds in all.", RESEARCH_SECONDS, least=1, most=RESEARCH_SECONDS),
            Param("fetches", "number", "Requests in all; searching is one.", RESEARCH_FETCHES, least=1, most=RESEARCH_FETCHES),
            Param("tokens", "number", "Tokens kept in all.", RESEARCH_TOKENS, least=100, most=RESEARCH_TOKENS),
        ),
        Vademecum.research_idea,
        show.idea,
        changes=True,
        agents=False,
    ),
    Verb(
        "idea promote",
        "Make an idea a project: its folder moves there, and Ideas.md says so. One undo takes it back.",
        (_ref(), Param("slug", "text", "Name of the project; that of its folder when empty.", "", max_chars=80)),
        Vademecum.promote_idea,
        show.idea,
        changes=True,
        signed=True,
        agents=False,
    ),
    Verb(
        "idea gc",
        "Ideas that nobody touched for six months: in a terminal it asks about each, else it lists them. Nothing goes by itself.",
        (
            Param("ref", "text", "The idea to decide about; empty: list.", "", place=True),
            Param("decision", "text", "What to do with it.", "", place=True, choices=("", *TIDYINGS)),
            Param("months", "number", "Untouched for so many months; 0: six.", 0, most=1200),
            Param("yes", "flag", "Really delete.", False),
        ),
        _tidy,
        show.tidied,
        changes=True,
        signed=True,
        agents=False,
        screen=_tidy_screen,
    ),
    Verb(
        "patterns",
        "How the patterns fare that propose memories: what you accepted and rejected of each.",
        (),
        Vademecum.patterns,
        show.patterns,
    ),
    Verb(
        "queue list",
        "Conversations that the language model is still to read, and those it could not.",
        (),
        Vademecum.queue,
        show.extractions,
        agents=False,
    ),
    Verb(
        "queue run",
        "Have the language model read what is due now.",
        (),
        Vademecum.queue_run,
        show.model_report,
        changes=True,
        agents=False,
    ),
    Verb(
        "queue retry",
        "Try again what failed or is parked, or the conversation named; ask a model again that refused.",
        (Param("session", "text", "URI or id of the conversation; empty: all that failed.", "", place=True),),
        Vademecum.queue_retry,
        show.extractions,
        changes=True,
        agents=False,
    ),
    Verb(
        "queue drop",
        "Have a conversation not read by the language model, unless something new is said in it.",
        (Param("session", "text", "URI or id of the conversation.", place=True),),
        Vademecum.queue_drop,
        show.extractions,
        changes=True,
        agents=False,
    ),
    Verb(
        "usage",
        "Tokens and money that language models took, by day and model, and what is left of today's budget.",
        (Param("days", "number", "How many days back.", 30, least=1, most=3650),),
        Vademecum.usage,
        show.usage,
        agents=False,
    ),
    Verb(
        "process",
        "Read every host's transcripts once, count what each session brought, and hand over those that ended.",
        (
            Param("paths", "list", "Files or folders; empty: the folders of the settings.", (), place=True, commas=False),
            Param("threshold", "number", "Minutes of silence after which a session has ended.", 5),
        ),
        Vademecum.process,
        show.processed,
        changes=True,
        agents=False,
    ),
    Verb(
        "sync",
        "Make the index follow the files.",
        (
            Param("confirm_loss", "flag", "Believe that most notes are really gone.", False),
            Param("quick", "flag", "Leave the finer vectors for later.", False),
        ),
        Vademecum.sync,
        show.synced,
        changes=True,
        agents=False,
    ),
    Verb(
        "rebuild",
        "Delete the index and build it again from the files.",
        (),
        Vademecum.rebuild,
        show.synced,
        changes=True,
        agents=False,
    ),
    Verb(
        "compact",
        "Tidy up: expired checkpoints go, long chats in them are mined and shortened, the index gives space back. No memory changes.",
        (),
        Vademecum.compact,
        show.compacted,
        changes=True,
        agents=False,
    ),
    Verb(
        "migrate",
        "Take over an agent-memory folder: each <agent>.md becomes memories of that agent. The files are only read.",
        (
            Param("folder", "words", "The folder that holds the files, often .memory.", place=True, max_chars=4000),
            Param("dry_run", "flag", "Only tell what would be taken over.", False),
        ),
        Vademecum.migrate,
        show.migrated,
        changes=True,
        signed=True,
        agents=False,
    ),
    Verb(
        "sessions list",
        "Conversations, the last first, and whether their transcripts are archived.",
        (
            Param("project", "text", "Only this project's and those of no project.", ""),
            Param("tag", "list", "Only what has one of these tags, such as a thread.", ()),
            Param("since", "date", "Only what went on since.", None),
            Param("until", "date", "Only what went on before.", None),
            Param("limit", "number", "Most conversations.", 50),
        ),
        Vademecum.sessions,
        show.sessions,
    ),
    Verb(
        "sessions show",
        "One conversation, whole: who said what, and which tools were used.",
        (_CALLED,),
        Vademecum.session,
        show.session,
    ),
    Verb(
        "sessions search",
        "Find a place in conversations: the very words first, then what comes nearest. Filters work before the limit.",
        (
            Param(
                "question", "words", "Words, or a text as it stood; none: list the uses of --tool and --file.", "", place=True
            ),
            Param(
                "role",
                "text",
                "Only what was said by: user, agent; or shown by a tool.",
                "",
                choices=("", "user", "agent", "tool"),
            ),
            Param(
                "source",
                "text",
                "Only what was said (session), or what tools were asked and answered (log).",
                "",
                choices=("", "session", "log"),
            ),
            Param("host", "list", "Only conversations in these tools: claude-code, codex, claude-ai, ...", ()),
            Param("tool", "list", "Only where one of these tools was used.", ()),
            Param("file", "list", "Only where one of these files was touched: a path or the end of one.", ()),
            Param("session", "text", "Only this conversation: its URI, id, file or title.", ""),
            Param("thread", "text", "Only this thread.", ""),
            Param("project", "text", "Only this project's and those of no project.", ""),
            Param("since", "date", "Only what was said since.", None),
            Param("until", "date", "Only what was said before.", None),
            Param("around", "number", "Turns of context before and behind.", 0, most=100),
            Param("limit", "number", "Most places.", 10),
        ),
        Vademecum.search_sessions,
        show.session_search,
    ),
    Verb(
        "sessions export",
        "The transcript as it is kept: verbatim, without secrets.",
        (_CALLED,),
        Vademecum.export_session,
        show.exported,
    ),
    Verb(
        "sessions restore",
        "Write an archived transcript back where its host finds it. Nothing is overwritten; removed secrets stay placeholders.",
        (_CALLED, Param("to", "text", "Another place to write to.", "")),
        Vademecum.restore_session,
        show.restored,
        changes=True,
        agents=False,
    ),
    Verb(
        "sessions check",
        "Read the whole archive: its size, what is only there, and what is damaged.",
        (),
        Vademecum.check_archive,
        show.archive,
    ),
    Verb(
        "sessions exclude",
        "Learn nothing from one conversation, now or later. It stays archived and is found by sessions search; no answer tells of it.",
        (
            Param(
                "session", "text", "An id, the start of one, a path, a title or its URI; empty: the last one.", "", place=True
            ),
        ),
        Vademecum.exclude,
        show.eligible,
        changes=True,
    ),
    Verb(
        "sessions include",
        "Learn from a conversation again, from what is said in it from now on.",
        (Param("session", "text", "An id, the start of one, a path, a title or its URI.", place=True),),
        Vademecum.include,
        show.eligible,
        changes=True,
        agents=False,
    ),
    Verb(
        "sessions tend",
        "Do what is owed to sessions: those that ended or fell silent are read, archived and handed over.",
        (),
        Vademecum.tend,
        show.tended,
        changes=True,
        agents=False,
    ),
    Verb(
        "daily",
        "The note of a day: what each conversation brought. It is a file of yours: edit it, and what you changed stays.",
        (Param("day", "text", "A date such as 2026-03-02, or yesterday; empty: today.", "", place=True, max_chars=40),),
        Vademecum.daily,
        show.daily,
    ),
    Verb(
        "key-uses",
        "How often memories are named by their keys, such as [KD07], in the notes of the last days.",
        (Param("days", "number", "How many days.", 7, least=1, most=366),),
        Vademecum.key_uses,
        show.key_uses,
    ),
    Verb(
        "handoff",
        "Write down where a session stopped: asked, done, open, next, files changed. An unchanged one is not written twice.",
        (Param("session", "text", "An id, the start of one, a path or a title; empty: the last session.", "", place=True),),
        Vademecum.handoff,
        show.handoff,
        changes=True,
    ),
    Verb(
        "working-set",
        "What was in hand in a session: goal, decisions, failing tests, files in flight, exact commands.",
        (
            Param("session", "text", "An id, the start of one, a path or a title.", place=True),
            Param("budget", "number", "Most tokens.", 0),
        ),
        Vademecum.working_set,
        show.bundle,
    ),
    Verb(
        "reflect corpus",
        "Go through every transcript: read, mine and hand over what waits. Only says what it would do, unless --execute.",
        (
            Param("paths", "list", "Files or folders; empty: the folders of the settings.", (), place=True),
            Param("execute", "flag", "Do it.", False),
            Param("batch_size", "number", "Transcripts between two reports.", 10),
            Param("max_batches", "number", "Stop after so many batches; 0: go on to the end.", 0),
        ),
        Vademecum.reflect_corpus,
        show.corpus,
        changes=True,
        agents=False,
    ),
    Verb(
        "checkpoint",
        "Keep the last 50 messages of a chat for a week; internal ones never.",
        (_AGENT, Param("messages", "file", 'JSON: [{"role": "user", "text": "..."}]. ' + _FROM), *_CHAT),
        Vademecum.checkpoint,
        show.checkpoint,
        changes=True,
    ),
    Verb(
        "recover",
        "Where an agent's chat stood, if it was kept within the last week.",
        (_AGENT,),
        Vademecum.recover,
        show.checkpoint,
    ),
    Verb(
        "sleep",
        "Close a chat: keep its checkpoint and write a handoff.",
        (
            _AGENT,
            Param("messages", "file", "The messages, as for checkpoint. " + _FROM, ""),
            Param("summary", "file", "Where it stopped; empty: its last messages. " + _FROM, ""),
            *_CHAT,
        ),
        Vademecum.sleep,
        show.saved,
        changes=True,
    ),
    Verb(
        "sync-checkpoints",
        "Make checkpoints of the conversations that a program writes into a folder, one <agent>.json each.",
        (
            Param("folder", "text", "The folder.", place=True),
            Param("force", "flag", "Also where what is kept is as new.", False),
        ),
        Vademecum.sync_checkpoints,
        show.checkpoints,
        changes=True,
        agents=False,
    ),
    Verb(
        "status",
        "What there is, where it lies and what does not work.",
        (Param("deep", "flag", "Read the whole index to check it.", False),),
        Vademecum.status,
        show.status,
    ),
)
