"""What a start holds back until it is known what the session is about, and what its first prompts are shown of it."""

from datetime import timedelta
from pathlib import Path

import pytest

from vademecum.domain.host import HookEvent
from vademecum.domain.query import Query
from vademecum.entrypoints.recall_text import recall_text
from vademecum.inject.at_start import prepare
from vademecum.wiring import open_memory, open_recall

TITLES = {"mill": "Flour from the mill", "tray": "Copper trays", "salt": "Salt from Guérande"}


@pytest.fixture
def bakery(settings, clock, home, tmp_path):
    """A memory in use, opened in a repository, with a preference, two decisions and a lesson that were read from conversations."""
    folder = tmp_path / "bakery"
    (folder / ".git").mkdir(parents=True)
    with open_memory(settings(), clock=clock, folder=folder) as memory:
        memory.notes.save("preference", "Short answers", "The user prefers short answers.", project="bakery")
        started(memory, "before")
        saved = [
            memory.notes.save("decision", TITLES["mill"], "Flour is bought from the mill at the river.", project="bakery"),
            memory.notes.save("lesson", TITLES["tray"], "Copper trays scorch the underside of buns.", project="bakery"),
            memory.notes.save("decision", TITLES["salt"], "Salt comes from Guérande, in sacks.", project="bakery"),
        ]
        read_from_conversations(memory, home, *saved)
        yield memory


def started(memory, session, cause="startup", **fields):
    memory.context.clock.advance(timedelta(minutes=1))
    event = HookEvent("plain", "start", "E", session, memory.context.folder, cause=cause, **fields)
    return memory.recall.deliver(event).text


def read_from_conversations(memory, home, *saved):
    """Mark memories as only read from a conversation."""
    for one in saved:
        path = home / one.memory.path
        path.write_text(path.read_text().replace("\n---\n", "\ntrust: extracted\n---\n", 1))
    memory.maintenance.sync()


def asked(memory, session, prompt):
    memory.context.clock.advance(timedelta(minutes=1))
    event = HookEvent("plain", "prompt", "E", session, memory.context.folder, prompt=prompt)
    return memory.recall.deliver(event)


def named(text):
    """Return which of the memories read from conversations a text names."""
    return {name for name, title in TITLES.items() if title in text}


def test_shown_where_it_is_touched(bakery):
    """A start shows what binds any work; what was only read is shown at the first prompt that touches it, once, and counts there."""
    usage = bakery.context.state.usage
    shown = started(bakery, "s")
    assert (named(shown), "short answers" in shown) == (set(), True)
    first = asked(bakery, "s", "Write down who delivers the sacks of salt, in the ledger of the bakery.")
    assert named(first.text) == {"salt"}
    keys = [key.partition("#")[0] for key in first.keys]
    assert [use.times for use in usage.unused("bakery", keys).values()] == [1]
    assert named(asked(bakery, "s", "And the copper trays that scorch the buns, sell them.").text) == {"tray"}
    assert not named(asked(bakery, "s", "Weigh the salt again, and put the sacks of salt away.").text)


def test_a_prompt_that_says_nothing(bakery):
    """A first prompt without a subject means the last work and is shown all; a later one, and one about something else, nothing."""
    started(bakery, "s")
    assert named(asked(bakery, "s", "Go on!").text) == set(TITLES)
    started(bakery, "t")
    assert not named(asked(bakery, "t", "Paint the garden fence green and plant a pear tree beside it.").text)
    assert not named(asked(bakery, "t", "Go on.").text)


def test_only_the_first_prompts(bakery):
    """What the first prompts do not touch, later ones are shown only if they need it as any prompt does."""
    started(bakery, "s")
    for prompt in ("Paint the fence green.", "Plant a pear tree."):
        assert not named(asked(bakery, "s", prompt).text)
    assert not named(asked(bakery, "s", "Put sacks away.").text)


@pytest.mark.parametrize(
    ("cause", "fields", "whole"),
    [
        ("startup", {}, False),
        ("clear", {}, False),
        ("compact", {}, True),
        ("restart", {}, True),
        ("startup", {"heard_at_prompts": False}, True),
    ],
)
def test_starts_that_hold_nothing_back(bakery, cause, fields, whole):
    """A start in the midst of the work, or of a host that shows nothing at prompts, shows everything."""
    if cause != "startup":
        started(bakery, "s")
        asked(bakery, "s", "Go on.")
    shown = named(started(bakery, "s", cause, **fields))
    assert shown == (set(TITLES) if whole else set())
    assert named(asked(bakery, "s", "Go on, please.").text) == set(TITLES) - shown


