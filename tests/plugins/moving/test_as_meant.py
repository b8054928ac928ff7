"""What other programs wrote comes in as it was meant: texts, titles, dates, states, and whose it is."""

import json
import time
from datetime import UTC, datetime

import pytest
from tests.plugins.moving.test_formats import lay, take

from vademecum.domain.query import Query
from vademecum.plugins.moving.exporting import export_memories
from vademecum.plugins.moving.formats.properties import properties_of
from vademecum.plugins.moving.importing import ImportOptions, import_memories
from vademecum.vault import frontmatter


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("description: Follows PR #91 and issue #7 - wait an hour", "Follows PR #91 and issue #7 - wait an hour"),
        ("description: Rule: never varnish wood: only stone", "Rule: never varnish wood: only stone"),
        ('description: "the "matt" varnish is sold by Orrin"', 'the "matt" varnish is sold by Orrin'),
        ("description: 'it's the owner's shelf'", "it's the owner's shelf"),
        ("description: “Closed on Mondays”", "Closed on Mondays"),
        (r'description: "a \"quoted\" word"', 'a "quoted" word'),
        ("description: - begins with a dash", "- begins with a dash"),
        ("description: 100% sure? yes & no", "100% sure? yes & no"),
        ("description: |\n  two\n  lines", "two\nlines"),
        ("tags: [varnish, shelf] # mine", ["varnish", "shelf"]),
        ("tags:\n- varnish\n- shelf", ["varnish", "shelf"]),
        ("count: 7", 7),
    ],
)  # fmt: skip
def test_properties(line, value):
    """A text stays the text that stands there, although YAML would cut it, or refuse it and all the others with it."""
    found = properties_of(frontmatter.read(f'---\nname: "a "b" c"\n{line}\nlast: yes\n---\nText.\n'))
    name = line.partition(":")[0]
    assert found.values[name] == value
    assert found.values["name"] == 'a "b" c'
    assert "last" in found.values and found.unread == ()


def test_unread_properties_are_named(memory, tmp_path):
    """A property that cannot be read is named with its line; the others and the text come in."""
    note = "---\nname: shelf\ndescription: The shelf\ntype: project\ntags: [oak, [pine\n---\nThe shelf is of oak.\n"
    done = take(memory, lay(tmp_path / "theirs", {"shelf.md": note}))
    assert [one.title for one in done.saved] == ["shelf"]
    assert [(one.path, "'tags'" in one.message) for one in done.problems] == [("shelf.md:5", True)]


def test_dates_of_auto_memory(memory, tmp_path):
    """The time that the other memory names is since when it holds."""
    note = "---\nname: hours\ndescription: Opening hours\nmetadata:\n  type: user\n  modified: 2026-02-01T10:00:00Z\n---\nFrom six.\n"
    (kept,) = take(memory, lay(tmp_path / "theirs", {"hours.md": note})).saved
    assert kept.valid_from == datetime(2026, 2, 1, 10, tzinfo=UTC)


TITLES = [
    "Return Vec<String>", "Map<K, V> over List<Pair<K, V>>", "Use --no-verify* never_ and `code`", "Build: step #4 [draft]", "C# and F#",
    "a -> b", "snake_case_name", "[x] is a box here: no", "**kwargs are passed on",
]  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_titles_stay(memory, tmp_path, title):
    """A title keeps its signs, given or taken from the text, and through an export that another memory of ours reads."""
    rows = {"results": [{"id": "a1", "memory": "Something else.", "metadata": {"title": title}}]}
    (kept,) = take(memory, lay(tmp_path / "theirs", {"gen.json": json.dumps(rows)})).saved
    assert kept.title == title.removeprefix("[x] ")
    export_memories(memory.context, str(tmp_path / "out"), "claude-memory")
    files = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    index = files.pop("MEMORY.md")
    assert len(files) == 1 and index.count("\n- ") == 1


def test_round_trip_of_the_index(memory, opened, tmp_path):
    """An index line with brackets in its title leads to its file; nothing of the index comes in as a memory of its own."""
    memory.notes.save("fact", "Build: step #4 [draft]", "It takes an hour.")
    export_memories(memory.context, str(tmp_path / "out"), "claude-memory")
    found = import_memories(memory.context, (str(tmp_path / "out"),), options=ImportOptions(mine=True))
    assert [sum(one.counts.values()) for one in found.brought] == [1]


VAULT = {
    "new-press.md": "---\ntype: decision\ntitle: New press\nstatus: active\n---\nWe print on the new press.\n",
    "old-press.md": "---\ntype: decision\ntitle: Old press\nstatus: superseded\nsuperseded_by: '[[new-press]]'\n---\nWe print by hand.\n",
    "lost.md": "---\ntype: fact\ntitle: Lost\nstatus: superseded\nsuperseded_by: nowhere\n---\nIt is gone.\n",
    "plates.md": "---\ntype: task\ntitle: Plates\nstatus: resolved\n---\nOrder plates.\n",
    "dream.md": "---\ntype: idea\ntitle: Dream\nstatus: incubating\n---\nMaybe a second press.\n",
    "index.md": "---\ntype: project\ntitle: Index\n---\n- [[new-press]]\n",
}


