"""Files that hold many conversations, copies of one, and files that move: nothing is lost and nothing stands twice."""

import json
import zipfile
from pathlib import Path

import apsw
import pytest

from vademecum.domain.query import Query, Scope
from vademecum.ingest.discover import member_path, owner_of, transcript_bytes

UUID = "00000000-0000-4000-8000-00000000000{}"


def claude(session: str, *texts: str, first: int = 0) -> bytes:
    """A transcript of Claude Code: persons and agents in turn."""
    made = b""
    for number, words in enumerate(texts, first):
        kind = "assistant" if number % 2 else "user"
        content = [{"type": "text", "text": words}] if number % 2 else words
        line = {
            "type": kind, "uuid": UUID.format(number), "sessionId": session, "isSidechain": False, "cwd": "/home/user/larder",
            "timestamp": f"2026-03-01T09:00:0{number}.000Z", "message": {"role": kind, "content": content},
        }  # fmt: skip
        made += json.dumps(line).encode() + b"\n"
    return made


def rollout(*texts: str) -> bytes:
    made = [{"type": "session_meta", "payload": {"id": "rollout-1", "cwd": "/home/user/larder"}}]
    made += [{"type": "event_msg", "payload": {"type": "user_message", "message": words}} for words in texts]
    return b"".join(json.dumps({"timestamp": "2026-03-01T09:00:00Z", **one}).encode() + b"\n" for one in made)


def spoken(memory, session: str) -> list[str]:
    """What stands of a session in the index, in order."""
    return [stored.passage.text for stored in memory.context.index.passages_of(session)]


@pytest.fixture
def folder(tmp_path) -> Path:
    made = tmp_path / "host"
    made.mkdir()
    return made


def opencode_database(path: Path, *said: str, wal: bool = False) -> apsw.Connection:
    """A database as OpenCode makes it, with a conversation; the connection stays open, as the host's does."""
    base = apsw.Connection(str(path))
    if wal:
        base.execute("PRAGMA journal_mode = WAL")
    base.execute(
        "CREATE TABLE session(id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INT, time_updated INT);"
        "CREATE TABLE message(id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT);"
        "CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT)"
    )
    base.execute("INSERT INTO session VALUES('ses_1', 'p', NULL, '/home/user/larder', 'Larder', 1790000000000, 1790000000000)")
    for words in said:
        opencode_says(base, words)
    return base


def opencode_says(base: apsw.Connection, words: str) -> None:
    number = base.execute("SELECT count(*) FROM message").fetchone()[0]
    time = 1790000000000 + number
    role = json.dumps({"role": "assistant" if number % 2 else "user", "time": {"created": time}})
    base.execute("INSERT INTO message VALUES(?, 'ses_1', ?, ?, ?)", (f"msg_{number}", time, time, role))
    text = json.dumps({"type": "text", "text": words})
    base.execute("INSERT INTO part VALUES(?, ?, 'ses_1', ?, ?, ?)", (f"prt_{number}", f"msg_{number}", time, time, text))
    base.execute("UPDATE session SET time_updated = ?", (time,))


def cursor_database(path: Path, *said: str, wal: bool = False) -> apsw.Connection:
    """The database of Cursor's editor, with a conversation; the connection stays open, as the editor's does."""
    base = apsw.Connection(str(path))
    if wal:
        base.execute("PRAGMA journal_mode = WAL")
    base.execute("CREATE TABLE ItemTable(key TEXT, value BLOB); CREATE TABLE cursorDiskKV(key TEXT UNIQUE, value BLOB)")
    for words in said:
        cursor_says(base, words)
    return base


def cursor_says(base: apsw.Connection, words: str) -> None:
    """First the conversation's record names the message, then the message is written, as answers come in."""
    number = base.execute("SELECT count(*) FROM cursorDiskKV WHERE key LIKE 'bubbleId:%'").fetchone()[0]
    headers = [{"bubbleId": f"b{one}", "type": 1 + one % 2} for one in range(number + 1)]
    about = {"composerId": "c1", "name": "Larder", "createdAt": 1790000000000, "fullConversationHeadersOnly": headers}
    cursor_writes(base, "composerData:c1", about)
    cursor_writes(base, f"bubbleId:c1:b{number}", {**headers[-1], "text": words})


