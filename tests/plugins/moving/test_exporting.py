"""What this memory knows goes out as pages or as another memory keeps it, comes back, and what could not be held is named (VO-45, N13)."""

import json
import tempfile
from datetime import datetime
from pathlib import Path
from uuid import UUID

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum.domain.errors import Refused
from vademecum.domain.memory import By
from vademecum.domain.saved import SaveOptions
from vademecum.plugins.moving.exporting import TARGETS, WRITERS, export_memories
from vademecum.plugins.moving.importing import ImportOptions, import_memories
from vademecum.settings import Settings
from vademecum.wiring import open_memory

FACTS = (
    ("decision", "Recycled paper", "Every edition is printed on recycled paper.\n"),
    ("preference", "Tea", "Prefers green tea.\n\n- steeped [[Recycled paper]]\n"),
    ("lesson", "Dry press", "Fill the press first.\n"),
)


def fill(memory):
    for kind, title, body in FACTS:
        memory.notes.save(kind, title, body, tags=("print", "house") if kind == "decision" else ())


def fresh(tmp_path, name):
    home = tmp_path / name / "notes"
    home.mkdir(parents=True)
    made = Settings(
        home=str(home),
        data_dir=str(tmp_path / name / "data"),
        cache_dir=str(tmp_path / name / "cache"),
        embedder="none",
    )
    return open_memory(made)


def told(memory):
    """All that is known of every memory, but where the bytes lie."""
    items = memory.notes.list(1000, status=("active", "inbox", "resolved", "superseded", "archived", "disputed"))
    found = [memory.notes.get(item.key) for item in items]
    return sorted((one.id, one.path, one.etag, one.body, one.status, repr(one.evidence), repr(one)) for one in found)


TEXTS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=40).filter(str.strip)
DEEDS = st.lists(
    st.tuples(st.sampled_from(["fact", "decision", "task", "idea"]), TEXTS, TEXTS, st.integers(0, 4)), min_size=1, max_size=4
)


@given(DEEDS)
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_identity(deeds):
    """Whatever was saved, confirmed, evolved, archived or tagged: export and import give the same notes, byte for byte, and what the
    journal knows beside them."""
    with tempfile.TemporaryDirectory() as there:
        first, second = fresh(Path(there), "first"), fresh(Path(there), "second")
        try:
            for kind, title, body, deed in deeds:
                try:
                    kept = first.notes.save(kind, title, body, SaveOptions(unique=True)).memory
                except Refused:  # nothing but what cannot be seen
                    continue
                if kept is None or kept.status != "active":
                    continue
                [
                    lambda one: first.notes.confirm(one.id),
                    lambda one: first.notes.archive(one.id, "done"),
                    lambda one: first.notes.evolve(one.id, "Otherwise now.", "it changed"),
                    lambda one: first.notes.tag(one.id, add=("print",)),
                    lambda one: None,
                ][deed](kept)
            out = Path(there) / "out"
            export_memories(first.context, str(out), "vademecum")
            import_memories(second.context, (str(out),), options=ImportOptions(mine=True, yes=True))
            assert told(second) == told(first)
            assert import_memories(second.context, (str(out),), options=ImportOptions(mine=True)).brought[0].counts == {
                "known": len(told(first))
            }
        finally:
            first.close()
            second.close()


@pytest.mark.parametrize("to", sorted(WRITERS))
def test_there_and_back(memory, tmp_path, to):
    """What goes out as another memory keeps it comes back with title, text, and every field that both can hold."""
    fill(memory)
    export_memories(memory.context, str(tmp_path / "out"), to)
    other = fresh(tmp_path, "other")
    done = import_memories(other.context, (str(tmp_path / "out"),), options=ImportOptions(mine=True, yes=True))
    assert [one.format for one in done.brought] == [to if to != "okf" else "notes"]
    assert done.problems == ()
    back = {one.title: one for one in done.saved}
    holds = WRITERS[to].holds
    assert {title: one.kind for title, one in back.items()} == {
        title: kind if "kind" in holds else back[title].kind for kind, title, _ in FACTS
    }
    said = {title: [line.strip("- ") for line in body.splitlines() if line.strip()] for _, title, body in FACTS}
    assert {title: [line.strip("- ") for line in one.body.splitlines() if line.strip()] for title, one in back.items()} == said
    assert set(back["Recycled paper"].tags) == ({"print", "house"} if "tags" in holds else set())
    other.close()


@pytest.mark.parametrize("to", ["okf", "mif"])
def test_reserved_names_are_left_to_the_bundle(memory, tmp_path, to):
    """A memory that is called as OKF calls pages about others is exported under another name, and comes back."""
    for title in ("Index", "Log"):
        memory.notes.save("fact", title, f"The {title} lies on the second shelf.")
    export_memories(memory.context, str(tmp_path / "out"), to)
    assert {path.name for path in (tmp_path / "out").rglob("*.md")} & {"index.md", "log.md"} == set()
    other = fresh(tmp_path, "other")
    done = import_memories(other.context, (str(tmp_path / "out"),), options=ImportOptions(mine=True, yes=True))
    assert {one.title for one in done.saved} == {"Index", "Log"}
    other.close()


