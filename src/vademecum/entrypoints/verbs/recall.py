"""Verbs to ask memory, and to see what agents are shown."""

from msgspec import Struct, structs

from vademecum.api import Vademecum
from vademecum.domain.errors import InvalidInput, NotFound
from vademecum.domain.memory import By
from vademecum.domain.provenance import Provenance
from vademecum.domain.query import Bundle, Query, Recall, Where, scope_of
from vademecum.domain.topics import Topics
from vademecum.entrypoints.recall_text import recall_text, scores_text, search_text, why_text
from vademecum.entrypoints.text import bundle_text, provenance_text
from vademecum.entrypoints.verbs.verb import Param, Verb, where_params
from vademecum.maintenance.own_questions import Answered

_QUESTION = Param("question", "words", "The question.", place=True)

_LIMIT = Param("limit", "number", "Maximum number of results.", 0)

_PROFILE = Param(
    "profile", "text", "Recall profile: auto, vault, swarm, agent, facts, composer, wiki (wiki-quick, wiki-deep).", ""
)

_SESSION = Param("session", "text", "Id of the session that asks; profiles with topics prefer what it is about.", "")

#: Most topics in text; `--json` has all.
TOPICS_SHOWN = 20


class _Asking(Struct, frozen=True):
    """A question, and how it is answered; what is empty is decided by the profile."""

    question: str
    profile: str = ""
    limit: int = 0
    budget: int = 0
    session: str = ""
    multi_hop: bool = False
    stage: str = ""
    channel: bool = False

    def query(self, memory: Vademecum, where: Where) -> Query:
        return Query(
            self.question,
            scope_of(**where),
            self.profile or memory.default_profile,
            self.limit or None,
            self.budget or None,
            session=self.session,
            multi_hop=self.multi_hop,
            stage=self.stage,
            channel=self.channel,
        )


def _recall(memory: Vademecum, asking: _Asking, where: Where) -> Recall:
    return memory.recall.ask(asking.query(memory, where))


def _search(memory: Vademecum, asking: _Asking, where: Where) -> Recall:
    return memory.recall.ask(structs.replace(asking.query(memory, where), limit=asking.limit or 10, gated=False))


def _bundle(memory: Vademecum, asking: _Asking, where: Where) -> Bundle:
    if not asking.question and asking.stage != "pre-session":
        raise InvalidInput("There is no question.", "Only --stage pre-session works without one.")
    return memory.recall.bundle(asking.query(memory, where))


def _why(memory: Vademecum, trace: str, scores: bool, by: By) -> Recall | Provenance:
    try:
        result = memory.recall.why(trace, by=by)
        return Scored(**structs.asdict(result)) if scores else result
    except NotFound:
        if not trace:
            raise
        try:
            return memory.notes.provenance(trace)
        except NotFound as error:
            hint = "The last search is explained by: vade why. Memories by name: vade list"
            raise NotFound(f"No search and no memory is called {trace!r}.", hint) from error


def topics_text(result: Topics) -> str:
    """Return one line for each topic, marked if the text is about it; then the topics of the session."""
    about = {match.label for match in result.about}
    lines = [
        (f"{match.score:5.2f} {'*' if match.label in about else ' '} " if result.compared else "")
        + f"{match.label}  ({match.items} {'memory' if match.items == 1 else 'memories'})"
        for match in result.matches[:TOPICS_SHOWN]
    ]
    hidden = len(result.matches) - TOPICS_SHOWN
    lines += [f"and {hidden} more"] if hidden > 0 else []
    if not lines:
        none = "No memory has a topic yet. Give it one: vade edit ID --set topics=..."
        lines = ["No topic to compare with." if result.compared else none]
    if result.lock:
        held = ", set by hand" if result.lock.held else ""
        lines.append("session: " + ", ".join(f"{label} {weight:.2f}" for label, weight in result.lock.weights.items()) + held)
    return "\n".join(lines + [f"(without {reason})" for reason in result.missing])


class Scored(Recall, frozen=True):
    """An answer that is shown with all its numbers."""


def why_or_provenance_text(result: Recall | Provenance) -> str:
    """Return the explanation of an answer, in words or with all numbers; or the evidence of a memory."""
    if isinstance(result, Scored):
        return scores_text(result)
    return provenance_text(result) if isinstance(result, Provenance) else why_text(result)


