"""The walk by which the persistent wiki says that a memory is good, through the command line.

Each step by itself, over HTTP and MCP too, is walked in `test_wiki.py`, `test_wiki_reading.py`, `test_ingest.py` and `test_lint.py`.
"""

import json
import re

import pytest


@pytest.fixture
def wiki(vade, tmp_path):
    """Somebody who has just begun a wiki in `notes`: `wiki(*words)` gives what is printed."""
    vade("init", str(tmp_path / "notes"), "--wiki")
    return lambda *words: "".join(vade(*words)[1:])


def event(wiki, name, **payload):
    return wiki("event", name, "--payload", json.dumps(payload))


def test_layers_write_where_they_belong(wiki):
    """A spec, a plan, a success and a failure each become a page in their folder, with a key."""
    said = [
        event(wiki, "spec_hardened", title="Gate", requirements=["opens"]),
        event(wiki, "plan_approved", title="Gate plan", nodes=[{"id": "a"}]),
        event(wiki, "subtask_verified", title="Hinge holds", files=["hinge.py"]),
        event(wiki, "subtask_failed", title="Lock jams", reason="rust"),
    ]
    folders = [re.search(r"wiki/(\w+)/", one)[1] for one in said]
    assert folders == ["decisions", "flows", "modules", "flows"]
    assert [re.search(r"key: (\w+)-01", one)[1] for one in said] == ["SPEC", "PLAN", "SP", "FP"]


def test_contradiction_stands_on_both_pages(wiki, tmp_path):
    """Two pages that say otherwise both carry the callout, until it is settled."""
    wiki("save", "fact", "Mill height", "--body", "The mill is 12 m high.")
    wiki("save", "fact", "Height of the mill", "--body", "The mill is 15 m high.")
    pages = [tmp_path / "notes/personal/fact" / f"{name}.md" for name in ("mill-height", "height-of-the-mill")]
    assert all("> [!contradiction]" in page.read_text() for page in pages)
    wiki("settle", "Height of the mill")
    assert "> [!contradiction]" not in pages[1].read_text()


def test_what_is_going_on_is_short(wiki, tmp_path):
    """The hot page names the last failure, in at most 500 words however much was written."""
    for number in range(12):
        event(wiki, "checkpoint_recorded", title=f"Step {number}", body="It went on and on and on. " * 40)
    event(wiki, "subtask_failed", title="Lock jams", reason="rust " * 200)
    event(wiki, "session_shutdown")
    hot = re.sub(r" *%%[^%]*%%", "", (tmp_path / "notes/wiki/hot.md").read_text())
    assert "Lock jams" in hot and len(hot.split()) <= 500


def test_unchanged_sources_are_not_read(wiki, tmp_path):
    """A source becomes a page once; unchanged it is skipped, changed it is read again, and itself it is never changed."""
    (tmp_path / "weir.txt").write_text("The weir was built by Ada.\n")
    assert "new" in wiki("ingest", str(tmp_path / "weir.txt"))
    assert wiki("ingest").strip() == "1 unchanged"
    raw = tmp_path / "notes/.raw/weir.txt"
    assert raw.read_text() == "The weir was built by Ada.\n"
    raw.write_text("The weir was built by Ada in May.\n")
    assert "changed" in wiki("ingest")


def test_depths_keep_their_budgets(wiki):
    """Quick, standard and deep readings stay below 1,500, 3,000 and 8,000 tokens."""
    for number in range(8):
        wiki(
            "save", "module", f"Queue writer {number}", "--body", f"Shelf {number} writes to the queue. " + "It is long. " * 400
        )
    event(wiki, "session_shutdown")
    for profile, most in {"wiki-quick": 1500, "wiki": 3000, "wiki-deep": 8000}.items():
        told = json.loads(wiki("bundle", "who writes to the queue", "--profile", profile, "--json"))
        assert 0 < told["tokens"] <= most


def test_lint_leaves_a_dated_report(wiki, tmp_path):
    """What is wrong stands in a report with its date; looking changes no page."""
    wiki("save", "concept", "Weir", "--body", "See [[Nowhere]].")
    before = {path: path.read_bytes() for path in (tmp_path / "notes/wiki").rglob("*.md")}
    assert "Report: _views/lint-20" in wiki("lint", "--report")
    (report,) = (tmp_path / "notes/_views").glob("lint-*.md")
    assert "wikilink-resolution" in report.read_text()
    assert {path: path.read_bytes() for path in before} == before