@pytest.mark.parametrize("mine", [True, False])
def test_states(memory, tmp_path, mine):
    """What was superseded, resolved or incubating there is so here, and is linked with what took its place (MV-60)."""
    done = take(memory, lay(tmp_path / "theirs", VAULT), mine=mine)
    status = {one.title: one.status for one in done.saved}
    over = {"Old press": "superseded", "Lost": "superseded"}
    waits = {"New press": "inbox", "Plates": "inbox", "Dream": "inbox"}
    assert status == over | (waits if not mine else {"New press": "active", "Plates": "resolved", "Dream": "incubating"})
    named = {one.title: one for one in done.saved}
    assert named["Old press"].superseded_by == (named["New press"].id,)
    assert named["New press"].supersedes == (named["Old press"].id,)
    assert [one.path for one in done.problems] == ["index.md"]


def test_swarm_states(memory, tmp_path):
    """A thread that is ticked off is resolved; what has a successor is superseded and linked; bold titles leave no marks (SW-02)."""
    text = (
        "## Key Decisions\n- [KD01] 2026-04-01 Redis\n  <!-- superseded_by: KD02 -->\n- [KD02] 2026-05-01 **Postgres** — for everything\n"
        "## Open Threads\n- [OT01] ✅ Fix the login page\n- [OT02] [x] Order plates\n- [OT03] Ink is late\n"
        "- [OT04] 🔴 2026-05-03: **Fix search** — it is broken\n- [OT05] ✅ 2026-05-04: **Sweep** — done\n"
    )
    saved = {one.aliases[0]: one for one in take(memory, lay(tmp_path / "theirs", {"MEMORY.md": text})).saved}
    assert {key: one.status for key, one in saved.items()} == {
        "KD01": "superseded", "KD02": "active", "OT01": "resolved", "OT02": "resolved", "OT03": "active",
        "OT04": "active", "OT05": "resolved",
    }  # fmt: skip
    assert saved["KD01"].superseded_by == (saved["KD02"].id,)
    assert (saved["KD02"].title, saved["KD02"].body) == ("Postgres", "for everything\n")
    assert [saved[key].title for key in ("OT01", "OT02")] == ["Fix the login page", "Order plates"]
    assert [(saved[key].title, saved[key].body) for key in ("OT04", "OT05")] == [
        ("Fix search", "it is broken\n"),
        ("Sweep", "done\n"),
    ]


BANKS = {
    "serena": {
        ".serena/memories/project_overview.md": "# Overview: Ferrybot\n\nIt answers.\n",
        ".serena/memories/naming.md": "# Naming\n\nShort.\n",
    },
    "bank": {
        "memory-bank/activeContext.md": "# Active context\n\nThe parser.\n",
        "memory-bank/odd.md": "# Odd\n\nOne more.\n",
    },
    "roo": {"memory_bank/decisionLog.md": "# Decisions\n\n- SQLite.\n"},
}


@pytest.mark.parametrize("name", BANKS)
@pytest.mark.parametrize("below", [False, True])
def test_memory_of_a_repository(memory, tmp_path, name, below):
    """Folders that agents keep in a repository come in a file a memory, for that project, named as a whole or by the folder itself."""
    repository = tmp_path / "ferrybot"
    (repository / ".git").mkdir(parents=True)
    lay(repository, BANKS[name])
    folder = next(iter(BANKS[name])).rpartition("/")[0]
    done = take(memory, str(repository / folder) if below else str(repository))
    assert len(done.saved) == len(BANKS[name])
    assert {one.project for one in done.saved} == {"ferrybot"}
    assert done.others == ()


PROJECT_PAGES = {".memory/_project.md": "# Ferrybot\n\nIt answers.\n"}


@pytest.mark.parametrize("repository", [True, False])
def test_project_page_of_agent_memory(memory, tmp_path, repository):
    """IN-17: the page that agent-memory has of a project is that of the project it lies in, which is known from then on."""
    folder = tmp_path / "ferrybot"
    (folder / (".git" if repository else "src")).mkdir(parents=True)
    lay(folder, PROJECT_PAGES)
    take(memory, str(folder / ".memory"))
    assert memory.projects.show("ferrybot").body == PROJECT_PAGES[".memory/_project.md"]
    assert [one.slug for one in memory.projects.all()] == ["ferrybot"]


def test_home_of_a_memory_without_repository(memory, tmp_path):
    """What lies in a program's own folder is of the project around that folder, also where that is no repository."""
    lay(tmp_path / "ferrybot", BANKS["serena"] | BANKS["bank"])
    assert {one.project for one in take(memory, str(tmp_path / "ferrybot")).saved} == {"ferrybot"}


