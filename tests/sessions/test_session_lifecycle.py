"""Sessions are attended to from their first event to the handoff, whoever was killed in between."""

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import force_setattr, replace

from vademecum.adapters.device.event_queue import Spool
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.host import HookEvent
from vademecum.domain.tokens import estimate_tokens
from vademecum.wiring import open_memory

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Told:
    """A host whose payloads hold our own words."""

    name, title = "plain", "Plain"

    def read(self, payload, cwd=""):
        if "moment" not in payload:
            raise InvalidInput("no event name")
        return HookEvent("plain", payload["moment"], "E", payload["session"], cwd, transcript=payload.get("transcript", ""))

    def write(self, event, delivery):
        return ""


@pytest.fixture
def talk(tmp_path):
    """Writes, or goes on with, a plain transcript; gives its path."""
    folder = tmp_path / "talk"
    folder.mkdir()

    def written(name, *texts, moment=START):
        path = folder / f"{name}.jsonl"
        first = len(path.read_text().splitlines()) if path.exists() else 1
        with path.open("a") as file:
            if first == 1:
                file.write(json.dumps({"type": "session", "id": name, "time": moment.isoformat()}) + "\n")
            for number, text in enumerate(texts, first):
                speaker = "user" if number % 2 else "assistant"
                file.write(json.dumps({"id": str(number), "speaker": speaker, "text": text}) + "\n")
        os.utime(path, (moment.timestamp(), moment.timestamp()))
        return str(path)

    return written


def told(memory, moment, name, path="", at=None):
    return memory.sessions.record(HookEvent("plain", moment, "E", name, transcript=path), at)


ASKED = (
    "Please move the shop to SQLite.",
    "I moved it.",
    "Now add a test for the import.",
    "The test is added. Next step: deploy it.",
)


def stages(memory):
    return {one.session.rpartition("/")[2]: one.stage for one in memory.context.storage.markers.all()}


def handoffs(memory, status="active"):
    return [one for one in memory.context.vault.list() if one.kind == "handoff" and one.status == status]


def test_from_start_to_handoff(memory, talk):
    """A session that ends is indexed, archived and handed over."""
    told(memory, "start", "a", talk("a", *ASKED))
    told(memory, "end", "a")
    done = memory.sessions.process_due().sessions
    assert [(one.session, one.stage) for one in done] == [("session://plain/a", "processed")]
    handoff = memory.notes.get(done[0].handoff)
    assert handoff.kind == "handoff" and handoff.source == "session://plain/a"
    assert "move the shop to SQLite" in handoff.body and "deploy it" in handoff.body
    assert memory.context.storage.archive.of_session("session://plain/a")
    assert memory.sessions.process_due().sessions == ()


def test_without_any_time(memory, tmp_path):
    """Cursor writes no times: when a conversation ended is known by its file, so that an old one read today is not handed over as
    the last."""
    path = tmp_path / "agent-transcripts" / "c1.jsonl"
    path.parent.mkdir()
    said = [
        {"role": "assistant" if n % 2 else "user", "message": {"content": [{"type": "text", "text": text}]}}
        for n, text in enumerate(ASKED)
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in said))
    written = START - timedelta(days=90)
    os.utime(path, (written.timestamp(), written.timestamp()))
    memory.maintenance.capture((str(path),))
    memory.sessions.record(HookEvent("cursor", "end", "E", "c1", transcript=str(path)))
    handed = [memory.notes.get(one.handoff) for one in memory.sessions.process_due().sessions if one.handoff]
    assert [one.valid_from for one in handed] == [written]


def test_x11_resumed_session_gets_another(memory, talk, clock):
    """X-11: the handoff of a session that is resumed and ends again is written anew: no copy is archived, history has what it said."""
    told(memory, "start", "a", talk("a", *ASKED))
    told(memory, "end", "a")
    first = memory.sessions.process_due().sessions[0].handoff
    clock.advance(HOUR)
    talk("a", "Rename the table to orders.", "Renamed the table.")
    told(memory, "start", "a")
    clock.advance(HOUR)
    told(memory, "end", "a")
    assert memory.sessions.process_due().sessions[0].handoff == first
    (handoff,) = [one for one in memory.context.vault.list() if one.kind == "handoff"]
    assert "Rename the table" in handoff.body and handoff.path == "_handoffs/2026-03-02-0900.md"
    assert [record.op for record in memory.context.vault.history.of(first)] == ["save", "rewrite"]


