"""Handle sections with many entries: caps, merging of near-duplicates, and digests.

Nothing is shortened or removed: entries go to the archive unchanged, and one undo restores them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, Problem
from vademecum.domain.item import Item
from vademecum.domain.kinds import KINDS, kind_named
from vademecum.domain.memory import BY_PERSON, TRUSTS, By, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.index.items import plain_text
from vademecum.language.text import brief
from vademecum.maintenance.alike import alike
from vademecum.maintenance.linked_pages import page_of
from vademecum.write.gate import line_of

#: Kinds whose entries are never archived because of a cap. Of other kinds the least used are, if the person chose that.
ONLY_WARNED = frozenset({"incident", "decision", "task", "handoff"})
#: Minimum entries for a digest (exclusive), newest entries left out of it, and maximum characters of a preview.
DIGEST_FROM, DIGEST_KEEPS, PREVIEW_CHARS = 30, 20, 200
#: Tag of digests.
DIGEST_TAG = "digest"
LOOKED_AT = 20_000
_PARAGRAPHS = re.compile(r"\n\s*\n")
BY_CAPS = By("extraction", "caps")
_OVERFLOW = "There were more than {cap} {kind} entries, and this one was used least."


class Section(Struct, frozen=True):
    """The memories of one kind, space, project and agent, newest first."""

    kind: str
    project: str
    items: tuple[Item, ...]

    @property
    def name(self) -> str:
        """Its name for the person."""
        return f"{self.kind} ({self.project})" if self.project else self.kind


class Digested(Struct, frozen=True):
    """Result of a digest, or its plan.

    Attributes:
        sections: name -> (number of entries, number that go into the digest).
        digests: titles of the digests written.
        applied: whether anything was changed.
    """

    sections: Mapping[str, tuple[int, int]]
    digests: tuple[str, ...] = ()
    applied: bool = False


class Merged(Struct, frozen=True):
    """Result of merging, or its plan.

    Attributes:
        groups: titles of near-duplicates, newest first.
        applied: whether each group was merged into one memory.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    applied: bool = False


def _sections(context: Context, kinds: Sequence[str]) -> Iterator[Section]:
    for kind in kinds:
        grouped: dict[tuple[str, str, str], list[Item]] = {}
        scope = Scope(sources=("memory",), kinds=(kind,), statuses=("active",))
        for item in context.index.select(scope, limit=LOOKED_AT):
            if DIGEST_TAG not in item.tags:
                grouped.setdefault((item.space, item.project, item.agent), []).append(item)
        for (_, project, _), items in sorted(grouped.items()):
            yield Section(kind, project, tuple(sorted(items, key=began, reverse=True)))


def began(item: Item) -> tuple[float, str]:
    """Return a sort key: when an item's statement became valid, in seconds since 1970, then its key."""
    moment = item.valid_from or item.created
    return (moment.timestamp() if moment else 0.0), item.key


def cap_sections(context: Context, _seconds: float | None = None) -> tuple[str, Sequence[Problem]]:
    """Report sections over their cap and, if the person chose that, archive their least used entries (SW-42)."""
    texts = []
    for section in _sections(context, [kind.name for kind in KINDS.values() if kind.cap]):
        cap = KINDS[section.kind].cap or 0
        if len(section.items) > cap:
            gone = _overflow(context, section, cap)
            if gone:
                reason = _OVERFLOW.format(cap=cap, kind=section.kind)
                refs = [item.key.removeprefix("memory://") for item in gone]
                context.vault.archive_together(refs, reason, by=BY_CAPS)
            alike = 0 if section.kind in ONLY_WARNED else sum(map(len, _alike(context, section)))
            same = f", {alike} say nearly the same (vade compact --merge {section.kind})" if alike else ""
            texts.append(f"{section.name}: {len(section.items)} of {cap}" + (f", archived: {len(gone)}" if gone else same))
    return "; ".join(texts), ()


def _overflow(context: Context, section: Section, cap: int) -> list[Item]:
    """Return the entries to archive, least used first; never pinned ones, ones valid later, or ones restored by the person."""
    if section.kind in ONLY_WARNED or context.choices.section_caps != "archive":
        return []
    back = context.vault.history.touched_by(BY_CAPS)
    items = [item for item in section.items if item.key.removeprefix("memory://") not in back]  # skip restored ones
    return least_used(context, items)[: max(0, len(items) - cap)]


def least_used(context: Context, items: Sequence[Item]) -> list[Item]:
    """Return the items that may be archived, least used first, then oldest.

    Excluded are pinned ones, always loaded ones, and ones valid later.
    """
    now = context.clock.now()
    free = [item for item in items if not (item.pin or item.always_load or (item.valid_from and item.valid_from > now))]
    uses = context.state.usage.of([item.key for item in free])
    rank = {item.key: (use.used, use.shown + use.found) if (use := uses.get(item.key)) else (0, 0) for item in free}
    return sorted(free, key=lambda item: (rank[item.key], began(item)))