WORKSPACE = {
    "USER.md": "# USER.md - About Your Human\n\n- **Name:** Wim\n- **Timezone:** Pacific/Auckland\n",
    "IDENTITY.md": "# IDENTITY.md - Who Am I?\n\n- **Name:** Brine\n- **Creature:** lobster\n",
    "SOUL.md": "# Who You Are\n\nYou are calm.\n",
    "TOOLS.md": "# TOOLS.md - Local Notes\n\n- **Cameras:**\n",
    "HEARTBEAT.md": "# Keep this empty\n",
    "MEMORY.md": "# MEMORY.md\n\n## Sessions\n\n| day | what |\n|---|---|\n| 4 | moved the hives |\n\n## Decisions\n\n- Larch for hives.\n"
    "\n## Orrin\n\n- keeps bees\n- lives in Ruse\n",
    "memory/2026-03-04.md": "# 2026-03-04\n\n- moved the hives\n",
    "memory/2026-03-05-plan.md": "Planned the trip.\n",
}


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_workspace_of_openclaw(memory, tmp_path, zone, monkeypatch):
    """Each file comes in as what it is: the person, what is kept, a day's log at that day of the person; what tells who the agent is stays
    that agent's; orders, and templates that nobody filled in, are named and left out."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    done = take(memory, lay(tmp_path / "workspace", WORKSPACE))
    day = [one.said.astimezone().date().isoformat() for one in done.saved if one.kind == "event"]
    monkeypatch.undo()
    time.tzset()
    kept = {one.title: (one.kind, one.agent) for one in done.saved}
    assert kept == {
        "About the person": ("identity", ""), "IDENTITY.md - Who Am I?": ("self", "brine"), "Who You Are": ("self", "brine"),
        "Sessions": ("fact", ""), "Larch for hives.": ("decision", ""), "Orrin": ("fact", ""), "2026-03-04": ("event", ""),
        "2026-03-05-plan": ("event", ""),
    }  # fmt: skip
    assert day == ["2026-03-04", "2026-03-05"]
    assert [problem.path for problem in done.problems] == ["HEARTBEAT.md", "TOOLS.md"]
    assert [one.format for one in done.brought] == ["openclaw"]


def test_plain_topics_of_auto_memory(memory, tmp_path):
    """Topics without properties beside an index come in, those of a sub-agent as that agent's."""
    files = {
        "MEMORY.md": "- [Debugging](debugging.md) - delve\n", "debugging.md": "# Debugging\n\nUse delve.\n", "api.md": "Ports from 80.\n",
        "agent-memory/reviewer/MEMORY.md": "# Notes\n\nRead the tests first.\n",
        "agent-memory/reviewer/style.md": "# Style\n\nShort.\n",
    }  # fmt: skip
    done = take(memory, lay(tmp_path / "theirs", files))
    assert {one.title: one.agent for one in done.saved} == {
        "Debugging": "",
        "api": "",
        "Notes": "reviewer",
        "Style": "reviewer",
    }
    assert done.others == ()


def test_memory_of_codex(memory, tmp_path):
    """What Codex keeps comes in as its own, section by section; what it was made from, which repeats conversations, does not."""
    files = {
        ".codex/memories/MEMORY.md": "# Billing\n\nThe billing service listens on port 9000.\n\n# Tests\n\nRun make quick.\n",
        ".codex/memories/memory_summary.md": "# Profile\n\nWorks on the shop.\n",
        ".codex/memories/raw_memories.md": "# Raw\n\nAll of it.\n",
    }
    done = take(memory, lay(tmp_path / "theirs", files))
    assert [one.format for one in done.brought] == ["codex-memory"]
    assert sorted(one.title for one in done.saved) == ["Billing", "Profile", "Tests"]
    assert done.others == ()


def test_a_summary_is_found(memory, tmp_path):
    """What only the line about a topic says is found as well."""
    topic = "---\nname: Press\ndescription: Waits for PR #31 and the joiner\ntype: feedback\n---\nOil the press on Mondays.\n"
    take(memory, lay(tmp_path / "theirs", {"press.md": topic}))
    assert [hit.item.title for hit in memory.recall.ask(Query("what waits for PR 31 and the joiner")).hits] == ["Press"]


def test_what_comes_in_stops_no_call(memory, tmp_path):
    """Calls that a note is told at come in with it; that such a call is held back or refused is the person's own act."""
    note = "---\nkind: preference\ntitle: Stop\nlevel: barrier\nwhen:\n  - 'run: git push'\n---\nNever run git push.\n"
    (kept,) = take(memory, lay(tmp_path / "theirs", {"a.md": note})).saved
    assert (memory.notes.get(kept.id).when, memory.notes.get(kept.id).level) == (("run: git push",), "")