def test_ended_twice_without_a_word(memory, talk, clock):
    """Opening a session and closing it again makes no second handoff."""
    told(memory, "start", "a", talk("a", *ASKED))
    told(memory, "end", "a")
    first = memory.sessions.process_due().sessions[0].handoff
    clock.advance(HOUR)
    told(memory, "start", "a")
    clock.advance(HOUR)
    told(memory, "end", "a")
    assert memory.sessions.process_due().sessions[0].handoff == first
    assert len(handoffs(memory)) == 1 and not handoffs(memory, "superseded")


def test_orphan(memory, talk, clock):
    """A session that fell silent is processed an hour later, and not before."""
    told(memory, "start", "a", talk("a", *ASKED))
    clock.advance(HOUR - timedelta(minutes=1))
    assert memory.sessions.process_due().orphans == 0
    clock.advance(timedelta(minutes=1))
    report = memory.sessions.process_due()
    assert (report.orphans, stages(memory)) == (1, {"a": "processed"})


def test_orphan_still_written(memory, talk, clock):
    """A session whose hooks are silent but whose transcript grows is no orphan."""
    path = talk("a", *ASKED)
    told(memory, "start", "a", path)
    clock.advance(HOUR)
    moment = clock.now().timestamp() - 60
    os.utime(path, (moment, moment))
    assert memory.sessions.process_due().orphans == 0


def test_grown_without_hooks(memory, talk, clock):
    """A processed session that grew, with no hook telling so, is processed again when it is silent."""
    told(memory, "start", "a", talk("a", *ASKED))
    told(memory, "end", "a")
    memory.sessions.process_due()
    clock.advance(2 * HOUR)
    talk("a", "One more thing: rename the table.", "Renamed.", moment=START + HOUR)
    assert [one.stage for one in memory.sessions.process_due().sessions] == ["processed"]
    assert "rename the table" in handoffs(memory)[0].body
    assert memory.sessions.process_due().sessions == ()


def test_found_on_disk(memory, talk, clock):
    """A session of a host without hooks is found by its file, and handed over when it is silent; an old one is only read."""
    folder = str(Path(talk("new", *ASKED)).parent)
    talk("old", *ASKED, moment=START - timedelta(days=9))
    memory.maintenance.capture((folder,))
    assert stages(memory) == {"new": "active"}
    clock.advance(HOUR)
    assert [one.session for one in memory.sessions.process_due().sessions] == ["session://plain/new"]
    assert len(handoffs(memory)) == 1


def test_missing_transcript(memory, talk, clock):
    """A transcript that is not there yet keeps the session waiting; it is tried again, and visible meanwhile."""
    path = str(Path(talk("other", "x")).with_name("a.jsonl"))
    told(memory, "start", "a", path)
    told(memory, "end", "a")
    failed = memory.sessions.process_due().sessions[0]
    assert failed.stage == "failed" and "not there" in failed.error
    assert memory.sessions.process_due().sessions == (), "not at once again"
    talk("a", *ASKED)
    clock.advance(timedelta(minutes=5))
    assert memory.sessions.process_due().sessions[0].stage == "processed"


def test_x17_counted(memory, clock):
    """X-17: sessions that started and were never processed are counted for each host and told in `vade status`."""
    for number in range(200):
        told(memory, "start", f"s{number}", "/nowhere/t.jsonl")
    clock.advance(timedelta(days=57))
    memory.sessions.process_due()
    host = memory.sessions.hosts()[0]
    assert (host.host, host.seen, host.processed, host.overdue) == ("plain", 200, 0, 200)
    assert any("200 of 200 sessions of plain" in sentence for sentence in memory.maintenance.status().degraded)


def test_collected_after_thirty_days(memory, talk, clock):
    """Markers of processed sessions go after thirty days; the session stays searchable and archived."""
    told(memory, "start", "a", talk("a", *ASKED))
    told(memory, "end", "a")
    memory.sessions.process_due()
    clock.advance(timedelta(days=30))
    assert memory.sessions.process_due().collected == 1
    assert stages(memory) == {} and memory.sessions.list()[0].archived


