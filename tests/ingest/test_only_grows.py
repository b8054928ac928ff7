"""X-42: the archive only grows: whatever a host does to the place where it keeps a conversation, turns that were archived stay."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.hosts import HOSTS, START

from vademecum.adapters.clock import FixedClock
from vademecum.settings import Settings
from vademecum.wiring import open_memory

#: What hosts and readers do, in any order. "other": another conversation stands in the same place from then on.
STEPS = st.one_of(
    st.tuples(st.just("grow"), st.integers(1, 3)),
    st.tuples(st.sampled_from(["first", "last", "middle"]), st.integers(1, 3)),
    st.tuples(st.sampled_from(["rewrite", "longer"]), st.integers(0, 5)),
    st.tuples(st.sampled_from(["stub", "delete", "again", "empty", "damage", "other", "reopen", "rebuild"]), st.just(0)),
    st.tuples(st.just("capture"), st.just(0)),
)


class Life:
    """A host, what stands there now, and what had been there whenever it was captured.

    Attributes:
        written_s: time of its file before the first write, in seconds since 1970; earlier than its turns, their times cannot be true.
    """

    def __init__(self, kind, folder: Path, written_s: int) -> None:
        self.written_s = written_s
        self.host, self.folder, self.kind = kind(folder / "host"), folder, kind
        self.session, self.turns, self.there = "s1", [], False
        self.kept: dict[str, dict[str, int]] = {}
        self.number = self.written = 0
        self.clock = FixedClock(START)
        self.memory = self.open()

    def open(self):
        home = self.folder / "vault"
        home.mkdir(exist_ok=True)
        made = Settings(
            home=str(home),
            data_dir=str(self.folder / "data"),
            cache_dir=str(self.folder / "cache"),
            device="laptop",
            embedder="none",
        )
        return open_memory(made, clock=self.clock)

    def write(self) -> None:
        self.host.write(self.session, self.turns)
        self.there = True
        self.touch()

    def touch(self) -> None:
        """No two writes have the same time, however fast the test is."""
        self.written += 1
        if self.host.path.exists():
            os.utime(self.host.path, ns=((self.written_s + self.written) * 10**9,) * 2)

    def said(self) -> str:
        self.number += 1
        # No two are of one length: a message of Cursor's that is overwritten by one as long is not noticed (docs/transcripts.md).
        return f"{self.host.host} turn quetzal{self.number:04d} {'e' * self.number}"

    def do(self, step: str, count: int) -> None:
        half = len(self.turns) // 2
        if step in ("capture", "reopen", "rebuild"):
            getattr(self, step)()
        elif step in ("delete", "empty", "damage"):
            getattr(self.host, step)()
            self.there = False
            self.touch()
        else:
            if step == "grow":
                self.turns += self.fresh(count)
            elif step == "first":
                self.turns = self.turns[count:]
            elif step == "last":
                self.turns = self.turns[:-count]
            elif step == "middle":
                self.turns = self.turns[:half] + self.turns[half + count :]
            elif step == "stub":
                self.turns = []
            elif step == "other":
                self.session = f"s{int(self.session[1:]) + 1}"
                self.turns = self.fresh(2)
            elif step in ("rewrite", "longer") and self.turns:
                number, text = self.turns[count % len(self.turns)]
                self.turns[count % len(self.turns)] = (number, self.said() if step == "rewrite" else text + " and on")
            self.write()

    def fresh(self, count: int) -> list[tuple[int, str]]:
        return [(self.number + 1, self.said()) for _ in range(count)]

    def reopen(self) -> None:
        self.memory.close()
        self.memory = self.open()

    def rebuild(self) -> None:
        self.memory.maintenance.rebuild()
        self.note()  # since it reads what the host has now

    def capture(self) -> None:
        self.memory.maintenance.capture((str(self.host.path.parent),))
        self.note()

    def note(self) -> None:
        if self.there:
            held = self.kept.setdefault(f"session://{self.host.host}/{self.session}", {})
            for number, text in self.turns:
                for part in [one for one in held if text.startswith(one)]:
                    del held[part]  # the turn went on
                held[text] = number

    def close(self) -> None:
        self.memory.close()
        self.host.close()

    def check(self) -> None:
        """Every turn is searched, read, exported and restored, once."""
        for uri, held in self.kept.items():
            if not held:
                continue
            indexed = [one.passage.text for one in self.memory.context.index.passages_of(uri)]
            assert_all_once(indexed, held)
            read = [turn.text for turn in self.memory.sessions.get(uri).turns]
            assert_all_once([text for text in read if "quetzal" in text], held)
            text = self.memory.sessions.export(uri).text
            assert all(one in text for one in held)
            number = len(self.memory.context.storage.archive.of_session(uri))
            back = self.folder / f"back-{self.written}"
            restored = ""
            for one in range(1, number + 1):
                place = back.with_name(f"{back.name}-{uri[-1]}-{one}")
                self.memory.sessions.restore(uri, to=str(place), version=one)
                restored += place.read_text(encoding="utf-8")
                place.unlink()
            assert all(one in restored for one in held)
            found = self.memory.sessions.search(next(iter(held)).split()[2]).hits
            assert found and found[0].item.key == uri and found[0].exact
        assert self.memory.context.storage.archive.check() == ()


def assert_all_once(texts, held) -> None:
    """Whether each turn is there once; what was said before it went on may stand beside it, where a host gives turns no names."""
    assert held.keys() <= set(texts) and len(set(texts)) == len(texts)
    assert all(text in held or any(one.startswith(text) for one in held) for text in texts)


#: Files that were written behind their turns, and such that were written before: the clock of their host was ahead.
WRITTEN = st.sampled_from([int(START.timestamp()) + 3600, 10**9])


def lived(kind, steps, written_s) -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")) as folder:
        life = Life(kind, Path(folder), written_s)
        try:
            for step, count in steps:
                life.do(step, count)
            life.capture()
            life.check()
            life.do("rebuild", 0)
            life.check()
        finally:
            life.close()


@pytest.mark.parametrize("kind", HOSTS, ids=lambda kind: kind.__name__)
@settings(max_examples=6, deadline=None, derandomize=True)  # the same lives each time; soak lives others
@given(st.lists(STEPS, min_size=4, max_size=14), WRITTEN)
def test_any_life(kind, steps, written_s):
    """X-42: after any sequence of growing, cutting, rewriting, replacing, deleting, damaging and capturing, the archive has the union of
    all turns that stood there at a capture, search finds each, and rebuild, export and restore give each."""
    lived(kind, [("grow", 3), ("capture", 0), *steps], written_s)


@pytest.mark.parametrize("written_s", [int(START.timestamp()) + 3600, 10**9], ids=["in order", "ahead"])
@pytest.mark.parametrize("kind", HOSTS, ids=lambda kind: kind.__name__)
def test_rewritten_message_stands_once(kind, written_s):
    """X-42: a message that its host rewrote, a rebuild, and more turns: both forms of it stand once, also where times cannot be true."""
    steps = [("grow", 3), ("capture", 0), ("rewrite", 1), ("rebuild", 0), ("grow", 3)]
    lived(kind, steps, written_s)
    lived(
        kind, [*steps[:3], ("capture", 0), *steps[3:], ("capture", 0), ("rewrite", 2), ("rebuild", 0), ("grow", 1)], written_s
    )


@pytest.mark.parametrize("kind", HOSTS, ids=lambda kind: kind.__name__)
def test_stub_that_grows(kind):
    """X-42: what is said behind a stub that a rebuild found belongs to the conversation, also where only the head of a file names it."""
    lived(kind, [("grow", 3), ("capture", 0), ("stub", 0), ("rebuild", 0), ("grow", 1)], int(START.timestamp()) + 3600)


@pytest.mark.parametrize("kind", HOSTS, ids=lambda kind: kind.__name__)
def test_title_stays(kind, tmp_path):
    """X-42: a conversation that its host cut to nothing is called as before: by the capture that notices, in the list, after a rebuild."""
    life = Life(kind, tmp_path, int(START.timestamp()) + 3600)
    try:
        life.do("grow", 3)
        (before,) = life.memory.maintenance.capture((str(life.host.path.parent),)).sessions
        life.do("stub", 0)
        told = life.memory.maintenance.capture((str(life.host.path.parent),)).sessions
        assert before.title
        assert all(one.title == before.title for one in told)
        for _ in range(2):
            assert [one.title for one in life.memory.sessions.list()] == [before.title]
            life.rebuild()
    finally:
        life.close()


@pytest.mark.soak
@pytest.mark.parametrize("kind", HOSTS, ids=lambda kind: kind.__name__)
@settings(max_examples=1000, deadline=None)
@given(st.lists(STEPS, min_size=4, max_size=25), WRITTEN)
def test_any_long_life(kind, steps, written_s):
    """The same for thousands of longer sequences."""
    lived(kind, [("grow", 3), ("capture", 0), *steps], written_s)
