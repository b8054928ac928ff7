"""Errors for callers: a few classes, each with its own message and a hint at the next step.

A fault in one of the person's files is no exception but a :class:`Problem` in a report; processing continues.
"""

import contextlib
import errno
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct


class Problem(Struct, frozen=True):
    """A fault in one of the person's files. The other files were processed.

    Attributes:
        path: as shown to the person.
        message: what is wrong, and where possible what to do.
    """

    path: str
    message: str


class VademecumError(Exception):
    """Base of every error that a person should read.

    Attributes:
        exit_code: of the command line; documented in docs/commands.md. Never 2, which hosts read as "block the prompt".
        code: one stable word for programs (HTTP, MCP, --json).
        hint: the next thing to do, or "".
    """

    exit_code = 1
    code = "error"

    def __init_subclass__(cls, exit_code: int = 0, code: str = "") -> None:
        if exit_code:
            cls.exit_code, cls.code = exit_code, code

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> "tuple[Any, ...]":
        """Pickle the instance's attributes, since the constructors of subclasses take other arguments."""
        return _remade, (type(self), self.__dict__)


def _remade(kind: type[VademecumError], facts: dict[str, Any]) -> VademecumError:
    error = kind.__new__(kind, facts["message"])
    error.__dict__.update(facts)
    return error


#: Minimum similarity of two words, 0..1, for one to be taken as a misspelling of the other.
_ALIKE = 0.7


#: Most candidates of an ambiguous name that are listed.
_SHOWN_CANDIDATES = 8


class InvalidInput(VademecumError, exit_code=3, code="invalid"):
    """An argument cannot be accepted. Nothing was changed."""


class UnknownWord(InvalidInput):
    """A word is not in the list of valid words.

    Args:
        others: further valid words that are not listed.
        list_all: list all known words in their order, even if one is similar to the given word.
    """

    def __init__(
        self, what: str, word: str, known: Iterable[str], *, others: Iterable[str] = (), list_all: bool = False
    ) -> None:
        choices = list(known) if list_all else sorted(known)
        import difflib  # noqa: PLC0415 -- only a wrong word needs it

        close = difflib.get_close_matches(word, [*choices, *others], n=1, cutoff=_ALIKE)
        hints = [f"Did you mean {entry!r}?" for entry in close]
        hint = " ".join([*hints, "Known: " + ", ".join(choices)] if list_all or not close else hints)
        super().__init__(f"There is no {what} {word!r}.", hint)
        self.word = word


class NotFound(VademecumError, exit_code=4, code="not_found"):
    """It does not exist."""


class Ambiguous(VademecumError, exit_code=5, code="ambiguous"):
    """A name fits several memories."""

    def __init__(self, name: str, candidates: Iterable[str], what: str = "memories") -> None:
        """`candidates`: one line for each match: the reference to type, then a description."""
        self.candidates = tuple(candidates)
        shown = "".join(f"\n  {candidate}" for candidate in self.candidates[:_SHOWN_CANDIDATES])
        more = len(self.candidates) - _SHOWN_CANDIDATES
        shown += f"\n  and {more} more" if more > 0 else ""
        super().__init__(f"{name!r} names {len(self.candidates)} {what}.", f"Use the first word of a line:{shown}")


class AlreadyExists(VademecumError, exit_code=6, code="exists"):
    """A memory already stands where a new one should go. Nothing is ever overwritten."""


class Conflict(VademecumError, exit_code=7, code="conflict"):
    """The file changed between reading and writing. Nothing was written."""


class Locked(VademecumError, exit_code=8, code="locked"):
    """Another process holds the vault and did not let go in time."""


class Refused(VademecumError, exit_code=9, code="refused"):
    """The guard or the person's consent does not allow it. Nothing was written."""


def switched_off(outcome: str) -> Refused:
    """Return the error of an action that needs memory to be switched on.

    Args:
        outcome: what was left undone, such as "nothing was written".
    """
    return Refused(f"Memory is switched off; {outcome}.", "Switch it on with: vade resume, or enabled = true")


class NeedsPerson(Refused):
    """Only the person may make this change, and no words of theirs that request it were given. Nothing was written.

    Attributes:
        op: name of the operation in history. changes: of each file, before and after. by: who requested it. reason: the given reason.
    """

    def __init__(self, titles: Iterable[str], op: str, changes: tuple[Any, ...], by: Any, reason: str) -> None:
        named = ", ".join(repr(title) for title in dict.fromkeys(titles))
        super().__init__(
            f"Only the person changes {named}.", "Quote the words they typed today that state the change, or ask them to do it."
        )
        self.op, self.changes, self.by, self.reason = op, changes, by, reason


