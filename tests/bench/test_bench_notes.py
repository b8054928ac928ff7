"""How notes are found by name and by what they are about, on a folder of notes with titles and descriptions."""

import json

from click.testing import CliRunner

from vademecum_bench.commands import bench

ABOUT = {
    "kettle": ("Descaling", "How to get lime out of a water heater.", "The kettle is descaled with vinegar once a month. "),
    "boat": ("Mooring", "Where to leave the boat overnight.", "The boat lies at pier nine behind the harbour office. "),
    "bread": ("Baking", "Making a loaf without a machine.", "The dough rests for twelve hours before it is baked. "),
}


def filled(folder, descriptions):
    """Write notes with these descriptions, and return the folder."""
    folder.mkdir()
    for name, said in descriptions.items():
        title, _, text = ABOUT[name]
        (folder / f"{name}.md").write_text(f"---\ntitle: {title}\ndescription: {said}\n---\n\n{text * 5}\n")
    return str(folder)


def test_notes(tmp_path, monkeypatch):
    """Titles, descriptions and translated ones are asked; no note holds the description that asks for it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    ours = filled(tmp_path / "en", {name: said for name, (_, said, _) in ABOUT.items()})
    theirs = filled(tmp_path / "de", {"kettle": "Wie der Kalk aus dem Wasserkocher kommt.", "boat": ABOUT["boat"][1]})
    other = filled(tmp_path / "other", {"bread": "Which visa a traveller needs."})
    asked = ["notes", ours, "--translated", theirs, "--unrelated", other, "--embedder", "none"]
    found = json.loads(CliRunner().invoke(bench, [*asked, "--json"], catch_exceptions=False).stdout)
    assert found["notes"] == 3
    assert {sort: row["first"]["asked"] for sort, row in found["asked"].items()} == {
        "titles": 3, "descriptions": 3, "descriptions, de": 1
    }  # fmt: skip
    assert found["asked"]["titles"]["first"]["share"] == 1
    assert found["asked"]["descriptions, de"]["shown"]["share"] == 0  # words alone do not reach another language
    assert found["unrelated"] == {"asked": 1, "share": 0.0, "95%": [0.0, 0.0]}
    assert "3 notes, embedder none" in CliRunner().invoke(bench, asked, catch_exceptions=False).stdout
