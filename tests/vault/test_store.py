"""What a person or an agent can do with memories."""

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.domain.errors import AlreadyExists, Ambiguous, Conflict, InvalidInput, NotFound, UnknownWord, VaultMissing
from vademecum.domain.memory import Draft, Space
from vademecum.vault.change import Placing
from vademecum.vault.store import Vault
from vademecum.vault.writer import By, Device

from .conftest import Ticking


def test_saved_is_readable(vault, draft, root):
    """A saved memory is one Markdown file whose text is exactly what was given."""
    memory = vault.save(draft(tags=("tea-time", "home/kitchen")))
    assert memory.path == "personal/fact/kettle.md"
    assert (root / memory.path).read_text() == (
        f"---\nid: {memory.id}\nkind: fact\ntitle: Kettle\ntags:\n  - tea-time\n  - home/kitchen\n"
        "created: 2026-03-01T12:01:00Z\n---\nDescale monthly.\n"
    )
    assert vault.get(memory.id) == vault.read("personal", memory.path)
    assert vault.get(memory.id).body == "Descale monthly.\n"


def test_saved_is_not_overwritten(vault, draft):
    """Saving where a memory stands is refused and points to evolve."""
    first = vault.save(draft())
    with pytest.raises(AlreadyExists, match="already holds 'Kettle'") as refusal:
        vault.save(draft(body="Other"))
    assert first.id in refusal.value.hint
    assert vault.save(draft(body="Other"), unique=True).path == "personal/fact/kettle-2.md"


def test_other_words_for_kinds(vault, draft):
    """Another system's word for a kind is accepted and kept as the facet."""
    memory = vault.save(draft(kind="Workflow"))
    assert (memory.kind, memory.facet) == ("procedure", "workflow")
    with pytest.raises(UnknownWord, match="kind"):
        vault.save(draft(kind="decisoin"))


