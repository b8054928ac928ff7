"""Each format is read as its program writes it: small files of the same shape, in words of our own."""

import json
import sqlite3
import zipfile

import pytest

from vademecum.domain.errors import VademecumError
from vademecum.plugins.moving.importing import ImportOptions, import_memories

GRAPH = """{"type":"entity","name":"Ada","entityType":"person","observations":["Lives in Porto","Teaches botany"]}
{"name":"Moss Guide","entityType":"project","observations":[{"text":"On recycled paper","timestamp":"2025-05-11T15:54:05Z"}]}
{"type":"relation","from":"Ada","to":"Moss Guide","relationType":"writes"}
{"type":"entity","name":
"""

SWARM = """<!-- MEMORY_INDEX_START -->
- [KD01] 2026-04-01 paper
<!-- MEMORY_INDEX_END -->
## Key Decisions
- [KD01] 2026-04-01 Recycled paper for every edition
  <!-- valid_from: 2026-04-01 | superseded_by: null | confidence: high -->
- [KD02] 2026-04-02 Two columns
  <!-- valid_from: 2026-04-02 | superseded_by: KD07 | confidence: low -->

## COE
- [COE01] 2026-03-01 The press ran dry. See KD01.
"""

SWARM_INDEXED = """<!-- MEMORY_INDEX_START -->
## Memory Index
### Permanent
- [KD01] 2026-03-27 Recycled paper | paper, edition
- [COE01] press ran dry | ink
<!-- MEMORY_INDEX_END -->

## Open Threads
### P0 — Blocking
- 🔴 **Ink is late** (reported 4x)
  Ordered twice.
### Resolved (archive)
- **Old plates** — sold.

## Recent Context
- 2026-03-31: Two columns it is.

## Key Decisions
- 2026-03-27: **Recycled paper** — for every edition.

## COE Registry
<!-- maturity: sparse -->

- 2026-03-17: **Press ran dry** — the valve stuck.
"""

DRAWERS = """# garden / decisions

## drawer_1

> Rows of beans
> behind the potatoes

| Field | Value |
|-------|-------|
| Source | beans.md |
| Filed | 2026-02-03T10:00:00 |
| Added by | miner |

---
"""

RULES = """---
globs: "*.py"
alwaysApply: true
---
# Rules

This repository prints a guide.

- Always run the tests before you commit.
- `press/` holds the plates
"""

CLAUDE_AI = {
    "memories.json": [
        {
            "conversations_memory": "**Personal context**\n\nTeaches botany.",
            "project_memories": {"u1": "Prints in May."},
            "memory_files": [
                {
                    "path": "/memories/garden.md",
                    "content": "# Preferences\n- [inferred] Sows beans late\n",
                    "updated_at": "2026-03-01T09:00:00Z",
                }
            ],
            "account_uuid": "a",
        }
    ],
    "projects/one.json": {
        "uuid": "u1",
        "name": "Guide",
        "prompt_template": "Be brief.",
        "docs": [{"filename": "plan.md", "content": "Chapter one."}],
    },
}
MEM0 = {
    "results": [{"id": "m1", "memory": "Likes tea", "metadata": {"topic": "drinks"}, "created_at": "2025-07-01T10:00:00-07:00"}]
}
OBSERVATION = {
    "id": 7, "type": "bugfix", "title": "Pool ran dry", "narrative": "Closed late.", "facts": '["one", "two"]', "concepts": '["pool"]',
    "created_at_epoch": 1767225600000, "project": "press",
}  # fmt: skip
AGENT = {"agents": [{"name": "Sam"}], "blocks": [{"label": "human", "value": "Teaches botany.", "description": "About them"}]}
TEA = """---
title: Tea
type: note
permalink: notes/tea
tags: [drinks]
---
# Tea
- [method] Steep it #green
- pairs_with [[Scone]]
"""
ORDERS = "---\ntype: BigQuery Table\ntitle: Orders\ndescription: One row an order.\n---\n# Schema\n"
FACTS = [{"id": 4, "text": "Likes tea", "kind": "preference", "importance": 0.7}]

