"""What the person does by hand in the memory folder is understood, journaled as theirs, and can be undone."""

import shutil

import pytest

from vademecum.domain.errors import Conflict, VaultEmptied, VaultMissing
from vademecum.domain.memory import Memory, Space
from vademecum.vault.known import Known, KnownFiles


@pytest.fixture
def known(vault):
    """What an index would know after a sync."""

    def taken():
        found = {}
        for source in vault.scan().files:
            memory = vault.open(source)
            if source.sort == "memory" and isinstance(memory, Memory):
                found[memory.id] = Known(source.space, source.path, source.stat, memory.etag)
        return KnownFiles.of(found)

    return taken


@pytest.fixture(params=["index", "journal"])
def before(request, known):
    """What is known, told by an index or by the journals alone."""
    return known if request.param == "index" else lambda: None


def _hand(vault, was):
    return [(record.op, record.actor) for record in vault.reconcile(was).records]


def test_own_writes_are_no_hand_edits(vault, draft, known):
    """What we wrote ourselves since the last sync is not taken for the person's."""
    vault.save(draft("First"))
    was = known()
    memory = vault.save(draft())
    vault.evolve(memory.id, "x", "y")
    vault.archive(vault.save(draft("Pot")).id)
    assert _hand(vault, was) == []
    assert _hand(vault, None) == []


def test_hand_edit(vault, draft, root, before):
    """An edit in Obsidian is journaled as the person's, with both texts, and can be undone."""
    memory = vault.save(draft())
    was = before()
    (root / memory.path).write_text((root / memory.path).read_text() + "By hand.\n")
    assert _hand(vault, was) == [("edit", "hand")]
    assert _hand(vault, was) == []
    assert [version.text.endswith("By hand.\n") for _, version in vault.history.versions(memory.id)] == [False, True]
    vault.history.undo()
    assert vault.get(memory.id).body == memory.body


def test_hand_move(vault, draft, root, before):
    """A file moved or renamed by hand keeps its id; its history goes on."""
    memory = vault.save(draft())
    was = before()
    (root / "mine").mkdir()
    (root / memory.path).rename(root / "mine" / "Tea Kettle.md")
    assert _hand(vault, was) == [("move", "hand")]
    assert vault.get(memory.id).path == "mine/Tea Kettle.md"
    vault.history.undo()
    assert vault.get(memory.id).path == memory.path


def test_hand_deletion(vault, draft, root, before):
    """A file deleted by hand comes back from the journal when the person wants it."""
    memory = vault.save(draft())
    was = before()
    text = (root / memory.path).read_bytes()
    (root / memory.path).unlink()
    assert _hand(vault, was) == [("delete", "hand")]
    assert _hand(vault, was) == []
    vault.history.undo(memory.id)
    assert (root / memory.path).read_bytes() == text


def test_new_note_is_adopted(vault, root, before):
    """A note put into the folder gets an id by a journaled write, and keeps every other byte."""
    was = before()
    (root / "idea.md").write_bytes(b"---\r\nmood: x # y\r\n---\r\n# Boil less\r\n")
    provisional = vault.get("idea").id
    assert _hand(vault, was) == [("adopt", "hand")]
    memory = vault.get("idea")
    assert (memory.id, memory.title, memory.extra) == (provisional, "Boil less", {"mood": "x"})
    assert (root / "idea.md").read_bytes().decode() == (
        f"---\r\nmood: x # y\r\nid: {memory.id}\r\nkind: fact\r\ncreated: {memory.created:%Y-%m-%dT%H:%M:%SZ}\r\n---\r\n"
        "# Boil less\r\n"
    )
    assert _hand(vault, None) == []


def test_lost_id_is_given_back(vault, draft, root, before):
    """Whoever deletes a memory's frontmatter in an editor does not make it another memory."""
    memory = vault.save(draft())
    was = before()
    (root / memory.path).write_text("Only text now.\n")
    assert _hand(vault, was) == [("repair", "hand")]
    assert vault.get(memory.id).body == "Only text now.\n"
    assert [record.op for record in vault.history.of(memory.id)] == ["save", "edit", "repair"]


@pytest.mark.parametrize("left", [b"", b" \n\n", b"\0" * 200, 30], ids=["empty", "blank", "NULs", "cut"])
def test_emptied_file_is_no_edit(vault, draft, root, before, left):
    """What a crash leaves of a file is told, not journaled, and not written into; the text comes back when the file is deleted."""
    memory = vault.save(draft())
    was, path = before(), root / memory.path
    whole = path.read_bytes()
    path.write_bytes(left if isinstance(left, bytes) else whole[:left])
    spoilt = path.read_bytes()
    looked = vault.reconcile(was)
    assert (looked.records, [problem.path for problem in looked.problems]) == ((), [memory.path])
    assert (memory.space, memory.path) in looked.unread
    assert path.read_bytes() == spoilt
    if not isinstance(left, int):
        with pytest.raises(Conflict):
            vault.edit(memory.path, body="Another text.\n")
    path.unlink()
    assert _hand(vault, was) == [("delete", "hand")]
    vault.history.undo()
    assert path.read_bytes() == whole


