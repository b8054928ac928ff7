"""Decide how a statement that is about to be saved relates to existing memories. Every entry point that saves calls this.

Nothing is replaced by a guess. A memory is replaced only by a statement that was declared as its replacement: by whoever read the
conversation (a stated `update` with a target), or by a proposal that names it and that the person approved. What words alone
suggest is a conflict between two memories that both stay.

The words decide first (:mod:`vademecum.reconcile.compare`), because cosines cannot tell a paraphrase from another value. Then both
must be near: by the embedder's cosine, or by shared words if no embedder reads the language. A case that is still unclear although
nearness and topic match is saved as new and recorded, so that a model can be asked later
(:mod:`vademecum.llm_reading.compare_memories`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.branches import is_same
from vademecum.domain.errors import EmbedderUnavailable
from vademecum.domain.item import Item, Status
from vademecum.domain.memory import Draft
from vademecum.domain.query import Scope
from vademecum.domain.relations import PUBLISHED, Bands, Relation
from vademecum.index.items import plain_text
from vademecum.language.load import languages
from vademecum.language.text import common_words
from vademecum.reconcile.clash import denies_the_other, differ_in_a_number, is_clash
from vademecum.reconcile.compare import Comparison, bare, compare, names_its_subject, taken_apart
from vademecum.reconcile.numbers import CONFLICTS_MARKED, LEARNT_AGAIN, LOOKED_AT, NEAREST, POSTINGS, WORD_OF

T = TypeVar("T")

#: Kinds that state how things are. Of events, tasks, lessons and the like, many similar ones may exist.
STATING = frozenset(
    {"preference", "identity", "style", "fact", "decision", "spec", "procedure", "project", "concept", "entity"}
)
#: Kinds among them that say how to work; a project may have its own.
WAYS = frozenset({"preference", "style", "procedure", "spec"})
#: Kinds of lessons: agents meet the same problem again and describe it in other words.
LEARNT = frozenset({"lesson", "fix"})
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
#: Statuses of memories that are compared; those in the inbox only to find duplicates.
_COMPARED: tuple[Status, ...] = ("active", "inbox", "disputed")
#: Relations of two statements that conflict.
CLASHING = frozenset({"opposite", "value", "replaces"})
#: Statuses of memories that can be replaced or contradicted.
STANDING: tuple[Status, ...] = ("active", "disputed")

#: Prefix of the model id -> bands, chosen on 169 labelled pairs of statements in five languages.
CALIBRATED: Mapping[str, Bands] = {"use": Bands(0.75, 0.40, 0.56, 0.66)}
#: Bands for word overlap (Dice), used without vectors.
LEXICAL = Bands(0.95, 0.45, 0.45, 0.60)


class Step(Struct, frozen=True):
    """What to do with a statement.

    Attributes:
        relation: to `others`, ids of memories; "new" if there are none. nearness: of the nearest one, 0..1.
        likely: id of a memory that the draft may have replaced; both stay. "" for none. also_likely: further ones.
        unclear: id of a near memory on the same topic whose relation the words do not decide; "" for none.
    """

    relation: Relation = "new"
    others: tuple[str, ...] = ()
    nearness: float = 0.0
    likely: str = ""
    unclear: str = ""
    also_likely: tuple[str, ...] = ()


class _Known(Struct, frozen=True):
    """An existing memory compared with the draft.

    Attributes:
        text: its text. compared: relation of the draft's text to it.
        same_titles: both titles contain the same words beside those of their texts; or the draft's title contains no others, and its
            text names its subject.
        apart: each title has a word that is nowhere in the other memory, so their subjects differ whatever the texts say.
        titles_narrow: the titles share a word, or each title shares a word with its own text; so they specify the subjects.
    """

    item: Item
    text: str
    compared: Comparison
    same_titles: bool
    apart: bool
    titles_narrow: bool

    @property
    def id(self) -> str:
        return self.item.key.removeprefix("memory://")

    @property
    def is_kept_in_sight(self) -> bool:
        """Whether the person pinned it or wants it always loaded, so that only their own statement replaces it."""
        return self.item.always_load or self.item.pin


def step_for(
    context: Context,
    draft: Draft,
    stated: Relation = "new",
    target: str = "",
    *,
    among: tuple[Status, ...] = _COMPARED,
    approved: bool = False,
) -> Step:
    """Return how the draft relates to existing memories.

    Args:
        stated: relation stated by whoever read the conversation; accepted if nearness and topic allow it.
        target: id of the memory that `stated` refers to; "": the nearest, which is then at most marked as in conflict.
        among: statuses of the memories to compare with.
        approved: the person approved or made the statement about `target`, so it is never ignored.
    """
    known = _candidates(context, draft, target, among, kinds=(draft.kind,))
    same = next((possible for possible in known if _says_the_same(draft, possible)), None) or _met_again(context, draft, known)
    if same is not None:
        return Step("same", (same.id,), 1.0)
    step = Step()
    if draft.properties.get("status", "active") != "active" or draft.properties.get("branch"):
        return step  # a draft in the inbox or limited to a branch changes nothing else
    if draft.kind in STATING:
        agreed = target if approved else ""
        step = _compared(
            context, draft, [possible for possible in known if _same_topic(draft, possible, agreed)], stated, target
        )
        if step.relation in ("new", "extend", "derive"):
            step = _with_conflicts(step, conflicts(context, draft, among))
    return _with_agreed(context, draft, step, stated, target) if approved and target else step


def _with_conflicts(step: Step, conflicts: tuple[str, ...]) -> Step:
    """Add the probable conflicts to the step; one found by the words alone comes first."""
    rest = tuple(conflict for conflict in conflicts if conflict not in (step.likely, *step.others))
    likely = step.likely or (rest[0] if rest else "")
    return replace(
        step, likely=likely, also_likely=tuple(entry for entry in rest if entry != likely), unclear=step.unclear or likely
    )


def _compared(context: Context, draft: Draft, on_topic: Sequence[_Known], stated: Relation, target: str) -> Step:
    """Return how the draft relates to current memories on its topic, by its words and by the stated relation."""
    near = _nearness(context, _statement(draft), on_topic)
    of_one_subject = [possible for possible in on_topic if not possible.apart]
    step = _by_words(draft, of_one_subject, near)
    if step.relation != "same" and stated != "new":
        step = _as_stated(draft, on_topic, near, stated, target, step)
    return step if step.others else replace(step, unclear=step.likely or _unclear(of_one_subject, near))


def conflicts(context: Context, draft: Draft, among: tuple[Status, ...]) -> tuple[str, ...]:
    """Return ids of memories that probably conflict with the draft, nearest first.

    They may be of any kind and title, and of the draft's project or of no project: a decision can change a fact, and a rule of a project
    can change what was said for all projects. All of them stay. A way of working may differ between projects, so a project's own one
    does not conflict with a general one of its kind.
    """
    statement = _statement(draft)
    clashing = [
        possible
        for possible in _nearest_of_all(context, draft, among)
        if possible.item.status in STANDING
        and _may_be_meant(draft, possible)
        and (_is_conflict(possible, statement) or _is_another_number(draft, possible))
    ]
    near = _nearness(context, statement, clashing)
    return tuple(
        clash.id
        for clash in sorted(clashing, key=lambda possible: (-near[possible.item.key][0], possible.item.key))[:CONFLICTS_MARKED]
    )


def _is_another_number(draft: Draft, known: _Known) -> bool:
    """Return whether a memory has another number under the same title: "Rate limit" with 100 and with 200 requests a minute."""
    is_same_title = bare(known.item.title) == bare(draft.title)
    return is_same_title and differ_in_a_number(known.text, _statement(draft))


def _is_conflict(possible: _Known, statement: str) -> bool:
    clashing = possible.compared.relation in CLASHING
    has_subject = bool(possible.compared.shared) or clashing
    if possible.compared.adds or (possible.apart and (possible.titles_narrow or not has_subject)):
        return False
    return clashing or is_clash(possible.text, statement)


def _may_be_meant(draft: Draft, possible: _Known) -> bool:
    """Return whether the draft and a memory may be about the same thing: they share a topic or name none, and the place fits.

    The place fits within one project. A memory of no project fits too, unless both are a way of working of the same kind.
    """
    if not _same_place(draft, possible.item):
        own_way = draft.kind in WAYS and possible.item.kind == draft.kind
        if own_way or not _same_place(draft, possible.item, everywhere=True):
            return False
    return _topics_meet(draft, possible.item)


def _nearest_of_all(context: Context, draft: Draft, among: tuple[Status, ...]) -> list[_Known]:
    """Return memories of any stating kind that are nearest to the draft in meaning, or share its words."""
    kinds = tuple(sorted(STATING))
    possibles = {possible.item.key: possible for possible in _candidates(context, draft, "", among, kinds=kinds)}
    keys = [key for key in _near_by_meaning(context, draft, among, kinds) if key not in possibles]
    mine, result = _stems(context, draft.title), _stems(context, _statement(draft))
    items = context.index.items(keys)
    return [*possibles.values(), *(_known(context, _statement(draft), mine, result, item) for item in items.values())]


def _near_by_meaning(context: Context, draft: Draft, among: tuple[Status, ...], kinds: tuple[str, ...]) -> list[str]:
    """Return keys of the memories with the nearest vectors, best first; an empty list without vectors."""
    embedder = context.models.embedder
    if embedder is None or not context.index.stats().vectors.get(embedder.model_id):
        return []
    try:
        vector = embedder.embed([_statement(draft)])[0]
    except EmbedderUnavailable:
        return []
    scope = _held_here(context, draft, _scope(draft, among, kinds))
    return list(dict.fromkeys(hit.item for hit in context.index.near(vector, embedder.model_id, scope, NEAREST)))


def _held_here(context: Context, draft: Draft, scope: Scope) -> Scope:
    """Extend the scope by memories limited to the draft's own branch, if it has one."""
    branch = str(draft.properties.get("branch", ""))
    if not branch:
        return scope
    return replace(scope, branches=tuple(entry for entry in set(context.index.held().values()) if is_same(entry, branch)))


