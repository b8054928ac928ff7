"""Update the generated pages in `_views/` after memories changed, first applying what somebody wrote into them.

An edited line is applied to its memory if its meaning is clear; all other text becomes a proposal. A page is overwritten only
if nothing in it would be lost.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain import wiki
from vademecum.domain.errors import Conflict, InvalidInput, NotFound, Problem, VademecumError
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import By, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.language.text import brief
from vademecum.plugin import named
from vademecum.vault.places import LINT_REPORTS, VIEWS_FOLDER
from vademecum.vault.view_page import NOTHING, Added, Edited, by_hand, is_made, mark_of, rendered, stamp_of
from vademecum.views.obsidian import keep_base, note_reviews
from vademecum.views.texts import (
    FIXED,
    OWN,
    SECTIONS,
    TEXT_CHARS,
    Known,
    Parts,
    entry,
    fold_again,
    label,
    moved,
    pages,
    text_of,
)
from vademecum.views.view import View
from vademecum.write.gate import cleaned, cleaned_values, keep
from vademecum.write.incoming import title_that_follows

#: Author of changes made in a page: the person, who wrote there.
BY_VIEW = By("hand", "view")
TITLE_CHARS = 80
#: Maximum number of proposals from one page that are compared with a new one.
WAITING_LOOKED_AT = 200
#: The page that has the id of the last change; it changes with each one anyway.
_STAMPED = "log.md"
_ENTRY = re.compile(
    r"^- (?:\[(?P<key>[\w-]+)\] )?(?P<date>\d{4}-\d\d-\d\d) \*\*\[\[(?P<link>[^|\]]+)\|(?P<title>[^\]]*)\]\]\*\*(?: — (?P<text>.*))?$"
)
_ORNAMENT = "#-*+> \t"


class ViewsReport(Struct, frozen=True):
    """Result of updating the pages.

    Attributes:
        written: paths of changed pages. taken: titles of memories changed by an edit in a page.
        proposed: titles of new proposals from pages. problems: pages that were not changed, and why.
    """

    written: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class _Taking:
    """Applies edits in pages to memories."""

    def __init__(self, context: Context, begins_wiki: bool) -> None:
        self.context = context
        self.known = Known(context, begins_wiki)
        self.taken: list[str] = []
        self.proposed: list[str] = []

    def take(self, path: str, one: Edited | Added) -> None:
        """Apply an edit to its memory, or propose the text.

        Raises:
            VademecumError: it cannot be saved; nothing was.
        """
        if isinstance(one, Added):
            kind = _meant().get(one.heading, one.heading)
            self._propose(path, one.text, kind if kind in KINDS else "fact", None)
            return
        memory = self._meant(one)
        if memory is None or not self._edited(one, memory):
            match = _ENTRY.match(one.text)
            text = (match["text"] or match["title"]) if match else one.text
            self._propose(path, text or one.text, memory.kind if memory else "", memory, as_written=one.text)

    def _meant(self, edited: Edited) -> Memory | None:
        with suppress(NotFound):
            return self.context.vault.get(edited.ref) if edited.ref != NOTHING else None
        return None

    def _edited(self, edited: Edited, memory: Memory) -> bool:
        """Apply an edited line to its memory. Returns False if the meaning is unclear.

        It is unclear if the memory has changed since, or the line was not its full text.
        """
        match = _ENTRY.match(edited.text)
        line = entry(self.known, memory, match["key"] or "" if match else "")
        was = _ENTRY.match(line.text)
        if not match or not was or mark_of(line.text) != edited.mark:
            return False
        if any(match[part] != was[part] for part in ("key", "date", "link")) or not match["title"].strip():
            return False
        values, body = {}, None
        if match["title"] != was["title"]:
            values = {"title": " ".join(match["title"].split())}
        if match["text"] != was["text"] or (values and was["text"] is None):
            body = match["text"] if match["text"] is not None else f"{values.get('title', '')}."
        if (values and label(memory.title) != memory.title) or (body is not None and not _is_whole(memory)):
            return False
        if (body is not None and not body.strip(" .")) or (values and "%%" in values["title"]):
            return False
        text = (
            None
            if body is None
            else memory.body.replace(memory.body.strip(), cleaned(self.context, body, BY_VIEW)[0].strip(), 1)
        )
        if text is not None and "title" not in values:
            title = title_that_follows(memory.title, memory.body, text)
            values = {"title": title} if title != memory.title else {}
        properties = cleaned_values(self.context, values, BY_VIEW)
        kept = self.context.vault.edit(memory.id, body=text, properties=properties, etag=memory.etag, by=BY_VIEW)
        self.taken.append(kept.title)
        return True

    def _propose(self, path: str, text: str, kind: str, about: Memory | None, as_written: str = "") -> None:
        plain_text = text.strip(_ORNAMENT) or text
        properties: dict[str, object] = {
            "status": "inbox",
            "confidence": "medium",
            "source": f"vault://{path}",
            "mining_route": "inbox",
            "mining_rationale": f"view.edit: written by hand in {path}",
            "mining_excerpt": as_written or text,
            **_owner(path),
        }
        if about is not None:
            properties |= {"mining_relation": "update", "mining_target": about.id, "project": about.project}
        if self._waits(f"vault://{path}", plain_text):
            return
        title = brief(plain_text.split("\n")[0], TITLE_CHARS)
        draft = Draft(
            kind or "fact", title, plain_text + "\n", properties={name: value for name, value in properties.items() if value}
        )
        saved = keep(self.context, draft, by=BY_VIEW, unique=True)
        if saved.memory is not None:
            self.proposed.append(saved.memory.title)

    def _waits(self, source: str, text: str) -> bool:
        """Return whether the text is already pending: a page that could not be regenerated still has the line."""
        scope = Scope(sources=("memory",), statuses=("inbox",), origins=(source,))
        waiting = self.known.memories(self.context.index.select(scope, limit=WAITING_LOOKED_AT))
        return any(memory.body.strip() == text.strip() for memory in waiting)


def _views() -> tuple[View, ...]:
    """Return the views of plugins."""
    return named("views", (), lambda view: view.name)


def _meant() -> dict[str, str]:
    """Return heading of any page -> kind of memories added below it."""
    return {heading: kind for view in _views() for heading, kind in view.meant.items()} | SECTIONS


def _fixed() -> frozenset[str]:
    """Return all fixed lines of the pages, such as headings."""
    return FIXED.union(*(view.fixed for view in _views()))


def _is_ours(path: str) -> bool:
    """Return whether the core or a plugin's view generates the page at a path. Outside the folder of pages it is always the core."""
    name = path.removeprefix(f"{VIEWS_FOLDER}/")
    return name == path or OWN.fullmatch(name) is not None or any(view.owns.fullmatch(name) for view in _views())


