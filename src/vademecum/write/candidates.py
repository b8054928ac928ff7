"""Route candidates from a conversation or a note by the table of the review mode, through the write gate (MV-36).

A candidate is saved, put up for review, left in the inbox, pending, or dropped.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache, partial
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, NotFound, Refused
from vademecum.domain.kinds import OF_NO_PROJECT, kind_named
from vademecum.domain.memory import By, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.domain.saved import Saved
from vademecum.domain.session import Candidate
from vademecum.domain.verdict import ReviewMode, Verdicts
from vademecum.extract.llm_extraction import Proposer
from vademecum.extract.numbers import JUDGED_MIN, MEDIUM_MIN_OCCURRENCES, NOISE_FLOOR, PRECISION_MIN, PRECISION_POOR
from vademecum.language.text import common_words
from vademecum.ports.index import Term
from vademecum.reconcile.decide import LEARNT, STANDING
from vademecum.write.gate import SOURCES_NAMED, UNSTATED, Stated, is_left_out, keep, similar
from vademecum.write.hold_for_branch import on_branch
from vademecum.write.repetition import noticed

#: Maximum number of similar memories searched for the one that a candidate may replace (X-44).
RIVALS_LOOKED_AT = 3
#: Kinds of statements. Extraction may assign a different one of them each time.
_STATED = ("decision", "fact", "identity", "lesson", "preference")
#: Kinds of events and lessons learned from them.
_HAPPENED = LEARNT | {"incident", "event"}
#: Words are compared by this many first characters.
_STEM_CHARS = 5
#: Two extractions are from the same words if at least this share of one's words occurs in the other; and the number of recent
#: memories that are compared.
SAME_WORDS_SHARE, FORMERS_LOOKED_AT = 0.6, 50
EXTRACT_TAGS = ("autoextract", "transcript")
#: URI scheme of a note in the vault as the source of a memory.
NOTE_SCHEME = "vault://"
BY_EXTRACTION = By("extraction", "capture")
#: Author of a statement that only an agent attributes to the person.
BY_REPORTING = By("agent", "capture")

Way = Literal["save", "review", "inbox", "pending", "drop"]
_LEVELS: tuple[Literal["low", "medium", "high"], ...] = ("low", "medium", "high")


class Row(Struct, frozen=True):
    """One rule of a table: where candidates of this confidence, kind and trust go; an empty field fits everything."""

    way: Way
    confidence: str = ""
    kind: str = ""
    trust: str = ""

    def fits(self, candidate: Candidate) -> bool:
        given = (candidate.confidence, candidate.kind, candidate.trust)
        return all(word in ("", have) for word, have in zip((self.confidence, self.kind, self.trust), given, strict=True))


#: Rules common to all modes: external text waits, ideas go to the inbox, explicit statements are saved.
_ALWAYS = (Row("pending", trust="external"), Row("inbox", kind="idea"), Row("save", confidence="high"))

#: Mode -> its rules. `interactive` asks about likely candidates, `auto` leaves them in the inbox, `silent` drops guesses.
TABLES: Mapping[ReviewMode, tuple[Row, ...]] = {
    "interactive": (*_ALWAYS, Row("review", confidence="medium"), Row("inbox")),
    "auto": (*_ALWAYS, Row("inbox")),
    "silent": (*_ALWAYS, Row("inbox", confidence="medium", trust="user"), Row("drop")),
}


def way_of(candidate: Candidate, mode: ReviewMode) -> Way:
    """Return where a candidate goes: the first row that fits counts."""
    if candidate.importance < NOISE_FLOOR:
        return "drop"
    return next(row.way for row in TABLES[mode] if row.fits(candidate))


def lowered_by_verdicts(candidate: Candidate, verdicts: Mapping[str, Verdicts]) -> Candidate:
    """Lower a candidate's confidence if the person rejected many earlier proposals of its pattern."""
    judged = verdicts.get(candidate.pattern, Verdicts())
    steps = steps_down(judged)
    if not steps:
        return candidate
    text = f"{candidate.rationale}; lowered, {judged.accepted} of {judged.judged} accepted"
    return replace(candidate, confidence=_LEVELS[max(0, _LEVELS.index(candidate.confidence) - steps)], rationale=text)