def cursor_writes(base: apsw.Connection, key: str, value: dict) -> None:
    base.execute("INSERT OR REPLACE INTO cursorDiskKV VALUES(?, ?)", (key, json.dumps(value)))


def kiro_database(path: Path, *said: str, wal: bool = False) -> apsw.Connection:
    """The database of Kiro's command line, with a conversation; the connection stays open, as the host's does."""
    base = apsw.Connection(str(path))
    if wal:
        base.execute("PRAGMA journal_mode = WAL")
    base.execute("CREATE TABLE conversations_v2(key TEXT, conversation_id TEXT, value TEXT, created_at INT, updated_at INT)")
    base.execute("INSERT INTO conversations_v2 VALUES('/home/user/larder', 'k1', '{\"history\": []}', 1, 1)")
    for words in said:
        kiro_says(base, words)
    return base


def kiro_says(base: apsw.Connection, words: str) -> None:
    """Prompts and answers stand in pairs, in one value that is written anew each time."""
    value, updated = base.execute("SELECT value, updated_at FROM conversations_v2").fetchone()
    history = json.loads(value)["history"]
    if history and "assistant" not in history[-1]:
        history[-1]["assistant"] = {"Response": {"content": words}}
    else:
        history.append({"user": {"content": {"Prompt": {"prompt": words}}}})
    base.execute("UPDATE conversations_v2 SET value = ?, updated_at = ?", (json.dumps({"history": history}), updated + 1))


#: Database -> its file's name, how it is made, how something is said in it, and what its conversation is called.
DATABASES = {
    "opencode": ("opencode.db", opencode_database, opencode_says, "ses_1"),
    "cursor": ("state.vscdb", cursor_database, cursor_says, "c1"),
    "kiro": ("data.sqlite3", kiro_database, kiro_says, "k1"),
}


@pytest.mark.parametrize("filler", ["", "x" * 200_000])
def test_long_conversations_of_databases(memory, folder, filler):
    """A conversation is known for what it is when its first message is longer than what is looked at."""
    opencode_database(folder / "opencode.db", f"The parrot is called Quetzal. {filler}", "Noted.").close()
    base = apsw.Connection(str(folder / "state.vscdb"))
    base.execute("CREATE TABLE cursorDiskKV(key TEXT UNIQUE, value BLOB)")
    about = {"composerId": "c1", "name": "Larder", "fullConversationHeadersOnly": [{"bubbleId": "b1", "type": 1}]}
    bubble = {"bubbleId": "b1", "type": 1, "text": f"The parrot is called Quetzal. {filler}", "role": "user"}
    rows = {"composerData:c1": about, "bubbleId:c1:b1": bubble}
    base.executemany("INSERT INTO cursorDiskKV VALUES(?, ?)", [(key, json.dumps(value)) for key, value in rows.items()])
    base.close()
    base = apsw.Connection(str(folder / "data.sqlite3"))
    base.execute("CREATE TABLE conversations_v2(key TEXT, conversation_id TEXT, value TEXT, created_at INT, updated_at INT)")
    said = {"user": {"content": {"Prompt": {"prompt": f"The parrot is called Quetzal. {filler}"}}}}
    talk = json.dumps({"next_message": None, "history": [said]})
    base.execute("INSERT INTO conversations_v2 VALUES('/home/user/larder', 'k1', ?, 1, 2)", (talk,))
    base.close()
    memory.maintenance.capture((str(folder),))
    for session in ("opencode/ses_1", "cursor/c1", "kiro/k1"):
        assert spoken(memory, f"session://{session}")[0].startswith("The parrot is called Quetzal.")


