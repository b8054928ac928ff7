"""Several devices, a file sync that knows nothing of us, and wrong clocks, in one process. A seed replays any run to the byte.

The vaults are the real ones; clock and sync are objects, and the disk is a folder of each device.
"""

import hashlib
import json
import os
import random
import re
import shutil
import tempfile
import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

from merge3 import Merge3

from vademecum.domain.errors import VademecumError
from vademecum.domain.forgotten import Tombstone
from vademecum.domain.ids import make_id
from vademecum.domain.item import Edge
from vademecum.domain.memory import Draft, Memory, Space
from vademecum.domain.query import Scope
from vademecum.index.items import memory_item
from vademecum.recall.conflicts import open_conflicts
from vademecum.vault import segments, writer
from vademecum.vault.files import etag_of
from vademecum.vault.find import is_conflict_copy
from vademecum.vault.known import Known, KnownFiles
from vademecum.vault.merge_file import merge_file
from vademecum.vault.places import CONFLICTS
from vademecum.vault.scan import SourceFile, stat_text
from vademecum.vault.store import Vault

#: Long before any machine that runs this.
START = datetime(2001, 3, 1, 12, tzinfo=UTC)
#: No device's clock gets so far: what is later was written by the machine that simulates it.
LATEST = (START + timedelta(days=90)).timestamp()
#: How a person is told that a note is there again which may have been deleted.
BACK = re.compile("delete it once more|is there again")
#: Rounds in which everything is carried and followed, until nothing changes any more.
ROUNDS = 14


class World:
    """Chance and the true time, which no device knows."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.time = START
        self.made = 0

    def word(self):
        self.made += 1
        return f"w{self.made}x{self.random.randrange(10_000):04}"


class Clock:
    """The clock of a device: goes with the world's, and is wrong by some hours."""

    def __init__(self, world, skew):
        self.world, self.skew = world, skew

    def now(self):
        return self.world.time + self.skew

    def elapsed_s(self):
        return self.world.time.timestamp()

    def new_id(self):
        self.world.time += timedelta(milliseconds=1)
        return make_id(int(self.now().timestamp() * 1000), self.world.random.randbytes(10))


@dataclass
class Device:
    """A computer: its folder, its clock, and what its index would remember of the files."""

    name: str
    folder: Path
    clock: Clock
    known: dict = field(default_factory=dict)
    #: Id -> file and text of a memory that was deleted by hand here; of those that no other file took the place of, the text.
    removed: dict = field(default_factory=dict)
    noticed: dict = field(default_factory=dict)
    #: Ids of notes that are there again, of which it was told that they may have been deleted.
    told_back: set = field(default_factory=set)

    def __post_init__(self):
        self.root = self.folder / "vault"
        self.root.mkdir(parents=True)
        self.open()

    def open(self):
        space = Space("personal", str(self.root), "")
        self.vault = Vault([space], writer.Device(name=self.name, lock_dir=self.folder / "locks", clock=self.clock))

    def indexed(self):
        """What an index would tell of the files; None before it has any."""
        return KnownFiles.of(self.known) if self.known else None

    def follow(self):
        """As `vade sync` does."""
        self.noticed |= {identity: data for identity, (path, data) in self.removed.items() if not path.exists()}
        self.removed = {}
        self.carry_out_tombstones()
        noticed = self.vault.reconcile(self.indexed())
        told_back = {problem.path for problem in noticed.problems if BACK.search(problem.message)}
        self.stamp_all()
        standing = {(one.path, one.stat): identity for identity, one in self.known.items()}
        stats = {path: stat_text((self.root / path).stat()) for _, path in noticed.files}
        files = [SourceFile(*place, "memory", stat) for place, stat in noticed.files.items()]
        fresh = [file for file in files if (file.path, stats[file.path]) not in standing]
        before = self.known
        self.known = {key: one for key, one in before.items() if (one.space, one.path) in noticed.unread}
        for one in (before[standing[key]] for key in stats.items() if key in standing):
            self.known[standing[one.path, one.stat]] = one
        for file, one in zip(fresh, self.vault.open_all(fresh), strict=True):
            if isinstance(one, Memory):
                self.known[one.id] = Known(file.space, file.path, stats[file.path], one.etag)
        self.told_back |= {identity for identity, one in self.known.items() if one.path in told_back}
        return noticed

    def note_written(self):
        """As every verb does: the index knows at once what it wrote."""
        for identity, (space, path) in self.vault._writer.placed.items():
            if (self.root / path).exists():
                data = (self.root / path).read_bytes()
                self.known[identity] = Known(space, path, stat_text((self.root / path).stat()), etag_of(data))

    def stamp_all(self):
        """Give files that were just written the time of this device's clock, not of the machine that simulates it."""
        for path in files_below(self.root):
            if Path(path).stat().st_mtime > LATEST:
                self.stamp(path)

    def carry_out_tombstones(self):
        gone = self.vault._tombstones.memories()
        if gone and any(memory.id in gone for memory in self.vault.files()):
            self.vault.erasure.erase(gone, lambda text: text, everywhere=False)

    def stamp(self, path):
        """Give a file that the person wrote the time of this device's clock."""
        when = self.clock.now().timestamp()
        os.utime(path, (when, when))

    def notes(self):
        """Files of memories by path."""
        files = ((unicodedata.normalize("NFC", path), data) for path, (data, _) in snapshot(self.root).items())
        return {path: data for path, data in files if not path.startswith("_journal/")}


