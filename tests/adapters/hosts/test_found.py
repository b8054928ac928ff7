"""What hosts have written, as it is counted."""

from vademecum.adapters.hosts.found import seen_in


def test_links_to_one_folder(tmp_path):
    """A conversation that several links lead to is counted once, under the path by which it is captured."""
    talk = tmp_path / "places" / "b" / "talk.jsonl"
    outside = tmp_path / "outside" / "other.jsonl"
    for path in (talk, outside):
        path.parent.mkdir(parents=True)
        path.write_text('{"role": "user", "content": "Sweep the porch."}\n', encoding="utf-8")
    (tmp_path / "places" / "a").symlink_to(talk.parent)
    for name in ("z", "y"):
        (tmp_path / "places" / name).symlink_to(outside.parent)
    seen = seen_in((tmp_path / "places").glob("*/*.jsonl"))
    assert {one.path for one in seen} == {str(talk), str(tmp_path / "places" / "y" / "other.jsonl")}
