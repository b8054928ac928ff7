"""What a person is shown of an answer: memories first, three of each, without what is clearly behind and what is said twice."""

import json
import re
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Hit, Left, Query, Recall
from vademecum.entrypoints.mcp import data
from vademecum.entrypoints.recall_text import (
    chosen,
    recall_text,
    scores_text,
    search_text,
    why_text,
)
from vademecum.inject.numbers import CLEARLY_BEHIND

NUMBERED = re.compile(r"^(\d+)\. ", re.MULTILINE)


def hit(source, title, text, score, **more):
    """One hit of a source."""
    kind = "fact" if source == "memory" else source
    item = Item(f"{source}://{title}", source, "personal", f"{title}.md", title, "", "", kind)
    return Hit(item, Passage(text), 1, score, **more)


def answer(*hits, text="Which port has the queue?", **more):
    """An answer with these hits."""
    return Recall(Query(text), hits, "found" if hits else "nothing known", confidence=0.9, threshold=0.5, **more)


def titles(result):
    """Title of a group -> titles of its hits."""
    return {title: [one.item.title for one in hits] for title, hits in chosen(result).groups.items()}


def test_memories_before_notes_before_conversations():
    """Whatever stands first in the answer: under their heads, each numbered on."""
    result = answer(
        hit("session", "chat", "It was 7.", 10), hit("document", "page", "Port 7.", 9), hit("memory", "own", "7", 8)
    )
    assert titles(result) == {"Memories": ["own"], "Notes": ["page"], "Conversations": ["chat"]}
    lines = recall_text(result).splitlines()
    assert [line for line in lines if line in ("Memories", "Notes", "Conversations")] == ["Memories", "Notes", "Conversations"]
    assert NUMBERED.findall(recall_text(result)) == ["1", "2", "3"]


def test_places_a_person_can_use():
    """A note is named by file, heading and line, a conversation by the command that shows it; no answer holds a bare address."""
    page, chat = hit("document", "page", "Port 7.", 9), hit("session", "cli/0a1b2c3d-4e5f", "It was 7.", 8)
    page = replace(page, passage=Passage("Port 7.", heading="page / Queue", ref="5"))
    told = recall_text(answer(page, chat))
    assert "   page.md, Queue, line 5" in told.splitlines()
    assert "   vade sessions show 0a1b2c3d-4e5f" in told.splitlines()
    why = why_text(answer(page, chat))
    assert "(note, page.md)" in why and "(conversation, 0a1b2c3d)" in why and "://" not in why


@pytest.mark.parametrize("source", ["memory", "document", "session"])
def test_three_of_each(source):
    """The fourth and later of a sort are counted; with a limit of one's own all of it is shown."""
    result = answer(*(hit(source, f"t{number}", f"text {number}", 9) for number in range(5)))
    assert [len(group) for group in chosen(result).groups.values()] == [3]
    assert "2 more, less likely: vade search" in recall_text(result)
    asked_for = replace(result, query=Query("Which?", limit=5))
    assert [len(group) for group in chosen(asked_for).groups.values()] == [5]


def test_clearly_behind_the_first():
    """What is far behind the best is not shown; what came along with a hit is."""
    best = hit("memory", "best", "one", 12)
    near, far = (hit("memory", name, name, 12 - CLEARLY_BEHIND + by) for name, by in (("near", 0.1), ("far", -0.1)))
    linked = hit("memory", "linked", "two", 0, via="related of memory://best")
    assert titles(answer(best, near, far, linked)) == {"Memories": ["best", "near", "linked"]}
    assert titles(answer(best, far, text="Which?")) == {"Memories": ["best"]}
    asked_for = replace(answer(best, near, far), query=Query("Which?", limit=3))
    assert titles(asked_for) == {"Memories": ["best", "near", "far"]}


def test_both_sides_of_a_conflict():
    """Of two memories that contradict each other the one that fits less well is shown as well."""
    sides = [hit("memory", name, name, score) for name, score in (("one", 12), ("other", 1))]
    sides = [replace(side, item=replace(side.item, status="disputed")) for side in sides]
    assert titles(answer(*sides)) == {"Memories": ["one", "other"]}
    far = replace(sides[1], item=replace(sides[1].item, key="memory://far", title="far"))
    assert titles(answer(hit("memory", "best", "best", 12), far)) == {"Memories": ["best"]}  # a conflict about something else
    doubted = hit("memory", "old", "old", 1, may_be_replaced_by="memory://one")
    assert titles(answer(hit("memory", "one", "one", 12), doubted)) == {"Memories": ["one", "old"]}


def test_best_memory_behind_a_conversation():
    """The best memory of an answer is shown however long a conversation or a note is about it; the second is not."""
    chat, page = hit("session", "chat", "a long talk", 12), hit("document", "page", "a long page", 20)
    first, second = (hit("memory", name, name, score) for name, score in (("first", 10), ("second", 9)))
    assert titles(answer(page, chat, first, second)) == {"Memories": ["first"], "Notes": ["page"]}


