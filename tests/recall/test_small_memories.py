"""In a few memories every word is rare: what they answer follows from meaning and from the share of the question that one of them holds."""

import json

import pytest

from vademecum.domain.host import HookEvent
from vademecum.domain.item import Passage
from vademecum.domain.query import Query
from vademecum.domain.saved import SaveOptions
from vademecum.entrypoints.recall_text import chosen
from vademecum.recall.eligibility import says_something
from vademecum.recall.numbers import SAYING_LETTERS

#: (kind, what is saved, a question that it answers)
SAVED = (
    ("fact", "The chimney is swept every spring by Vogler", "who sweeps the chimney?"),
    ("fact", "The canoe gets its varnish in spring, at the boathouse", "when is the canoe varnished?"),
    ("decision", "The shop service is deployed to the Oslo region only", "where is the shop service deployed?"),
    ("preference", "Branch names are short and in lower case", "how should branch names look?"),
    ("fact", "The test database is called osprey and runs MariaDB", "what is the test database called?"),
    ("lesson", "The build of the manual hangs when two fonts are missing", "why does the build of the manual hang?"),
    ("decision", "Uploads are tried again three times at most", "how many times are uploads tried again?"),
    ("fact", "Our dentist is Dr Pell in Harbour street", "who is our dentist?"),
    ("fact", "The garden shed has number 12 behind the well", "what number has the garden shed?"),
    ("preference", "I take notes with a pencil, never with a pen", "what do I take notes with?"),
)
#: Nothing of the above answers these, though they share a word with some of it.
UNRELATED = (
    "Where is the toaster that we bought in spring?",
    "when does my driving licence expire?",
    "who won the regatta in Denmark?",
    "which hotel did we stay at for the wedding?",
    "how do I descale the kettle?",
    "what does the error E2077 mean?",
    "who wrote the billing module?",
    "where are the holiday photos?",
    "which colour is the hallway painted?",
    "what is the name of the electrician?",
    "when did we move to Python 3.12?",
    "how is the cache emptied?",
)


@pytest.fixture(params=[2, 5, 10], ids="{} memories".format)
def few(opened, request):
    """(memory with the default embedder, so many rows that are saved in it)."""
    memory, rows = opened(embedder="use"), SAVED[: request.param]
    for kind, text, _ in rows:
        memory.notes.save(kind, text, options=SaveOptions(unique=True))
    memory.maintenance.refine()
    return memory, rows


def shown(memory, question):
    found = chosen(memory.recall.ask(Query(question)))
    return [hit.item.title for hits in found.groups.values() for hit in hits]


def test_the_right_memory_alone(few):
    """A question that one memory answers shows that one first, and at most one beside it."""
    memory, rows = few
    for _, text, question in rows:
        titles = shown(memory, question)
        assert titles[:1] == [text] and len(titles) <= 2, question


def test_unrelated_questions_get_nothing(few):
    """One shared word ("spring") opens nothing, nor does it that the person asks about themselves; neither for a person nor at a prompt."""
    memory, _ = few
    for question in UNRELATED:
        assert shown(memory, question) == [], question
        assert not memory.recall.ask(Query(question, unasked=True)).hits, question


EXACT = (
    "Staging runs on 10.20.30.40 behind heron-gw.",
    "ENABLE_TIDE_SYNC=1 switches the tide sync on; off in production.",
    "parseLedgerRow in lib/ledger.ts drops rows without an amount on purpose.",
    "ECONNRESET when uploading means that the mill proxy cut the connection; raise proxy_read_timeout.",
    "KeyError: 'tenant_id' in the invoices came from old sessions; clear them with make sessions-clear.",
    "Releases leave every second Thursday.",
)


