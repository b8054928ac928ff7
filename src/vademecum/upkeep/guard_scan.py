"""The guard over what is already stored: rules grow, and what was kept under older ones may hold what they know now."""

from collections import Counter
from collections.abc import Iterable, Iterator

from vademecum.guard.gate import cleanse, inspect
from vademecum.guard.records import cleanse_records, rewrite_records
from vademecum.model.guarding import Met, Scanned
from vademecum.model.memory import By
from vademecum.model.query import Scope
from vademecum.upkeep import sweep
from vademecum.upkeep.follow import follow
from vademecum.upkeep.heal import read_again
from vademecum.upkeep.parts import Parts

_ALL = 1_000_000
#: Who an order would have come from: what a memory's file says of it decides, and nobody stands behind the rest.
_UNTOLD = ("hidden",)


def scan(parts: Parts, *, purge: bool, by: By) -> Scanned:
    """What the guard meets in memories, journals, the index, the archive and every file of ours.

    Args:
        purge: take secrets and personal data out. Orders to agents are told only: the person decides on each memory.
    """
    found = [*_memories(parts), *_journals(parts), *_indexed(parts), *_archived(parts), *_files(parts)]
    rewritten = _purged(parts, by) if purge and any(one.kind in ("secret", "personal") for one in found) else {}
    return Scanned(tuple(found), rewritten)


def _met(parts: Parts, place: str, texts: Iterable[str], *, orders: bool = False) -> Iterator[Met]:
    """What is met in texts that stand in one place; commands only where they would be obeyed."""
    counts: Counter[tuple[str, str]] = Counter()
    for text in texts:
        for one in inspect(text, trust="extracted", policy=parts.policy).findings:
            if one.kind not in _UNTOLD and (orders or one.kind != "command"):
                counts[one.kind, one.rule] += 1
    yield from (Met(place, kind, rule, count) for (kind, rule), count in sorted(counts.items()))


def _memories(parts: Parts) -> Iterator[Met]:
    for memory in parts.vault.list():
        said = "\n".join((memory.title, memory.summary, memory.body, *memory.tags, *memory.aliases, memory.source))
        yield from _met(parts, f"memory {memory.space}:{memory.path}", [said], orders=memory.trust != "user")


def _journals(parts: Parts) -> Iterator[Met]:
    sides = (side for _, change in parts.vault.changes() for side in (change.before, change.after))
    yield from _met(parts, "journal", dict.fromkeys(side.text for side in sides if side is not None and side.text))


def _indexed(parts: Parts) -> Iterator[Met]:
    """The index holds nothing that was not judged; what it holds of conversations was judged by older rules."""
    items = parts.index.select(Scope(sources=("session", "log"), statuses=None), limit=_ALL)
    yield from _met(parts, "index", (one.passage.text for item in items for one in parts.index.passages_of(item.key)))


def _archived(parts: Parts) -> Iterator[Met]:
    for record in parts.archive.records() if parts.archive else ():
        yield from _met(
            parts, f"archive {record.path}", _strings(b"".join(parts.archive.read(record.path)) if parts.archive else b"")
        )


def _files(parts: Parts) -> Iterator[Met]:
    for path in sweep.text_files(parts.data_dir):
        yield from _met(parts, str(path), _strings(path.read_bytes()))


def _strings(data: bytes) -> list[str]:
    """Every string in lines of JSON or text."""
    found: list[str] = []

    def noted(text: str) -> str:
        found.append(text)
        return text

    rewrite_records(data, noted)
    return found


def _purged(parts: Parts, by: By) -> dict[str, int]:
    """Rewrite every place with placeholders; place -> how many things changed."""

    def clean(text: str) -> str:
        return cleanse(text, parts.policy)

    erased = parts.vault.erase((), clean, everywhere=True, by=by, op="purge")
    done = {"memory files": erased.rewritten, "journal lines": erased.journal_lines}
    done["files of ours"] = len(sweep.rewrite_texts(parts.data_dir, clean)) + sweep.drop_damaged(parts.data_dir)
    if parts.archive is not None:
        done["pieces of the archive"] = parts.archive.rewrite(lambda data: cleanse_records(data, parts.policy), clean)
        parts.archive.compact()
    done["device state"] = parts.state.erase(lambda text: clean(text) != text, ())
    sessions = parts.index.select(Scope(sources=("session", "log"), statuses=None), limit=_ALL)
    dirty = [
        item
        for item in sessions
        if any(clean(one.passage.text) != one.passage.text for one in parts.index.passages_of(item.key))
    ]
    done["indexed conversations"] = len(dirty)
    if parts.enabled:
        follow(parts, quick=True)
        parts.index.apply([], [item.key for item in dirty])
        read_again(parts, [item.path for item in dirty])
    parts.index.compact()
    return {place: count for place, count in done.items() if count}