def _with_agreed(context: Context, draft: Draft, step: Step, stated: Relation, target: str) -> Step:
    """Add the target that the person confirmed: replaced if both share a content word, else linked or marked as possibly replaced."""
    item = context.index.items([f"memory://{target}"]).get(f"memory://{target}")
    stands = item is not None and item.status in STANDING
    if item is None or not stands or stated in ("new", "same") or target in step.others:
        return step
    if stated in ("extend", "derive"):
        return step if step.others else replace(step, relation=stated, others=(target,))
    about_one = _same_place(draft, item, everywhere=True) and bool(compare(_text_of(context, item), _statement(draft)).shared)
    in_sight = item.always_load or item.pin
    if stated == "update" and about_one and not in_sight and not step.others and _gives_way(draft, item):
        return Step("update", (target,), step.nearness)
    return replace(step, likely=target)


def _says_the_same(draft: Draft, known: _Known) -> bool:
    """Return whether a memory has the same text about the same subject: "Every 90 days." differs under another title."""
    here = known.item.kind == draft.kind and _same_place(draft, known.item, everywhere=True)
    return here and known.same_titles and plain_text(known.text) == (plain_text(draft.body) or plain_text(draft.title))


def _met_again(context: Context, draft: Draft, known: Sequence[_Known]) -> _Known | None:
    """Return the memory of a lesson that was learned again; None if there is none, or without a calibrated model.

    A different number, a denial or a different value makes it a different lesson, however near it is.
    """
    if draft.kind not in LEARNT or draft.properties.get("trust") != "extracted":
        return None
    findall = frozenset(_NUMBER.findall(_statement(draft)))
    here = [
        possible
        for possible in known
        if possible.item.kind == draft.kind
        and _same_place(draft, possible.item, everywhere=True)
        and possible.compared.relation not in CLASHING
        and findall <= frozenset(_NUMBER.findall(possible.text))
        and not denies_the_other(possible.text, _statement(draft))
    ]
    near = _cosines(context, _statement(draft), here)
    nearest = max(here, key=lambda possible: near.get(possible.item.key, 0.0), default=None)
    again = _of_model(context, LEARNT_AGAIN, 1.0)
    return nearest if nearest is not None and near.get(nearest.item.key, 0.0) >= again else None