def _owner(path: str) -> dict[str, object]:
    """Return the owner properties of a line added to a page, such as its project."""
    _, folder, *rest = path.split("/")
    if folder == "projects" and rest:
        return {"project": rest[0]}
    name = path.removeprefix(f"{VIEWS_FOLDER}/")
    return dict(next((view.owner(name) for view in _views() if view.owns.fullmatch(name)), {}))


def _is_whole(memory: Memory) -> bool:
    """Return whether a memory's line shows its full text."""
    return memory.body.strip() == text_of(memory) and len(memory.body.strip()) <= TEXT_CHARS


def keep_views(context: Context, *, begins_wiki: bool = False) -> ViewsReport:
    """Apply what somebody wrote into the generated pages, and generate them again. The first call creates them.

    Args:
        begins_wiki: create the pages of a wiki from now on.

    Raises:
        Refused: memory is switched off.
    """
    context.must_be_enabled("nothing was written")
    problems: list[Problem] = []
    seen, fixed = _as_they_stand(context, problems), _fixed()
    taking, held = _Taking(context, begins_wiki), set(seen) - {path for path, text in seen.items() if text is not None}
    for path, text in seen.items():
        for element in by_hand(text or "", fixed):
            try:
                taking.take(path, element)
            except VademecumError as error:
                held.add(path)
                problems.append(
                    Problem(path, f"A line of yours there could not be kept, so the page stays as it is: {error.message}")
                )
    note_reviews(context)
    written = (*_written(Known(context, begins_wiki), seen, held, problems), *keep_base(context))
    return ViewsReport(written, tuple(taking.taken), tuple(taking.proposed), tuple(problems))


