"""Write pages: notes in the vault around a space, with the person's consent, and generated pages in the personal space."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import By, Space, personal_space
from vademecum.vault import places
from vademecum.vault.consent import Consent
from vademecum.vault.files import make_folders, must_be_unchanged, read_bytes
from vademecum.vault.journal import DOCUMENTS, GENERATED, Change, version
from vademecum.vault.note import text_of
from vademecum.vault.writer import USER, Writer, ended

#: Current texts of pages -> new texts, in the same order.
Revision = Callable[[Sequence[str | None]], Sequence[str | None]]


class Page(Struct, frozen=True):
    """New content of a page outside of memory.

    Attributes:
        target: absolute path. etag: of the text that the caller has seen; None: there must not be one yet.
        rationale: one sentence for the person. preview: the new part, for the person; "": the text's beginning.
    """

    target: str
    text: str
    etag: str | None
    rationale: str
    preview: str = ""


class Pages:
    """Pages around and in some spaces."""

    def __init__(self, spaces: Sequence[Space], writer: Writer, consent: Consent) -> None:
        self._spaces, self._writer, self._consent = spaces, writer, consent

    def write(
        self, target: str | Path, text: str, *, etag: str | None, rationale: str, preview: str = "", by: By = USER
    ) -> str:
        """Write a note in the vault around a space, with the person's consent; journaled and undoable like any other.

        Args:
            target: absolute path of the note.
            etag: of the text that the caller has seen; None: the note must not exist yet.
            rationale: one sentence for the person. preview: the new part, for the person; "": the text's beginning.

        Returns:
            The etag of the new text.

        Raises:
            Refused: no consent. Conflict, AlreadyExists: the text has changed since the caller saw it.
            InvalidInput: the target is not in a vault around a space.
        """
        page = Page(str(target), text, etag, rationale, preview)
        self.ask_for(page)
        with self._writer.held("write outside"):
            change = self.change(page)
            (written,) = self._writer.commit("write outside", [change], by, reason=rationale).changes
        return written.after.etag if written.after else ""

    def ask_for(self, page: Page) -> None:
        """Ask the person for consent to write a page outside of memory.

        Raises:
            Refused: no consent. InvalidInput: it is not in a vault around a space.
        """
        self._around(Path(page.target))
        self._consent.require(page.target, page.preview or page.text, page.rationale)

    def get(self, path: str) -> tuple[Path, str | None]:
        """Return the path of a generated page of the personal space and its text; None if there is no such page.

        Raises:
            InvalidInput: it is not UTF-8.
        """
        file = Path(personal_space(self._spaces).root) / path
        return file, text_of(read_bytes(file)) if file.exists() else None

    def revise(self, paths: Sequence[str], change: Revision, *, op: str, by: By = USER) -> frozenset[str]:
        """Change generated pages of the personal space together, all or none. Returns the paths of those that changed.

        Args:
            paths: relative to the space. change: current texts (None: no page) -> new texts. Unchanged pages are not written;
                none is removed.

        Raises:
            Conflict: another program wrote to one meanwhile. InvalidInput: one is not UTF-8. Nothing was written.
        """
        space = personal_space(self._spaces)
        name = space.name + GENERATED
        with self._writer.held(op):
            before = [self.get(path)[1] for path in paths]
            after = change(before)
            wanted = [
                ended(Change("", None if old is None else version(name, path, old), version(name, path, new)))
                for path, old, new in zip(paths, before, after, strict=True)
                if new is not None
            ]
            changes = [edit for edit in wanted if edit.before != edit.after]
            if changes:
                self._writer.commit(op, changes, by)
        return frozenset(edit.after.path for edit in changes if edit.after is not None)

    def move(self, moves: Mapping[str, str], *, op: str, reason: str, by: By = USER) -> tuple[str, ...]:
        """Move generated pages of the personal space, all or none, and update links in memories. One undo reverts it.

        Args:
            moves: old path -> new path, relative to the space. A page that does not exist, or whose new path is taken, is skipped.

        Returns:
            Old paths of the moved pages.

        Raises:
            Conflict: another program wrote to one meanwhile. InvalidInput: one is not UTF-8. Nothing was moved.
        """
        space = personal_space(self._spaces)
        name = space.name + GENERATED
        with self._writer.held(op):
            texts = {
                old: text
                for old, new in moves.items()
                if (text := self.get(old)[1]) is not None and not self.get(new)[0].exists()
            }
            changes = [Change("", version(name, old, text), version(name, moves[old], text)) for old, text in texts.items()]
            if changes:
                self._writer.commit(op, changes, by, reason=reason)
        return tuple(texts)

    def make_folders(self, paths: Sequence[str]) -> None:
        """Create missing folders of the personal space; paths relative to it.

        Raises:
            WriteFailed: one cannot be created.
        """
        root = Path(personal_space(self._spaces).root)
        with self._writer.held("wiki"):
            for path in paths:
                make_folders(root, root / path)

    def change(self, page: Page) -> Change:
        """Return the change that writes a page.

        Raises:
            Conflict, AlreadyExists: the text has changed since the caller saw it.
        """
        space, path = self._around(Path(page.target))
        after = version(space.name + DOCUMENTS, path, page.text)
        if page.etag is None:
            return Change("", None, after)
        file = Path(page.target)
        must_be_unchanged(file, page.etag)
        return Change("", version(after.space, path, text_of(read_bytes(file))), after)

    def _around(self, target: Path) -> tuple[Space, str]:
        """Return the space whose surrounding vault contains a note, and the note's path there."""
        for space in self._spaces:
            own = target.relative_to(space.root).as_posix() if target.is_relative_to(space.root) else ""
            if own and not space.documents_root and places.is_view(own):
                return space, own
            if space.documents_root and target.is_relative_to(space.documents_root):
                if target.is_relative_to(space.root):
                    raise InvalidInput(f"{target} is a memory's place.", "Memories are written by their own verbs.")
                return space, places.check_path(target.relative_to(space.documents_root).as_posix())
        raise InvalidInput(
            f"{target} is not in a vault around a memory folder.", "Only notes beside the memory folder can be written."
        )