@pytest.mark.parametrize("wal", [False, True])
@pytest.mark.parametrize("host", DATABASES)
def test_database(memory, folder, host, wal):
    """A host's database is read, also while the host writes; what is new in it is found, and nothing of ours appears beside it."""
    file, made, says, name = DATABASES[host]
    path = folder / file
    base = made(path, "The parrot is called Quetzal.", "Noted.", wal=wal)
    before = sorted(file.name for file in folder.iterdir())
    assert memory.maintenance.capture((str(folder),)).sessions[0].turns == {"user": 1, "agent": 1}
    assert sorted(file.name for file in folder.iterdir()) == before
    assert memory.maintenance.capture((str(folder),)).unchanged == 1
    for words in ("The canary is called Zephyr.", "Noted as well.", "And the cat is called Onyx."):
        says(base, words)
        memory.maintenance.capture((str(folder),))
    assert spoken(memory, f"session://{host}/{name}") == [
        "The parrot is called Quetzal.", "Noted.", "The canary is called Zephyr.", "Noted as well.", "And the cat is called Onyx.",
    ]  # fmt: skip
    (hit,) = memory.recall.ask(Query("canary Zephyr", scope=Scope(sources=("session",)), limit=1)).hits
    assert hit.item.path == member_path(path, name)
    assert b"Zephyr" in transcript_bytes(memory.context, hit.item.path)
    assert memory.maintenance.capture((str(folder),)).unchanged == 1
    base.close()


def test_answer_that_comes_in(memory, folder):
    """Cursor's editor fills an answer in where its message stands; the conversation's record is as it was."""
    base = cursor_database(folder / "state.vscdb", "What is the parrot called?", "Let me")
    memory.maintenance.capture((str(folder),))
    cursor_writes(base, "bubbleId:c1:b1", {"bubbleId": "b1", "type": 2, "text": "Let me see: it is called Quetzal."})
    memory.maintenance.capture((str(folder),))
    assert spoken(memory, "session://cursor/c1") == ["What is the parrot called?", "Let me see: it is called Quetzal."]
    base.close()


def test_cursor_database(memory, folder):
    """Conversations of Cursor's editor are read from its database, with the messages in the editor's order."""
    path = folder / "state.vscdb"
    base = apsw.Connection(str(path))
    base.execute("CREATE TABLE ItemTable(key TEXT, value BLOB); CREATE TABLE cursorDiskKV(key TEXT UNIQUE, value BLOB)")
    about = {
        "composerId": "c1", "name": "Larder", "createdAt": 1790000000000,
        "fullConversationHeadersOnly": [{"bubbleId": "b2", "type": 1}, {"bubbleId": "b1", "type": 2}],
    }  # fmt: skip
    rows = {
        "composerData:c1": about,
        "bubbleId:c1:b1": {"bubbleId": "b1", "type": 2, "text": "Noted."},
        "bubbleId:c1:b2": {"bubbleId": "b2", "type": 1, "text": "The parrot is called Quetzal."},
        "bubbleId:c10:b1": {"bubbleId": "b1", "type": 1, "text": "of another"},
    }
    base.executemany("INSERT INTO cursorDiskKV VALUES(?, ?)", [(key, json.dumps(value)) for key, value in rows.items()])
    base.execute("INSERT INTO cursorDiskKV VALUES('composerData:c2', NULL)")
    base.close()
    memory.maintenance.capture((str(path),))
    assert spoken(memory, "session://cursor/c1") == ["The parrot is called Quetzal.", "Noted."]