def test_empty_session(memory, talk):
    """A session in which nobody spoke is empty: nothing is owed to it and nothing made of it."""
    path = talk("a")
    told(memory, "start", "a", path)
    told(memory, "end", "a")
    assert memory.sessions.process_due().sessions[0].stage == "empty"
    assert handoffs(memory) == []


def test_stop(memory, talk, tmp_path, home):
    """A file STOP in a project's .harness folder, or beside the memories, stops all noting and doing (MV-43)."""
    project = tmp_path / "project" / "src"
    (tmp_path / "project" / ".harness").mkdir(parents=True)
    project.mkdir()
    (tmp_path / "project" / ".harness" / "STOP").touch()
    event = HookEvent("plain", "start", "E", "a", str(project), transcript=talk("a", *ASKED))
    assert memory.sessions.record(event) is None
    told(memory, "end", "b", event.transcript)
    (home / "STOP").touch()
    assert told(memory, "start", "c") is None
    with pytest.raises(Refused, match="switched off"):
        memory.sessions.process_due()
    assert stages(memory) == {"b": "ended"}


def test_stopped_later(memory, talk, tmp_path):
    """A session that ended before its project was stopped is not processed until the project is on again."""
    stop = tmp_path / "project" / ".harness" / "STOP"
    stop.parent.mkdir(parents=True)
    event = HookEvent("plain", "start", "E", "a", str(tmp_path / "project"), transcript=talk("a", *ASKED))
    memory.sessions.record(event)
    memory.sessions.record(replace(event, moment="end"))
    stop.touch()
    assert memory.sessions.process_due().sessions == ()
    stop.unlink()
    assert [one.stage for one in memory.sessions.process_due().sessions] == ["processed"]


def test_sub_agents(memory):
    """A sub-agent that starts or ends is not the conversation."""
    told(memory, "start", "a")
    memory.sessions.record(HookEvent("plain", "end", "E", "a", agent="7"), START + HOUR)
    assert stages(memory) == {"a": "active"}
    assert memory.sessions.record(HookEvent("plain", "prompt", "E", "")) is None


@pytest.fixture
def queue(memory, tmp_path):
    """The folder of the queue, of a memory that knows one more host."""
    force_setattr(memory.context.outside, "open_hosts", lambda: {"plain": Told()})
    return tmp_path / "data" / "queue"


def leave(queue, name, moment, session="a", at=START, **more):
    """An event as the hook client leaves it, at a time."""
    Spool(queue).put(name, "plain", "/work", {"moment": moment, "session": session, **more})
    os.utime(queue / f"{name}.json", (at.timestamp(), at.timestamp()))


def test_queue(memory, queue, talk):
    """Events that hooks left are noted at the time when they happened, and taken away."""
    path = talk("a", *ASKED)
    leave(queue, "2", "start", transcript=path, at=START - HOUR)
    leave(queue, "1", "end", at=START - HOUR / 2)
    report = memory.sessions.process_due()
    assert (report.events, [one.stage for one in report.sessions]) == (2, ["processed"])
    assert list(queue.glob("*")) == []


def test_queue_of_a_real_host(memory, tmp_path, talk):
    """A payload of Claude Code, left by the client in its own way of writing, is read by the host that sent it."""
    queue = tmp_path / "data" / "queue"
    queue.mkdir(parents=True)
    payload = {"session_id": "s-1", "transcript_path": talk("a", *ASKED), "cwd": "/work", "hook_event_name": "SessionStart",
               "source": "startup"}  # fmt: skip
    (queue / "7-ab.json").write_text('{"host":"claude-code","cwd":"/work","payload":' + json.dumps(payload) + "}")
    memory.sessions.process_due()
    assert [one.session for one in memory.context.storage.markers.all()] == ["session://claude-code/s-1"]


def test_queue_twice(memory, queue):
    """A reader that is killed before it took the file away reads it again, which changes nothing."""
    leave(queue, "1", "start")
    memory.sessions.process_due()
    before = memory.context.storage.markers.all()
    leave(queue, "1", "start")
    memory.sessions.process_due()
    assert memory.context.storage.markers.all() == before


