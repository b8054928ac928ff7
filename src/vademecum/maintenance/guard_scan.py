"""Scan what is already stored with the current guard rules: rules grow, and older ones may have let something pass."""

from collections import Counter
from collections.abc import Iterable, Iterator

from vademecum.context.context import Context
from vademecum.domain.guarding import Met, Scanned
from vademecum.domain.memory import BY_PERSON, By
from vademecum.domain.query import Scope
from vademecum.guard.records import rewrite_records
from vademecum.maintenance import erase_copies as sweep
from vademecum.maintenance.rebuild import read_again
from vademecum.sync.index import follow
from vademecum.vault.erasing import AlsoErased

_ALL = 1_000_000
#: Kinds of findings that are not reported.
_NOT_REPORTED = ("hidden",)


def scan(context: Context, purge: bool = False, *, by: By = BY_PERSON) -> Scanned:
    """Find what the guard would stop in memories, journals, the index, the archive and our other files.

    Args:
        purge: replace secrets and personal data with placeholders. Instructions to agents are only reported: the person decides
            on each memory.
    """
    mets = [*_memories(context), *_journals(context), *_indexed(context), *_archived(context), *_files(context)]
    rewritten = _purged(context, by) if purge and any(met.kind in ("secret", "personal") for met in mets) else {}
    return Scanned(tuple(mets), rewritten)


def _met(context: Context, place: str, texts: Iterable[str], *, orders: bool = False) -> Iterator[Met]:
    """Yield the findings in texts of one place. Instructions count only with `orders`: where an agent might follow them."""
    counts: Counter[tuple[str, str]] = Counter()
    for text in texts:
        for finding in context.guard.judge(text, trust="extracted").findings:
            if finding.kind not in _NOT_REPORTED and (orders or finding.kind != "command"):
                counts[finding.kind, finding.rule] += 1
    yield from (Met(place, kind, rule, count) for (kind, rule), count in sorted(counts.items()))


def _memories(context: Context) -> Iterator[Met]:
    for memory in context.vault.list():
        text = "\n".join((memory.title, memory.summary, memory.body, *memory.tags, *memory.aliases, memory.source))
        yield from _met(context, f"memory {memory.space}:{memory.path}", [text], orders=memory.trust != "user")


def _journals(context: Context) -> Iterator[Met]:
    texts: dict[str, None] = {}
    for _, change in context.vault.history.changes():
        texts |= dict.fromkeys(side.text for side in (change.before, change.after) if side is not None and side.text)
        texts |= dict.fromkeys(str(value) for value in change.evidence.values())
    yield from _met(context, "journal", texts)


def _indexed(context: Context) -> Iterator[Met]:
    """Yield findings in conversations of the index, which older rules judged; everything else is judged by current rules."""
    items = context.index.select(Scope(sources=("session", "log"), statuses=None), limit=_ALL)
    yield from _met(context, "index", (stored.passage.text for item in items for stored in context.index.passages_of(item.key)))


def _archived(context: Context) -> Iterator[Met]:
    for record in context.storage.archive.records() if context.storage.archive else ():
        yield from _met(
            context,
            f"archive {record.path}",
            _strings(b"".join(context.storage.archive.read(record)) if context.storage.archive else b""),
        )


def _files(context: Context) -> Iterator[Met]:
    for path in sweep.text_files(context.storage.data_dir):
        yield from _met(context, str(path), _strings(path.read_bytes()))


def _strings(data: bytes) -> list[str]:
    """Return every string in lines of JSON or text."""
    texts: list[str] = []

    def noted(text: str) -> str:
        texts.append(text)
        return text

    rewrite_records(data, noted)
    return texts


def _purged(context: Context, by: By) -> dict[str, int]:
    """Replace findings with placeholders everywhere; return place -> number of changes."""
    clean = context.guard.clean
    erased = context.vault.erasure.erase((), clean, everywhere=True, also=AlsoErased(all_devices=True), by=by, op="purge")
    done = {"memory files": erased.rewritten, "journal lines": erased.journal_lines}
    done["files of Vademecum"] = len(sweep.rewrite_texts(context.storage.data_dir, clean)) + sweep.drop_damaged(
        context.storage.data_dir
    )
    if context.storage.archive is not None:
        done["pieces of the archive"] = context.storage.archive.rewrite(context.guard.clean_records, clean)
        context.storage.archive.compact()
    done["device state"] = context.state.erase(lambda text: clean(text) != text, ())
    sessions = context.index.select(Scope(sources=("session", "log"), statuses=None), limit=_ALL)
    dirty = [
        item
        for item in sessions
        if any(clean(stored.passage.text) != stored.passage.text for stored in context.index.passages_of(item.key))
    ]
    done["indexed conversations"] = len(dirty)
    if context.enabled:
        follow(context, quick=True)
        context.indexer.remove([item.key for item in dirty])
        read_again(context, [item.path for item in dirty])
    context.index.compact()
    return {place: count for place, count in done.items() if count}