@pytest.mark.parametrize(
    "properties",
    [
        {"confidence": "sure"}, {"importance": 2}, {"valid_until": "soon"}, {"summary": "x" * 201}, {"pin": "maybe"},
        {"nested": {"a": 1}}, {"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, {"tags": ["a b"]}, {"priority": "first"}, {"a\nb": "x"},
    ],
)  # fmt: skip
def test_bad_values(vault, draft, properties):
    """A value that does not fit is refused by name, and nothing is written."""
    with pytest.raises(InvalidInput):
        vault.save(draft(properties=properties))
    assert vault.list() == ()


def test_numbers_as_typed(vault, draft):
    """A command line gives numbers as text."""
    memory = vault.save(draft(properties={"importance": "0.9", "priority": "2"}))
    assert (memory.importance, memory.priority) == (0.9, 2)


@pytest.mark.parametrize(
    "reference", ["id", "prefix", "lower", "uri", "path", "bare", "spaced", "slug", "title", "alias", "link"]
)
def test_references(vault, draft, reference):
    """A memory answers to its id, the id's beginning, path, slug, title, alias and link."""
    memory = vault.save(draft("Tea Kettle", properties={"aliases": ["KD07"]}))
    names = {
        "id": memory.id, "prefix": memory.id[:12], "lower": memory.id.lower(), "uri": memory.uri, "path": memory.path,
        "bare": memory.path[:-3], "spaced": f"personal:{memory.path}", "slug": "tea-kettle", "title": "tea kettle",
        "alias": "kd07", "link": "[[Tea Kettle#Care|that]]",
    }  # fmt: skip
    assert vault.get(names[reference]).id == memory.id


def test_names_that_differ_in_a_sign(vault, draft):
    """A name means the memory of that title, never another that has the same letters; signs alone mean none."""
    titles = ("C", "C#", "C++", "D", "\U0001f9ed", "\U0001f3fa")
    for title in titles:
        vault.save(draft(title))
    assert [vault.get(title).title for title in titles] == list(titles)
    for name in ("*", "...", "D#"):
        with pytest.raises(NotFound):
            vault.get(name)


def test_ambiguous_names(vault, draft):
    """A name that fits several memories is not guessed."""
    vault.save(draft())
    vault.save(draft(kind="lesson"))
    with pytest.raises(Ambiguous):
        vault.get("kettle")
    with pytest.raises(NotFound):
        vault.get("toaster")


def test_lookup_is_believed_only_with_proof(open_vault, draft):
    """An index that is behind costs time, never the wrong memory."""
    plain = open_vault()
    memory, other = plain.save(draft()), plain.save(draft("Toaster"))
    stale = open_vault(lookup=lambda name: [("personal", other.path), ("personal", "gone.md"), ("nowhere", "x.md")])
    assert stale.get(memory.id).id == memory.id


def test_what_was_just_written_is_named_without_reading_the_rest(vault, draft, root):
    """An index learns of a write only afterwards; looking into every file meanwhile took longer the more there were."""
    old, new = vault.save(draft("Fly hosts it")), vault.save(draft("Render hosts it"))
    with mock.patch("vademecum.vault.find.scan_memories", side_effect=AssertionError("every file was looked into")):
        vault.supersede(old.id, new.id, "it moved")
        moved = vault.get(old.id)
        assert moved.path.startswith("_archive/")
    (root / moved.path).rename(root / "by-hand.md")  # what is remembered is only a hint
    assert vault.get(old.id).path == "by-hand.md"
    assert vault.get(old.id[:-2].lower() + old.id[-2:]).path == "by-hand.md"


def test_edit_keeps_the_rest(vault, draft, root):
    """X-05: an edit of the text keeps every property, explicit tags included."""
    memory = vault.save(draft(tags=("tea-time",), properties={"mood": "yes"}))
    before = (root / memory.path).read_text()
    edited = vault.edit(memory.id, body="Descale weekly. #urgent")
    assert edited.tags == ("tea-time", "urgent")
    assert edited.extra == {"mood": "yes"}
    assert edited.updated > memory.updated
    assert (root / memory.path).read_text() == before.replace("Descale monthly.\n", "Descale weekly. #urgent\n").replace(
        "updated: 2026-03-01T12:01:00Z", f"updated: {edited.updated:%Y-%m-%dT%H:%M:%SZ}"
    )


def test_unseen_edit_is_not_overwritten(vault, draft, root):
    """X-35: a change that the writer has not seen is never overwritten."""
    memory = vault.save(draft())
    (root / memory.path).write_text((root / memory.path).read_text() + "By hand.\n")
    with pytest.raises(Conflict):
        vault.edit(memory.id, body="From an agent", etag=memory.etag)
    assert vault.get(memory.id).body.endswith("By hand.\n")


def test_evolve_archives_whole(vault, draft, root):
    """X-07, X-08: the old text goes to the archive whole, with its id; the path stays and names its predecessor."""
    old = vault.save(draft(tags=("tea-time",), body="---\nid: 7\n---\nDescale monthly.\n- detail\n"))
    new = vault.evolve(old.id, "Descale weekly.\n", "the water is hard", new_title="Kettle care")
    kept = vault.get(old.id)
    assert (new.path, new.supersedes, new.title, new.tags) == (old.path, (old.id,), "Kettle care", ("tea-time",))
    assert kept.path == "_archive/personal/fact/kettle.md.20260301.md"
    assert (kept.body, kept.status, kept.superseded_by) == (old.body, "superseded", (new.id,))
    assert kept.extra["superseded_reason"] == "the water is hard"
    third = vault.evolve(new.id, "Descale daily.\n", "harder still")
    assert vault.get(new.id).path == "_archive/personal/fact/kettle.md.20260301-2.md"
    assert [record.op for record in vault.history.of(third.id)] == ["save", "evolve", "evolve"]
    assert vault.history.versions(third.id)[0][1].text.endswith(old.body)


def test_evolve_refusals(vault, draft):
    """A memory evolves for a reason, and only while it is active."""
    memory = vault.save(draft())
    with pytest.raises(InvalidInput, match="reason"):
        vault.evolve(memory.id, "x", " ")
    vault.resolve(memory.id)
    with pytest.raises(InvalidInput, match="resolved"):
        vault.evolve(memory.id, "x", "y")


def test_references_survive_inserts(vault, draft):
    """X-06: a key such as KD07 is an alias of one memory; inserting others never moves it."""
    first = vault.save(draft("Use tea", kind="decision", properties={"aliases": ["KD01"]}))
    vault.save(draft("A use of tea", kind="decision", properties={"aliases": ["KD02"]}))
    assert vault.get("KD01").id == first.id


def test_archive_and_back(vault, draft, root):
    """An archived memory comes back to its old place."""
    memory = vault.save(draft())
    gone = vault.archive(memory.id, "no kettle any more")
    assert (gone.id, gone.status, gone.path) == (memory.id, "archived", "_archive/personal/fact/kettle.md.20260301.md")
    assert not (root / memory.path).exists()
    back = vault.restore(memory.id)
    assert (back.id, back.status, back.path) == (memory.id, "active", memory.path)
    assert "superseded_reason" not in back.extra


def test_restored_beside(vault, draft):
    """What is restored never takes the place of what stands there now."""
    old = vault.save(draft())
    new = vault.evolve(old.id, "New", "better")
    back = vault.restore(old.id)
    assert (back.path, back.superseded_by) == ("personal/fact/kettle-2.md", ())
    assert vault.get(new.id).path == old.path


def test_supersede_links_both(vault, draft):
    """One existing memory replaces another: both say so by id."""
    old, new = vault.save(draft("Old")), vault.save(draft("New"))
    kept = vault.supersede(old.id, new.id, "newer")
    assert kept.supersedes == (old.id,)
    assert vault.get(old.id).superseded_by == (new.id,)
    with pytest.raises(InvalidInput):
        vault.supersede(new.id, new.id, "x")


def test_inbox_to_active(vault, draft):
    """Approving what waits in the inbox moves it to its place, id and all."""
    waiting = vault.save(draft(kind="preference", properties={"status": "inbox"}))
    assert waiting.path == "_inbox/kettle.md"
    assert vault.edit(waiting.id, properties={"status": "active"}).path == "personal/preference/kettle.md"


def test_kind_change_moves(vault, draft, root):
    """A memory of another kind moves to that kind's folder, unless the person had put it elsewhere."""
    memory = vault.save(draft())
    assert vault.edit(memory.id, properties={"kind": "lesson"}).path == "personal/lesson/kettle.md"
    vault.place_together("move", [Placing(memory.id, {}, "my own/kettle.md")])
    assert vault.edit(memory.id, properties={"kind": "fact"}).path == "my own/kettle.md"


def test_moves(vault, draft):
    """A memory moves to its project or among those always loaded; its id goes along."""
    memory = vault.save(draft())
    assert vault.edit(memory.id, properties={"project": "tea"}).path == "projects/tea/fact/kettle.md"
    moved = vault.edit(memory.id, properties={"always_load": True})
    assert (moved.path, moved.always_load, moved.id) == ("projects/tea/_always-load/kettle.md", True, memory.id)
    assert vault.edit(memory.id, properties={"always_load": False}).path == "projects/tea/fact/kettle.md"


def test_move_between_spaces(open_vault, space, tmp_path, draft):
    """A memory that belongs to a project moves into the project's own space, and the move can be undone."""
    (tmp_path / "repo" / ".vademecum").mkdir(parents=True)
    project = Space("tea", str(tmp_path / "repo" / ".vademecum"), project="tea")
    vault = open_vault(spaces=[space, project])
    memory = vault.save(draft(kind="decision"))
    assert vault.save(draft("Pot", kind="decision", properties={"project": "tea"})).space == "tea"
    moved = vault.relocate(memory.id, space="tea")
    assert (moved.space, moved.path, moved.project) == ("tea", "decision/kettle.md", "tea")
    assert len(vault.history.of(memory.id)) == 2
    vault.history.undo(memory.id)
    assert vault.get(memory.id).space == "personal"


def test_rename_keeps_links(vault, draft):
    """A renamed memory still answers to its old title."""
    memory = vault.save(draft())
    renamed = vault.relocate(memory.id, title="Wasserkocher")
    assert (renamed.path, renamed.aliases) == ("personal/fact/wasserkocher.md", ("Kettle",))
    assert vault.get("[[Kettle]]").id == memory.id


def test_tags(vault, draft):
    """X-05: hyphenated and nested tags are added and removed whole; those in the text are the person's."""
    memory = vault.save(draft(tags=("tea-time",), body="See #home/kitchen-sink."))
    assert vault.tag(memory.id, add=["#water-hard"]).tags == ("tea-time", "water-hard", "home/kitchen-sink")
    assert vault.tag(memory.id, remove=["tea-time"]).tags == ("water-hard", "home/kitchen-sink")
    with pytest.raises(InvalidInput, match="in the text"):
        vault.tag(memory.id, remove=["home/kitchen-sink"])


def test_links(vault, draft):
    """HW-15: relations name ids; what is linked in the text is known too."""
    memory, other = vault.save(draft()), vault.save(draft("Pot", body="caused_by:: [[Kettle]]\n`[[not this]]`\n"))
    linked = vault.link(memory.id, "related", "Pot")
    assert linked.related == (other.id,)
    assert [(edge.type, edge.target) for edge in other.edges] == [("caused_by", "Kettle")]
    assert vault.link(memory.id, "derived_from", "session://codex/7").derived_from == ("session://codex/7",)
    with pytest.raises(UnknownWord):
        vault.link(memory.id, "likes", "Pot")


def test_confirm_counts(vault, draft):
    """VO-04: confirming counts and dates, and leaves the text's own date alone."""
    memory = vault.save(draft())
    vault.confirm(memory.id)
    twice = vault.confirm(memory.id)
    assert (twice.confirmations, twice.updated) == (2, memory.updated)
    assert twice.last_confirmed > memory.created


def test_undo_every_verb(vault, draft, root):
    """Every verb can be undone, and the undo too."""
    memory, other = vault.save(draft(tags=("a",))), vault.save(draft("Other"))
    verbs = {
        "edit": lambda: vault.edit(memory.id, body="x"), "evolve": lambda: vault.evolve(memory.id, "x", "y"),
        "resolve": lambda: vault.resolve(memory.id), "archive": lambda: vault.archive(memory.id),
        "move": lambda: vault.relocate(memory.id, kind="lesson"), "rename": lambda: vault.relocate(memory.id, title="Pot"),
        "tag": lambda: vault.tag(memory.id, add=["b"]), "link": lambda: vault.link(memory.id, "related", other.id),
        "confirm": lambda: vault.confirm(memory.id), "supersede": lambda: vault.supersede(memory.id, other.id, "y"),
    }  # fmt: skip
    before = _told(vault, root)
    for verb in verbs.values():
        verb()
        after = _told(vault, root)
        assert after != before
        undone = vault.history.undo()[0]
        assert _told(vault, root) == before
        vault.history.undo(undone.id)
        assert _told(vault, root) == after
        vault.history.undo()
        assert _told(vault, root) == before
    vault.history.undo(memory.id)
    assert len(_files(root)) == 1


def test_undo_refuses_unseen(vault, draft, root):
    """An undo that would lose a later edit is refused and says so."""
    memory = vault.save(draft())
    vault.edit(memory.id, body="One")
    (root / memory.path).write_text((root / memory.path).read_text() + "By hand.")
    with pytest.raises(Conflict, match="cannot be undone") as refusal:
        vault.history.undo()
    assert "history" in refusal.value.hint
    assert "By hand." in (root / memory.path).read_text()


def test_nothing_to_undo(vault):
    """Undo in a new vault says that there is nothing."""
    with pytest.raises(NotFound):
        vault.history.undo()


def test_history_says_who(vault, draft):
    """VO-12: history names verb, actor, door and reason of every change."""
    memory = vault.save(draft(), by=By("agent", "mcp"))
    vault.archive(memory.id, "done with it")
    assert [(r.op, r.actor, r.interface, r.reason) for r in vault.history.of(memory.id)] == [
        ("save", "agent", "mcp", ""),
        ("archive", "user", "", "done with it"),
    ]


def test_broken_frontmatter_is_not_rewritten(vault, draft, root):
    """A memory whose frontmatter a person broke is still found, reported, and not touched."""
    memory = vault.save(draft())
    text = (root / memory.path).read_text().replace("title: Kettle", "title: Kettle: care")
    (root / memory.path).write_text(text)
    assert vault.get(memory.id).title == "Kettle: care"
    assert "cannot be read" in vault.problems()[0].message
    with pytest.raises(InvalidInput):
        vault.edit(memory.id, properties={"summary": "x"})
    assert (root / memory.path).read_text() == text


def test_bad_text_then_good(vault, draft):
    """X-49: half a character is refused, and the next write works."""
    with pytest.raises(InvalidInput):
        vault.save(draft(body="x\ud800"))
    with pytest.raises(InvalidInput):
        vault.save(draft(title="x\ud800"))
    assert vault.save(draft()).title == "Kettle"


@pytest.mark.parametrize("text", ["No frontmatter.", "---\nid: LOTR02\nlang: FR\n---", "\ufeff---\r\nmood: x\r\n---\r\nBody"])
def test_hand_made_notes(vault, root, text):
    """A note that a person put into the folder is a memory at once; the first write gives it what it lacks."""
    (root / "notes").mkdir()
    (root / "notes" / "mine.md").write_bytes(text.encode())
    found = vault.get("mine")
    assert (found.kind, vault.get(found.id)) == ("fact", found)
    edited = vault.edit(found.id, body="---\nid: fake\n---\n")
    newline = "\r\n" if "\r\n" in text else "\n"
    assert (edited.id, edited.body) == (found.id, "---\nid: fake\n---\n".replace("\n", newline))
    assert edited.aliases == (("LOTR02",) if "LOTR02" in text else ())


bodies = st.lists(
    st.sampled_from(
        [
            "---\n",
            "id: x\n",
            "```\n",
            "\r\n",
            "\r",
            "\n",
            "# 2024-01-01\n",
            "<!-- id: 7 -->",
            "\ufeff",
            "...\n",
            "\u2028",
            "\x00",
        ]
    )
    | st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=20),
    max_size=8,
).map("".join)


