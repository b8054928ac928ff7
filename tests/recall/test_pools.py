"""Memories, notes and what was said are searched and judged apart."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from vademecum.adapters.clock import FixedClock
from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Query, Scope
from vademecum.recall.pipeline import Searcher

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)

MEMORIES = (
    "I live in Porto with my partner Ana",
    "The broker must never be restarted during a compaction",
    "Invoices are sent on the first Monday of the month",
    "My sister Clara studies marine biology in Bergen",
)


def item(source, key, *texts):
    passages = tuple(Passage(text, turn, ref=str(turn)) for turn, text in enumerate(texts))
    return Item(
        f"{source}://{key}", source, "personal", f"{key}.md", key, "1:1", key, "fact" if source == "memory" else source,
        created=NOW, updated=NOW, passages=passages,
    )  # fmt: skip


def notes(count):
    """Return notes in which the word of a question is common, and which hold more of it than the memory."""
    return [
        item("document", f"note-{number}", f"Live preview of page {number}: the live view shows where to live edit, live.")
        for number in range(count)
    ]


def talk(count):
    """Return old conversations about living somewhere."""
    return [item("session", f"talk-{number}", f"We live in house {number}", "Where do you live?") for number in range(count)]


@pytest.fixture
def ask():
    """Ask memories beside other things; return the answer."""

    def asked(text, *others, **more):
        index = SqliteIndex(IN_MEMORY)
        index.apply([*(item("memory", str(number), text) for number, text in enumerate(MEMORIES)), *others])
        searcher = Searcher(index, FixedClock(NOW), None, lambda _: {})
        return searcher.recall(Query(text, **more))

    return asked


def memories_of(recall):
    return [hit.item.key for hit in recall.hits if hit.item.source == "memory"]


@pytest.mark.parametrize("others", [notes(173), talk(60), notes(150) + talk(60)])
def test_notes_hide_no_memory(ask, others):
    """D1: what a memory alone answers, it answers beside notes and old conversations full of the same word."""
    alone = memories_of(ask("where do I live"))
    assert alone == ["memory://0"]
    assert memories_of(ask("where do I live", *others)) == alone


def test_sure_memories_keep_their_place(ask):
    """However many notes say more of the words, a memory that is sure by itself is among what is told."""
    diary = [
        item("document", f"day-{number}", f"Day {number}: my partner Ana asks where I live: in Porto") for number in range(4)
    ]
    found = ask("where in Porto do I live with my partner Ana, day by day", *diary, limit=3)
    assert "memory://0" in memories_of(found) and len(found.hits) == 3


def test_nearest_is_a_memory(ask):
    """What is named when nothing is told begins with the memory that comes nearest."""
    found = ask("is the live stream of the opera house any good on Sunday evenings in Vienna", *notes(40))
    assert not found.hits
    assert found.left[0].key == "memory://0"


def test_scope_decides_the_pools(ask):
    """A question to notes alone is answered by notes alone."""
    found = ask("live preview of page", *notes(3), *talk(3), scope=Scope(sources=("document",)))
    assert {hit.item.source for hit in found.hits} == {"document"}


def held_at(key, day, *texts):
    """Return a conversation that was held on a day of January."""
    when = datetime(2025, 1, day, 9, tzinfo=UTC)
    return replace(item("session", key, *texts), created=when, updated=when)


def test_who_goes_on_with_work_finds_the_last_conversation_about_it_first(ask):
    """A prompt that states something goes on with what was talked of last, even a year ago; a question asks for any time."""
    said = "The garden fence gets a second coat of green paint"
    talks = [held_at("a-early", 1, said), held_at("b-late", 30, said + " now")]
    going_on = ask("Good, the garden fence is dry. I am ready for the green paint.", *talks, gated=False)
    asking = ask("Which paint does the garden fence get?", *talks, gated=False)
    assert [key for key, _ in going_on.items if key.startswith("session:")] == ["session://b-late", "session://a-early"]
    assert [key for key, _ in asking.items if key.startswith("session:")] == ["session://a-early", "session://b-late"]


def test_notes_answer_only_who_asks(ask):
    """A note answers a question, and is told nobody who orders something for the moment; what the person keeps is."""
    note = item("document", "press", "The harbour leaflet is printed on the green press.")
    order = "print the harbour leaflet on the green press please"
    assert not ask(order, note, unasked=True).hits
    assert ask("which press is the harbour leaflet printed on?", note, unasked=True).hits[0].item.key == "document://press"
    assert ask(order, note).hits, "who searches finds it by any words"
    kept = item("memory", "press", "The harbour leaflet is printed on the green press.")
    assert memories_of(ask(order, kept, unasked=True)) == ["memory://press"]
