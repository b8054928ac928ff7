"""The integration ladder: what a statement that is about to be kept is to what is known already. Every door that saves passes here.

First the words decide (:mod:`vademecum.upkeep.statements`), because cosines cannot tell a paraphrase from another value. Then the two
must be near, by the embedder's cosine or, where none reads the language, by the words both hold. What remains unclear although nearness
and topic both match is kept as new, and named, so that a model can be asked later (:mod:`vademecum.upkeep.doubts`). Wrongly doing away
with a truth costs more than keeping two, so whatever could mean several memories means none (X-44).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from vademecum.capture.judge import tells_change
from vademecum.index.items import plain_text
from vademecum.model.errors import EmbedderUnavailable
from vademecum.model.item import Item
from vademecum.model.memory import Draft, Status
from vademecum.model.ports import Embedder
from vademecum.model.query import Scope
from vademecum.model.relations import CHANGING, PUBLISHED, Bands, Relation
from vademecum.recall.shape import STOP
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.statements import STATEMENT_MAX_CHARS, Comparison, compare
from vademecum.upkeep.subject import NO_TIE, Tie, beginnings, log_odds, of_another, tie_of
from vademecum.upkeep.successor import Telling, takes_place

#: Memories looked at, best first by their words.
LOOKED_AT = 12
#: Postings read to find them.
POSTINGS = 4000
#: Kinds that state what is so. Of events, tasks, lessons and the like there can be many that look alike.
STATING = frozenset(
    {"preference", "identity", "style", "fact", "decision", "spec", "procedure", "project", "concept", "entity"}
)
#: In these states a memory is compared with what comes; what waits only for saying the very same.
_COMPARED: tuple[Status, ...] = ("active", "inbox", "disputed")
#: In these it holds, so that it can be replaced or contradicted.
STANDING: tuple[Status, ...] = ("active", "disputed")
#: Who may do away with whose word: only who stands at least as high.
_WORD_OF = {"external": 0, "agent": 1, "extracted": 2, "user": 2}


#: Ours, calibrated on bench/integrate/dev.toml (docs/learning.md).
CALIBRATED: Mapping[str, Bands] = {"minilm": Bands(0.78, 0.45, 0.60, 0.70), "static": Bands(0.78, 0.60, 0.60, 0.70)}
#: Of the words both hold (Dice), without vectors.
LEXICAL = Bands(0.95, 0.45, 0.45, 0.60)
#: How surely a statement takes the place of a memory, in log-odds (:mod:`vademecum.upkeep.successor`): from `REPLACED` on it does; from
#: `LIKELY` on both stay, and it is told that it may have. Chosen by pairs that were held out (docs/learning.md).
REPLACED, LIKELY = 1.0, 0.0
#: It must be so much likelier than that it takes the place of any other memory.
CLEARLY = 1.0
#: Below these log-odds that a statement tells of a change at all, nothing is looked for.
CHANGE_LEAST = -1.5
#: What it costs that one is of who the person is and the other is not. The other kinds nobody keeps apart.
OTHER_KIND = 0.3
#: Where words overlap so much, they tell themselves what changed, or that nothing did.
ALMOST_THE_SAME = 0.6
#: Memories of one project, the latest, that are looked at for the subject of a change.
CHANGEABLE = 300


@dataclass(frozen=True, slots=True)
class Told:
    """How a statement was told in a conversation: what was said right beside it, what the agent had said before, and how unsure it is
    (log-odds, not below 0) that it lasts."""

    around: str
    answered: str
    unsure: float


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done with a statement.

    Attributes:
        relation: to `others`, ids of memories; "new" without any. nearness: 0..1, of the nearest.
        likely: id of a memory whose place the draft has likely taken, though not surely enough to do away with it; "" for none.
        unnamed: nothing in the draft's own words ties it to what it takes the place of; what was said around it does.
        unclear: id of a memory that is near and about the same, of which the words do not tell what the draft is to it; "" for none.
    """

    relation: Relation = "new"
    others: tuple[str, ...] = ()
    nearness: float = 0.0
    likely: str = ""
    unnamed: bool = False
    unclear: str = ""


_NOTHING = Comparison("other", frozenset(), 0.0)


@dataclass(frozen=True, slots=True)
class _Known:
    """A memory that could be meant."""

    item: Item
    text: str
    compared: Comparison

    @property
    def id(self) -> str:
        return self.item.key.removeprefix("memory://")


