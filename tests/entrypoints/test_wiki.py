"""The wiki's walk through the doors: what a workflow in layers writes and needs, where its pages stand, and what is made of them."""

import json
import re

import pytest
from mcp import Client
from tests.entrypoints.http.test_http import send

from vademecum.domain.wiki import COMMON, MODES
from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.server import build_server

TOKEN = "t0ken-that-is-long-enough"


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "notes"


@pytest.fixture
def wiki(vade, notes):
    """Somebody who has just begun a wiki: `wiki(*words)` gives what is printed, as JSON where it is; `code` is expected."""

    def typed(*words, code=0):
        done, out, err = vade(*words)
        assert done == code, err
        return json.loads(out) if "--json" in words and out else out + err

    typed("init", str(notes), "--wiki")
    return typed


def event(wiki, name, **payload):
    return wiki("event", name, "--payload", json.dumps(payload), "--json")["saved"][0]


def told(page):
    return re.sub(r" *%%[^%]*%%", "", page.read_text())


def test_a_wiki_is_begun(wiki, notes):
    """HW-01, HW-18: folders, generated pages and templates are there; pages that are gone come back when a session starts; what
    somebody wrote stays when it is begun again."""
    folders = {path.name for path in (notes / "wiki").iterdir() if path.is_dir()}
    assert folders >= {"decisions", "modules", "components", "dependencies", "flows", "sources", "entities", "concepts", "meta"}
    pages = [notes / "wiki" / name for name in ("hot.md", "index.md", "log.md", "overview.md")]
    assert all(page.is_file() for page in pages) and (notes / ".raw").is_dir()
    for page in pages[:3]:
        page.unlink()
    wiki("event", "session_start")
    assert all(page.is_file() for page in pages)
    conventions = notes / "wiki" / "meta" / "conventions.md"
    conventions.write_text("Ours.")
    wiki("init", str(notes), "--wiki", "--mode", "e")
    assert conventions.read_text() == "Ours." and (notes / "wiki" / "papers").is_dir()
    assert wiki("list", "--json")["results"] == [], "none of this is a memory"
    assert "There is no mode of a wiki 'z'" in wiki("init", str(notes), "--wiki", "--mode", "z", code=3)


@pytest.mark.parametrize("mode", MODES)
def test_modes(vade, notes, mode):
    """HW-19: each sort of wiki has its folders, a template with the fields of their pages, and a page in one is of its kind."""
    vade("init", str(notes), "--wiki", "--mode", mode)
    for number, (folder, section) in enumerate({**MODES[mode].sections, **COMMON}.items()):
        template = (notes / "wiki" / "meta" / "templates" / f"{folder}.md").read_text()
        assert all(f"\n{field}:" in template for field in (*section.fields, "title", "tags", "related", "sources"))
        (notes / "wiki" / folder / f"page-{number}.md").write_text(f"Page {number} says this.\n")
    vade("sync")
    found = {one["path"].split("/")[1]: one["kind"] for one in json.loads(vade("list", "--json")[1])["results"]}
    assert found == {folder: section.kind for folder, section in {**MODES[mode].sections, **COMMON}.items()}


@pytest.mark.parametrize(
    ("name", "folder", "key", "fields"),
    [
        ("spec_hardened", "wiki/decisions", "SPEC-01", {"decision_type": "spec", "layer": 1}),
        ("plan_approved", "wiki/flows", "PLAN-01", {"plan_status": "approved", "layer": 2}),
        ("checkpoint_recorded", "projects/shop/event", "CP-01", {"layer": 3}),
        ("drift_detected", "wiki/flows", "FP-01", {"layer": 3}),
        ("subtask_completed", "wiki/modules", "SP-01", {"maturity": "developing"}),
        ("subtask_verified", "wiki/modules", "SP-01", {"maturity": "mature", "layer": 4}),
        ("subtask_failed", "wiki/flows", "FP-01", {"layer": 4}),
        ("review_recorded", "wiki/decisions", "REV-01", {"review_verdict": "conditional_pass"}),
        ("subtask_observable", "wiki/decisions", "DEC-01", {"decision_type": "metric", "layer": 5}),
    ],
)
def test_events(wiki, notes, name, folder, key, fields):
    """HW-06, HW-09, HW-10, HW-47, HW-55: each event is one memory in its folder, with its key and fields, and all that it told."""
    payload = {"title": "One writer", "body": "It owns the file.", "project": "shop", "verdict": "conditional_pass"}
    saved = event(wiki, name, **payload, files_changed=["queue.py"], nodes=[{"id": "a", "after": ["b"]}])["memory"]
    assert saved["path"] == f"{folder}/one-writer.md"
    assert saved["aliases"] == [key] and saved["extra"].items() >= fields.items()
    text = (notes / saved["path"]).read_text()
    assert "It owns the file." in text and "## Files changed\n\n- queue.py" in text and "- id: a; after: b" in text
    assert ("> [!contradiction]" in text) == (key == "FP-01")
    assert event(wiki, name, title="Another")["memory"]["aliases"] == [key.replace("01", "02")]