def files_below(root):
    """Every file below a folder, in order."""
    return [f"{folder}/{name}" for folder, _, names in sorted(os.walk(root)) for name in sorted(names)]


def snapshot(root):
    """Every file below a folder: path -> (bytes, time)."""
    found, start = {}, len(str(root)) + 1
    for path in files_below(root):
        if not path.rpartition("/")[2].startswith(".vademecum"):
            with Path(path).open("rb") as file:
                found[path[start:]] = (file.read(), os.fstat(file.fileno()).st_mtime_ns)
    return found


def put(root, path, data, time):
    """Write a file as a sync tool does, with the time that it had elsewhere; None removes it."""
    target = root / path
    if data is None:
        target.unlink(missing_ok=True)
        for folder in target.parents:
            if folder == root or any(folder.iterdir()):
                break
            folder.rmdir()
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    os.utime(target, ns=(time, time))


class Sync:
    """A service that holds one copy of every file. What changed on one side is carried to the other.

    Args:
        share: of the changed files so many are carried at once; the rest come later, in any order.
        partial: how often a file arrives in two pieces.
    """

    name = "last writer wins"
    #: Whether a file that is deleted on one side is deleted on the other.
    deletes = True

    def __init__(self, world, share=1.0, partial=0.0):
        self.world, self.share, self.partial = world, share, partial
        self.cloud = {}
        self.bases = {}
        self.halves = {}

    def carry(self, device, *, all_of_it=False):
        """Carry changes between a device and the service, in both directions."""
        base, here = self.bases.setdefault(device.name, {}), self.files_of(device)
        here = {path: one for path, one in here.items() if self.takes(path)}
        changed = sorted(path for path in here.keys() | self.cloud.keys() | base.keys() if self.differs(path, here, base))
        self.world.random.shuffle(changed)
        for path in changed:
            if all_of_it or self.world.random.random() < self.share:
                self.one(device, path, base, here, whole=all_of_it)

    def files_of(self, device):
        return snapshot(device.root)

    def put(self, device, path, data, time):
        put(device.root, path, data, time)

    def takes(self, path):
        return True

    def differs(self, path, here, base):
        return not (data_of(here, path) == data_of(self.cloud, path) == data_of(base, path))

    def one(self, device, path, base, here, *, whole):
        local, remote, was = data_of(here, path), data_of(self.cloud, path), data_of(base, path)
        half = self.halves.pop((device.name, path), None)
        if half is not None and half == local:  # the tool knows what it has not carried to its end
            if not self.download(device, path, whole):
                return
        elif local == remote:
            pass
        elif remote == was:
            self.upload(path, here)
        elif local == was:
            if not self.download(device, path, whole):
                return
        else:
            self.both_changed(device, path, base, here)
        put_into(base, path, self.cloud.get(path))

    def upload(self, path, here):
        put_into(self.cloud, path, here.get(path))

    def download(self, device, path, whole):
        data, time = self.cloud.get(path, (None, 0))
        if data and not whole and self.world.random.random() < self.partial:
            now = int(device.clock.now().timestamp() * 1e9)
            self.halves[device.name, path] = data[: self.world.random.randrange(len(data))]
            self.put(device, path, self.halves[device.name, path], now)
            return False
        self.put(device, path, data, time)
        return True

    def both_changed(self, device, path, base, here):
        """The newer one wins; an edit wins over a deletion."""
        local, remote = here.get(path), self.cloud.get(path)
        if remote is None or (local is not None and local[1] > remote[1]):
            self.upload(path, here)
        else:
            self.download(device, path, True)


