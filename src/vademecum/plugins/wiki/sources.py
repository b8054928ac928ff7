"""Make pages from sources: a summary of each source, and pages that an agent writes after reading it (HW-05, HW-25).

No model is needed: the page of a source consists of its own sentences. The agent that read it passes further pages in `pages`;
their text is appended to existing pages, never replaces them, and names the source.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput, NotFound, Problem, Refused, VademecumError
from vademecum.domain.item import Item
from vademecum.domain.kinds import kind_named
from vademecum.domain.memory import BY_PERSON, By, Draft, Memory
from vademecum.domain.places import place_named
from vademecum.domain.query import Scope, is_withheld
from vademecum.domain.wiki import RAW, SECTION_OF
from vademecum.language.text import brief
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import Known, State, chunk_note, etag_of, merged_body, plain_text, read, slugify, title_of
from vademecum.plugin_api.views import Known as Pages
from vademecum.plugin_api.views import label
from vademecum.plugin_api.writing import Saved, cleaned, cleaned_values, keep, said_in

SCHEME = "raw://"
#: Characters quoted from the beginning of a source, and of each of its parts; most parts; characters read.
ABOUT_CHARS, PART_CHARS, PARTS, LOOKED_AT = 400, 200, 60, 1_000_000
#: Most pages linked from the page of a source; shortest name by which a page is recognised in a text.
NAMED_MOST, NAME_CHARS = 15, 4
_PARAGRAPHS = re.compile(r"\n\s*\n")


class SourceState(Struct, frozen=True):
    """A source and its change since it was last read.

    Attributes:
        name: path in `.raw/`.
        page: id of its page; "" for none.
    """

    name: str
    state: State
    page: str = ""


class Ingested(Struct, frozen=True):
    """Result of an ingest.

    Attributes:
        sources: in the state in which they were found.
        saved: pages created or changed.
        problems: why sources were not read.
    """

    sources: tuple[SourceState, ...] = ()
    saved: tuple[Saved, ...] = ()
    problems: tuple[Problem, ...] = ()


def ingest(
    context: Context,
    files: Sequence[str] = (),
    status: bool = False,
    pages: Sequence[Mapping[str, Any]] = (),
    *,
    project: str,
    by: By = BY_PERSON,
) -> Ingested:
    """Create or update the pages of new and changed sources; others are skipped.

    Args:
        files: sources; empty: all in `.raw/`. One from elsewhere is copied there first, only for the person.
        status: only report the state of each source.
        pages: pages that an agent made from the one source in `files`: `kind`, `title`, `body`.

    Raises:
        NotFound: there is no such file.
        InvalidInput: `pages` with several sources.
        Refused: memory is switched off, or an agent names a file outside of `.raw/`.
    """
    if not status:
        context.must_be_enabled("nothing was written")
    known = context.vault.raw.known()
    names = [_named(context, file, by, copies=not status) for file in files] or sorted({*context.vault.raw.names(), *known})
    if pages and len(names) != 1:
        raise InvalidInput("Pages belong to one source.", "Name it: vade ingest FILE --pages ...")
    states = [SourceState(name, context.vault.raw.state(name, known.get(name)), _page_id(known, name)) for name in names]
    return Ingested(tuple(states)) if status else _taken_in(context, states, known, pages, project, by)


def _page_id(known: Mapping[str, Known], name: str) -> str:
    return known[name].page if name in known else ""


def _named(context: Context, file: str, by: By, *, copies: bool) -> str:
    """Return the name in `.raw/` of a file given by path or by that name."""
    path, raw = place_named(file), context.vault.raw
    mine = by.actor == "user" and path.is_file()
    name = raw.name_of(path) if mine else file if file in raw.names() else None
    if name is not None:
        return name
    if mine:
        return raw.take(path) if copies else path.name
    if by.actor != "user":
        raise Refused(f"{file} is not in {RAW}/.", "Only the person may ingest files from elsewhere: vade ingest FILE")
    raise NotFound(f"There is no file {file}.", f"Name one, or put it into {RAW}/ and: vade ingest")


def _taken_in(
    context: Context,
    states: Sequence[SourceState],
    known: Mapping[str, Known],
    pages: Sequence[Mapping[str, Any]],
    project: str,
    by: By,
) -> Ingested:
    saved: list[Saved] = []
    problems: list[Problem] = []
    done: list[SourceState] = []
    for source in states:
        try:
            made = _one(context, source, known.get(source.name), pages, project, by)
        except VademecumError as error:
            problems.append(Problem(f"{RAW}/{source.name}", error.message))
            done.append(source)
            continue
        saved += made
        fresh = next(
            (each.memory.id for each in made if each.memory and each.memory.source == SCHEME + source.name), source.page
        )
        done.append(replace(source, page=fresh))
    return Ingested(tuple(done), tuple(saved), tuple(problems))


def _one(
    context: Context, source: SourceState, known: Known | None, pages: Sequence[Mapping[str, Any]], project: str, by: By
) -> list[Saved]:
    """Create or update the page of a source, merge the given pages, and record both in the manifest."""
    if source.state == "gone" or (source.state == "unchanged" and not pages):
        return []
    before = _page(context, source.name, known)
    note = known or Known("", "", "")
    saved: list[Saved] = []
    stands = before is None or before.status in ("active", "disputed", "inbox")
    if stands and (source.state in ("new", "changed") or (before is None and pages)):
        saved.append(_source_page(context, source.name, before, note, project, by))
        before = saved[0].memory
        note = Known("", "", f"{context.clock.now():%Y-%m-%dT%H:%M:%SZ}", before.id if before else "", touched=note.touched)
        note = replace(note, made=_etag(before)) if before else note
    if before is not None:
        merged = [_merged(context, before, page, project, by) for page in pages]
        touched = dict.fromkeys([*note.touched, *(outcome.memory.id for outcome in merged if outcome.memory)])
        saved, note = [*saved, *merged], replace(note, touched=tuple(touched))
    context.vault.raw.note(source.name, note)
    return saved


def _page(context: Context, name: str, known: Known | None) -> Memory | None:
    """Return the current page of a source: the one in the manifest, else the one with this source."""
    scope = Scope(sources=("memory",), kinds=("source",), statuses=None, origins=(SCHEME + name,))
    keys = [known.page] if known and known.page else []
    for ref in [*keys, *(item.key for item in context.index.select(scope, limit=1))]:
        try:
            memory = context.vault.get(ref)
        except NotFound:
            continue
        return memory if memory.status != "superseded" else None
    return None


def _etag(page: Memory) -> str:
    return etag_of(page.body.strip().encode())


def _source_page(context: Context, name: str, before: Memory | None, known: Known, project: str, by: By) -> Saved:
    """Write the page of a source.

    If somebody edited the page, their lines stay and the other lines follow the source. If both changed a line, the page gets
    both, with the source's marked.
    """
    try:
        text = context.vault.raw.read(name).decode()[:LOOKED_AT]
    except UnicodeDecodeError:
        text = ""
    parts = said_in(context, text, clipped=True)
    title = title_of("\n\n".join(parts), name) if name.endswith((".md", ".markdown")) else name.rpartition("/")[2]
    held_back = sum(bool(part.strip()) for part in _PARAGRAPHS.split(text)) - len(parts)
    body = _said(context, name, parts, title, held_back)
    if before is None:
        properties = {"source": SCHEME + name, "trust": "external", "project": project}
        given = {key: value for key, value in properties.items() if value}
        return keep(context, Draft("source", title, body, properties=given), by=by, unique=True)
    if known.made == _etag(before):
        kept = context.vault.edit(before.id, body=body, etag=before.etag, by=by)
        return Saved("saved", kept, note="made anew")
    origin = f"{RAW}/{name}, {context.clock.now():%Y-%m-%d}"
    made = _as_made(context, before, known.made)
    if made is None:
        return _added(context, before, body, origin, (), by)
    kept = context.vault.edit(before.id, body=merged_body(made, before.body, body, origin), etag=before.etag, by=by)
    return Saved("saved", kept, note="merged")


def _as_made(context: Context, page: Memory, etag: str) -> str | None:
    """Return the text of a source's page as last generated; None if the journal no longer has it."""
    texts = (version.text for _, version in context.vault.history.versions(page.id))
    bodies = (read(text).body for text in texts if text is not None)
    return next((body for body in bodies if etag_of(body.strip().encode()) == etag), None)