def step_for(
    parts: Parts,
    draft: Draft,
    stated: Relation = "new",
    target: str = "",
    *,
    among: tuple[Status, ...] = _COMPARED,
    told: Told | None = None,
) -> Step:
    """What the draft is to what is known.

    Args:
        stated: by whoever read the conversation; believed where nearness and topic allow it.
        target: id of the memory that it was stated of; "": of the nearest.
        among: states of the memories that it is compared with.
        told: in a conversation, and how; None: it was stated by itself.
    """
    near_by = _candidates(parts, draft, target, among)
    known = [one for one in near_by if one.item.kind == draft.kind]
    twin = next((one for one in known if plain_text(one.text) == _plain(draft)), None)
    if twin is not None:
        return Step("same", (twin.id,), 1.0)
    if draft.kind not in STATING or draft.properties.get("status", "active") != "active":
        return Step()
    on_topic = [one for one in known if one.item.status in STANDING and _same_topic(draft, one)]
    near = _nearness(parts, _statement(draft), on_topic)
    found = _by_words(draft, on_topic, near)
    likely = ""
    if found.relation == "new":
        found, likely = _by_change(parts, draft, near_by, told)
    if likely and stated == "update" and target == likely:  # whoever read the conversation, or reviewed it, says so too
        return Step("update", (likely,))
    if found.relation != "same" and stated != "new":
        found = _as_stated(draft, on_topic, near, stated, target, found)
    return found if found.others else Step(likely=likely, unclear=likely or _unclear(on_topic, near))


def _candidates(parts: Parts, draft: Draft, target: str, among: tuple[Status, ...]) -> list[_Known]:
    """Memories of the same kind, or that state what is so as well, that share words with the draft. What is known in one project is
    not known in another (X-43), nor what one agent holds about itself to another (X-16)."""
    terms = parts.index.terms(f"{draft.title} {draft.body[:400]}", STOP)
    found = parts.index.words(terms, _scope(draft, among), LOOKED_AT, budget=POSTINGS)
    items = parts.index.items(list(dict.fromkeys(one.item for one in found)))
    named = parts.index.items([f"memory://{target}"] if target else [])
    items = {**items, **{key: item for key, item in named.items() if item.kind in STATING and item.status in among}}
    statement, known = _statement(draft), []
    for item in items.values():
        text = _text_of(parts, item)
        known.append(_Known(item, text, compare(text, statement)))
    return known


def _scope(draft: Draft, among: tuple[Status, ...]) -> Scope:
    project = str(draft.properties.get("project", ""))
    agent = str(draft.properties.get("agent") or "")
    return Scope(
        sources=("memory",),
        kinds=tuple(sorted(CHANGING | {draft.kind})) if draft.kind in CHANGING else (draft.kind,),
        statuses=among,
        projects=(project,) if project else None,
        agents=(agent,) if agent else None,
    )


def _text_of(parts: Parts, item: Item) -> str:
    return "\n".join(stored.passage.text for stored in parts.index.passages_of(item.key))


def _statement(draft: Draft) -> str:
    return draft.body.strip() or draft.title


def _plain(draft: Draft) -> str:
    return plain_text(draft.body) or plain_text(draft.title)


def _same_topic(draft: Draft, known: _Known) -> bool:
    """Whether both are for the same and about the same: a topic where both name some, else a word that both hold."""
    given, item = draft.properties, known.item
    if not _same_place(draft, known):
        return False
    topics = given.get("topics") or ()
    labels = {str(topic).casefold() for topic in (topics if isinstance(topics, list | tuple) else (topics,))}
    if labels and item.topics:
        return not labels.isdisjoint(topic.casefold() for topic in item.topics)
    return bool(known.compared.shared) or known.compared.relation in ("same", "opposite", "value", "replaces")


def _same_place(draft: Draft, known: _Known) -> bool:
    """Whether both are of one project, agent and profile."""
    given, item = draft.properties, known.item
    place = (str(given.get("project", "")), str(given.get("agent", "")), str(given.get("profile", "") or "default"))
    return place == (item.project, item.agent, item.profile)


