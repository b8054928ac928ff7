"""The incubator: capture ideas, add them to Ideas.md, promote them to projects, tidy up.

An idea is a memory; its folder also contains the notes found about it.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from vademecum.domain.errors import AlreadyExists, Conflict, InvalidInput, Refused, WriteFailed
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import BY_PERSON, SUMMARY_MAX_CHARS, By, Draft, Memory
from vademecum.domain.query import Scope, is_withheld
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import Page, Placing, etag_of, places, text_of
from vademecum.plugin_api.writing import RELATED_MAX, Find, keep, memories_among, pitch_in, with_related
from vademecum.plugins.ideas import page as page_of_ideas
from vademecum.plugins.ideas.results import GC_MONTHS, Idea, Stale, Surfaced

Decision = Literal["keep", "archive", "delete"]

#: Maximum number of ideas and notes read.
_MOST = 10_000
_DAYS_OF_MONTH = 30.44


def capture(context: Context, title: str, pitch: str, *, session: str, find: Find, by: By) -> Idea:
    """Capture an idea in the incubator with related memories and notes, and add it to Ideas.md if the person consents.

    Args:
        session: in which it came up, as a URI or id; "" for none.
        find: returns items related to a text, best first.

    Raises:
        InvalidInput: no title.
        Refused: memory is switched off, or by the guard.
    """
    known = _known(context, title, pitch)
    if known is not None:
        again = context.vault.confirm(known.id, by=by)
        page, note = _put(context, (again,), by=by)
        return Idea(again, "known", page=page, note=" ".join(("It is among your ideas already.", _later(note))).strip())
    related = tuple(find(f"{title}. {pitch}".strip()))[:RELATED_MAX]
    properties = {
        "status": "incubating",
        "summary": page_of_ideas.pitch_of(pitch)[:SUMMARY_MAX_CHARS],
        "surfaced_in_session": session,
        "related": memories_among(related),
    }
    draft = Draft(
        "idea",
        title,
        with_related(context, pitch, related),
        space=context.vault.spaces[0].name,
        properties={name: value for name, value in properties.items() if value},
    )
    kept = keep(context, draft, by=by, unique=True)
    if kept.memory is None or kept.memory.status != "incubating":
        return Idea(kept.memory, "inbox", warnings=kept.warnings, note="It waits for the person: vade review")
    page, note = _put(context, (kept.memory,), by=by)
    titles = tuple(item.title for item in related)
    return Idea(kept.memory, "incubating", related=titles, page=page, note=_later(note), warnings=kept.warnings)


def surface(context: Context, ref: str = "", *, by: By = BY_PERSON) -> Surfaced:
    """Add an idea to Ideas.md; without `ref`, all incubating ideas that are missing there. The person is asked once.

    Raises:
        InvalidInput: it is not incubating. NotFound, Ambiguous.
    """
    wanted = (named(context, ref),) if ref else missing(context)
    page, note = _put(context, wanted, by=by) if wanted else ("", "")
    return Surfaced(tuple(memory.title for memory in wanted), page, note)


def missing(context: Context) -> tuple[Memory, ...]:
    """Return incubating ideas that Ideas.md does not name, oldest first; empty if the page cannot be read.

    Withheld ideas are left out, because the page is an ordinary note; they are added only when named explicitly.
    """
    try:
        text, _ = _page_as_it_is(_page_file(context))
    except (InvalidInput, WriteFailed):
        return ()
    return _not_named(context, text, (memory for memory in reversed(incubating(context)) if not is_withheld(memory.tags)))


def _not_named(context: Context, text: str | None, ideas: Iterable[Memory]) -> tuple[Memory, ...]:
    return tuple(memory for memory in ideas if text is None or not page_of_ideas.links_to(text, _target(context, memory)))


def _put(context: Context, ideas: Sequence[Memory], *, by: By) -> tuple[str, str]:
    """Add a section to Ideas.md for each idea that it does not name. Return (its path, ""), or ("", why it was not written)."""
    file = _page_file(context)
    try:
        text, etag = _page_as_it_is(file)
        fresh = [_section(context, memory) for memory in _not_named(context, text, ideas)]
        if not fresh:
            return str(file), ""
        page = text
        for new in fresh:
            page = page_of_ideas.with_section(page, new)
        rationale = (
            "Add the idea to your list of ideas." if len(fresh) == 1 else f"Add {len(fresh)} ideas to your list of ideas."
        )
        context.vault.pages.write(file, page or "", etag=etag, rationale=rationale, preview="\n".join(fresh), by=by)
    except (Refused, InvalidInput, WriteFailed, Conflict, AlreadyExists) as error:
        return "", f"{page_of_ideas.PAGE} was not changed: {error.message}"
    return str(file), ""


def _later(note: str) -> str:
    return f"{note} Later: vade idea list --surface" if note else ""


def _section(context: Context, idea: Memory) -> str:
    """Return the section of an idea, without a pitch that only repeats the title."""
    pitch = idea.summary or pitch_in(idea.body)
    text = "" if pitch.rstrip(".!") == idea.title.rstrip(".!") else pitch
    return page_of_ideas.section(idea.title, text, _target(context, idea), idea.created)


def promote(context: Context, ref: str, slug: str = "", *, by: By = BY_PERSON) -> Idea:
    """Make an idea a project: its folder moves to the projects, and its section in Ideas.md is annotated.

    One undo reverts all of it.

    Args:
        slug: of the project; "": the name of the idea's folder.

    Raises:
        InvalidInput: it is not incubating, or the slug is invalid.
        AlreadyExists: there is such a project.
        NotFound, Ambiguous.
    """
    idea = named(context, ref)
    name = places.check_slug(slug or places.stem(idea.path), "project")
    kind = KINDS["project"]
    group = places.group_for(kind, project=name, own_space=_is_project_space(context, idea.space))
    path = places.place(kind, name, group=group)
    moves = [Placing(idea.id, {"status": "active", "kind": "project", "facet": "idea", "project": name}, path)]
    moves += [
        Placing(memory.id, {"project": name}, f"{group}/{memory.kind}/{places.stem(memory.path)}.md".lstrip("/"))
        for memory in beside(context, idea)
    ]
    page, note = _promoted_page(context, idea, replace(idea, path=path))
    done = context.vault.place_together("promote", moves, page, reason="an idea became a project", by=by)
    return Idea(done[0], "promoted", page=page.target if page else "", note=note)


def stale(context: Context, months: int = 0) -> tuple[Stale, ...]:
    """Return ideas not touched, used or linked to for `months` months (0: GC_MONTHS), the least recent first.

    Nothing is changed.
    """
    before = context.clock.now() - timedelta(days=(months or GC_MONTHS) * _DAYS_OF_MONTH)
    stales = [
        Stale(idea, touched, len(beside(context, idea)))
        for idea in incubating(context)
        if (touched := max(filter(None, (idea.updated, idea.last_confirmed, *_referred(context, idea))))) < before
    ]
    return tuple(sorted(stales, key=lambda found: (found.touched, found.memory.id)))


def _referred(context: Context, idea: Memory) -> list[datetime | None]:
    """Return when an idea was last used, and when each note that links to it was last changed.

    The list of ideas, and the notes found about it, do not count.
    """
    own = {key for edge in idea.edges for key in context.index.named(edge.target)[:1]}
    around = [edge.target for edge in context.index.edges([idea.uri]).get(idea.uri, ()) if edge.target not in own]
    folder = idea.path.rpartition("/")[0]
    notes = [item for item in context.index.items(around).values() if not item.path.startswith(f"{folder}/")]
    use = context.state.usage.of([idea.uri]).get(idea.uri)
    return [use.last_used if use else None, *(item.updated for item in notes if not item.path.endswith(page_of_ideas.PAGE))]


def tidy(context: Context, ref: str, decision: Decision, forget: Callable[[str], object], *, by: By) -> Idea:
    """Carry out the person's decision: keep an idea (it counts as touched), or archive or erase it with the notes about it.

    Args:
        forget: erases the memory with the given id.
    """
    idea = named(context, ref)
    if decision == "delete":
        for memory in (*beside(context, idea), idea):
            forget(memory.id)
        return Idea(idea, "deleted")
    if decision == "keep":
        return Idea(context.vault.confirm(idea.id, by=by), "kept")
    for note in beside(context, idea):
        context.vault.archive(note.id, f"with the idea {idea.id}", by=by)
    return Idea(context.vault.archive(idea.id, "put away in tidying ideas", by=by), "archived")


def incubating(context: Context, *, by: By = BY_PERSON) -> tuple[Memory, ...]:
    """Return all incubating ideas, newest first; withheld ones only for the person."""
    items = context.index.select(Scope(sources=("memory",), kinds=("idea",), statuses=("incubating",)), limit=_MOST)
    all_items = [item for item in items if by.actor == "user" or not is_withheld(item.tags)]
    memories = [context.vault.get(item.key.removeprefix("memory://")) for item in all_items]
    # `id` ascends with time, so of two ideas from the same second the later one comes first.
    return tuple(sorted(memories, key=lambda idea: (idea.updated, idea.id), reverse=True))


def named(context: Context, ref: str) -> Memory:
    """Return the incubating idea that `ref` names.

    Raises:
        InvalidInput: it is no idea, or not incubating. NotFound, Ambiguous.
    """
    idea = context.vault.get(ref)
    if idea.kind != "idea" or idea.status != "incubating":
        raise InvalidInput(f"{idea.title!r} is not an open idea ({idea.kind}, {idea.status}).", "See: vade idea list")
    return idea


def beside(context: Context, idea: Memory) -> tuple[Memory, ...]:
    """Return the other notes in an idea's folder: those found about it."""
    folder = idea.path.rpartition("/")[0]
    if not folder.startswith(f"{places.INCUBATOR}/"):
        return ()
    scope = Scope(sources=("memory",), spaces=(idea.space,), statuses=None, paths=(f"{folder}/",))
    memories = (context.vault.get(item.key) for item in context.index.select(scope, limit=_MOST))
    return tuple(sorted((memory for memory in memories if memory.id != idea.id), key=lambda memory: memory.path))


