"""From a question to ranked hits, over the index in plain Python."""

import threading
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from vademecum.adapters.clock import FixedClock
from vademecum.adapters.embedders.reference import Hashing
from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.errors import IndexDamaged
from vademecum.domain.feed import Use
from vademecum.domain.item import Edge, Item, Passage
from vademecum.domain.query import Query, Scope
from vademecum.recall.numbers import TEXT_KEPT_CHARS
from vademecum.recall.pipeline import Searcher
from vademecum.recall.rankers import rankers
from vademecum.recall.trace import read_story, write_story

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=200)


def item(key, *texts, source="memory", **fields):
    """An item whose passages are `texts`, or (speaker, text) pairs, one turn each."""
    said = [text if isinstance(text, tuple) else ("", text) for text in texts]
    passages = tuple(Passage(text, turn, speaker=speaker, ref=f"r{turn}") for turn, (speaker, text) in enumerate(said))
    values = {
        "key": f"{source}://{key}", "source": source, "space": "personal", "path": f"{key}.md", "title": key, "stat": "1:1",
        "digest": key, "kind": "fact" if source == "memory" else source, "created": NOW, "updated": NOW, "passages": passages,
    }  # fmt: skip
    return Item(**values | fields)


def plants(count=20):
    """Memories of other things, so that words are rare or common."""
    return [item(f"plant-{row}", f"The plant in row {row} needs water and light.") for row in range(count)]


class Chased(FixedClock):
    """A clock that jumps by a second whenever it is looked at."""

    def elapsed_s(self):
        self.advance(timedelta(seconds=1))
        return super().elapsed_s()


@pytest.fixture
def searcher():
    """Makes what recall works with, over the given items."""

    def made(*items, embedder=None, clock=None, uses=None, missing=()):
        index = SqliteIndex(IN_MEMORY)
        index.apply([*items, *plants()])
        if embedder:
            waiting = index.without_vectors(embedder.model_id, 1000)
            rows = embedder.embed([stored.passage.text for stored in waiting])
            index.add_vectors(embedder.model_id, [stored.number for stored in waiting], rows)
        counted = uses or {}
        clock = clock or FixedClock(NOW)
        return Searcher(index, clock, embedder, lambda keys: {k: counted[k] for k in keys if k in counted}, missing)

    return made


def keys(recall):
    return [hit.item.key.split("://")[1] for hit in recall.hits]


def ask(searcher, text, **more):
    return keys(searcher.recall(Query(text, **more)))


# ---------------------------------------------------------------- order


def test_scope_before_limits(searcher):
    """X-15: what is out of scope takes no place among the few that are ranked."""
    many = [item(f"document-{row}", "kettle kettle kettle", source="document") for row in range(300)]
    recall = searcher(*many, item("mine", "something about a kettle and other things")).recall(
        Query("kettle", Scope(sources=("memory",)), limit=1, gated=False)
    )
    assert keys(recall) == ["mine"]


def test_seen_is_not_repeated(searcher):
    """MV-17: what a session was told already is not told again."""
    kettle = item("kettle", "Descale the kettle with vinegar.")
    assert ask(searcher(kettle), "descale the kettle", seen=frozenset({kettle.key})) == []


def test_superseded_below(searcher):
    """SW-33: what gave way is still found, below its successor however well it fits."""
    old = item("old", "The shop is deployed on Fly, the shop host is Fly.", status="superseded")
    new = item("new", "The shop moved from Fly to a VPS.")
    recall = searcher(old, new).recall(Query("Is the shop on Fly?"))
    assert keys(recall) == ["new", "old"]
    assert recall.hits[1].boosts["superseded"] == pytest.approx(-2.303)


def test_inbox_penalty(searcher):
    """X-24: what waits in the inbox is searchable, behind what was approved."""
    waiting = item("waiting", "Descale the kettle with vinegar.", status="inbox")
    kept = item("kept", "Descale the kettle with lemons.")
    recall = searcher(waiting, kept).recall(Query("descale the kettle"))
    assert keys(recall) == ["kept", "waiting"]
    assert recall.hits[1].boosts["inbox"] < 0