def _candidates(
    context: Context, draft: Draft, target: str, among: tuple[Status, ...], *, kinds: tuple[str, ...]
) -> list[_Known]:
    """Return memories of these kinds that share words with the draft, and the target.

    A memory of one project is not compared in another (X-43), nor an agent's note about itself with another agent's (X-16).
    """
    simpler = taken_apart(_statement(draft)[:400]).words  # "moved to" becomes "lives in"
    text = f"{draft.title} {draft.body[:400]} {' '.join(simpler)}"
    terms = context.index.terms(text, common_words(text))
    scope = _held_here(context, draft, _scope(draft, among, kinds))
    hit = context.index.words(terms, scope, LOOKED_AT, budget=POSTINGS)
    items = context.index.items(list(dict.fromkeys(found.item for found in hit)))
    named = context.index.items([f"memory://{target}"] if target else [])
    items = {**items, **{key: item for key, item in named.items() if item.kind in STATING and item.status in among}}
    mine, result = _stems(context, draft.title), _stems(context, _statement(draft))
    return [_known(context, _statement(draft), mine, result, item) for item in items.values()]


def _known(context: Context, statement: str, mine: frozenset[int], result: frozenset[int], item: Item) -> _Known:
    """Compare a memory with the draft: their texts and their titles.

    Args:
        statement: text of the draft. mine, result: stems of its title and of its text.
    """
    text = _text_of(context, item)
    theirs, held = _stems(context, item.title), _stems(context, text)
    added, known_added = mine - result, theirs - held
    return _Known(
        item,
        text,
        compare(text, statement),
        same_titles=added == known_added or (not added and names_its_subject(statement)),
        apart=bool(added - held - theirs and known_added - result - mine),
        titles_narrow=bool(mine & theirs) or (bool(mine & result) and bool(theirs & held)),
    )