@pytest.mark.parametrize(
    ("prompt", "answers"),
    [
        ("what is 10.20.30.40", EXACT[:1]),
        ("ENABLE_TIDE_SYNC", EXACT[1:2]),
        ("parseLedgerRow", EXACT[2:3]),
        ("lib/ledger.ts", EXACT[2:3]),
        ("I get ECONNRESET on upload", EXACT[3:4]),
        ("KeyError: 'tenant_id'", EXACT[4:5]),
        ('"every second Thursday"', EXACT[5:]),
        ("what is 10.20.30.4", ()),
        ("parseLedger", ()),
        ("fix tenant_name and go on", ()),
    ],
)
def test_exact_identifiers(opened, prompt, answers):
    """A prompt that is short or asks is shown the memory with its identifier or quoted phrase, and nothing for another identifier."""
    memory = opened(embedder="use")
    for text in (*EXACT, *(text for _, text, _ in SAVED)):
        memory.notes.save("fact", text, options=SaveOptions(unique=True))
    memory.maintenance.refine()
    text = memory.recall.deliver(HookEvent("host", "prompt", "prompt", "", prompt=prompt)).text
    assert [each for each in EXACT if each.partition(";")[0].rstrip(".") in text] == list(answers)


LOG = "\n".join(f"2026-11-28 10:00:{second} INFO worker tick queue=alpha rows={second * 7}" for second in range(10, 40))


@pytest.mark.parametrize(
    ("form", "answered"),
    [
        (f"{LOG}\n\n{{}}", True),
        (f"{{}}\n{LOG}", True),
        (f"{LOG * 12}\n\n{{}}", True),
        (f"{LOG}\n\nWhat is wrong here?", False),
        (LOG, False),
    ],
)
def test_question_beside_a_paste(few, form, answered):
    """A question at an end of pasted material is answered as if it stood alone; the material itself asks nothing."""
    memory, rows = few
    for _, text, question in rows[:5]:
        event = HookEvent("host", "prompt", "prompt", "", prompt=form.format(question))
        assert (text in memory.recall.deliver(event).text) is answered, question
    for question in UNRELATED[:4] if answered else ():
        assert not memory.recall.deliver(HookEvent("host", "prompt", "prompt", "", prompt=form.format(question))).text, question


ANIMALS = (
    "The llama lives in the paddock behind the barn",
    "The parrot eats sunflower seeds and apple",
    "The piano is tuned in March",
    "People sign in through OAuth with their company account",
    "Das Lama steht auf der Weide hinter der Scheune",
    "Deploys go to Frankfurt on Tuesdays",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("where does the llama live", ANIMALS[0]),
        ("what do I feed the parrot", ANIMALS[1]),
        ("how do people log in", ANIMALS[3]),
        ("wo ist das Lama", ANIMALS[4]),
    ],
)
def test_in_other_words(opened, question, answer):
    """A question in other words than its memory is answered, also among few memories."""
    memory = opened(embedder="use")
    for text in ANIMALS:
        memory.notes.save("fact", text, options=SaveOptions(unique=True))
    memory.maintenance.refine()
    titles = shown(memory, question)
    assert answer in titles


@pytest.mark.parametrize(
    "question", ["Wo wohnt meine Schwester?", "which herb do I not like in my food", "Que bicicleta tenho?"]
)
def test_nearest_in_another_language(opened, question):
    """Among few memories the nearest one in another language is no answer because it is the nearest and about the person."""
    memory = opened(embedder="use")
    for text in (
        "Pour les voyages, je réserve toujours une place côté fenêtre",
        "I drink my coffee black and stop at two o'clock",
    ):
        memory.notes.save("preference", text, options=SaveOptions(unique=True))
    memory.notes.save("preference", "Ich frühstücke nie und esse abends am liebsten warm", options=SaveOptions(unique=True))
    memory.maintenance.refine()
    assert shown(memory, question) == []
    assert shown(memory, "comment je bois mon café ?")[:1] == ["I drink my coffee black and stop at two o'clock"]


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("who sweeps the chimney?", True),
        ("which region is the shop service deployed to?", True),
        ("Where is the toaster that we bought in spring?", False),
        ("how warm was the garden of the hotel last week?", False),
    ],
)
def test_by_words_alone(memory, question, answered):
    """Without a model too, one shared word of several opens nothing among a few memories."""
    for kind, text, _ in SAVED:
        memory.notes.save(kind, text, options=SaveOptions(unique=True))
    assert bool(shown(memory, question)) is answered


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("The winch is greased with blue fat.", True),
        ("绞盘用蓝色油脂润滑。", True),
        ("[[Winch]] [[Deck]] ![[plan.png]]", False),
        ("<https://example.org/winch-and-deck-and-rudder>", False),
        ("# Greasing the winch of the boat", False),
        ("And that's it.", False),
        ("Das war alles.", False),
        ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", False),
        ("```dataview\nTABLE file.ctime FROM #winch WHERE greased\n```", False),
        ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", False),
        ("Which fat does the winch need? And how much of it?", False),
        ("Which fat does the winch need? Blue fat from the chandler.", True),
    ],
)
def test_a_paragraph_is_evidence(text, says):
    """What is no paragraph is no evidence: only links, a heading, a closing phrase, encoded data, a question."""
    assert says_something(Passage(text), SAYING_LETTERS) is says


