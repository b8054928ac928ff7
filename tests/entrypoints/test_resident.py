"""Verbs of a command line that the helper carries out on the memory that it has open."""

import asyncio
import contextlib
import pickle
import threading

import pytest
from tests.entrypoints.every_verb import EVERY

from vademecum.domain.errors import Refused, VademecumError
from vademecum.entrypoints import resident
from vademecum.entrypoints.arguments import checked
from vademecum.entrypoints.verbs import verb_named
from vademecum.settings import socket_path
from vademecum.wiring import listen_by

#: What those verbs are given by position.
GIVEN = {"question": "kettle", "kind": "fact", "title": "The lid is red"}


@pytest.fixture
def serving(settings, memory):
    """A helper of this memory, as far as it carries out verbs; gives (its settings, verbs that it did)."""
    made, done = settings(), []

    async def call(action, *, cwd="", aside=False):
        done.append(cwd)
        return action(memory)

    async def meet(reader, writer):
        word = (await reader.readline()).decode().strip().removeprefix(resident.CALL).strip()
        writer.write(await resident.answer(call, made, word, await reader.read()))
        await writer.drain()
        writer.close()

    loop = asyncio.new_event_loop()
    socket_path(made).parent.mkdir(parents=True, exist_ok=True)
    server = loop.run_until_complete(listen_by()(str(socket_path(made)), meet, 1 << 20))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield made, done
    loop.call_soon_threadsafe(server.close)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def _ask(settings, folder, name, *, asks_person=False, **values):
    verb = verb_named(name)
    return resident.ask(settings, verb, checked(verb, values), folder, asks_person=asks_person)


def test_saved_and_recalled(serving, tmp_path):
    """A command saves and recalls through the helper, and the helper is told the folder that the command works in."""
    settings, done = serving
    saved = _ask(settings, tmp_path, "save", kind="fact", title="Kettle", body="The kettle stands in the kitchen.")
    found = _ask(settings, tmp_path, "recall", question="where does the kettle stand")
    assert saved.result.memory.id == found.result.hits[0].item.key.removeprefix("memory://")
    assert [hit.item.title for hit in found.result.hits] == ["Kettle"]
    assert done == [str(tmp_path)] * 2


def test_other_settings(serving, tmp_path, settings):
    """A command whose settings differ from those of the helper does the verb itself; where a setting was made makes no difference."""
    assert _ask(settings(origins=(("home", "config.toml"),)), tmp_path, "recall", question="kettle") is not None
    assert _ask(settings(prompt_limit=3), tmp_path, "recall", question="kettle") is None


def test_another_program(serving, tmp_path, monkeypatch):
    """A command of another installed version does the verb itself: what it sends need not mean the same to this helper."""
    settings, done = serving
    monkeypatch.setattr(resident, "_PROGRAM", "another")
    given = resident.pickle.dumps(("recall", {"question": "kettle"}, "", settings))
    assert asyncio.run(resident.answer(None, settings, "one of before", given)) == b""
    assert done == []


@pytest.mark.parametrize("answer", [b"", b'{"error": "unknown call"}\n'])
def test_old_helper(settings, tmp_path, monkeypatch, answer):
    """A helper that does not know the call, or ends meanwhile, leaves the verb to the command."""

    class Line(contextlib.nullcontext):
        def __init__(self):
            super().__init__(self)
            self.left = [answer, b""]

        def sendall(self, data): ...

        def shutdown(self, how): ...

        def recv(self, most):
            return self.left.pop(0)

    monkeypatch.setattr(resident, "line_to", lambda place: Line())
    assert _ask(settings(), tmp_path, "recall", question="kettle") is None


def test_no_helper(settings, tmp_path):
    """Without a helper the command does the verb itself."""
    assert _ask(settings(), tmp_path, "recall", question="kettle") is None


def test_errors_travel(serving, tmp_path):
    """An error of the verb is raised in the command, with its message and hint."""
    settings, _ = serving
    with pytest.raises(VademecumError, match="nonsense") as raised:
        _ask(settings, tmp_path, "save", kind="nonsense", title="Lid", body="The lid is red.")
    assert raised.value.hint


def test_refused_where_the_person_can_be_asked(serving, tmp_path, monkeypatch, memory):
    """What a helper refuses because nobody can be asked there, a command at a terminal does itself, and asks."""
    settings, _ = serving

    def refuse(*_arguments, **_values):
        raise Refused("page.md is a page of your own, and nobody could be asked.")

    monkeypatch.setattr(type(memory.notes), "save", refuse)
    lid = {"kind": "fact", "title": "Lid", "body": "The lid is red."}
    assert _ask(settings, tmp_path, "save", asks_person=True, **lid) is None
    with pytest.raises(Refused):
        _ask(settings, tmp_path, "save", **lid)


def test_only_what_may_be_done_elsewhere():
    """A verb for the helper names no file, has no screen and waits for no consent: those need the process of the command."""
    for verb in (one for one in EVERY if one.is_for_helper({param.name: param.default for param in one.params})):
        assert not verb.consent, verb.name
        assert verb.screen is None, verb.name
        assert not [param.name for param in verb.params if param.named == "place"], verb.name


@pytest.mark.parametrize("verb", [verb for verb in EVERY if verb.by_helper], ids=lambda verb: verb.slug)
def test_results_travel(memory, verb):
    """What such a verb gives can be sent to another process, and is shown there as here."""
    memory.notes.save(kind="fact", title="Kettle", body="The kettle stands in the kitchen.")
    values = checked(verb, {param.name: GIVEN[param.name] for param in verb.params if param.place})
    result = verb.do(memory, values, resident.BY_PERSON)
    assert verb.show(pickle.loads(pickle.dumps(result))) == verb.show(result)