def steps_down(judged: Verdicts) -> int:
    """Return by how many steps a pattern's confidence is lowered: 0, 1 or 2."""
    if judged.judged < JUDGED_MIN or judged.precision >= PRECISION_MIN:
        return 0
    return 2 if judged.precision < PRECISION_POOR else 1


def route_all(
    context: Context, candidates: Iterable[Candidate], interface: str, tags: tuple[str, ...] = (), folder: str = ""
) -> tuple[Saved, ...]:
    """Route each candidate in turn; see :func:`route`.

    Args:
        folder: folder of the conversation, for candidates without one. What was learned there on an unmerged branch is held for
            that branch. "": unknown.
    """
    learned = cache(partial(on_branch, context))
    return tuple(route(context, candidate, interface, tags, learned(candidate.folder or folder)) for candidate in candidates)


def route_instead(context: Context, candidates: Iterable[Candidate], interface: str, folder: str = "") -> tuple[Saved, ...]:
    """Route the candidates of a reader of the complete conversation, and archive earlier extractions from the same words.

    A proposal is dropped if a memory from the same words is already active. `folder` as in :func:`route_all`.
    """
    learned = cache(partial(on_branch, context))
    done: list[Saved] = []
    for candidate in (_in_its_project(context, found) for found in candidates):
        kept = {saved.memory.id for saved in done if saved.memory is not None}
        formers = [memory for memory in _in_same_words(context, candidate) if memory.id not in kept]
        standing = next((memory for memory in formers if memory.status == "active"), None)
        if standing is not None and not candidate.target and way_of(candidate, context.choices.review_mode) != "save":
            done.append(Saved("confirmed", standing))
            continue
        saved = route(context, candidate, interface, (), learned(candidate.folder or folder))
        done.append(saved)
        if (new := saved.memory) is None:
            continue
        for former in formers:  # a proposal replaces only proposals
            if former.id != new.id and (former.status == "inbox" or new.status == "active"):
                context.vault.archive(former.id, f"said better by {new.id}", op="join", by=BY_EXTRACTION)
    return tuple(done)


def _in_same_words(context: Context, candidate: Candidate) -> list[Memory]:
    """Return recent memories and proposals extracted from the same turn and words as the candidate."""
    words = _terms(context, f"{candidate.excerpt} {candidate.text}")
    scope = Scope(sources=("memory",), statuses=("active", "inbox"), branches=None)
    memories = []
    for item in context.index.select(scope, order="recent", limit=FORMERS_LOOKED_AT):
        if item.origin != candidate.source or item.trust not in ("extracted", "agent") or item.kind == "handoff":
            continue
        memory = context.vault.get(item.key.removeprefix("memory://"))
        terms = _terms(context, memory.body)
        shared = max(_held(terms, words), _held(_terms(context, candidate.text), terms))
        if shared >= SAME_WORDS_SHARE and not set(candidate.span).isdisjoint(memory.source_span.split(" to ")):
            memories.append(memory)
    return memories


def _terms(context: Context, text: str) -> frozenset[Term]:
    return frozenset(context.index.terms(text, common_words(text)))


def _held(words: frozenset[Term], held: frozenset[Term]) -> float:
    return len(words & held) / max(1, len(words))