class ConflictCopies(Sync):
    """What loses is kept beside, under a name of the tool's."""

    name = "conflict copies"
    names = (
        "{stem}.sync-conflict-20260301-120000-ABC1234.md",
        "{stem} (Conflicted copy {device} 202603011200).md",
        "{stem} ({device}'s conflicted copy 2026-03-01).md",
        "{stem} (conflicted copy 2026-03-01 120000).md",
        "{stem} 2.md",
        "{stem} (1).md",
        "{stem}-{device}.md",
    )

    def both_changed(self, device, path, base, here):
        local, remote = here.get(path), self.cloud.get(path)
        if local is None or remote is None:
            super().both_changed(device, path, base, here)
            return
        stem = path.removesuffix(".md")
        name = self.world.random.choice(self.names).format(stem=stem, device=device.name)
        put(device.root, name, *local)
        self.cloud[name] = local
        base_of = self.bases[device.name]
        put_into(base_of, name, local)
        self.download(device, path, True)


class Git(Sync):
    """Lines are merged; where that cannot be, the marks of a merge stand in the file."""

    name = "git"

    def both_changed(self, device, path, base, here):
        local, remote, was = here.get(path), self.cloud.get(path), base.get(path)
        if local is None or remote is None:
            super().both_changed(device, path, base, here)
            return
        texts = [one[0].decode().removesuffix("\n").split("\n") if one else [] for one in (was, local, remote)]
        merge = Merge3(*texts)
        lines = merge.merge_lines(
            name_a="HEAD", name_b="theirs", start_marker="<<<<<<<", mid_marker="=======", end_marker=">>>>>>>"
        )
        data = "\n".join(line.rstrip("\n") for line in lines) + "\n" * local[0].endswith(b"\n")
        time = max(local[1], remote[1])
        self.cloud[path] = (data.encode(), time)
        self.download(device, path, True)


class ByCharacters(Sync):
    """Characters are merged, as Obsidian Sync does, whatever that makes of dates and ids; of a note made twice the remote one stays."""

    name = "merged by characters"

    def both_changed(self, device, path, base, here):
        local, remote, was = here.get(path), self.cloud.get(path), base.get(path)
        if local is None or remote is None:
            super().both_changed(device, path, base, here)
            return
        if was is not None:
            merge = Merge3(*(list(one[0].decode()) for one in (was, local, remote)))
            parts = [region[1] if region[0] != "conflict" else region[2] + region[3] for region in merge.merge_groups()]
            self.cloud[path] = ("".join(char for part in parts for char in part).encode(), max(local[1], remote[1]))
        self.download(device, path, True)


class GitWithDriver(Git):
    """What `vade install git` sets up merges the notes."""

    name = "git with our driver"

    def both_changed(self, device, path, base, here):
        local, remote = here.get(path), self.cloud.get(path)
        if local is None or remote is None:
            super().both_changed(device, path, base, here)
            return
        was = base.get(path)
        with tempfile.TemporaryDirectory(dir=device.folder) as name:
            files = [Path(name) / side for side in ("base", "ours", "theirs")]
            for file, side in zip(files, (was, local, remote), strict=True):
                file.write_bytes(side[0] if side else b"")
            before = set(device.root.rglob("*"))
            assert merge_file(*files, device.root / path)
            self.cloud[path] = (files[1].read_bytes(), max(local[1], remote[1]))
            for beside in set(device.root.rglob("*")) - before:
                device.stamp(beside)
        self.download(device, path, True)


class Limited(Sync):
    """A file over the limit is not carried. Limit and segments are smaller here, as 5 to 1."""

    name = "limited size"
    limit, segment = 15_000, 3_000

    def takes(self, path):
        return len(self.here.get(path, (b"",))[0]) <= self.limit

    def carry(self, device, *, all_of_it=False):
        self.here = snapshot(device.root)
        super().carry(device, all_of_it=all_of_it)


class WithoutJournals(Sync):
    """Our journals are not carried; only notes are."""

    name = "without our files"

    def takes(self, path):
        return not path.startswith("_journal/")