def test_set_aside(searcher):
    """MV-21: resolved and archived memories are not told, unless somebody asks for them by status."""
    done = item("done", "Descale the kettle with vinegar.", status="resolved")
    away = item("away", "Descale the kettle with lemons.", status="archived")
    assert ask(searcher(done, away), "descale the kettle") == []
    assert ask(searcher(done, away), "descale the kettle", scope=Scope(statuses=("archived",))) == ["away"]


def test_importance_breaks_ties(searcher):
    """Of two that say the same the more important comes first; importance never outweighs what was asked for."""
    plain, grave = (item(key, f"Descale the kettle {word}.", importance=weight) for key, word, weight in [
        ("plain", "monthly", 0.2), ("grave", "weekly", 0.9)
    ])  # fmt: skip
    assert ask(searcher(plain, grave), "descale the kettle") == ["grave", "plain"]
    assert ask(searcher(plain, grave), "descale the kettle monthly")[0] == "plain"


def test_use_weighs(searcher):
    """X-13: of two that say the same the one that is used comes first."""
    one, other = item("one", "Descale the kettle monthly."), item("two", "Descale the kettle weekly.")
    used = {other.key: Use(used=20, last_used=NOW - timedelta(days=1))}
    assert ask(searcher(one, other, uses=used), "descale the kettle") == ["two", "one"]


def test_project_weighs(searcher):
    """X-43: of two that say the same, the one of the project at work comes first."""
    here, there = (item(name, "The database is PostgreSQL.", project=name) for name in ("shop", "blog"))
    texts = replace(there, passages=(Passage("The database is PostgreSQL 16.", 0),))
    assert ask(searcher(texts, here), "which database? PostgreSQL", project="shop")[0] == "shop"
    assert ask(searcher(texts, here), "which database? PostgreSQL", project="blog")[0] == "blog"


def test_period_weighs(searcher):
    """A named time lifts what was written then."""
    old = item("old", "We talked about the kettle and tea.", updated=NOW - timedelta(days=7))
    new = item("new", "We talked about the kettle and coffee.")
    asked = Query("what did we say about the kettle a week ago?", gated=False)
    recall = searcher(old, new).recall(asked)
    assert keys(recall)[0] == "old"
    assert "2026-02-2" in recall.terms["hints"][-1]


def test_memory_before_remark(searcher):
    """What the person keeps comes before a passing remark with the same words."""
    remark = item("talk", ("user", "Descale the kettle with vinegar."), source="session")
    kept = item("kept", "Descale the kettle with vinegar, monthly.")
    assert ask(searcher(remark, kept), "descale the kettle")[0] == "kept"


def test_repeating_turn(searcher):
    """A turn that only repeats a memory above it is left out, and the story says so."""
    kept = item("kept", "Descale the kettle with vinegar.")
    said = item("talk", ("user", "As I said: Descale the kettle with vinegar."), source="session")
    recall = searcher(kept, said).recall(Query("descale the kettle"))
    assert keys(recall) == ["kept"]
    assert [left.why for left in recall.left if left.key == said.key] == ["what is shown already says the same"]


def test_left_out_once(searcher):
    """What is left out of one conversation for one reason is one line of the story, not one for each turn."""
    kept = item("kept", "Descale the kettle with vinegar.")
    said = item("talk", *(("user", f"As I said: Descale the kettle with vinegar. {n}") for n in range(5)), source="session")
    recall = searcher(kept, said).recall(Query("descale the kettle"))
    assert len([left for left in recall.left if left.key == said.key]) == len({left.why for left in recall.left})


# ---------------------------------------------------------------- links


def test_linked_come_along(searcher):
    """SW-31: memories linked with the answer follow it, one hop, three at most, each named by its relation."""
    others = [
        item(f"linked-{row}", f"Entirely different subject {row}.", edges=(Edge("related", f"far-{row}"),)) for row in range(5)
    ]
    far = [item(f"far-{row}", f"Something still further {row}.") for row in range(5)]
    kettle = item("kettle", "Descale the kettle.", edges=tuple(Edge("related", f"linked-{row}") for row in range(5)))
    recall = searcher(kettle, *others, *far).recall(Query("descale the kettle"))
    assert keys(recall)[0] == "kettle"
    assert len(recall.hits) == 4
    assert all(key.startswith("linked-") for key in keys(recall)[1:])
    assert "related of memory://kettle" in recall.hits[1].boosts
    assert [arm.found for arm in recall.arms if arm.name == "links"] == [3]


