"""The plan of a sync, and that following it in any order of events equals starting anew."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.item import Fingerprint
from vademecum.domain.memory import Document, Memory
from vademecum.domain.query import Scope
from vademecum.index.items import document_item, memory_item
from vademecum.sync.index import indexed, indexed_as, plan

MONDAY = datetime(2023, 5, 8, tzinfo=UTC)
SORTS = ("memory", "document")


def known(**stats):
    """What an index has of documents in one space, by path."""
    return indexed_as({}, {f"document://s/{path}": Fingerprint("s", path, stat, "digest") for path, stat in stats.items()})


def seen(**stats):
    return {"memory": {}, "document": {("s", path): stat for path, stat in stats.items()}}


def test_first_sync():
    """All files are new to an empty index."""
    steps = plan(seen(b="1:1", a="1:1"), known())
    assert [path for _, _, path in steps.read] == ["a", "b"]
    assert (steps.added, steps.changed, steps.same, steps.gone) == (2, 0, 0, ())


def test_nothing_changed():
    """Files whose size and time are as known are not read."""
    steps = plan(seen(a="1:1", b="2:2"), known(a="1:1", b="2:2"))
    assert (steps.read, steps.gone, steps.same) == ((), (), 2)


def test_changes():
    """A file with another size or time is read; one that is not there any more is gone, unless its folder is hidden."""
    steps = plan(seen(a="1:1", b="9:9"), known(a="1:1", b="2:2", c="3:3", d="4:4"), {"document://s/d"})
    assert steps.read == (("s", "document", "b"),)
    assert "document://s/c" in steps.gone and "document://s/d" not in steps.gone and "document://s/a" not in steps.gone
    assert (steps.added, steps.changed, steps.same) == (0, 1, 1)


def test_sorts_apart():
    """A memory and a document of the same path are two files."""
    steps = plan({"memory": {("s", "a"): "1:1"}, "document": {}}, known(a="1:1"))
    assert steps.read == (("s", "memory", "a"),)
    assert steps.gone == ("document://s/a",)


def test_two_at_one_place():
    """Where the index has two memories the file is read again, and what it does not hold goes."""
    marks = {f"memory://{name}": Fingerprint("s", "a", "1:1", "digest") for name in ("ONE", "TWO")}
    steps = plan({"memory": {("s", "a"): "1:1"}, "document": {}}, indexed_as(marks, {}))
    assert (steps.read, steps.gone) == ((("s", "memory", "a"),), ("memory://ONE", "memory://TWO"))


class Files:
    """A folder as a sync sees it: contents by place, each with a stat that changes with every write; some cannot be read."""

    def __init__(self):
        self.texts, self.stats, self.ids, self.broken, self.clock = {}, {}, {}, set(), 0

    def write(self, place, text, identity=""):
        self.clock += 1
        self.texts[place], self.stats[place], self.ids[place] = text, f"{len(text)}:{self.clock}", identity
        self.broken.discard(place)

    def item(self, place):
        """The item of a file, or None when it cannot be read."""
        space, sort, path = place
        if place in self.broken:
            return None
        if sort == "document":
            return document_item(Document(space, path, path, self.texts[place], self.stats[place], MONDAY), self.stats[place])
        memory = Memory(self.ids[place], "fact", path, self.texts[place], space, path, self.stats[place], MONDAY, MONDAY)
        return memory_item(memory, self.stats[place])


def follow(index, files):
    """What the road does with a plan."""
    seen = {
        sort: {(space, path): stat for (space, other, path), stat in files.stats.items() if other == sort} for sort in SORTS
    }
    steps = plan(seen, indexed(index))
    items = [item for place in steps.read if (item := files.item(place)) is not None]
    arrived = {item.key for item in items}
    index.apply(items, [key for key in steps.gone if key not in arrived])


def answers(index):
    """What an index would say, without numbers."""
    keys = sorted(index.fingerprints())
    found = [index.words(index.terms(word, frozenset()), Scope(), 50, budget=999) for word in ("kettle", "tea", "iron")]
    return {
        "fingerprints": sorted(index.fingerprints().items()),
        "passages": {key: [(one.ordinal, one.passage) for one in index.passages_of(key)] for key in keys},
        "words": [sorted((hit.item, hit.turn, round(hit.score, 6)) for hit in hits) for hits in found],
    }


TEXTS = st.lists(st.sampled_from(["kettle", "tea", "# Iron", "long " * 90]), max_size=5).map("\n\n".join)
PLACES = st.tuples(st.just("s"), st.sampled_from(["memory", "document"]), st.sampled_from(["a.md", "b.md", "c/d.md"]))


class SyncEqualsRebuild(RuleBasedStateMachine):
    """Writing, deleting, renaming and failing in any order, then a sync: the same as an index made anew."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.index = SqliteIndex(Path(self.folder.name) / "index.db")
        self.files = Files()
        self.count = 0
        self.synced = True

    def teardown(self):
        self.index.close()
        self.folder.cleanup()

    @rule(place=PLACES, text=TEXTS)
    def write(self, place, text):
        self.count += 1
        self.files.write(place, text, self.files.ids.get(place) or f"ID{self.count}")
        self.synced = False

    @rule(place=PLACES)
    def delete(self, place):
        for table in (self.files.texts, self.files.stats, self.files.ids):
            table.pop(place, None)
        self.synced = False

    @rule(place=PLACES, new=PLACES)
    def rename(self, place, new):
        if place in self.files.texts and place != new and place[1] == new[1]:
            for table in (self.files.texts, self.files.stats, self.files.ids):
                table[new] = table.pop(place)
            self.synced = False

    @rule(place=PLACES)
    def spoil(self, place):
        if place in self.files.texts:
            self.files.write(place, self.files.texts[place] + "!", self.files.ids[place])
            self.files.broken.add(place)
            self.synced = False

    @rule()
    def sync(self):
        follow(self.index, self.files)
        self.synced = True

    @invariant()
    def equals_rebuild(self):
        if self.synced:
            fresh = SqliteIndex(IN_MEMORY)
            follow(fresh, self.files)
            assert answers(self.index) == answers(fresh)
            fresh.close()


TestSyncEqualsRebuild = SyncEqualsRebuild.TestCase
TestSyncEqualsRebuild.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