class OneCase(Sync):
    """No disk and no service tells names of different case apart: what has such a name of another file waits. Every second device takes
    the characters of names apart, as some disks do; the service puts them together.
    """

    name = "names as disks have them"

    def files_of(self, device):
        found = {}
        for path, one in snapshot(device.root).items():
            found.setdefault(unicodedata.normalize("NFC", path), one)
        self.here = {path.casefold(): path for path in reversed(found)}
        return found

    def one(self, device, path, base, here, *, whole):
        cloud = {name.casefold(): name for name in self.cloud}
        if any(names.get(path.casefold(), path) != path for names in (cloud, self.here)):
            return
        super().one(device, path, base, here, whole=whole)

    def put(self, device, path, data, time):
        apart = unicodedata.normalize("NFD", path)
        stands = (device.root / path).exists() or int(device.name[-1]) % 2 == 0
        put(device.root, path if stands and not (device.root / apart).exists() else apart, data, time)


class Rsync(Sync):
    """`rsync -rtu` to a stick and back: what differs in size or time is copied unless the other side is newer. Nothing is deleted on
    either side, so what was moved, deleted or forgotten comes back with each round. Clocks are right: it goes by them alone.
    """

    name = "rsync"
    deletes = False

    def carry(self, device, *, all_of_it=False):
        self.copy(snapshot(device.root), self.cloud, self.cloud.__setitem__, all_of_it)
        self.copy(self.cloud, snapshot(device.root), lambda path, one: put(device.root, path, *one), all_of_it)

    def copy(self, source, target, put_there, all_of_it):
        for path, (data, time) in sorted(source.items()):
            there, when = target.get(path, (b"", -1))
            is_same = (len(there), when) == (len(data), time)
            if not is_same and when <= time and (all_of_it or self.world.random.random() < self.share):
                put_there(path, (data, time))


def data_of(side, path):
    found = side.get(path)
    return found[0] if found else None


def put_into(side, path, value):
    if value is None:
        side.pop(path, None)
    else:
        side[path] = value


MODELS = (Sync, ConflictCopies, Git, ByCharacters, GitWithDriver, Limited, OneCase, Rsync)


class Links:
    """What an index tells of the links of some memories."""

    def __init__(self, memories):
        self.memories = {memory.uri: memory for memory in memories}

    def items(self, keys):
        return {key: memory_item(self.memories[key], "") for key in keys if key in self.memories}

    def edges(self, keys):
        return {key: tuple(edge for other in self.memories for edge in self.between(key, other)) for key in keys}

    def between(self, key, other):
        sides = ((self.memories[one], two.removeprefix("memory://")) for one, two in ((key, other), (other, key)))
        return [Edge(name, other) for one, two in sides for name in ("supersedes", "related") if two in getattr(one, name)]

    def with_edge(self, kind):
        return tuple(key for key, memory in self.memories.items() if getattr(memory, kind))

    def origins(self, key):
        """The memories that one took the place of, and those whose place they took."""
        found, waiting = set(), [key]
        while waiting:
            memory = self.memories.get(waiting.pop())
            fresh = {f"memory://{one}" for one in memory.supersedes} - found if memory else set()
            found |= fresh
            waiting += fresh
        return found