def survived(given, kept):
    """Whether a text was kept byte for byte, but for a newline at its end where it had none."""
    return kept == given or (bool(given) and not given.endswith(("\n", "\r")) and kept in (f"{given}\n", f"{given}\r\n"))


@settings(max_examples=40, deadline=None)
@given(bodies, bodies, bodies)
def test_bodies_survive(first, second, third):
    """X-03, X-25: any text is stored, read, replaced, archived and brought back byte for byte."""
    with TemporaryDirectory() as folder, mock.patch("os.fsync"):
        (Path(folder) / "home").mkdir()
        space = Space("personal", f"{folder}/home")
        vault = Vault([space], Device(name="laptop", lock_dir=Path(folder, "locks"), clock=Ticking()))
        old = vault.save(Draft("fact", "Kettle", first))
        assert survived(first, old.body) and vault.get(old.id).body == old.body
        edited = vault.edit(old.id, body=second)
        assert survived(second, edited.body) or f"{second}\n" == old.body.replace("\r\n", "\n")
        new = vault.evolve(old.id, third, "better")
        assert vault.get(old.id).body == edited.body
        assert survived(third, vault.get(new.id).body)
        vault.history.undo()
        if edited.body != old.body:
            vault.history.undo()
        assert vault.get(old.id) == old


def test_missing_space_hides_no_other(open_vault, space, tmp_path, draft):
    """A project's folder that is gone does not hide the person's other memories."""
    memory = open_vault().save(draft())
    vault = open_vault(spaces=[Space("gone", str(tmp_path / "gone"), project="gone"), space])
    assert vault.get(memory.id) == memory
    with pytest.raises(VaultMissing):
        vault.save(draft(space="gone"))


def _told(vault, root):
    """Every file, and what is known of each memory beside it."""
    return _files(root), {one.id: (one.updated, one.last_confirmed, one.confirmations, one.evidence) for one in vault.list()}


def _files(root):
    return {path: path.read_bytes() for path in root.rglob("*.md") if "_journal" not in path.parts}
