"""The vault: all operations on memories. Each verb decides what should change; the writer carries it out."""

import contextlib
import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import Problem
from vademecum.domain.memory import By, Memory, Space, personal_space
from vademecum.domain.project import Project
from vademecum.vault import erasing, places
from vademecum.vault.change import Changer, Placing
from vademecum.vault.consent import Consent
from vademecum.vault.erasing import Erasure
from vademecum.vault.evidence import recorded_since
from vademecum.vault.files import read_own, write_own
from vademecum.vault.find import Finder, Lookup
from vademecum.vault.following import Follower, Linking
from vademecum.vault.history import History
from vademecum.vault.journal import DOCUMENTS, Change, Journal
from vademecum.vault.known import KnownFiles
from vademecum.vault.locations import Locations
from vademecum.vault.pages import Pages
from vademecum.vault.project_notes import ProjectNotes
from vademecum.vault.raw import RawSources
from vademecum.vault.read import Reader
from vademecum.vault.reconcile import Reconciled, Reconciler
from vademecum.vault.relate import Relater
from vademecum.vault.revise import Reviser
from vademecum.vault.save import Joiner, Saver
from vademecum.vault.scan import SourceFile, scan_copies
from vademecum.vault.seen import is_only_of
from vademecum.vault.tombstones import Recogniser, Tombstones
from vademecum.vault.writer import HAND, USER, Device, Writer

#: Another device's own journal is erased from here if it still contains a forgotten text this long after the forgetting.
OWN_DEVICE_ERASES_WITHIN = timedelta(days=7)


class VaultIndex(Struct, frozen=True):
    """The vault's connection to a search index: two lookups and one notification.

    Attributes:
        lookup: asked first to resolve references; see :data:`vademecum.vault.find.Lookup`. None: every file is read.
        linking: asked which files link to a memory whose file moves. None: every file is read.
        written: called with the result of each operation (:meth:`Reader.after`), also when an agent's view of this vault carried it out.
    """

    lookup: Lookup | None = None
    linking: Linking | None = None
    written: Callable[[Sequence[tuple[Memory, str]], Sequence[str]], None] | None = None


