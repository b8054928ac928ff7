"""One conversation is one source: copies, forks, second stores and rewritten files add no turn twice and confirm nothing."""

import json
import random
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from vademecum.adapters.zstandard import zstd
from vademecum.domain.query import Scope
from vademecum.settings import Settings
from vademecum.wiring import open_memory

START = datetime(2026, 2, 1, 9, tzinfo=UTC)


class Talk:
    """A conversation of a person and an agent, to be written as several hosts do."""

    def __init__(self, name, *texts, start=START):
        self.name = name
        self.said = [(text, start + timedelta(seconds=37 * number)) for number, text in enumerate(texts)]

    def claude(self, ids="", name="", upto=None, times=None):
        """Lines of Claude Code. `ids`: what the ids of its turns are made of; `times`: replaces the times."""
        for number, (text, time) in enumerate(self.said[:upto]):
            role = "assistant" if number % 2 else "user"
            content = [{"type": "text", "text": text}] if number % 2 else text
            uuid = f"{abs(hash(ids or self.name)) % 10**8:08d}-0000-4000-8000-{number:012d}"
            line = {"type": role, "uuid": uuid, "parentUuid": None, "isSidechain": False, "sessionId": name or self.name}
            stamp = times(number) if times else time
            yield json.dumps({**line, "timestamp": stamp.isoformat(), "message": {"role": role, "content": content}})

    def codex(self, spaced=False, **header):
        separators = (", ", ": ") if spaced else (",", ":")
        head = {
            "timestamp": START.isoformat(),
            "type": "session_meta",
            "payload": {"id": self.name, "cwd": "/srv/larder", **header},
        }
        yield json.dumps(head, separators=separators)
        for number, (text, time) in enumerate(self.said):
            role, kind = ("assistant", "output_text") if number % 2 else ("user", "input_text")
            payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
            yield json.dumps(
                {"timestamp": time.isoformat(), "type": "response_item", "payload": payload}, separators=separators
            )

    def plain(self, timed=True, upto=None):
        for number, (text, time) in enumerate(self.said[:upto]):
            line = {"role": "assistant" if number % 2 else "user", "text": text}
            yield json.dumps(line | ({"time": time.isoformat()} if timed else {}))


