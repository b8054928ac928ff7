"""What becomes of a candidate: routed by the table of its review mode, through the write gate.

What a person told of a change is held against what is known before it is let go: a guess that takes the place of a memory is kept.
"""

from collections.abc import Iterable
from dataclasses import replace

from vademecum.capture.judge import judge, tells_change
from vademecum.capture.mine import MEDIUM_MIN_OCCURRENCES, ONLY_IF_CHANGED
from vademecum.capture.routing import humbled, way_of
from vademecum.capture.statements import CHANGE_LIKELY
from vademecum.model.errors import Refused
from vademecum.model.memory import By, Draft
from vademecum.model.query import WITHHELD_TAGS, Scope
from vademecum.model.relations import CHANGING
from vademecum.model.reports import Saved
from vademecum.model.session import Candidate
from vademecum.upkeep.integrate import Step, Told, step_for
from vademecum.upkeep.keep import changed, keep, similar
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.procedural import noticed
from vademecum.upkeep.subject import log_odds

#: A candidate may replace a memory only when at most this many could be meant (X-44).
RIVALS_LOOKED_AT = 3
#: Kinds of what a person states; which of them it was taken for may differ from one time to the next.
_STATED = ("decision", "fact", "identity", "lesson", "preference")
#: Kinds that tell who the person is, whatever they were working on when they said it.
_EVERYWHERE = frozenset({"identity", "style"})
#: A word is taken for another that begins alike.
_STEM_CHARS = 5
#: Tags of what is told only to who names it.
WITHHELD = frozenset(WITHHELD_TAGS)
EXTRACT_TAGS = ("autoextract", "transcript")
BY_EXTRACTION = By("extraction", "capture")
#: Sessions that a proposal names as those it was met in.
SESSIONS_NAMED = 10


def route_all(parts: Parts, candidates: Iterable[Candidate], interface: str, tags: tuple[str, ...] = ()) -> tuple[Saved, ...]:
    """As :func:`route`, of each in turn. What was only held against what is known, and let go, is not told."""
    done = [(candidate, route(parts, candidate, interface, tags)) for candidate in candidates]
    return tuple(saved for candidate, saved in done if saved.action != "dropped" or candidate.pattern != ONLY_IF_CHANGED)


def route(parts: Parts, candidate: Candidate, interface: str, tags: tuple[str, ...] = ()) -> Saved:
    """What becomes of a candidate, by the table of its review mode; a changed mind supersedes (MV-36).

    Args:
        interface: the tool it was said in. tags: for the memory.
    """
    said, candidate = candidate, humbled(candidate, parts.state.verdicts())
    way = way_of(candidate, parts.review_mode)
    step = _change_told(parts, candidate, interface) if candidate == said and candidate.relation == "new" else None
    if step and step.relation == "update":
        way, candidate = "save", _in_place_of(parts, candidate, step)
    elif step and step.likely and way != "drop" and not candidate.target:
        candidate = candidate if way == "save" else replace(candidate, relation="update", target=step.likely)
    elif way == "drop" or candidate.pattern == ONLY_IF_CHANGED:
        return Saved("dropped", None)
    if step:
        tags = (*tags, *_withheld(parts, step))
    replaced = _meant(parts, candidate) if candidate.replaces and way == "save" else ()
    draft = _draft(candidate, interface, (*tags, *(EXTRACT_TAGS if parts.transcript_tags else ())), way)
    try:
        saved = keep(
            parts,
            draft,
            by=BY_EXTRACTION,
            replaces=replaced,
            unique=True,
            relation=candidate.relation,
            target=candidate.target,
            step=step,
        )
    except Refused as error:
        return Saved("refused", None, warnings=(error.message,))
    return noticed(parts, _counted(parts, saved, candidate), candidate.source) if saved.action == "confirmed" else saved


def _change_told(parts: Parts, candidate: Candidate, interface: str) -> Step | None:
    """What a candidate of which nobody said what it is to what is known takes the place of, surely or likely, where the person told that
    something changed: worth keeping then, though it were a guess alone. None where it takes the place of nothing."""
    if candidate.trust != "user" or not candidate.source.startswith("session://"):
        return None
    if tells_change(candidate.text) < CHANGE_LIKELY:
        return None
    told = Told(candidate.around, candidate.answered, max(0.0, -log_odds(judge(candidate.text).durable)))
    stated = candidate if candidate.kind in CHANGING else replace(candidate, kind="fact")
    step = step_for(parts, _draft(stated, interface, (), "save"), told=told)
    return step if step.relation == "update" or step.likely else None