def test_queue_of_nonsense(memory, queue):
    """What nobody understands is put aside, told, and stops nothing."""
    queue.mkdir(parents=True)
    (queue / "0.json").write_bytes(b'{"host": "plain", "payload": {"mom')
    (queue / "1.json").write_text(json.dumps({"host": "nobody", "cwd": "", "payload": {}}))
    (queue / "2.json").write_text("[]")
    (queue / "3.json").write_bytes(b"\xff\xfe")
    (queue / "4.new").write_text("half")
    leave(queue, "5", "start")
    report = memory.sessions.process_due()
    assert (report.events, len(report.problems), stages(memory)) == (1, 4, {"a": "started"})
    assert sorted(path.name for path in queue.glob("*.unreadable")) == [f"{n}.unreadable" for n in range(4)]
    assert any("4 events could not be understood" in sentence for sentence in memory.maintenance.status().degraded)


def test_after_compaction(memory, talk, clock):
    """The start after a compaction gives back what was in hand, within the briefing's budget; any other start does not."""
    path = talk("a", *ASKED)
    memory.notes.save("decision", "Orders live in SQLite", "Because it needs no server.")
    start = HookEvent("plain", "start", "SessionStart", "a", transcript=path, cause="startup")
    assert "Working set" not in memory.recall.deliver(start).text
    told_again = memory.recall.deliver(HookEvent("plain", "start", "SessionStart", "a", transcript=path, cause="compact"))
    assert "Please move the shop to SQLite." in told_again.text and "Orders live in SQLite" in told_again.text
    assert estimate_tokens(told_again.text) <= 2000 + 2
    gone = memory.recall.deliver(HookEvent("plain", "start", "SessionStart", "b", transcript="/nowhere", cause="compact"))
    assert "Orders live in SQLite" in gone.text


def test_after_compaction_of_a_long_talk(memory, talk, monkeypatch):
    """Of a long conversation only the end is read; its goal is known from the index."""
    path = talk("a", *ASKED, *("filler " * 40 for _ in range(60)), "Where is the lamp now?", "In the cellar.")
    memory.maintenance.capture((path,))
    monkeypatch.setattr("vademecum.sessions.lookup.IN_HAND_BYTES", 3000)
    told = memory.recall.deliver(HookEvent("plain", "start", "SessionStart", "a", transcript=path, cause="compact"))
    assert "Please move the shop to SQLite." in told.text and "Where is the lamp now?" in told.text


