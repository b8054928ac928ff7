"""What is no evidence: it neither opens the threshold nor is told, whichever door is asked."""

import json
from datetime import timedelta

import pytest
from tests.by_hand import written_by_hand

from vademecum.domain.host import HookEvent
from vademecum.domain.query import Query
from vademecum.entrypoints.mcp import data
from vademecum.entrypoints.recall_text import recall_text
from vademecum.recall.eligibility import states_something

STATES = (
    "My name is Ada.", "Use tabs in Go files.", "Always run the tests first.", "We chose Postgres. Can you set it up?",
    "I have moved to Bonn, can you find me a doctor there?", "Fix it since the service listens on port 4417 now.",
    "Ich wohne in Bonn.", "Moro no Porto.", "我住在北京。",
    "Let's go with Litestream for the backups.", "Dann nehmen wir Postgres 16.", "Vamos usar o Redis.", "Usemos Redis.", "缓存就用 Redis。",
)  # fmt: skip
STATES_NOTHING = (
    "What is my name?", "link the PR please", "can you address the comment?", "ok, commit and push", "yeah let's push",
    "okay we can commit and merge it", "yes", "Thanks a lot!", "Kannst du das beheben?", "Bitte füge einen Test hinzu.",
    "investigate why it failed. https://ci.example.com/runs/27 please",
    "commit and update notes.md", "please bump it to v0.4.1",
    "¿Dónde vivo?", "Qual é o meu nome?", "我叫什么名字？", "请帮我提交",
)  # fmt: skip


@pytest.mark.parametrize("text", STATES)
def test_statements_are_evidence(text):
    """A person's words that hold a statement may be told, also beside a question."""
    assert states_something(text)


@pytest.mark.parametrize("text", STATES_NOTHING)
def test_questions_and_orders_are_not(text):
    """A question, an order for the moment or a courtesy says nothing that could answer anybody."""
    assert not states_something(text)


@pytest.fixture
def prompted(memory):
    """Gives a prompt to the hook in a session of its own, and returns what the agent is told beside the briefing."""
    sessions = iter(range(1000))

    def told(prompt, session=""):
        event = HookEvent("claude-code", "prompt", "UserPromptSubmit", session or f"s{next(sessions)}", prompt=prompt)
        return memory.recall.deliver(event).text.partition("## Memory")[2]

    return told


