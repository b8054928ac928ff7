"""Import another memory: recognise its format, show what would come in, apply the guard, write everything as one operation.

Files are only read. An imported entry is recognised by its source: format, key in the other memory, and text. So a second run
adds nothing, whatever became of the first; a text that changed since is proposed as a replacement.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.action import LEVEL
from vademecum.domain.errors import InvalidInput, Problem, UnknownWord
from vademecum.domain.item import Item, Trust
from vademecum.domain.kinds import resolve_kind
from vademecum.domain.memory import BY_PERSON, PROPERTY_ORDER, By, Draft, Memory
from vademecum.domain.places import place_named
from vademecum.domain.query import Scope
from vademecum.language.text import brief
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import File, checked, places
from vademecum.plugin_api.writing import (
    CHANGED_AT_SOURCE,
    Judged,
    judged,
    record_projects,
    why_not_back,
)
from vademecum.plugins.moving.formats import FORMATS, own
from vademecum.plugins.moving.formats.given import files_of
from vademecum.plugins.moving.formats.notes import CARRIED
from vademecum.plugins.moving.formats.record import Format, Given, Record

KNOWN_MAX, TITLE_CHARS, ORIGINAL_MAX_CHARS, _HEAD_CHARS = 1_000_000, 80, 200_000, 65_536
BY_IMPORT, BY_OTHER_AGENT = By("extraction", "import"), By("agent", "import")
#: For a new memory: most memories loaded at every start, the maximum characters of each, and their kinds.
SEED_MOST, SEED_CHARS, _SEED_KINDS = 20, 600, ("identity", "preference", "style", "project", "decision")
#: Properties that an import sets itself.
_OURS = frozenset(
    {"status", "trust", "visibility", "source", "source_interface", "source_span", "facet", "always_load", "pin", "profile"}
)
#: States of memories that are no longer valid; they are neither shown nor proposed.
_OVER = frozenset({"superseded", "archived"})
#: Outcomes of records that are written.
COMES_IN = ("new", "waits", "changed")
#: A program's own folder inside a project's, with the folders below it.
_OWN_FOLDER = re.compile(r"/(?:\.[^/]+|memory[-_]bank)(?:/(?!\.)[^/]+)*$", re.IGNORECASE)
#: Markdown at the start of a line: heading, quotation, list item, checkbox.
_LEADING = re.compile(r"^\s*(?:(?:#{1,6}|>|[-*+])[ \t]+)*(?:\[[ xX]\][ \t]+)?")


class Brought(Struct, frozen=True):
    """Result for the files of one format.

    Attributes:
        files: path -> number of records that come in.
        counts: outcome -> number of records; outcomes are those of :class:`vademecum.write.together.Judged`, and "repeated"
            (twice in these files), "changed" (proposed as replacement of an earlier import), "unread" (see problems).
    """

    format: str
    meaning: str
    files: dict[str, int]
    counts: dict[str, int]


class Imported(Struct, frozen=True):
    """Result of an import, or with `dry_run` the expected one.

    Attributes:
        brought: by format.
        saved: the new memories, in order.
        mine: they count as the person's own; otherwise they wait in the inbox.
        problems: why records could not be read or accepted, with file and line.
        conversations: files with conversations.
        others: files of no known format.
        answers: after filling a new memory: example questions, and titles of memories that answer them.
    """

    brought: tuple[Brought, ...]
    saved: tuple[Memory, ...] = ()
    problems: tuple[Problem, ...] = ()
    conversations: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    mine: bool = False
    dry_run: bool = True
    answers: tuple[tuple[str, str], ...] = ()


class ImportOptions(Struct, frozen=True, kw_only=True):
    """How files are imported.

    Attributes:
        mine: it is the person's own memory, so it is saved at once, except text that instructs agents or contradicts known
            memories. If a program says so, the import is trusted like memories saved by an agent.
        seed: it fills a new memory: the most informative records are proposed, or saved, for loading at every start (MV-60).
        yes: write; otherwise only report what would come in.
    """

    mine: bool = False
    seed: bool = False
    yes: bool = False


#: Only report what would come in.
LOOK = ImportOptions()


class _Batch(Struct):
    """Records collected before writing.

    Attributes:
        known: source -> memory.
        seen: (kind, title, body) of records of this run.
        folders: of the projects concerned.
        names: index of a draft -> its names in the other memory.
        replaced: index of a draft -> name of the entry that replaced it.
    """

    known: dict[str, Item]
    seen: set[tuple[str, str, str]]
    drafts: list[Draft]
    problems: list[Problem]
    files: list[File] = []
    folders: set[str] = set()
    names: dict[int, frozenset[str]] = {}
    replaced: dict[int, str] = {}


def import_memories(
    context: Context,
    paths: Sequence[str] = (),
    files: Sequence[Mapping[str, str]] = (),
    options: ImportOptions = LOOK,
    *,
    by: By = BY_PERSON,
) -> Imported:
    """Import files, folders and ZIP archives of other memories, or files that came with the call.

    Args:
        paths: the first may be the name of a format; otherwise each file is recognised by its content.
        files: `path` ("" for pasted text) and `text` of each.

    Raises:
        NotFound: no such file.
        InvalidInput: nothing to import.
        UnknownWord: no such format.
    """
    named, paths = _named_format(paths)
    given, problems = files_of(paths, files)
    chosen, conversations, others = _by_format(context, given, named)
    batch, mine = _Batch(_known(context), set(), [], problems), options.mine
    back = _back(context, chosen.pop(own.FORMAT.name, ()), batch) if mine and by.actor == "user" else ()
    brought = back + tuple(_bring(context, form, chosen[form.name], batch, mine, by) for form in FORMATS if form.name in chosen)
    batch.drafts = _linked(context, batch)
    if options.seed and not (mine and by.actor != "user"):
        batch.drafts = _loaded_always(batch.drafts)
    saved: tuple[Memory, ...] = ()
    reason = "import: " + ", ".join(source.format for source in brought)
    if options.yes and batch.files:
        saved = context.vault.put_back(batch.files, "import", reason, by=by)
    if options.yes and batch.drafts:
        record_projects(context, sorted(batch.folders))
        saved += context.vault.save_together(batch.drafts, "import", reason, by=by if mine else BY_IMPORT)
    return Imported(brought, saved, tuple(batch.problems), conversations, others, mine, not options.yes)


def _named_format(paths: Sequence[str]) -> tuple[Format | None, Sequence[str]]:
    named = next((known for known in FORMATS if paths and known.name == paths[0]), None)
    if named is None and len(paths) > 1 and not place_named(paths[0]).exists():
        raise UnknownWord("format", paths[0], [known.name for known in FORMATS], list_all=True)
    return (named, paths[1:]) if named else (None, paths)


def _by_format(
    context: Context, files: Sequence[Given], named: Format | None
) -> tuple[dict[str, list[Given]], tuple[str, ...], tuple[str, ...]]:
    """Return format name -> its files, files with conversations, and files of unknown format (with the fault, if broken)."""
    chosen: dict[str, list[Given]] = {}
    conversations, others = [], []
    fits = {given.path: named or next((known for known in FORMATS if known.fits(given)), None) for given in files}
    folders = {(folder, form.name) for given in files if (form := fits[given.path]) for folder in _folders(given, form)}
    for given in files:
        beside = (known for known in FORMATS if _is_beside(given, known) and (_folder(given), known.name) in folders)
        form = next(
            (known for known in FORMATS if known is fits[given.path] or _is_taken(given, known, folders)),
            None,
        )
        form = form or next(beside, None)
        if form is not None:
            chosen.setdefault(form.name, []).append(given)
        elif _is_conversation(context, given):
            conversations.append(given.path)
        else:
            broken = given.path.endswith((".json", ".af")) and given.fault
            others.append(f"{given.path} (no JSON: {given.fault})" if broken else given.path)
    return chosen, tuple(conversations), tuple(others)


def _folder(given: Given) -> str:
    return given.place.rpartition("/")[0]


def _home(context: Context, given: Given) -> str:
    """Return the project folder of a file. Without a repository, it is the one that contains the program's own folder."""
    folder = _folder(given)
    sign = context.outside.projects.sign_of(folder)
    own = _OWN_FOLDER.search(folder)
    return folder if own is None or (sign and sign.repository) else folder[: own.start()]