def test_cursor_heads(memory, folder):
    """The editor's list states a conversation's folder and sub-agents; what is typed may be in its document only."""
    path = folder / "User" / "globalStorage" / "state.vscdb"
    place = folder / "User" / "workspaceStorage" / "w1" / "workspace.json"
    for needed in (path.parent, place.parent):
        needed.mkdir(parents=True)
    place.write_text(json.dumps({"folder": "file:///srv/larder"}), encoding="utf-8")
    typed = [{"type": "paragraph", "children": [{"type": "text", "text": text}]} for text in ("Feed it", "with nuts")]
    rich = json.dumps({"root": {"type": "root", "children": typed}})
    base = apsw.Connection(str(path))
    base.execute("CREATE TABLE cursorDiskKV(key TEXT UNIQUE, value BLOB)")
    base.execute("CREATE TABLE composerHeaders(composerId TEXT, workspaceId TEXT, isSubagent INTEGER, value TEXT)")
    for number, name in enumerate(("c1", "c2")):
        base.execute("INSERT INTO composerHeaders VALUES(?, 'w1', ?, ?)", (name, number, json.dumps({"name": "Parrot"})))
        cursor_writes(base, f"composerData:{name}", {"createdAt": 1770000000000})
        cursor_writes(base, f"bubbleId:{name}:b2", {"bubbleId": f"{name}2", "type": 1, "text": "", "richText": rich})
        cursor_writes(base, f"bubbleId:{name}:b1", {"bubbleId": f"{name}1", "type": 2, "text": f"Fed {name}."})
    base.close()
    memory.maintenance.capture((str(path),))
    for name, sidechain in (("c1", False), ("c2", True)):
        session = memory.sessions.get(f"session://cursor/{name}")
        assert (session.title, session.cwd) == ("Parrot", "/srv/larder")
        assert [(turn.text, turn.sidechain) for turn in session.turns][-1] == (f"Fed {name}.", sidechain)
    assert memory.sessions.get("session://cursor/c1").turns[0].text == "Feed it\nwith nuts"


def test_kiro_database(memory, folder):
    """Conversations of Kiro's command line are read from its database."""
    path = folder / "data.sqlite3"
    base = apsw.Connection(str(path))
    base.execute("CREATE TABLE conversations_v2(key TEXT, conversation_id TEXT, value TEXT, created_at INT, updated_at INT)")
    talk = {
        "history": [
            {
                "user": {"content": {"Prompt": {"prompt": "The parrot is Quetzal."}}},
                "assistant": {"Response": {"content": "Noted."}},
            }
        ]
    }
    base.execute("INSERT INTO conversations_v2 VALUES('/home/user/larder', 'k1', ?, 1, 2)", (json.dumps(talk),))
    base.close()
    memory.maintenance.capture((str(path),))
    assert spoken(memory, "session://kiro/k1") == ["The parrot is Quetzal.", "Noted."]


