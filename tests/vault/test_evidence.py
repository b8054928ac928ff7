"""What the journals know of a memory beside its note, and what the note shows."""

import json
import os
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.memory import By, Draft
from vademecum.domain.relations import Joining
from vademecum.vault.evidence import Fact, folded
from vademecum.vault.frontmatter import read
from vademecum.vault.shown import DECIDING, EVIDENCE, FOLDED, SHOWN_MOST

from .conftest import Ticking

MINED = By("extraction", "capture")
EVERYTHING = {
    "confidence": "high", "importance": 0.7, "project": "tea", "source": "session://claude-code/s1", "source_interface": "claude-code",
    "source_span": "u3 to u4", "trust": "extracted", "valid_from": "2026-02-28T09:00:00Z", "topics": ["tea"], "summary": "Of tea.",
    "something_new": "x", "mining_rationale": "prefer: an outright statement", "mining_sessions": ["session://claude-code/s1"],
    "mining_occurrences": 3,
}  # fmt: skip


def _mined(vault, title="Green tea", **more):
    return vault.save(
        Draft("preference", title, "The user prefers green tea.\n", ("tea",), properties=EVERYTHING | more), by=MINED
    )


def _properties(root, memory):
    return read((root / memory.path).read_text()).values()


def test_kept_note_shows_little(vault, root):
    """A memory that was mined shows at most eight properties, and is known with all the others."""
    memory = _mined(vault)
    shown = _properties(root, memory)
    assert list(shown) == ["id", "kind", "title", "tags", "created", "source", "trust"]
    assert (memory.confidence, memory.importance, memory.topics, memory.summary) == ("high", 0.7, ("tea",), "Of tea.")
    assert (memory.source_span, memory.project, memory.status) == ("u3 to u4", "tea", "active")
    assert (memory.extra["mining_rationale"], memory.extra["something_new"]) == ("prefer: an outright statement", "x")
    assert vault.get("Green tea") == memory


def test_never_more_than_eight(vault, root):
    """Relations that a program gives take no more room than there is; what they relate stays known."""
    others = [_mined(vault, f"Tea {number}").id for number in range(3)]
    memory = vault.save(
        Draft("fact", "Tea", "x\n", ("a",), properties=EVERYTHING | {"related": [others[0]], "derived_from": [others[1]]}),
        by=MINED,
        joining=Joining(replaces=(others[2],)),
    )
    assert len(_properties(root, memory)) <= SHOWN_MOST
    assert (memory.related, memory.derived_from, memory.supersedes, memory.tags) == (
        (others[0],),
        (others[1],),
        (others[2],),
        ("a",),
    )


def test_what_the_person_gave_is_shown(vault, root):
    """What the person said about a memory stands in its note, and stays there whoever changes it."""
    memory = vault.save(Draft("fact", "Kettle", "x\n", properties={"importance": 0.9, "confidence": "low", "topics": ["tea"]}))
    vault.tag(memory.id, add=["metal"], by=MINED)
    assert {"importance": 0.9, "confidence": "low", "topics": ["tea"]}.items() <= _properties(root, memory).items()
    mined = _mined(vault)
    vault.edit(mined.id, properties={"importance": 0.1})
    assert _properties(root, mined)["importance"] == vault.get(mined.id).importance == 0.1
    vault.edit(mined.id, properties={"importance": None})
    assert vault.get(mined.id).importance == vault.save(Draft("preference", "Other", "x\n")).importance


def test_hand_written_evidence_stays(vault, root):
    """A property that the person wrote into the note is not taken out of it, whatever its name."""
    memory = _mined(vault)
    path = root / memory.path
    path.write_text(path.read_text().replace("trust: extracted", "source_span: page 4\ntrust: extracted\nmood: calm"))
    vault.reconcile()
    vault.tag(memory.id, add=["x"])
    assert {"source_span": "page 4", "mood": "calm"}.items() <= _properties(root, memory).items()
    assert vault.get(memory.id).source_span == "page 4"


_NEEDED = "id: {id}", "kind: preference", "created: 2026-03-01"


