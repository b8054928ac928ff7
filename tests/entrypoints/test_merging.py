"""Where a section is over its cap, what says nearly the same becomes one, by the person's word (SW-42)."""

import pytest

from vademecum.domain.kinds import KINDS

CAP = KINDS["lesson"].cap


@pytest.fixture
def alike(vade, tmp_path, monkeypatch):
    """The command line over a project's lessons, three more than their cap; four of them say nearly the same, two and two."""
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "use")
    vade("init", str(tmp_path / "notes"))
    said = {
        "Close the sluice": "Close the sluice before the pump is switched off for the night.",
        "Sluice before the pump": "Close the sluice before the pump is switched off for the night.\n\nThe keeper has the key.",
        "Grease the hinges": "Grease the hinges of the upper gate with tallow in autumn.",
        "Hinges of the upper gate": "Grease the hinges of the upper gate with tallow in autumn, every year.",
    }
    others = {f"Lesson of berth {word}": f"The {word} berth wants its own {word} rope." for word in WORDS[: CAP - 1]}
    for title, body in (said | others).items():
        assert vade("save", "lesson", title, "--body", body, "--project", "canal")[0] == 0
    return lambda *words: vade(*words)[1]


WORDS = (
    "amber basil cedar delta ember fable grape hazel ivory jolly karst lemon maple noble ocean pearl quilt raven slate tulip umber"
    " vivid wheat xenon yucca zebra"
).split()


def test_sw42_what_says_nearly_the_same_becomes_one(alike, tmp_path):
    """SW-42: above the cap `vade jobs run caps` names lessons that say nearly the same; merged by the person's word, each group is one
    memory with all that they said, the originals lie whole in the archive, and one undo brings all back.
    """
    assert "4 say nearly the same (vade compact --merge lesson)" in alike("jobs", "run", "caps")
    would = alike("compact", "--merge", "lesson")
    assert "Sluice before the pump + Close the sluice" in would and "add --apply" in would
    before = len(alike("list", "--kind", "lesson", "--status", "active", "--limit", "100").splitlines())
    assert "One undo takes all of it back" in alike("compact", "--merge", "lesson", "--apply")
    assert len(alike("list", "--kind", "lesson", "--status", "active", "--limit", "100").splitlines()) < before
    kept = alike("show", "Sluice before the pump")
    assert "switched off for the night" in kept and "The keeper has the key." in kept
    archived = "".join(path.read_text("utf-8") for path in (tmp_path / "notes" / "_archive").rglob("*.md"))
    assert "Close the sluice before the pump" in archived and "tallow in autumn, every year." in archived
    alike("undo")
    assert len(alike("list", "--kind", "lesson", "--status", "active", "--limit", "100").splitlines()) == before
    assert "Sluice before the pump + Close the sluice" in alike("compact", "--merge", "lesson")


def test_sw42_no_cap_no_merge(alike):
    """What has no cap is not merged, and is told where to look."""
    assert "nothing was changed" in alike("compact", "--merge", "event")


def test_merged_is_trusted_as_its_least(alike, tmp_path):
    """What somebody else said is not believed more because it was merged with the person's own words."""
    note = next((tmp_path / "notes").rglob("grease-the-hinges.md"))
    note.write_text(note.read_text("utf-8").replace("kind: lesson\n", "kind: lesson\ntrust: external\n"), "utf-8")
    alike("compact", "--merge", "lesson", "--apply")
    kept = {path.name: path.read_text("utf-8") for path in (tmp_path / "notes/projects").rglob("*.md")}
    assert "trust: external" in kept["hinges-of-the-upper-gate.md"]
    assert "trust: external" not in kept["sluice-before-the-pump.md"]
