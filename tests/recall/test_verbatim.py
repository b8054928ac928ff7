"""A place in a conversation is found by the very words, then by what comes nearest; filters work before limits."""

import json
from datetime import timedelta

import pytest

from vademecum.domain.errors import InvalidInput, NotFound
from vademecum.domain.query import Query, SessionFilter
from vademecum.recall.numbers import CHUNK_CHARS


@pytest.fixture
def coded(tmp_path, clock):
    """Writes a conversation of Claude Code: (role, text) for speech, ("tool", name, file or command), ("result", text)."""
    folder = tmp_path / "projects"
    folder.mkdir()

    def written(name, *turns, cwd="/work/shop"):
        lines, moment = [], clock.now()
        for number, turn in enumerate(turns):
            moment += timedelta(seconds=10)
            role = {"user": "user", "agent": "assistant", "tool": "assistant", "result": "user"}[turn[0]]
            if turn[0] == "tool":
                key = "command" if turn[1] == "Bash" else "file_path"
                content = [{"type": "tool_use", "id": f"{name}{number}", "name": turn[1], "input": {key: turn[2]}}]
            elif turn[0] == "result":
                content = [{"type": "tool_result", "tool_use_id": f"{name}{number - 1}", "content": turn[1]}]
            else:
                content = turn[1] if role == "user" else [{"type": "text", "text": turn[1]}]
            lines.append({
                "type": role, "uuid": f"{name}-{number}", "sessionId": name, "cwd": cwd, "timestamp": moment.isoformat(),
                "version": "2.1.0", "isSidechain": False, "userType": "external", "message": {"role": role, "content": content},
            })  # fmt: skip
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(folder)

    return written


@pytest.fixture
def talked(memory, coded):
    """Three conversations about a shop."""
    coded(
        "aaa",
        ("user", "The import of the orders fails, please mend it."),
        ("tool", "Bash", "make import FILE=orders.csv"),
        ("result", 'reading orders.csv\nIntegrityError: duplicate key value violates unique constraint "orders_pkey"\nbye'),
        ("agent", "The import met an order twice. I will skip known ones."),
        ("tool", "Edit", "/work/shop/src/importer.py"),
        ("result", "updated"),
        ("agent", "Known orders are skipped now."),
        ("user", "Thanks, that works."),
    )
    coded(
        "bbb",
        ("user", "What does the importer do with an unknown customer?"),
        ("tool", "Read", "/work/shop/src/importer.py"),
        ("result", "def importer(): ..."),
        ("agent", "It refuses the order and says which customer is unknown."),
    )
    folder = coded("ccc", ("user", "thread-2026-03-02-abc123: plan the garden."), ("agent", "Potatoes first, then beans."))
    memory.maintenance.capture((folder,))
    return memory


def places(result):
    return [(hit.item.key.rpartition("/")[2], hit.passage.role, hit.exact) for hit in result.hits]


def test_error_text_typed_from_memory(talked):
    """The exact error finds its session, though only a tool ever wrote it, and with it the exchange it stood in."""
    result = talked.sessions.search('duplicate key value violates unique constraint "orders_pkey"')
    assert places(result)[0] == ("aaa", "tool", True)
    said = [passage.text for passage in result.hits[0].chunk]
    assert said[0] == "The import of the orders fails, please mend it." and "Known orders are skipped now." in said


def test_command(talked):
    """So does the command that was run."""
    assert places(talked.sessions.search("make import FILE=orders.csv"))[0] == ("aaa", "tool", True)


def test_nearest(talked):
    """Without the very words, what comes nearest is told, and as not exact."""
    found = talked.sessions.search("importer unknown customers")
    assert places(found)[0] == ("bbb", "user", False) and found.verdict == "near"


def test_words_that_stand_nowhere(talked):
    """What nobody said anything about is called so, though the nearest places are shown: a person may see in them what they meant."""
    found = talked.sessions.search("sourdough starter hydration")
    assert found.verdict == ("far" if found.hits else "nothing")
    assert talked.sessions.search("known orders are skipped").verdict == "exact"
    assert talked.sessions.search("importer", SessionFilter(host=("codex",))).verdict == "nothing"
    assert talked.sessions.search(within=SessionFilter(file=("importer.py",))).verdict == "uses"