def test_a_new_empty_note_is_adopted(vault, root, before):
    """A note that the person has just made is no damaged one."""
    was = before()
    (root / "Untitled.md").write_bytes(b"")
    assert next(op for op, _ in _hand(vault, was)) == "adopt"


def test_a_text_in_an_emptied_file_is_an_edit(vault, draft, root, before):
    """A text that the person writes into such a file is theirs."""
    memory = vault.save(draft())
    was, path = before(), root / memory.path
    path.write_bytes(b"")
    assert _hand(vault, was) == []
    path.write_text("Written anew.\n")
    assert all(actor == "hand" for _, actor in _hand(vault, was))
    assert vault.get(memory.id).body == "Written anew.\n"


def test_conflict_copy_is_merged(vault, draft, root, known):
    """X-38: what a sync tool's conflict copy says more is put into the memory; the copy is put away, and undo brings it back."""
    memory = vault.save(draft())
    was = known()
    copy = (root / memory.path).with_name("kettle.sync-conflict-20260301-120000-ABCDEFG.md")
    text = (root / memory.path).read_text() + "Other side.\n"
    copy.write_text(text)
    result = vault.reconcile(was)
    assert [record.op for record in result.records] == ["edit", "merge", "merge"]
    assert vault.get(memory.id).body == "Descale monthly.\nOther side.\n"
    away = root / "_archive/conflicts" / copy.relative_to(root)
    assert (vault.problems(), copy.exists(), away.read_text()) == ((), False, text)
    vault.history.undo(result.records[1].id)
    assert (copy.read_text(), away.exists()) == (text, False)


def test_own_copy_stays(vault, draft, root, known):
    """A note that the person copied in Obsidian has the same id until they change it; both stay and are named."""
    memory = vault.save(draft())
    was = known()
    copy = (root / memory.path).with_name("kettle 1.md")
    copy.write_text((root / memory.path).read_text() + "Another one.\n")
    result = vault.reconcile(was)
    assert (len(result.records), len(result.problems)) == (0, 1)
    assert "Both files stay" in result.problems[0].message
    assert vault.get(memory.id).path == memory.path
    assert [problem.path for problem in vault.problems()] == [str(copy)]
    assert copy.exists()


def test_emptied_vault_is_not_believed(vault, draft, root, before):
    """X-41: a vault that lost most notes at once is a missing disk, not a wish, until the person says so."""
    memories = [vault.save(draft(f"Note {number}")) for number in range(12)]
    was = before()
    for memory in memories[:7]:
        (root / memory.path).unlink()
    with pytest.raises(VaultEmptied) as refusal:
        vault.reconcile(was)
    assert (refusal.value.known, refusal.value.found) == (12, 5)
    assert len(vault.reconcile(was, confirm_loss=True).records) == 7


def test_few_losses_are_believed(vault, draft, root, before):
    """Deleting half of the notes, or most of very few, is a wish."""
    memories = [vault.save(draft(f"Note {number}")) for number in range(12)]
    was = before()
    for memory in memories[:6]:
        (root / memory.path).unlink()
    assert len(vault.reconcile(was).records) == 6


def test_missing_root_is_not_believed(vault, draft, root, before, tmp_path):
    """X-41: a folder that is gone altogether deletes nothing."""
    vault.save(draft())
    was = before()
    shutil.move(root, tmp_path / "unplugged")
    with pytest.raises((VaultEmptied, VaultMissing)):
        vault.reconcile(was)
    shutil.move(tmp_path / "unplugged", root)
    assert _hand(vault, was) == []


def test_nothing_is_written_where_a_disk_is_missing(open_vault, draft, root, tmp_path):
    """X-41: an empty folder that had notes gets no second memory, which the disk would hide, until the person says that they are gone."""
    vault = open_vault(new_device=lambda: "another")
    kept = vault.save(draft("Kept"))
    shutil.move(root, tmp_path / "unplugged")
    root.mkdir()
    with pytest.raises(VaultEmptied):
        open_vault(new_device=lambda: "another").save(draft("Hidden"))
    assert list(root.rglob("*")) == []
    root.rmdir()
    shutil.move(tmp_path / "unplugged", root)
    back = open_vault(new_device=lambda: "another")
    edited = back.edit(kept.id, body="More")
    assert {record.device for record in back.history.of(edited.id)} == {"laptop"}
    shutil.rmtree(root)
    root.mkdir()
    new = open_vault(new_device=lambda: "another")
    new.reconcile(confirm_loss=True)
    assert new.save(draft("New")).title == "New"