def route(
    context: Context,
    candidate: Candidate,
    interface: str,
    tags: tuple[str, ...] = (),
    learned: Callable[[Draft, datetime | None], Draft] = lambda draft, at: draft,
) -> Saved:
    """Route a candidate by the table of its review mode.

    A memory that the candidate names as given up is marked as possibly replaced. A memory that it is stated to update is
    replaced only on the person's own typed words; on other grounds, or if the new statement is a choice and the old memory a
    lesson or event, it is only marked as possibly replaced.

    Args:
        interface: the tool it was said in. tags: for the memory. learned: adds the branch that it was learned on.
    """
    candidate = _in_its_project(context, candidate)
    if candidate.relation == "same":
        return _said_again(context, candidate)
    candidate = lowered_by_verdicts(candidate, context.state.verdicts.all())
    way = way_of(candidate, context.choices.review_mode)
    if way == "drop":
        return Saved("dropped", None)
    may_replace = _meant(context, candidate) if candidate.replaces and way == "save" else ""
    reported = candidate.trust == "user" and _is_reported(context, candidate)
    typed = candidate.trust == "user" and not reported
    states_change = way == "save" and candidate.relation in ("update", "contradict")
    if states_change and not (typed and _may_replace_target(context, candidate)):
        may_replace, candidate = candidate.target, replace(candidate, relation="new", target="")
    draft = _draft(candidate, interface, (*tags, *(EXTRACT_TAGS if context.choices.transcript_tags else ())), way)
    if reported:
        draft = replace(draft, properties={**draft.properties, "trust": "agent"})
    try:
        saved = keep(
            context,
            draft,
            by=BY_REPORTING if reported else BY_EXTRACTION,
            unique=True,
            stated=Stated(
                relation=candidate.relation,
                target=candidate.target,
                may_replace=may_replace,
                named=typed and bool(candidate.target),
                learned=(lambda draft: learned(draft, candidate.time)) if candidate.time else UNSTATED.learned,
            ),
        )
    except Refused as error:
        return Saved("refused", None, warnings=(error.message,))
    return noticed(context, _counted(context, saved, candidate), candidate.source) if saved.action == "confirmed" else saved


def _is_reported(context: Context, candidate: Candidate) -> bool:
    """Return whether only an agent attributes the statement to the person.

    That is so in a conversation that an agent handed over and the person did not confirm.
    """
    interface, _, identity = candidate.source.removeprefix("session://").partition("/")
    try:
        handed_over = context.storage.conversations.get(identity)
    except (NotFound, InvalidInput):
        return False
    return handed_over.interface == interface and not handed_over.confirmed


def _in_its_project(context: Context, candidate: Candidate) -> Candidate:
    """Return the candidate with the project of its own folder, which differs from its session's after a `cd`."""
    here = context.outside.projects.slug_of(candidate.folder) if candidate.folder else ""
    return replace(candidate, project=here) if here and here != candidate.project else candidate


def is_pattern_find(memory: Memory) -> bool:
    """Return whether a memory was extracted by patterns alone, without confirmation by a model or the person."""
    found_by = str(memory.extra.get("mining_rationale") or "").partition(":")[0].partition(" ")[0]
    return memory.trust == "extracted" and found_by not in ("", *get_args(Proposer))


def _may_replace_target(context: Context, candidate: Candidate) -> bool:
    """Return whether a candidate may replace the memory that it is stated to change.

    A statement cannot replace an incident, its cause or its lesson: these remain true. Of a raw sentence found by patterns it is
    unclear which part is replaced, except in a note, where the candidate is in the place of that sentence.
    """
    try:
        known = context.vault.get(candidate.target) if candidate.target else None
    except NotFound:
        known = None
    if known is None:
        return True
    followed = known.source == candidate.source and known.source.startswith(NOTE_SCHEME)
    return (known.kind not in _HAPPENED or candidate.kind in _HAPPENED) and (followed or not is_pattern_find(known))


def _said_again(context: Context, candidate: Candidate) -> Saved:
    """Confirm a known memory that was repeated, except in the session it comes from. A proposal is counted; a guess is dropped."""
    if candidate.confidence == "low":
        return Saved("dropped", None)
    try:
        known = context.vault.get(candidate.target)
    except NotFound:
        return Saved("dropped", None)
    saved = Saved("confirmed", known)
    if known.status == "inbox":
        return _counted(context, saved, candidate)
    if known.status not in STANDING or known.source == candidate.source:
        return saved
    _note_need(context, known, candidate)
    if is_left_out(context, known, candidate.source):
        return saved
    confirmed = context.vault.confirm(known.id, said=f"said again: {candidate.text}", by=BY_EXTRACTION)
    return noticed(context, Saved("confirmed", confirmed), candidate.source)


def _note_need(context: Context, known: Memory, candidate: Candidate) -> None:
    """Record that a session needed a memory of the hold-out experiment: its person repeated it after the draw."""
    drawn = context.state.lots.drawn(candidate.source).get(known.uri)
    if drawn and candidate.trust == "user" and candidate.time and candidate.time > drawn:
        context.state.lots.need(candidate.source, {known.uri: "said again"}, context.clock.now())