def test_linked_in_scope(searcher):
    """X-16: a link leads neither out of the scope nor to what is set aside or known already."""
    targets = {
        "agent": {"agent": "reviewer"}, "superseded": {"status": "superseded"}, "project": {"project": "blog"}, "known": {},
    }  # fmt: skip
    others = [item(name, f"Different subject {name}.", **fields) for name, fields in targets.items()]
    kettle = item("kettle", "Descale the kettle.", edges=tuple(Edge("related", name) for name in targets))
    scope = Scope(agents=("",), projects=("shop",), without=frozenset({"memory://known"}))
    assert ask(searcher(kettle, *others), "descale the kettle", scope=scope) == ["kettle"]


# ---------------------------------------------------------------- arms


def test_arms_report(searcher):
    """Each arm says what it did, or why it did not."""
    arms = searcher(embedder=Hashing()).recall(Query("plant in row 3")).arms
    assert [(arm.name, arm.state, arm.found > 0) for arm in arms[:2]] == [
        ("words", "ran", True), ("meaning (hashing-64@1)", "ran", True),
    ]  # fmt: skip
    skipped = searcher(missing=("meaning: no embedder",)).recall(Query("plant in row 3"))
    assert [(arm.name, arm.state, arm.why) for arm in skipped.arms][1] == ("meaning", "skipped", "no vectors to compare with")
    assert skipped.missing == ("meaning: no embedder",)


def test_deadline(searcher):
    """X-33: past its deadline a recall answers with what it has, and names the arm that it left out."""

    class Dear(Hashing):
        def embed(self, texts, *, role="passage"):
            assert role == "passage", "the question was embedded although the time was up"
            return super().embed(texts)

    late = searcher(item("kettle", "Descale the kettle."), embedder=Dear(), clock=Chased(NOW))
    recall = late.recall(Query("descale the kettle", deadline_s=0.5))
    assert keys(recall) == ["kettle"]
    skipped = [(arm.name, arm.why) for arm in recall.arms if arm.state == "skipped"]
    assert skipped == [("meaning", "the deadline had passed"), ("links", "the deadline had passed")]


def test_no_words(searcher):
    """A question without a word is answered with nothing, not with anything."""
    recall = searcher().recall(Query("?!"))
    assert (recall.verdict, recall.arms[0].why) == ("nothing known", "the question holds no word")


def test_damaged(searcher):
    """X-51: from an index that cannot be trusted nothing is answered, and that is not the same as nothing known."""
    broken = searcher()

    class Damaged(SqliteIndex):
        def stats(self):
            raise IndexDamaged("The index is damaged.", "Build it again with: vade rebuild")

    recall = replace(broken, index=Damaged(IN_MEMORY)).recall(Query("kettle"))
    assert recall.verdict == "could not search"
    assert recall.missing == ("The index is damaged. Build it again with: vade rebuild",)


def test_while_vectors_are_made(searcher):
    """A passage without a vector is found by its words, and loses to none that has one; the answer says how many wait."""
    late = "The bicycle has carbon wheels."
    half = searcher(item("kettle", "Descale the kettle."), embedder=Hashing())
    half.index.apply([item("late", late), item("later", "The bell of the bicycle is loud.")])
    number = next(one.number for one in half.index.without_vectors(Hashing.model_id, 9) if one.item.endswith("later"))
    half.index.add_vectors(Hashing.model_id, [number], Hashing().embed([late]))  # nearest of all, by a vector
    recall = half.recall(Query("bicycle carbon wheels"))
    assert keys(recall)[0] == "late"
    assert recall.missing == (
        "the vectors of 1 passages: the helper makes them in the background, vade sync at once; until then words find them",
    )


# ---------------------------------------------------------------- evidence


def test_neighbours(searcher):
    """An answer that follows the turn with the question's words is found next to it."""
    talk = item(
        "talk", ("Ana", "What is the name of your parrot?"), ("Rui", "Quetzal."), ("Ana", "Nice weather."), source="session"
    )
    recall = searcher(talk).recall(Query("name of the parrot", gated=False))
    assert [hit.passage.text for hit in recall.hits[:2]] == ["What is the name of your parrot?", "Quetzal."]


