"""What a prompt opens: by what it asks, by when something was said and by whom, and by whether the prompt touches it."""

from datetime import timedelta

import pytest

from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Hit
from vademecum.inject.numbers import HEAD_CHARS, REPORT_CHARS
from vademecum.inject.worth_showing import only_states, worth_showing

KILN = "The spare kiln stands behind the mill."
LONG = "Move the spare kiln to the yard and tell the neighbours that it is hot so that nobody at all goes near"


def item(name, source, *passages, title="", age=timedelta(days=90), now, project="yard"):
    key = f"{source}://host/{name}" if source in ("session", "log") else f"{source}://{name}"
    fields = {"kind": "fact" if source == "memory" else source, "project": project, "updated": now - age}
    return Item(key, source, "", f"{name}.md", title or name, "", "", passages=passages, **fields)


def said(text, role="agent", turn=0, time=None):
    return Passage(text, turn, speaker=role, ref=f"t{turn}", time=time, role=role)


class World:
    """An index with what was said and saved; gives which of it a prompt opens."""

    def __init__(self, clock):
        self.now, self.index, self.hits = clock.now(), SqliteIndex(IN_MEMORY), {}

    def add(self, name, source, text, *, role="agent", age=timedelta(days=90), title="", worked=True, score=5.0, **signals):
        """Put a memory, a note or one turn of a session; worked: the session used tools; signals: of the search, as `named`."""
        passage = said(text, role if source == "session" else "", time=self.now - age if source == "session" else None)
        one = item(name, source, passage, title=title, age=age, now=self.now)
        logged = [item(name, "log", said("$ make", "tool"), now=self.now)] if source == "session" and worked else []
        self.index.apply([one, *logged])
        self.hits[name] = Hit(one, passage, len(self.hits), score, signals=signals)

    def prompts(self, *texts):
        """Put a session of the project in which these were typed."""
        turns = [said(text, "user", number) for number, text in enumerate(texts)]
        self.index.apply([item("typed", "session", *turns, now=self.now)])

    def opened(self, prompt, *delivered):
        hits = [hit for name, hit in self.hits.items() if name not in delivered]
        has = frozenset(self.hits[name].item.key for name in delivered)
        shown = {hit.item.key for hit in worth_showing(self.index, "yard", prompt, hits, self.now, has)}
        return {name for name, hit in self.hits.items() if hit.item.key in shown}


@pytest.fixture
def world(clock):
    return World(clock)


@pytest.mark.parametrize(
    ("prompt", "opened"),
    [
        ("go on", set()),
        ("fine, commit it", set()),
        ("3", set()),
        ("214", set()),
        ("please open it", set()),
        ("Now move the spare kiln to the yard", {"memory", "fresh"}),
        ("where is the spare kiln?", {"memory", "note", "fresh", "old"}),
        ("look up the spare kiln", {"memory", "note", "fresh", "old"}),
        (LONG, {"memory", "note", "fresh"}),
        ("Repaint the garden fence in green before the guests come on Saturday and order three more buckets of paint too", set()),
    ],
)  # fmt: skip
def test_prompts(world, prompt, opened):
    """What goes on with the work at hand opens nothing; an order what it touches, of sessions only what was said today; a question all."""
    world.add("memory", "memory", KILN, title="Spare kiln")
    world.add("note", "document", "Where the spare kiln goes.", title="Kiln plan")
    world.add("fresh", "session", "I measured the spare kiln: it fits through the gate.", age=timedelta(hours=2))
    world.add("old", "session", "The spare kiln has a cracked door.", age=timedelta(days=9))
    assert world.opened(prompt) == opened


def test_chats_are_their_own_record(world):
    """What was said in a chat without tools is not kept anywhere else, so it does not go stale within a day."""
    world.add("chat", "session", "Your spare kiln has a cracked door.", worked=False, age=timedelta(days=9))
    world.add("own", "session", KILN, role="user", worked=False, age=timedelta(days=9))
    assert world.opened(LONG) == {"chat", "own"}


