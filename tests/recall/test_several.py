"""A prompt of several questions is answered question by question."""

from datetime import UTC, datetime

import pytest

from vademecum.adapters.clock import FixedClock
from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Query
from vademecum.recall.pipeline import Searcher
from vademecum.recall.query_parsing import questions_in

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
MEMORIES = (
    "泳姿艺术盛宴的地点是广州",
    "泳姿艺术盛宴的时间是下周一下午两点",
    "泳姿艺术盛宴的规模是三千人",
    "泳姿艺术盛宴的主要内容是展示泳姿",
    "婶婶的邮箱是 wang@example.org",
)


@pytest.fixture
def ask():
    """Ask a few memories by their words; return the texts that are told, best first."""

    def asked(text, limit=2):
        index = SqliteIndex(IN_MEMORY)
        index.apply(
            [
                Item(f"memory://{number}", "memory", "personal", f"{number}.md", str(number), "1:1", text, "fact", created=NOW,
                     updated=NOW, passages=(Passage(text, 0, ref="0"),))
                for number, text in enumerate(MEMORIES)
            ]
        )  # fmt: skip
        found = Searcher(index, FixedClock(NOW), None, lambda _: {}).recall(Query(text, limit=limit))
        return [hit.passage.text for hit in found.hits]

    return asked


def test_a_short_question_beside_a_longer_one_is_answered(ask):
    """What asks with few words is told among the first, though the other question shares words with most of what is kept."""
    told = ask("婶婶的邮箱地址是多少来着？另外，泳姿艺术盛宴的地点是什么？")
    assert {MEMORIES[0], MEMORIES[4]} <= set(told)


def test_what_several_questions_find_is_told_once(ask):
    """Two questions about one thing tell it once."""
    told = ask("泳姿艺术盛宴的地点是什么？泳姿艺术盛宴在哪个地点？", limit=5)
    assert len(told) == len(set(told))
    assert MEMORIES[0] in told


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Where does Clara live? And when are invoices sent?", 2),
        ("Where does Clara live?", 0),
        ("I moved to Bonn. Where does Clara live? When are invoices sent?", 0),
        ("Where does Clara live? Thank you.", 0),
        ("A lion? A tiger? A bear? A horse?", 0),
    ],
)
def test_only_a_prompt_of_nothing_but_questions_is_taken_apart(text, asked):
    """What is stated beside questions belongs to all of them, and many questions are one list."""
    assert len(questions_in(text)) == asked
