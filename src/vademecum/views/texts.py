"""Content of the generated pages: memories as lines, with keys and links. This module writes no files."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain import wiki
from vademecum.domain.errors import VademecumError
from vademecum.domain.item import Item
from vademecum.domain.kinds import KINDS
from vademecum.domain.learnt import EVOLUTION, Evolved
from vademecum.domain.memory import Memory, Space, personal_space
from vademecum.domain.query import Scope, is_withheld
from vademecum.language.text import brief
from vademecum.vault.locations import has_wiki
from vademecum.vault.places import VIEWS_FOLDER, from_root
from vademecum.vault.view_page import MARK_WORDS, NOTHING, Line, lines_of, rendered
from vademecum.views.lessons import evolution

#: Pages of the core, relative to the folder of generated pages.
OWN = re.compile(rf"(?:MEMORY|EVOLUTION)\.md|{'|'.join(map(re.escape, wiki.PAGES))}|projects/.+/overview\.md")
#: Sections of the page of all memories: heading -> kind.
SECTIONS = {
    "COE Registry": "incident",
    "Key Decisions": "decision",
    "Lessons Learned": "lesson",
    "Recent Context": "event",
    "Open Threads": "task",
}
#: Sections whose entries are never dropped because there are too many.
PERMANENT = ("COE Registry", "Key Decisions")
#: Maximum number of entries in a section whose kind has no limit of its own.
CAP = 30
#: Maximum number of words on the hot page as counted by `wc -w`, including the entries at its end.
HOT_WORDS = 500
#: Maximum number of memories read, newest first; characters of a line's text; characters in other lists.
LOOKED_AT, TEXT_CHARS, LINE_CHARS = 20_000, 240, 100
LISTED, CHANGES, ALIASES = 200, 300, 6
HINT = (
    "Generated from memories by `vade sync --views`. What you change here is applied to its memory, or waits in `vade review`."
)
#: The same hint in pages of earlier versions.
_EARLIER_HINT = (
    "Made of memories by `vade sync --views`. What you change here is taken over into its memory, or waits in `vade review`."
)
INDEX_BEGIN, INDEX_END = "<!-- MEMORY_INDEX_START -->", "<!-- MEMORY_INDEX_END -->"
_TIERS = ("### Permanent", "### Active")
_HOT = ("Key Recent Facts", "Active Threads", "Recent Changes", "Flagged Contradictions")
_COUNTED = {"decided": ("decision", "spec"), "learned": ("lesson", "fix"), "open": ("task", "plan")}
_OVERVIEW = ("Projects", "What it is", "Key Decisions", "Open Threads", "Lessons Learned", "Where it stopped")
#: End of a line of a fold: the id of its change.
_OF_CHANGE = re.compile(r"\^([0-9a-z]{26})$")
_KEY = re.compile(
    rf"(?:RC|{'|'.join(kind.key_prefix for kind in KINDS.values() if kind.key_prefix)}|(?:{'|'.join(wiki.KEYS)})-)\d{{2,}}|[CKOEF]\d{{3}}"
)
#: Operations that changed the state of knowledge.
_CHANGING = {"evolve": "changed", "supersede": "replaced", "settle": "settled", "archive": "put away", "approve": "approved"}

#: All fixed lines of these pages.
FIXED = frozenset(
    {
        *(
            "# Memory",
            "# Evolution",
            "# Hot",
            "# Index",
            "# Log",
            "# Overview",
            "# Fold",
            HINT,
            _EARLIER_HINT,
            INDEX_BEGIN,
            INDEX_END,
            "## Index",
            *_TIERS,
        ),
        *(
            f"## {heading}"
            for heading in (*SECTIONS, *_HOT, *_OVERVIEW, *(evolution_section.heading for evolution_section in EVOLUTION))
        ),
        *(f"## {kind}" for kind in KINDS),
    }
)
Parts = list[str | Line]
#: Content of a page that is no longer used.
EMPTY: Parts = ["# Overview", "", HINT]


class Known(Struct, frozen=True, dict=True):
    """Data for the pages, loaded when a page needs it. `begins_wiki`: create the pages of a wiki even if there is none yet."""

    context: Context
    begins_wiki: bool = False

    @cached_property
    def has_wiki(self) -> bool:
        """Whether the hot page, index, log and overview are in a wiki."""
        return self.begins_wiki or has_wiki(self.home)

    @cached_property
    def home(self) -> Space:
        """The space of the pages."""
        return personal_space(self.context.vault.spaces)

    @cached_property
    def all(self) -> tuple[Item, ...]:
        """Valid memories including agents' own, newest first, without withheld ones."""
        scope = Scope(sources=("memory",), statuses=("active", "disputed"))
        return tuple(item for item in self.context.index.select(scope, limit=LOOKED_AT) if not is_withheld(item.tags))

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Valid memories without agents' own."""
        return tuple(item for item in self.all if not item.agent and item.kind != "self")

    @cached_property
    def projects(self) -> tuple[str, ...]:
        """Slugs of the projects with memories."""
        return tuple(sorted({item.project for item in self.items if item.project}))

    def of(self, *kinds: str, project: str | None = None) -> list[Item]:
        """Return memories of these kinds, newest first."""
        return [item for item in self.items if item.kind in kinds and project in (None, item.project)]

    def first(self, items: Sequence[Item], count: int) -> list[Memory]:
        """Return the most used memories; of equally used ones the newest first."""
        used = self.context.state.usage.of([item.key for item in items])
        ranked = sorted(items, key=lambda item: -(used[item.key].used if item.key in used else 0))
        chosen = {item.key for item in ranked[:count]}
        return self.memories(item for item in items if item.key in chosen)

    def memories(self, items: Iterable[Item]) -> list[Memory]:
        """Return these memories; one whose file has just disappeared is left out."""
        all_memories = []
        for item in items:
            with suppress(VademecumError):
                all_memories.append(self.context.vault.get(item.key))
        return all_memories

    def link(self, space: str, path: str) -> str:
        """Return the target of a page's link to a memory."""
        home = next(
            (known for known in self.context.vault.spaces if known.name == space),
            self.context.vault.spaces[0],
        )
        return from_root(home.root, home.documents_root, path).removesuffix(".md")