#: Format -> its files, and what comes in: title -> (kind, words of its text).
MIF = """---
id: 3f2b8c1e-5d4a-4e6f-9a7b-1c2d3e4f5a6b
type: semantic
created: 2026-01-15T10:30:00Z
namespace: _semantic/decisions
title: Recycled paper
tags:
  - print
temporal:
  valid_from: 2026-01-20T00:00:00Z
  valid_until: null
provenance:
  source_type: user_explicit
  confidence: 0.95
extensions:
  other_program:
    hash: abc
---
Recycled paper for every edition.

## Relationships

- supersedes [[Glossy paper]]
"""
SAMPLES = {
    "mcp-memory": ({"memory.jsonl": GRAPH}, {"Ada": ("entity", "- writes [[Moss Guide]]"), "Moss Guide": ("project", "On recycled paper")}),
    "swarm": (
        {"MEMORY.md": SWARM},
        {
            "Recycled paper for every edition": ("decision", "Recycled paper"),
            "Two columns": ("decision", "Two columns"),
            "The press ran dry. See KD01.": ("incident", "See KD01"),
        },
    ),
    "mempalace": ({"garden/decisions.md": DRAWERS}, {"Rows of beans": ("decision", "behind the potatoes")}),
    "rules": ({".cursor/rules/tests.mdc": RULES}, {"Always run the tests before you commit.": ("preference", "Always run")}),
    "claude-ai": (
        {path: json.dumps(data) for path, data in CLAUDE_AI.items()},
        {
            "Teaches botany.": ("identity", "Teaches"),
            "Prints in May.": ("project", "Prints"),
            "Sows beans late": ("preference", "Sows"),
            "Guide": ("project", "Be brief."),
            "plan.md": ("source", "Chapter one."),
        },
    ),
    "mem0": ({"export.json": json.dumps(MEM0)}, {"Likes tea": ("fact", "Likes tea")}),
    "claude-mem": ({"mem.json": json.dumps({"observations": [OBSERVATION]})}, {"Pool ran dry": ("lesson", "- two")}),
    "letta": ({"agent.af": json.dumps(AGENT)}, {"Sam: human": ("identity", "Teaches botany.")}),
    "basic-memory": ({"notes/tea.md": TEA}, {"Tea": ("fact", "- pairs_with [[Scone]]")}),
    "notes": (
        {"wiki/decisions/paper.md": "---\ntype: decision\ntitle: Paper\nstatus: accepted\n---\nRecycled.\n"},
        {"Paper": ("decision", "Recycled.")},
    ),
    "mif": (
        {"semantic/decisions/paper.md": MIF, "index.md": "# All\n- [Paper](semantic/decisions/paper.md)\n"},
        {"Recycled paper": ("decision", "Recycled")},
    ),
    "okf": ({"tables/orders.md": ORDERS, "index.md": "# Orders\n- [Orders](tables/orders.md)\n"}, {"Orders": ("concept", "# Schema")}),
    "memory-v2": (
        {"user-profile.md": "# User\n- Teaches botany\n", "soul.md": "- Answers briefly\n", "facts.json": json.dumps(FACTS)},
        {"Teaches botany": ("identity", "botany"), "Answers briefly": ("style", "briefly"), "Likes tea": ("preference", "tea")},
    ),
}  # fmt: skip


