"""Take over the flat files of the agent-memory design: `<agent>.md` becomes memories of that agent (IN-44).

The files are only read. What was taken once, word for word, is known by its source and not taken again, whatever became of the
memory since; so running it twice, or after an agent wrote on, is safe. It is an agent's word and passes the guard as such.
"""

import hashlib
from pathlib import Path

from msgspec import Struct

from vademecum.compat.flat_files import Entry, entries
from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, NotFound, Refused
from vademecum.domain.memory import BY_PERSON, By, Draft
from vademecum.domain.places import place_named
from vademecum.domain.query import Scope
from vademecum.vault.files import read_bytes
from vademecum.vault.note import text_of
from vademecum.write.gate import Saved, keep

SCHEME = "agent-memory://"
_LEFT_OUT = ("_", ".")
_KNOWN_MAX = 100_000


class MigratedFile(Struct, frozen=True):
    """What was taken over of one flat file of an earlier design.

    Attributes:
        name: of the file. agent: whose it was.
        taken, known: entries that became memories, or would; and those taken over before.
        saved: what became of each. problems: what could not be taken over, and why.
    """

    name: str
    agent: str
    taken: int = 0
    known: int = 0
    saved: tuple[Saved, ...] = ()
    problems: tuple[str, ...] = ()


class Migrated(Struct, frozen=True):
    """What was taken over of a folder; with `dry_run` what would be."""

    files: tuple[MigratedFile, ...]
    dry_run: bool = False


def migrate(context: Context, folder: str, dry_run: bool = False, *, by: By = BY_PERSON) -> Migrated:
    """Take over every `.md` file that lies in the folder itself; names that begin with `_` or `.` are not agents'.

    Raises:
        NotFound: no such folder.
        InvalidInput: nor can there be one.
    """
    place = place_named(folder)
    if not place.is_dir():
        raise NotFound(f"There is no folder {folder}.", "Name the one that holds the agents' files, often: .memory")
    files = sorted(file for file in place.glob("*.md") if file.is_file() and not file.name.startswith(_LEFT_OUT))
    return Migrated(tuple(_taken_over(context, file, dry_run, by) for file in files), dry_run)


def _taken_over(context: Context, file: Path, dry_run: bool, by: By) -> MigratedFile:
    agent = file.stem
    try:
        found = entries(text_of(read_bytes(file)))
    except (InvalidInput, NotFound) as error:
        return MigratedFile(file.name, agent, problems=(error.message,))
    known = {item.origin for item in context.index.select(Scope(agents=(agent,), statuses=None), limit=_KNOWN_MAX)}
    by_source = {_source(agent, entry): entry for entry in found}
    fresh = {source: entry for source, entry in by_source.items() if source not in known}
    if dry_run:
        return MigratedFile(file.name, agent, taken=len(fresh), known=len(by_source) - len(fresh))
    saved, problems = [], []
    for source, entry in fresh.items():
        properties = {"agent": agent, "source": source, "trust": "agent"}
        if entry.kind == "task" and entry.done:
            properties["status"] = "resolved"
        try:
            draft = Draft(entry.kind, entry.title, entry.body + "\n", properties=properties)
            saved.append(keep(context, draft, by=By("agent", by.interface), unique=True))
        except Refused as error:
            problems.append(f"{entry.title}: {error.message}")
    taken = sum(one.action != "confirmed" for one in saved)
    known_before = len(by_source) - len(fresh) + len(saved) - taken
    return MigratedFile(file.name, agent, taken, known_before, tuple(saved), tuple(problems))


def _source(agent: str, entry: Entry) -> str:
    """Name an entry by what it says."""
    said = f"{entry.heading}\0{entry.body}".encode()
    return f"{SCHEME}{agent}#{hashlib.blake2b(said, digest_size=8).hexdigest()}"