def _is_in_project(context: Context, given: Given) -> bool:
    """Return whether a repository or a program's own folder shows that the file belongs to a project.

    Otherwise its folder may be that of an agent.
    """
    sign = context.outside.projects.sign_of(_folder(given))
    return bool((sign and sign.repository) or _OWN_FOLDER.search(_folder(given)))


def _is_beside(given: Given, form: Format) -> bool:
    return any(fnmatch(given.name, pattern) for pattern in form.beside)


def _folders(given: Given, form: Format) -> tuple[str, ...]:
    """Return the folders in which other files belong to the format of a fitting file.

    These are its own folder, and the parent if the format `takes` files.
    """
    own = _folder(given)
    return (own, own.rpartition("/")[0]) if form.takes else (own,)


def _is_taken(given: Given, form: Format, folders: set[tuple[str, str]]) -> bool:
    return given.name in form.takes and (_folder(given), form.name) in folders


def _is_conversation(context: Context, given: Given) -> bool:
    """Return whether the file is, or contains, a transcript, which `vade capture` reads."""
    head = given.text[:_HEAD_CHARS].encode()
    libraries, formats = context.outside.libraries, context.outside.formats
    return any(transcript_library.recognises(head, given.path) for transcript_library in libraries) or any(
        transcript_format.recognises(head, given.path) for transcript_format in formats
    )