def _said(context: Context, name: str, parts: Sequence[str], title: str, held_back: int) -> str:
    """Return the text of a source's page: its beginning, the beginning of each part, and the pages that it mentions.

    Args:
        held_back: number of paragraphs removed by the guard, which the page reports.
    """
    text = "\n\n".join(parts)
    first = next((part for part in parts if not part.startswith("#")), "")
    lines = [brief(first, ABOUT_CHARS) or "It contains no text that can be read.", "", f"Source: `{RAW}/{name}`"]
    if held_back:
        lines[0] = brief(first, ABOUT_CHARS)
        paragraphs = "1 paragraph gives" if held_back == 1 else f"{held_back} paragraphs give"
        lines[1:1] = ["", f"{paragraphs} orders to an agent: left out here, to be read in the source."]
    by_heading: dict[str, str] = {}
    for chunk in chunk_note(text):
        by_heading.setdefault(chunk.heading.removeprefix(f"{title} / ") or title, chunk.text)
    if len(by_heading) > 1:
        texts = [f"- **{heading}**: {brief(entry, PART_CHARS)}" for heading, entry in list(by_heading.items())[:PARTS]]
        lines += ["", "## What is in it", "", *texts]
    if named := _pages_named(context, text, title):
        lines += ["", "## Pages named here", "", *named]
    return "\n".join(lines) + "\n"