def _nearness(parts: Parts, text: str, known: Sequence[_Known]) -> dict[str, tuple[float, Bands]]:
    """Key -> how near it is, and the bands that go with the measure: cosine when there is an embedder that reads both."""
    lexical = {one.item.key: (one.compared.overlap, LEXICAL) for one in known}
    embedder: Embedder | None = parts.embedder or parts.quick
    if embedder is None or not known:
        return lexical
    try:
        rows = embedder.embed([text, *(one.text for one in known)])
    except EmbedderUnavailable:
        return lexical
    bands = next((bands for name, bands in CALIBRATED.items() if embedder.model_id.startswith(name)), PUBLISHED)
    cosines = rows[1:] @ rows[0]
    # a model that cannot read a language finds its sentences far apart; the words that both hold are near all the same
    return {
        one.item.key: (float(cosine), bands) if float(cosine) >= bands.changed else lexical[one.item.key]
        for one, cosine in zip(known, cosines, strict=True)
    }


def _by_words(draft: Draft, known: Sequence[_Known], near: Mapping[str, tuple[float, Bands]]) -> Step:
    """The surest thing that the words say: the same, then a change, then a contradiction, then more of it."""
    same = [one for one in known if one.compared.relation == "same" and _within(near, one, "same")]
    if same:
        return _step("same", same[:1], near)
    clashing = [
        one
        for one in known
        if one.compared.relation in ("opposite", "value", "replaces")
        and not one.compared.adds
        and _within(near, one, "changed")
    ]
    changed = [
        one for one in clashing if _gives_way(draft, one) and (one.compared.changed or one.compared.relation == "replaces")
    ]
    if len(changed) == 1:
        return _step("update", changed, near)
    if clashing:
        return _step("contradict", clashing, near)
    more = [
        one
        for one in known
        if (one.compared.relation == "more" or (one.compared.adds and one.compared.relation in ("unclear", "value")))
        and _within(near, one, "linked")
    ]
    return _step("extend", _nearest(more, near), near)


def _by_change(parts: Parts, draft: Draft, known: Sequence[_Known], told: Told | None) -> tuple[Step, str]:
    """What a statement does away with that tells of a change, in whatever words: the one memory whose subject it takes up.

    Returns:
        (the step, "") where that is sure; where it is only likely, (nothing, id of the memory).
    """
    statement = _statement(draft)
    if draft.kind not in CHANGING or len(statement) > STATEMENT_MAX_CHARS:
        return Step(), ""
    if log_odds(tells_change(statement)) < CHANGE_LEAST:
        return Step(), ""
    meant = sorted(_followed(parts, draft, known, told), key=lambda one: (-one[0], one[1].id))
    if not meant or (len(meant) > 1 and meant[0][0] - meant[1][0] < CLEARLY):
        return Step(), ""
    surely, one, named = meant[0]
    if surely < LIKELY:
        return Step(), ""
    if surely < REPLACED:
        return Step(), one.id
    return Step("update", (one.id,), round(one.compared.overlap, 4), unnamed=not named), ""


def _followed(parts: Parts, draft: Draft, known: Sequence[_Known], told: Told | None) -> Iterable[tuple[float, _Known, bool]]:
    """(log-odds that the statement takes its place, memory, whether its own words tie it), of those memories that anything ties it to."""
    statement = _statement(draft)
    change = log_odds(tells_change(statement))
    at_hand = {one.item.key: one for one in known}
    texts = {
        item.key: (item, at_hand[item.key].text if item.key in at_hand else _text_of(parts, item))
        for item in _changeable(parts, draft, known)
    }
    among = beginnings(text for _, text in texts.values())
    for item, text in texts.values():
        tie = tie_of(text, statement, among)
        telling = _telling(text, tie, statement, told, among)
        if not (tie.holds or (telling and telling.holds)) or of_another(text, statement):
            continue
        one = at_hand.get(item.key) or _Known(item, text, compare(text, statement))
        if one.compared.overlap < ALMOST_THE_SAME or one.compared.changed:
            crosses = (item.kind == "identity") != (draft.kind == "identity")
            yield takes_place(change, tie, one.compared, telling) - (OTHER_KIND if crosses else 0.0), one, tie.holds


def _telling(text: str, tie: Tie, statement: str, told: Told | None, among: Mapping[str, int]) -> Telling | None:
    """What ties the statement to a known text beyond its own words."""
    if told is None:
        return None
    around = tie_of(text, f"{told.around} {statement}", among) if told.around else tie
    return Telling(around, tie_of(text, told.answered, among) if told.answered else NO_TIE, told.unsure)