def keep_views_after(context: Context, _seconds: float | None = None) -> tuple[str, Sequence[Problem]]:
    """Update the pages as :func:`keep_views` does, if there are any and something changed or a wiki page is missing.

    Returns:
        A summary, and the pages that were not changed, with reasons.
    """
    seen, fixed = _as_they_stand(context, []), _fixed()
    if not seen:
        return "", ()
    lacks = Known(context).has_wiki and not seen.keys() >= {f"{wiki.FOLDER}/{name}" for name in wiki.PAGES}
    last = next(iter(context.vault.history.last(1)), None)
    is_new = last is not None and all(stamp_of(seen[path] or "") != last.id for path in seen if path.endswith(_STAMPED))
    if is_new or lacks or any(by_hand(text or "", fixed) for text in seen.values()):
        report = keep_views(context)
        return (f"pages: {len(report.written)}" if report.written else ""), report.problems
    return "", ()


def _as_they_stand(context: Context, problems: list[Problem]) -> dict[str, str | None]:
    """Return path -> text of every existing page; None for one that cannot be read, or was not generated."""
    root = Path(Known(context).home.root)
    seen: dict[str, str | None] = {}
    in_wiki = [file for name in wiki.PAGES if (file := root / wiki.FOLDER / name).is_file()]
    in_wiki += sorted((root / wiki.FOLDER / wiki.FOLDS).glob("*.md"))
    for file in (*sorted((root / VIEWS_FOLDER).rglob("*.md")), *in_wiki):
        path = file.relative_to(root).as_posix()
        if path.startswith(LINT_REPORTS):
            continue
        try:
            text = context.vault.pages.get(path)[1]
            if is_made(text or "") and not _is_ours(path):
                continue
            seen[path] = text if is_made(text or "") else None
            why = "It is not a generated page, so it was not changed. Move it away, and the page will be written."
        except InvalidInput as error:
            seen[path], why = None, error.message
        if seen[path] is None:
            problems.append(Problem(path, why))
    return seen


def _pages_of_views(known: Known) -> dict[str, Parts]:
    return {f"{VIEWS_FOLDER}/{name}": parts for view in _views() for name, parts in view.pages(known).items()}


def _written(known: Known, seen: dict[str, str | None], held: set[str], problems: list[Problem]) -> tuple[str, ...]:
    """Write the pages that are unchanged since they were read; others are left for the next time."""
    context = known.context
    last = next(iter(context.vault.history.last(1)), None)
    folds = f"{wiki.FOLDER}/{wiki.FOLDS}/"
    made = {
        path: fold_again(known, text or "") if path.startswith(folds) else moved(known, path) for path, text in seen.items()
    }
    made |= pages(known) | _pages_of_views(known)
    stamp = last.id if last else ""
    fresh = {
        path: rendered(parts, stamp if path.endswith(_STAMPED) else "") for path, parts in made.items() if path not in held
    }

    def change(texts: Sequence[str | None]) -> Sequence[str | None]:
        return [new if old == seen.get(path) else old for (path, new), old in zip(fresh.items(), texts, strict=True)]

    try:
        return tuple(sorted(context.vault.pages.revise(tuple(fresh), change, op="views", by=By("extraction", "views"))))
    except Conflict as error:
        problems.append(Problem(VIEWS_FOLDER, error.message))
        return ()