def test_the_very_first_session(settings, clock, home):
    """The first session after an installation is shown at once what is known."""
    with open_memory(settings(), clock=clock) as memory:
        saved = memory.notes.save("decision", TITLES["mill"], "Flour is bought from the mill at the river.")
        read_from_conversations(memory, home, saved)
        assert [named(started(memory, session)) for session in ("first", "second")] == [{"mill"}, set()]


@pytest.mark.parametrize(
    ("prompts", "shown"),
    [
        (("Where did we leave off with the shop?",), True),
        (("Paint the garden fence.", "And what is still open in the bakery?"), True),
        (("Is the window shutter in the bakery oiled?",), True),
        (("Do it.",), True),
        (("Paint the garden fence.", "Do it."), False),
        (("Paint the garden fence and plant a pear tree beside it.",), False),
        (("Write a poem of four lines about rivers which continue to flow under stone bridges in deep winter frost.",), False),
    ],
)
def test_where_the_last_session_stopped(bakery, home, prompts, shown):
    """The person is told at the start; the agent at a first prompt that touches it, asks to go on, or says nothing."""
    text = "Asked: oil the window shutters\nDone: two shutters oiled\nOpen: the shutter of the cellar"
    read_from_conversations(
        bakery, home, bakery.notes.save("handoff", "Oil the shutters (open: cellar)", text, project="bakery")
    )
    event = HookEvent("plain", "start", "E", "s", bakery.context.folder, cause="startup")
    start = bakery.recall.deliver(event)
    assert "cellar" not in start.text and "last session: Oil the shutters (open: cellar)" in start.notice
    told = "".join(asked(bakery, "s", prompt).text for prompt in prompts)
    assert ("Done: two shutters oiled Open: the shutter of the cellar" in told) == shown
    assert "cellar" in started(bakery, "s", "compact")


def test_prompt_without_a_start(bakery):
    """A session whose start was not reported is briefed at its first prompt, and shown then what the prompt touches."""
    shown = asked(bakery, "s", "Who delivers the sacks of salt?").text
    assert (named(shown), "short answers" in shown) == ({"salt"}, True)
    assert named(asked(bakery, "s", "And the copper trays that scorch the buns, sell them.").text) == {"tray"}


def test_a_briefing_that_lies_ready(bakery, settings):
    """What a prepared start holds back is among its keys, which are recorded when it is printed."""
    folder = bakery.context.folder
    recall = open_recall(settings(), bakery.context, Path(folder))
    ready = prepare(recall, HookEvent("plain", "start", "E", "s", folder, cause="startup"))
    assert not named(ready.delivery.text)
    bakery.context.state.shown.record("session://plain/s", ready.delivery.keys, bakery.now())
    assert named(asked(bakery, "s", "Who delivers the sacks of salt?").text) == {"salt"}


@pytest.mark.parametrize(
    "question",
    ["Where were we?", "Wo haben wir aufgehört?", "¿Dónde nos quedamos?", "Onde é que ficámos?", "我们上次做到哪里了？"],
)
def test_asked_where_the_work_stopped(bakery, home, question):
    """Asked outright, the last handoff of the project answers at any prompt, each time; and so it does in a search, for any reader."""
    for place, project in (("cellar", "bakery"), ("attic", "house")):
        text = f"Asked: oil the shutters\nDone: two shutters\nOpen: the shutter of the {place}"
        saved = bakery.notes.save("handoff", f"Oil the shutters (open: {place})", text, project=project)
        if project == "bakery":
            read_from_conversations(bakery, home, saved)
    assert "cellar" not in started(bakery, "s")
    for prompt in ("Paint the garden fence.", "Plant a pear tree.", "Weigh the flour."):
        asked(bakery, "s", prompt)
    answers = [asked(bakery, "s", prompt).text for prompt in (question, f"{question} Tell me again.")]
    answers.append(recall_text(bakery.recall.ask(Query(question))))
    assert ["cellar" in text and "attic" not in text for text in answers] == [True, True, True]
    other = bakery.recall.ask(Query(question, bakery.notes.scope(project="house")))
    assert [hit.passage.text for hit in other.hits][:1] == ["Done: two shutters Open: the shutter of the attic"]
    assert "cellar" not in recall_text(bakery.recall.ask(Query("Where are we storing the tokens?")))