def _stems(context: Context, text: str) -> frozenset[int]:
    return frozenset(
        term.code for term in context.index.terms(text, common_words(text) - languages().words("stop_words", "qualifying"))
    )


def _scope(draft: Draft, among: tuple[Status, ...], kinds: tuple[str, ...]) -> Scope:
    project = str(draft.properties.get("project", ""))
    agent = str(draft.properties.get("agent") or "")
    return Scope(
        sources=("memory",),
        kinds=kinds,
        statuses=among,
        projects=(project,) if project else None,
        agents=(agent,) if agent else None,
    )


def _text_of(context: Context, item: Item) -> str:
    return "\n".join(stored.passage.text for stored in context.index.passages_of(item.key))


def _statement(draft: Draft) -> str:
    return draft.body.strip() or draft.title


def _same_topic(draft: Draft, known: _Known, agreed: str) -> bool:
    """Return whether a memory is current and on the draft's topic in the draft's project.

    If both have topics, one must be common; else a content word.

    Args:
        agreed: id of the memory that the person confirmed as meant; it may be of any kind, and of no project. "" for none.
    """
    given, item = draft.properties, known.item
    meant = known.id == agreed
    if item.status not in STANDING or not (meant or item.kind == draft.kind) or not _same_place(draft, item, everywhere=meant):
        return False
    if given.get("topics") and item.topics:
        return _topics_meet(draft, item)
    return bool(known.compared.shared) or known.compared.relation in ("same", "opposite", "value", "replaces")


def _topics_meet(draft: Draft, item: Item) -> bool:
    """Return whether both have a topic in common, or one of them has no topics."""
    topics = draft.properties.get("topics") or ()
    labels = {str(topic).casefold() for topic in (topics if isinstance(topics, list | tuple) else (topics,))}
    return not labels or not item.topics or not labels.isdisjoint(topic.casefold() for topic in item.topics)


def _same_place(draft: Draft, item: Item, *, everywhere: bool = False) -> bool:
    """Return whether both are of the same project, agent and profile.

    Args:
        everywhere: a memory of no project counts as being in the draft's project too.
    """
    given = draft.properties
    project, agent, profile = (str(given.get(name) or "") for name in ("project", "agent", "profile"))
    here = item.project == project or (everywhere and not item.project)
    return here and (agent, profile or "default") == (item.agent, item.profile)


def _nearness(context: Context, text: str, known: Sequence[_Known]) -> dict[str, tuple[float, Bands]]:
    """Return key -> (nearness, bands of its measure): the cosine if an embedder reads both, else the word overlap."""
    bands = _of_model(context, CALIBRATED, PUBLISHED)
    cosines = _cosines(context, text, known)
    # a model that cannot read a language finds its sentences far apart; word overlap still works
    return {
        possible.item.key: (cosines[possible.item.key], bands)
        if cosines.get(possible.item.key, 0.0) >= bands.changed
        else (possible.compared.overlap, LEXICAL)
        for possible in known
    }


def _cosines(context: Context, text: str, known: Sequence[_Known]) -> dict[str, float]:
    """Return key -> cosine; empty without an embedder."""
    embedder = context.models.embedder
    if embedder is None or not known:
        return {}
    try:
        rows = embedder.embed([text, *(possible.text for possible in known)])
    except EmbedderUnavailable:
        return {}
    return {possible.item.key: float(cosine) for possible, cosine in zip(known, rows[1:] @ rows[0], strict=True)}


def _of_model(context: Context, table: Mapping[str, T], otherwise: T) -> T:
    """Return the value calibrated for the current embedder, else `otherwise`."""
    name = context.models.embedder.model_id if context.models.embedder is not None else ""
    return next((value for beginning, value in table.items() if name.startswith(beginning)), otherwise)


