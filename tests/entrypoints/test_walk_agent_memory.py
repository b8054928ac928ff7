"""The walk by which agent-memory says that a memory is good, through the doors a person has."""

import json
import os
import subprocess
import sys
from datetime import datetime, timedelta

import pytest

BODY = "---\n\n# 2026-01-02 a heading\n\n<!-- id:99 -->\n\n---\nnot: a property\n---\n\n```yaml\n---\n```\n"
DECIDED = "We decided to keep parcel number {0} in the shed, because rule {0} of the post says so."


def asked(person, *words):
    return json.loads(person(*words, "--json"))


@pytest.fixture
def many(person, tmp_path):
    """Brings in so many decisions and lessons of the agent `dev`, as agent-memory writes them, one a day."""

    def brought(decisions=0, lessons=0):
        folder = tmp_path / "theirs" / "dev"
        folder.mkdir(parents=True)
        for name, count in (("decisions", decisions), ("lessons", lessons)):
            entries = []
            for number in range(count):
                day = datetime(2026, 1, 1, 9) + timedelta(days=number)
                text = (
                    DECIDED.format(number) if name == "decisions" else f"Shelf {number} bends when pot {number} stands on it."
                )
                entries.append(f"<!-- id:{1773679871000 + number} -->\n## {day:%Y-%m-%d %H:%M}\n\n{text}\n")
            (folder / f"{name}.md").write_text("\n---\n\n".join(entries))
        return person("import", "agent-memory", str(folder.parent), "--mine", "--yes")

    return brought


def kept(person, **where):
    words = [word for name, value in where.items() for word in (f"--{name}", value)]
    return asked(person, "list", "--limit", "200", *words)["results"]


def test_two_shells_add_by_turns(person, tmp_path):
    """Two shells that add in turn lose nothing, and everything is found at once."""
    script = (
        "import sys; from vademecum.entrypoints.cli.cli import run\nfor line in sys.stdin: run(line.split()); print(flush=True)"
    )
    shells = [
        subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in "ab"
    ]
    for number in range(6):
        shell = shells[number % 2]
        shell.stdin.write(f"save fact Barrel{number} --body Barrel{number}-holds-cider\n")
        shell.stdin.flush()
        while shell.stdout.readline().strip():
            pass
    for shell in shells:
        shell.communicate()
    assert {one["title"] for one in kept(person)} == {f"Barrel{number}" for number in range(6)}
    assert [one["title"] for one in asked(person, "list", "--kind", "fact")["results"]]
    assert "Barrel4" in person("search", "Barrel4")


def test_any_body_survives(person, tmp_path):
    """X-03: rules, dated headings, comments with an id and fences inside a text come back as they were."""
    (tmp_path / "body.md").write_text(BODY)
    person("save", "fact", "Odd", "--body", f"@{tmp_path / 'body.md'}")
    assert asked(person, "show", "Odd")["body"] == BODY


def test_in38_thirty_five_decisions_become_twenty_one(person, many, tmp_path):
    """IN-38: of 35 decisions the 20 newest stay and one entry tells the other 15, whose files stay whole in the archive; one undo
    brings all of them back.
    """
    many(decisions=35)
    told = person("compact", "--digest", "decision")
    assert "decision: 35 entries, 15 older ones would be merged into one entry" in told
    assert len(kept(person, kind="decision")) == 35
    assert "were merged into one entry" in person("compact", "--digest", "decision", "--apply")
    left = kept(person, kind="decision")
    assert len(left) == 21
    digest = next(one for one in left if "digest" in one["tags"])
    lines = asked(person, "show", digest["id"])["body"].strip().splitlines()
    assert lines[0] == "Compacted 15 older entries:"
    assert [line[:14] for line in lines[2:4]] == ["- [2026-01-15]", "- [2026-01-14]"]
    assert len(lines[2:]) == 15
    archived = [path.read_text() for path in (tmp_path / "notes" / "_archive").rglob("*.md")]
    assert sorted(text.rstrip().rpartition("\n")[2] for text in archived) == sorted(
        DECIDED.format(number) for number in range(15)
    )
    assert "nothing was changed" in person("compact", "--digest", "decision", "--apply"), "a digest is never digested (X-25)"
    person("undo")
    assert len(kept(person, kind="decision")) == 35


def test_what_is_told_keeps_within_its_budget(person, many):
    """However much an agent knows, what is prepared for it is never over 2,000 tokens."""
    many(decisions=35, lessons=30)
    for words in (
        ["briefing", "--agent", "dev"],
        ["bundle", "parcel number 7 in the shed", "--profile", "agent", "--agent", "dev"],
        ["briefing", "--inject", "--agent", "dev", "parcel number 7 in the shed"],
    ):
        told = asked(person, *words)
        assert 0 < told["tokens"] <= 2000


def test_cursor_session_is_handed_over_when_idle(memory, clock, tmp_path):
    """A conversation of Cursor's gives what was decided and learned, after five minutes of silence a handoff, and another one when it
    goes on.
    """
    path = tmp_path / ".cursor" / "projects" / "work-larder" / "agent-transcripts" / "c1" / "c1.jsonl"
    path.parent.mkdir(parents=True)

    def said(*texts):
        with path.open("a") as file:
            for number, text in enumerate(texts):
                typed = text if number % 2 else f"<user_query>\n{text}\n</user_query>"
                line = {"role": ("user", "assistant")[number % 2], "message": {"content": [{"type": "text", "text": typed}]}}
                file.write(json.dumps(line) + "\n")
        os.utime(path, (clock.now().timestamp(),) * 2)

    def handoffs():
        report = memory.maintenance.process((str(path),))
        return [one.handoff for one in report.tended.sessions if one.handoff]

    said(
        "We decided to use SQLite for the larder, because it needs no server.",
        "Done, the larder uses SQLite.",
        "Lesson learned: never sort the jars while the lid is open.",
        "I noted that and sorted the jars.",
    )
    assert handoffs() == []
    assert {item.kind for item in memory.notes.list(status=("active", "inbox"))} >= {"decision", "lesson"}
    clock.advance(timedelta(minutes=6))
    (first,) = handoffs()
    said("Now label the jars.", "Labelled all of the jars.", "Thanks, that is all for today.", "Good.")
    clock.advance(timedelta(minutes=6))
    (second,) = handoffs()
    assert "Labelled all of the jars" in memory.notes.get(second).body
    assert "Labelled" not in memory.notes.history(first)[0].text