def test_long_prompt_and_whole_conversations(searcher):
    """No turn covers a long prompt, but a conversation about all of it opens the gate; one that shares a sentence with it does not."""
    prompt = (
        "I would like to plan the weekend in the mountains now. The train leaves early, the hut has no oven, my sister brings the tent, "
        "the dog gets a blanket, the boots are still wet, and the weather report promises snow. Please list what everybody brings."
    )
    said = (
        ("user", "The train to the mountains leaves at seven in the morning."),
        ("assistant", "Noted."),
        ("user", "The hut has a stove and no oven."),
        ("assistant", "Then we cook soup."),
        ("user", "My sister brings her tent and two lamps."),
        ("assistant", "Good."),
        ("user", "The dog sleeps on the red blanket."),
        ("assistant", "Sweet dog."),
        ("user", "The boots were wet after the last walk."),
        ("assistant", "Dry them."),
        ("user", "The weather report promises snow for the weekend."),
    )
    others = [item(f"plumber-{row}", ("user", f"Invoice {row} of the plumber is paid."), source="session") for row in range(40)]
    assert "mountains" in ask(searcher(item("mountains", *said, source="session"), *others), prompt)
    assert ask(searcher(item("mountains", said[-1], source="session"), *others), prompt) == []


def test_speaker(searcher):
    """A question about somebody is answered with what they said themselves."""
    words = "My favourite tea is green tea from the mountains."
    talk = item("one", ("Ana", words), source="session")
    other = item("two", ("Rui", words + " Really."), source="session")
    assert ask(searcher(talk, other), "What is Rui's favourite tea?")[0] == "two"
    assert ask(searcher(talk, other), "What is Ana's favourite tea?")[0] == "one"


def test_person_before_agent(searcher):
    """What the person said weighs more than what the agent said, unless the question is about the agent's words."""
    text = "The deploy runs at noon on the small server"
    talk = item(
        "talk",
        ("assistant", text + "."),
        ("x", "Unrelated."),
        ("x", "Nothing."),
        ("x", "More."),
        ("user", text + "!"),
        source="session",
    )
    first = searcher(talk).recall(Query("when does my deploy run?", gated=False)).hits[0]
    assert first.passage.speaker == "user"


def test_time_asked(searcher):
    """Asked when, a turn that names a time is preferred."""
    undated = item("one", ("Ana", "We moved the office to Porto with everyone."), source="session")
    dated = item("two", ("Ana", "We moved the office to Porto last May 2019."), source="session")
    assert ask(searcher(undated, dated), "When did Ana move the office to Porto?")[0] == "two"


def test_roll_up(searcher):
    """Whole conversations are ranked beside their turns, best first."""
    talk = item("talk", ("Ana", "The parrot is called Quetzal."), ("Rui", "And the canary Zephyr."), source="session")
    recall = searcher(talk, item("kettle", "Descale the kettle.")).recall(Query("parrot Quetzal", gated=False))
    assert recall.items[0][0] == talk.key
    assert [score for _, score in recall.items] == sorted((score for _, score in recall.items), reverse=True)


def test_stable_order(searcher):
    """The same question has the same answer, ties included."""
    twins = [item(f"twin-{row}", f"Descale the kettle, number {row}.") for row in range(6)]
    first, again = (searcher(*twins).recall(Query("descale the kettle", gated=False)) for _ in range(2))
    assert [(hit.item.key, hit.score) for hit in first.hits] == [(hit.item.key, hit.score) for hit in again.hits]


# ---------------------------------------------------------------- the story


def test_story_round_trip(searcher):
    """What `why` tells is what happened, long texts cut."""
    long = item("kettle", "Descale the kettle. " + "x" * 2 * TEXT_KEPT_CHARS)
    recall = searcher(long, embedder=Hashing()).recall(Query("descale the kettle", limit=1, gated=False))
    told = read_story(write_story(recall))
    assert (told.arms, told.left, told.verdict, told.confidence) == (
        recall.arms,
        recall.left,
        recall.verdict,
        recall.confidence,
    )
    assert (told.hits[0].score, told.hits[0].signals, told.hits[0].boosts) == (
        recall.hits[0].score, recall.hits[0].signals, recall.hits[0].boosts,
    )  # fmt: skip
    assert len(told.hits[0].passage.text) == TEXT_KEPT_CHARS
    assert read_story(write_story(told)) == told