def chatgpt(name: str, words: str) -> dict:
    nodes = {
        "a": {"parent": None, "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [words]}}}
    }
    return {"title": name, "conversation_id": name, "current_node": "a", "mapping": nodes}


def test_export_archives(memory, folder):
    """Account exports are read as they come, every conversation by itself; a newer export brings only what changed."""
    path = folder / "export.zip"

    def export(*conversations):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("user.json", "{}")
            archive.writestr("x/conversations-000.json", json.dumps(conversations[:1]))
            archive.writestr("x/conversations-001.json", json.dumps(conversations[1:]))

    export(chatgpt("one", "The parrot is called Quetzal."), chatgpt("two", "The lizard is called Basil."))
    assert {found.session for found in memory.maintenance.capture((str(path),)).sessions} == {
        "session://chatgpt/one",
        "session://chatgpt/two",
    }
    export(chatgpt("one", "The parrot is called Quetzal."), chatgpt("two", "The lizard is called Bob."))
    assert [found.session for found in memory.maintenance.capture((str(path),)).sessions] == ["session://chatgpt/two"]
    assert spoken(memory, "session://chatgpt/two") == ["The lizard is called Basil.", "The lizard is called Bob."]
    memory.maintenance.rebuild()
    assert spoken(memory, "session://chatgpt/one") == ["The parrot is called Quetzal."]


def test_unpacked_export(memory, folder):
    """The list of an export that was unpacked is read as well."""
    talk = {
        "uuid": "c-1",
        "name": "Pets",
        "chat_messages": [{"uuid": "a", "sender": "human", "text": "The parrot is Quetzal."}],
    }
    (folder / "conversations.json").write_text(json.dumps([talk]), encoding="utf-8")
    memory.maintenance.capture((str(folder),))
    assert spoken(memory, "session://claude-chat/c-1") == ["The parrot is Quetzal."]


def activity(said: str, time: str, html: str = "", product: str = "Gemini Apps") -> dict:
    answer = {"safeHtmlItem": [{"html": html}]} if html else {}
    return {"header": product, "title": said, "time": f"2026-03-01T{time}:00.000Z", "products": [product], **answer}


def test_takeout(memory, folder):
    """Prompts to Gemini's apps in an export of Google: conversations by their times, only what the person typed is theirs."""
    path = folder / "takeout.zip"

    def export(*activities):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("Takeout/Meine Aktivitäten/Gemini-Apps/MeineAktivitäten.json", json.dumps(activities[::-1]))

    talk = [
        activity("Prompted The parrot is Quetzal. Attached 2 files.", "09:00", "<p>Noted &amp; done.</p>"),
        activity("Gave feedback: Good response", "09:01"),
        activity("Searched for parrots", "09:02", product="Search"),
        activity("Gefragt: Wo schläft der Papagei?", "11:00", "<p>Im Käfig</p>"),
    ]
    export(*talk)
    first, second = (found.session for found in memory.maintenance.capture((str(path),)).sessions)
    assert spoken(memory, first) == ["The parrot is Quetzal.", "Noted & done."]
    assert spoken(memory, second) == ["Gefragt: Wo schläft der Papagei?", "Im Käfig"]
    export(*talk, activity("Prompted And the cat is Onyx.", "11:20"))
    assert [found.session for found in memory.maintenance.capture((str(path),)).sessions] == [second]
    assert spoken(memory, second)[-1] == "And the cat is Onyx."


def test_damaged_libraries(memory, folder):
    """A damaged file is a problem of that file, told as such; the others are read."""
    (folder / "broken.zip").write_bytes(b"PK\x03\x04 not a zip")
    (folder / "broken.db").write_bytes(b"SQLite format 3\x00" + b"x" * 5000)
    (folder / "torn.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd\x00")
    (folder / "conversations.json").write_text('[{"title": "x", "mapping": {"a"', encoding="utf-8")
    (folder / "good.jsonl").write_bytes(rollout("The parrot is called Quetzal."))
    report = memory.maintenance.capture((str(folder),))
    assert spoken(memory, "session://codex/rollout-1") == ["The parrot is called Quetzal."]
    assert {Path(problem.path).name for problem in report.problems} >= {"broken.db", "torn.jsonl.zst", "conversations.json"}
    assert report.unrecognised <= 1


def test_compressed_replaces(memory, folder):
    """A transcript that its host compressed is the same session with the same turns, wherever it is put."""
    zstd = pytest.importorskip("backports.zstd")
    path = folder / "rollout-1.jsonl"
    path.write_bytes(rollout("We decided to keep parrots, because they are quiet.", "The parrot is called Quetzal."))
    memory.maintenance.capture((str(folder),))
    before = memory.maintenance.status()
    refs = [stored.passage.ref for stored in memory.context.index.passages_of("session://codex/rollout-1")]
    archived = folder / "archived_sessions"
    archived.mkdir()
    packed = archived / "rollout-1.jsonl.zst"
    packed.write_bytes(zstd.compress(path.read_bytes()))
    memory.maintenance.capture((str(folder),))  # both are there for a moment
    path.unlink()
    memory.maintenance.capture((str(folder),))
    after = memory.maintenance.status()
    assert (after.sessions, after.passages, after.memories) == (before.sessions, before.passages, before.memories)
    assert [stored.passage.ref for stored in memory.context.index.passages_of("session://codex/rollout-1")] == refs
    assert memory.maintenance.capture((str(folder),)).unchanged == 1
    assert transcript_bytes(memory.context, str(packed)).startswith(b'{"timestamp"')


def test_moved(memory, folder):
    """A transcript that was moved is neither read as another conversation nor mined again."""
    path = folder / "a.jsonl"
    path.write_bytes(rollout("We decided to keep parrots, because they are quiet.", "two", "three", "four"))
    memory.maintenance.capture((str(folder),))
    before = memory.maintenance.status()
    assert before.memories
    path.rename(folder / "b.jsonl")
    assert not [saved for found in memory.maintenance.capture((str(folder),)).sessions for saved in found.saved]
    assert (memory.maintenance.status().passages, memory.maintenance.status().memories) == (before.passages, before.memories)
    assert memory.context.index.items(["session://codex/rollout-1"])["session://codex/rollout-1"].path == str(
        folder / "b.jsonl"
    )


def test_same_session_twice(memory, folder):
    """Two files of one session (a host keeps some under two folders) are one conversation, and each is read once."""
    for name, texts in (("a", ("one parrot", "two canaries")), ("b", ("one parrot", "two canaries", "three lizards"))):
        (folder / f"{name}.jsonl").write_bytes(rollout(*texts))
    memory.maintenance.capture((str(folder),))
    assert spoken(memory, "session://codex/rollout-1") == ["one parrot", "two canaries", "three lizards"]
    assert memory.maintenance.capture((str(folder),)).unchanged == 2
    with (folder / "b.jsonl").open("ab") as file:
        file.write(rollout("four newts").splitlines(keepends=True)[1])
    memory.maintenance.capture((str(folder),))
    assert spoken(memory, "session://codex/rollout-1")[-1] == "four newts"
    assert memory.maintenance.capture((str(folder),)).unchanged == 2


def test_resumed_copy(memory, folder):
    """A host that resumes a session in a new file copies its turns there: each stands in the session that had it first."""
    old = ["We decided to keep parrots, because they are quiet.", "Noted.", "The parrot is called Quetzal.", "A fine name."]
    (folder / "z-first.jsonl").write_bytes(claude("first", *old))
    (folder / "a-second.jsonl").write_bytes(claude("second", *old, "And the canary Zephyr.", "Noted too."))
    report = memory.maintenance.capture((str(folder),))
    assert spoken(memory, "session://claude-code/first") == old
    assert spoken(memory, "session://claude-code/second") == ["And the canary Zephyr.", "Noted too."]
    assert {found.session: found.copied for found in report.sessions}["session://claude-code/second"] == 4
    assert sum(len(found.saved) for found in report.sessions) == len(memory.notes.list())
    memory.maintenance.rebuild()
    assert spoken(memory, "session://claude-code/second") == ["And the canary Zephyr.", "Noted too."]


def test_rewritten_is_not_mined_again(memory, folder):
    """IN-02: a conversation that its host writes anew every half minute grows by what is new, and is mined once."""
    path = folder / "dev.json"
    said = [
        ("user", "We decided to keep parrots, because they are quiet."),
        ("agent", "Noted."),
        ("user", "two"),
        ("agent", "three"),
    ]

    def save(*messages):
        made = [{"role": role, "text": text} for role, text in messages]
        path.write_text(
            json.dumps({"agentId": "dev", "savedAt": "2026-03-01T09:00:00Z", "messages": made}, indent=2), encoding="utf-8"
        )

    save(*said)
    assert len([saved for found in memory.maintenance.capture((str(folder),)).sessions for saved in found.saved]) == 1
    (item,) = memory.notes.list()
    save(*said, ("user", "And a lizard."))
    assert not [saved for found in memory.maintenance.capture((str(folder),)).sessions for saved in found.saved]
    assert spoken(memory, "session://agent-memory/dev")[-1] == "And a lizard."
    assert memory.notes.get(item.key).confirmations == 0


def test_member_paths(tmp_path):
    """A conversation in a library has a path of its own, from which the file can be told; other paths stay what they are."""
    assert member_path(tmp_path / "a.db", "") == str(tmp_path / "a.db")
    assert owner_of(member_path(tmp_path / "a.db", "ses_1")) == str(tmp_path / "a.db")
    odd = tmp_path / "my#1.jsonl"
    odd.write_text("x", encoding="utf-8")
    assert owner_of(str(odd)) == str(odd)
    assert owner_of("/home/c#/x.jsonl") == "/home/c#/x.jsonl"