@pytest.mark.parametrize(
    "head",
    [
        "".join(f"{line}\n" for line in (*_NEEDED, "mining_rationale: a", "mining_rationale: b")),
        f"{{{{{', '.join(_NEEDED)}}}}}\n",
    ],
)
def test_frontmatter_that_cannot_be_edited(vault, root, head):
    """A note whose frontmatter cannot be edited stays byte for byte, and loses nothing of what the journal knows."""
    memory = _mined(vault)
    path = root / memory.path
    text = "---\n" + head.format(id=memory.id) + "---\nx\n"
    path.write_text(text)
    vault.reconcile()
    before = vault.get(memory.id)
    assert path.read_text() == text
    assert (before.source_span, before.evidence["source_span"]) == ("u3 to u4", "u3 to u4")


def test_proposal_shows_what_decides(vault, root):
    """What waits shows why it is there; when it is taken in, that goes to the journal, and comes back with an undo."""
    memory = _mined(vault, status="inbox")
    waiting = _properties(root, memory)
    assert {"mining_rationale", "mining_occurrences"} <= waiting.keys() & DECIDING
    taken = vault.take_in(memory.id, Joining())
    assert not _properties(root, taken).keys() & (EVIDENCE | FOLDED | {"status"})
    assert taken.extra["mining_occurrences"] == 3
    vault.history.undo()
    assert _properties(root, memory) == waiting


def test_edited_by_hand(vault, draft, root):
    """An edit by hand is dated by its file; a file that says it is older changes nothing."""
    memory = vault.save(draft())
    path = root / memory.path
    for year, known in ((2027, 2027), (2020, 2027)):
        path.write_text(f"{path.read_text()}More.\n")
        moment = datetime(year, 5, 6, tzinfo=UTC).timestamp()
        os.utime(path, (moment, moment))
        assert [record.op for record in vault.reconcile().records] == ["edit"]
        assert vault.get(memory.id).updated.year == known


def test_confirming_leaves_the_note_alone(vault, draft, root):
    """A confirmation is a line of the journal; the file is not touched, so two devices never fight over it."""
    memory = vault.save(draft())
    before = (root / memory.path).stat()
    confirmed = vault.confirm(memory.id)
    assert ((root / memory.path).stat().st_mtime_ns, confirmed.confirmations) == (before.st_mtime_ns, 1)
    assert (confirmed.updated, confirmed.etag) == (memory.updated, memory.etag)
    vault.history.undo()
    assert (vault.get(memory.id).confirmations, vault.get(memory.id).last_confirmed) == (0, None)


def test_two_devices_confirm(vault, open_vault, draft, root):
    """Confirmations of two devices add up, whichever journal came first, and an undo takes back its own."""
    memory = vault.save(draft())
    other = open_vault(device="desktop", clock=Ticking(datetime(2026, 3, 2, tzinfo=UTC)))
    vault.confirm(memory.id)
    other.confirm(memory.id)
    vault.confirm(memory.id)
    assert vault.get(memory.id).confirmations == other.get(memory.id).confirmations == 3
    other.history.undo()
    assert vault.get(memory.id).confirmations == 2


def test_older_note_is_told_apart_when_written(vault, root):
    """Counters in a note of an older version count, are taken out when it is written, and are counted once even by two devices."""
    path = root / "personal/fact/old.md"
    path.parent.mkdir(parents=True)
    path.write_text(
        "---\nid: 01KJMMDQP00000000000000001\nkind: fact\ntitle: Old\nupdated: 2025-01-01T00:00:00Z\n"
        "last_confirmed: 2025-02-02T00:00:00Z\nconfirmations: 3\n---\nx\n"
    )
    old = vault.get("Old")
    assert (old.confirmations, old.updated.year, old.last_confirmed.month) == (3, 2025, 2)
    before = path.read_bytes()
    vault.tag("Old", add=["a"])
    assert not _properties(root, old).keys() & FOLDED
    assert (vault.get("Old").confirmations, vault.get("Old").last_confirmed) == (3, old.last_confirmed)
    after, journal = path.read_bytes(), vault._writer.journals["personal"]
    path.write_bytes(before)  # as the other device still has it, which then does the same
    vault.edit("Old", body="y\n")
    assert vault.get("Old").confirmations == 3
    assert after != before
    assert [one.actor for one in journal.records()] == ["user", "user"]


