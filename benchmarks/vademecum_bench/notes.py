"""`vade bench notes`: whether a person's notes are found by title, by description, and from other languages.

Notes are Markdown files with a `title` and a one-sentence `description` in their frontmatter, as in documentation. They are
indexed without frontmatter, each in a file named by its title, so that no description matches itself. The questions come from
the authors of the notes: titles, descriptions, and descriptions of translations, which are in other folders under the same
paths.
"""

import contextlib
import random
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from vademecum.api import Vademecum
from vademecum.domain.errors import InvalidInput
from vademecum.domain.query import Query
from vademecum.settings import Settings
from vademecum.vault import frontmatter
from vademecum.wiring import open_memory
from vademecum_bench.baseline import PlainWords
from vademecum_bench.metrics import interval
from vademecum_bench.mixed import home_beside

#: Minimum characters of a note that is asked about.
LEAST_CHARS = 200
#: Number of descriptions from another folder, asked as questions without an answer, and the seed of their choice.
UNRELATED, _SEED = 60, 1
#: Weight of the title in the plain-words baseline: how often it is repeated in the text.
TITLE_TIMES = 10
#: A note counts as shown if it is among this many first results.
AMONG = 5
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|#^\[\]]')
_MARKUP = re.compile(r"^import .*$|</?[A-Z]\w*[^>]*>", re.MULTILINE)


class Page(Struct, frozen=True):
    """A note of a folder.

    Attributes:
        place: path without ending.
        description: one sentence; "" for none.
    """

    place: str
    title: str
    description: str
    text: str


def bench_notes(
    folder: Path, settings: Settings, translations: Sequence[Path] = (), unrelated: Path | None = None
) -> dict[str, Any]:
    """Return for each kind of question the number asked, and the shares ranked first, shown, and ranked first by plain words.

    Raises:
        InvalidInput: the folder contains no note with title and text.
    """
    pages = {page.place: page for page in _pages(folder) if len(page.text) >= LEAST_CHARS}
    if not pages:
        raise InvalidInput(f"{folder} holds no Markdown notes with a title.", "Name a folder of notes with frontmatter.")
    asked = {
        "titles": [(page.title, page.place) for page in pages.values()],
        "descriptions": [(page.description, page.place) for page in pages.values() if page.description],
        **{f"descriptions, {one.name}": list(_translated(one, pages)) for one in translations},
    }
    others = [page.description for page in _pages(unrelated) if page.description] if unrelated else []
    plain = PlainWords(":memory:")
    plain.add([(page.place, f"{page.title} " * TITLE_TIMES + page.text) for page in pages.values()])
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vade-bench-")))
        places = _write(pages.values(), folder / "given")
        memory = stack.enter_context(open_memory(home_beside(settings, folder, folder / "given")))
        memory.maintenance.sync()
        memory.maintenance.refine()
        rows = {sort: _asked(memory, plain, places, questions) for sort, questions in asked.items() if questions}
        drawn = random.Random(_SEED).sample(others, min(UNRELATED, len(others)))
        needless = [float(bool(memory.recall.ask(Query(text)).hits)) for text in drawn]
    return {"notes": len(pages), "asked": rows, "unrelated": _share(needless), "settings": {"embedder": settings.embedder}}


def _pages(folder: Path) -> Iterator[Page]:
    """Yield the notes of a folder that have a title."""
    for path in sorted((*folder.rglob("*.md"), *folder.rglob("*.mdx"))):
        front = frontmatter.read(path.read_text(encoding="utf-8", errors="replace"))
        values = front.values()
        title = " ".join(str(values.get("title") or path.stem).split())
        description = " ".join(str(values.get("description") or "").split())
        yield Page(path.relative_to(folder).with_suffix("").as_posix(), title, description, _MARKUP.sub("", front.body).strip())


def _translated(folder: Path, pages: Mapping[str, Page]) -> Iterator[tuple[str, str]]:
    """Yield (description, place of the note) of translations whose description differs from the note's."""
    for page in _pages(folder):
        if page.description and page.place in pages and page.description != pages[page.place].description:
            yield page.description, page.place


def _write(pages: Iterable[Page], folder: Path) -> dict[str, str]:
    """Write each note without its frontmatter; return path in the vault -> place. If two notes have one path, the first stays."""
    places: dict[str, str] = {}
    for page in pages:
        path = (Path(page.place).parent / f"{_NOT_IN_NAMES.sub('', page.title).strip() or Path(page.place).name}.md").as_posix()
        if path not in places:
            places[path] = page.place
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(page.text, encoding="utf-8")
    return places


def _asked(
    memory: Vademecum, plain: PlainWords, places: Mapping[str, str], questions: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    first, shown, floor = [], [], []
    for text, wanted in questions:
        found = [places.get(hit.item.path, "") for hit in memory.recall.ask(Query(text, limit=AMONG, gated=False)).hits]
        heard = [places.get(hit.item.path, "") for hit in memory.recall.ask(Query(text, limit=AMONG)).hits]
        first.append(float(found[:1] == [wanted]))
        shown.append(float(wanted in heard))
        floor.append(float(plain.ask(text, 1) == [wanted]))
    return {"first": _share(first), "shown": _share(shown), "plain words first": _share(floor)}


def _share(values: Sequence[float]) -> dict[str, Any]:
    """Return the number asked, the share, and its 95 % interval."""
    share = round(sum(values) / len(values), 4) if values else 0.0
    return {"asked": len(values), "share": share, "95%": interval(values)}
