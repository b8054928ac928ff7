"""What every index must do. A store's whole test is a subclass with a fixture `index`."""

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import Edge, Fingerprint, Item, Passage, Touch
from vademecum.domain.query import Scope

MODEL = "toy@1"
MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
DAY = timedelta(days=1)
EVERYTHING = Scope(statuses=None)
STOP = frozenset({"the", "is", "of", "a"})


def note(key="one", *texts, source="document", **fields):
    """A note whose passages hold `texts`, one turn each."""
    passages = tuple(Passage(text, turn, ref=str(turn)) for turn, text in enumerate(texts))
    values = {
        "key": f"{source}://{key}", "source": source, "space": "personal", "path": f"{key}.md", "title": key,
        "stat": "1:1", "digest": key, "kind": "document", "passages": passages,
    }  # fmt: skip
    return Item(**values | fields)


def find(index, question, scope=EVERYTHING, limit=10, budget=10**6):
    """Texts of the passages that the word index finds, best first."""
    hits = index.words(index.terms(question, STOP), scope, limit, budget=budget)
    stored = index.passages([hit.number for hit in hits])
    return [stored[hit.number].passage.text for hit in hits]


def numbers(index, key):
    return [stored.number for stored in index.passages_of(key)]


def rows(*angles):
    """Unit vectors of 64 numbers; the cosine of two is that of their angles' difference."""
    found = np.zeros((len(angles), 64), np.float32)
    found[:, 0], found[:, 1] = np.cos(angles), np.sin(angles)
    return found


def everything(index):
    """All that an index would answer with, as far as it can be compared with another index."""
    known = sorted(index.fingerprints().items())
    keys = [key for key, _ in known]
    return {
        "fingerprints": known,
        "items": index.items(keys),
        "passages": {key: [(p.ordinal, p.passage) for p in index.passages_of(key)] for key in keys},
        "edges": index.edges(keys),
        "selected": index.select(EVERYTHING, limit=100),
        "stats": (index.stats().passages, round(index.stats().mean_stems, 6)),
    }