def _by_words(draft: Draft, known: Sequence[_Known], near: Mapping[str, tuple[float, Bands]]) -> Step:
    """Return the most certain relation that the words show: the same, then a conflict, then an extension."""
    same = [
        possible
        for possible in known
        if possible.compared.relation == "same" and possible.same_titles and _within(near, possible, "same")
    ]
    if same:
        return _step("same", same[:1], near)
    clashing = [
        possible
        for possible in known
        if possible.compared.relation in CLASHING
        and not possible.compared.adds
        and (possible.compared.relation == "replaces" or _within(near, possible, "changed"))
    ]
    changed = [possible for possible in clashing if _says_change(possible) and _gives_way(draft, possible.item)]
    if len(changed) == 1:
        return Step(likely=changed[0].id)
    if clashing:
        return _step("contradict", clashing, near)
    more = [
        possible
        for possible in known
        if (
            possible.compared.relation == "more"
            or (possible.compared.adds and possible.compared.relation in ("unclear", "value"))
        )
        and _within(near, possible, "linked")
    ]
    return _step("extend", _nearest(more, near), near)


def _says_change(possible: _Known) -> bool:
    """Return whether the draft itself says that something is no longer as it was."""
    return possible.compared.changed or possible.compared.relation == "replaces"


def _as_stated(
    draft: Draft, known: Sequence[_Known], near: Mapping[str, tuple[float, Bands]], stated: Relation, target: str, step: Step
) -> Step:
    """Return the stated relation to `target`, or to the nearest memory that is near enough; else what the words say (VO-32, VO-33).

    Conflicting words mean a change or an error; the reader of the conversation decides that it was a change. A statement without a named
    target, or about a memory that the person pinned or always loads, replaces nothing.
    """
    uncertain = {*step.others, step.likely} - {""} if step.likely or step.relation == "contradict" else set()
    if uncertain and (stated != "update" or (target and target not in uncertain)):
        return step
    band = {"same": "same", "update": "changed", "contradict": "changed"}.get(stated, "linked")
    meant = [possible for possible in known if (possible.id == target if target else possible.compared.relation != "other")]
    fitting = _nearest([possible for possible in meant if _within(near, possible, band)], near)
    if not fitting or (uncertain and uncertain != {fitting[0].id}):
        return step
    relation = "contradict" if stated == "update" and not _gives_way(draft, fitting[0].item) else stated
    if relation == "update" and (not target or fitting[0].is_kept_in_sight):
        return Step(likely=fitting[0].id)
    return _step(relation, fitting, near)


def _unclear(known: Sequence[_Known], near: Mapping[str, tuple[float, Bands]]) -> str:
    """Return the id of the nearest memory whose relation only a model could decide; "" for none (VO-34)."""
    possibles = _nearest(
        [possible for possible in known if _is_worth_asking(possible) and _within(near, possible, "asked")], near
    )
    return possibles[0].id if possibles else ""


def _is_worth_asking(possible: _Known) -> bool:
    """Return whether both are about one thing: half of their words, or a topic, is common. Two common words are not enough."""
    return possible.compared.relation == "unclear" and (
        bool(possible.item.topics) or possible.compared.overlap >= LEXICAL.asked
    )


def _gives_way(draft: Draft, known: Item) -> bool:
    """Return whether the draft may replace the memory."""
    result, trust = draft.properties.get("valid_from"), str(draft.properties.get("trust") or "user")
    held = known.valid_from or known.created
    return may_replace(trust, result if isinstance(result, datetime) else None, known.trust, held)


def may_replace(trust: str, said: datetime | None, known_trust: str, held: datetime | None) -> bool:
    """Return whether a statement may replace a known one: it is later, and its source is trusted at least as much.

    Args:
        said, held: when the new one was said, and since when the known one is valid; None: unknown, which favours the new one.
    """
    return WORD_OF.get(trust, 0) >= WORD_OF.get(known_trust, 0) and (said is None or held is None or held < said)


def _within(near: Mapping[str, tuple[float, Bands]], possible: _Known, band: str) -> bool:
    nearness, bands = near[possible.item.key]
    return nearness >= float(getattr(bands, band))


def _nearest(known: Iterable[_Known], near: Mapping[str, tuple[float, Bands]]) -> list[_Known]:
    return sorted(known, key=lambda possible: (-near[possible.item.key][0], possible.item.key))[:1]


def _step(relation: Relation, known: Sequence[_Known], near: Mapping[str, tuple[float, Bands]]) -> Step:
    if not known or relation == "new":
        return Step()
    return Step(
        relation, tuple(possible.id for possible in known), round(max(near[possible.item.key][0] for possible in known), 4)
    )