def _known(context: Context) -> dict[str, Item]:
    """Return source -> memory for every memory with a source, of any status, with and without the hash of the text."""
    index = context.unfiltered or context.index
    items = index.select(Scope(sources=("memory",), statuses=None, branches=None), limit=KNOWN_MAX)
    exact = {item.origin: item for item in items if item.origin}
    return {**{_place(origin): item for origin, item in exact.items() if item.status != "archived"}, **exact}


def _place(source: str) -> str:
    return source.rpartition("#")[0]


def _bring(context: Context, form: Format, files: Sequence[Given], batch: _Batch, mine: bool, by: By) -> Brought:
    """Read the files of one format into the batch."""
    counts: Counter[str] = Counter()
    gave = {given.path: 0 for given in files}
    trust = form.trust if by.actor == "user" else "agent"
    writer = (BY_OTHER_AGENT if trust == "agent" else by) if mine else BY_IMPORT
    batch.problems += (
        Problem(f"{given.path}:{line}", f"Its property {name!r} cannot be read and was left out.")
        for given in files
        for line, name in given.unread
    )
    homes = {given.path: _home(context, given) for given in files if form.of_repository and given.root}
    names = {given.path for given in files if given.path in homes and _is_in_project(context, given)}
    for record in form.read(files):
        if isinstance(record, Problem):
            batch.problems.append(record)
            counts["unread"] += 1
            continue
        if not record.text.strip():
            if record.title.strip() or record.properties:
                batch.problems.append(Problem(_where(record), "It has no text."))
                counts["unread"] += 1
            continue
        at_home = record.path in names or not record.agent
        home = context.outside.projects.name_of(homes.get(record.path, "")) if at_home else ""
        placed = replace(record, project=record.project or home)
        outcome = _take(context, _draft(form, placed, trust if mine else None), placed, batch, writer)
        counts[outcome] += 1
        gave[record.path] = gave.get(record.path, 0) + (outcome in COMES_IN)
        if home and outcome in COMES_IN:
            batch.folders.add(homes[record.path])
    if form.cuts:
        originals = (_original(context, form, given) for given in files if gave[given.path])
        batch.drafts += [draft for draft in originals if draft and draft.properties["source"] not in batch.known]
    return Brought(form.name, form.meaning, gave, dict(counts))