@pytest.fixture
def talked(memory, tmp_path):
    """Captures a conversation of (speaker, text) turns."""

    def capture(name, *turns):
        folder = tmp_path / "transcripts"
        folder.mkdir(exist_ok=True)
        lines = [{"type": "session", "id": name, "time": "2026-02-20T09:00:00+00:00"}]
        lines += [{"id": f"{name}:{row}", "speaker": speaker, "text": text} for row, (speaker, text) in enumerate(turns)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        memory.maintenance.capture((str(folder),), mine=False)

    return capture


def fill(memory):
    """Other memories, so that words are rare or common."""
    written_by_hand(memory, {f"Plant {row}": f"The plant in row {row} needs water and light." for row in range(12)})


def test_own_questions_and_orders(memory, prompted, talked):
    """What the person asked or ordered in an earlier conversation, and an agent that did not know, answers nothing."""
    fill(memory)
    talked(
        "a1",
        ("user", "What is my name and where do I live?"),
        ("agent", "I do not know your name or where you live."),
        ("user", "link the PR please and address the comment"),
    )
    assert prompted("What is my name?") == ""
    assert prompted("can you link the PR and address the comment?") == ""
    assert memory.recall.ask(Query("What is my name?")).verdict == "nothing known"
    assert memory.recall.ask(Query("What is my name?", gated=False)).hits  # a search by hand lists them
    assert "where do I live" in prompted("What did I ask about my name and where I live?")


def test_what_was_said_answers_only_who_asks(memory, prompted, talked):
    """An order for the moment is not told that something like it was said or done once; a question is."""
    fill(memory)
    talked("a1", ("user", "Go on."), ("agent", "The staging checks of the kettle service now go to port 4417."))
    assert prompted("Update the staging checks of the kettle service.") == ""
    assert prompted("Update the staging checks of the kettle service in notes.md") == ""
    assert "4417" in prompted("Where do the staging checks of the kettle service go?")


PLAN = """Implement the following plan:

# Plan: staging checks of the kettle service

## Context

Where do the staging checks of the kettle service go? Nobody said so before.

## Steps

1. Point them at its port.
"""


def test_an_order_needs_surer_words(memory, prompted):
    """What answers a question is not told beside an order that says no more: most often that needs nothing."""
    fill(memory)
    memory.notes.save("fact", "Kettle", "The staging checks of the kettle service go to port 4417 of the old machine in Bonn.")
    assert prompted("Paint the old shelf and tray.") == ""
    assert "4417" in prompted("Paint the staging checks of the kettle service.")
    assert prompted("Who paints the old shelf and tray?") == ""  # one shared word says nothing among so few memories
    assert "4417" in prompted("Who paints the old machine?")


def test_a_document_asks_nothing(memory, prompted, talked):
    """A plan that is handed over is no question, whatever words stand in it; what its last line asks is one."""
    fill(memory)
    talked("a1", ("user", "Go on."), ("agent", "The staging checks of the kettle service now go to port 4417."))
    assert prompted(PLAN) == ""
    assert "4417" in prompted(f"{PLAN}\nWhere do the staging checks of the kettle service go?")


def test_what_an_agent_was_about_to_do(memory, prompted, talked):
    """An agent's words about its next step tell nobody anything; what it found out does."""
    fill(memory)
    about_to = "Let me look at the staging checks of the kettle service on machine Harbour."
    talked("a1", ("user", "Go on."), ("agent", about_to), ("user", "Yes."), ("agent", f"{about_to} They go to port 4417."))
    told = prompted("Where do the staging checks of the kettle service go?")
    assert "4417" in told
    assert told.count("Let me look") == 1


def test_what_an_agent_said_on_its_way(memory, prompted, talked):
    """Of what an agent said while it worked only the last is told beside a prompt; who searches finds all of it."""
    fill(memory)
    talked(
        "a1",
        ("user", "The ferry timetable is wrong."),
        ("assistant", "The ferry timetable comes from the harbour's feed, which holds Sundays twice."),
        ("assistant", "The ferry timetable is right again: each Sunday of the harbour's feed is read once."),
    )
    told = prompted(
        "the ferry timetable shows the harbour's Sundays wrong, look into it and put it right before the next boat leaves"
    )
    assert "read once" in told
    assert "holds Sundays twice" not in told
    assert any("twice" in hit.passage.text for hit in memory.recall.ask(Query("ferry timetable harbour feed Sundays")).hits)


def test_what_was_handed_over(memory, prompted, talked):
    """A plan that was given to an agent to be carried out is told who asks about it, not who goes on with the work."""
    fill(memory)
    steps = "\n".join(f"- Step {row}: the ferry timetable gets column {row} of the harbour." for row in range(60))
    talked("a1", ("user", f"Implement the following plan:\n\n# Ferry timetable\n\n{steps}"), ("assistant", "Done."))
    assert "column" not in prompted("the ferry timetable looks odd at the harbour")
    assert "column" in prompted("Which columns of the harbour does the ferry timetable get?")


def test_near_copy_of_the_prompt(memory, prompted, talked):
    """A turn without a word that the prompt does not have tells nothing new."""
    fill(memory)
    talked("a1", ("user", "I deploy the harbour service."), ("user", "I deploy the harbour service from the cellar machine."))
    told = prompted("How do I deploy the harbour service?")
    assert "cellar machine" in told
    assert 'harbour service."' not in told


def test_chain_is_walked_to_its_end(memory, clock, prompted):
    """Of five replacements only the one that holds is told, once; the earlier ones to who asks for what was before (MV-08, SW-33)."""
    fill(memory)
    memory.notes.save("decision", "Go indentation", "In Go code indent with tabs, width 8.")
    for width in range(1, 6):
        clock.advance(timedelta(minutes=1))
        memory.notes.evolve("Go indentation", "another width", f"In Go code indent with tabs, width {width}.")
    titles = [hit.passage.text for hit in memory.recall.ask(Query("Which indentation width in Go code?")).hits]
    assert titles == ["In Go code indent with tabs, width 5."]
    assert prompted("Which indentation width in Go code?").count("width") <= 1
    before = prompted("Which indentation width did Go code have before?")
    assert "width 4. (decision, today, superseded" in before


def test_told_already_and_then_superseded(memory, prompted):
    """A session that has what holds is not told what it replaced."""
    fill(memory)
    memory.notes.save("decision", "Go indentation", "In Go code indent with tabs, width 8.")
    memory.notes.evolve("Go indentation", "another width", "In Go code indent with tabs, width 4.")
    assert (
        "width 4"
        in memory.recall.deliver(
            HookEvent("claude-code", "prompt", "UserPromptSubmit", "one", prompt="Which indentation width in Go code?")
        ).text
    )
    assert prompted("Go code: which indentation width is it?", "one") == ""


def test_stale_without_successor(memory, prompted):
    """What was superseded by nothing is told to nobody who did not ask, and stands behind all that holds (MV-21)."""
    fill(memory)
    memory.notes.save("fact", "Kettle port", "The kettle service listens on port 4417.")
    memory.notes.save("fact", "Kettle place", "The kettle service runs on the harbour machine.")
    memory.notes.supersede("Kettle port", "STALE")
    assert "4417" not in prompted("Which port does the kettle service listen on?")
    titles = [hit.item.title for hit in memory.recall.ask(Query("Which port does the kettle service listen on?")).hits]
    assert titles[-1:] == ["Kettle port"]
    assert titles[:1] == ["Kettle place"]


@pytest.mark.parametrize(
    ("dates", "marked", "asked"),
    [
        ({"valid_until": "2026-01-01"}, "until 2026-01-01", "Which parking spot was mine?"),
        ({"valid_from": "2026-06-01"}, "from 2026-06-01", "Which parking spot will be mine?"),
    ],
)
def test_validity_is_heard(memory, prompted, dates, marked, asked):
    """SW-32: what expired or does not hold yet is told with its date, and to a prompt only where that time is asked for."""
    fill(memory)
    memory.notes.save("fact", "Parking spot", "My parking spot is B12.")
    memory.notes.edit("Parking spot", properties=dates)
    assert prompted("Which parking spot is mine?") == ""
    assert marked in prompted(asked)
    assert [hit.holds for hit in memory.recall.ask(Query("Which parking spot is mine?")).hits] == [marked]


def test_what_expired_is_marked(memory):
    """A memory whose validity is over says so, to persons and agents."""
    fill(memory)
    memory.notes.save("fact", "Parking spot", "My parking spot is B12.")
    memory.notes.edit("Parking spot", properties={"valid_until": "2026-01-01"})
    found = memory.recall.ask(Query("Which parking spot is mine?"))
    for text in (recall_text(found), data.hits_text(data.hits(found, (), memory.now()))):
        assert "B12" in text and text.count("until 2026-01-01") == 1


def test_what_it_replaces(memory, prompted):
    """A memory shown in place of the superseded one that the question asks about says so, to persons and agents."""
    fill(memory)
    memory.notes.save("fact", "MySQL for the orders", "The orders are kept in MySQL.")
    memory.notes.save("fact", "Postgres for the orders", "The orders are kept in Postgres.")
    memory.notes.supersede("MySQL for the orders", "Postgres for the orders")
    found = memory.recall.ask(Query("Do we still use MySQL for the orders?"))
    agents = data.hits_text(data.hits(found, (), memory.now()))
    for text in (prompted("Do we still use MySQL for the orders?"), recall_text(found), agents):
        assert "kept in Postgres" in text and 'replaces "MySQL for the orders"' in text and "kept in MySQL" not in text
    assert "replaces" not in prompted("Which port does the kettle service listen on?")


def test_one_note_one_entry(memory, prompted, home):
    """MV-17: a note whose passages all answer is one entry with the passages under it, told or looked up."""
    fill(memory)
    parts = [
        f"## Part {row}\n\nIndentation in Go code is told by setting {row} of the editor.\n" + "Other words stand here. " * 20
        for row in range(6)
    ]
    memory.notes.save("fact", "Settings", "\n\n".join(parts))
    found = memory.recall.ask(Query("Indentation in Go code: which setting of the editor?"))
    assert [hit.item.title for hit in found.hits].count("Settings") == 1
    assert found.hits[0].more
    looked_up = memory.recall.ask(Query("Indentation in Go code: which setting of the editor?", gated=False))
    assert [hit.item.title for hit in looked_up.hits].count("Settings") == 1
    assert prompted("Indentation in Go code: which setting of the editor?").count("memory://") <= 1


def test_why_names_what_the_session_has(memory, prompted):
    """`vade why` of a prompt names what it was not told because the session was told it before."""
    fill(memory)
    memory.notes.save("fact", "Parking spot", "My parking spot is B12.")
    prompted("Which parking spot is mine?", "one")
    assert "B12" not in prompted("And the parking spot of mine, again: which one is it?", "one")
    why = memory.recall.why()
    assert ("Parking spot", "the session has it already") in {(left.title, left.why) for left in why.left}


def going_on(tmp_path, *turns):
    """Writes the transcript of a conversation of Claude Code that goes on; gives its path."""
    path = tmp_path / "going-on.jsonl"
    lines = [
        {
            "type": "user" if role == "user" else "assistant", "uuid": f"u{row}", "sessionId": "now", "cwd": "/work",
            "timestamp": "2026-03-02T08:59:00Z", "message": {"role": role, "content": [{"type": "text", "text": text}]},
        }
        for row, (role, text) in enumerate(turns)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_the_conversation_counts(memory, tmp_path):
    """What was said just before decides between two that the prompt alone fits equally well."""
    fill(memory)
    memory.notes.save("fact", "Harbour", "The staging port is 4417 on the harbour machine.")
    memory.notes.save("fact", "Orchard", "The staging port is 9120 on the orchard machine.")

    def first(about):
        path = going_on(tmp_path, ("user", f"Let us look at the {about} machine."), ("assistant", "Good."))
        event = HookEvent("claude-code", "prompt", "E", f"on {about}", prompt="What is its staging port?", transcript=path)
        return memory.recall.deliver(event).text.partition("## Memory")[2].strip().splitlines()[2]

    assert "4417" in first("harbour")
    assert "9120" in first("orchard")


def test_what_the_agent_fetched_itself(memory, tmp_path):
    """A memory whose id stands in what the agent has before it is not told once more, whichever door it came through."""
    fill(memory)
    saved = memory.notes.save("fact", "Harbour", "The staging port is 4417 on the harbour machine.").memory
    shown = going_on(tmp_path, ("assistant", f"memory says 4417 ({saved.id[-8:]})"))
    asked = "What is the staging port of the harbour machine?"
    told = [
        memory.recall.deliver(HookEvent("claude-code", "prompt", "E", session, prompt=asked, transcript=path)).text
        for session, path in (("one", shown), ("two", ""))
    ]
    assert "4417" not in told[0] and "4417" in told[1]


@pytest.mark.parametrize("prompt", ["fix the crane deck", "rename the winch rope"])
def test_a_refusal_names_what_refused(memory, prompt):
    """What asks nothing is told only what is surer: where nothing is, the answer names that threshold, never a confidence above it."""
    pairs = [("winch", "rope"), ("crane", "deck")] * 30
    days = {
        f"Day {day}": f"The {who} {day} holds the mast by the {whom} on day {day}." for day, (who, whom) in enumerate(pairs)
    }
    written_by_hand(memory, days)
    found = memory.recall.ask(Query(prompt, unasked=True))
    assert found.verdict == "nothing known"
    assert found.confidence < found.threshold


@pytest.mark.parametrize(
    "copy",
    [
        "Lathe.sync-conflict-20260301-101010-ABCDEFG.md",
        "Lathe (conflicted copy 2026-03-01 120000).md",
        "Lathe (phone's conflicted copy 2026-03-01).md",
        "Lathe (Case Conflict 1).md",
    ],
)
def test_copies_of_sync_tools(opened, tmp_path, copy):
    """A sync tool's copy stands in no answer beside its note; it is found by hand, and alone it answers."""
    notes = tmp_path / "Notes"
    notes.mkdir()
    text = "The lathe gets spindle oil every second Thursday."
    for name in ("Lathe.md", copy):
        (notes / name).write_text(f"{text}\n")
    (notes / copy).write_text("The lathe gets spindle oil every third Thursday.\n")
    memory = opened(vault=str(notes))
    memory.maintenance.sync()
    question = "how often does the lathe get spindle oil?"

    def paths(**more):
        return [hit.item.path for hit in memory.recall.ask(Query(question, **more)).hits]

    assert paths() == ["Lathe.md"]
    assert copy in paths(gated=False)
    (notes / "Lathe.md").unlink()
    memory.maintenance.sync()
    assert paths() == [copy]