def _target(context: Context, idea: Memory) -> str:
    """Return the link target of an idea: its path from the vault's root; in another space, its title."""
    space = context.vault.spaces[0]
    if idea.space != space.name:
        return idea.title
    return places.from_root(space.root, space.documents_root, idea.path).removesuffix(".md")


def _page_file(context: Context) -> Path:
    space = context.vault.spaces[0]
    return Path(space.documents_root or space.root) / page_of_ideas.PAGE


def _page_as_it_is(file: Path) -> tuple[str | None, str | None]:
    """Return (text, etag) of the page; (None, None) if there is none.

    Raises:
        InvalidInput: it is not UTF-8.
        WriteFailed: it cannot be read.
    """
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        return None, None
    except OSError as error:
        raise WriteFailed(f"{file} cannot be read: {error.strerror}.") from error
    return text_of(raw), etag_of(raw)


def _promoted_page(context: Context, idea: Memory, project: Memory) -> tuple[Page | None, str]:
    """Return Ideas.md with the idea's section annotated as promoted; (None, reason) if it does not change."""
    file = _page_file(context)
    try:
        text, etag = _page_as_it_is(file)
        target = _target(context, idea)
        if text is None or not page_of_ideas.links_to(text, target):
            return None, f"{page_of_ideas.PAGE} does not name it."
        note = f"Promoted to a project on {context.clock.now():%Y-%m-%d}."
        fresh = page_of_ideas.annotated(text, target, _target(context, project), note)
        page = Page(str(file), fresh, etag, "Note in your list of ideas that it became a project.", note)
        context.vault.pages.ask_for(page)
    except (Refused, InvalidInput, WriteFailed) as error:
        return None, f"{page_of_ideas.PAGE} was not changed: {error.message}"
    return page, ""


def _known(context: Context, title: str, pitch: str) -> Memory | None:
    """Return the incubating idea with the same title and pitch; None if there is none."""
    wanted = " ".join(title.split()).casefold()
    same = (memory for memory in incubating(context) if memory.title.casefold() == wanted)
    return next((memory for memory in same if pitch_in(memory.body).split() == pitch.split()), None)


def _is_project_space(context: Context, name: str) -> bool:
    return any(space.name == name and space.project for space in context.vault.spaces)