def test_failures_speak_against_pages(wiki, notes):
    """HW-09: a failure that names what it speaks against leaves both standing, each with its callout."""
    plan = event(wiki, "plan_approved", title="Two processes write", body="Both processes write to the queue.")["memory"]
    failed = event(wiki, "subtask_failed", title="Updates were lost", body="One of two writes was lost.", contradicts="PLAN-01")
    for memory in (plan, failed["memory"]):
        assert "> [!contradiction]" in (notes / memory["path"]).read_text()
    assert wiki("show", "PLAN-01", "--json")["status"] == "disputed"
    assert "MISSING plan" in wiki("require", "plan", "PLAN-01", code=4), "what is in dispute does not stand"


def test_a_turn_ends(wiki):
    """HW-10: a decision with its reason waits for the person, since a program sent it; what decides nothing leaves nothing."""
    turn = {"text": "We decided to use SQLite for the queue because it is one file."}
    saved = wiki("event", "turn_end", "--payload", json.dumps(turn), "--json")["saved"]
    assert [(one["action"], one["memory"]["kind"]) for one in saved] == [("inbox", "decision")]
    assert wiki("event", "turn_end", "--payload", '{"text": "It is raining."}', "--json")["saved"] == []


def test_required(wiki):
    """HW-51, HW-54: what a host requires must stand, by title, key or id and of that kind; else it exits with 4, and the host halts."""
    assert "MISSING decision: Queue" in wiki("require", "decision", "Queue", code=4)
    wiki("save", "decision", "Queue", "--body", "One process writes the queue.", "--key", "DEC-", "--project", "shop")
    for name in ("Queue", "dec-01"):
        assert wiki("require", "decision", name, "--project", "shop", "--json")["title"] == "Queue"
    wiki("require", "decision", "Queue", "--project", "barn", code=4)
    wiki("require", "plan", "Queue", code=4)
    wiki("require", "failure_pattern", "Queue", code=4)
    wiki("archive", "DEC-01")
    assert "but archived" in wiki("require", "decision", "DEC-01", code=4)


def test_layers_read(wiki):
    """HW-48: what each layer reads first is one command: failures by words, the last decisions, the last choices of metrics."""
    event(
        wiki, "subtask_failed", title="Two writers lose updates", body="Two processes wrote to the queue and updates were lost."
    )
    event(wiki, "subtask_verified", title="One writer holds", body="One process writes to the queue.")
    for number in range(7):
        wiki("save", "decision", f"Choice {number}", "--body", f"Number {number} was chosen for shelf {number}.")
    event(wiki, "subtask_observable", title="Count lost updates", body="We count lost updates.", tags=["metric"])
    found = wiki("search", "updates lost by writers", "--tag", "failure_pattern", "--json")["hits"]
    assert {hit["title"] for hit in found} == {"Two writers lose updates"}
    assert len(wiki("list", "--kind", "decision", "--limit", "5", "--json")["results"]) == 5
    assert [one["title"] for one in wiki("list", "--tag", "metric", "--limit", "3", "--json")["results"]] == [
        "Count lost updates"
    ]


def test_pages_of_other_tools(wiki, notes):
    """HW-14, HW-20, HW-33, HW-34: a page with another tool's properties is read as it stands, without a complaint."""
    pages = {
        "flows/write-queue.md": "type: flow\ntitle: Write queue\nstatus: developing\nlayer: Layer_6\nsources: ['[[storage-notes]]']",
        "concepts/locks.md": "category: concepts\ntitle: Locks\nlifecycle: verified\nbase_confidence: 0.9\nsummary: Who waits.",
        "references/paper.md": "title: A paper\nlifecycle: archived\nprovenance: {extracted: 0.8, inferred: 0.2}",
        "synthesis/both.md": "title: Both\nstatus: evergreen",
    }
    for path, properties in pages.items():
        (notes / "wiki" / path).parent.mkdir(exist_ok=True)
        (notes / "wiki" / path).write_text(f"---\n{properties}\n---\nWhat {path} says.\n")
    wiki("sync")
    shown = {name: wiki("show", name, "--json") for name in ("Write queue", "Locks", "A paper", "Both")}
    read = {name: (one["kind"], one["status"], one["confidence"]) for name, one in shown.items()}
    assert read == {
        "Write queue": ("flow", "active", "medium"),
        "Locks": ("concept", "active", "high"),
        "A paper": ("source", "archived", "medium"),
        "Both": ("concept", "active", "medium"),
    }
    assert {"type": "sources", "target": "storage-notes"} in shown["Write queue"]["edges"]


def test_projects_share_sections(wiki):
    """Two projects may decide under the same name; in one project the name is taken."""
    for project in ("shop", "barn"):
        wiki("save", "decision", "Storage", "--body", f"The {project} uses one file.", "--project", project)
        wiki("save", "decision", "Storage", "--body", f"Otherwise the {project} has none at all.", "--project", project, code=6)


