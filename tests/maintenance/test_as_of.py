"""What was believed at a moment, and why it is no longer."""

import contextlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum.adapters.clock import FixedClock
from vademecum.domain.errors import NotFound, VademecumError
from vademecum.domain.query import Query, Scope
from vademecum.domain.saved import SaveOptions
from vademecum.settings import Settings
from vademecum.wiring import open_memory

DAY = timedelta(days=1)


def titles(memory, question, moment, **more):
    return [hit.item.title for hit in memory.recall.ask(Query(question, Scope(as_of=moment, **more))).hits]


@pytest.fixture
def changed(memory, clock):
    """A truth that was replaced a week after it was saved; gives the three moments and both memories."""
    before = clock.now()
    clock.advance(DAY)
    first = memory.notes.save("decision", "Cache", "We use Redis for caching.").memory
    known = clock.now()
    clock.advance(7 * DAY)
    second = memory.notes.save(
        "decision", "New cache", "We now use Memcached for caching.", SaveOptions(supersedes=(first.id,))
    ).memory
    return before, known, clock.now(), first, second


def test_recall_as_of(memory, changed):
    """A question about the past is answered by what was recorded then, with the status that it had then."""
    before, known, now, first, _ = changed
    assert titles(memory, "What do we use for caching?", before) == []
    hits = memory.recall.ask(Query("What do we use for caching?", Scope(as_of=known))).hits
    assert [(hit.item.key, hit.item.status) for hit in hits] == [(first.uri, "active")]
    assert titles(memory, "What do we use for caching?", now)[0] == "New cache"


def test_list_as_of(memory, changed):
    """A list as of a moment holds what stood then."""
    before, known, now, first, second = changed
    assert memory.notes.list(as_of=before) == ()
    assert [item.key for item in memory.notes.list(as_of=known, status=("active",))] == [first.uri]
    assert [item.key for item in memory.notes.list(as_of=now, status=("active",))] == [second.uri]


def test_asking_again_reads_nothing(memory, changed, monkeypatch):
    """The journals are read once for a moment that is asked about again; what is written or forgotten meanwhile counts at once."""
    _, known, _, first, _ = changed
    assert [item.key for item in memory.notes.list(as_of=known)] == [first.uri]
    with monkeypatch.context() as closed:
        closed.setattr(type(memory.context.vault.history), "as_of", None)
        assert titles(memory, "What do we use for caching?", known) == ["Cache"]
        assert [item.key for item in memory.notes.list(as_of=known)] == [first.uri]
    memory.notes.forget(first.id, yes=True)
    assert memory.notes.list(as_of=known) == ()


def test_show_as_of(memory, clock):
    """A memory is shown with the words it had then; where it took another's place, that one is shown."""
    first = memory.notes.save("fact", "Kettle", "Descale it with vinegar.").memory
    then = clock.now()
    clock.advance(DAY)
    memory.notes.edit(first.id, body="Descale it with lemons.\n")
    later = clock.now()
    clock.advance(DAY)
    new = memory.notes.evolve(first.id, "it broke", "There is no kettle.\n").memory
    assert "vinegar" in memory.notes.get(new.id, as_of=then).body
    assert "lemons" in memory.notes.get(new.id, as_of=later).body
    assert memory.notes.get(new.id, as_of=clock.now()).id == new.id
    with pytest.raises(NotFound):
        memory.notes.get(new.id, as_of=then - DAY)


def test_forgotten_stays_so(memory, clock):
    """X-36: a question about the past does not bring back what was forgotten."""
    saved = memory.notes.save("fact", "Wren", "The wren nests in the hedge.").memory
    then = clock.now()
    clock.advance(DAY)
    memory.notes.forget(saved.id, yes=True)
    assert titles(memory, "Where does the wren nest?", then) == []


def test_history_says_why(memory, changed):
    """History tells what took a memory's place, when, and why."""
    _, _, _, first, _ = changed
    last = memory.notes.history(first.id)[-1]
    assert (last.op, last.reason) == ("supersede", "replaced by a newer memory")


def test_stale_without_successor(memory, clock, told):
    """SW-34: what no longer holds and has no successor is set aside as superseded, its place taken by STALE; undo takes it back."""
    saved = memory.notes.save("fact", "Gate code", "The gate code is in the red folder.").memory
    gone = memory.notes.supersede(saved.id, "STALE", "the gate was replaced")
    assert (gone.status, gone.superseded_by, gone.valid_until) == ("superseded", ("STALE",), clock.now())
    assert memory.notes.list(status=("active",)) == ()
    memory.notes.undo()
    assert memory.notes.get(saved.id).status == "active"


def _done(memory, step, number, last):
    if step == "save":
        return memory.notes.save("fact", f"Stone {number}", f"Colour {number} of the pebble.").memory.id
    if step == "supersede":
        new = memory.notes.save("fact", f"Rock {number}", f"A rock of weight {number}.").memory.id
        return memory.notes.supersede(last, new).id
    if step == "edit":
        memory.notes.edit(last, body=f"Changed {number} times.\n")
    elif step == "undo":
        memory.notes.undo()
    else:
        getattr(memory.notes, step)(last)
    return last


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(st.sampled_from(["save", "edit", "supersede", "archive", "restore", "undo"]), min_size=1, max_size=8))
def test_past_never_changes(tmp_path_factory, steps):
    """Whatever is done later, what was believed at a moment stays what was believed at that moment."""
    folder = tmp_path_factory.mktemp("past")
    chosen = Settings(home=str(folder / "home"), data_dir=str(folder / "data"), device="d", embedder="none")
    (folder / "home").mkdir()
    clock = FixedClock(datetime(2026, 1, 1, tzinfo=UTC))
    with open_memory(chosen, clock=clock) as memory:
        seen = []
        last = memory.notes.save("fact", "Stone 0", "Stone 0 is grey.").memory.id
        for number, step in enumerate(steps, 1):
            now = tuple((item.key, item.status, item.title, item.digest) for item in memory.notes.list(as_of=clock.now()))
            seen.append((clock.now(), now))
            clock.advance(DAY)
            with contextlib.suppress(VademecumError):  # what cannot be done at this point is not done
                last = _done(memory, step, number, last)
        for moment, was in seen:
            assert tuple((i.key, i.status, i.title, i.digest) for i in memory.notes.list(as_of=moment)) == was


def test_stale_is_told(memory, clock):
    """What was neither changed nor confirmed for 90 days is told as stale, until it is confirmed."""
    saved = memory.notes.save("fact", "Spare key", "The spare key hangs in the shed.").memory
    clock.advance(100 * DAY)
    assert "stale" in memory.recall.bundle(Query("Where does the spare key hang?")).text
    memory.notes.confirm(saved.id)
    assert "stale" not in memory.recall.bundle(Query("Where does the spare key hang?")).text