class Run:
    """One order of deeds on some devices, and what must hold at its end."""

    def __init__(self, seed, folder, *, model=None, steps=None):
        self.world = World(seed)
        chance = self.world.random
        self.model = model or chance.choice(MODELS)
        share = chance.choice((1.0, 1.0, 0.5, 0.3))
        self.sync = self.model(self.world, share, chance.choice((0.0, 0.0, 0.1)))
        self.steps = steps or chance.randint(8, 30)
        same = chance.random() < 0.3
        self.devices = [
            Device(f"{'vm' if same else f'device{number}'}-{number:04}", folder / str(number), Clock(self.world, self.skew()))
            for number in range(chance.randint(2, 5))
        ]
        #: Words that were said, and those that somebody who saw them took away.
        self.words, self.replaced, self.forgotten = set(), set(), set()
        #: Word -> id of the memory that it was said of.
        self.homes, self.about = {}, ""
        #: Words that a memory took over from another one, so that they outlive it.
        self.taken_over = set()
        self.log = []

    def skew(self):
        wrong = self.world.random.choice((0, 0, 0, 3, -7, 60, -1440, 1440))
        return timedelta(minutes=wrong if self.sync.deletes else 0)

    def go(self):
        """Carry out the order, then let everything come to rest."""
        for _ in range(self.steps):
            self.world.time += timedelta(seconds=self.world.random.choice((1, 20, 90, 4000)))
            device = self.world.random.choice(self.devices)
            deed = self.world.random.choice(DEEDS)
            self.log.append(f"{device.name} {deed.__name__}")
            words, replaced = set(self.words), set(self.replaced)
            try:
                device.vault._writer.placed.clear()
                deed(self, device)
                device.stamp_all()
                device.note_written()
                self.homes |= dict.fromkeys(self.words - words, self.about)
            except VademecumError as error:
                self.words, self.replaced = words, replaced  # nothing was acknowledged
                self.log.append(f"  {error.message}")
        return self.rest()

    def rest(self):
        """Carry and follow until nothing changes; rounds it took."""
        before = None
        for number in range(ROUNDS):
            self.world.time += timedelta(minutes=5)
            for device in self.devices:
                self.sync.carry(device, all_of_it=True)
                device.follow()
            for device in self.devices:
                self.sync.carry(device, all_of_it=True)
            if not self.sync.deletes:  # each removes what the tool brought back
                for device in self.devices:
                    device.follow()
            now = [snapshot(device.root) for device in self.devices]
            now = [{path: data for path, (data, _) in one.items()} for one in now]
            if now == before:
                return number
            before = now
        return ROUNDS

    def faults(self):
        """What does not hold: devices that differ, words that nobody took away and no note has, forgotten ones that are there."""
        found = []
        notes = [device.notes() for device in self.devices]
        if any(one != notes[0] for one in notes):
            found.append("unequal")
        text = b"\n".join(notes[0].values())
        gone = {word for word, identity in self.homes.items() if identity in self.forgotten}
        lost = [word for word in sorted(self.words - self.replaced - gone) if word.encode() not in text]
        ever = b"".join(
            data for device in self.devices for path, (data, _) in snapshot(device.root).items() if path.startswith("_journal/")
        )
        #: What a person typed and a sync tool overwrote before we were asked: in no journal, and nobody could have kept it.
        self.overwritten = [word for word in lost if word.encode() not in ever]
        lost = [word for word in lost if word.encode() in ever]
        found += ["lost"] * bool(lost)
        self.lost = lost
        held = [
            change
            for change in map(json.loads, re.findall(rb"^\{\"v\":2.*\}$", ever, re.MULTILINE))
            for change in change["changes"]
        ]
        told = {
            change["memory"]
            for change in held
            if any(side.get("text") for side in (change.get("before"), change.get("after")) if side)
        }
        found += ["forgotten in a journal"] * bool(self.forgotten & told)
        problems = self.devices[0].vault.problems()
        unfinished = {problem.path for problem in problems if "unfinished merge" in problem.message}
        ids = [
            found
            for path, data in notes[0].items()
            if not path.startswith("_archive/conflicts/") and str(self.devices[0].root / path) not in unfinished
            for found in re.findall(r"^id: (\w+)$", data.decode(), re.MULTILINE)[:1]
        ]
        found += ["forgotten is there"] * bool(self.forgotten.intersection(ids))
        twice = {one for one in ids if ids.count(one) > 1}
        told = " ".join(f"{problem.path} {problem.message}" for problem in problems)
        found += ["two files of one id"] * (bool(twice) and "same id" not in told)
        found += ["marks of a merge"] * (b"\n<<<<<<< " in text and "unfinished merge" not in told)
        return [*found, *self.seen_by_a_person(notes[0], told)]

    def seen_by_a_person(self, notes, told):
        """What does not hold of what a person sees: copies that nobody names, two successors without a doubt, what was deleted and is there
        again, bytes of what was forgotten.
        """
        found = []
        self.untold = [
            path
            for path in notes
            if is_conflict_copy(path)
            and not path.startswith(CONFLICTS)
            and path not in told
            and not self.is_own_name(path, notes)
        ]
        found += ["untold copy"] * bool(self.untold)
        found += ["two successors"] * bool(self.untold_rivals())
        told_back = {identity for device in self.devices for identity in device.told_back}
        back = {one: data for device in self.devices for one, data in device.noticed.items() if one not in told_back}
        self.returned = [one for one, data in back.items() if data in notes.values()]
        found += ["returned"] * bool(self.returned)
        disk = b"\n".join(Path(path).read_bytes() for device in self.devices for path in files_below(device.folder))
        gone = [word for word, identity in self.homes.items() if identity in self.forgotten and word not in self.taken_over]
        self.remembered = [word for word in sorted(gone) if word.encode() in disk]
        return found + ["forgotten byte"] * bool(self.remembered)

    def is_own_name(self, path, notes):
        """Whether a memory has such a name because another one stood at the place that it would have."""
        ids = [re.findall(rb"^id: (\w+)$", data, re.MULTILINE)[:1] for data in notes.values()]
        return ids.count(re.findall(rb"^id: (\w+)$", notes[path], re.MULTILINE)[:1]) == 1

    def untold_rivals(self):
        """Pairs of active memories that come from one, of which no doubt tells."""
        links = Links(self.devices[0].vault.list())
        doubted = {frozenset((doubt.later.key, doubt.earlier.key)) for doubt in open_conflicts(links, Scope())}
        heads = [key for key, memory in links.memories.items() if memory.status == "active"]
        pairs = {
            frozenset((one, other))
            for one in heads
            for other in heads
            if one != other and links.origins(one) & links.origins(other)
        }
        return sorted(map(sorted, pairs - doubted))

    # deeds

    def say(self):
        word = self.world.word()
        self.words.add(word)
        return f"Line {word}."

    def take_away(self, lines):
        self.replaced.update(word for word in self.words if any(word in line for line in lines))

    def note_on(self, device):
        standing = [memory for memory in device.vault.list() if memory.status in ("active", "resolved")]
        note = self.world.random.choice(standing) if standing else None
        self.about = note.id if note else ""
        self.touch(self.about)
        return note

    def touch(self, identity):
        """Somebody does something with a memory, so that it may outlive its deletion elsewhere."""
        for device in self.devices:
            device.removed.pop(identity, None)
            device.noticed.pop(identity, None)


