"""Names in a script without spaces, where no capital tells them."""

from datetime import UTC, datetime

import pytest

from vademecum.domain.query import Query
from vademecum.recall.confidence import unmet_names
from vademecum.recall.features import longest_unmet
from vademecum.recall.numbers import NAMES, UNMET_MOST
from vademecum.recall.query_parsing import shape

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def _pairs(text):
    return {text[at : at + 2] for at in range(len(text) - 1)}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("周明远是做什么的？", {"明远"}),
        ("我想知道，林晓燕在哪里上班", {"晓燕"}),
        ("何雨桐和高子涵谁更高？", {"雨桐", "子涵"}),
        ("高楼大厦很多吗？", set()),
        ("今天下午开会吗？", set()),
    ],
)
def test_persons_are_named(question, names):
    """A family name and two signs, apart from the words around them, are a person's name; other words that begin so are none."""
    assert shape(question, NOW).names == names


def test_longest_row():
    """Pairs of signs that nobody wrote count while they stand in a row; signs that join words divide them."""
    assert longest_unmet("陶艺展览周的票价", _pairs("陶艺展览周")) == 4
    assert longest_unmet("陶艺的展览", _pairs("陶艺") | _pairs("展览")) == 1
    assert longest_unmet("陶艺展览周的票价", set()) == 0


def test_one_of_two_questions_is_known():
    """Of two questions in one prompt the one that the memory can speak of counts."""
    assert longest_unmet("陶艺展览周的票价是什么？另外，我的电话是多少？", _pairs("陶艺展览周")) == 0


def test_talk_before_the_question():
    """What is only talked of before a long question is no name that is asked for."""
    talk = "昨天逛了一下午街，买了好多零食和饮料，还碰到了老同学，聊得特别开心，一转眼就到了晚上，回家路上还下雨了，真是难忘的一天。"
    assert longest_unmet(f"{talk}我的手机放在客厅？", _pairs(talk)) == 0


@pytest.mark.parametrize("question", ["Which port does the kettle use?", "", "?"])
def test_scripts_with_spaces(question):
    """In a script with spaces there is no such row."""
    assert longest_unmet(question, _pairs(question)) == 0


def test_weight_is_bounded():
    """A short row weighs nothing, and a long one no more than its most: other words may have been used for the same thing."""
    assert unmet_names(2) == 0
    assert unmet_names(3) > 0
    assert unmet_names(30) * NAMES == pytest.approx(UNMET_MOST)


@pytest.fixture
def memory_of_a_day(memory, clock):
    for title, body in (
        ("茶艺比赛", "茶艺比赛的地点在图书馆，持续时间是三天。"),
        ("读书会", "读书会的地点在咖啡店，时间是周六上午。"),
    ):
        memory.notes.save(kind="fact", title=title, body=body)
    return memory


def test_another_event(memory_of_a_day):
    """A question for the place of an event that nobody spoke of gets nothing, though every day speaks of places."""
    ask = memory_of_a_day.recall.ask
    assert ask(Query("茶艺比赛的地点在哪里？")).hits
    assert not ask(Query("机器人编程训练营的地点在哪里？")).hits
