"""`vade bench repeats` plays sessions in time order, tells what those before taught, and counts it right."""

import json

from click.testing import CliRunner
from tests.actions.talks import ran, talked

from vademecum_bench.commands import bench

NO_SUCH = "error: unknown command 'pack'"
REMEDY = "ship has no command pack (unknown command): use crate"


def test_told_from_the_second_on(tmp_path):
    """A mistake is told at its repeat, not where it is made first; a telling where nothing is labelled is needless."""
    folder = tmp_path / "transcripts"
    talks = {
        "one": [ran("ship pack", NO_SUCH, failed=True), ran("mast up --fast", "unknown flag: --fast", failed=True)],
        "two": [ran("ls"), ran("ship pack docs", NO_SUCH, failed=True)],
        "three": [ran("mast up --fast")],
    }
    labels = []
    for day, (name, calls) in enumerate(talks.items()):
        talked(folder, name, *calls, day=day)
        labels.append({"path": f"{name}.jsonl", "person": "somebody", "time": f"2026-02-0{day + 2}T09:00:00+00:00"})
    call = {"session": "two.jsonl", "id": "call-two-1"}
    repeat = {"person": "somebody", "call": call, "remedy": REMEDY, "group": "pack", "must": ["pack"]}
    for name, rows in (("labels", labels), ("repeats", [repeat])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = tmp_path / "told.jsonl"
    done = CliRunner().invoke(bench, ["repeats", str(tmp_path), "--lines", str(told), "--json"], catch_exceptions=False)
    total = json.loads(done.stdout)["total"]
    assert (total["calls"], total["repeats"], total["reached"], total["by_remedy"]) == (5, 1, 1, 1.0)
    assert (total["shown"], total["needless"], total["failed"]) == (2, 1, 1)
    lines = [json.loads(line) for line in told.read_text().splitlines()]
    assert [(line["session"], line["call_id"]) for line in lines] == [
        ("two.jsonl", "call-two-1"),
        ("three.jsonl", "call-three-0"),
    ]
    assert "unknown command 'pack'" in lines[0]["memory_text"]