def _back(context: Context, files: Sequence[Given], batch: _Batch) -> tuple[Brought, ...]:
    """Restore files of our own format unchanged into the batch, skipping known ids. The person vouches for them."""
    counts: Counter[str] = Counter()
    gave = {given.path: 0 for given in files}
    seen = set[str]()
    for path, (line, result) in ((given.path, pair) for given in files for pair in own.files_in(given)):
        outcome = "unread" if isinstance(result, Problem) else "new"
        if isinstance(result, Problem):
            batch.problems.append(result)
        elif f"memory://{result.id}" in context.index.items([f"memory://{result.id}"]):
            outcome = "known"
        elif result.id in seen:
            outcome = "repeated"
        elif why := why_not_back(context, result):
            outcome = "refused"
            batch.problems.append(Problem(f"{path}:{line}", why))
        else:
            batch.files.append(replace(result, text=context.guard.clean(result.text)))
            seen.add(result.id)
        counts[outcome] += 1
        gave[path] += outcome == "new"
    return (Brought(own.FORMAT.name, own.FORMAT.meaning, gave, dict(counts)),) if files else ()


def _names_of(record: Record, draft: Draft) -> frozenset[str]:
    names = (
        record.key,
        record.key.rpartition("/")[2],
        record.title,
        draft.title,
        *record.aliases,
        record.path.rpartition("/")[2],
    )
    return frozenset(_plain_name(name) for name in names if name)


def _plain_name(name: str) -> str:
    return places.slugify(name.removesuffix(".md"))


def _linked(context: Context, batch: _Batch) -> list[Draft]:
    """Return the drafts, with links between each replaced draft and its successor.

    If the successor is not in this import, its name is saved as a property, for the person.
    """
    drafts = list(batch.drafts)
    for old, name in batch.replaced.items():
        new = next((at for at, names in batch.names.items() if at != old and name in names), None)
        if new is None:
            drafts[old] = _with(drafts[old], imported_superseded_by=name)
            continue
        for at in (old, new):
            drafts[at] = replace(drafts[at], id=drafts[at].id or context.clock.new_id())
        earlier = drafts[new].properties.get("supersedes", [])
        drafts[old] = _with(drafts[old], superseded_by=[drafts[new].id])
        drafts[new] = _with(drafts[new], supersedes=[*earlier, drafts[old].id])  # type: ignore[misc]  # only ids set above
    return drafts


def _with(draft: Draft, **properties: object) -> Draft:
    return replace(draft, properties={**draft.properties, **properties})