def test_older_version_confirms_again(vault, draft, root):
    """An older version that does not know the journal writes its counters into the note; they come on top."""
    memory = vault.save(draft())
    vault.confirm(memory.id)
    path = root / memory.path
    path.write_text(
        path.read_text().replace("---\nDescale", "last_confirmed: 2027-01-01T00:00:00Z\nconfirmations: 2\n---\nDescale")
    )
    assert (vault.get(memory.id).confirmations, vault.get(memory.id).last_confirmed.year) == (3, 2027)
    vault.confirm(memory.id)
    assert (vault.get(memory.id).confirmations, "confirmations" in _properties(root, memory)) == (4, False)


def test_as_it_was_known_then(vault, draft):
    """The past knows what was confirmed by then, and what was mined with it."""
    memory = _mined(vault)
    then = vault.confirm(memory.id).last_confirmed
    vault.confirm(memory.id)
    past = vault.history.one_as_of(memory.id, then.replace(minute=then.minute + 2))
    assert (past.confirmations, past.confidence, past.source_span) == (1, "high", "u3 to u4")
    assert vault.history.as_of(then.replace(minute=then.minute + 2))[0].confirmations == 1


def test_evolving_leaves_the_evidence(vault, root):
    """The evidence of a text goes into the archive with it; the text that took its place has none."""
    memory = _mined(vault)
    new = vault.evolve(memory.id, "The user prefers black tea.\n", "said so")
    assert (vault.get(memory.id).source_span, new.source_span, dict(new.evidence).keys()) == ("u3 to u4", "", {"updated"})


def test_read_by_another_process(vault, open_vault, draft):
    """What one process notes the other one knows, when it has read all journals before, and when segments were rewritten."""
    memories = [vault.save(draft(f"Note {number}")) for number in range(30)]
    other = open_vault(device="desktop")
    assert len(other.list()) == 30
    for memory in memories:
        vault.confirm(memory.id)
    assert {one.confirmations for one in other.list()} == {1}
    (segment,) = vault._writer.journals["personal"].files()
    lines = segment.read_bytes().splitlines(keepends=True)
    fresh = segment.with_name("fresh")
    fresh.write_bytes(b"".join(lines[:-30]))
    fresh.replace(segment)
    assert {one.confirmations for one in other.list()} == {0}


tells = st.fixed_dictionaries(
    {},
    optional={
        "confirmations": st.none() | st.integers(1, 3),
        "carried": st.integers(1, 3),
        "updated": st.sampled_from(["2026-01-01", "2026-02-02"]),
        "source_span": st.none() | st.sampled_from(["u1", "u2"]),
    },
)


@given(st.lists(st.tuples(tells, st.integers(0, 5), st.sampled_from("ab")), max_size=6), st.randoms())
def test_any_order(changes, random):
    """Journals that arrive in any order, some of them twice, tell the same."""
    told = [
        Fact(str(number), datetime(2026, 1, 1, tzinfo=UTC), etag, str(back) if back < number else "", evidence)
        for number, (evidence, back, etag) in enumerate(changes, 1)
    ]
    shuffled = [*told, *told[:2]]
    random.shuffle(shuffled)
    assert folded(shuffled) == folded(told)


@pytest.mark.parametrize("undone", range(4))
def test_undone_evidence(undone):
    """What was undone does not count; what was undone and redone does."""
    chain = [Fact("1", datetime(2026, 1, 1, tzinfo=UTC), "", "", {"confirmations": 1})]
    for number in range(undone):
        chain.append(Fact(str(number + 2), datetime(2026, 1, 1, tzinfo=UTC), "", str(number + 1), {}))
    assert folded(chain).get("confirmations", 0) == (undone + 1) % 2


def test_evidence_stands_on_the_record(vault, root):
    """The record of a change carries what it adds, as JSON that other programs can read."""
    memory = _mined(vault)
    line = next(line for line in next(root.glob("_journal/laptop/*.md")).read_text().splitlines() if line.startswith("{"))
    evidence = json.loads(line)["changes"][0]["evidence"]
    assert evidence == dict(memory.evidence)
    assert evidence["source_span"] == "u3 to u4"
