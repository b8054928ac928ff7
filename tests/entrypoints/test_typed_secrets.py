"""X-21, X-37: what a person types into a note by hand is in their file and nowhere else, whatever verb or door touches the note.

The tests go through the doors: a rule that holds at one entrance alone is what these secrets once passed by.
"""

import json
import os
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from mcp import Client

from vademecum.domain.host import HookEvent
from vademecum.entrypoints.cli import cli
from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.server import build_server

#: Of the shape that is published for keys of AWS; in two parts, so that nobody takes this file for a leak.
KEY = "AKIA" + "IOSFODNN7ABCDEFG"
MAIL = "ana.souza" + "@" + "larder.io"
MARK = "[REDACTED:aws-access-key]"
QUESTION = "deploy box heron key"
TOUCHES = (
    ["sync"], ["tag", "Deploy box", "--add", "infra"], ["confirm", "Deploy box"], ["move", "Deploy box", "--kind", "decision"],
    ["move", "Deploy box", "--title", "The deploy box"], ["link", "Deploy box", "related", "Kettle"], ["rebuild"],
    ["edit", "Deploy box", "--set", "summary=The box"], ["archive", "Deploy box"], ["archive", "--resolved", "Deploy box"],
)  # fmt: skip


@pytest.fixture
def vade(tmp_path, monkeypatch, capfd):
    """Runs a command line over a memory in `Memory`, and gives all that it printed."""
    for name in [name for name in os.environ if name.startswith("VADEMECUM_")]:
        monkeypatch.delenv(name)
    for name, value in {"CONFIG": "config.toml", "DATA_DIR": "data", "CACHE_DIR": "cache"}.items():
        monkeypatch.setenv(f"VADEMECUM_{name}", str(tmp_path / value))
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)

    def typed(*words, code=0):
        done = cli.run(list(words))
        said = capfd.readouterr()
        assert done == code, said.err
        return said.out + said.err

    typed("init", "Memory")
    return typed


def type_into(folder, sentence):
    """Add a sentence to the note about the deploy box, as a person does with an editor."""
    notes = (path for path in folder.rglob("*.md") if "_journal" not in path.parts)
    (note,) = (path for path in notes if "called heron" in path.read_text(encoding="utf-8"))
    with note.open("a", encoding="utf-8") as file:
        file.write(f"\n{sentence}\n")


def held(word, folder):
    return [path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


@pytest.mark.parametrize("words", TOUCHES, ids=" ".join)
def test_x21_untold_after_verbs(vade, tmp_path, words):
    """A key in a note is told by no command after a verb wrote the note, and stands in no file of ours beside the vault."""
    vade("save", "fact", "Kettle", "--body", "Descale the kettle.")
    ref = json.loads(vade("save", "lesson", "Deploy box", "--body", "The deploy box is called heron.", "--json"))["memory"][
        "id"
    ]
    type_into(tmp_path / "Memory", f"The heron key is {KEY} for now.")
    assert "looks like a secret" in vade("sync")
    said = [vade(*words), vade("recall", "descale kettle")]
    tomorrow = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%d}"
    recalled = [vade("recall", QUESTION), vade("recall", QUESTION, "--as-of", tomorrow), vade("briefing")]
    if words[0] not in ("archive", "resolve"):
        assert all(MARK in one for one in recalled)
    for line in (["show", ref], ["show", ref, "--as-of", tomorrow], ["history", ref], ["list"], ["list", "--as-of", tomorrow]):
        said += [vade(*line), vade(*line, "--json")]
    said += [vade("bundle", QUESTION), vade("why"), vade("sql", "SELECT text FROM facts")]
    assert MARK in vade("show", ref)
    assert KEY not in "".join(said + recalled)
    assert not held(KEY, tmp_path / "data")
    assert held(KEY, tmp_path / "Memory")


