"""Whatever writes memories through the vault, the index holds it when the operation is done; no caller has to tell it."""

import pytest

from vademecum.domain.errors import IndexDamaged, WriteFailed
from vademecum.domain.memory import By, Draft
from vademecum.sync.behind import is_behind
from vademecum.vault.change import Placing


def saved(vault, title, **properties):
    return vault.save(Draft("fact", title, f"{title} has text.\n", properties=properties))


def merge_two(vault, first, second):
    vault.save_together([Draft("fact", "Oven and grill", "Both.\n")], "join", archived=[first.id, second.id])


def in_one_action(vault, first, second):
    with vault.one_action(), vault.held("save"):
        vault.edit(first.id, body="Other words.\n")
        vault.archive(second.id)


#: Operations of the vault on two memories that stand.
OPERATIONS = {
    "edit": lambda vault, first, second: vault.edit(first.id, body="Other words.\n", properties={"title": "Hob"}),
    "resolve": lambda vault, first, second: vault.resolve(first.id),
    "archive": lambda vault, first, second: vault.archive(first.id),
    "archive together": lambda vault, first, second: vault.archive_together([first.id, second.id]),
    "restore": lambda vault, first, second: vault.restore(vault.archive(first.id).id),
    "relocate": lambda vault, first, second: vault.relocate(first.id, title="Stove"),
    "rewrite": lambda vault, first, second: vault.rewrite(first.id, Draft("fact", "Range", "It is new.\n"), "range"),
    "tag": lambda vault, first, second: vault.tag(first.id, add=["kitchen"]),
    "link": lambda vault, first, second: vault.link(first.id, "related", second.id),
    "confirm": lambda vault, first, second: vault.confirm(first.id),
    "confirm and replace": lambda vault, first, second: vault.confirm(first.id, replaces=[second.id]),
    "evolve": lambda vault, first, second: vault.evolve(first.id, "A newer text.\n", "bought another"),
    "supersede": lambda vault, first, second: vault.supersede(first.id, second.id, "bought another"),
    "retire": lambda vault, first, second: vault.retire(first.id, "sold"),
    "place together": lambda vault, first, second: vault.place_together(
        "heat", [Placing(one.id, {"priority": 2}, one.path) for one in (first, second)]
    ),
    "save together": merge_two,
    "undo": lambda vault, first, second: vault.history.undo(),
    "undo an edit": lambda vault, first, second: (vault.edit(first.id, body="Wrong.\n"), vault.history.undo(first.id)),
    "as one action": in_one_action,
}


def state(memory):
    """What the index holds of each memory: where, what it is called, its status, digest and tags."""
    keys = [key for key in memory.context.index.fingerprints() if key.startswith("memory://")]
    items = memory.context.index.items(keys).values()
    return {item.key: (item.path, item.title, item.status, item.digest, item.tags, item.stat) for item in items}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_index_holds_what_was_written(memory, operation):
    """After any operation of the vault a sync finds nothing to do."""
    vault = memory.context.vault
    first, second = saved(vault, "Oven"), saved(vault, "Grill")
    OPERATIONS[operation](vault, first, second)
    after = state(memory)
    report = memory.maintenance.sync()
    assert (report.added, report.changed, report.dropped) == (0, 0, 0)
    assert state(memory) == after
    assert after


def test_links_that_follow_are_indexed(memory):
    """A memory whose link was changed because the file it names got another name is indexed in the same go."""
    vault = memory.context.vault
    oven = saved(vault, "Oven")
    guide = vault.save(Draft("fact", "Guide", f"See [[{oven.path.split('/')[-1].removesuffix('.md')}]].\n"))
    vault.relocate(oven.id, title="Stove")
    assert memory.context.index.items([guide.uri])[guide.uri].digest != ""
    assert memory.maintenance.sync().changed == 0
    assert "[[stove]]" in vault.get(guide.id).body


def test_agent_writes_into_the_same_index(memory):
    """What an agent writes comes into the index that the person asks, also when the agent itself does not see it."""
    by = By("agent", "mcp")
    hidden = memory.seen_by(by, "helper").context.vault.save(
        Draft("fact", "Oven", "Hot.\n", properties={"agent": "another"}), by=by
    )
    assert hidden.uri in memory.context.index.items([hidden.uri])
    assert memory.maintenance.sync().changed == 0


def test_inside_a_longer_hold(memory):
    """An operation within a longer hold of the lock is indexed when it is done, not only at the end: the next one looks there."""
    vault = memory.context.vault
    with vault.held("save"):
        oven = saved(vault, "Oven", aliases=["KD01"])
        assert memory.context.index.named("KD01") == (oven.uri,)


def test_pages_are_not_told(memory, monkeypatch):
    """A page that is no memory costs the index nothing."""
    monkeypatch.setattr(type(memory.context.indexer), "put_notes", lambda *_: pytest.fail("the index was written"))
    memory.context.vault.pages.revise(("page.md",), lambda texts: ["# Page\n"], op="views")


def test_busy_index_follows_later(memory, monkeypatch):
    """While the index cannot be written the operation is done, and what it wrote is found after the next sync."""
    with monkeypatch.context() as patch:
        patch.setattr(type(memory.context.indexer), "put_notes", refused)
        oven = saved(memory.context.vault, "Oven")
    assert is_behind(memory.context)
    memory.maintenance.sync()
    assert oven.uri in memory.context.index.items([oven.uri])
    assert not is_behind(memory.context)


def refused(*_):
    raise WriteFailed("The disk is full.", "")


def test_damaged_index_is_rebuilt(memory, monkeypatch):
    """An index that turns out to be damaged is rebuilt from the files, and the operation counts as done, once."""
    damaged = [True]
    put = type(memory.context.indexer).put_notes

    def put_notes(indexer, notes, gone=()):
        if damaged:
            damaged.clear()
            raise IndexDamaged("index.db")
        return put(indexer, notes, gone)

    monkeypatch.setattr(type(memory.context.indexer), "put_notes", put_notes)
    oven = saved(memory.context.vault, "Oven")
    assert not damaged
    assert [one.id for one in memory.context.vault.list()] == [oven.id]
    assert oven.uri in memory.context.index.items([oven.uri])


def test_after_an_error_the_next_operation_tells(memory, monkeypatch):
    """What was written before an error in the same hold of the lock is told by the next operation."""
    vault = memory.context.vault
    oven = saved(vault, "Oven")
    with pytest.raises(ZeroDivisionError), monkeypatch.context() as patch:
        patch.setattr("vademecum.vault.read.Reader.read", lambda *_: 1 / 0)
        vault.archive(oven.id)  # which reads what it wrote, while it holds the lock
    assert memory.context.index.items([oven.uri])[oven.uri].status == "active"
    saved(vault, "Grill")
    assert {title: status for _, title, status, *_ in state(memory).values()} == {"Oven": "archived", "Grill": "active"}