def test_one_that_kills(memory, talk, clock, monkeypatch):
    """A session on which the process dies does not keep the others from being processed."""
    for name in "ab":
        told(memory, "start", name, talk(name, *ASKED), at=START - HOUR)
        told(memory, "end", name)
    with monkeypatch.context() as patched:
        patched.setattr("vademecum.sessions.lifecycle.hand_over", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.sessions.process_due()
    assert stages(memory) == {"a": "failed", "b": "ended"}
    memory.sessions.process_due()
    assert stages(memory) == {"a": "failed", "b": "processed"}
    clock.advance(timedelta(minutes=5))
    memory.sessions.process_due()
    assert stages(memory) == {"a": "processed", "b": "processed"}


TENDING = """
import sys
from pathlib import Path
from vademecum.domain.host import HookEvent
from vademecum.domain.tokens import estimate_tokens
from vademecum.wiring import open_memory
from vademecum.settings import load
from vademecum.wiring import open_memory
with open_memory(load(config=Path(sys.argv[1]))) as memory:
    print("ready", flush=True)
    memory.sessions.process_due()
print("done", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("wait_ms", [0, 60, 200])
def test_killed_while_tending(opened, clock, talk, tmp_path, home, wait_ms):
    """Whenever the process that processes sessions is killed, the next one makes one handoff of each, and loses none."""
    config = tmp_path / "config.toml"
    values = {"home": home, "data_dir": tmp_path / "data", "cache_dir": tmp_path / "cache", "device": "laptop",
              "embedder": "none"}  # fmt: skip
    config.write_text("".join(f"{name} = {json.dumps(str(value))}\n" for name, value in values.items()))
    first = opened()
    for name in "abcdef":
        told(first, "start", name, talk(name, f"Please build part {name} of the shop.", *ASKED[1:]), at=START)
        told(first, "end", name, at=START + HOUR)
    environment = {**os.environ, "HOME": str(tmp_path / "nobody")}
    process = subprocess.Popen([sys.executable, "-c", TENDING, str(config)], stdout=subprocess.PIPE, text=True, env=environment)
    process.stdout.readline()
    try:
        process.wait(wait_ms / 1000)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    memory = opened()
    memory.sessions.process_due()
    clock.advance(timedelta(minutes=5))  # the one it was killed over is tried again a little later
    memory.sessions.process_due()
    assert stages(memory) == dict.fromkeys("abcdef", "processed")
    memory.maintenance.sync()
    assert sorted(one.source[-1] for one in handoffs(memory)) == list("abcdef")
    assert memory.sessions.check_archive().problems == ()


def test_folder_without_repository(settings, clock, tmp_path):
    """A session in a folder that is no repository is handed over to the next one there, and one that broke off is recovered."""
    folder = tmp_path / "plain-notes"
    folder.mkdir()
    lines = [{"type": "session_meta", "timestamp": START.isoformat(), "payload": {"id": "a", "cwd": str(folder)}}]
    for number, text in enumerate((*ASKED, "And now the orders, please."), 1):
        kind = "user_message" if number % 2 else "agent_message"
        moment = (START + timedelta(minutes=number)).isoformat()
        lines.append({"type": "event_msg", "timestamp": moment, "payload": {"type": kind, "message": text}})
    path = tmp_path / "rollout-a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    clock.advance(HOUR)
    with open_memory(settings(), clock=clock, folder=folder) as memory:
        told(memory, "end", "a", str(path))
        memory.sessions.record(HookEvent("codex", "end", "E", "a", transcript=str(path)))
        memory.sessions.process_due()
        briefed = memory.recall.briefing().text
    assert "move the shop to SQLite" in briefed and "And now the orders" in briefed.partition("Recovering previous session")[2]
    with open_memory(settings(), clock=clock, folder=tmp_path) as memory:
        assert "move the shop to SQLite" not in memory.recall.briefing().text


def test_short_handoff(opened, talk):
    """IN-51: who wants it gets three sections of 150, 200 and 120 characters."""
    memory = opened(handoff_form="short")
    long = "Please move the shop to SQLite, " + "table after table, " * 30 + "and be careful."
    told(memory, "start", "a", talk("a", long, *ASKED[1:]))
    told(memory, "end", "a")
    body = memory.notes.get(memory.sessions.process_due().sessions[0].handoff).body
    sections = [part.split("\n\n") for part in body.strip().split("## ")[1:]]
    assert [section[0] for section in sections] == ["What was requested", "What was done", "Last message"]
    assert [len(section[1].strip()) <= most for section, most in zip(sections, (150, 200, 120), strict=True)] == [True] * 3
    assert "move the shop" in sections[0][1] and "deploy it" in sections[2][1]


@pytest.mark.parametrize("wanted", [True, False])
def test_transcript_tags(opened, talk, wanted):
    """IN-50: what is made of conversations is tagged by how it came about, for those who want it."""
    memory = opened(transcript_tags=wanted)
    told(memory, "start", "a", talk("a", *ASKED, "We decided to use engine7 for the shop, because it is quiet.", "Good."))
    told(memory, "end", "a")
    handoff = memory.notes.get(memory.sessions.process_due().sessions[0].handoff)
    assert handoff.tags == (("autohandoff", "transcript") if wanted else ())
    decisions = [one for one in memory.context.vault.list() if one.kind == "decision"]
    assert [one.tags for one in decisions] == [("autoextract", "transcript") if wanted else ()]


def test_long_session_is_handed_over_by_its_ends(opened, talk, tmp_path, monkeypatch):
    """Of a transcript longer than some megabytes the handoff has the goal and what was said last, and nothing of it is lost."""
    monkeypatch.setattr("vademecum.ingest.load_session.LONG_BYTES", 20_000)
    monkeypatch.setattr("vademecum.ingest.load_session.BEGINNING_BYTES", 2_000)
    monkeypatch.setattr("vademecum.ingest.load_session.ENDING_BYTES", 8_000)
    memory = opened()
    between = [" ".join([f"turn {number}", *[f"w{number}"] * 20]) for number in range(500)]
    told(memory, "start", "a", talk("a", *ASKED[:2], *between, *ASKED[2:]))
    told(memory, "end", "a")
    body = memory.notes.get(memory.sessions.process_due().sessions[0].handoff).body
    assert "move the shop to SQLite" in body and "deploy it" in body
    assert [turn.text for turn in memory.sessions.get("a").turns] == [*ASKED[:2], *between, *ASKED[2:]]