def questions_text(result: tuple[Answered, ...]) -> str:
    """Return a line for each question: whether its memory is shown, and at which rank."""
    places = [f"place {answered.place}" if answered.place else "NOT SHOWN" for answered in result]
    lines = [f"{place}: {answered.question}  ({answered.title})" for place, answered in zip(places, result, strict=True)]
    none = "No memory has the property `answers`. Give it one: vade edit REF --set answers=QUESTION"
    return "\n".join(lines) or none


_RECORDS = {"asking": _Asking, "where": Where}

VERBS = (
    Verb("recall", "Search memories, notes and conversations. No results means nothing is known.", (
        _QUESTION,
        _PROFILE,
        _LIMIT,
        Param("budget", "number", "Maximum number of tokens.", 0),
        _SESSION,
        Param("multi_hop", "flag", "Also show memories linked with the best results or of their topic; 15 results at most.", False),
        *where_params(),
    ), _recall, recall_text, _RECORDS, standing="everyday", asks=True, by_helper=True),
    Verb("search", "List all that is near a question, best first, also what recall leaves out.",
         (_QUESTION, _PROFILE, _LIMIT, *where_params()), _search, search_text, _RECORDS, asks=True, by_helper=True,),
    Verb("bundle", "The text that an agent would be given for a prompt.", (
        Param("question", "words", "The question; empty before a session starts.", "", place=True),
        _PROFILE,
        Param("budget", "number", "Maximum number of tokens.", 0),
        _SESSION,
        Param("stage", "text", "Moment of the session: pre-session, first-message, mid-session.", ""),
        Param("channel", "flag", "Other people see this session.", False),
        *where_params(),
    ), _bundle, bundle_text, _RECORDS, standing="agent", asks=True),
    Verb("briefing", "Show what a new session is given.", (
        Param("project", "text", "The project; empty: that of the working folder.", ""),
        Param("budget", "number", "Maximum number of tokens.", 0),
        Param("session", "text", "Id of the session that starts.", ""),
        Param("context", "text", "Context of the conversation, such as a host; styles for other contexts are left out.", ""),
        Param("agent", "text", "The agent that starts: its own memories are included, and where its last chat stopped.", "",
              max_chars=80),
    ), Vademecum.recall.briefing, bundle_text, asks=True),
    Verb("briefing --core", "The curated core of memory: all of it while it is small, otherwise its index and what a question needs.", (
        Param("question", "words", "The question it is for; empty: only the index when it is large.", "", place=True),
        Param("used", "share", "Share of the context window that is used already, 0 to 1.", 0.0),
        Param("channel", "flag", "Other people see this session: include only the index and open tasks.", False),
        Param("project", "text", "The project; empty: that of the working folder.", ""),
    ), Vademecum.recall.core, bundle_text, asks=True),
    Verb("briefing --inject",
         "For an agent of a host without hooks: the briefing of a new session, then what is known about a question.", (
        Param("agent", "text", "Name of the agent.", place=True, max_chars=80),
        Param("question", "words", "What the session is about; empty: the briefing alone.", "", place=True),
        Param("project", "text", "The project; empty: that of the working folder.", "", max_chars=100),
        Param("budget", "number", "Maximum tokens; 0, or more than 2000: 2000.", 0),
    ), Vademecum.recall.inject, bundle_text, asks=True),
    Verb("briefing --instructions", "Instructions for an agent without hooks, so that it reads and writes memory by itself.", (
        Param("agent", "text", "The agent; empty: any.", "", max_chars=80),
        Param("project", "text", "The project; empty: that of the working folder.", "", max_chars=100),
    ), Vademecum.recall.instructions, lambda result: result.text),
    Verb("questions",
         "Check your own fixed questions: the property `answers` of a memory lists the questions that must find it. Exits"
         " with 1 when one does not.", (
    ), Vademecum.recall.own_questions, questions_text, agents=False, failed=lambda result: any(not one.place for one in result),
       asks=True),
    Verb("topics", "Topics in memory; with a text, those it is about; with a session, what that is about.", (
        Param("text", "words", "A text to compare with; empty: every topic.", "", place=True),
        Param("session", "text", "A session, by its id.", ""),
        Param("lock", "list", "Keep this topic for the session, whatever is asked.", ()),
        Param("release", "flag", "Remove the topic of the session.", False),
        Param("project", "text", "Only this project's, and those of no project.", ""),
    ), Vademecum.recall.topics, topics_text, asks=True),
    Verb("why", "Explain a search in five lines, or where a memory comes from.", (
        Param("trace", "text", "Id of a recall, or a memory; empty: the last recall.", "", place=True),
        Param("scores", "flag", "All scores: parts of the search, signals, results that were left out.", False),
    ), _why, why_or_provenance_text, signed=True),
)  # fmt: skip
