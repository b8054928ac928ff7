"""Briefings of sessions that are about to start, and rules for tool calls, as files that the hook client reads without asking anybody.

In the folder, which only its owner may enter:

    mark             written when the first briefing is made after a change; whatever changes what briefings tell removes it
    <key>.ready      a briefing: lines that say when it holds, an empty line, what the client prints
    <key>.start      a start for which a briefing is kept ready: host, folder, what the host said
    told/<session>   a session that was told; with a note in it as long as only the client knows
    actions.rules    what is told at tool calls: lines "folder PATH<tab>PROJECT", and "rule LITERALS<tab>JSON" where one of the literals
                     stands in each call that the rule is for
    changed          touched when memory changed after those rules were written; then they hold for seconds
    acted/<session>  ids of the rules that were told in a session at its calls
    acted.jsonl      what the client told at calls, a line each, until the helper takes it

A briefing holds as long as `mark` is the one that it was made under. A writer that removes the mark before it acknowledges is never
contradicted: what was composed before cannot bear a later mark.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vademecum.adapters.private_folder import private_folder
from vademecum.domain.ready import Conditions, Printed, Start

#: So many starts are kept ready for, those that came last, and none that did not come for so long.
STARTS_KEPT, START_KEPT = 32, timedelta(days=30)
#: Bytes of the longest name of a session that makes the name of a file; the client has the same limit.
SESSION_MAX = 100
#: Files of the rules for tool calls.
RULES, CHANGED = "actions.rules", "changed"


class ReadyBriefings:
    """The files in `folder`.

    Args:
        policy: what the settings say of briefings; those made under another are taken away.
    """

    def __init__(self, folder: Path, policy: str) -> None:
        self._folder, self._policy = folder, policy
        self._mark = folder / "mark"

    def take_away(self) -> None:
        """Remove every briefing, because what they tell is changing. To be called before the change is acknowledged."""
        with contextlib.suppress(NotADirectoryError):  # where something else lies, no briefing does
            self._mark.unlink(missing_ok=True)  # from here on nobody believes one
        for path in self._folder.glob("*.ready"):
            path.unlink(missing_ok=True)
        if (self._folder / RULES).exists():
            (self._folder / CHANGED).touch()

    # ------------------------------------------------------------------ rules for tool calls

    def put_rules(self, lines: Sequence[str], mark: str) -> None:
        """Keep the rules that were composed under a mark; a client that reads meanwhile reads the old ones."""
        private_folder(self._folder)
        fresh = self._folder / f"rules.{os.getpid()}"
        fresh.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        fresh.replace(self._folder / RULES)
        if self.standing_mark() == mark:
            (self._folder / CHANGED).unlink(missing_ok=True)

    def drop_rules(self) -> None:
        """Remove the rules at once: one of them may be forgotten, or nothing shall be told for a while."""
        (self._folder / RULES).unlink(missing_ok=True)

    def rules_mark(self) -> bool:
        """Return whether rules lie there that nothing has changed since."""
        return (self._folder / RULES).exists() and not (self._folder / CHANGED).exists()

    def acted(self) -> Sequence[dict[str, object]]:
        """Return what the client told at tool calls since the last time, in order, and forget it."""
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
        """Let rules be told again in a session, which lost what it was told."""
        if session:
            (self._folder / "acted" / session.encode().hex()).unlink(missing_ok=True)

    def mark(self, new: str) -> str:
        """Return the mark of what is composed from now on; `new`, which was never one, when there is none."""
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
        """Return the mark under which briefings hold; "" when none does."""
        try:
            return self._mark.read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            return ""

    def put(self, start: Start, mark: str, conditions: Conditions, note: bytes, text: bytes) -> None:
        """Keep a briefing that was composed under a mark; nothing is kept when that was taken away meanwhile.

        Args:
            note: what the client notes when it prints `text`; one line of JSON.
        """
        lines = [b"mark " + mark.encode("ascii"), b"session " + conditions.session]
        lines += [b"but " + os.fsencode(session) for session in conditions.but]
        lines += [b"same " + name + b" " + value for name, value in conditions.same]
        lines += [f"file {stamp} ".encode() + os.fsencode(path) for stamp, path in conditions.files]
        lines += [f"until {conditions.until.timestamp():.0f}".encode(), b"note " + note]
        private_folder(self._folder / "told")  # where the client notes what it printed
        path = self._folder / f"{start.key}.ready"
        fresh = self._folder / f"{start.key}.{os.getpid()}"
        fresh.write_bytes(b"\n".join(lines) + b"\n\n" + text)
        fresh.replace(path)
        if self.standing_mark() != mark:
            path.unlink(missing_ok=True)

    # ------------------------------------------------------------------ starts

    def remember(self, start: Start, now: datetime) -> None:
        """Keep a briefing ready for starts like this one from now on, and for those no longer that did not come for long. Whoever asks is
        not told what lies ready, so that is made anew: the project may be another, or its documents."""
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
        """Return the starts that are kept ready for, the last that came first."""
        all_starts = []
        for path in self._by_age():
            head, _, payload = path.read_bytes().partition(b"\n")
            host, folder = json.loads(head)
            all_starts.append(Start(path.stem, host, folder, payload))
        return all_starts

    def has(self, start: Start) -> bool:
        """Return whether a briefing for such starts is there."""
        return (self._folder / f"{start.key}.ready").exists()

    def _by_age(self) -> list[Path]:
        return sorted(self._folder.glob("*.start"), key=lambda path: path.stat().st_mtime_ns, reverse=True)

    # ------------------------------------------------------------------ sessions

    def claim(self, session: str) -> Printed | None:
        """Say that a session is told something by another than the client; gives what the client has told it and nobody knows yet."""
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
        """Give what the client has told sessions and nobody knows yet."""
        for path in sorted((self._folder / "told").glob("*")):
            if noted := _taken(path):
                yield noted

    def printed_to(self, session: str) -> frozenset[str] | None:
        """Return the keys of what the client has told a session and nobody knows yet; None: nobody told it anything."""
        try:
            note = json.loads((self._folder / "told" / session.encode("utf-8", "surrogateescape").hex()).read_bytes() or b"{}")
        except (OSError, ValueError):
            return None
        return frozenset(map(str, note.get("keys", ())))

    def forget_sessions(self, before: datetime) -> None:
        """Remove what stands here of sessions that were told before a moment."""
        for path in (*(self._folder / "told").glob("*"), *(self._folder / "acted").glob("*")):
            if path.stat().st_mtime < before.timestamp():
                path.unlink(missing_ok=True)


def _taken(path: Path) -> Printed | None:
    """Empty a note of the client's and return what it said: the session was told. None: it was empty, or is none of the client's."""
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