class Vault:
    """Memories of some spaces on disk. Its verbs are methods of smaller objects, one per file, which share one reader and one writer:

    ==================  =====================================================================================
    `read.py`           get, read, open, list, scan, file, files, problems: memories by name, file, or all of them
    `save.py`           save, save_together, evolve, put_back: new memories and newer versions
    `change.py`         edit, rewrite, tag, mend, resolve, archive, restore, relocate
    `relate.py`         supersede, retire, settle, part, link, confirm, take_in, carry_out
    `history.py`        history: versions of a memory, undo
    `reconcile.py`      reconcile: what the person changed by hand
    `erasing.py`        erasure: the only way to remove bytes
    `pages.py`          pages: generated and other notes that are no memories; `raw.py`, `project_notes.py`: other files
    `writer.py`         carries out what all of them decide: journal first, then files
    ==================  =====================================================================================

    Args:
        consent: permission to write outside of the memories. index: lookups and the change notification.
        recogniser: recognises the text of forgotten memories from their tombstones; without it only ids are compared.

    Attributes:
        history: queries to the journals. pages: pages outside of memory. erasure: permanent removal. raw: unprocessed sources.
        projects: notes that identify projects.
    """

    def __init__(
        self,
        spaces: Sequence[Space],
        device: Device,
        *,
        consent: Consent | None = None,
        recogniser: Recogniser = lambda stones: lambda text: False,
        index: VaultIndex | None = None,
    ) -> None:
        index = index or VaultIndex()
        places.check_slug(device.name, "device")
        writer = Writer(tuple(spaces), device)
        pages = Pages(tuple(spaces), writer, consent or Consent())
        roots = [Path(space.root) for space in spaces]
        stones = Tombstones(roots, recogniser, lambda identity: identity in writer.latest({identity}))
        for journal in writer.journals.values():
            journal.forgotten = stones.memories
        self.spaces, self.pages = tuple(spaces), pages
        self._writer, self._tombstones, self._clock = writer, stones, device.clock
        self._finder = Finder(self.spaces, index.lookup, writer.placed, writer.latest, stones.stand_for, writer.evidence.of)
        self._give_verbs()
        writer.with_links = Follower(self.spaces, self._finder, index.linking).with_links
        if (written := index.written) is not None:
            reader = self._reader
            writer.wrote = lambda records: written(*reader.after(records))
        self.raw = RawSources(personal_space(self.spaces).root, writer)
        self.projects = ProjectNotes(self.spaces, writer, device.lock_dir / "projects.json")
        self.erasure = Erasure(self.spaces, self._finder, writer, stones)
        self._looked_through: dict[Path, tuple[int, int, int]] = {}
        self._copies_read: dict[Path, tuple[int, str]] = {}
        self._noted_file, self._settled_file = device.lock_dir / "journals.json", device.lock_dir / "devices.json"
        writer.settle()

    def _give_verbs(self) -> None:
        """Expose the methods of the vault's parts on the vault itself. All of them find memories through its finder."""
        finder, writer = self._finder, self._writer
        locations = Locations(self.spaces, finder, self._clock)
        self._locations = locations
        self.history = History(self.spaces, finder, writer, self._clock)
        reader = self._reader = Reader(locations, finder, writer, self._tombstones)
        self.get, self.file, self.as_it_lies, self.read = reader.get, reader.file, reader.as_it_lies, reader.read
        self.scan, self.open, self.open_all, self.list = reader.scan, reader.open, reader.open_all, reader.list
        self.files, self.file_of = reader.files, reader.file_of
        self.problems, self.look_through = reader.problems, reader.look_through
        self.other_versions, self.journal_damage = reader.other_versions, reader.journal_damage
        reviser = Reviser(locations, reader, writer)
        changer = self._changer = Changer(locations, finder, reader, writer, reviser, self.pages)
        self.edit, self.rewrite, self.tag, self.mend = changer.edit, changer.rewrite, changer.tag, changer.mend
        self.resolve, self.restore = changer.resolve, changer.restore
        self.archive, self.archive_together = changer.archive, changer.archive_together
        self.relocate, self.place_together = changer.relocate, changer.place_together
        joiner = Joiner(locations, finder, writer, reviser)
        saver = Saver(locations, finder, reader, writer, reviser, joiner)
        self.save, self.save_together, self.put_back, self.evolve = (
            saver.save, saver.save_together, saver.put_back, saver.evolve,
        )  # fmt: skip
        relater = Relater(locations, finder, reader, writer, reviser, joiner)
        self.supersede, self.retire, self.settle, self.part = relater.supersede, relater.retire, relater.settle, relater.part
        self.take_in, self.carry_out = relater.take_in, relater.carry_out
        self.link, self.confirm = relater.link, relater.confirm

    def give_projects(
        self, op: str, moves: Sequence[Placing], projects: Mapping[str, Project | None], reason: str, *, by: By = USER
    ) -> tuple[Memory, ...]:
        """Reassign memories of the personal space to other projects, and rewrite project notes, as one operation with one undo.

        Args:
            moves: new places; one that is taken gets a number. `updated` stays, since no content changes.
            projects: slug -> the project to record; None removes the project of this slug.
        """
        with self._writer.held(op):
            changes = self._changer.moved_together(moves)
            self._writer.commit(op, [*self.projects.changes(projects, suffix=DOCUMENTS), *changes], by, reason=reason)
        return tuple(self.read(change.after.space, change.after.path) for change in changes if change.after)

    def record_anew(self) -> int:
        """Record the current version of every memory that is missing from the journals, after a journal was damaged.

        Returns:
            The number of memories recorded.
        """
        with self._writer.held("adopt"):
            known = self._writer.latest(None)
            lost = [memory for memory in self.list() if memory.id not in known]
            changes = [[Change(memory.id, None, self._writer.version_at(memory.space, memory.path))] for memory in lost]
            self._writer.record_all("adopt", changes, HAND)
        return len(lost)

    def seen(self, hides: Callable[[Memory], bool]) -> "Vault":
        """Return a view of this vault that neither names, reads nor lists some memories. It shares locks and journals with this vault.

        Args:
            hides: returns True for a memory to hide.
        """
        other = copy.copy(self)
        other._finder = copy.copy(self._finder)
        other._finder.hides = hides
        other._give_verbs()
        return other

    def held(self, verb: str) -> contextlib.AbstractContextManager[None]:
        """Hold the write lock across several operations, so that what one reads still holds when the next one writes.

        Raises:
            Refused: memory is switched off. Locked: another process did not release the lock in time.
        """
        return self._writer.held(verb)

    def one_action(self) -> contextlib.AbstractContextManager[None]:
        """Record everything written inside the context as one action, which a single undo takes back."""
        return self._writer.one_action()

    def reconcile(self, known: KnownFiles | None = None, *, confirm_loss: bool = False) -> Reconciled:
        """Detect and journal the person's manual changes to memory files, and give new notes an id.

        Args:
            known: files as last seen by the index. None: use the journals, which is slower.
            confirm_loss: accept that most notes are gone.

        Raises:
            VaultEmptied: most of a space vanished at once. VaultMissing: a space never seen before does not exist.
        """
        if confirm_loss:
            self._writer.own.accept_loss()
        erased_again = list[Problem]()
        for journal, gone, of_others in self._journals_to_erase():
            with self._writer.held("forget"):
                lines = erasing.erase_journal(journal, gone, of_others=of_others)
            if lines and not of_others:
                erased_again.append(Problem(str(journal.own_folder), erasing.TAKEN_OUT_AGAIN))
        sizes = {path: size for path, size in self._sizes().items() if Path(path).parent.name != self._writer.device}
        noted = read_own(self._settled_file, dict[str, int], {})
        names = recorded_since(sizes, noted, everything=True) if sizes != noted else set()
        done = self._reconciler(names).run(None if self._writer.own.unread.exists() else known, confirm_loss)
        self._writer.own.unread.unlink(missing_ok=True)
        if sizes != noted:
            write_own(self._settled_file, sizes)
        self._writer.heads.note()
        came_back = [*done.came_back, *self._copies_to_erase()]
        removed = self.erasure.erase_again(came_back) if came_back else ()
        places = {problem.path for problem in removed}
        problems = (*(problem for problem in done.problems if problem.path not in places), *removed, *erased_again)
        return replace(done, problems=problems)

    def _copies_to_erase(self) -> Iterator[SourceFile]:
        """Yield conflict copies of forgotten memories that a sync tool brought. Unchanged files are not read twice."""
        gone = self._tombstones.memories()
        for source in (source_file for space in self.spaces for source_file in scan_copies(space)) if gone else ():
            path, mark = Path(self._locations.space(source.space).root) / source.path, (len(gone), source.stat)
            if self._copies_read.get(path) != mark:
                if is_only_of(path.read_text(encoding="utf-8", errors="replace"), gone):
                    yield source
                self._copies_read[path] = mark

    def _sizes(self) -> dict[str, int]:
        return {path: size for path, (size, _) in self._writer.evidence.marks().items()}

    def recorded_since_noted(self) -> tuple[set[str], Callable[[], None]]:
        """Return memories with new evidence in the journals since the last call that was marked as done.

        Returns:
            The ids of these memories, and a function that marks them as done. Call it once the index has them.
        """
        noted, sizes = read_own(self._noted_file, dict[str, int], {}), self._sizes()
        if sizes.items() <= noted.items():
            return set(), lambda: None
        return recorded_since(sizes, noted), lambda: write_own(self._noted_file, {**noted, **sizes})

    @contextlib.contextmanager
    def still(self, verb: str) -> Iterator[None]:
        """Block writes by every other process while `verb` reads files. An operation left unfinished by a dead process is settled first.

        Raises:
            Locked: another process did not release the lock in time.
        """
        with self._writer.held(verb, always=True):
            yield

    def compare(self, known: KnownFiles | None = None) -> Reconciled:
        """Detect the person's manual changes like :meth:`reconcile`, without recording them. Raises as that without `confirm_loss`."""
        return self._reconciler().look(known)

    def _journals_to_erase(self) -> Iterator[tuple[Journal, Collection[str], bool]]:
        """Yield the journals with text of a forgotten memory, the ids to erase, and whether the files belong to other devices.

        Another device's files are included only after it has had enough time to erase them itself. Unchanged files are not read twice.
        """
        gone = self._tombstones.memories()
        long_gone = self._tombstones.before(self._writer.now() - OWN_DEVICE_ERASES_WITHIN) if gone else gone
        for journal in self._writer.journals.values() if gone else ():
            for of_others, ids in ((False, gone), (True, long_gone)):
                paths = [path for path in journal.files() if journal.is_own(path) != of_others]
                marks = {path: (len(ids), (stat := path.stat()).st_size, stat.st_mtime_ns) for path in paths}
                if any(
                    self._looked_through.get(path) != mark and erasing.holds_text_of(path, ids) for path, mark in marks.items()
                ):
                    yield journal, ids, of_others
                else:
                    self._looked_through |= marks

    def _reconciler(self, result: Collection[str] = ()) -> Reconciler:
        stones = self._tombstones
        return Reconciler(self.spaces, self._finder, self._writer, stones.memories(), stones.stand_for, result)
