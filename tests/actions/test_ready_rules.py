"""The file of rules that the hook client reads: when it is there, when it no longer holds, and what the client wrote beside it."""

from pathlib import Path

import pytest

from vademecum.adapters.device.ready_briefings import ReadyBriefings
from vademecum.domain.ready import Conditions, Start


@pytest.fixture
def ready(tmp_path):
    return ReadyBriefings(tmp_path / "ready", "policy")


def test_changes_make_the_rules_old(ready, tmp_path):
    """After a change the rules lie there, marked as old, until new ones are written; what is dropped is gone at once."""
    ready.put_rules(["rule git\t{}"], ready.mark("one"))
    assert ready.rules_mark()
    ready.take_away()
    assert (tmp_path / "ready" / "actions.rules").exists() and not ready.rules_mark()
    ready.put_rules(["rule git\t{}"], ready.mark("two"))
    assert ready.rules_mark()
    ready.drop_rules()
    assert not (tmp_path / "ready" / "actions.rules").exists()


def test_written_under_an_older_mark(ready):
    """Rules that were composed before a change are old from the beginning."""
    mark = ready.mark("one")
    ready.put_rules(["rule git\t{}"], mark)
    ready.take_away()
    ready.put_rules(["rule git\t{}"], mark)
    assert not ready.rules_mark()


def test_what_the_client_wrote_is_taken_once(ready, tmp_path):
    """Lines of the client's log are read once; one that was cut off costs itself alone."""
    ready.put_rules([], ready.mark("one"))
    (tmp_path / "ready" / "acted.jsonl").write_text('{"rule": "memory://a", "verdict": "note"}\n{"rule": ', encoding="utf-8")
    assert [line["rule"] for line in ready.acted()] == ["memory://a"]
    assert ready.acted() == ()


def test_forgetting_takes_the_rules_away(vault_of_rules):
    """What is forgotten is shown at no call from that moment on, nor while memory is paused."""
    memory, rules = vault_of_rules
    saved = memory.notes.save("preference", "Never git push --force.").memory
    rules.write_text("rule force\t{}\n")
    memory.notes.forget(saved.id, yes=True)
    assert not rules.exists()
    rules.write_text("rule force\t{}\n")
    memory.context.storage.pauses.begin(memory.now())
    assert not rules.exists()


@pytest.fixture
def vault_of_rules(opened, tmp_path):
    memory = opened()
    rules = tmp_path / "data" / "ready" / "actions.rules"
    rules.parent.mkdir(parents=True, exist_ok=True)
    return memory, rules


def test_forgetting_takes_away_what_a_killed_helper_left(vault_of_rules, monkeypatch):
    """Rules and a briefing whose writing was cut short lie beside the finished ones, with the same words."""
    memory, rules = vault_of_rules
    saved = memory.notes.save("preference", "Never git push --force.").memory
    ready = ReadyBriefings(rules.parent, "policy")
    start = Start("a", "claude-code", "/work", b"{}")
    writes = [
        lambda: ready.put_rules(['rule force\t{"text": "Never git push --force."}'], "mark"),
        lambda: ready.put(start, "mark", Conditions(b"", (), (), (), memory.now()), b"{}", b"Never git push --force."),
    ]
    for write in writes:
        with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
            killed.setattr(Path, "replace", _killed)
            write()
    assert len(_holding(b"push", rules.parent)) == 2
    memory.notes.forget(saved.id, yes=True)
    assert not _holding(b"push", rules.parent)


def _holding(words, folder):
    return [path for path in folder.iterdir() if path.is_file() and words in path.read_bytes()]


def _killed(*args):
    raise KeyboardInterrupt