def _pages_named(context: Context, text: str, title: str) -> list[str]:
    """Return links to wiki pages whose title or alias occurs in a text, most frequent first."""
    pages, words = Pages(context), f" {plain_text(text)} "
    pairs: list[tuple[int, Item]] = []
    for item in pages.items:
        if item.kind in SECTION_OF and item.kind != "source" and item.title != title:
            names = [plain_text(name) for name in (item.title, *item.aliases) if len(name) >= NAME_CHARS]
            if count := sum(len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", words)) for name in names if name in words):
                pairs.append((count, item))
    ranked = sorted(pairs, key=lambda pair: (-pair[0], pair[1].title, pair[1].key))[:NAMED_MOST]
    return [f"- [[{pages.link(item.space, item.path)}|{label(item.title)}]]" for _, item in ranked]


def _merged(context: Context, source: Memory, given: Mapping[str, Any], project: str, by: By) -> Saved:
    """Save a page that an agent made from a source: as a new page, or appended to the existing page of that name."""
    kind, facet = kind_named(str(given["kind"]))
    title, body = str(given["title"]), str(given["body"])
    link = f"[[{Pages(context).link(source.space, source.path)}]]"
    properties: dict[str, object] = {"sources": [link], "project": project or source.project, "facet": facet or ""}
    given_properties = {name: value for name, value in properties.items() if value}
    standing = _standing(context, kind, title, project or source.project, by)
    if standing is None:
        return keep(context, Draft(kind, title, body, properties=given_properties), by=by, unique=True)
    if standing.trust == "user" and by.actor not in ("user", "hand"):
        beside = Draft(kind, f"{title}, by {source.title}", body, properties={**given_properties, "refines": [standing.id]})
        return keep(context, beside, by=by, unique=True)
    return _added(context, standing, body, link, (link,), by)


def _standing(context: Context, kind: str, title: str, project: str, by: By) -> Memory | None:
    """Return the existing page of this kind and name in the project; a withheld one only for the person."""
    items = context.index.items(context.index.named(title)).values()
    fitting = (
        item
        for item in items
        if (item.kind, item.project) == (kind, project)
        and slugify(item.title) == slugify(title)
        and item.status in ("active", "disputed")
        and (by.actor == "user" or not is_withheld(item.tags))
    )
    log = next(fitting, None)
    return context.vault.get(log.key) if log else None


def _added(context: Context, page: Memory, body: str, origin: str, sources: Sequence[str], by: By) -> Saved:
    """Append the paragraphs that a page lacks, under a heading that names their source."""
    there = {plain_text(part) for part in _PARAGRAPHS.split(page.body)}
    fresh = [part.strip() for part in _PARAGRAPHS.split(body) if part.strip() and plain_text(part) not in there]
    listed = page.extra.get("sources")
    known = [str(entry) for entry in listed] if isinstance(listed, list | tuple) else []
    values = {"sources": [*dict.fromkeys([*known, *sources])]} if not set(sources) <= set(known) else {}
    if not fresh and not values:
        return Saved("confirmed", page)
    heading = f"## From {origin}"
    start = page.body.rstrip()
    texts = [] if heading == next((line for line in reversed(start.splitlines()) if line.startswith("## ")), "") else [heading]
    text = "\n\n".join([start, *texts, *(cleaned(context, part, by)[0] for part in fresh)]) + "\n" if fresh else None
    properties = cleaned_values(context, values, by)
    kept = context.vault.edit(page.id, body=text, properties=properties, etag=page.etag, by=by)
    return Saved("saved", kept, note="merged")