def test_x21_untold_without_index(vade, tmp_path):
    """An index that is gone or damaged is built again, or the files answer for it; the key is told by neither."""
    vade("save", "lesson", "Deploy box", "--body", "The deploy box is called heron.")
    type_into(tmp_path / "Memory", f"The heron key is {KEY} for now.")
    index = tmp_path / "data" / "index.db"
    for damage in (index.unlink, lambda: index.write_bytes(b"nothing of an index" * 500)):
        damage()
        assert MARK in vade("recall", QUESTION)
        assert KEY not in vade("recall", QUESTION, "--json") + vade("briefing")


def test_x37_policy_holds_for_notes(vade, tmp_path, monkeypatch):
    """What the person lets through or has redacted is so in a note of theirs as in what is saved, and what is let through is no
    problem."""
    monkeypatch.setenv("VADEMECUM_GUARD_ALLOW", KEY)
    monkeypatch.setenv("VADEMECUM_PERSONAL_DATA", "redact")
    vade("save", "lesson", "Deploy box", "--body", "The deploy box is called heron.")
    type_into(tmp_path / "Memory", f"The heron key is {KEY} for now.")
    assert "problem" not in vade("sync")
    type_into(tmp_path / "Memory", f"Questions about heron go to {MAIL} please.")
    vade("sync")
    vade("save", "lesson", "Saved box", "--body", f"The saved key is {KEY}. Questions about it go to {MAIL} please.")
    for told in (vade("recall", "heron key questions"), vade("recall", "saved key questions"), vade("briefing")):
        assert KEY in told
        assert "[REDACTED:email]" in told
        assert MAIL not in told
    assert not held(MAIL, tmp_path / "data")


def test_x37_untold_by_servers(caller, home, run):
    """The same note over MCP (tools and resources), HTTP (verbs and older routes) and in hooks: the key is told by none."""

    def typed(memory):
        memory.notes.save("lesson", "Deploy box", "The deploy box is called heron.")
        type_into(home, f"The heron key is {KEY} for now.")
        memory.maintenance.sync()

    async def talk():
        async with caller(typed) as call:
            door = httpx2.ASGITransport(app=build_app(call, Access("t0ken")))
            async with Client(build_server(call), mode="2026-07-28") as client:
                read = await client.call_tool("read_memory", {"id": "Deploy box"})
                told = [repr(read), repr(await client.call_tool("recall_memory", {"query": QUESTION}))]
                told.append(repr(await client.read_resource(read.structured_content["id"])))
                told.append(repr(await client.call_tool("use_verb", {"verb": "history", "arguments": {"ref": "Deploy box"}})))
            await call(lambda memory: memory.notes.tag("Deploy box", add=("infra",)))
            headers = {"authorization": "Bearer t0ken"}
            async with httpx2.AsyncClient(transport=door, base_url="http://127.0.0.1:7821", headers=headers) as http:
                told.append((await http.post("/v1/show", json={"ref": "Deploy box"})).text)
                told.append((await http.post("/v1/recall", json={"question": QUESTION})).text)
            event = HookEvent("codex", "start", "SessionStart", "s1", "/tmp")
            told.append((await call(lambda memory: memory.recall.deliver(event))).text)
            asks = HookEvent(
                "codex", "prompt", "UserPromptSubmit", "s2", "/tmp", prompt="What is the heron key of the deploy box?"
            )
            told.append((await call(lambda memory: memory.recall.deliver(asks))).text)
            return told

    told = run(talk())
    assert [MARK in one for one in told] == [True] * 8
    assert KEY not in "".join(told)


def test_errors_tell_no_secret(vade, tmp_path):
    """What an error quotes of a note, or of what was asked, passes the guard as every answer does."""
    for number in (1, 2):
        vade("save", "fact", f"Deploy box {number}", "--body", f"Box {number} is called heron.")
        (note,) = (path for path in (tmp_path / "Memory").rglob(f"deploy-box-{number}.md"))
        note.write_text(
            note.read_text(encoding="utf-8").replace("aliases: []", "").replace("kind:", f"aliases: [{KEY}]\nkind:", 1)
        )
    vade("sync")
    for words, code in ((["show", KEY], 5), (["show", KEY, "--json"], 5), (["show", f"{KEY} of old"], 4)):
        told = vade(*words, code=code)
        assert KEY not in told, words
    assert MARK in told
