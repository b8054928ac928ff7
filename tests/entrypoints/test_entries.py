"""Entries as agent-memory, Vault Operator and the wiki know them: format, ids, tags, places. Walks through the doors."""

import json
from pathlib import Path

BODY = "One rule.\n\n---\n\n## 2026-01-02T10:30 · #pump\n\n<!-- id: 1795294590673 -->\n```\n---\n```\nThe end."


def test_an_entry_keeps_every_line(person, tmp_path):
    """IN-09: an entry is a file of its own with date and tags, so rules, dated headings, ids and fences in its text end nothing."""
    (tmp_path / "body.md").write_text(BODY)
    person("save", "lesson", "Rules", "--body", f"@{tmp_path / 'body.md'}", "--tags", "gate", "--agent", "scout")
    kept = json.loads(person("show", "Rules", "--json"))
    assert kept["body"].strip() == BODY
    assert kept["path"] == "agents/scout/lesson/rules.md"
    assert set(kept["tags"]) == {"gate", "pump"}
    assert kept["created"] and len(kept["id"]) == 26


def test_tags_in_a_text(person):
    """IN-11: `#word` in a text is a tag beside those given, whole: `#auto-extract` is not `auto`."""
    person("save", "lesson", "Ropes", "--body", "Ropes rot, says #auto-extract of #pump/main and `#code`.", "--tags", "gate")

    def tagged(tag):
        return [one["title"] for one in json.loads(person("list", "--tag", tag, "--json"))["results"]]

    assert [tagged(tag) for tag in ("auto-extract", "pump/main", "gate")] == [["Ropes"]] * 3
    assert [tagged(tag) for tag in ("auto", "code", "extract")] == [[]] * 3


def test_verbs_of_the_vault(person):
    """IN-16: list, get, add with text or file and tags, edit, and put away, each by one command; what is put away comes back."""
    person("save", "task", "Buy rope", "--body", "Ten metres.", "--tags", "gate", "--agent", "scout")
    assert "Ten metres." in person("show", "Buy rope")
    assert "Buy rope" in person("list", "--agent", "scout", "--kind", "tasks")
    person("edit", "Buy rope", "--body", "Twelve metres.")
    assert "Twelve metres." in person("show", "Buy rope")
    person("archive", "Buy rope")
    assert "Buy rope" not in person("list", "--agent", "scout")
    person("restore", "Buy rope")
    assert "Twelve metres." in person("show", "Buy rope")


def test_unknown_category(vade, person):
    """IN-08: a word that is no kind of memory is refused with those that there are."""
    code, _, said = vade("save", "musings", "Rope")
    assert code != 0
    assert all(kind in said for kind in ("decision", "lesson", "task", "project", "handoff"))


def test_nothing_to_ignore(person, tmp_path):
    """IN-57: what is of this device alone never lies beside the memories, so a repository that holds them needs no ignore file."""
    person("save", "lesson", "Ropes", "--body", "Ropes rot.")
    person("recall", "what do ropes do")
    person("checkpoint", "scout", "--messages", '[{"role": "user", "text": "Build."}]')
    person("checkpoint", "--close", "scout", "--messages", '[{"role": "user", "text": "Build."}]')
    person("sync", "--views")
    files = [file for file in (tmp_path / "notes").rglob("*") if file.is_file()]
    assert {file.suffix for file in files} == {".md", ".base"}
    assert not [file for file in files if file.name.startswith(".")]


def test_places(person, tmp_path):
    """VO-14: `vade doctor` says where memories, index and settings lie; the index is one file, outside of the vault."""
    person("save", "fact", "Rope", "--body", "It is red.")
    told = person("doctor")
    assert str(tmp_path / "notes") in told
    assert str(tmp_path / "data") in told
    assert [file.name for file in Path(tmp_path / "data").glob("index*.db")] == ["index.db"]
