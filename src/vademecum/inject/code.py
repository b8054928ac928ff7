"""Check whether the code that a memory names is still in the repository, or is gone, moved or rewritten.

Only names that existed in the commit at the time the memory was last known to be true are checked. A name that cannot be checked
(another repository, a path on another machine, a name that never existed) gets no mark. A mark is shown beside the memory; it
affects neither matching nor ranking.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.item import Item
from vademecum.domain.memory import Memory
from vademecum.domain.query import Hit
from vademecum.extract.claims import Named, named_in
from vademecum.inject.context import RecallContext
from vademecum.inject.numbers import CHANGES_SHOWN, CODE_USUALLY_S, LOOKED_FOR
from vademecum.ports.repository import CodeHistory, Unanswered


def with_code_checked(recall: RecallContext, hits: Sequence[Hit], seconds: float) -> tuple[Hit, ...]:
    """Add to each hit about the project's code what changed there since, within a time limit in seconds."""
    code = recall.code(seconds) if any(map(recall.is_of_project, (hit.item for hit in hits))) else None
    return tuple(
        replace(hit, since=since(code, hit.item, f"{hit.item.title}\n{hit.passage.text}"))
        if code is not None and recall.is_of_project(hit.item)
        else hit
        for hit in hits
    )


def names_code(memory: Memory) -> bool:
    """Return whether a project memory names files, code symbols or commits."""
    return bool(memory.project and named_in(_text(memory)))


def since_of(context: Context, memory: Memory) -> str:
    """Return what changed in the code that a project memory names, in the folder last worked in; "" if nothing is known."""
    folder = _folder_of(context, memory) if names_code(memory) else ""
    code = context.outside.open_code(folder, CODE_USUALLY_S) if folder else None
    return since(code, memory, _text(memory)) if code is not None else ""


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.body}"


def _folder_of(context: Context, memory: Memory) -> str:
    """Return a folder of a memory's project: that of its last session, else that of its memories; "" if none."""
    held = [marker.cwd for marker in reversed(context.storage.markers.all()) if marker.cwd]
    places = dict.fromkeys([*held, *(space.root for space in context.vault.spaces if space.name == memory.space)])
    return next((place for place in places if context.outside.projects.slug_of(place) == memory.project), "")


def since(code: CodeHistory, item: Item | Memory, text: str) -> str:
    """Return what changed in the code that a memory names since it was last known to be true; "" if nothing changed or it is unknown."""
    moment, named = item.last_confirmed or item.updated, named_in(text)
    if moment is None or not named:
        return ""
    texts: list[str] = []
    with contextlib.suppress(Unanswered):
        now, then = code.head, code.commit_at(moment)
        for mark in _marks(code, named, then, now) if then and then != now else ():
            texts.append(mark)
    return "; ".join(dict.fromkeys(texts[:CHANGES_SHOWN]))


def _marks(code: CodeHistory, named: Named, then: str, now: str) -> Iterator[str]:
    yield from _of_files(code, named.files[:LOOKED_FOR], then, now)
    for commit in named.commits[:LOOKED_FOR]:
        if code.is_dropped(commit):
            yield f"commit {commit[:10]} is no longer on any branch"
    for name in named.symbols[:LOOKED_FOR]:
        if not code.holds(now, name) and code.holds(then, name):
            yield f"{name} is no longer in the code"


def _of_files(code: CodeHistory, files: Sequence[str], then: str, now: str) -> Iterator[str]:
    if not files:
        return
    trees = code.tree(then), code.tree(now)
    (was, here), (before, after) = (tree.digests for tree in trees), (tree.by_name for tree in trees)
    kept: dict[str, str] = {}
    for file in files:
        old = _meant(file, before)
        if not old:
            continue  # it did not exist then: it belongs to another repository, or nothing is known about it
        if _meant(file, after):
            kept |= {old[0]: file} if len(old) == 1 and here.get(old[0], was[old[0]]) != was[old[0]] else {}
            continue
        new = [place for path in old for place in _new_places(path, was, here, after)]
        places = set(code.renamed(then, now, sorted({*old, *new})).values()) if new else set()
        yield f"{file} moved to {places.pop()}" if len(places) == 1 else f"{file} is gone"
    rewritten = code.rewritten(then, now, sorted(kept)) if kept else ()
    yield from (f"{file} was rewritten" for path, file in kept.items() if path in rewritten)


def _meant(file: str, by_name: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the paths that a file name in a text can mean: the exact path, else every path that ends with it."""
    paths = by_name.get(PurePosixPath(file).name, ())
    return [path for path in paths if path == file] or [path for path in paths if path.endswith(f"/{file}")]


def _new_places(
    path: str, was: Mapping[str, str], here: Mapping[str, str], after: Mapping[str, Sequence[str]]
) -> Sequence[str]:
    """Return the new paths that an old file may have moved to: those with the same content, else those with the same name."""
    same = [place for place, digest in here.items() if digest == was[path] and place not in was]
    return (same or [place for place in after.get(PurePosixPath(path).name, ()) if place not in was])[:LOOKED_FOR]
