"""Briefings of sessions that are about to start, and rules for tool calls, as files that the hook client reads without the
helper.

In the folder, which only its owner may enter:

    mark             written when the first briefing is made after a change; every change of a briefing's sources removes it
    <key>.ready      a briefing: lines with its conditions, an empty line, the text that the client prints
    <key>.start      a start for which a briefing is prepared: host, folder, the host's input
    told/<session>   a session that received text; with the client's note in it until the helper reads it
    actions.rules    rules shown at tool calls: lines "folder PATH<tab>PROJECT", and "rule LITERALS<tab>JSON", where every matching
                     call contains one of the literals
    changed          touched when memory changed after those rules were written; then they are valid for seconds only
    acted/<session>  ids of the rules that were shown at a session's calls
    acted.jsonl      the client's log of rules shown at calls, one line each, until the helper reads it

A briefing is valid while `mark` is the one under which it was made. A writer removes the mark before it acknowledges a change;
a briefing composed before the change cannot have a later mark.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vademecum.adapters.device.private_files import private_folder
from vademecum.domain.ready import Conditions, Printed, Start

#: Most starts for which a briefing is prepared, the latest ones, and the age at which a start expires.
STARTS_KEPT, START_KEPT = 32, timedelta(days=30)
#: Longest session name in bytes that is used as a file name; the client has the same limit.
SESSION_MAX = 100
#: Files of the rules for tool calls.
RULES, CHANGED = "actions.rules", "changed"


class ReadyBriefings:
    """The files in `folder`.

    Args:
        policy: the briefing settings; briefings made under other settings are removed.
    """

    def __init__(self, folder: Path, policy: str) -> None:
        self._folder, self._policy = folder, policy
        self._mark = folder / "mark"

    def take_away(self) -> None:
        """Remove every briefing, because its sources are changing. Must be called before the change is acknowledged."""
        with contextlib.suppress(NotADirectoryError):  # if the path is no folder, it contains no briefing
            self._mark.unlink(missing_ok=True)  # from here on no briefing is valid
        for pattern in ("*.ready", "*.new"):  # also what a process that was killed had begun to write
            for path in self._folder.glob(pattern):
                path.unlink(missing_ok=True)
        if (self._folder / RULES).exists():
            (self._folder / CHANGED).touch()

    # ------------------------------------------------------------------ rules for tool calls

    def put_rules(self, lines: Sequence[str], mark: str) -> None:
        """Save the rules that were composed under a mark; a client that reads at the same time reads the old ones."""
        private_folder(self._folder)
        fresh = self._folder / f"rules.{os.getpid()}.new"
        fresh.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        with contextlib.suppress(FileNotFoundError):  # taken away meanwhile
            fresh.replace(self._folder / RULES)
        if self.standing_mark() == mark:
            (self._folder / CHANGED).unlink(missing_ok=True)

    def drop_rules(self) -> None:
        """Remove the rules at once: one of them may be forgotten, or no rules are to be shown for a while."""
        (self._folder / RULES).unlink(missing_ok=True)

    def rules_mark(self) -> bool:
        """Return whether there are rules that no later change affects."""
        return (self._folder / RULES).exists() and not (self._folder / CHANGED).exists()

    def acted(self) -> Sequence[dict[str, object]]:
        """Return the client's records of rules shown at tool calls since the last time, in order, and delete them."""
        path = self._folder / "acted.jsonl"
        taken = self._folder / f"acted.{os.getpid()}"
        try:
            path.rename(taken)
        except FileNotFoundError:
            return ()
        lines = taken.read_text(encoding="utf-8", errors="replace").splitlines()
        taken.unlink()
        result = []
        for line in lines:
            with contextlib.suppress(ValueError):
                result.append(json.loads(line))
        return result

    def forget_acted(self, session: str) -> None:
        """Allow rules to be shown again in a session whose context was emptied."""
        if session:
            (self._folder / "acted" / session.encode().hex()).unlink(missing_ok=True)

    def mark(self, new: str) -> str:
        """Return the current mark for new briefings; set it to `new`, which must be unique, when there is none."""
        there = self.standing_mark()
        if there.partition(" ")[0] == self._policy:
            return there
        self.take_away()
        private_folder(self._folder)
        fresh = self._folder / f"mark.{os.getpid()}"
        fresh.write_text(f"{self._policy} {new}", encoding="ascii")
        fresh.replace(self._mark)
        return self.standing_mark()

    def standing_mark(self) -> str:
        """Return the mark under which briefings are valid; "" when there is none."""
        try:
            return self._mark.read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            return ""

    def put(self, start: Start, mark: str, conditions: Conditions, note: bytes, text: bytes) -> None:
        """Save a briefing that was composed under a mark, unless that mark was removed meanwhile.

        Args:
            note: the client's note when it prints `text`; one line of JSON.
        """
        lines = [b"mark " + mark.encode("ascii"), b"session " + conditions.session]
        lines += [b"but " + os.fsencode(session) for session in conditions.but]
        lines += [b"same " + name + b" " + value for name, value in conditions.same]
        lines += [f"file {stamp} ".encode() + os.fsencode(path) for stamp, path in conditions.files]
        lines += [f"until {conditions.until.timestamp():.0f}".encode(), b"note " + note]
        private_folder(self._folder / "told")  # the client's notes are written there
        path = self._folder / f"{start.key}.ready"
        fresh = self._folder / f"{start.key}.{os.getpid()}.new"
        fresh.write_bytes(b"\n".join(lines) + b"\n\n" + text)
        with contextlib.suppress(FileNotFoundError):  # taken away meanwhile
            fresh.replace(path)
        if self.standing_mark() != mark:
            path.unlink(missing_ok=True)

    # ------------------------------------------------------------------ starts

    def remember(self, start: Start, now: datetime) -> None:
        """Prepare briefings for starts like this one from now on, and no longer for expired ones.

        A prepared briefing for this start is removed and made again, because the project or its documents may have changed.
        """
        private_folder(self._folder)
        path = self._folder / f"{start.key}.start"
        head = json.dumps([start.host, start.folder]).encode()
        path.write_bytes(head + b"\n" + start.payload)
        path.with_suffix(".ready").unlink(missing_ok=True)
        oldest = (now - START_KEPT).timestamp()
        for number, known in enumerate(self._by_age()):
            if number >= STARTS_KEPT or known.stat().st_mtime < oldest:
                known.unlink(missing_ok=True)
                known.with_suffix(".ready").unlink(missing_ok=True)

    def starts(self) -> Sequence[Start]:
        """Return the starts for which briefings are prepared, the latest first."""
        all_starts = []
        for path in self._by_age():
            head, _, payload = path.read_bytes().partition(b"\n")
            host, folder = json.loads(head)
            all_starts.append(Start(path.stem, host, folder, payload))
        return all_starts

    def has(self, start: Start) -> bool:
        """Return whether a briefing for such starts exists."""
        return (self._folder / f"{start.key}.ready").exists()

    def _by_age(self) -> list[Path]:
        return sorted(self._folder.glob("*.start"), key=lambda path: path.stat().st_mtime_ns, reverse=True)

    # ------------------------------------------------------------------ sessions

    def claim(self, session: str) -> Printed | None:
        """Record that the helper delivers text to a session; return the client's record of the session if it is unread."""
        name = session.encode("utf-8", "surrogateescape")
        if not 0 < len(name) <= SESSION_MAX:
            return None  # the client leaves such sessions to the helper
        private_folder(self._folder)
        path = private_folder(self._folder / "told") / name.hex()
        try:
            path.touch(0o600, exist_ok=False)
        except FileExistsError:
            return _taken(path)
        return None

    def printed(self) -> Iterator[Printed]:
        """Yield the client's records that were not read yet."""
        for path in sorted((self._folder / "told").glob("*")):
            if noted := _taken(path):
                yield noted

    def printed_to(self, session: str) -> frozenset[str] | None:
        """Return the keys that the client delivered to a session and that were not read yet; None: no text was delivered."""
        try:
            note = json.loads((self._folder / "told" / session.encode("utf-8", "surrogateescape").hex()).read_bytes() or b"{}")
        except (OSError, ValueError):
            return None
        return frozenset(map(str, note.get("keys", ())))

    def forget_sessions(self, before: datetime) -> None:
        """Remove the records of sessions from before a moment."""
        for path in (*(self._folder / "told").glob("*"), *(self._folder / "acted").glob("*")):
            if path.stat().st_mtime < before.timestamp():
                path.unlink(missing_ok=True)


def _taken(path: Path) -> Printed | None:
    """Empty a note of the client and return its content. None: it was empty, or is no note of the client."""
    try:
        stat = path.stat()
        note = json.loads(path.read_bytes() or b"null")
        session = bytes.fromhex(path.name).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return None
    if not note:
        return None
    os.truncate(path, 0)
    at = datetime.fromtimestamp(stat.st_mtime, UTC)
    return Printed(note["host"], note["event"], session, tuple(note["keys"]), note["tokens"], at, note.get("project", ""))