def carry(run, device):
    run.sync.carry(device)
    if run.world.random.random() < 0.8:
        device.follow()


def killed(run, device):
    """The process that follows is killed before one of its writes, or in the middle of it."""
    left = run.world.random.randint(0, 25)
    if not hasattr(os, "fork"):
        return
    child = os.fork()
    if child == 0:
        die_after(left)
        try:
            device.follow()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    run.world.time += timedelta(seconds=1)
    device.stamp_all()
    device.open()


def die_after(writes):
    """End this process, as kill -9 does, when it has changed its disk so many times."""
    left = [writes]

    def fatal(call):
        def counted(*words, **more):
            left[0] -= 1
            if left[0] < 0:
                if call is write:
                    write(words[0], words[1][: len(words[1]) // 2])
                os._exit(9)
            return call(*words, **more)

        return counted

    write = os.write
    for name in ("write", "replace", "rename", "unlink", "link", "rmdir", "mkdir", "truncate", "ftruncate", "fsync"):
        setattr(os, name, fatal(getattr(os, name)))


def save(run, device):
    end = run.world.random.choice(("\n", ""))
    title = run.world.random.choice(("Tea", "Coffee", "Kettle", "Lamp", run.world.word()))
    body = "\n".join(run.say() for _ in range(run.world.random.randint(1, 4))) + end
    run.about = device.vault.save(Draft("fact", title, body)).id


def save_by_hand(run, device):
    """A note that a person writes in an editor, under a name that is another's on some disks."""
    path = device.root / "personal" / "fact" / run.world.random.choice(("API.md", "api.md", "\u00c9mile.md", "\u00e9mile.md"))
    path.parent.mkdir(parents=True, exist_ok=True)
    if not any(path.name.casefold() == unicodedata.normalize("NFC", other.name).casefold() for other in path.parent.iterdir()):
        run.about = device.clock.new_id()
        path.write_text(f"---\nid: {run.about}\nkind: fact\n---\n{run.say()}\n")
        device.stamp(path)


def changed_lines(run, body):
    """A body with a line put in, changed or taken out."""
    lines = body.split("\n")
    spots = [number for number, line in enumerate(lines) if line.startswith("Line ")]
    what = run.world.random.choice(("add", "add", "change", "change", "remove"))
    if what == "add" or not spots:
        lines.insert(run.world.random.randint(0, len(lines)), run.say())
        return "\n".join(lines)
    spot = run.world.random.choice(spots)
    run.take_away([lines[spot]])
    if what == "change":
        lines[spot] = run.say()
    else:
        del lines[spot]
    return "\n".join(lines)


def edit(run, device):
    note = run.note_on(device)
    if note:
        device.vault.edit(note.id, body=changed_lines(run, note.body))


def edit_by_hand(run, device):
    note = run.note_on(device)
    if note and "<<<<<<<" not in note.body and (device.name, note.path) not in run.sync.halves:
        path = device.root / note.path
        text = path.read_text()
        head, body = text[: len(text) - len(note.body)], note.body
        path.write_text(head + changed_lines(run, body))
        device.stamp(path)


def tag(run, device):
    note = run.note_on(device)
    if note:
        device.vault.tag(note.id, add=[run.world.random.choice(("red", "green", "blue"))])


def confirm(run, device):
    note = run.note_on(device)
    if note:
        device.vault.confirm(note.id)


def rename(run, device):
    note = run.note_on(device)
    if note:
        device.vault.relocate(note.id, title=run.world.random.choice(("Tea", "Pot", "Coffee", run.world.word())))


def rename_by_hand(run, device):
    note = run.note_on(device)
    if note:
        target = device.root / "personal" / f"{run.world.word()}.md"
        target.parent.mkdir(exist_ok=True)
        run.log.append(f"  {note.path} -> {target.name}")
        (device.root / note.path).rename(target)


def archive(run, device):
    note = run.note_on(device)
    if note:
        device.vault.archive(note.id)


def resolve(run, device):
    note = run.note_on(device)
    if note:
        device.vault.resolve(note.id)


def evolve(run, device):
    note = run.note_on(device)
    if note:
        run.taken_over.update(word for word in run.words if word in note.body)
        run.about = device.vault.evolve(note.id, note.body.rstrip("\n") + f"\n{run.say()}\n", reason="it changed").id


def delete_by_hand(run, device):
    note = run.note_on(device)
    if note and run.world.random.random() < 0.5:
        run.log.append(f"  {note.path}")
        run.take_away(note.body.split("\n"))
        others = [one for one in run.devices if one is not device]
        places = {memory.path for one in others for memory in one.vault.files() if memory.id == note.id}
        if {unicodedata.normalize("NFC", path) for path in places} <= {
            unicodedata.normalize("NFC", note.path)
        }:  # where somebody else renamed it, it stays
            device.removed[note.id] = (device.root / note.path, (device.root / note.path).read_bytes())
        (device.root / note.path).unlink()


def forget(run, device):
    note = run.note_on(device)
    if note and run.world.random.random() < 0.3:
        run.forgotten.add(note.id)
        stone = Tombstone(device.clock.new_id(), device.clock.now().isoformat(), "salt", (note.id,), (), (), False)
        device.vault.erasure.record_tombstone(stone)
        device.vault.erasure.erase([note.id], lambda text: text, everywhere=False)


def undo(run, device):
    records = device.vault.history.undo()
    for change in (change for record in records for change in record.changes):
        run.touch(change.memory)
    texts = [
        (change.before.text or "" if change.before else "", change.after.text or "" if change.after else "")
        for record in records
        for change in record.changes
    ]
    for before, after in texts:
        run.take_away([line for line in before.split("\n") if line not in after.split("\n")])


DEEDS = (
    carry, carry, carry, carry, carry, carry, carry, carry, save, save, save, save_by_hand, edit, edit, edit,
    edit_by_hand, edit_by_hand, edit_by_hand, tag, confirm, rename, rename_by_hand, archive, resolve, evolve,
    delete_by_hand, forget, undo, killed,
)  # fmt: skip


def fingerprint(run):
    """A hash of everything on all disks."""
    parts = [repr(sorted((path, data) for path, (data, _) in snapshot(device.root).items())) for device in run.devices]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()


def order(seed, folder, **more):
    """Carry out the order of a seed: the run, at rest, and what does not hold."""
    shutil.rmtree(folder, ignore_errors=True)
    run = Run(seed, folder, **more)
    with mock.patch.object(segments, "SEGMENT_BYTES", getattr(run.sync, "segment", segments.SEGMENT_BYTES)):
        run.rounds = run.go()
    found = run.faults()
    if run.rounds == ROUNDS:
        found.append("never at rest")
    return run, found