def pages(known: Known) -> dict[str, Parts]:
    """Return path -> content of that page."""
    top = wiki.FOLDER if known.has_wiki else VIEWS_FOLDER
    made: dict[str, Callable[[Known], Parts]] = {
        f"{VIEWS_FOLDER}/MEMORY.md": _memory,
        f"{VIEWS_FOLDER}/EVOLUTION.md": _evolution,
        f"{top}/hot.md": hot,
        f"{top}/index.md": index_page,
        f"{top}/log.md": _log,
        **({f"{top}/overview.md": _summary} if known.has_wiki else {}),
    }
    by_key = {path: make(known) for path, make in made.items()}
    return by_key | {_overview_at(name): _overview(known, name) for name in known.projects}


def moved(known: Known, path: str) -> Parts:
    """Return the content of a page that is no longer generated at this path: a link to its new place, or nothing."""
    name = path.rpartition("/")[2]
    if not known.has_wiki or path != f"{VIEWS_FOLDER}/{name}" or name not in wiki.PAGES:
        return EMPTY
    place = f"{wiki.FOLDER}/{name}"
    return [f"# {name.removesuffix('.md').title()}", "", Line(f"It stands in [[{known.link(known.home.name, place)}]].")]


def _overview_at(project: str) -> str:
    return f"{VIEWS_FOLDER}/projects/{project}/overview.md"


def entry(known: Known, memory: Memory, key: str = "") -> Line:
    """Return a memory as a line: key, date, title as a link, and its text unless that repeats the title."""
    shown = key or key_of(memory.aliases)
    link = f"**[[{known.link(memory.space, memory.path)}|{label(memory.title)}]]**"
    text = text_of(memory)
    result = "" if plain(text) == plain(memory.title) else f" — {text}"
    return Line(f"- {f'[{shown}] ' if shown else ''}{_day(known, memory)} {link}{result}", memory.id)


def key_of(aliases: Iterable[str]) -> str:
    """Return the key among a memory's aliases; "" for none."""
    return next((alias for alias in aliases if _KEY.fullmatch(alias)), "")


def text_of(memory: Memory) -> str:
    """Return a memory's text on one line, cut to the length shown."""
    return brief(memory.body.replace("%%", "%").lstrip("-*+ \n"), TEXT_CHARS)


def label(title: str) -> str:
    """Return a title as the text of a link."""
    return " ".join(title.translate({ord(char): " " for char in "[]|"}).split())


def plain(text: str) -> str:
    """Return a text normalised for comparison with a title."""
    return " ".join(text.split()).rstrip(".!").casefold()


def _day(known: Known, memory: Memory) -> str:
    return f"{known.context.local_time(memory.said_at):%Y-%m-%d}"


def _memory(known: Known) -> Parts:
    """Return the page of all memories: an index by key in two tiers, then the sections."""
    shown = {heading: known.first(known.of(kind), KINDS[kind].cap or CAP) for heading, kind in SECTIONS.items()}
    parts: Parts = ["# Memory", "", HINT, "", "## Index", "", INDEX_BEGIN]
    for tier, headings in zip(_TIERS, (PERMANENT, [element for element in SECTIONS if element not in PERMANENT]), strict=True):
        entries = [memory for heading in headings for memory in shown[heading]]
        parts += [tier, *(_index_line(known, memory) for memory in entries)]
    parts += [INDEX_END]
    for heading, kind in SECTIONS.items():
        lines = [entry(known, memory) for memory in shown[heading]]
        parts += section(heading, lines + more(len(known.of(kind)) - len(lines), kind))
    return parts