def test_recall_does_not_see_tools(talked, told):
    """What a tool wrote is nobody's word: recall never tells it."""
    assert told(talked, "duplicate key value violates unique constraint orders_pkey", gated=False, limit=9)
    hits = talked.sessions.search("IntegrityError duplicate", SessionFilter(role="user")).hits
    assert all(hit.passage.role == "user" for hit in hits)
    found = talked.recall.ask(Query("IntegrityError duplicate key value", gated=False)).hits
    assert all(hit.item.source != "log" for hit in found)


def test_log_has_no_name(talked):
    """What a conversation's tools did is no second thing of that name, and no file that a sync could miss."""
    assert talked.context.index.named("aaa.jsonl") == ()
    assert talked.maintenance.sync().dropped == 0
    assert len(talked.sessions.list()) == 3


def test_filters_before_limits(talked, coded):
    """X-15: role, host, project, file, tool, thread and time each work before the limit, however many others come nearer."""
    folder = ""
    for number in range(30):
        folder = coded(f"n{number}", ("user", "importer importer importer"), ("agent", "the importer, yes"))
    talked.maintenance.capture((folder,))

    def first(**where):
        return {
            hit.item.key.rpartition("/")[2] for hit in talked.sessions.search("importer", SessionFilter(**where), limit=3).hits
        }

    assert first(file=("importer.py",)) <= {"aaa", "bbb"} and first(file=("importer.py",))
    assert first(file=("src/importer.py",), tool=("Read",)) == {"bbb"}
    assert {hit.passage.role for hit in talked.sessions.search("importer", SessionFilter(role="agent"), limit=3).hits} == {
        "agent"
    }
    assert first(host=("codex",)) == set()
    assert first(session="bbb") == first(session="session://claude-code/bbb") == {"bbb"}
    assert {hit.passage.role for hit in talked.sessions.search("importer", SessionFilter(source="log"), limit=3).hits} == {
        "tool"
    }
    assert "tool" not in {
        hit.passage.role for hit in talked.sessions.search("importer", SessionFilter(source="session"), limit=99).hits
    }
    last = talked.sessions.search("importer", limit=99).hits[0].passage.time
    assert {hit.passage.time < last for hit in talked.sessions.search("importer", SessionFilter(until=last), limit=3).hits} == {
        True
    }
    assert first(project="nobody") <= set(first())  # conversations of no project belong everywhere
    garden = talked.sessions.search("beans", SessionFilter(thread="thread-2026-03-02-abc123"), limit=1)
    assert places(garden)[0][0] == "ccc"


def test_one_session_alone(talked, coded):
    """A conversation whose id begins as another's ends there: one that is named is searched alone, tools included."""
    turns = (("user", "The kiosk is red."), ("tool", "Bash", "paint kiosk"), ("result", "done"))
    talked.maintenance.capture((coded("aaa2", *turns), coded("aaa22", *turns)))
    found = talked.sessions.search("kiosk", SessionFilter(session="aaa2"), limit=9)
    assert {hit.item.key for hit in found.hits} == {"session://claude-code/aaa2"}
    painted = talked.sessions.search("paint kiosk", SessionFilter(session="aaa2", role="tool"), limit=9)
    assert {hit.item.key for hit in painted.hits} == {"session://claude-code/aaa2"}
    used = talked.sessions.search(within=SessionFilter(tool=("Bash",), session="aaa22")).touches
    assert [item.key for item, _ in used] == ["session://claude-code/aaa22"]
    with pytest.raises(NotFound, match="nowhere"):
        talked.sessions.search("kiosk", SessionFilter(session="nowhere"))


def test_nothing_to_look_for(talked):
    """Neither words nor a tool nor a file: nothing can be found, and it says what to give."""
    with pytest.raises(InvalidInput) as refused:
        talked.sessions.search("  ", SessionFilter(role="user"))
    assert "tool or file" in refused.value.hint


def test_last_edit(talked, coded, clock):
    """Where was a file last edited: by file and tool, without any word."""
    clock.advance(timedelta(days=1))
    talked.maintenance.capture(
        (coded("ddd", ("user", "Rename it."), ("tool", "Edit", "/work/shop/src/importer.py"), ("result", "ok")),)
    )
    used = talked.sessions.search(within=SessionFilter(file=("importer.py",), tool=("Edit",))).touches
    assert [(item.key.rpartition("/")[2], touch.tool) for item, touch in used] == [("ddd", "Edit"), ("aaa", "Edit")]
    assert [touch.tool for _, touch in talked.sessions.search(within=SessionFilter(file=("src/importer.py",))).touches] == [
        "Edit",
        "Edit",
        "Read",
    ]