def test_lines_of_agents_are_not_repeated(memory, tmp_path):
    """What an agent answered in one line, in each session in which it was asked, is shown once."""
    for number in range(4):
        rows = [{"type": "session", "id": f"s{number}", "time": f"2026-02-1{number}T09:00:00+00:00"}]
        rows += [
            {"id": f"s{number}:0", "speaker": "user", "text": "which port does the lantern service listen on?"},
            {"id": f"s{number}:1", "speaker": "agent", "text": f"The lantern service listens on port 7717{'.!'[number % 2]}"},
            {"id": f"s{number}:2", "speaker": "user", "text": f"We looked at plant {number} and gave it some water."},
        ]
        (tmp_path / f"s{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory.maintenance.capture((str(tmp_path),), mine=False)
    memory.maintenance.refine()
    texts = [hit.passage.text for hit in memory.recall.ask(Query("which port does the lantern service listen on?")).hits]
    assert sum("7717" in text for text in texts) == 1
    assert not [text for text in texts if text.endswith("?")]


def test_turns_of_one_conversation_share_a_line(memory, tmp_path):
    """At a prompt that asks, turns beyond the limit stand under the hit of their conversation; none for a search by hand."""
    rows = [{"type": "session", "id": "s", "time": "2026-02-10T09:00:00+00:00"}]
    for row in range(40):
        said = (
            f"The lantern service of harbour {row} listens on port 77{row:02}."
            if row % 4 == 0
            else f"Plant {row} got some water."
        )
        rows.append({"id": f"s:{row}", "speaker": ("Ana", "Bo")[row % 2], "text": said})
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory.maintenance.capture((str(tmp_path),), mine=False)
    asked = "on which port does the lantern service of each harbour listen?"
    at_prompt = memory.recall.ask(Query(asked, limit=3, unasked=True)).hits
    assert len(at_prompt) == 3
    assert [len(hit.more) for hit in at_prompt] == [2, 2, 2]
    text = memory.recall.bundle(Query(asked, limit=3)).text
    assert text.count("said:") == 9 and text.count("77") == 9
    by_hand = memory.recall.ask(Query(asked, limit=3)).hits
    assert [len(hit.more) for hit in by_hand] == [0, 0, 0]


def test_a_conversation_leaves_room(memory, tmp_path):
    """Turns of one conversation share its lines from the start, so that what another one says of it gets a line, too."""
    lit = [f"The lantern of the harbour is lit at {hour} o'clock." for hour in range(5)]
    days = {"s": lit, "t": ["In winter the lantern of the harbour is lit when it gets dark."]}
    for day, (name, said) in enumerate(days.items(), 10):
        rows = [{"type": "session", "id": name, "time": f"2026-02-{day}T09:00:00+00:00"}]
        for number, text in enumerate(said):
            rows.append({"id": f"{name}:{2 * number}", "speaker": "Ana", "text": text})
            rows.append({"id": f"{name}:{2 * number + 1}", "speaker": "Bo", "text": f"Plant {number} got some water."})
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory.maintenance.capture((str(tmp_path),), mine=False)
    hits = memory.recall.ask(Query("when is the lantern of the harbour lit?", limit=3, unasked=True)).hits
    assert [hit.item.key.rpartition("/")[2] for hit in hits] == ["s", "s", "t"]
