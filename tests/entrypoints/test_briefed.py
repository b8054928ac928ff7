"""What agents are told by name, in what room there is, and what they find by name: walks through the doors."""

import json

import pytest


@pytest.fixture
def person(vade, tmp_path):
    """Somebody who has just made a memory in `notes`: `person(*words)` gives what is printed."""

    def typed(*words):
        return vade(*words)[1]

    typed("init", str(tmp_path / "notes"))
    return typed


def test_briefed_by_name(person):
    """An agent is told its own entries beside the project's, and how its chat stopped; nobody else is (IN-26, VO-13)."""
    person("save", "decision", "Use SSE", "--body", "We stream by SSE.")
    for agent in ("dev", "pm"):
        said = [{"role": "user", "text": f"Where does {agent} stand?"}, {"role": "agent", "text": f"{agent} is at the parser."}]
        person("sleep", agent, "--messages", json.dumps(said), "--summary", f"{agent} wrote the lexer.")
        person("checkpoint", agent, "--messages", json.dumps(said))
    for words in (
        ["briefing"],
        ["bundle", "who wrote the lexer"],
        ["search", "who wrote the lexer"],
        ["list", "--kind", "handoff"],
    ):
        own = person(*words, "--agent", "dev", "--json")
        assert "dev" in own and "pm" not in own, words
    told = person("briefing", "--agent", "dev")
    assert "Use SSE" in told and "dev wrote the lexer" in told and "[agent]: dev is at the parser." in told
    assert "dev" not in person("briefing") and "Use SSE" in person("briefing")


def test_small_budget(person):
    """A budget that holds nothing says so, instead of that there is nothing (IN-27)."""
    person("save", "decision", "Use SSE", "--body", "We stream by SSE.")
    assert person("briefing", "--budget", "20").startswith("No room: 20 tokens hold none of 1 memory.")
    assert person("bundle", "SSE stream", "--budget", "5").startswith("No room: 5 tokens")


def test_styles_by_work(person, tmp_path):
    """A style for coding is told where a project is worked on, one for mails is not; each once (VO-10)."""
    person("style", "add", "coding", "Terse, no greetings.", "--examples", "Done.")
    person("style", "add", "email", "Warm, by first name.")
    assert "Terse" not in person("briefing")
    (tmp_path / ".git").mkdir()
    told = person("briefing")
    assert "- coding: **Terse, no greetings.** Examples: - Done (" in told
    assert "Warm" not in told


def test_found_by_thread(person):
    """VO-55: a conversation is found by the thread it was handed over with, in search, list and SQL, though no word of it names it."""
    thread = "thread-2026-11-22-abc123"
    said = json.dumps([{"role": "user", "content": "We fly to Kansai in May."}, {"role": "assistant", "content": "Noted."}])
    person("save-conversation", "claude-code", "--messages", said, "--thread-id", thread)
    assert "Kansai" in person("sessions", "search", "Kansai", "--thread", thread)
    assert "Kansai" in person("sessions", "list", "--tag", thread)
    assert thread in person("sql", "SELECT thread_id FROM thread_sessions")
    assert "Kansai" not in person("sessions", "search", "Kansai", "--thread", "thread-2026-11-22-ffffff")
    person("rebuild")
    assert "Kansai" in person("sessions", "list", "--tag", thread)