def test_hot_after_60_events(caller, run, home):
    """HW-22, HW-52: after 60 events over HTTP the hot page has its sections and at most 500 words; the log has the last on top."""

    async def talk():
        async with caller(lambda memory: memory.maintenance.begin_wiki()) as call:
            app = build_app(call, Access(TOKEN))

            async def sent(name, **payload):
                answer = await send(app, "POST", "/v1/event", body={"name": name, "payload": payload})
                assert answer.status == 200, answer.body

            for number in range(60):
                await sent("checkpoint_recorded", title=f"Checkpoint {number}", body=f"Step {number} " + "went on and on " * 8)
            await sent("subtask_failed", title="Two writers lose updates", body="Two processes wrote. " + "It was long. " * 20)
            await sent("session_shutdown")

    run(talk(), seconds=300)
    hot = told(home / "wiki" / "hot.md")
    assert len(hot.split()) <= 500
    assert re.findall("^## (.*)", hot, re.MULTILINE) == [
        "Key Recent Facts", "Active Threads", "Recent Changes", "Flagged Contradictions"
    ]  # fmt: skip
    assert "Last change: 20" in hot and "Two writers lose updates" in hot
    log = [line for line in told(home / "wiki" / "log.md").splitlines() if line.startswith("- [")]
    assert "save | Two writers lose updates" in log[0]


def test_pages_move_into_the_wiki(vade, notes):
    """HW-53: a memory with pages gets a wiki: each page has one place, where it was stands the way there, and an edit is taken over."""
    vade("init", str(notes))
    vade("save", "decision", "Queue", "--body", "One process writes.")
    vade("sync", "--views")
    vade("init", str(notes), "--wiki")
    assert "[[wiki/hot]]" in (notes / "_views" / "hot.md").read_text()
    vade("save", "decision", "Stock", "--body", "It is counted twice.")
    assert (notes / "personal/decision/queue.md").is_file(), "what was there stays where it is"
    assert (notes / "wiki/decisions/stock.md").is_file()
    vade("sync", "--views")
    hot = notes / "wiki" / "hot.md"
    hot.write_text(hot.read_text().replace("One process writes.", "Two processes write."))
    vade("sync", "--views")
    assert json.loads(vade("show", "Queue", "--json")[1])["body"].strip() == "Two processes write."
    vade("evolve", "Queue", "measured", "--body", "Three processes write.")
    vade("sync", "--views")
    pages = told(notes / "wiki" / "hot.md") + told(notes / "wiki" / "overview.md")
    assert pages.count("Three processes") == 2 and "Two processes" not in pages, "no page tells what gave way"


def test_forgotten_in_the_wiki(wiki, notes):
    """What is forgotten stands on no page of the wiki."""
    wiki("save", "decision", "Blue kettle", "--body", "The blue kettle stays in the northern kitchen.")
    wiki("sync", "--views")
    assert "Blue kettle" in told(notes / "wiki" / "index.md")
    wiki("forget", "Blue kettle", "--yes")
    assert not [path for path in (notes / "wiki").rglob("*.md") if "Blue kettle" in path.read_text()]


def test_over_http_and_mcp(caller, run):
    """HW-10, HW-50: programs send events and require memories over HTTP and MCP as on the command line; nothing else is needed."""
    spec = {"name": "spec_hardened", "payload": {"title": "One writer", "body": "One process writes."}}
    plan = {"name": "plan_approved", "payload": {"title": "Move", "body": "Move to one writer."}}

    async def talk():
        async with caller() as call, Client(build_server(call)) as client:
            app = build_app(call, Access(TOKEN))
            sent = await send(app, "POST", "/v1/event", body=spec)
            there = await send(app, "POST", "/v1/require", body={"kind": "spec", "title": "SPEC-01"})
            missing = await send(app, "POST", "/v1/require", body={"kind": "decision", "title": "Budget"})
            used = await client.call_tool("use_verb", {"verb": "event", "arguments": plan})
            required = await client.call_tool("use_verb", {"verb": "require", "arguments": {"kind": "plan", "title": "Move"}})
            return sent, there, missing, used, required

    sent, there, missing, used, required = run(talk())
    assert (sent.status, there.status, missing.status) == (200, 200, 404)
    assert "MISSING decision: Budget" in missing.body.decode()
    assert not used.is_error and "Move to one writer" in required.content[0].text


def test_keys_link(wiki):
    """HW-47: a text that names a key is linked with the page that has it."""
    event(wiki, "spec_hardened", title="One writer", body="One process writes.")
    wiki("save", "lesson", "Ask first", "--body", "Read SPEC-01 before you change the queue.")
    assert "One writer" in wiki("links", "Ask first")


def test_addresses(wiki):
    """HW-31: who wants numbers has them handed out, the next free one each time, and a page is found by its own."""
    for number in range(3):
        wiki("save", "concept", f"Shelf {number}", "--body", f"Shelf {number} holds box {number}.", "--key", "C-")
    assert wiki("show", "C-03", "--json")["title"] == "Shelf 2"
