"""Names that are one on some disks are never both made, and a list that is no list of texts is never written anew."""

import pytest

from vademecum.domain.errors import AlreadyExists, InvalidInput


def test_names_by_case(vault, draft, root):
    """vault-17: what differs from a file by case or form only is refused, or numbered where names are; a file may change its own case."""
    one = vault.save(draft("Prices"), path="prices.md")
    (root / one.path).rename(root / "Prices.md")
    vault.reconcile()
    assert vault.get(one.id).path == "Prices.md"
    for name in ("prices.md", "PRICES.md"):
        with pytest.raises(AlreadyExists):
            vault.save(draft("Others"), path=name)
    vault.save(draft("Cafe"), path="caf\u00e9.md")
    with pytest.raises(AlreadyExists):
        vault.save(draft("Again"), path="cafe\u0301.md")
    assert len([path for path in root.iterdir() if path.suffix == ".md"]) == 2


@pytest.mark.parametrize("item", ["{stage: pruned}", "42", "true", "null", "[a, b]"])
def test_values_that_are_no_texts(vault, draft, root, item):
    """vault-02: a tag is not added to a list with something else in it than texts; it is refused by name, every byte stays."""
    memory = vault.save(draft(tags=("a",)))
    path = root / memory.path
    path.write_text(path.read_text().replace("  - a\n", f"  - a\n  - {item}\n"))
    before = path.read_bytes()
    for change in ({"add": ["b"]}, {"remove": ["a"]}):
        with pytest.raises(InvalidInput, match="tags contains"):
            vault.tag(memory.id, **change)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("before", "after", "without"),
    [
        ('["#a", "#b/c"]', '["#a", "#b/c", new]', '["#a"]'),
        ("a, b/c", "\n  - a\n  - b/c\n  - new", "\n  - a"),
        ("[ 'a', b/c ]", "[ 'a', b/c, new ]", "[ 'a' ]"),
        ("\n- '#a'\n- b/c # why", "\n- '#a'\n- b/c # why\n- new", "\n- '#a'"),
        ("\n- b/c\n# of a\n- a", "\n- b/c\n# of a\n- a\n- new", "\n# of a\n- a"),
    ],
)
@pytest.mark.parametrize("name", ["tags", "Tags"])
def test_tags_keep_their_form(vault, draft, root, name, before, after, without):
    """A tag is added to a list and taken from it without another form of the tags beside it; the property keeps its name."""
    memory = vault.save(draft())
    path = root / memory.path
    plain = path.read_text()
    for change, wanted in (({"add": ["new", "a"]}, after), ({"remove": ["b/c"]}, without)):
        path.write_text(plain.replace("title:", f"{name}: {before}\ntitle:".replace(": \n-", ":\n-")))
        assert set(vault.tag(memory.id, **change).tags) == ({"a", "b/c", "new"} if "add" in change else {"a"})
        assert f"{name}: {wanted}\n".replace(": \n", ":\n") in path.read_text()


@pytest.mark.parametrize("front", ["tags:\n", "tags: []\n", "tags: b, c\n"])
def test_a_tag_that_is_not_there(vault, draft, root, front):
    """To remove a tag that a note does not have changes nothing."""
    memory = vault.save(draft())
    path = root / memory.path
    path.write_text(path.read_text().replace("title:", f"{front}title:"))
    before = path.read_bytes()
    vault.tag(memory.id, remove=["a"])
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "line", ["updated: 2026", "updated: 2026-08-01 # by a plugin", 'last_confirmed: "[[2026-08-01]]"', "mood:"]
)
def test_lines_of_the_person_stay(vault, draft, root, line):
    """A time in a form of the person's own and an empty property outlast every verb, byte for byte."""
    path = root / "personal/fact/kettle.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nid: 01KJMMDQP00000000000000001\nkind: fact\ntitle: Kettle\n{line}\ncolour: red\n---\nDescale it.\n")
    for change in (
        lambda: vault.tag("Kettle", add=["a"]), lambda: vault.confirm("Kettle"), lambda: vault.edit("Kettle", body="Twice.\n"),
        lambda: vault.archive("Kettle", "why"), lambda: vault.restore("Kettle"),
    ):  # fmt: skip
        assert f"\n{line}\n" in (root / change().path).read_text()
    if line == "mood:":
        assert f"\n{line}\n" in (root / vault.evolve("Kettle", "Never.\n", "why").path).read_text()