def put(path, lines, newline="\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(line + newline for line in lines).encode())


def texts(memory):
    """What stands in the index, of all conversations."""
    keys = [item.key for item in memory.context.index.select(Scope(sources=("session",), statuses=None))]
    return sorted(stored.passage.text for key in keys for stored in memory.context.index.passages_of(key))


def saved(memory):
    items = memory.context.index.select(Scope(sources=("memory",), statuses=None), limit=100)
    return sorted((item.title, item.confirmations) for item in items)


JARS = Talk(
    "a0000000-0000-4000-8000-000000000001",
    "Remember: the jars are sealed with wax.", "Sealed with wax.", "yes", "Then I go on with the lids.", "continue",
    "The lids are on, all forty of them.", "yes", "The shelf is full now, so I stopped.",
)  # fmt: skip
REMEMBERED = [("the jars are sealed with wax", 0)]


def check(memory, *more):
    assert texts(memory) == sorted([text for text, _ in JARS.said] + list(more))
    assert [(title.lower(), count) for title, count in saved(memory)] == REMEMBERED


FORK = "b0000000-0000-4000-8000-000000000002"


@pytest.mark.parametrize("first", ["original", "copy"])
@pytest.mark.parametrize(
    "copy",
    [
        lambda: JARS.claude(ids="other", name=FORK),
        lambda: JARS.claude(name=FORK),
        lambda: JARS.claude(ids="other", name=FORK, times=lambda number: START + timedelta(days=2, milliseconds=number)),
        JARS.plain,
        lambda: JARS.plain(timed=False),
        JARS.codex,
    ],
    ids=["remapped", "same-ids", "written-at-once", "export", "export-without-times", "other-host"],
)
def test_a_copy_adds_nothing(memory, tmp_path, copy, first):
    """A copy with the same ids, with others, with new times, in another format, read before or behind the original."""
    writes = [
        lambda: put(tmp_path / "talk" / f"{JARS.name}.jsonl", JARS.claude()),
        lambda: put(tmp_path / "talk" / f"{FORK}.jsonl", copy()),
    ]
    for write in writes if first == "original" else reversed(writes):
        write()
        memory.maintenance.capture((str(tmp_path / "talk"),))
    check(memory)


def test_a_fork_keeps_its_own_turns(memory, tmp_path):
    """capture-13: a fork whose copied lines keep the parent's id is a conversation of its own, with its own turns alone."""
    own = Talk(FORK, "Fork: never weigh the lids, they are all alike.", "Not weighed.", start=START + timedelta(days=1))
    put(tmp_path / "talk" / f"{JARS.name}.jsonl", JARS.claude())
    put(tmp_path / "talk" / f"{FORK}.jsonl", [*JARS.claude(), *own.claude()])
    memory.maintenance.capture((str(tmp_path / "talk"),))
    fork = [one.passage.text for one in memory.context.index.passages_of(f"session://claude-code/{FORK}")]
    assert fork == [text for text, _ in own.said]
    assert texts(memory) == sorted(text for text, _ in [*JARS.said, *own.said])


def test_a_rewritten_file_has_the_same_turns(memory, tmp_path):
    """capture-27: a longer header, other spacing and other line ends change no turn; what the person deleted does not come back."""
    path = tmp_path / "talk" / "rollout-1.jsonl"
    put(path, JARS.codex())
    memory.maintenance.capture((str(tmp_path / "talk"),))
    check(memory)
    (note,) = [
        one for one in (tmp_path / "Vault").rglob("*.md") if "sealed with wax" in one.read_text() and "fact" in one.parts
    ]
    note.unlink()
    memory.maintenance.sync()
    for lines, newline in ((JARS.codex(git={"branch": "main"}), "\n"), (JARS.codex(spaced=True), "\r\n")):
        put(path, lines, newline)
        assert [one.saved for one in memory.maintenance.capture((str(tmp_path / "talk"),)).sessions] == [()]
        assert texts(memory) == sorted(text for text, _ in JARS.said)
    put(tmp_path / "talk" / f"{FORK}.jsonl", JARS.claude(name=FORK))
    memory.maintenance.capture((str(tmp_path / "talk"),))
    assert saved(memory) == []


def test_said_twice_is_two_turns(memory, tmp_path):
    """Short answers, and the same question in two conversations at two times, are turns of their own."""
    one = Talk("c1", "Run the tests and fix what fails.", "All of them pass now.", "yes", "Done.")
    other = Talk(
        "c2", "Run the tests and fix what fails.", "Two of them fail still.", "yes", "Done.", start=START + timedelta(days=3)
    )
    put(tmp_path / "talk" / "one.jsonl", one.plain())
    put(tmp_path / "talk" / "other.jsonl", other.plain())
    memory.maintenance.capture((str(tmp_path / "talk"),))
    assert texts(memory) == sorted(text for text, _ in [*one.said, *other.said])


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_copies(memory, tmp_path, seed):
    """However a conversation is copied, forked, written anew and captured, what stands in the index is what was said, once."""
    chance = random.Random(seed)
    words = ["yes", "continue", "ok"]
    said = [
        chance.choice(words)
        if chance.random() < 0.3
        else f"Crate {number} of the {chance.choice(words)} row weighs {number * 7} kg."
        for number in range(chance.randrange(4, 14))
    ]
    said[0] = "Remember: the jars are sealed with wax."
    talk = Talk(f"d0000000-0000-4000-8000-{seed:012d}", *said)
    forked = Talk(
        f"e0000000-0000-4000-8000-{seed:012d}",
        "Count the crates of the fork anew.",
        "Counted.",
        start=START + timedelta(days=1),
    )
    upto = chance.randrange(2, len(said) + 1)
    folder = tmp_path / "talk"
    steps = [
        lambda: put(folder / f"{talk.name}.jsonl", talk.claude(upto=upto)),
        lambda: put(folder / f"{talk.name}.jsonl", talk.claude()),
        lambda: put(folder / f"{forked.name}.jsonl", [*talk.claude(ids="x", name=forked.name, upto=upto), *forked.claude()]),
        lambda: put(folder / "export.jsonl", talk.plain()),
        lambda: put(folder / "conflict copy.jsonl", talk.claude()),
        lambda: put(folder / "rollout.jsonl", Talk("f1", *said).codex(spaced=chance.random() < 0.5)),
    ]
    chance.shuffle(steps)
    for step in (*steps, *chance.choices(steps, k=3), steps[0], *(one for one in steps)):
        step()
        if chance.random() < 0.7:
            memory.maintenance.capture((str(folder),))
    put(folder / f"{talk.name}.jsonl", talk.claude())
    memory.maintenance.capture((str(folder),))
    assert texts(memory) == sorted([*said, *(text for text, _ in forked.said)])
    assert [(title.lower(), count) for title, count in saved(memory)] == REMEMBERED


@pytest.mark.parametrize("is_over", [False, True])
def test_a_pause_holds_for_a_copy(memory, clock, tmp_path, is_over):
    """capture-57: what was said in a pause stays out of a copy under another id, and its continuation is paused as well."""
    talk = Talk(JARS.name, "Remember: the ferns get water.", "ok", start=clock.now() - timedelta(minutes=5))
    path = tmp_path / "talk" / f"{talk.name}.jsonl"
    put(path, talk.claude())
    memory.maintenance.capture((str(tmp_path / "talk"),))
    memory.context.storage.pauses.begin(clock.now(), f"session://claude-code/{talk.name}")
    talk.said += [
        ("Remember: the keys lie under the fern in the pot.", clock.now() + timedelta(seconds=1)),
        ("ok", clock.now() + timedelta(seconds=2)),
    ]
    put(path, talk.claude())
    memory.maintenance.capture((str(tmp_path / "talk"),))
    own = Talk(FORK, "Remember: nobody hears of the keys.", "ok", start=clock.now() + timedelta(seconds=9))
    clock.advance(timedelta(minutes=1))
    if is_over:
        memory.context.storage.pauses.end(clock.now(), f"session://claude-code/{talk.name}")
    put(tmp_path / "talk" / f"{FORK}.jsonl", [*talk.claude(name=FORK), *own.claude()])
    memory.maintenance.capture((str(tmp_path / "talk"),))
    assert not [text for text in texts(memory) if "keys" in text]
    assert [title for title, _ in saved(memory)] == ["the ferns get water"] or len(saved(memory)) == 1
    archive = memory.context.storage.archive
    assert not [one for record in archive.records() for one in archive.read(record) if b"keys" in one]


def test_an_exclusion_holds_for_a_copy(memory, tmp_path):
    """Nothing is learnt from the continuation of a conversation that the person excluded."""
    put(tmp_path / "talk" / f"{JARS.name}.jsonl", JARS.claude(upto=2))
    memory.context.storage.pauses.exclude(f"session://claude-code/{JARS.name}", START)
    memory.maintenance.capture((str(tmp_path / "talk"),))
    more = Talk(FORK, "Remember: the lids are green.", "Green lids.", start=START + timedelta(days=1))
    put(tmp_path / "talk" / f"{FORK}.jsonl", [*JARS.claude(ids="x", name=FORK, upto=2), *more.claude()])
    memory.maintenance.capture((str(tmp_path / "talk"),))
    assert saved(memory) == []


KEYS = [
    "Remember: the keys lie under the fern in the pot.",
    "Under the fern, I see.",
    "Remember: the spare keys lie in the pump house.",
]


@pytest.mark.parametrize("order", ["together", "copy-first", "original-first", "original-never"])
@pytest.mark.parametrize("trigger", ["background", "fork", "resume"])
@pytest.mark.parametrize("begins_in_pause", [False, True])
def test_a_pause_is_known_before_its_copy(memory, clock, tmp_path, trigger, order, begins_in_pause):
    """capture-57: what was said in a pause stays out of a copy that is read before its original, with it or behind it, and is taken out
    of one that was read before the original was there."""
    said = [] if begins_in_pause else ["Remember: the ferns get water.", "Water for the ferns."]
    talk = Talk(JARS.name, *said, start=clock.now() - timedelta(minutes=5))
    folder, uri = tmp_path / "talk", f"session://claude-code/{JARS.name}"
    clock.advance(timedelta(minutes=1))
    memory.context.storage.pauses.begin(clock.now(), uri)
    talk.said += [(text, clock.now() + timedelta(seconds=20 * number)) for number, text in enumerate(KEYS, 1)]
    if len(talk.said) % 2:
        talk.said.append(("Noted in the pump house as well.", clock.now() + timedelta(seconds=90)))
    clock.advance(timedelta(minutes=5))
    memory.context.storage.pauses.end(clock.now(), uri)
    clock.advance(timedelta(hours=1))
    own = Talk(FORK, "Remember: the lids are green.", "Green lids.", start=clock.now())
    copied = {
        "background": lambda: talk.claude(name=FORK),
        "fork": lambda: talk.claude(ids="x", name=FORK),
        "resume": lambda: talk.claude(
            ids="x", name=FORK, times=lambda number: clock.now() - timedelta(seconds=9 - number / 50)
        ),
    }[trigger]
    writes = [
        lambda: put(folder / f"{JARS.name}.jsonl", talk.claude()),
        lambda: put(folder / f"{FORK}.jsonl", [*copied(), *own.claude()]),
    ]
    clock.advance(timedelta(minutes=1))
    for write in reversed(writes) if order == "copy-first" else writes:
        write()
        if order in ("copy-first", "original-first"):
            memory.maintenance.capture((str(folder),))
    if order == "original-never":  # a hook tells of the copy alone
        memory.maintenance.capture((str(folder / f"{FORK}.jsonl"),))
    memory.maintenance.capture((str(folder),))
    assert sorted(set(texts(memory))) == sorted([*said, *(text for text, _ in own.said)])
    assert len(texts(memory)) == len(set(texts(memory))) or (trigger == "resume" and order in ("copy-first", "original-never"))
    kept = ["the ferns get water", "the lids are green"] if said else ["the lids are green"]
    assert sorted(title.lower() for title, _ in standing(memory)) == kept
    archive = memory.context.storage.archive
    assert not [one for record in archive.records() for one in archive.read(record) if b"keys" in one]
    memory.maintenance.rebuild()
    memory.maintenance.capture((str(folder),))
    assert sorted(set(texts(memory))) == sorted([*said, *(text for text, _ in own.said)])


def test_a_pause_ends_for_its_copies(memory, clock, tmp_path):
    """Ending a pause of a conversation ends what its copies inherited; ending it for a copy does not end that of the original."""
    uri, copy = (f"session://claude-code/{name}" for name in (JARS.name, FORK))
    talk = Talk(JARS.name, "Remember: the ferns get water.", "Water for the ferns.", start=clock.now() - timedelta(minutes=5))
    put(tmp_path / "talk" / f"{JARS.name}.jsonl", talk.claude())
    memory.context.storage.pauses.begin(clock.now(), uri)
    talk.said += [(text, clock.now() + timedelta(seconds=number)) for number, text in enumerate(KEYS)]
    put(tmp_path / "talk" / f"{JARS.name}.jsonl", talk.claude())
    put(tmp_path / "talk" / f"{FORK}.jsonl", talk.claude(name=FORK))
    clock.advance(timedelta(minutes=9))
    memory.maintenance.capture((str(tmp_path / "talk"),))
    pauses = memory.context.storage.pauses
    assert {pause.session for pause in pauses.all() if pause.end is None} == {uri, copy}
    memory.sessions.resume(uri)
    assert not [pause for pause in pauses.all() if pause.end is None]
    own = Talk(FORK, "Remember: the lids are green.", "Green lids.", start=clock.now() + timedelta(seconds=1))
    put(tmp_path / "talk" / f"{FORK}.jsonl", [*talk.claude(name=FORK), *own.claude()])
    memory.maintenance.capture((str(tmp_path / "talk"),))
    assert [text for text, _ in own.said] == [text for text in texts(memory) if "reen" in text][::-1]
    assert not [text for text in texts(memory) if "keys" in text]


@pytest.mark.parametrize("first", ["original", "copy"])
def test_an_exclusion_reaches_copies_from_before(memory, tmp_path, first):
    """Nothing is told any more of what was learnt in a continuation that was captured before its original was excluded."""
    more = Talk(FORK, "Remember: the lids are green.", "Green lids.", start=START + timedelta(days=1))
    writes = [
        lambda: put(tmp_path / "talk" / f"{JARS.name}.jsonl", JARS.claude()),
        lambda: put(tmp_path / "talk" / f"{FORK}.jsonl", [*JARS.claude(ids="x", name=FORK), *more.claude()]),
    ]
    for write in writes if first == "original" else reversed(writes):
        write()
        memory.maintenance.capture((str(tmp_path / "talk"),))
    put(tmp_path / "talk" / "other.jsonl", Talk("other", "Remember: the pumps are blue.", "Blue pumps.").plain())
    memory.maintenance.capture((str(tmp_path / "talk"),))
    excluded = memory.sessions.exclude(f"session://claude-code/{JARS.name}")
    assert len(excluded.learnt) == 2
    names = {JARS.name, FORK}
    assert memory.context.storage.pauses.excluded() == {f"session://claude-code/{name}" for name in names}
    memory.sessions.include(f"session://claude-code/{JARS.name}")
    memory.sessions.exclude(f"session://claude-code/{FORK}")
    assert memory.context.storage.pauses.excluded() == {f"session://claude-code/{FORK}"} or first == "copy"


LONG = "The crates of row {} are weighed and counted, and what is missing is written on the board by the door. "


def test_turns_from_before_the_upgrade(memory, tmp_path):
    """Turns that the index holds from before turns were noted, or whose notes were lost, are known in copies, long ones as well."""
    said = Talk(JARS.name, *(text for text, _ in JARS.said), "".join(LONG.format(number) for number in range(80)), "Counted.")
    put(tmp_path / "talk" / f"{JARS.name}.jsonl", said.claude())
    memory.maintenance.capture((str(tmp_path / "talk"),))
    memory.close()
    with sqlite3.connect(tmp_path / "data" / "device.db") as state:
        state.execute("DELETE FROM said")
        state.execute("DELETE FROM turn")
    with open_memory(memory_settings(tmp_path)) as again:
        before = texts(again)
        put(tmp_path / "talk" / f"{FORK}.jsonl", said.claude(ids="x", name=FORK))
        again.maintenance.capture((str(tmp_path / "talk"),))
        assert texts(again) == before
        assert [(title.lower(), count) for title, count in saved(again)] == REMEMBERED


@pytest.mark.parametrize("later", ["original", "copy"])
def test_a_rebuilt_index_has_what_a_second_file_held(memory, tmp_path, later):
    """Turns that only a second file of a conversation holds are in an index that is built anew, whichever file was written last."""
    put(tmp_path / "talk" / "a.jsonl", [*JARS.claude(upto=6)])
    memory.maintenance.capture((str(tmp_path / "talk"),))
    put(tmp_path / "talk" / "b.jsonl", JARS.claude())
    memory.maintenance.capture((str(tmp_path / "talk"),))
    check(memory)
    (tmp_path / "talk" / ("a.jsonl" if later == "original" else "b.jsonl")).touch()
    memory.maintenance.rebuild()
    check(memory)
    memory.maintenance.capture((str(tmp_path / "talk"),))
    check(memory)


def test_a_conversation_that_goes_on_in_a_second_file(memory, tmp_path):
    """A host that changed its store leaves the old file behind: the whole conversation is shown, archived and read from the new one."""
    folder = tmp_path / "talk"
    put(folder / "a.jsonl", JARS.claude(upto=4))
    memory.maintenance.capture((str(folder),))
    put(folder / "b.jsonl", JARS.claude())
    memory.maintenance.capture((str(folder),))
    memory.maintenance.capture((str(folder),))
    check(memory)
    uri = f"session://claude-code/{JARS.name}"
    said = [text for text, _ in JARS.said]
    assert [turn.text for turn in memory.sessions.get(uri).turns] == said
    (folder / "a.jsonl").unlink()
    (folder / "b.jsonl").unlink()
    assert [turn.text for turn in memory.sessions.get(uri).turns] == said


def cursor_transcript(folder, talk):
    """Cursor's lines, which have no times and no ids."""
    lines = (
        json.dumps({"role": "assistant" if number % 2 else "user", "message": {"content": [{"type": "text", "text": text}]}})
        for number, (text, _) in enumerate(talk.said)
    )
    put(folder / ".cursor" / "projects" / "srv-larder" / "agent-transcripts" / talk.name / f"{talk.name}.jsonl", lines)


def cursor_database(folder, talk):
    path = folder / "state.vscdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    headers = [{"bubbleId": f"b{number}", "type": 1 + number % 2} for number in range(len(talk.said))]
    begun = int(talk.said[0][1].timestamp() * 1000)
    about = {"_v": 10, "composerId": talk.name, "name": "Jars", "createdAt": begun, "fullConversationHeadersOnly": headers}
    rows = {f"composerData:{talk.name}": about}
    for header, (text, time) in zip(headers, talk.said, strict=True):
        rows[f"bubbleId:{talk.name}:{header['bubbleId']}"] = {"_v": 3, **header, "text": text, "createdAt": time.isoformat()}
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE ItemTable(key TEXT UNIQUE, value BLOB)")
        base.execute("CREATE TABLE cursorDiskKV(key TEXT UNIQUE, value BLOB)")
        base.executemany("INSERT INTO cursorDiskKV VALUES(?, ?)", [(key, json.dumps(value)) for key, value in rows.items()])


def codex_lines(folder, talk):
    put(folder / ".codex" / "sessions" / "2026" / "02" / "01" / f"rollout-2026-02-01T09-00-00-{talk.name}.jsonl", talk.codex())


def codex_packed(folder, talk):
    path = folder / ".codex" / "archived_sessions" / f"rollout-2026-02-01T09-00-00-{talk.name}.jsonl.zst"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zstd.compress("".join(line + "\n" for line in talk.codex()).encode()))