def test_mif_is_what_its_specification_says(memory, tmp_path):
    """Each note has an id that is a UUID, one of three types, a moment, where it comes from and since when it holds."""
    memory.notes.save("decision", "Paper", 'Recycled: "always".', tags=("print",))
    memory.notes.save("procedure", "Press", "Oil it first.")
    export_memories(memory.context, str(tmp_path / "out"), "mif")
    heads = {}
    for path in (tmp_path / "out").rglob("*.md"):
        head = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
        heads[head["title"]] = head
        assert UUID(head["id"])
        assert datetime.fromisoformat(head["created"]).tzinfo
        assert head["provenance"]["source_type"] == "user_explicit"
        assert head["provenance"]["trust_level"] == "user_stated"
    assert (heads["Paper"]["type"], heads["Paper"]["namespace"], heads["Paper"]["tags"]) == (
        "semantic",
        "semantic/decision",
        ["print"],
    )
    assert heads["Press"]["type"] == "procedural"


def test_format_first(vade, tmp_path):
    """The name of a format in front of the folder is one, as at an import, and no part of the folder's name."""
    vade("init", "memory")
    vade("save", "fact", "Kettle", "--body", "It whistles.")
    assert "as okf" in vade("export", "okf", str(tmp_path / "out"))[1]
    assert (tmp_path / "out").is_dir()


def test_named_what_is_lost(vade, tmp_path):
    """The report names each field that the form cannot hold, and of how many memories."""
    vade("init", str(tmp_path / "notes"))
    vade("save", "decision", "Paper", "--body", "Recycled.", "--tags", "print")
    vade("save", "fact", "Tea", "--body", "Green.")
    said = vade("export", str(tmp_path / "out"), "--to", "claude-memory")[1]
    assert "2 memories as claude-memory" in said
    assert "kind of 2, tags of 1" in said
    assert "could not be exported" not in vade("export", str(tmp_path / "all"), "--to", "vademecum")[1]


def test_pages(vade, tmp_path):
    """VO-45: without a folder the page is printed: Markdown under the first topic or kind, with kind, date, trust, source."""
    vade("init", str(tmp_path / "notes"))
    vade("save", "decision", "Paper", "--body", "Recycled.", "--tags", "print", "--source", "https://example.org/p")
    vade("save", "fact", "Tea", "--body", "Green.")
    page = vade("export")[1]
    assert page.index("## no topic") < page.index("### Tea") < page.index("## print") < page.index("### Paper")
    assert "trust user, https://example.org/p*" in page
    assert "## decision\n\n### Paper" in vade("export", "--group", "kind")[1]
    assert "Tea" not in vade("export", "--kind", "decision")[1]


def test_nothing_is_written_over(vade, tmp_path):
    """Where a file stands already nothing is written at all; many files need a folder."""
    vade("init", str(tmp_path / "notes"))
    vade("save", "fact", "Tea", "--body", "Green.")
    vade("save", "fact", "Scone", "--body", "Warm.")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "MEMORY.md").write_text("mine")
    assert vade("export", str(tmp_path / "out"), "--to", "claude-memory")[0] == 6
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["MEMORY.md"]
    assert vade("export", "--to", "okf")[0] == 3
    assert set(json.loads(vade("export", "--to", "mcp-memory", "--json")[1])) >= {"memories", "unheld"}
    assert len(TARGETS) == len(set(TARGETS)) >= 7


def test_of_a_stranger(memory, tmp_path):
    """Memories of ours from somebody else come in like any other's: into the inbox, external, whatever they say of themselves."""
    fill(memory)
    export_memories(memory.context, str(tmp_path / "out"), "vademecum")
    other = fresh(tmp_path, "other")
    done = import_memories(other.context, (str(tmp_path / "out"),), options=ImportOptions(yes=True))
    assert {(one.status, one.trust) for one in done.saved} == {("inbox", "external")}
    assert {one.title for one in done.saved} == {title for _, title, _ in FACTS}
    other.close()


@pytest.mark.parametrize("path", ["_journal/laptop/2026-03-1.md", "../outside.md", "MEMORY.md", "/etc/x.md", "a/../../x.md"])
def test_only_where_memories_lie(memory, tmp_path, path):
    """A file that says it is of ours writes nothing into the journal, over a page or outside; what is right in it comes in."""
    fill(memory)
    export_memories(memory.context, str(tmp_path / "out"), "vademecum")
    file = tmp_path / "out" / "memories.jsonl"
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([json.dumps({**json.loads(lines[0]), "path": path}), lines[1], lines[1]]), "utf-8")
    other = fresh(tmp_path, "other")
    done = import_memories(other.context, (str(file),), options=ImportOptions(mine=True, yes=True))
    assert done.brought[0].counts == {"refused": 1, "new": 1, "repeated": 1}
    assert [problem.path for problem in done.problems] == ["memories.jsonl:1"]
    assert not (tmp_path / "x.md").exists()
    assert len(other.notes.list()) == 1
    other.close()


def test_forgotten_stays_forgotten(memory, tmp_path):
    """What was forgotten does not come back by an import, neither as it lay nor as words of somebody else."""
    memory.notes.save("fact", "Larder key", "The larder key hangs behind the blue clock in the cellar corridor.")
    for to in ("vademecum", "mem0"):
        export_memories(memory.context, str(tmp_path / to), to)
    memory.notes.forget("Larder key", yes=True)
    for to in ("vademecum", "mem0"):
        done = import_memories(memory.context, (str(tmp_path / to),), options=ImportOptions(mine=True, yes=True))
        assert (done.saved, [one.counts for one in done.brought]) == ((), [{"refused": 1}])


def test_a_program_is_given_text_alone(memory, tmp_path):
    """Whoever holds the token of the HTTP door makes no files where they like; what is withheld is in no answer."""
    fill(memory)
    memory.notes.save("fact", "Blood", "My blood shows 240.", tags=("visibility/pii",))
    program = By("agent", "http")
    told = export_memories(memory.context, by=program).text
    assert ("Recycled paper" in told, "shows 240" in told) == (True, False)
    assert "shows 240" in export_memories(memory.context).text