def merge_alike(context: Context, kind: str, apply: bool = False, *, by: By = BY_PERSON) -> Merged:
    """Merge near-duplicates in sections of a kind that are over their cap.

    The merged memory has the complete text of the newest, plus what the others add. The originals are archived; one undo
    restores a group.

    Raises:
        UnknownWord: there is no such kind.
        InvalidInput: the kind has no cap.
    """
    name = kind_named(kind)[0]
    cap = KINDS[name].cap
    if not cap:
        raise InvalidInput(f"{name} entries have no limit.", "Find duplicates with: vade lint --check near-duplicate")
    full = (section for section in _sections(context, [name]) if len(section.items) > cap)
    groups = [group for section in full for group in _alike(context, section)]
    for group in groups if apply else ():
        _merge(context, group, by)
    return Merged(tuple(tuple(memory.title for memory in group) for group in groups), applied=apply and bool(groups))


def _alike(context: Context, section: Section) -> list[list[Memory]]:
    """Return groups of near-duplicates of their newest member.

    A memory is in at most one; pinned and always loaded ones are in none.
    """
    free = [page_of(context.vault.get(item.key)) for item in section.items if not (item.pin or item.always_load)]
    groups: dict[str, list[Memory]] = {}
    for page, other, _, _ in sorted(alike(context, free), key=lambda pair: free.index(pair[0])):
        taken = {memory.uri for group in groups.values() for memory in group}
        if page.found and other.found and other.key not in taken and (page.key in groups or page.key not in taken):
            groups.setdefault(page.key, [page.found.memory]).append(other.found.memory)
    return list(groups.values())


def _merge(context: Context, group: Sequence[Memory], by: By) -> None:
    newest, *others = group
    there = {plain_text(part) for part in _PARAGRAPHS.split(newest.body)}
    besides = dict.fromkeys(
        part.strip() for memory in others for part in _PARAGRAPHS.split(memory.body) if plain_text(part) not in there
    )
    properties = {
        "project": newest.project,
        "agent": newest.agent,
        "trust": max((memory.trust for memory in group), key=TRUSTS.index),  # merging must not raise the trust of any text
        "derived_from": [memory.id for memory in group],
        "valid_from": min(memory.valid_from or memory.created for memory in group),
    }
    draft = Draft(
        newest.kind,
        newest.title,
        "\n\n".join([newest.body.strip(), *filter(None, besides)]) + "\n",
        tags=tuple(dict.fromkeys(tag for memory in group for tag in memory.tags)),
        space=newest.space,
        properties={name: value for name, value in properties.items() if value},
    )
    ids = [memory.id for memory in group]
    context.vault.save_together([draft], "join", f"{len(group)} that said nearly the same", archived=ids, by=by)


def digest(context: Context, kind: str, apply: bool = False, *, by: By = BY_PERSON) -> Digested:
    """Replace all but the newest entries of a kind with a digest, in sections with many; the originals are archived (IN-38).

    A digest lists date, title and the beginning of each entry, names them by id, and is never digested itself.

    Raises:
        UnknownWord: there is no such kind.
    """
    sections = {
        section: [item for item in section.items[DIGEST_KEEPS:] if not (item.pin or item.always_load)]
        for section in _sections(context, [kind_named(kind)[0]])
        if len(section.items) > DIGEST_FROM
    }
    counts = {section.name: (len(section.items), len(older)) for section, older in sections.items()}
    if not apply:
        return Digested(counts)
    digests = [_digest(context, section, older, by) for section, older in sections.items() if older]
    return Digested(counts, tuple(memory.title for memory in digests), applied=True)


def _digest(context: Context, section: Section, older: Sequence[Item], by: By) -> Memory:
    memories = [context.vault.get(item.key) for item in older]
    head = f"Compacted {len(memories)} older entries"
    lines = [f"- [{memory.valid_from or memory.created:%Y-%m-%d}] {_preview(context, memory, by)}" for memory in memories]
    properties = {
        "project": section.project,
        "agent": older[0].agent,
        "trust": "extracted",
        "derived_from": [memory.id for memory in memories],
    }
    draft = Draft(
        section.kind,
        f"{head}: {section.name}",
        "\n".join([f"{head}:", "", *lines, ""]),
        tags=(DIGEST_TAG,),
        space=memories[0].space,
        properties={name: value for name, value in properties.items() if value},
    )
    (made,) = context.vault.save_together([draft], "digest", head, archived=[memory.id for memory in memories], by=by)
    return made


def _preview(context: Context, memory: Memory, by: By) -> str:
    text = brief(" ".join(memory.body.split()), PREVIEW_CHARS)
    return line_of(context, memory.title if text.rstrip(".") == memory.title else f"{memory.title}: {text}", by)
