"""What is tagged `visibility/...` is told at the person's own terminal alone, whichever verb or tool is asked (HW-37)."""

from mcp import Client
from tests.entrypoints.http.test_http import send

from vademecum.domain.query import Query
from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.server import Rules, build_server
from vademecum.entrypoints.mcp.tools import all_tools
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.table import REQUIRED

TOKEN = "t0ken-that-is-long-enough"
KINDS = ("fact", "preference", "identity", "style", "task", "decision", "correction", "project", "event", "handoff")
#: Arguments that are a question, and what is asked.
ASKED = "cholesterol of the kettle"
GIVEN = {"ref": "Kettle", "id": "Kettle", "statement": "SELECT * FROM facts", "verb": "links", "arguments": {"ref": "Kettle"}}


def blood(memory):
    memory.notes.save("fact", "Kettle", "Descale the kettle.")
    for kind in KINDS:
        memory.notes.save(kind, f"Blood {kind}", f"My {kind} shows 240 cholesterol.", tags=("visibility/pii",))
    memory.notes.save("idea", "Blood idea", "An app for cholesterol.", tags=("visibility/internal",))
    memory.notes.link("Kettle", "related", "Blood fact")
    memory.notes.link("Blood task", "related", "Kettle")
    talk = [{"role": "user", "content": "Blood: my cholesterol shows 240."}, {"role": "assistant", "content": "Blood noted."}]
    memory.conversations.accept("claude-code", talk, exclude=True)
    memory.recall.ask(Query("cholesterol", memory.notes.scope(tag=("visibility/pii",)), gated=False))


def named(verb):
    needed = [param.name for param in verb.params if param.default is REQUIRED or param.name in ("question", "query", "prompt")]
    return {name: GIVEN.get(name, ASKED) for name in needed}


def told(text):
    """What an answer tells of what is withheld."""
    return text.count("shows 240") + text.count("Blood")


def test_over_http(caller, run):
    """No verb that reads tells a program of what is withheld, and SQL is the person's own."""
    reading = [verb for verb in VERBS if not verb.writes and verb.name != "reader preview"]

    async def talk():
        async with caller(blood) as call:
            app = build_app(call, Access(TOKEN))
            return {verb.name: await send(app, "POST", f"/v1/{verb.slug}", body=named(verb)) for verb in reading}

    answers = run(talk())
    assert answers["list"].status == answers["links"].status == answers["recall"].status == 200
    assert answers["sql"].status == 403
    assert [name for name, answer in answers.items() if told(answer.body.decode())] == []


def test_an_answer_names_nothing_withheld(caller, run):
    """HW-37: an answer does not list by its id what it leaves out: who has the id could read it."""

    async def talk():
        async with caller(blood) as call:
            ids = await call(
                lambda memory: [one.key.rpartition("/")[2] for one in memory.notes.list(50, tag=("visibility/pii",))]
            )
            app = build_app(call, Access(TOKEN))
            return ids, [await send(app, "POST", f"/v1/{verb}", body={"question": ASKED}) for verb in ("recall", "search")]

    ids, answers = run(talk())
    assert ids
    assert [one for one in ids for answer in answers if one in answer.body.decode()] == []


def test_over_mcp(caller, run):
    """No tool, resource or prompt tells an agent of it; a tag that it asks for is told."""
    reading = [tool for tool in all_tools().values() if tool.reads or tool.name in ("review_inbox", "use_verb")]

    async def talk():
        async with caller(blood) as call, Client(build_server(call, Rules(memory_tool=True))) as client:
            said = {tool.name: await client.call_tool(tool.name, named(tool)) for tool in reading}
            said["memory"] = await client.call_tool("memory", {"command": "view", "path": "/memories"})
            said["resources"] = await client.list_resources()
            said["briefing"] = await client.read_resource("memory://briefing")
            said["onboarding"] = await client.get_prompt("onboarding")
            return said, await client.call_tool("list_memories", {"tag": "visibility/pii"})

    said, asked = run(talk())
    assert "Kettle" in said["list_memories"].content[0].text
    assert [name for name, answer in said.items() if told(answer.model_dump_json())] == []
    assert told(asked.model_dump_json())


def test_at_the_terminal(vade):
    """At the person's own terminal `list` and `links` tell all of it."""
    vade("init", "Notes")
    vade("save", "fact", "Kettle", "--body", "Descale it.")
    vade("save", "fact", "Blood", "--body", "240 cholesterol.", "--tags", "visibility/pii")
    vade("link", "Kettle", "related", "Blood")
    assert "Blood" in vade("list")[1]
    assert "Blood" in vade("links", "Kettle")[1]