def section(heading: str, lines: Sequence[Line]) -> Parts:
    """Return a section of a page."""
    parts: Parts = ["", f"## {heading}", *([""] if lines else [])]
    return parts + list(lines)


def _index_line(known: Known, memory: Memory) -> Line:
    """Return a line with key, date and title, keys of referenced memories, and search words."""
    own = key_of(memory.aliases)
    refs = ", ".join(sorted({element for element in _KEY.findall(memory.body) if element != own}))
    words = ", ".join([tag for tag in (*memory.tags, *memory.topics, *memory.aliases) if not _KEY.fullmatch(tag)][:ALIASES])
    row = (f"{_day(known, memory)} {label(memory.title)}", f"refs: {refs}" if refs else "", words)
    return Line(f"- {f'[{own}] ' if own else ''}{' | '.join(filter(None, row))}", memory.id)


def more(count: int, kind: str) -> list[Line]:
    """Return the line that says how many of a kind a list omits; empty if none."""
    return [Line(f"- and {count} more: vade list --kind {kind}")] if count > 0 else []


def _evolution(known: Known) -> Parts:
    """Return the page of lessons, by section."""
    evolved: Sequence[Evolved] = [held for held in evolution(known.context) if not is_withheld(held.memory.tags)]
    parts: Parts = ["# Evolution", "", HINT]
    for row in EVOLUTION:
        own = [held for held in evolved if held.heading == row.heading]
        parts += section(row.heading, [entry(known, held.memory, held.key) for held in own[:LISTED]])
    return parts


def hot(known: Known) -> Parts:
    """Return the page of current topics, limited to :data:`HOT_WORDS` words.

    Lines are omitted as a whole, the last ones of a section first.
    """
    last = next(iter(known.context.vault.history.last(1)), None)
    when = f"{known.context.local_time(last.time):%Y-%m-%d %H:%M}" if last else "never"
    sections: dict[str, list[Line]] = {
        "Key Recent Facts": _short(known, known.of("preference", "identity", "fact", "decision", "lesson", "fix")[:12]),
        "Active Threads": _short(known, known.of("task", "plan")[:8]),
        "Recent Changes": [change.line for change in changes(known, 60) if change.op in _CHANGING][:8],
        "Flagged Contradictions": _short(known, [item for item in known.items if item.status == "disputed"][:6]),
    }
    changed = Line(f"Last change: {when}")
    without_lines = rendered(["# Hot", HINT, changed, *(f"## {heading}" for heading in sections)], stamp="0" * 26)
    left = HOT_WORDS - len(without_lines.split())
    kept: dict[str, list[Line]] = {heading: [] for heading in sections}
    for number in range(max(map(len, sections.values()))):
        for heading, lines in sections.items():
            words = len(lines[number].text.split()) + MARK_WORDS if number < len(lines) else left + 1
            if words <= left:
                kept[heading].append(lines[number])
                left -= words
    parts: Parts = ["# Hot", "", HINT, "", changed]
    for heading, lines in kept.items():
        parts += section(heading, lines)
    return parts


def _short(known: Known, items: Iterable[Item]) -> list[Line]:
    return [entry(known, memory) for memory in known.memories(items)]


def listed(known: Known, item: Item, *, date: bool = False) -> Line:
    """Return an item as a line of a list: a link, its project, and the beginning of its summary."""
    when = f"{known.context.local_time(moment):%Y-%m-%d} " if date and (moment := item.said_at) else ""
    more = f" ({item.project})" if item.project else ""
    text = (
        f" — {brief(item.summary.replace('%%', '%'), LINE_CHARS)}"
        if item.summary and plain(item.summary) != plain(item.title)
        else ""
    )
    return Line(
        f"- {when}[[{known.link(item.space, item.path)}|{label(item.title)}]]{more}{text}", item.key.removeprefix("memory://")
    )


def index_page(known: Known) -> Parts:
    """Return the index page with one line per memory, by kind."""
    parts: Parts = ["# Index", "", HINT]
    for kind in KINDS:
        items = sorted(known.of(kind), key=lambda item: (item.project, item.title.casefold(), item.key))
        if items:
            parts += section(kind, [listed(known, item) for item in items[:LISTED]] + more(len(items) - LISTED, kind))
    return parts