def test_around(memory, coded):
    """Ten turns before and behind a hit, and no others."""
    turns = [("user" if n % 2 == 0 else "agent", f"turn number {n} about nothing") for n in range(60)]
    turns[30] = ("user", "the zebra stood here")
    memory.maintenance.capture((coded("zzz", *turns),))
    hit = memory.sessions.search("the zebra stood here", around=10).hits[0]
    assert [passage.turn for passage in hit.around] == list(range(20, 41))


def test_pairs_are_not_divided(memory, coded):
    """An exchange is made of whole pairs up to about 500 tokens; a pair alone may fill it, and is cut only between turns."""
    short = [turn for n in range(8) for turn in (("user", f"question {n} " + "x" * 300), ("agent", f"answer {n} " + "y" * 300))]
    memory.maintenance.capture((coded("sss", *short),))
    chunk = memory.sessions.search("answer 2").hits[0].chunk
    assert [passage.turn for passage in chunk] == [4, 5, 6, 7, 8, 9], "the pair of the hit and those behind it that fit"
    assert sum(len(passage.text) for passage in chunk) <= CHUNK_CHARS
    long = [("user", "tell me of the whale")] + [("agent", f"part {n} of the whale " + "z" * 900) for n in range(9)]
    memory.maintenance.capture((coded("lll", *long),))
    chunk = memory.sessions.search("part 4 of the whale").hits[0].chunk
    assert 4 + 1 in {passage.turn for passage in chunk} and sum(len(passage.text) for passage in chunk) <= CHUNK_CHARS
    assert sorted({passage.turn for passage in chunk}) == [passage.turn for passage in chunk]


def test_growing_conversation(memory, coded):
    """What was said and used later is found in its place, also after a conversation grew (X-15)."""
    memory.maintenance.capture(
        (coded("ggg", ("user", "Begin."), ("agent", "Begun."), ("tool", "Edit", "/a.py"), ("result", "ok")),)
    )
    folder = coded("ggg", ("user", "Begin."), ("agent", "Begun."), ("tool", "Edit", "/a.py"), ("result", "ok"),
                   ("user", "And now the lamp."), ("tool", "Bash", "lamp --on"), ("result", "fatal: lamp not found"),
                   ("agent", "There is no lamp."), ("tool", "Edit", "/b.py"), ("result", "ok"))  # fmt: skip
    memory.maintenance.capture((folder,))
    hit = memory.sessions.search("fatal: lamp not found").hits[0]
    assert hit.exact and [passage.text for passage in hit.chunk] == ["And now the lamp.", "There is no lamp."]
    assert [touch.turn for _, touch in memory.sessions.search(within=SessionFilter(tool=("Edit",))).touches] == [3, 1]


def test_killed_while_growing(memory, coded, monkeypatch):
    """X-10: a reading that is killed between index and cursor leaves nothing twice, tools included."""
    turns = [("user", "one"), ("tool", "Edit", "/a.py"), ("result", "Error: one"), ("agent", "two")]
    memory.maintenance.capture((coded("kkk", *turns),))
    turns += [("user", "three"), ("tool", "Edit", "/b.py"), ("result", "Error: two"), ("agent", "four")]
    folder = coded("kkk", *turns)
    with monkeypatch.context() as patched:
        patched.setattr("vademecum.ingest.batch._settled", lambda *given, **named: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.maintenance.capture((folder,))
    memory.maintenance.capture((coded("kkk", *turns, ("tool", "Edit", "/c.py"), ("result", "Error: three")),))
    index = memory.context.index
    assert [one.passage.text for one in index.passages_of("session://claude-code/kkk")] == ["one", "two", "three", "four"]
    assert [touch.file for _, touch in memory.sessions.search(within=SessionFilter(tool=("Edit",))).touches] == [
        "/c.py",
        "/b.py",
        "/a.py",
    ]
    log = "\n".join(one.passage.text for one in index.passages_of("log://claude-code/kkk"))
    assert [log.count(f"Error: {word}") for word in ("one", "two", "three")] == [1, 1, 1]


def test_facets_of_an_exchange(talked):
    """SW-13: each exchange tells who speaks in it, the tools used and files touched in it, beside session, file and date."""
    hit = talked.sessions.search("met an order twice").hits[0]
    assert (hit.item.key, hit.role) == ("session://claude-code/aaa", "mixed")
    assert hit.tools == ("Bash", "Edit") and hit.files == ("/work/shop/src/importer.py",)
    assert hit.item.path.endswith("aaa.jsonl") and hit.passage.time is not None
    assert talked.sessions.search("Thanks, that works").hits[0].tools == ()