def _withheld(parts: Parts, step: Step) -> tuple[str, ...]:
    """What takes the place of something told to few, or likely does, is told to few as well."""
    known = parts.vault.get(step.likely or step.others[0])
    return tuple(tag for tag in known.tags if tag in WITHHELD)


def _in_place_of(parts: Parts, candidate: Candidate, step: Step) -> Candidate:
    """The candidate, filed where what it takes the place of is. "I'm on days since March" says nothing without the nights before; but
    what is told to few stays where it is."""
    known = parts.vault.get(step.others[0])
    named = not step.unnamed or not WITHHELD.isdisjoint(known.tags)
    text = candidate.text if named else f"{candidate.text}\n\n(Before: {known.body.strip() or known.title})"
    return replace(candidate, kind=known.kind, text=text)


def _draft(candidate: Candidate, interface: str, tags: tuple[str, ...], way: str) -> Draft:
    """The candidate as it goes to the write gate."""
    properties = {
        "status": "active" if way == "save" else "inbox",
        "confidence": candidate.confidence,
        "importance": candidate.importance,
        "project": "" if candidate.kind in _EVERYWHERE else candidate.project,
        "source": candidate.source,
        "source_interface": interface,
        "source_span": " to ".join(dict.fromkeys(candidate.span)),
        "trust": "external" if candidate.trust == "external" else "extracted",
        "valid_from": candidate.time,
        "topics": candidate.topics,
        "mentions": candidate.mentions,
        "mining_rationale": candidate.rationale,
        **({} if way == "save" else _proposal(candidate, way)),
    }
    known = {name: value for name, value in properties.items() if value not in ("", None, ())}  # many sessions have no project
    return Draft(candidate.kind, candidate.title, candidate.text, tags=tags, properties=known)


def _proposal(candidate: Candidate, way: str) -> dict[str, object]:
    """What the person sees beside a proposal when they decide."""
    return {
        "mining_route": way,
        "mining_confidence": candidate.confidence,
        "mining_occurrences": candidate.occurrences,
        "mining_excerpt": candidate.excerpt,
        "mining_sessions": (candidate.source,),
        **({"mining_relation": candidate.relation, "mining_target": candidate.target} if candidate.target else {}),
    }


def _counted(parts: Parts, saved: Saved, candidate: Candidate) -> Saved:
    """A proposal that was met again in another session: three sessions make a guess likely (MV-35)."""
    known = saved.memory
    sessions = known.extra.get("mining_sessions") if known else None
    if known is None or known.status != "inbox" or not isinstance(sessions, list | tuple) or candidate.source in sessions:
        return saved
    met = int(str(known.extra.get("mining_occurrences") or 1)) + candidate.occurrences
    values: dict[str, object] = {"mining_occurrences": met, "mining_sessions": (*sessions, candidate.source)[:SESSIONS_NAMED]}
    likely = replace(candidate, confidence="medium") if met >= MEDIUM_MIN_OCCURRENCES else candidate
    if known.confidence == "low" and likely.confidence != "low":
        values |= {"confidence": "medium", "mining_confidence": "medium", "mining_route": way_of(likely, parts.review_mode)}
    return replace(saved, memory=changed(parts, parts.vault.edit(known.id, properties=values, by=BY_EXTRACTION)))


def _meant(parts: Parts, candidate: Candidate) -> tuple[str, ...]:
    """Ids of the memories that the candidate replaces: said earlier, of a comparable kind, and about just what it names.

    Words are compared by their beginnings, since people say "commits in German" once and "the German commits" later.
    When several fit, none is taken: a wrong supersession costs more than a missed one (X-44).
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
    for item in similar(parts, f"{candidate.replaces} {candidate.text}", scope, RIVALS_LOOKED_AT):
        said = " ".join([item.title, *(stored.passage.text for stored in parts.index.passages_of(item.key))]).lower()
        held = item.valid_from or item.created
        earlier = held is None or candidate.time is None or held < candidate.time
        if earlier and wanted and all(word in said for word in wanted):
            fitting.append(item.key.removeprefix("memory://"))
    return tuple(fitting) if len(fitting) == 1 else ()