class Entry(Struct, frozen=True):
    """A change in the log.

    Attributes:
        id: of its record. day: in the person's time zone. op: the operation. line: its line in the log.
    """

    id: str
    day: str
    op: str
    line: Line


def _log(known: Known) -> Parts:
    """Return the log of changes, newest first, with links to folded parts below."""
    held = folded(known)
    lines = [change.line for change in changes(known, CHANGES) if change.id not in held]
    folds = [Line(f"- Folded: [[{known.link(known.home.name, path)}]]") for path in reversed(_folds(known))]
    return ["# Log", "", HINT, "", *lines, *folds]


def changes(known: Known, count: int) -> Iterator[Entry]:
    """Yield the last changes of existing memories that may be shown, newest first."""
    records = known.context.vault.history.last(count)
    keys = [f"memory://{change.memory}" for record in records for change in record.changes]
    items = known.context.index.items(list(dict.fromkeys(keys)))
    for record in records:
        item = next((items[key] for change in record.changes if (key := f"memory://{change.memory}") in items), None)
        if item is not None and not is_withheld(item.tags):
            moment: datetime = known.context.local_time(record.time)
            text = f"- [{moment:%Y-%m-%d %H:%M}] {record.op} | {label(item.title)} (by {record.actor})"
            yield Entry(record.id, f"{moment:%Y-%m-%d}", record.op, Line(text, item.key.removeprefix("memory://")))


def _folds(known: Known) -> list[str]:
    """Return the paths of the folded pages of the log, oldest first."""
    folder = Path(known.home.root) / wiki.FOLDER / wiki.FOLDS
    names = sorted(folder.glob("*.md"), key=lambda file: [int(number) for number in re.findall(r"\d+", file.stem)[1:]])
    return [f"{wiki.FOLDER}/{wiki.FOLDS}/{file.name}" for file in names]


def folded(known: Known) -> frozenset[str]:
    """Return ids of the changes in folds. An edited line does not count, so that the log shows its change again."""
    texts = (known.context.vault.pages.get(path)[1] for path in _folds(known))
    matches = (_OF_CHANGE.search(line.text) for text in texts for line in lines_of(text or ""))
    return frozenset(match[1].upper() for match in matches if match)


def fold_again(known: Known, text: str) -> Parts:
    """Return the content of a fold: its lines unchanged, without memories that are gone or may no longer be shown."""
    lines = lines_of(text)
    items = known.context.index.items([f"memory://{line.ref}" for line in lines if line.ref != NOTHING])
    there = {item.key for item in items.values() if not is_withheld(item.tags)}
    kept = [line for line in lines if line.ref == NOTHING or f"memory://{line.ref}" in there]
    return ["# Fold", "", *kept[:1], "", *kept[1:]]


def _summary(known: Known) -> Parts:
    """Return the overview of all memories: projects, latest decisions, and open tasks."""
    parts: Parts = ["# Overview", "", HINT]
    about = [
        Line(f"- [[{known.link(known.home.name, _overview_at(name))}|{label(name)}]]{_facts_about(known, name)}")
        for name in known.projects
    ]
    lines = {
        "Projects": about,
        "Key Decisions": _short(known, known.of("decision")[:10]),
        "Open Threads": _short(known, known.of("task", "plan")[:10]),
    }
    for heading, own in lines.items():
        parts += section(heading, own) if own else []
    return parts


def _facts_about(known: Known, project: str) -> str:
    what = next((f" — {text_of(memory)}" for memory in known.first(known.of("project", project=project), 1)), "")
    counts = {word: len(known.of(*kinds, project=project)) for word, kinds in _COUNTED.items()}
    return f"{what} ({', '.join(f'{count} {word}' for word, count in counts.items())})"


def _overview(known: Known, project: str) -> Parts:
    """Return the overview of a project: description, decisions, lessons, open tasks, and the last handoff."""
    scope = Scope(sources=("handoff",), statuses=("active",), projects=(project,))
    last = [item for item in known.context.index.select(scope, limit=5) if item.project == project][:1]
    own: dict[str, list[Line]] = {
        "What it is": [entry(known, memory) for memory in known.first(known.of("project", project=project), 3)],
        "Key Decisions": [entry(known, memory) for memory in known.first(known.of("decision", project=project), 10)],
        "Open Threads": [entry(known, memory) for memory in known.first(known.of("task", "plan", project=project), 10)],
        "Lessons Learned": [entry(known, memory) for memory in known.first(known.of("lesson", "fix", project=project), 10)],
        "Where it stopped": [listed(known, item, date=True) for item in last],
    }
    parts: Parts = ["# Overview", "", HINT, "", Line(f"Project {project}")]
    for heading, lines in own.items():
        parts += section(heading, lines) if lines else []
    return parts