STORES = {
    "cursor": (cursor_transcript, cursor_database),
    "codex": (codex_lines, codex_packed),
}


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("host", STORES)
def test_two_stores_of_one_conversation(memory, tmp_path, host, order, together):
    """capture-30: a host that keeps a conversation in two stores has said each turn once, and nothing is confirmed by the other."""
    for write in STORES[host][::order]:
        write(tmp_path / "talk", JARS)
        if not together:
            memory.maintenance.capture((str(tmp_path / "talk"),))
    memory.maintenance.capture((str(tmp_path / "talk"),))
    check(memory)


def test_what_was_said_in_a_pause_outlives_the_database(memory, clock, tmp_path):
    """Hashes of paused turns tell copies apart also when the device's database is lost and the original is gone."""
    uri = f"session://claude-code/{JARS.name}"
    talk = Talk(JARS.name, *KEYS, "Noted.", start=clock.now() + timedelta(seconds=1))
    memory.context.storage.pauses.begin(clock.now(), uri)
    put(tmp_path / "talk" / f"{JARS.name}.jsonl", talk.claude())
    clock.advance(timedelta(minutes=9))
    memory.maintenance.capture((str(tmp_path / "talk"),))
    memory.close()
    (tmp_path / "talk" / f"{JARS.name}.jsonl").unlink()
    for file in (tmp_path / "data").glob("device.db*"):
        file.unlink()
    later = clock.now() + timedelta(days=1)
    put(tmp_path / "talk" / f"{FORK}.jsonl", talk.claude(ids="x", name=FORK, times=lambda n: later + timedelta(milliseconds=n)))
    with open_memory(memory_settings(tmp_path)) as again:
        again.maintenance.capture((str(tmp_path / "talk"),))
        assert not [text for text in texts(again) if "keys" in text]
        assert saved(again) == []


def memory_settings(folder):
    places = {"home": str(folder / "Vault" / "Vademecum"), "data_dir": str(folder / "data"), "cache_dir": str(folder / "cache")}
    return Settings(**places, device="laptop", embedder="none")


def standing(memory):
    items = memory.context.index.select(Scope(sources=("memory",)), limit=100)
    return [(item.title, item.confirmations) for item in items]


def test_turns_of_a_second_file_are_archived(memory, tmp_path):
    """Turns that only a second file of a conversation has stay when the host deletes both files."""
    folder, uri = tmp_path / "talk", f"session://claude-code/{JARS.name}"
    lines = list(JARS.claude())
    put(folder / "a.jsonl", lines[:-2])
    put(folder / "b.jsonl", [*lines[:2], *lines[-2:]])
    for _ in range(2):
        memory.maintenance.capture((str(folder),))
    said = [text for text, _ in JARS.said]
    assert sorted(turn.text for turn in memory.sessions.get(uri).turns) == sorted(said)
    for name in "ab":
        (folder / f"{name}.jsonl").unlink()
    assert [turn.text for turn in memory.sessions.get(uri).turns] == said