class IndexConformance:
    """Inherit, and give a fixture `index` that is empty."""

    # ---------------------------------------------------------------- records

    def test_empty_answers(self, index):
        """An index without anything answers every question with nothing, and is healthy."""
        assert find(index, "kettle") == []
        assert index.near(rows(0)[0], MODEL, Scope(), 5) == ()
        assert index.select(Scope()) == ()
        assert index.stats().passages == 0 and index.stats().mean_stems == 0
        assert len(index.window([("document://none", 0)], 2).numbers) == 0 == len(index.window([], 2).codes)
        assert index.edges(["document://none"]) == {}
        assert index.health(deep=True).damage == ""

    def test_items_round_trip(self, index):
        """Every field of an item comes back as it was given, its passages apart."""
        item = note(
            "full", "text", source="memory", status="inbox", facet="coe", summary="s", tags=("a", "B/c"), topics=("t",),
            aliases=("other",), project="p", agent="x", profile="w", host="h", visibility="public", trust="agent",
            confidence="high", importance=0.25, confirmations=3, always_load=True, priority=7, pin=True, origin="https://x",
            created=MONDAY, updated=MONDAY + DAY, valid_from=MONDAY, valid_until=MONDAY + 9 * DAY, last_confirmed=MONDAY,
            edges=(Edge("related", "one"),),
        )  # fmt: skip
        index.apply([item])
        assert index.items([item.key, "document://none"]) == {item.key: replace(item, passages=(), edges=())}
        assert index.fingerprints() == {item.key: Fingerprint("personal", "full.md", "1:1", "full")}

    def test_passages_round_trip(self, index):
        """A passage comes back with its words, place, speaker and time."""
        said = (
            Passage("first", 0, speaker="Ann", ref="t1", time=MONDAY),
            Passage("long, part one", 1, heading="Setup / Linux", ref="t2"),
            Passage("long, part two", 1, heading="Setup / Linux", ref="t2"),
            Passage("last", 2, ref="t3", time=MONDAY + DAY),
        )
        item = note("talk", source="session", passages=said)
        index.apply([item])
        stored = index.passages_of(item.key)
        assert [one.passage for one in stored] == list(said)
        assert [one.ordinal for one in stored] == [0, 1, 2, 3]
        assert [one.passage.text for one in index.passages_of(item.key, 1, 3)] == ["long, part one", "long, part two"]
        assert index.passages([stored[2].number, 999]) == {stored[2].number: stored[2]}

    def test_spaces_apart(self, index):
        """Fingerprints can be asked for one space, and for keys that begin alike."""
        index.apply([note("one", "x"), note("two", "y", space="work")])
        assert list(index.fingerprints("work")) == ["document://two"]
        assert sorted(index.fingerprints(begins="document://")) == ["document://one", "document://two"]
        assert list(index.fingerprints(begins="document://o")) == ["document://one"]
        assert index.fingerprints("work", begins="document://o") == index.fingerprints(begins="memory://") == {}

    def test_dropped_items(self, index):
        """What is dropped leaves every answer; a key nobody knows is no error; a key both put and dropped stands."""
        index.apply([note("one", "kettle"), note("two", "kettle")])
        gone = numbers(index, "document://one")
        index.apply([note("two", "teapot")], ["document://one", "document://two", "document://none"])
        assert find(index, "kettle") == []
        assert find(index, "teapot") == ["teapot"]
        assert index.passages(gone) == {}
        assert list(index.fingerprints()) == ["document://two"]

    def test_numbers_stay(self, index):
        """X-50: a passage that did not change keeps its number when text is put before it or it is moved."""
        index.apply([note("one", "alpha", "beta", "gamma")])
        before = numbers(index, "document://one")
        index.apply([note("one", "new", "beta", "gamma", "alpha")])
        after = numbers(index, "document://one")
        assert after[1:] == [before[1], before[2], before[0]]
        assert after[0] not in before

    def test_repeated_passages(self, index):
        """Equal passages of one item stay apart, each with a number of its own."""
        index.apply([note("one", "same", "same")])
        before = numbers(index, "document://one")
        index.apply([note("one", "same", "same", "same")])
        assert numbers(index, "document://one")[:2] == before
        assert len(set(numbers(index, "document://one"))) == 3

    def test_numbers_never_return(self, index):
        """X-50: the number of a passage that is gone is never given to another."""
        index.apply([note("one", "alpha")])
        old = numbers(index, "document://one")
        index.apply([], ["document://one"])
        index.apply([note("one", "alpha"), note("two", "beta")])
        assert not set(old) & set(numbers(index, "document://one") + numbers(index, "document://two"))

    def test_renamed_note(self, index):
        """A note that comes back under a new name in the same call keeps its numbers and vectors."""
        index.apply([note("old", "alpha", "beta")])
        before = numbers(index, "document://old")
        index.add_vectors(MODEL, before, rows(0, 1))
        index.apply([note("new", "alpha", "beta")], ["document://old"])
        assert numbers(index, "document://new") == before
        assert index.without_vectors(MODEL, 9) == ()
        assert list(index.fingerprints()) == ["document://new"]

    def test_turns_out_of_order(self, index):
        """Turns that go back are a mistake of the caller, and nothing of the call is kept."""
        with pytest.raises(InvalidInput):
            index.apply([note("good", "x"), note("bad", passages=(Passage("a", 1), Passage("b", 0)))])
        assert index.fingerprints() == {}

    def test_grown_session(self, index):
        """X-10: new turns go behind those that stand, which keep their numbers; the rest of the item is the new one's."""
        index.apply([note("talk", "hello", "there", source="session")])
        before = numbers(index, "session://talk")
        index.extend(note("talk", "again", "friend", source="session", digest="grown"))
        after = index.passages_of("session://talk")
        assert [one.number for one in after][:2] == before
        assert [(one.passage.text, one.passage.turn, one.ordinal) for one in after][2:] == [("again", 2, 2), ("friend", 3, 3)]
        assert index.fingerprints()["session://talk"].digest == "grown"
        assert find(index, "friend") == ["friend"]

    def test_growing_equals_writing(self, index):
        """A session extended turn by turn is the session written at once; writing it again changes nothing."""
        whole = note("talk", "one", "two", "three", source="session")
        for start, text in enumerate(("one", "two", "three")):
            index.extend(replace(whole, passages=(Passage(text, 0, ref=str(start)),)))
        before = (everything(index), numbers(index, whole.key))
        index.apply([whole])
        assert (everything(index), numbers(index, whole.key)) == before

    def test_bad_text(self, index):
        """X-49: a character that UTF-8 cannot hold is replaced, and the next write works."""
        index.apply([note("bad", "before \ud800 after", title="t\udfff", tags=("x\ud83d",), edges=(Edge("links", "\udc00"),))])
        index.apply([note("good", "fine \x00 text \ufeff")])
        assert find(index, "before") == ["before \ufffd after"]
        assert index.items(["document://bad"])["document://bad"].title == "t\ufffd"
        assert find(index, "fine") == ["fine \x00 text \ufeff"]

    def test_topics_scope(self, index):
        """Items can be asked for by topic, whatever the case; any of several fits."""
        index.apply([note("one", "a", topics=("Garden", "tools")), note("two", "b", topics=("house",)), note("three", "c")])
        for topics, keys in (((), []), (("garden",), ["one"]), (("GARDEN", "House"), ["one", "two"]), (("tool",), [])):
            scope = Scope(statuses=None, topics=topics)
            assert [item.key.split("://")[1] for item in index.select(scope)] == sorted(keys), topics
            assert len(index.words(index.terms("a b c", frozenset()), scope, 9, budget=99)) == len(keys)

    def test_last_confirmed(self, index):
        """What was confirmed last comes first; what never was counts from its creation."""
        fresh, old = (
            note("old", "a", created=MONDAY, last_confirmed=MONDAY + 5 * DAY),
            note("new", "b", created=MONDAY + 3 * DAY),
        )
        index.apply([note("never", "c"), old, fresh, note("sure", "d", created=MONDAY, last_confirmed=MONDAY + 9 * DAY)])
        found = index.select(EVERYTHING, order="confirmed", limit=3)
        assert [item.title for item in found] == ["sure", "old", "new"]

    def test_pages(self, index):
        """Pages of any size, each going on behind the last item of the one before, give everything once and in order."""
        index.apply([note(str(number), "a", updated=MONDAY + number // 3 * DAY) for number in range(10)])
        index.apply([note("timeless", "a"), note("without time", "b")])
        whole = [item.key for item in index.select(EVERYTHING)]
        assert len(whole) == 12
        for size in (1, 2, 5):
            seen, after = [], None
            while page := index.select(EVERYTHING, limit=size, after=after):
                seen += [item.key for item in page if item.updated]
                if page[-1].updated is None:
                    break  # what has no time is shown on the last page
                after = page[-1].updated, page[-1].key
            assert seen == [key for key in whole if "time" not in key], size

    def test_pages_of_what_is_gone(self, index):
        """Where a page begins does not depend on whether the last item of the one before still stands."""
        index.apply([note(str(number), "a", updated=MONDAY + number * DAY) for number in range(5)])
        last = index.select(EVERYTHING, limit=2)[-1]
        index.apply([], [last.key])
        following = index.select(EVERYTHING, limit=2, after=(last.updated, last.key))
        assert [item.title for item in following] == ["2", "1"]

    # ---------------------------------------------------------------- topics

    def test_topics(self, index):
        """VO-11: a topic has its items counted and the mean of their vectors; topics with most items come first."""
        index.apply([
            note("one", "a", "b", topics=("Garden",)), note("two", "c", topics=("garden", "House")), note("three", "d"),
        ])  # fmt: skip
        for key, angles in (("one", (0, 0.2)), ("two", (0.4,)), ("three", (2,))):
            index.add_vectors(MODEL, numbers(index, f"document://{key}"), rows(*angles))
        garden, house = index.topics(EVERYTHING, MODEL)
        assert (garden.label, garden.items, garden.passages) == ("Garden", 2, 3)
        assert garden.centroid == pytest.approx(rows(0, 0.2, 0.4).mean(axis=0), abs=0.01)
        assert (house.label, house.items, house.passages) == ("House", 1, 1)
        assert house.centroid == pytest.approx(rows(0.4)[0], abs=0.01)

    def test_topics_learn(self, index):
        """X-13: a topic has a centroid as soon as its first memory has a vector, and moves with those that come and go."""
        index.apply([note("one", "a", topics=("garden",))])
        (bare,) = index.topics(EVERYTHING, MODEL)
        assert (bare.items, bare.passages, len(bare.centroid)) == (1, 0, 0)
        index.add_vectors(MODEL, numbers(index, "document://one"), rows(0))
        assert index.topics(EVERYTHING, MODEL)[0].centroid == pytest.approx(rows(0)[0], abs=0.01)
        index.apply([note("two", "b", topics=("garden",))])
        index.add_vectors(MODEL, numbers(index, "document://two"), rows(1))
        assert index.topics(EVERYTHING, MODEL)[0].centroid == pytest.approx(rows(0, 1).mean(axis=0), abs=0.01)
        index.apply([], ["document://one"])
        assert index.topics(EVERYTHING, MODEL)[0].centroid == pytest.approx(rows(1)[0], abs=0.01)
        index.apply([note("two", "b")])
        assert index.topics(EVERYTHING, MODEL) == ()

    def test_topics_in_scope(self, index):
        """X-16: what lies outside the scope neither counts nor moves a centroid; a vector of nothing says nothing."""
        index.apply([
            note("one", "a", topics=("garden",)), note("two", "b", topics=("garden", "secret"), project="other"),
            note("empty", "c", topics=("garden",)),
        ])  # fmt: skip
        for key, row in (("one", rows(0)), ("two", rows(1)), ("empty", 0 * rows(0))):
            index.add_vectors(MODEL, numbers(index, f"document://{key}"), row)
        (only,) = index.topics(Scope(projects=("mine",)), MODEL)
        assert (only.label, only.items, only.passages) == ("garden", 2, 1)
        assert only.centroid == pytest.approx(rows(0)[0], abs=0.01)

    # ---------------------------------------------------------------- words

    def like(self, index, question, *, fuzzy=0.2, prefix=True, limit=9):
        """Stems that are like each term of the question, with their weights."""
        terms = index.like(index.terms(question, STOP), fuzzy=fuzzy, prefix=prefix, limit=limit)
        return [[(one.stem, round(one.weight, 3)) for one in term.like] for term in terms]

    def test_mistyped(self, index):
        """IN-21: a word is found by one that is at most a fifth of its letters away, for less than the word itself."""
        index.apply([note("one", "descaling", "the kettle", "a kettel", "some nettles", "kitten")])
        assert self.like(index, "ketle", prefix=False) == [[("kettl", 0.375)]]
        assert self.like(index, "ketle", fuzzy=0.0, prefix=False) == [[]]
        terms = index.like(index.terms("kettle", STOP), fuzzy=0.2, prefix=False, limit=9)
        assert [one.stem for one in terms[0].like] == ["kettel", "nettl"]
        hits = index.words(terms, EVERYTHING, 9, budget=99)
        texts = index.passages([hit.number for hit in hits])
        assert [texts[hit.number].passage.text for hit in hits] == ["the kettle", "a kettel", "some nettles"]

    def test_short_words(self, index):
        """IN-21: two letters allow no edit, three one, eight two, thirteen three."""
        index.apply([note("one", "tx", "tix", "abcdefzz", "abcdzzzz", "abcdefghijzzz", "abcdefghizzzz")])
        found = [[stem for stem, _ in like] for like in self.like(index, "ty tax abcdefgh abcdefghijklm", prefix=False)]
        assert found == [[], ["tix", "tx"], ["abcdefzz"], ["abcdefghijzzz"]]

    def test_begun(self, index):
        """IN-21: a word is found by what begins with it; the less is missing, the more it counts."""
        index.apply([note("one", "auth", "authenticate", "authority", "oauth", "数据库")])
        assert self.like(index, "auth", fuzzy=0.0) == [[("author", 0.341), ("authent", 0.332)]]
        assert self.like(index, "数", fuzzy=0.0) == [[("数据", 0.326)]]
        assert self.like(index, "auth", fuzzy=0.0, limit=1) == [[("author", 0.341)]]

    def test_like_what_is_gone(self, index):
        """X-28: a word that no passage holds any more stands in for nothing."""
        index.apply([note("one", "kettle"), note("two", "kettles kettlebell")])
        index.apply([note("one", "cup")], ["document://two"])
        assert self.like(index, "ketle") == [[]]

    def test_asked_words_first(self, index):
        """What is only like a word never takes the postings of one that was asked for."""
        index.apply([note("one", *["common kettle"] * 6, "kettel")])
        terms = index.like(index.terms("kettle", STOP), fuzzy=0.2, prefix=True, limit=9)
        assert len(index.words(terms, EVERYTHING, 9, budget=6)) == 6
        assert len(index.words(terms, EVERYTHING, 9, budget=7)) == 7

    def test_any_word(self, index):
        """X-39: any of the words suffices; more of them, and rarer ones, come first."""
        index.apply([note("one", "green kettle", "a green door", "a green wall", "kettle and stove")])
        assert find(index, "green kettle")[0] == "green kettle"
        assert set(find(index, "green kettle")) == {"green kettle", "a green door", "a green wall", "kettle and stove"}
        assert find(index, "green kettle")[1] == "kettle and stove"

    def test_stems(self, index):
        """Words are found in their other forms, whatever their case and accents."""
        index.apply([note("one", "Descaling the KETTLES in the Café")])
        for word in ("descale", "kettle", "cafe", "CAFÉ"):
            assert find(index, word), word

    def test_old_words(self, index):
        """X-28: text that was edited or deleted cannot be found by its old words, and no longer counts."""
        index.apply([note("one", "kettle"), note("two", "kettle teapot")])
        index.apply([note("one", "cup")], ["document://two"])
        assert find(index, "kettle teapot") == []
        assert [term.passages for term in index.terms("kettle teapot cup", STOP)] == [0, 0, 1]

    def test_heading_and_speaker(self, index):
        """A passage is found by its heading and its speaker as well as by its text."""
        index.apply([note("one", passages=(Passage("text", 0, heading="Kitchen / Kettle", speaker="Caroline"),))])
        assert find(index, "kettle") == find(index, "Caroline") == ["text"]

    def test_date_words(self, index):
        """A passage is found by the day it was said on, in words."""
        index.apply([note("one", passages=(Passage("on that day", 0, time=MONDAY), Passage("later", 1, time=MONDAY + DAY)))])
        assert find(index, "8 May") == ["on that day", "later"]
        assert find(index, "Monday") == ["on that day"]

    def test_refs_unsearched(self, index):
        """Ids and references never reach the searched text."""
        index.apply([note("keyword", passages=(Passage("text", 0, ref="zebra"),), path="giraffe.md", digest="okapi")])
        assert find(index, "zebra giraffe okapi keyword") == []

    @pytest.mark.parametrize(
        ("text", "asked"),
        [
            ("我们的数据库很慢", "数据"),
            ("我们的数据库很慢", "数据库"),
            ("我家有一只猫，名叫咪咪", "猫"),
            ("東京タワーに行きました", "東京"),
            ("東京タワーに行きました", "タワー"),
            ("きのうラーメンを食べた", "ラーメン"),
            ("도서관에서 책을 빌렸다", "도서관"),
            ("도서관에서 책을 빌렸다", "책"),
            ("กรุงเทพมหานครเป็นเมืองหลวง", "เมืองหลวง"),
            ("हिन्दी भाषा सीखना", "हिन्दी"),
            ("ＦＵＬＬＷＩＤＴＨ 文字", "fullwidth"),
        ],
    )
    def test_scripts(self, index, text, asked):
        """X-40: words of scripts without spaces are found, and passages without them are not."""
        index.apply([note("one", text), note("two", "something else 天気 날씨 อากาศ")])
        assert find(index, asked) == [text]

    @pytest.mark.parametrize(
        ("text", "asked"),
        [
            ("call readFile now", "readfile"),
            ("call readFile now", "read"),
            ("call readFile now", "readFile"),
            ("the HTTPServer died", "server"),
            ("use snake_case_name", "snake_case_name"),
            ("use snake_case_name", "case"),
            ("a well-known fact", "well-known"),
            ("see src/vademecum/ports/__init__.py", "ports.py"),
            ("error E2BIG on v1.2.3", "E2BIG"),
        ],
    )
    def test_identifiers(self, index, text, asked):
        """X-05: identifiers, paths and hyphenated words are found whole and by their parts."""
        index.apply([note("one", text)])
        assert find(index, asked) == [text]

    def test_terms(self, index):
        """Terms keep their order, drop stop-words and repetitions, and know how many passages hold them."""
        index.apply([note("one", "the kettles", "kettle of iron")])
        terms = index.terms("Is the Kettle of kettles an IRON zebra?", STOP | {"an"})
        assert [(term.word, term.passages) for term in terms] == [("kettle", 2), ("iron", 1), ("zebra", 0)]
        first = index.terms("Is the Kettle of kettles an IRON zebra?", STOP | {"an"}, counted=1)
        assert [(term.word, term.passages) for term in first] == [("kettle", 2), ("iron", 0), ("zebra", 0)]
        assert [term.code for term in first] == [term.code for term in terms]
        assert [term.word for term in index.terms("the of", STOP)] == ["the", "of"]
        assert index.terms("?! …", STOP) == ()

    def test_frequencies(self, index):
        """How many passages hold a word, of all, of one kind of item, of one role."""
        said = (
            Passage("the kettle", 0, role="user"),
            Passage("a kettle of iron", 1, role="agent"),
            Passage("cups", 2, role="user"),
        )
        index.apply([note("talk", passages=said), note("one", "kettles")])
        terms = index.terms("kettle iron zebra", STOP)
        assert index.frequencies(terms, EVERYTHING) == (3, 1, 0)
        assert index.frequencies(terms, replace(EVERYTHING, roles=("user",))) == (1, 0, 0)
        assert index.frequencies((), EVERYTHING) == ()

    def test_codes(self, index):
        """The codes of terms are those of the stems in a passage, in order, repeats kept."""
        said = Passage("kettles and a kettle", 0, heading="Iron", speaker="Ann", time=MONDAY)
        index.apply([note("one", passages=(said,))])
        around = index.window([("document://one", 0)], 0)
        dated = around.dates[around.date[0]]
        by_word = {term.word: term.code for term in index.terms("Ann iron kettle and a monday", frozenset())}
        assert around.codes.dtype == np.uint32
        assert around.codes.tolist() == [by_word[word] for word in ("ann", "iron", "kettle", "and", "a", "kettle")]
        assert by_word["monday"] in dated.tolist() and len(dated) == 4

    def test_budget(self, index):
        """Common words are left out when the budget is spent; the rarest one never is."""
        index.apply([note("one", "kettle iron", *(f"iron number {n}" for n in range(9)))])
        assert find(index, "iron kettle", budget=5) == ["kettle iron"]
        assert len(find(index, "iron", budget=5, limit=20)) == 10

    def test_ties(self, index):
        """Equal scores come in the order of their numbers, so that an answer can be repeated."""
        index.apply([note(f"n{n}", "same words") for n in range(9)])
        hits = index.words(index.terms("same", STOP), EVERYTHING, 5, budget=100)
        assert [hit.number for hit in hits] == sorted(hit.number for hit in hits)
        assert len({hit.score for hit in hits}) == 1

    def test_scores(self, index):
        """Scores are BM25: above 0, higher in shorter passages, and the same however few are asked for."""
        index.apply([note("one", "kettle", "kettle with many more words around it", "other")])
        terms = index.terms("kettle", STOP)
        hits = index.words(terms, EVERYTHING, 9, budget=99)
        assert [hit.turn for hit in hits] == [0, 1]
        lengths, rarity = (
            (1, 7),
            math.log(1 + 1.5 / 2.5),
        )  # two of three passages have the word; a passage has three stems on average
        norms = [1.2 * (0.25 + 0.75 * length / 3) for length in lengths]
        assert [hit.score for hit in hits] == pytest.approx([rarity * 2.2 / (1 + norm) for norm in norms])
        assert index.words(terms, EVERYTHING, 1, budget=99) == hits[:1]
        assert index.words(terms, EVERYTHING, 0, budget=99) == ()

    def test_stats(self, index):
        """The mean length counts the stems of text, heading, speaker and date, also after changes."""
        index.apply([note("one", "two words"), note("two", passages=(Passage("three more words", 0, time=MONDAY),))])
        assert (index.stats().passages, index.stats().mean_stems) == (2, (2 + 3 + 4) / 2)
        index.apply([note("one", "one two three four")], ["document://two"])
        assert (index.stats().passages, index.stats().mean_stems) == (1, 4)

    def test_size(self, index):
        """The size of a part counts the passages in scope and their stems, also after changes; an empty part has none."""
        index.apply([note("one", "two words"), note("two", "one more line", "and another line here", source="session")])
        assert index.size(Scope(sources=("document",))) == (1, 2)
        assert index.size(Scope(sources=("session",))) == (2, (3 + 4) / 2)
        assert index.size(Scope(sources=("memory",))) == (0, 0)
        index.apply([note("three", "one two three four")], ["document://one"])
        assert index.size(Scope(sources=("document",))) == (1, 4)

    @pytest.mark.parametrize("of_none", [0, 1, 5])
    def test_projects(self, index, of_none):
        """A scope of projects has what belongs to one of them and what belongs to none, whichever of these are more."""
        plain = [note(f"plain {number}", "kettle") for number in range(of_none)]
        index.apply([*plain, *(note(name, "kettle of iron", project=name) for name in ("tea", "shop", "mill"))])
        for projects, names in (((), []), (("tea",), ["tea"]), (("tea", "mill", "none"), ["tea", "mill"])):
            scope = Scope(projects=projects)
            keys = sorted([*(item.key for item in plain), *(f"document://{name}" for name in names)])
            assert sorted(item.key for item in index.select(scope, order="importance")) == keys
            assert index.size(scope)[0] == len(keys) == len(find(index, "kettle", scope))
            assert [item.key for item in index.select(scope, order="recent", limit=1)] == keys[:1]
        said = (Passage("kettle", 0, role="user"), Passage("kettle and cup", 1, role="agent"))
        index.apply([note("talk", source="session", passages=said, project="tea")])
        assert index.size(Scope(sources=("session",), projects=("tea",), roles=("user",))) == (1, 1)
        assert index.size(Scope(sources=("session",), projects=("tea",)))[0] == 2
        assert index.size(Scope(sources=("session",), projects=("mill",))) == (0, 0)

    def test_window(self, index):
        """The passages of a turn and of the turns around it, with the pieces of a long turn in order."""
        said = (
            Passage("a", 0),
            Passage("b", 1, speaker="Ann", time=MONDAY),
            Passage("c1 c1", 3, speaker="Bo"),
            Passage("c2", 3, speaker="Bo"),
            Passage("d", 4, speaker="Ann"),
            Passage("e", 9),
        )
        index.apply([note("zoo", "x"), note("talk", passages=said), note("other", "y", "z z")])
        around = index.window(
            [("document://talk", 3), ("document://zoo", 0), ("document://other", 0), ("document://talk", 4)], 2
        )
        found = index.passages(around.numbers.tolist())
        at = [around.keys[item] for item in around.item]
        names = [around.speakers[speaker] for speaker in around.speaker]
        dated = [len(around.dates[date]) for date in around.date]
        texts = [found[number].passage.text for number in around.numbers.tolist()]
        stems = np.diff(around.ends, prepend=0).tolist()
        assert list(zip(at, around.turn.tolist(), texts, names, dated, stems, strict=True)) == [
            ("document://other", 0, "y", "", 0, 1),
            ("document://other", 1, "z z", "", 0, 2),
            ("document://talk", 1, "b", "Ann", 4, 2),
            ("document://talk", 3, "c1 c1", "Bo", 0, 3),
            ("document://talk", 3, "c2", "Bo", 0, 2),
            ("document://talk", 4, "d", "Ann", 0, 2),
            ("document://zoo", 0, "x", "", 0, 1),
        ]
        assert list(around.keys) == sorted(around.keys) and len(around.codes) == around.ends[-1]

    def test_a_speaker_of_two_roles_is_one(self, index):
        """Who speaks in several roles is told as one speaker."""
        said = (Passage("a", 0, speaker="Ann", role="user"), Passage("b", 1, speaker="Ann", role="agent"), Passage("c", 2))
        index.apply([note("talk", passages=said)])
        around = index.window([("document://talk", 1)], 2)
        assert sorted(around.speakers) == ["", "Ann"]
        assert [around.speakers[speaker] for speaker in around.speaker] == ["Ann", "Ann", ""]

    # ---------------------------------------------------------------- scopes

    @pytest.mark.parametrize(
        ("fields", "scope"),
        [
            ({"space": "work"}, {"spaces": ("work",)}),
            ({"source": "memory"}, {"sources": ("memory", "session")}),
            ({"kind": "decision"}, {"kinds": ("decision",)}),
            ({"status": "inbox"}, {"statuses": ("inbox",)}),
            ({"project": "", "title": "x"}, {"projects": ("vade",)}),
            ({"project": "vade"}, {"projects": ("vade",)}),
            ({"profile": "p2"}, {"profiles": ("p2",)}),
            ({"agent": "a"}, {"agents": ("a", "b")}),
            ({"host": "codex"}, {"hosts": ("codex",)}),
            ({"visibility": "public"}, {"visibilities": ("public",)}),
            ({"tags": ("Cats", "z")}, {"tags": ("cats", "dogs")}),
            ({"path": "Notes/it_em.md"}, {"paths": ("Notes/it_",)}),
            ({"updated": MONDAY}, {"keys": ("document://inside", "document://oth")}),
            ({"updated": MONDAY}, {"since": MONDAY, "until": MONDAY + DAY}),
            ({"updated": MONDAY + DAY}, {"since": MONDAY + DAY}),
            ({"updated": MONDAY - DAY}, {"until": MONDAY}),
            ({"created": MONDAY, "valid_from": MONDAY, "valid_until": MONDAY + DAY}, {"as_of": MONDAY}),
            ({"created": None}, {"without": frozenset({"document://other"})}),
            ({"origin": "session://plain/ü"}, {"origins": ("session://plain/ü", "session://plain/z")}),
        ],
    )
    def test_scope(self, index, fields, scope):
        """X-15, X-16: what is outside the scope is in no answer; filters come before limits."""
        inside = note("inside", "kettle", **{"source": "document"} | fields)
        plain = {
            "project": "different", "path": "NOTES/itxem.md", "updated": MONDAY + 2 * DAY if "until" in scope else MONDAY,
            "created": MONDAY + 3 * DAY, "status": "active",
        }  # fmt: skip
        outside = [note("other", "kettle kettle", **plain)]
        if "without" not in scope:
            outside += [note(f"o{n}", "kettle", **plain) for n in range(30)]
        index.apply([*outside, inside])
        every = [number for key in index.fingerprints() for number in numbers(index, key)]
        index.add_vectors(MODEL, every, rows(*np.linspace(0, 1, len(every))))
        limits = Scope(**{"statuses": None} | scope)
        assert {hit.item for hit in index.words(index.terms("kettle", STOP), limits, 3, budget=999)} == {inside.key}
        assert {hit.item for hit in index.near(rows(0)[0], MODEL, limits, 3)} == {inside.key}
        assert [item.key for item in index.select(limits, limit=3)] == [inside.key]

    def test_held_for_a_branch(self, index):
        """N07: what is held for a branch is in no answer but of who names that branch, or every one."""
        inside = note("inside", "kettle", branch="shop:pay 0badcafe1")
        index.apply([inside, note("other", "kettle", branch="shop:more"), note("plain", "kettle")])
        assert index.held() == {inside.key: inside.branch, note("other", "").key: "shop:more"}
        for branches, names in (((), {"plain"}), ((inside.branch,), {"plain", "inside"}), (None, {"plain", "inside", "other"})):
            scope = Scope(branches=branches)
            found = index.words(index.terms("kettle", STOP), scope, 9, budget=99)
            assert (
                {hit.item.rpartition("/")[2] for hit in found}
                == names
                == {one.key.rpartition("/")[2] for one in index.select(scope)}
            )
        index.apply([], [inside.key])
        assert list(index.held().values()) == ["shop:more"]

    def test_roles(self, index):
        """Who speaks can be asked for whatever their name, and comes back as it was given."""
        said = (
            Passage("kettle one", 0, speaker="Ann", role="user"), Passage("kettle two", 1, speaker="agent", role="agent"),
            Passage("kettle three", 2, speaker="Ann", role="agent"),
        )  # fmt: skip
        index.apply([note("talk", source="session", passages=said)])
        assert [one.passage for one in index.passages_of("session://talk")] == list(said)
        assert set(find(index, "kettle", Scope(roles=("agent",)))) == {"kettle two", "kettle three"}
        assert [hit.turn for hit in index.words(index.terms("kettle", frozenset()), Scope(roles=("user",)), 9, budget=99)] == [
            0
        ]
        changed = (replace(said[0], role="agent"), *said[1:])
        index.apply([note("talk", source="session", passages=changed)])
        assert find(index, "kettle", Scope(roles=("user",))) == []

    def test_tools_and_files(self, index):
        """A session can be asked for by the tools it used and the files it touched, both in one use, before any limit (X-15)."""
        used = (Touch("Edit", "/home/u/Shop/src/App.py", 0, MONDAY, "t1"), Touch("Bash", "", 1, None, "t2"))
        other = (Touch("Read", "/home/u/shop/src/app.py", 0, MONDAY + DAY, "r1"), Touch("Edit", "C:\\x\\other.py"))
        index.apply([
            note("one", "kettle 1", source="session", touches=used), note("two", "kettle 2", source="session", touches=other),
            note("three", "kettle kettle", source="session"),
        ])  # fmt: skip
        for scope, names in (
            ({"files": ("app.py",)}, {"one", "two"}), ({"files": ("src/app.py",)}, {"one", "two"}),
            ({"files": ("pp.py",)}, set()), ({"files": ("x/other.py",)}, {"two"}), ({"tools": ("edit",)}, {"one", "two"}),
            ({"tools": ("edit",), "files": ("app.py",)}, {"one"}), ({"tools": ("Bash", "None")}, {"one"}), ({"files": ("",)}, set()),
        ):  # fmt: skip
            found = index.words(index.terms("kettle", STOP), Scope(**scope), 2, budget=99)
            assert {hit.item.rpartition("/")[2] for hit in found} == names, scope
            assert {item.title for item in index.select(Scope(**scope))} == names
        assert index.items(["session://one"])["session://one"].touches == ()

    def test_touches(self, index):
        """Uses of tools, the latest first, those without a time last; a growing session adds its own behind them."""
        first = note(
            "one",
            "a",
            "b",
            source="session",
            touches=(Touch("Edit", "/a.py", 1, MONDAY, "t1"), Touch("Bash", "", 0, None, "t0")),
        )
        index.apply([first])
        index.extend(
            note("one", "c", source="session", touches=(Touch("Edit", "/a.py", 0, MONDAY + DAY, "t2"), Touch("Read", "/b.py")))
        )
        found = index.touches(Scope(), 10)
        assert [(key, touch.tool, touch.turn, touch.ref) for key, touch in found] == [
            ("session://one", "Edit", 2, "t2"), ("session://one", "Edit", 1, "t1"),
            ("session://one", "Bash", 0, "t0"), ("session://one", "Read", 2, ""),
        ]  # fmt: skip
        assert index.touches(Scope(files=("a.py",)), 1)[0][1].time == MONDAY + DAY
        assert [touch.ref for _, touch in index.touches(Scope(since=MONDAY + DAY, tools=("edit",)), 9)] == ["t2"]
        index.apply([replace(first, touches=())])
        assert index.touches(Scope(), 10) == ()
        index.apply([first])
        index.apply([], ["session://one"])
        assert index.touches(Scope(), 10) == ()

    def test_quoted(self, index):
        """A text is found as it stands, whatever its case and white space, the last written first; near misses are not."""
        index.apply([
            note("one", "TypeError: cannot read\n  properties of 'undefined' (reading map)"),
            note("two", "cannot read properties of undefined"), note("three", "properties of undefined cannot be read"),
            note("four", "the table cannot read Properties of Undefined at all"),
        ])  # fmt: skip

        def quoted(text, scope=EVERYTHING, limit=9):
            return [hit.item.rpartition("/")[2] for hit in index.quoted(text, scope, limit)]

        assert quoted("cannot read properties of undefined") == ["four", "two"]
        assert quoted("cannot read properties of undefined", limit=1) == ["four"]
        assert quoted("typeerror: cannot  read properties of 'undefined' (reading") == ["one"]
        assert quoted("nnot read properties of unde") == ["four", "two"], "begun and ended within a word"
        assert quoted("table cannot be") == quoted("") == quoted("  ") == quoted("zzz") == []
        assert quoted("cannot read", Scope(spaces=("work",))) == []
        assert [hit.score for hit in index.quoted("cannot read", EVERYTHING, 9)] == [0, 0, 0]

    def test_default_scope(self, index):
        """What is resolved or archived is not recalled unless asked for."""
        statuses = ("active", "inbox", "incubating", "resolved", "superseded", "archived")
        index.apply([note(status, f"kettle {status}", status=status) for status in statuses])
        assert len(find(index, "kettle", Scope())) == 4
        assert find(index, "kettle", Scope(statuses=("archived",))) == ["kettle archived"]

    def test_nothing_allowed(self, index):
        """An empty list of allowed values allows nothing."""
        index.apply([note("one", "kettle", tags=("a",))])
        for scope in ({"spaces": ()}, {"tags": ()}, {"paths": ()}, {"speakers": ()}, {"statuses": ()}, {"keys": ()}):
            assert find(index, "kettle", Scope(**{"statuses": None} | scope)) == []

    def test_as_of(self, index):
        """A question about the past sees what existed and was valid then."""
        index.apply([
            note("young", "kettle young", created=MONDAY + DAY),
            note("ended", "kettle ended", created=MONDAY - DAY, valid_until=MONDAY),
            note("later", "kettle later", valid_from=MONDAY + DAY),
            note("right", "kettle right", created=MONDAY - DAY, valid_until=MONDAY + DAY),
        ])  # fmt: skip
        assert find(index, "kettle", Scope(statuses=None, as_of=MONDAY)) == ["kettle right"]

    def test_passage_scope(self, index):
        """Speakers and times are those of the passage; one without a time has that of its item, also when it changes."""
        said = (
            Passage("kettle early", 0, speaker="Ann", time=MONDAY),
            Passage("kettle late", 1, speaker="Bob", time=MONDAY + DAY),
            Passage("kettle whenever", 2, speaker="Ann"),
        )
        talk = note("talk", passages=said, updated=MONDAY + DAY)
        index.apply([talk])
        assert set(find(index, "kettle", Scope(since=MONDAY + DAY))) == {"kettle late", "kettle whenever"}
        assert find(index, "kettle", Scope(until=MONDAY + DAY)) == ["kettle early"]
        assert set(find(index, "kettle", Scope(speakers=("Ann", "Zoe")))) == {"kettle early", "kettle whenever"}
        index.apply([replace(talk, updated=MONDAY)])
        assert find(index, "kettle", Scope(since=MONDAY + DAY)) == ["kettle late"]
        index.apply([replace(talk, updated=None)])
        assert find(index, "kettle", Scope(until=MONDAY + DAY)) == ["kettle early"]

    def test_select_orders(self, index):
        """Items come by time, priority (then importance) or importance, the largest first, ties by key."""
        index.apply([
            note("a", "x", updated=MONDAY, priority=1, importance=0.9),
            note("b", "x", updated=MONDAY + DAY, priority=5, importance=0.1),
            note("c", "x", updated=None, priority=5, importance=0.5),
        ])  # fmt: skip
        orders = {
            order: [item.title for item in index.select(Scope(), order=order)] for order in ("recent", "priority", "importance")
        }
        assert orders == {"recent": ["b", "a", "c"], "priority": ["c", "b", "a"], "importance": ["a", "c", "b"]}
        assert index.select(Scope(), limit=0) == ()

    # ---------------------------------------------------------------- meaning

    def test_nearest(self, index):
        """The nearest passages come first, with their cosine."""
        index.apply([note("one", "a", "b", "c", "d")])
        index.add_vectors(MODEL, numbers(index, "document://one"), rows(0.0, 0.5, 1.0, 3.0))
        hits = index.near(rows(0.1)[0], MODEL, Scope(), 3)
        assert [hit.turn for hit in hits] == [0, 1, 2]
        assert [hit.score for hit in hits] == pytest.approx([np.cos(0.1), np.cos(0.4), np.cos(0.9)], abs=0.01)
        assert index.near(rows(0.1)[0], "other@1", Scope(), 3) == ()
        assert index.near(rows(0.1)[0], MODEL, Scope(), 0) == ()

    def test_cosines(self, index):
        """Cosines of given passages: those without a vector are left out, a text without words has 0."""
        index.apply([note("one", "a", "b", "c")])
        first, second, third = numbers(index, "document://one")
        index.add_vectors(MODEL, [first, second], np.concatenate([rows(0.0), np.zeros((1, 64), np.float32)]))
        found = index.cosines(rows(0.0)[0], MODEL, [third, second, first, 999])
        assert found.tolist() == pytest.approx([np.nan, 0.0, 1.0, np.nan], abs=0.01, nan_ok=True)
        assert np.isnan(index.cosines(rows(0.0)[0], "other@1", [first])).all()
        assert [hit.number for hit in index.near(rows(0.0)[0], MODEL, Scope(), 9)] == [first]

    def test_vectors(self, index):
        """Vectors of given passages, in their order; zeros for those without one, no numbers for a model nobody has vectors of."""
        index.apply([note("one", "a", "b", "c")])
        first, second, third = numbers(index, "document://one")
        index.add_vectors(MODEL, [first, second], rows(0.0, 0.5))
        found = index.vectors(MODEL, [second, third, first])
        assert found == pytest.approx(np.concatenate([rows(0.5), np.zeros((1, 64)), rows(0.0)]), abs=0.01)
        assert index.vectors("other@1", [first]).shape == (1, 0)
        assert index.vectors(MODEL, []).shape[0] == 0

    def test_let_go(self, index):
        """What was given back is read again: answers stay the same."""
        index.let_go()  # of one that nobody asked yet
        index.apply([note("one", "kettle", "iron", "crane")])
        known = numbers(index, "document://one")
        index.add_vectors(MODEL, known, rows(0.0, 0.5, 1.0))
        before = index.near(rows(0.1)[0], MODEL, Scope(), 9), find(index, "kettle iron"), index.passages(known)
        index.let_go()
        assert (index.near(rows(0.1)[0], MODEL, Scope(), 9), find(index, "kettle iron"), index.passages(known)) == before

    def test_models_side_by_side(self, index):
        """X-45: a new model fills up beside the old one, which serves until it is dropped."""
        index.apply([note("one", "a", "b")])
        known = numbers(index, "document://one")
        index.add_vectors("old@1", known, rows(0, 1))
        index.add_vectors("new@1", known[:1], np.ones((1, 16), np.float32) / 4)
        assert index.stats().vectors == {"old@1": 2, "new@1": 1}
        assert len(index.near(rows(0)[0], "old@1", Scope(), 9)) == 2
        assert [stored.number for stored in index.without_vectors("new@1", 9)] == known[1:]
        index.drop_vectors("old@1")
        index.drop_vectors("never@1")
        assert index.stats().vectors == {"new@1": 1}
        assert index.near(rows(0)[0], "old@1", Scope(), 9) == ()

    def test_vectors_follow_passages(self, index):
        """Vectors go with their passages; numbers that vanished meanwhile are passed over; a vector can be replaced."""
        index.apply([note("one", "a", "b")])
        known = numbers(index, "document://one")
        index.add_vectors(MODEL, [*known, 999], rows(0, 1, 2))
        assert len(index.near(rows(0)[0], MODEL, Scope(), 9)) == 2
        index.add_vectors(MODEL, known[:1], rows(3))
        assert index.stats().vectors == {MODEL: 2}
        assert index.near(rows(3)[0], MODEL, Scope(), 1)[0].number == known[0]
        index.apply([note("one", "b", "new")])
        assert index.stats().vectors == {MODEL: 1}
        assert [hit.number for hit in index.near(rows(0)[0], MODEL, Scope(), 9)] == known[1:]
        assert [stored.passage.text for stored in index.without_vectors(MODEL, 9)] == ["new"]

    def test_waiting_order(self, index):
        """The newest passages get their vectors first."""
        times = (MONDAY, MONDAY + 2 * DAY, None)
        said = tuple(Passage(f"p{turn}", turn, time=time) for turn, time in enumerate(times))
        index.apply([note("one", passages=said, updated=MONDAY + DAY)])
        assert [stored.passage.text for stored in index.without_vectors(MODEL, 2)] == ["p1", "p2"]
        assert len(index.without_vectors(MODEL, 9)) == 3

    def test_tools_wait_longest(self, index):
        """What tools did gets its vectors behind all that was said and written, however new it is."""
        index.apply([note("said", "a", "b", updated=MONDAY), note("done", "x", "y", source="log", updated=MONDAY + DAY)])
        assert [stored.passage.text for stored in index.without_vectors(MODEL, 3)] == ["a", "b", "x"]
        index.add_vectors(MODEL, numbers(index, "document://said"), rows(0, 1))
        assert [stored.passage.text for stored in index.without_vectors(MODEL, 3)] == ["x", "y"]

    def test_memories_wait_least(self, index):
        """A memory gets its vectors before notes and conversations that are newer."""
        newer = note("note", "a", updated=MONDAY + DAY)
        index.apply([newer, note("kept", "m", source="memory", updated=MONDAY), note("done", "x", source="log")])
        assert [stored.passage.text for stored in index.without_vectors(MODEL, 9)] == ["m", "a", "x"]
        assert [stored.passage.text for stored in index.without_vectors(MODEL, 1)] == ["m"]

    def test_wordless(self, index):
        """X-14: a passage without a vector is found by its words beside those that have one."""
        index.apply([note("one", "kettle with vector"), note("two", "kettle without")])
        index.add_vectors(MODEL, numbers(index, "document://one"), rows(0))
        assert set(find(index, "kettle")) == {"kettle with vector", "kettle without"}

    # ---------------------------------------------------------------- links

    def test_links(self, index):
        """Links are followed by id, path, title and alias, in both directions, whatever their heading or label."""
        target = note("01HXYZ", "x", source="memory", path="p/decision/use-sqlite.md", title="Use SQLite", aliases=("KD07",))
        links = ("01HXYZ", "use-sqlite", "p/decision/use-sqlite", "use sqlite#Why|because", "kd07.md", "memory://01HXYZ")
        sources = [note(f"s{n}", "x", edges=(Edge("links", link),)) for n, link in enumerate(links)]
        index.apply([target, *sources])
        assert index.edges([source.key for source in sources]) == {
            source.key: (Edge("links", target.key),) for source in sources
        }
        assert index.edges([target.key])[target.key] == tuple(Edge("links", source.key) for source in sources)

    def test_with_edge(self, index):
        """Items are found by a type of link in their own file, wherever it leads, and no more once they are gone."""
        index.apply(
            [
                note("one", "x", edges=(Edge("may_replace", "two"), Edge("may_replace", "none"))),
                note("two", "x", edges=(Edge("related", "one"),)),
                note("three", "x", edges=(Edge("may_replace", "none"),)),
            ]
        )
        assert index.with_edge("may_replace") == ("document://one", "document://three")
        assert index.with_edge("refines") == ()
        assert index.with_edge("related") == ("document://two",)
        index.apply([], ["document://one"])
        assert index.with_edge("may_replace") == ("document://three",)

    def test_dangling_links(self, index):
        """A link that names nothing, or its own note, leads nowhere until what it names appears."""
        index.apply([note("one", "x", edges=(Edge("links", "two"), Edge("links", "one"), Edge("links", "https://x.org/two")))])
        assert index.edges(["document://one"]) == {"document://one": ()}
        index.apply([note("two", "x")])
        assert index.edges(["document://one"])["document://one"] == (Edge("links", "document://two"),)
        index.apply([], ["document://two"])
        assert index.edges(["document://one"])["document://one"] == ()

    def test_link_choice(self, index):
        """Among notes of one name, a path decides, then the same space, then the shorter path."""
        index.apply([
            note("a", "x", path="deep/down/plan.md"), note("b", "x", path="plan.md"),
            note("c", "x", path="plan.md", space="work"), note("d", "x", title="plan", path="zzz.md"),
            note("e", "x", edges=(Edge("links", "plan"), Edge("links", "down/plan"))),
            note("f", "x", space="work", edges=(Edge("links", "Plan"),)),
        ])  # fmt: skip
        assert index.edges(["document://e"])["document://e"] == (Edge("links", "document://b"), Edge("links", "document://a"))
        assert index.edges(["document://f"])["document://f"] == (Edge("links", "document://c"),)

    def test_named(self, index):
        """What a person types may mean several items: all of them come, the surest first."""
        index.apply([
            note("01HXYZ", "x", source="memory", path="p/plan.md", title="The plan", aliases=("KD07",)),
            note("plan", "x", path="plan.md"), note("other", "x", title="Plan", path="zzz.md"),
        ])  # fmt: skip
        assert index.named("kd07") == index.named("01HXYZ") == ("memory://01HXYZ",)
        assert index.named("nothing") == ()
        assert index.named("plan") == ("document://plan", "memory://01HXYZ", "document://other")
        assert index.named("p/plan.md") == ("memory://01HXYZ",)

    # ---------------------------------------------------------------- state

    def test_counts(self, index):
        """Items are counted by source and status."""
        index.apply([note("one", "x"), note("two", "x", status="inbox"), note("three", "x", source="memory", status="inbox")])
        assert index.counts() == {("document", "active"): 1, ("document", "inbox"): 1, ("memory", "inbox"): 1}

    def test_facets(self, index):
        """Items in scope are counted by the values of some fields together, under each of their tags, and by quarters of an hour."""
        quarter = str(int(MONDAY.timestamp()) // 900)
        index.apply([
            note("one", "x", tags=("Red", "big"), project="shop", updated=MONDAY), note("two", "x", tags=("red",), updated=MONDAY),
            note("three", "x", source="memory", status="inbox", updated=None, stat=""),
            note("four", "x", updated=MONDAY + DAY, stat="512:7"),
        ])  # fmt: skip
        assert index.facets(Scope(), ("source", "status")) == {("document", "active"): 3, ("memory", "inbox"): 1}
        assert index.facets(Scope(sources=("document",)), ("tag",)) == {("red",): 2, ("big",): 1, ("",): 1}
        assert index.facets(Scope(until=MONDAY + DAY), ("project",)) == {("shop",): 1, ("",): 1}
        assert index.facets(Scope(sources=("memory",)), ("quarter",)) == {("",): 1}
        assert index.facets(Scope(until=MONDAY + DAY), ("quarter", "kind")) == {(quarter, "document"): 2}
        assert index.facets(Scope(sources=("memory",)), ("created_day", "host")) == {("", ""): 1}
        assert index.facets(Scope(), ("size",)) == {("0",): 1, ("1",): 2, ("512",): 1}
        assert index.facets(Scope(without=frozenset({"document://one"})), ("tag",)) == {("red",): 1, ("",): 2}
        index.apply([], ["document://one"])
        assert index.facets(Scope(), ("source",)) == {("document",): 2, ("memory",): 1}

    def test_compact(self, index):
        """Giving back room changes no answer."""
        index.apply([note("one", "kettle", "tea"), note("two", "cup")])
        index.add_vectors(MODEL, numbers(index, "document://one"), rows(0, 1))
        index.apply([], ["document://two"])
        before = (everything(index), find(index, "kettle tea cup"), index.near(rows(0)[0], MODEL, Scope(), 9))
        index.compact()
        assert (everything(index), find(index, "kettle tea cup"), index.near(rows(0)[0], MODEL, Scope(), 9)) == before

    def test_asking_changes_nothing(self, index):
        """Questions leave the index as it was."""
        index.apply([note("one", "kettle", "tea", edges=(Edge("links", "two"),)), note("two", "cup")])
        before = everything(index)
        find(index, "kettle tea cup")
        index.near(rows(0)[0], MODEL, Scope(), 9)
        index.health(deep=True)
        assert everything(index) == before

    def test_complete(self, index):
        """It is complete once somebody says so, until it is wiped."""
        assert not index.is_complete()
        index.note_complete()
        index.note_complete()
        assert index.is_complete()
        index.wipe()
        assert not index.is_complete()

    def test_wipe(self, index):
        """A wiped index is empty and can be filled again."""
        index.apply([note("one", "kettle")])
        index.add_vectors(MODEL, numbers(index, "document://one"), rows(0))
        index.wipe()
        assert find(index, "kettle") == [] and index.fingerprints() == {} and index.stats().vectors == {}
        index.apply([note("one", "kettle")])
        assert find(index, "kettle") == ["kettle"]
        assert index.near(rows(0)[0], MODEL, Scope(), 9) == ()

    def test_health(self, index):
        """Health counts what is there."""
        index.apply([note("one", "a", "b"), note("two", "c")])
        index.add_vectors(MODEL, numbers(index, "document://one"), rows(0, 1))
        health = index.health(deep=True)
        assert (health.damage, health.items, health.passages, dict(health.vectors)) == ("", 2, 3, {MODEL: 2})
