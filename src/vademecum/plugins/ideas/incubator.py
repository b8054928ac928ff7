"""Ideas: captured into the incubator, put into the person's Ideas.md, promoted to projects, tidied.

An idea is a memory like any other; its folder also holds what was found about it.
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

#: Ideas and notes looked at; more than anybody has.
_MOST = 10_000
_DAYS_OF_MONTH = 30.44


def capture(context: Context, title: str, pitch: str, *, session: str, find: Find, by: By) -> Idea:
    """Put an idea into the incubator with what memory and vault know about it, and into Ideas.md if the person consents.

    Args:
        session: in which it came up, as a URI or id; "" for none. find: what is known about a text, best first.

    Raises:
        InvalidInput: no title. Refused: memory is switched off, or the guard does not let it in.
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
    """Put an idea into Ideas.md, or without `ref` all that incubate and are not there; the person is asked once.

    Raises:
        InvalidInput: it does not incubate. NotFound, Ambiguous.
    """
    wanted = (named(context, ref),) if ref else missing(context)
    page, note = _put(context, wanted, by=by) if wanted else ("", "")
    return Surfaced(tuple(memory.title for memory in wanted), page, note)


def missing(context: Context) -> tuple[Memory, ...]:
    """Return the ideas that incubate and that Ideas.md does not name, the oldest first; none when the page cannot be read.

    What is withheld goes there only when it is named, for the page is a note like any other.
    """
    try:
        text, _ = _page_as_it_is(_page_file(context))
    except (InvalidInput, WriteFailed):
        return ()
    return _not_named(context, text, (memory for memory in reversed(incubating(context)) if not is_withheld(memory.tags)))


def _not_named(context: Context, text: str | None, ideas: Iterable[Memory]) -> tuple[Memory, ...]:
    return tuple(memory for memory in ideas if text is None or not page_of_ideas.links_to(text, _target(context, memory)))


def _put(context: Context, ideas: Sequence[Memory], *, by: By) -> tuple[str, str]:
    """Add a section for each idea to Ideas.md that it does not name; (its path, "" when it was not written; why not, or "")."""
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
    """Return the section of an idea; what only repeats its title is no pitch."""
    pitch = idea.summary or pitch_in(idea.body)
    text = "" if pitch.rstrip(".!") == idea.title.rstrip(".!") else pitch
    return page_of_ideas.section(idea.title, text, _target(context, idea), idea.created)


def promote(context: Context, ref: str, slug: str = "", *, by: By = BY_PERSON) -> Idea:
    """Make an idea a project: its folder moves to the projects, its section in Ideas.md says so. One undo takes all of it back.

    Args:
        slug: of the project; "": as the idea's folder is called.

    Raises:
        InvalidInput: it does not incubate, or the slug cannot be one. AlreadyExists: there is such a project.
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
    """Return ideas that nobody touched, used or wrote a link to for so many months (0: GC_MONTHS), the longest first. Nothing is done
    with them.
    """
    before = context.clock.now() - timedelta(days=(months or GC_MONTHS) * _DAYS_OF_MONTH)
    stales = [
        Stale(idea, touched, len(beside(context, idea)))
        for idea in incubating(context)
        if (touched := max(filter(None, (idea.updated, idea.last_confirmed, *_referred(context, idea))))) < before
    ]
    return tuple(sorted(stales, key=lambda other_stale: (other_stale.touched, other_stale.memory.id)))


def _referred(context: Context, idea: Memory) -> list[datetime | None]:
    """Return when an idea was used last, and when each note that links to it was changed last; the list of ideas, and what was found
    about it, do not count.
    """
    own = {key for edge in idea.edges for key in context.index.named(edge.target)[:1]}
    around = [edge.target for edge in context.index.edges([idea.uri]).get(idea.uri, ()) if edge.target not in own]
    folder = idea.path.rpartition("/")[0]
    notes = [item for item in context.index.items(around).values() if not item.path.startswith(f"{folder}/")]
    use = context.state.usage.of([idea.uri]).get(idea.uri)
    return [use.last_used if use else None, *(item.updated for item in notes if not item.path.endswith(page_of_ideas.PAGE))]


def tidy(context: Context, ref: str, decision: Decision, forget: Callable[[str], object], *, by: By) -> Idea:
    """Carry out the person's word on an idea: it stays and counts as touched, or goes with what was found about it: away, or for good.

    Args:
        forget: has the memory with that id forgotten.
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
    """Return every idea that incubates, the newest first; only the person is told what is withheld."""
    items = context.index.select(Scope(sources=("memory",), kinds=("idea",), statuses=("incubating",)), limit=_MOST)
    all_items = [item for item in items if by.actor == "user" or not is_withheld(item.tags)]
    memories = [context.vault.get(item.key.removeprefix("memory://")) for item in all_items]
    return tuple(
        sorted(memories, key=lambda idea: (idea.updated, idea.id), reverse=True)
    )  # two of one second: the later one first


def named(context: Context, ref: str) -> Memory:
    """Return the incubating idea that `ref` names.

    Raises:
        InvalidInput: it is no idea, or does not incubate. NotFound, Ambiguous.
    """
    idea = context.vault.get(ref)
    if idea.kind != "idea" or idea.status != "incubating":
        raise InvalidInput(f"{idea.title!r} is not an open idea ({idea.kind}, {idea.status}).", "See: vade idea list")
    return idea


def beside(context: Context, idea: Memory) -> tuple[Memory, ...]:
    """Return the other notes in an idea's folder: what was found about it."""
    folder = idea.path.rpartition("/")[0]
    if not folder.startswith(f"{places.INCUBATOR}/"):
        return ()
    scope = Scope(sources=("memory",), spaces=(idea.space,), statuses=None, paths=(f"{folder}/",))
    memories = (context.vault.get(item.key) for item in context.index.select(scope, limit=_MOST))
    return tuple(sorted((memory for memory in memories if memory.id != idea.id), key=lambda memory: memory.path))


def _target(context: Context, idea: Memory) -> str:
    """Return how the page links to an idea: by its path from the vault's root; one in another space by its title."""
    space = context.vault.spaces[0]
    if idea.space != space.name:
        return idea.title
    return places.from_root(space.root, space.documents_root, idea.path).removesuffix(".md")


def _page_file(context: Context) -> Path:
    space = context.vault.spaces[0]
    return Path(space.documents_root or space.root) / page_of_ideas.PAGE


def _page_as_it_is(file: Path) -> tuple[str | None, str | None]:
    """Return (text, etag) of the page; (None, None) when there is none.

    Raises:
        InvalidInput: it is not UTF-8. WriteFailed: it cannot be read.
    """
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        return None, None
    except OSError as error:
        raise WriteFailed(f"{file} cannot be read: {error.strerror}.") from error
    return text_of(raw), etag_of(raw)


def _promoted_page(context: Context, idea: Memory, project: Memory) -> tuple[Page | None, str]:
    """Return Ideas.md with the idea's section saying what it became; None and why when it stays as it is."""
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
    """Return the idea that incubates under the same title and says the same."""
    wanted = " ".join(title.split()).casefold()
    same = (memory for memory in incubating(context) if memory.title.casefold() == wanted)
    return next((memory for memory in same if pitch_in(memory.body).split() == pitch.split()), None)


def _is_project_space(context: Context, name: str) -> bool:
    return any(space.name == name and space.project for space in context.vault.spaces)