class Proposed(VademecumError, exit_code=24, code="proposal"):
    """What was asked for is the person's to decide. It waits in the inbox as a proposal; nothing else was changed.

    Attributes:
        proposal: id of the proposal. title: its title. path: of its file.
    """

    def __init__(self, proposal: str, title: str, path: str, why: str) -> None:
        super().__init__(
            f"{why} Nothing was changed: it waits in the inbox as a proposal ({title}).",
            f"The person decides with: vade review. The proposal: vade show {proposal}",
        )
        self.proposal, self.title, self.path = proposal, title, path


class VaultMissing(VademecumError, exit_code=10, code="no_vault"):
    """There is no vault where one should be."""

    def __init__(self, root: str) -> None:
        super().__init__(
            f"There is no vault at {root}.",
            f"If its disk is not mounted, mount it. If it was moved: vade init NEW_FOLDER. To make one: vade init {root}",
        )
        self.root = root


class VaultEmptied(VademecumError, exit_code=11, code="vault_emptied"):
    """Most notes vanished at once. That is a missing disk, not a wish, until the person confirms it."""

    def __init__(self, root: str, known: int | None = None, count: int = 0) -> None:
        super().__init__(
            f"{root} had {'' if known is None else f'{known} '}notes and now has {count or 'none'}. Nothing was changed.",
            "If the notes are really gone: vade sync --confirm-loss. If not, mount or unlock the folder and try again.",
        )
        self.known = known
        self.found = count


class IndexDamaged(VademecumError, exit_code=12, code="index_damaged"):
    """The index cannot be trusted. It can be rebuilt from the vault at any time."""


class WriteFailed(VademecumError, exit_code=13, code="write_failed"):
    """The disk did not keep what was written. The old text is still there."""


#: Error numbers for a full disk or an exhausted quota.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
MAKE_ROOM = "Free some space on that disk and try again."


def not_written(message: str, why: OSError, hint: str) -> WriteFailed:
    """Return the error of a failed write; the hint is to free space if the disk is full, else `hint`."""
    return WriteFailed(message, MAKE_ROOM if why.errno in NO_ROOM else hint)


class FileUnusable(VademecumError, exit_code=20, code="file"):
    """A file of this device cannot be read or written. What is written in the memory stays."""


class StateReplaced(VademecumError, exit_code=21, code="state_replaced"):
    """What this device notes of its own work had to be begun anew while something was noted. Nothing of it was noted."""


#: Error numbers of writes to an open file, which come without its name.
_OF_A_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)


@contextlib.contextmanager
def files_explained() -> Iterator[None]:
    """Convert file errors of the operating system to errors of ours.

    Raises:
        FileUnusable: a file cannot be read, written or created. WriteFailed: the disk is full.
    """
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise WriteFailed(f"{error.filename or 'A file'} could not be written: {error.strerror}.", MAKE_ROOM) from error
        if not error.filename and error.errno not in _OF_A_DISK:
            raise
        raise FileUnusable(
            f"{error.filename or 'A file that was to be written'} cannot be used: {error.strerror}.",
            "Check its permissions, the free space on its disk, and whether another file is in its place.",
        ) from error


class WebUnavailable(VademecumError, exit_code=19, code="web"):
    """A page or the search of the web gave nothing. What was found before stays."""


class EmbedderUnavailable(VademecumError, exit_code=14, code="no_embedder"):
    """No vectors can be made. Recall goes on by words and says so."""


class ArchiveFull(VademecumError, exit_code=16, code="archive_full"):
    """The archive may not grow any more. What it holds stays; what is new is searchable, but not archived."""

    def __init__(self, disk_bytes: int, cap_bytes: int) -> None:
        super().__init__(
            f"The archive of transcripts is full: {disk_bytes / 1e6:.1f} MB of {cap_bytes / 1e6:.1f} MB.",
            "Raise the setting archive_mb, or shorten archive_days. Nothing in it is deleted to make room.",
        )


class ArchiveDamaged(VademecumError, exit_code=17, code="archive_damaged"):
    """Something in the archive is not what was put there."""


class BackupUnusable(VademecumError, exit_code=22, code="backup"):
    """A backup cannot be opened: another passphrase, or a file that is damaged or cut. Nothing was restored."""


class LLMUnavailable(VademecumError, exit_code=18, code="no_model"):
    """A language model gave no answer this time. Everything else goes on without it."""


class LLMRefused(LLMUnavailable):
    """The model does not answer until the person does something: the key, the bill, the model's name, the program's login."""


class BadAnswer(LLMUnavailable):
    """The model's answer was invalid, and so was the repaired one."""


class BudgetSpent(LLMUnavailable):
    """The daily budget of a model is used up until tomorrow. Capture and recall continue (X-32)."""


class TeamUnavailable(VademecumError, exit_code=23, code="no_team"):
    """A team's server, or the database behind it, gave no answer. What was taken from it before stays and is still shown."""
