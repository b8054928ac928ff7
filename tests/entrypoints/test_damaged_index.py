"""A damaged index stops no verb: it is built again from the files, whichever verb finds it so."""

import contextlib
import json
import random
import sqlite3

import pytest
from tests.entrypoints.every_verb import EVERY, WITH_A_SERVER
from tests.entrypoints.http.test_http import TOKEN, send

from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.server import BY_AGENT, Rules, tool_list

TITLE = "Deploy box"
TOOLS = [name for name, tool in tool_list(Rules()).items() if tool.reads and name != "why"]


def ruin(folder):
    """Overwrite the index with random bytes."""
    indexes = list(folder.rglob("index.db"))
    assert indexes
    for file in indexes:
        for beside in file.parent.glob("index.db?*"):
            beside.unlink()
        file.write_bytes(random.Random(13).randbytes(64_000))


#: Of the verbs that one module does the first; `make soak` tries each: all find the index through the same runner.
FIRST = {verb.run.__module__: verb.name for verb in reversed(EVERY)}.values()
VERBS = [
    pytest.param(verb, id=verb.name, marks=() if verb.name in FIRST else pytest.mark.soak)
    for verb in EVERY
    if verb.name not in WITH_A_SERVER
]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb(everything, verb):
    """D3 of the review: of 23 verbs eight ended with 12."""
    ruin(everything.folder)
    code, out, err = everything(verb)
    assert (code, err) == (0, ""), out
    assert "error" not in json.loads(out)


@pytest.fixture
def noted(vade, tmp_path):
    """A memory with one note."""
    vade("init", "memory")
    vade("save", "fact", TITLE, "--body", "The deploy box is called heron.")
    return lambda: ruin(tmp_path)


def test_a_write_is_made_once(noted, vade):
    noted()
    vade("confirm", TITLE)
    assert "confirmed     1 time" in vade("show", TITLE)[1]
    noted()
    vade("save", "fact", "Another box", "--body", "The other box is called stork.")
    assert [row["title"] for row in json.loads(vade("list", "--json")[1])["results"]].count("Another box") == 1


def test_status_says_so_first(noted, vade):
    """What is wrong with the index comes first, with the command that mends it; the notes are counted in their files."""
    noted()
    code, out, _ = vade("status")
    assert code == 0
    assert out.splitlines()[0].startswith("degraded   index: ")
    assert out.splitlines()[0].endswith("Rebuild it with: vade rebuild")
    assert "memories   1 (1 active)" in out


@pytest.mark.parametrize("path", ["list", "log?learned=true", "soul", "style-list", "sources", "idea-list", "sessions-list"])
def test_over_http(caller, run, tmp_path, path):
    async def served():
        async with caller(lambda memory: memory.notes.save("fact", TITLE, "The deploy box is called heron.")) as call:
            await call(lambda memory: memory.context.index.close())
            ruin(tmp_path)
            return (await send(build_app(call, Access(TOKEN)), "POST", f"/v1/{path}", body={})).status

    assert run(served()) == 200


@pytest.mark.parametrize("name", TOOLS)
def test_for_agents(opened, tmp_path, name):
    tool = tool_list(Rules())[name]
    given = {"question": "deploy box", "query": "deploy box", "ref": TITLE, "id": TITLE}
    with opened() as memory:
        memory.notes.save("fact", TITLE, "The deploy box is called heron.")
    ruin(tmp_path)
    values = {param.name: given.get(param.name, param.default) for param in tool.params}
    assert tool.do(opened(), values, BY_AGENT)


def test_earlier_version(noted, vade, tmp_path):
    """An index that an earlier version built, perhaps with texts that this guard would not let in, is built again by itself."""
    data = b"the password is hunter2hunter2"
    with contextlib.closing(sqlite3.connect(next(tmp_path.rglob("index.db")))) as base:
        base.executescript(f"CREATE TABLE left(said); INSERT INTO left VALUES('{data.decode()}'); PRAGMA user_version = 7")
    assert "heron" in vade("recall", "what is the deploy box called?")[1]
    assert TITLE in vade("list")[1]
    vade("sync")
    assert not [path for path in tmp_path.rglob("index.db*") if data in path.read_bytes()]


@pytest.mark.parametrize("how", ["another version", "deleted"])
@pytest.mark.parametrize("first", [("save", "fact", "Lid", "--body", "The lid is oak."), ("list",)])
def test_an_index_of_another_version(vade, tmp_path, how, first):
    """After an upgrade that knows another index, or when it was deleted, the first command finds everything, also one that writes."""
    vade("init", str(tmp_path / "notes"))
    for number in range(3):
        vade("save", "fact", f"Jar {number}", "--body", f"Jar {number} holds plums.")
    (index,) = tmp_path.rglob("index.db")
    if how == "deleted":
        for path in index.parent.glob("index.db*"):
            path.unlink()
    else:
        with contextlib.closing(sqlite3.connect(index)) as base:
            base.execute("PRAGMA user_version = 1")
    vade(*first)
    assert vade("list")[1].count("Jar ") == 3


@pytest.mark.parametrize("lost", ["deleted", "earlier version"])
def test_a_write_comes_first(noted, vade, tmp_path, transcript, lost):
    """What is saved first into an index that was deleted, or made by another version, does not stand in for all that it held."""
    vade("capture", str(transcript))
    index = next(tmp_path.rglob("index.db"))
    if lost == "deleted":
        for file in index.parent.glob("index.db*"):
            file.unlink()
    else:
        with contextlib.closing(sqlite3.connect(index)) as base:
            base.execute("PRAGMA user_version = 7")
    vade("save", "fact", "Another box", "--body", "The other box is called stork.")
    assert "heron" in vade("recall", "what is the deploy box called?")[1]
    assert TITLE in vade("list")[1]
    assert "ferry" in vade("search", "where does the ferry leave?")[1]


def test_an_index_half_built_is_built_to_its_end(noted, vade, tmp_path, transcript):
    """Whoever builds it anew and is killed leaves a note of that, so that the next command goes on."""
    vade("capture", str(transcript))
    path = next(tmp_path.rglob("index.db"))
    SqliteIndex(path).apply((), ["session://plain/a"])
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute("DELETE FROM meta WHERE name = 'complete'")
        base.commit()
    assert "ferry" in vade("search", "where does the ferry leave?")[1]


@pytest.fixture
def transcript(tmp_path):
    """A conversation in a file."""
    file = tmp_path / "talk" / "a.jsonl"
    file.parent.mkdir()
    said = [("user", "The ferry to the island leaves from pier nine."), ("assistant", "Noted: pier nine.")]
    lines = [{"type": "session", "id": "a", "time": "2026-03-01T09:00:00Z"}]
    lines += [{"id": str(number), "role": role, "text": text} for number, (role, text) in enumerate(said)]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file