def test_left_out_is_told(searcher):
    """Below the gate nothing is said, and the story names what came nearest."""
    recall = searcher().recall(Query("plant chess tournament opening theory of the grandmasters"))
    assert (recall.verdict, recall.hits) == ("nothing known", ())
    assert {left.why for left in recall.left} == {"below the gate"}
    assert recall.confidence < recall.threshold


# ---------------------------------------------------------------- any question


@pytest.fixture(scope="module")
def anything():
    index = SqliteIndex(IN_MEMORY)
    index.apply(
        [*plants(5), item("talk", ("Ana", "The parrot is called Quetzal."), ("Rui", "数据库 と やかん"), source="session")]
    )
    embedder = Hashing()
    waiting = index.without_vectors(embedder.model_id, 100)
    index.add_vectors(embedder.model_id, [one.number for one in waiting], embedder.embed([one.passage.text for one in waiting]))
    return Searcher(index, FixedClock(NOW), embedder, lambda _: {})


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.text(st.characters(), max_size=80), st.sampled_from(sorted(rankers())), st.booleans())
def test_any_question(anything, text, profile, gated):
    """X-49: no text makes recall fail, half characters, quotes and operators of search languages included."""
    recall = anything.recall(Query(text, profile=profile, gated=gated))
    assert recall.verdict in ("found", "nothing known")
    assert read_story(write_story(recall)).verdict == recall.verdict


@pytest.mark.parametrize("profile", sorted(rankers()))
def test_an_accent_alone(anything, profile):
    """X-49: an accent that stands alone, which the tokenizer calls a word, is none."""
    assert anything.index.terms("´ \u0301", frozenset()) == ()
    assert anything.recall(Query("´", profile=profile)).verdict in ("found", "nothing known")
    assert [term.word for term in anything.index.terms("parrot ´", frozenset())] == ["parrot"]


@pytest.mark.parametrize("text", [
    "parrot " * 100_000, "x" * 500_000, "```\n" * 50_000, '"' * 100_000, "AND OR NOT NEAR(" * 5_000, "\ud800" * 1000,
])  # fmt: skip
def test_huge_prompts(anything, text):
    """X-33: a prompt with a pasted file in it is a question like any other."""
    assert anything.recall(Query(text)).verdict in ("found", "nothing known")


class _AfterTheWords(Hashing):
    """A model that takes until what the words found was read."""

    def __init__(self, read):
        super().__init__()
        self._read = read

    def embed(self, texts, *, role="passage"):
        if role == "query":
            assert self._read.wait(30)
        return super().embed(texts, role=role)


class _Watched(SqliteIndex):
    """Says when surroundings are read."""

    def __init__(self, read):
        super().__init__(IN_MEMORY)
        self._read = read

    def window(self, turns, reach):
        self._read.set()
        return super().window(turns, reach)


def test_answer_is_the_same_however_long_the_model_takes():
    """What is read while the model computes is judged as what is read afterwards: who speaks all alone stays alone."""
    answers = []
    for late in (True, False):
        read = threading.Event()
        embedder = _AfterTheWords(read) if late else Hashing()
        index = _Watched(read)
        said = [
            ("Ann", f"The {word} stood on the quay all day.") for word in ("kettle", "crane", "barge", "winch", "lamp", "rope")
        ]
        index.apply([item(f"talk-{row}", *said[row:], *said[:row], source="session") for row in range(6)])
        rows = index.without_vectors(embedder.model_id, 99)
        index.add_vectors(embedder.model_id, [row.number for row in rows], embedder.embed([row.passage.text for row in rows]))
        searcher = Searcher(index, FixedClock(NOW), embedder, lambda _: {})
        if not late:
            searcher.questions.ask = lambda model, text: _there(model.embed([text], role="query")[0])
        found = searcher.recall(Query("Where did the kettle stand?", gated=False, limit=6))
        answers.append([(hit.item.key, hit.passage.text, hit.score, hit.signals) for hit in found.hits])
    assert answers[0] == answers[1] and len(answers[0]) > 1


def _there(row):
    answer = Future()
    answer.set_result(row)
    return answer