def test_same_line_once():
    """A line is shown once, by the memory that says it; a question that was asked before in these words is no answer."""
    result = answer(
        hit("session", "chat", "The queue has port  7.", 11),
        hit("session", "before", "which port has the queue", 11),
        hit("memory", "Queue", "The queue has port 7", 10),
    )
    assert titles(result) == {"Memories": ["Queue"]}
    assert recall_text(result).count("port 7") == 1


def test_plain_text():
    """What is shown of a note, in a terminal and in the lines of MCP, are its words: no links, emphasis or bars of tables."""
    text = "**Port** of [[Queue|the queue]]\n| 7070 | `a_b` |"
    result = answer(hit("document", "[[Page|A page]]", text, 9))
    for told in (recall_text(result), search_text(result)):
        assert "   Port of the queue 7070, a_b" in told.splitlines()
    rows = data.hits(replace(result, hits=result.hits * 4), (), datetime(2026, 1, 1, tzinfo=UTC))["hits"]
    assert rows[3]["title"] == "A page"
    assert rows[3]["text"] == "Port of the queue 7070, a_b"


def test_search_shows_all():
    """Search is the list of everything that came near, best first, with scores."""
    result = answer(*(hit("session", f"t{number}", f"text {number}", 9 - 3 * number) for number in range(5)))
    assert [line.split()[1] for line in search_text(result).splitlines() if NUMBERED.match(line)] == [f"t{n}" for n in range(5)]
    assert "  9.00" in search_text(result)


def test_why_in_five_lines():
    """What was asked, how sure it is, what was shown and why, what nearly was and why not, where the numbers are."""
    result = answer(
        hit("memory", "Queue", "The queue has port 7.", 12, signals={"words": 0.5, "meaning": 0.4}),
        hit("memory", "Lamp", "The lamp is green.", 1, signals={"meaning": 0.1}),
        left=(Left("memory://x", "Redis", "below the gate", 3.0), Left("session://y", "chat", "it asks or orders", 2.0)),
        trace="T1",
    )
    lines = why_text(result).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["Asked", "Confidence", "Shown", "Nearly", "All numbers"]
    assert 'Queue (fact, memory://Queue) has "port", "queue" and means nearly the same' in lines[2]
    assert (
        lines[3]
        == "Nearly: Redis (too far from the question); chat (it is a question or an instruction); Lamp (clearly behind the first)."
    )
    assert lines[4] == "All numbers: vade why T1 --scores"
    assert "Lamp" not in lines[2]
    assert "12.000" in scores_text(result) and "12.0" not in why_text(result)


def test_why_of_what_was_held_back():
    """What a start held back is explained as that, however well anything else was found; the search alone was not sure enough."""
    held_back = hit("memory", "Queue", "The queue has port 7.", 0, signals={"held back": 0.8})
    lines = why_text(answer(held_back)).splitlines()
    assert "not enough" in lines[1]
    assert lines[2] == "Shown: Queue (fact, memory://Queue) was held back at the start for a prompt that touches it."
    lines = why_text(answer(hit("memory", "Lamp", "The lamp is green.", 9), held_back)).splitlines()
    assert "which is enough" in lines[1] and "Queue" in lines[2]


def test_why_of_nothing():
    """Of a question without an answer it says that nothing was sure enough."""
    lines = why_text(answer(left=(Left("memory://x", "Redis", "below the gate", 3.0),))).splitlines()
    assert "not enough" in lines[1]
    assert lines[2:4] == ["Shown: nothing.", "Nearly: Redis (too far from the question)."]


def test_programs_get_every_hit(person, vade):
    """`--json` of recall and of why is the whole answer, with and without --scores."""
    for number in range(5):
        person("save", "fact", f"Port {number}", "--body", f"The queue number {number} listens on port 700{number}.")
    found = json.loads(vade("recall", "which port has the queue", "--json")[1])
    shown = vade("recall", "which port has the queue")[1]
    assert len(found["hits"]) == 5
    assert len(NUMBERED.findall(shown)) == 3
    for words in ([], ["--scores"]):
        story = json.loads(vade("why", found["trace"], *words, "--json")[1])
        assert [one["id"] for one in story["hits"]] == [one["id"] for one in found["hits"]]
        assert story["arms"]
    assert vade("why", found["trace"])[1].count("\n") == 5
    assert "arm        words" in vade("why", found["trace"], "--scores")[1]


def test_a_title_that_says_all_is_shown_once():
    """A memory whose text is its title is one line; the text of another one stands below its title."""
    result = answer(hit("memory", "The queue has port 7", "The queue has port 7.", 9), hit("memory", "Queue", "Port 8.", 8.5))
    text = recall_text(result)
    assert "   The queue has port 7." not in text and "   Port 8." in text