def _draft(candidate: Candidate, interface: str, tags: tuple[str, ...], way: str) -> Draft:
    """Return the candidate as a draft for the write gate."""
    kind, facet = kind_named(candidate.kind)
    properties = {
        "facet": facet,
        "status": "active" if way == "save" else "inbox",
        "confidence": candidate.confidence,
        "importance": candidate.importance,
        "project": "" if kind in OF_NO_PROJECT else candidate.project,
        "agent": "" if kind in OF_NO_PROJECT else candidate.agent,
        "source": candidate.source,
        "source_interface": interface,
        "source_span": " to ".join(dict.fromkeys(candidate.span)),
        "trust": "external" if candidate.trust == "external" else "extracted",
        "said": candidate.time,
        "valid_from": candidate.time,
        "valid_until": candidate.until,
        "topics": candidate.topics,
        "mentions": candidate.mentions,
        "when": candidate.when,
        "mining_rationale": candidate.rationale,
        **({} if way == "save" else _proposal(candidate, way)),
    }
    known = {name: value for name, value in properties.items() if value not in ("", None, ())}  # many sessions have no project
    return Draft(kind, candidate.title, candidate.text, tags=tags, properties=known)


def _proposal(candidate: Candidate, way: str) -> dict[str, object]:
    """Return the properties that the person sees beside a proposal when deciding."""
    return {
        "mining_route": way,
        "mining_confidence": candidate.confidence,
        "mining_occurrences": candidate.occurrences,
        "mining_excerpt": candidate.excerpt,
        "mining_sessions": (candidate.source,),
        **({"mining_relation": candidate.relation, "mining_target": candidate.target} if candidate.target else {}),
    }


def _counted(context: Context, saved: Saved, candidate: Candidate) -> Saved:
    """Count a proposal that was repeated in another session. Three occurrences raise a guess to medium confidence (MV-35)."""
    known = saved.memory
    sessions = known.extra.get("mining_sessions") if known else None
    if known is None or known.status != "inbox" or not isinstance(sessions, list | tuple) or candidate.source in sessions:
        return saved
    met = int(str(known.extra.get("mining_occurrences") or 1)) + candidate.occurrences
    values: dict[str, object] = {"mining_occurrences": met, "mining_sessions": (*sessions, candidate.source)[:SOURCES_NAMED]}
    likely = replace(candidate, confidence="medium") if met >= MEDIUM_MIN_OCCURRENCES else candidate
    if known.confidence == "low" and likely.confidence != "low":
        values |= {
            "confidence": "medium",
            "mining_confidence": "medium",
            "mining_route": way_of(likely, context.choices.review_mode),
        }
    return replace(saved, memory=context.vault.edit(known.id, properties=values, by=BY_EXTRACTION))


def _meant(context: Context, candidate: Candidate) -> str:
    """Return the id of the one earlier memory of a comparable kind with the words that the candidate gives up; "" for none.

    Words are compared by their beginnings, since people say "commits in German" once and "the German commits" later. With
    several matches the result is "": a wrong conflict costs the person more than a missed one (X-44).
    """
    scope = Scope(
        sources=("memory",),
        kinds=_STATED if candidate.kind in _STATED else (candidate.kind,),
        statuses=("active",),
        projects=(candidate.project,) if candidate.project else None,
    )
    words = f"{candidate.replaces} {candidate.about}".lower().split()
    wanted = {word[:_STEM_CHARS] for word in words if len(word) > 2 or len(words) == 1 or not word.isalpha()}
    fitting = []
    for item in similar(context, f"{candidate.replaces} {candidate.text}", scope, RIVALS_LOOKED_AT):
        text = " ".join([item.title, *(stored.passage.text for stored in context.index.passages_of(item.key))]).lower()
        held = item.said_at
        earlier = held is None or candidate.time is None or held < candidate.time
        if earlier and wanted and all(word in text for word in wanted):
            fitting.append(item.key.removeprefix("memory://"))
    return fitting[0] if len(fitting) == 1 else ""