@pytest.mark.parametrize(
    "words",
    [
        "move the spare kiln behind the mill",
        "is there a spare kiln behind the mill",
        "we should put the spare kiln behind the mill",
        "I want the spare kiln behind the mill.",
        "The spare kiln is hot. Can you move it behind the mill?",
        "stell bitte den spare kiln behind the mill",
    ],
)
def test_own_orders_are_no_evidence(world, words):
    """What the person ordered, wished or asked in a session of work answers nothing, however it is worded; what they stated does."""
    world.add("words", "session", words, role="user", age=timedelta(days=2))
    world.add("stated", "session", KILN, role="user", age=timedelta(days=2))
    assert world.opened("Where does the spare kiln stand?") == {"stated"}
    assert world.opened(LONG) == set()
    assert world.opened("What did I say about the spare kiln?") == {"words", "stated"}


def test_common_words_open_nothing(world):
    """A word that stands in many prompts of the project tells nothing about one of them; a rare one does."""
    world.prompts(*(f"the hook must print line {number} of its session" for number in range(60)))
    world.add("common", "memory", "A hook prints one line for each session.", title="Hook lines")
    world.add("rare", "memory", "A hook that meets a quota waits until it is reset.", title="Quota")
    assert world.opened("make the hook print the session line until the quota is reset") == {"rare"}
    assert world.opened("what does a hook print of a session?") == {"common", "rare"}


def test_meaning_answers(world):
    """A question is answered by a memory that shares no word with it, when it means the same; an order is not."""
    world.add("memory", "memory", "Orders are stored in PostgreSQL.", title="PostgreSQL", meaning=0.5)
    assert world.opened("Which database do we use?") == {"memory"}
    assert world.opened("Write down our choice of a database for the colleagues") == set()


def test_other_languages(world):
    """What is written in another language shares no words with an order; its meaning decides."""
    world.add(
        "near", "memory", "Der Ersatzofen steht hinter der Mühle, und niemand darf ihn anfassen.", title="Ofen", meaning=0.5
    )
    world.add(
        "far", "memory", "Die Katze des Nachbarn schläft gerne auf dem Dach und in der Sonne.", title="Katze", meaning=0.1
    )
    assert world.opened(LONG) == {"near"}


@pytest.mark.parametrize(
    ("prompt", "delivered", "opened"),
    [
        ("what do we use to glaze the pots?", (), {"own", "note"}),
        ("what do we use to glaze the pots?", ("own",), set()),
        ("which shelf is for glaze?", ("own",), {"note"}),
        ("show me Glazes for pots", ("own",), {"note"}),
    ],
)
def test_a_note_beside_what_was_delivered(world, prompt, delivered, opened):
    """A note is not needed where the session has a memory that says as much of what is asked, or where it is clearly behind."""
    world.add("own", "memory", "We glaze the pots with ash.", title="Ash glaze")
    named = {"named": 1.0} if "Glazes for pots" in prompt else {}
    world.add("note", "document", "Glaze for pots is sold by shelf and colour.", title="Glazes for pots", **named)
    world.add("far", "document", "Glaze dries in a day.", title="Drying", score=1.9)
    assert world.opened(prompt, *delivered) == opened


def test_long_reports(world):
    """Of what an agent reported at length is shown what touches the prompt; a chat is shown as it was said."""
    rows = [f"Row {number} of the greenhouse got water, light and a new label." for number in range(30)]
    report = "\n".join([*rows[:20], "The spare kiln was moved to the yard.", *rows[20:]])
    world.add("report", "session", report, age=timedelta(hours=1))
    world.add("chat", "session", report, age=timedelta(hours=1), worked=False)
    hits = {hit.item.key: hit for hit in worth_showing(world.index, "yard", LONG, list(world.hits.values()), world.now, ())}
    shown = hits["session://host/report"].passage.text
    assert "The spare kiln was moved to the yard." in shown
    assert shown.startswith("Row 0 of the greenhouse")
    assert len(shown) <= REPORT_CHARS + HEAD_CHARS + 10
    assert hits["session://host/chat"].passage.text == report


def test_only_states():
    """Whether words hold nothing but statements."""
    assert only_states("The kiln is hot. It stands behind the mill.")
    assert not only_states("The kiln is hot. Move it.")
    assert not only_states("I would like the kiln to be moved")
    assert not only_states("the kiln is hot..okay we can move it..let me know")