def _icloud(path):
    path.rename(path.with_name("elsewhere"))
    path.with_name(f".{path.name}.icloud").write_bytes(b"bplist00")


def _nextcloud(path):
    path.rename(path.with_name(f"{path.name}.nextcloud"))


def _linked(path):
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def _folder_linked(path):
    folder = path.parent.rename(path.parents[3] / "elsewhere")
    path.parent.symlink_to(folder)


def _left_out(path):
    (path.parents[2] / ".vademecumignore").write_text(path.name, encoding="utf-8")


@pytest.mark.parametrize("put_away", [_icloud, _nextcloud, _linked, _folder_linked, _left_out])
def test_what_is_put_away_is_not_deleted(vault, draft, root, before, put_away):
    """A placeholder of a sync tool, a link, or a line in the ignore file is no deletion, which would reach every other device."""
    memory = vault.save(draft())
    was = before()
    put_away(root / memory.path)
    looked = vault.reconcile(was)
    assert looked.records == ()
    stays = any(memory.path.startswith(path) for _, path in looked.unread)
    assert stays == (put_away is not _left_out)


def test_other_devices_are_not_hands(open_vault, draft, root, tmp_path):
    """A change that came by sync with its journal is the other device's, not made by hand here."""
    laptop = open_vault()
    memory = laptop.save(draft())
    other = open_vault(device="desktop", lock_dir=tmp_path / "other locks")
    other.edit(memory.id, body="From the desktop")
    assert laptop.reconcile().records == ()
    assert [record.device for record in laptop.history.of(memory.id)] == ["laptop", "desktop"]


def test_unreadable_is_not_deleted(vault, draft, root, before):
    """A file that is not text any more is a problem, not a deletion."""
    memory = vault.save(draft())
    was = before()
    (root / memory.path).write_bytes(b"\xff\xfe\x00")
    result = vault.reconcile(was)
    assert (result.records, len(result.problems)) == ((), 1)


def test_nothing_is_read_again(vault, draft, known, monkeypatch):
    """Files that did not change are not opened."""
    for number in range(20):
        vault.save(draft(f"Note {number}"))
    was = known()
    monkeypatch.setattr("vademecum.vault.find.read_note", lambda path: pytest.fail(f"{path} was read"))
    assert vault.reconcile(was).records == ()


def test_spaces_by_other_names(open_vault, draft, root, tmp_path, space):
    """A shared folder may go by another name on another device."""
    open_vault(spaces=[Space("ours", str(root))], device="other").save(draft())
    assert open_vault().reconcile().records == ()


def test_written_meanwhile(open_vault, draft, root, known, monkeypatch):
    """What another process, or the person, does between the comparison and the lock is seen before anything is recorded."""
    vault, other = open_vault(), open_vault()
    noticed, taken_back = vault.save(draft("Noticed")), vault.save(draft("Taken back"))
    was, held = known(), vault._writer.held
    for memory in (noticed, taken_back):
        (root / memory.path).write_text((root / memory.path).read_text() + "By hand.\n")

    def late(verb):
        monkeypatch.setattr(vault._writer, "held", held)
        (root / taken_back.path).write_text((root / taken_back.path).read_text().replace("By hand.\n", ""))
        other.save(draft("Of the other process"))
        return held(verb)

    monkeypatch.setattr(vault._writer, "held", late)
    assert [(record.op, record.changes[0].memory) for record in vault.reconcile(was).records] == [("edit", noticed.id)]
    assert [record.op for record in vault.history.of(taken_back.id)] == ["save"]


def test_many_new_notes(vault, root, monkeypatch):
    """Thousands of notes that come at once are journaled some at a time, each with its text."""
    monkeypatch.setattr("vademecum.vault.reconcile.RECORDED_AT_ONCE", 3)
    folder = root / "personal" / "fact"
    folder.mkdir(parents=True)
    for number in range(10):
        identity = f"01JZZZZZZZ000000000000000{number}"
        (folder / f"{number}.md").write_text(f"---\nid: {identity}\ntitle: Note {number}\n---\n\nText {number}.\n")
    assert len(vault.reconcile().records) == 10
    texts = {version.text.splitlines()[-1] for _, version in vault.history.versions("01JZZZZZZZ0000000000000004")}
    assert texts == {"Text 4."}
    assert vault.reconcile().records == ()