def lay(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return str(folder)


def take(memory, *paths, mine=True):
    return import_memories(memory.context, paths, options=ImportOptions(mine=mine, yes=True))


@pytest.mark.parametrize("name", SAMPLES)
def test_recognised(memory, tmp_path, name):
    """A folder is recognised by what its files say; kinds, titles and texts come along, and a second run adds nothing."""
    files, expected = SAMPLES[name]
    folder = lay(tmp_path / "theirs", files)
    done = take(memory, folder)
    assert [one.format for one in done.brought] == [name]
    kept = {one.title: one for one in done.saved if one.status != "archived"}
    assert {title: one.kind for title, one in kept.items()} == {title: kind for title, (kind, _) in expected.items()}
    assert all(words in kept[title].body for title, (_, words) in expected.items())
    assert take(memory, folder).saved == ()


def test_bad_lines(memory, tmp_path):
    """A line that cannot be read is named with its number and why; the others come in."""
    done = take(memory, lay(tmp_path / "theirs", SAMPLES["mcp-memory"][0]))
    assert [problem.path for problem in done.problems] == ["memory.jsonl"]
    assert done.problems[0].message.startswith("line 4: ")
    assert done.brought[0].counts == {"new": 2, "unread": 1}


def test_forty_keys(memory, tmp_path):
    """SW-02, SW-31: forty decisions with keys come in and keep them: each is found by its key; what was replaced there is superseded."""
    lines = [f"- [KD{number:02}] 2026-04-01 Plate {number} is etched in bath {number}\n" for number in range(1, 41)]
    done = take(memory, lay(tmp_path / "theirs", {"MEMORY.md": "## Key Decisions\n" + "".join(lines)}))
    assert done.brought[0].counts == {"new": 40}
    assert all(
        memory.notes.get(f"KD{number:02}").title == f"Plate {number} is etched in bath {number}" for number in range(1, 41)
    )
    again = take(memory, lay(tmp_path / "more", {"MEMORY.md": SWARM.replace("KD01", "KD41").replace("KD02", "KD42")}))
    assert {one.aliases[0]: one.status for one in again.saved} == {"KD41": "active", "KD42": "superseded", "COE01": "active"}


def test_keys_of_the_index(memory, tmp_path):
    """SW-02: where entries have no keys of their own those of the index are theirs; threads have their urgency, and a page whose
    sections are empty brings nothing in."""
    done = take(memory, lay(tmp_path / "theirs", {"MEMORY.md": SWARM_INDEXED}))
    assert done.brought[0].format == "swarm"
    kept = {one.title: (one.aliases, one.kind, one.tags, one.status) for one in done.saved}
    assert kept == {
        "Recycled paper": (("KD01",), "decision", (), "active"),
        "Press ran dry": (("COE01",), "incident", (), "active"),
        "Ink is late": ((), "task", ("p0",), "active"),
        "Old plates": ((), "task", (), "resolved"),
        "Two columns it is.": ((), "event", (), "active"),
    }
    assert "Ordered twice." in memory.notes.get("Ink is late").body and "maturity" not in memory.notes.get("COE01").body
    empty = "<!-- ours -->\n\n# Memory\n\n## Key Decisions\n\n_(None)_\n\n## COE Registry\n\n_(None)_\n"
    assert take(memory, lay(tmp_path / "empty", {"MEMORY.md": empty})).saved == ()


def test_a_database_is_not_opened(memory, tmp_path):
    """A database is named with what to do; nothing of it is read."""
    with sqlite3.connect(tmp_path / "claude-mem.db") as database:
        database.execute("CREATE TABLE observations (id INTEGER)")
    done = take(memory, str(tmp_path / "claude-mem.db"))
    assert done.saved == () and "Export it with its own program" in done.problems[0].message


def test_what_is_said_beside(memory, tmp_path):
    """Dates, tags, projects, agents and further properties come along; what means something else here is kept under another name."""
    one = take(memory, lay(tmp_path / "a", SAMPLES["claude-mem"][0])).saved[0]
    assert (one.project, one.tags, one.facet, f"{one.valid_from:%Y-%m-%d}") == ("press", ("pool",), "bugfix", "2026-01-01")
    other = take(
        memory,
        lay(tmp_path / "b", {"x.md": "---\npermalink: x\ntitle: X\nconfidence: 0.8\nstars: 3\ntags: [a b, '7']\n---\nText\n"}),
    ).saved[0]
    assert (other.confidence, other.extra["imported_confidence"], other.extra["stars"], other.tags) == (
        "medium",
        0.8,
        3,
        ("a-b",),
    )


def test_from_a_zip(memory, tmp_path):
    """An export as it comes, a ZIP archive, is read without unpacking; conversations in it are named, for they are read by capture."""
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for path, text in SAMPLES["claude-ai"][0].items():
            archive.writestr(path, text)
        archive.writestr("conversations.json", json.dumps([{"uuid": "c", "name": "Tea", "chat_messages": []}]))
    done = take(memory, str(tmp_path / "export.zip"))
    assert done.brought[0].counts == {"new": 5}
    assert done.conversations == ("conversations.json",)


def test_damaged_archive(memory, tmp_path):
    """Of an archive that is cut off nothing comes in."""
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04" + b"x" * 60)
    with pytest.raises(VademecumError):
        import_memories(memory.context, (str(tmp_path / "cut.zip"), str(tmp_path / "gone")), options=ImportOptions(yes=True))
    assert memory.notes.list() == ()


def test_five_files(memory, tmp_path):
    """VO-46: of the files before Memory v2 profile, projects, patterns and errors are cut into memories, `soul.md` gives styles and
    `knowledge.md` is passed over; what would come in of each is told first, and a run that is repeated adds nothing. All of the folder
    is known by the profile that lies there."""
    names = ("user-profile", "projects", "patterns", "errors", "soul", "knowledge")
    folder = lay(tmp_path / "memory", {f"{name}.md": f"# {name}\n- What stands in {name}\n" for name in names})
    told = import_memories(memory.context, (folder,))
    assert told.brought[0].files == {f"{name}.md": int(name != "knowledge") for name in sorted(names)}
    assert memory.notes.list() == ()
    done = take(memory, folder)
    assert sorted(one.kind for one in done.saved if one.status == "active") == [
        "identity", "lesson", "preference", "project", "style"
    ]  # fmt: skip
    assert sum(one.status == "archived" for one in done.saved) == 5
    assert take(memory, folder).saved == ()
    memory.notes.undo()
    assert take(memory, folder).brought[0].counts == {"new": 5}
