"""One conversation opted out: nothing is learnt from it, whatever reads it and whenever; it is kept and found all the same."""

import json

import pytest
from msgspec.structs import replace
from tests.readers import may_read
from tests.scripted_llm import Scripted

from vademecum.domain.errors import Refused
from vademecum.domain.query import Query
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.verb import with_flags
from vademecum.ingest.conversations import Handling
from vademecum.plugins.sql.ask import ask

FIRST = "We decided to paint the greenhouse purple, because it is cheap."
LATER = "We decided to use slate for the roof, because it is grey."
LAST = "We decided to use oak for the door, because it lasts."
URI = "session://plain/a"


@pytest.fixture
def talk(tmp_path, clock):
    """Goes on with the conversation `a`, speakers in turns."""
    path = tmp_path / "talk" / "a.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps({"type": "session", "id": "a"}) + "\n")

    def said(*texts):
        first = len(path.read_text().splitlines())
        with path.open("a") as file:
            for number, text in enumerate(texts, first):
                line = {
                    "id": str(number),
                    "speaker": "user" if number % 2 else "assistant",
                    "text": text,
                    "time": clock.now().isoformat(),
                }
                file.write(json.dumps(line) + "\n")
        return str(path.parent)

    return said


def learnt(memory):
    return sorted(item.title for item in memory.notes.list() if item.source == "memory")


def test_nothing_is_learnt(memory, talk, told):
    """Opted out before anything was read: no memory, however often it is read and asked for; it is archived and found."""
    folder = talk(FIRST, "Noted.", "What is oak?", "A tree.")
    done = memory.sessions.exclude(URI)
    assert (done.session, done.eligible, done.learnt) == (URI, False, ())
    memory.maintenance.capture((folder,))
    memory.maintenance.rebuild()
    memory.maintenance.capture((folder,))
    with pytest.raises(Refused, match="excluded this conversation"):
        memory.conversations.mark(URI)
    with pytest.raises(Refused, match="excluded this conversation"):
        memory.conversations.mark(URI, facts=({"text": FIRST, "quote": FIRST, "kind": "decision"},))
    assert learnt(memory) == []
    assert told(memory, "greenhouse purple", gated=False) == []
    assert memory.recall.briefing().text.find("greenhouse") == -1
    assert FIRST in memory.sessions.export("a").text
    assert [hit.passage.text for hit in memory.sessions.search("greenhouse purple").hits] == [FIRST]
    assert [(one.session, one.excluded) for one in memory.sessions.list()] == [(URI, True)]
    assert ask(memory.context, "SELECT id, memory_eligible FROM conversation_threads").rows == ((URI, 0),)


def test_from_now_on(memory, talk, told):
    """Opted out in the midst, what was learnt stays and is named; opted in again, what is said from then on is learnt."""
    folder = talk(FIRST, "Noted.", "What is oak?", "A tree.")
    memory.maintenance.capture((folder,))
    assert told(memory, "purple", gated=False)[0] == FIRST.removesuffix(".")
    done = memory.sessions.exclude("a")
    assert done.learnt == tuple(item.key.removeprefix("memory://") for item in memory.notes.list(source=("memory",)))
    assert [hit.item.source for hit in memory.recall.ask(Query("greenhouse purple", gated=False)).hits] == ["memory"]
    talk(LATER, "Noted.")
    memory.maintenance.capture((folder,))
    assert learnt(memory) == [FIRST.removesuffix(".")]
    assert memory.sessions.include("a").eligible
    talk(LAST, "Noted.")
    memory.maintenance.capture((folder,))
    assert learnt(memory) == sorted((LAST.removesuffix("."), FIRST.removesuffix(".")))
    memory.conversations.mark(URI)
    assert LATER.removesuffix(".") in learnt(memory)
    assert "session" in {hit.item.source for hit in memory.recall.ask(Query("greenhouse purple", gated=False)).hits}


def test_no_model_reads_it(opened, talk):
    """What waited for a model waits no more, and nothing of it is shown to one."""
    memory, llm = opened(), Scripted([])
    memory.context = replace(
        memory.context,
        models=replace(memory.context.models, llm_name="scripted", open_llm=lambda: llm, llm_mark="mark"),
        choices=replace(memory.context.choices, llm_auto=True),
        pause=lambda seconds: None,
    )
    memory.maintenance.capture((talk(FIRST, "Noted.", "What is oak?", "A tree."),))
    assert [one.session for one in memory.llm.queue()] == [URI]
    memory.sessions.exclude("a")
    assert memory.llm.queue() == ()
    memory.maintenance.capture((talk(LATER, "Noted."),))
    assert (memory.llm.queue(), may_read(memory).llm.run().reads) == ((), ())


def test_handed_over_so(memory):
    """A tool that hands a conversation over says at once that nothing is to be learnt from it."""
    said = [{"role": "user", "content": text} for text in (FIRST, "Really.", "What is oak?", LATER)]
    done = memory.conversations.accept("claude-ai", said, Handling(exclude=True))
    assert (done.sync, learnt(memory)) == ("auto", [])
    assert [one.excluded for one in memory.sessions.list()] == [True]


def test_agents_only_exclude(memory):
    """An agent may opt a conversation out; that it is learnt from again is the person's word."""
    agents = {verb.name: verb.agents for verb in with_flags(VERBS)}
    assert (agents["sessions exclude"], agents["sessions exclude --undo"]) == (True, False)
