"""What can be done with a memory: one table. Command line, MCP and HTTP are made from it, so a verb appears in all at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from vademecum.doors import show
from vademecum.memory import Vademecum
from vademecum.model.errors import InvalidInput
from vademecum.model.kinds import KINDS
from vademecum.model.memory import CONFIDENCES, RELATIONS
from vademecum.model.query import Query

Type = Literal["text", "words", "number", "share", "flag", "list", "date", "file"]

REQUIRED = object()


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of a verb.

    Attributes:
        type: "words" is the rest of the line joined by spaces, "share" 0..1, "date" an ISO date or moment, "file" text that
            may come from a file or standard input.
        default: REQUIRED when it must be given.
        place: given by position on the command line rather than by name.
        choices: allowed values, or None.
    """

    name: str
    type: Type
    meaning: str
    default: Any = REQUIRED
    place: bool = False
    choices: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that can be done.

    Attributes:
        run: called with the memory and the arguments by name; gives a value.
        show: makes text for a person of that value.
        changes: whether it may write.
    """

    name: str
    meaning: str
    params: tuple[Param, ...]
    run: Callable[..., Any]
    show: Callable[[Any], str]
    changes: bool = False


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
        Param("as_of", "date", "What was known at that time.", None),
    )


def _reason(default: Any = "") -> Param:
    return Param("reason", "text", "Why; kept in the history.", default, place=True)


def _body(meaning: str, default: Any = None) -> Param:
    return Param("body", "file", meaning + " A file with @path, standard input with -.", default)


_SESSION = Param("ref", "text", "An id, the start of one, a path, a title, or the session's URI.", place=True)
_AGENT = Param("agent", "text", "Name of the agent.", place=True)
_CHAT = (
    Param("chat", "text", "Id under which the host can resume the chat.", ""),
    Param("model", "text", "Model that answered.", ""),
)
_FROM = "A file with @path, standard input with -."
_QUESTION = Param("question", "words", "What is asked.", place=True)
_LIMIT = Param("limit", "number", "Most results.", 0)
_PROFILE = Param("profile", "text", "Recall profile: auto, vault, swarm, agent, facts, wiki (wiki-quick, wiki-deep).", "")


def _recall(memory: Vademecum, question: str, profile: str, limit: int, budget: int, **where: Any) -> Any:
    query = Query(question, memory.scope(**where), profile or memory.default_profile, limit or None, budget or None)
    return memory.recall(query)


def _search(memory: Vademecum, question: str, profile: str, limit: int, **where: Any) -> Any:
    query = Query(question, memory.scope(**where), profile or memory.default_profile, limit or 10, gated=False)
    return memory.recall(query)


def _bundle(memory: Vademecum, question: str, profile: str, budget: int, **where: Any) -> Any:
    query = Query(question, memory.scope(**where), profile or memory.default_profile, budget_tokens=budget or None)
    return memory.bundle(query)


def _edit(memory: Vademecum, ref: str, body: str | None, set: tuple[str, ...], etag: str) -> Any:  # noqa: A002 - the option's name
    pairs = dict(_pair(text) for text in set)
    return memory.edit(ref, body=body, properties=pairs, etag=etag or None)


_LISTS = ("tags", "topics", "aliases", *RELATIONS)


def _pair(text: str) -> tuple[str, Any]:
    """`key=value`; an empty value removes the key, `a, b` in a list property makes two entries."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise InvalidInput(f"--set takes key=value, not {text!r}.")
    entries = [entry.strip() for entry in value.split(",") if entry.strip()]
    return key.strip(), (entries if key.strip() in _LISTS else value.strip()) or None