def _loaded_always(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts, with up to SEED_MOST short ones marked for loading at every start: by kind, then in order."""
    short = [number for number, draft in enumerate(drafts) if draft.kind in _SEED_KINDS and len(draft.body) <= SEED_CHARS]
    first = set(sorted(short, key=lambda number: _SEED_KINDS.index(drafts[number].kind))[:SEED_MOST])
    loaded = {"always_load": True}
    return [
        replace(draft, properties={**draft.properties, **loaded}) if number in first else draft
        for number, draft in enumerate(drafts)
    ]


def _take(context: Context, draft: Draft, record: Record, batch: _Batch, writer: By) -> str:
    """Judge a record's draft and add it to the batch; return the outcome."""
    source = str(draft.properties["source"])
    words = (draft.kind, draft.title, draft.body)
    if source in batch.known or words in batch.seen:
        return "known" if source in batch.known else "repeated"
    batch.seen.add(words)
    former = batch.known.get(_place(source)) if record.key else None
    matching_judged = judged(context, draft, by=writer)
    if matching_judged.outcome == "refused":
        batch.problems.append(Problem(_where(record), matching_judged.why))
        return "refused"
    if matching_judged.outcome == "known":
        return "known"
    batch.drafts.append(_in_place_of(matching_judged, former) if former else matching_judged.draft)
    batch.names[len(batch.drafts) - 1] = _names_of(record, matching_judged.draft)
    if record.superseded_by:
        batch.replaced[len(batch.drafts) - 1] = _plain_name(record.superseded_by)
    return "changed" if former else matching_judged.outcome


def _in_place_of(matching_judged: Judged, former: Item) -> Draft:
    """Return a draft that waits for the person's decision to replace an earlier import."""
    where = matching_judged.draft.properties["source_span"]
    proposal = {
        "mining_relation": "update",
        "mining_target": former.key.removeprefix("memory://"),
        "mining_rationale": f"{CHANGED_AT_SOURCE}: {where}",
    }
    return replace(
        matching_judged.draft,
        properties={**matching_judged.draft.properties, "status": "inbox", "mining_route": "review", **proposal},
    )


def _draft(form: Format, record: Record, trust: Trust | None) -> Draft:
    """Return a draft for a record. A property that does not fit ours is converted, or saved under its own name.

    Args:
        trust: of the caller's own memory; None: it is external and waits in the inbox.
    """
    kind, facet = _kind(record)
    waits = trust is None and record.status not in _OVER
    body = record.text.strip("\n") + "\n"
    named = record.title or record.text.strip().partition("\n")[0]
    title = brief(_LEADING.sub("", named).strip(), 200 if record.title else TITLE_CHARS)
    digest = hashlib.blake2b(f"{title}\0{body}".encode(), digest_size=8).hexdigest()
    properties = {
        **_held(record.properties),
        "facet": facet,
        "source": record.source or f"{form.name}://{quote(record.key)}#{digest}",
        "source_interface": form.name,
        "source_span": _where(record),
        "said": record.at,
        "valid_from": record.since or record.at,
        "project": places.slugify(record.project) if record.project else "",
        "agent": places.slugify(record.agent) if record.agent else "",
        "aliases": tuple(alias for alias in record.aliases if alias.strip()),
        "always_load": record.always_load or None,
        "trust": trust or "external",
        "status": "inbox" if waits else record.status,
        **({"mining_route": "review", "mining_rationale": f"import.{form.name}: {_where(record)}"} if waits else {}),
    }
    known = {name: value for name, value in properties.items() if value not in ("", None, ())}
    return Draft(kind, title or "Untitled", body, tags=_tags(record.tags), properties=known)


def _kind(record: Record) -> tuple[str, str]:
    """Return the kind, and the other system's word as facet."""
    try:
        kind, facet = resolve_kind(record.kind)
    except KeyError:
        return record.fallback, " ".join(record.kind.split())
    return kind.name, facet or ""


def _held(given: Mapping[str, object]) -> dict[str, object]:
    """Return the further properties that a note of ours can have.

    Properties with our name but another meaning are renamed; nested ones are left out.
    """
    held: dict[str, object] = {}
    for name, value in given.items():
        if name == LEVEL:
            continue  # only the person may block tool calls, never imported text
        if name in CARRIED - _OURS:
            try:
                held |= checked({name: value})
            except InvalidInput:
                held |= {f"imported_{name}": value} if isinstance(value, str | int | float) else {}
        elif name not in PROPERTY_ORDER:
            with suppress(InvalidInput):
                held |= checked({name: value})
    return held


def _tags(given: Sequence[str]) -> tuple[str, ...]:
    """Return tags in valid form."""
    plain = (places.slugify(tag) for tag in given)
    return tuple(dict.fromkeys(tag for tag in plain if tag and not tag.isdigit()))


def _original(context: Context, form: Format, given: Given) -> Draft | None:
    """Return a split file as one archived text, to save beside its records; None if it is too large."""
    if len(given.text) > ORIGINAL_MAX_CHARS:
        return None
    text = context.guard.clean(given.text)
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    properties = {
        "status": "archived",
        "trust": "external",
        "source": f"{form.name}://#{digest}",
        "source_interface": form.name,
    }
    return Draft("source", f"Imported: {given.path or form.meaning}"[:200], text.rstrip("\n") + "\n", properties=properties)


def _where(record: Record) -> str:
    return f"{record.path or 'pasted text'}:{record.line}" if record.line else record.path or "pasted text"