def _changeable(parts: Parts, draft: Draft, known: Sequence[_Known]) -> Iterable[Item]:
    """Memories, of the same place or of who the person is, that a statement may replace that was made later and elsewhere."""
    scope = _scope(draft, ("active",))
    items = {item.key: item for item in (*(one.item for one in known), *parts.index.select(scope, limit=CHANGEABLE))}
    for item in items.values():
        one = _Known(item, "", _NOTHING)
        here = _same_place(draft, one) or (item.kind == draft.kind == "identity" and not item.project and not item.agent)
        if item.status == "active" and here and _gives_way(draft, one) and not _said_together(draft, one):
            yield item


def _said_together(draft: Draft, known: _Known) -> bool:
    """Whether both come from one conversation: what somebody adds there is seldom a change of what they said before in it."""
    source = str(draft.properties.get("source") or "")
    return bool(source) and source == known.item.origin


def _as_stated(
    draft: Draft,
    known: Sequence[_Known],
    near: Mapping[str, tuple[float, Bands]],
    stated: Relation,
    target: str,
    found: Step,
) -> Step:
    """The relation that was stated, to `target` or the nearest that is near enough; else what the words say (VO-32, VO-33).

    Words that clash say that something changed or that somebody errs; that it changed is then taken from who read the conversation.
    """
    if found.relation in ("update", "contradict") and (stated != "update" or (target and target not in found.others)):
        return found
    band = {"same": "same", "update": "changed", "contradict": "changed"}.get(stated, "linked")
    meant = [one for one in known if (one.id == target if target else one.compared.relation != "other")]
    fitting = _nearest([one for one in meant if _within(near, one, band)], near)
    if not fitting or (found.relation == "contradict" and found.others != (fitting[0].id,)):
        return found
    return _step(_allowed(stated, draft, fitting[0]), fitting, near)


def _allowed(stated: Relation, draft: Draft, known: _Known) -> Relation:
    """What was stated; what may not replace the memory speaks against it."""
    return "contradict" if stated == "update" and not _gives_way(draft, known) else stated


def _unclear(known: Sequence[_Known], near: Mapping[str, tuple[float, Bands]]) -> str:
    """Id of the nearest memory of which only a model could tell what the draft is to it; "" for none (VO-34)."""
    found = _nearest([one for one in known if _is_worth_asking(one) and _within(near, one, "asked")], near)
    return found[0].id if found else ""


def _is_worth_asking(one: _Known) -> bool:
    """Whether both are about one thing: half of their words, or a topic, is the same. Two words in common are no topic."""
    return one.compared.relation == "unclear" and (bool(one.item.topics) or one.compared.overlap >= LEXICAL.asked)


def _gives_way(draft: Draft, known: _Known) -> bool:
    """Whether the draft may replace the memory."""
    said, trust = draft.properties.get("valid_from"), str(draft.properties.get("trust") or "user")
    held = known.item.valid_from or known.item.created
    return may_replace(trust, said if isinstance(said, datetime) else None, known.item.trust, held)


def may_replace(trust: str, said: datetime | None, known_trust: str, held: datetime | None) -> bool:
    """Whether a statement may replace a known one: it was said later, by somebody whose word counts as much.

    Args:
        said, held: when the new one was said and the known one began to hold; None: unknown, which speaks for the new one.
    """
    return _WORD_OF.get(trust, 0) >= _WORD_OF.get(known_trust, 0) and (said is None or held is None or held < said)


def _within(near: Mapping[str, tuple[float, Bands]], one: _Known, band: str) -> bool:
    nearness, bands = near[one.item.key]
    return nearness >= float(getattr(bands, band))


def _nearest(known: Iterable[_Known], near: Mapping[str, tuple[float, Bands]]) -> list[_Known]:
    return sorted(known, key=lambda one: (-near[one.item.key][0], one.item.key))[:1]


def _step(relation: Relation, known: Sequence[_Known], near: Mapping[str, tuple[float, Bands]]) -> Step:
    if not known or relation == "new":
        return Step()
    return Step(relation, tuple(one.id for one in known), round(max(near[one.item.key][0] for one in known), 4))