#: First word of verbs of two -> what they are about.
GROUPS = {
    "sessions": "Conversations: list, read, search them word for word, and give their transcripts back.",
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
    ),
    Verb("show", "One memory, whole.", (_ref(),), Vademecum.get, show.memory),
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
            Param("set", "list", "A property as key=value; an empty value removes it.", ()),
            Param("etag", "text", "Only if the file is still the one with this etag.", ""),
        ),
        _edit,
        show.memory,
        changes=True,
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
    ),
    Verb(
        "supersede",
        "Say that one memory gave way to another.",
        (
            Param("old", "text", "The memory that no longer holds.", place=True),
            Param("new", "text", "The memory that holds now.", place=True),
            _reason(),
        ),
        Vademecum.supersede,
        show.memory,
        changes=True,
    ),
    Verb("resolve", "Mark as done or settled.", (_ref(), _reason()), Vademecum.resolve, show.memory, changes=True),
    Verb("archive", "Put away; it can be restored.", (_ref(), _reason()), Vademecum.archive, show.memory, changes=True),
    Verb("restore", "Bring back from the archive or the inbox.", (_ref(),), Vademecum.restore, show.memory, changes=True),
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
    ),
    Verb(
        "tag",
        "Add or remove tags.",
        (_ref(), Param("add", "list", "Tags to add.", ()), Param("remove", "list", "Tags to remove.", ())),
        Vademecum.tag,
        show.memory,
        changes=True,
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
    ),
    Verb("confirm", "Say that it still holds.", (_ref(),), Vademecum.confirm, show.memory, changes=True),
    Verb("history", "Every version of a memory.", (_ref(),), Vademecum.history, show.versions),
    Verb(
        "undo",
        "Take back the last change, or the one named.",
        (Param("operation", "text", "Id of a change, from `history`; empty: the last one.", "", place=True),),
        Vademecum.undo,
        show.undone,
        changes=True,
    ),
    Verb(
        "recall",
        "What memory knows about a question; nothing when it knows nothing.",
        (_QUESTION, _PROFILE, _LIMIT, Param("budget", "number", "Most tokens.", 0), *_where()),
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
        (_QUESTION, _PROFILE, Param("budget", "number", "Most tokens.", 0), *_where()),
        _bundle,
        show.bundle,
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
        ),
        Vademecum.briefing,
        show.bundle,
    ),
    Verb(
        "capture",
        "Read transcripts that grew, make them searchable and propose memories.",
        (
            Param("paths", "list", "Files or folders; empty: the folders of the settings.", (), place=True),
            Param("mine", "flag", "Propose memories from what was said.", True),
        ),
        Vademecum.capture,
        show.captured,
        changes=True,
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
    ),
    Verb("rebuild", "Delete the index and build it again from the files.", (), Vademecum.rebuild, show.synced, changes=True),
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
        (_SESSION,),
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
            Param("host", "list", "Only conversations with these hosts.", ()),
            Param("tool", "list", "Only where one of these tools was used.", ()),
            Param("file", "list", "Only where one of these files was touched: a path or the end of one.", ()),
            Param("thread", "text", "Only this thread.", ""),
            Param("project", "text", "Only this project's and those of no project.", ""),
            Param("since", "date", "Only what was said since.", None),
            Param("until", "date", "Only what was said before.", None),
            Param("around", "number", "Turns of context before and behind.", 0),
            Param("limit", "number", "Most places.", 10),
        ),
        Vademecum.search_sessions,
        show.session_search,
    ),
    Verb(
        "sessions export",
        "The transcript as it is kept: verbatim, without secrets.",
        (_SESSION,),
        Vademecum.export_session,
        str,
    ),
    Verb(
        "sessions restore",
        "Write an archived transcript back where its host finds it. Nothing is overwritten; removed secrets stay placeholders.",
        (_SESSION, Param("to", "text", "Another place to write to.", "")),
        Vademecum.restore_session,
        show.restored,
        changes=True,
    ),
    Verb(
        "sessions check",
        "Read the whole archive: its size, what is only there, and what is damaged.",
        (),
        Vademecum.check_archive,
        show.archive,
    ),
    Verb(
        "sessions tend",
        "Do what is owed to sessions: those that ended or fell silent are read, archived and handed over.",
        (),
        Vademecum.tend,
        show.tended,
        changes=True,
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
    ),
    Verb(
        "status",
        "What there is, where it lies and what does not work.",
        (Param("deep", "flag", "Read the whole index to check it.", False),),
        Vademecum.status,
        show.status,
    ),
)
