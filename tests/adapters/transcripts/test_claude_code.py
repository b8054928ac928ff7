"""Who speaks in a transcript of Claude Code. Each test is a trap met in real files."""

from pathlib import Path

import pytest
from tests.adapters.transcripts.transcript_samples import (
    SESSION,
    agent,
    attachment,
    call,
    line,
    lines,
    queue,
    result,
    text,
    user,
)

from vademecum.adapters.transcripts.claude_code import ClaudeCode
from vademecum.domain.session import Cursor, Session
from vademecum.ingest.reader import read


def session(*values, path="/home/ana/.claude/projects/x/t.jsonl") -> Session:
    return ClaudeCode().parse(lines(*values), Cursor(), path).session


def said(*values, role="user") -> list[str]:
    """What the role says in a conversation of these lines, sub-agents left out."""
    return [turn.text for turn in session(*values).turns if turn.role == role and not turn.sidechain]


@pytest.mark.parametrize(
    "value",
    [
        user(
            1,
            "<command-name>/clear</command-name>\n  <command-message>clear</command-message>\n  <command-args></command-args>",
        ),
        user(1, "<command-name>/model</command-name><command-args>opus</command-args>"),
        user(1, "<system-reminder>\nAlways use tools.\n</system-reminder>"),
        user(1, "[Request interrupted by user]"),
        user(1, [text("[Request interrupted by user for tool use]")]),
        user(1, "Run the build", origin={"kind": "task-notification"}),
        user(1, "Another Claude session sent a message:\n<cross-session-message>hi</cross-session-message>"),
        user(1, "wake up", promptSource="loop_wakeup"),
        user(1, [text("[Image: source: /tmp/a.png]")], isMeta=True),
        user(1, "<bash-input>ls</bash-input>"),
        attachment(1, type="hook_success", content="The user always uses tabs."),
        attachment(1, type="queued_command", commandMode="prompt", origin={"kind": "peer"}, prompt="from another session"),
        {"type": "api-request-blob", "sessionId": SESSION, "content": "The user always uses tabs."},
    ],
)
def test_not_a_person(value):
    """X-23: what the host, a tool, a sub-agent or we ourselves wrote is never heard as the person's or the agent's speech."""
    assert said(value) == []
    assert said(value, role="agent") == []


def test_reminder_inside():
    """A reminder that the host put into a person's message is cut out of it."""
    assert said(user(1, "Fix it.\n<system-reminder>Never mention this.</system-reminder>\nThen push.")) == [
        "Fix it.\n\nThen push."
    ]
    assert said(user(1, [text("<ide_opened_file>x.py</ide_opened_file>"), text("Explain this")])) == ["Explain this"]


def test_reminder_mentioned():
    """A person may talk about a reminder without losing their words."""
    assert said(user(1, "Why is there a <system-reminder> in my log?")) == ["Why is there a <system-reminder> in my log?"]


def test_slash_command():
    """What follows a slash command of one's own is said by the person."""
    spoken = (
        "<command-message>deploy is running…</command-message>\n<command-name>/deploy</command-name>\n"
        "<command-args>to staging, please</command-args>"
    )
    assert said(user(1, spoken)) == ["to staging, please"]


def test_remembered():
    """A line begun with # to be remembered is said by the person."""
    assert said(user(1, "<user-memory-input>we deploy on Fridays</user-memory-input>")) == ["we deploy on Fridays"]


def test_pictures():
    """A picture alone is still something a person said."""
    assert said(user(1, [{"type": "image", "source": {"data": "AAAA"}}])) == ["[image]"]
    assert said(user(1, [text("like this"), {"type": "image", "source": {"data": "AAAA"}}])) == ["like this"]


@pytest.mark.parametrize(
    ("printed", "more"),
    [
        ("Exit code 3\nthe user said:\nAlways trust the build", {}),
        ("no such row; the user said:\nAlways trust the build", {}),
        (
            "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nAlways trust the build",
            {"permissionDecision": {"decision": "accept", "source": "config"}},
        ),
    ],
)
def test_no_refusal_in_output(printed, more):
    """What a program prints is nobody's refusal, even where it prints the host's own words for one."""
    assert said(user(1, [result("t", printed, is_error=True)], **more)) == []


def test_answers_before_a_talk():
    """A person who wants to talk before they answer all questions gave some answers already."""
    asked = [agent(1, call("AskUserQuestion", "q", questions=[{"question": "Wohin damit?"}, {"question": "How many?"}]))]
    refusal = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
    talk = (
        "The user wants to clarify these questions.\n    This means they may have questions for you.\n\n    Questions asked:\n"
        '- "Wohin damit?"\n  Answer: In den Keller,\nneben die Tür\n- "How many?"\n  (No answer provided)'
    )
    answered = user(2, [result("q", refusal + talk, is_error=True)])
    assert said(*asked, answered) == ["In den Keller,\nneben die Tür"]
    assert said(answered) == []  # a tool of another name may print anything


def test_notes_in_the_text():
    """Notes beside an answer are the person's also where only the result's text holds them."""
    asked = agent(1, call("AskUserQuestion", "q", questions=[{"question": "Which tin?"}, {"question": "Which lid?"}]))
    text_ = (
        'The user answered: "Which tin?"="the blue one" user notes: it closes, "Which lid?"="cork". Read the answers carefully.'
    )
    assert said(asked, user(2, [result("q", text_)])) == ["the blue one\nit closes", "cork"]


@pytest.mark.parametrize(
    "values",
    [
        (queue("enqueue", "and push"), queue("remove")),
        (queue("enqueue", "and push"), queue("remove", "and push")),
        (
            queue("enqueue", "and push"),
            attachment(1, type="queued_command", commandMode="prompt", prompt="and push"),
            queue("remove"),
        ),
        (queue("enqueue", "and push"), queue("remove"), attachment(1, type="queued_command", prompt="and push")),
        (queue("enqueue", "and push"), queue("dequeue"), user(1, "and push")),
    ],
)
def test_typed_meanwhile(values):
    """What a person types while the agent works is heard once, however the version records it."""
    assert said(*values) == ["and push"]


def test_taken_back():
    """A queued prompt that the person took back was not said."""
    assert said(queue("enqueue", "never mind"), queue("popAll", "never mind")) == []
    assert said(queue("enqueue", '{"task_id":"b1"}'), queue("remove")) == []


def test_tool_turns():
    """A call tells the tool and the file, a result both its ends and whose it is; neither is speech."""
    turns = session(
        agent(1, text("Now the tests."), call("Edit", "t1", file_path="/home/ana/a.py", old_string="x", new_string="y")),
        user(2, [result("t1", "A" * 5000 + "ModuleNotFoundError: No module named 'larder'")]),
    ).turns
    assert [turn.role for turn in turns] == ["agent", "tool", "tool"]
    assert (turns[1].text, turns[1].tools, turns[1].files) == ("Edit: /home/ana/a.py", ("Edit",), ("/home/ana/a.py",))
    assert turns[2].name == "Edit"
    assert turns[2].text.endswith("ModuleNotFoundError: No module named 'larder'")
    assert len(turns[2].text) < 2100


def test_long_message():
    """A message that spreads over several lines gives each of its texts once."""
    blocks = [text("First."), {"type": "thinking", "thinking": "hm"}, text("Second."), call("Bash", "t", command="ls")]
    spread = [agent(number, block, message_id="m") for number, block in enumerate(blocks)]
    assert said(*spread, role="agent") == ["First.", "Second."]
    assert said(agent(1, *blocks), role="agent") == ["First.", "Second."]


def test_repeated_lines():
    """A resumed session repeats old lines; each is heard once, even when the file is read in between."""
    first, again = lines(user(1, "one"), agent(2, text("two"))), lines(user(1, "one"), agent(2, text("two")), user(3, "three"))
    start = ClaudeCode().parse(first, Cursor(), "/t.jsonl")
    rest = ClaudeCode().parse(again, start.cursor, "/t.jsonl")
    assert [turn.text for turn in rest.session.turns] == ["three"]


def test_sub_agents():
    """Sub-agents are kept and marked, whether they stand among the lines, inside progress, or in a file of their own."""
    nested = {"type": "user", "uuid": "n1", "message": {"role": "user", "content": "Look for tests"}}
    progress = line("progress", 1, data={"type": "agent_progress", "agentId": "a1", "message": nested})
    again = line("progress", 2, data={"type": "agent_progress", "agentId": "a1", "message": nested})
    (turn,) = session(progress, again).turns
    assert (turn.text, turn.sidechain, turn.ref) == ("Look for tests", True, "n1")
    own = session(user(1, "Look for tests", isSidechain=True, agentId="a1"))
    assert own.id == f"{SESSION}.agent-a1"
    assert own.turns[0].sidechain
    assert own.title == ""


def test_header():
    """Id, folder and branch come from the conversation, not from the bookkeeping before it."""
    found = session({"type": "last-prompt", "sessionId": "another"}, user(1, "Add a page\nwith a list"))
    assert (found.id, found.cwd, found.project, found.branch) == (SESSION, "/home/ana/code/larder", "larder", "main")
    assert found.title == "Add a page"
    assert found.uri == f"session://claude-code/{SESSION}"


def test_plan_title():
    """A session that starts by carrying out a plan is named after the plan."""
    assert session(user(1, "Implement the following plan:\n\n# Plan: Move to Postgres\n\n## Why")).title == "Move to Postgres"


def test_titles():
    """The person's title goes before the host's, that before the first prompt, and a summary may be another session's."""
    summary = {"type": "summary", "summary": "Of another session", "leafUuid": "zz"}
    by_host = {"type": "ai-title", "aiTitle": "By the host", "sessionId": SESSION}
    given = {"type": "custom-title", "customTitle": "Given", "sessionId": SESSION}
    assert session(summary).title == "Of another session"
    assert session(summary, user(1, "Hello")).title == "Hello"
    assert session(summary, user(1, "Hello"), by_host).title == "By the host"
    assert session(given, user(1, "Hello"), by_host).title == "Given"


def test_unknown_lines():
    """Kinds of lines we do not know are counted, so that a new version is noticed."""
    parsed = ClaudeCode().parse(lines({"type": "hologram"}, user(1, [{"type": "smell"}])), Cursor(), "/t.jsonl")
    assert dict(parsed.unknown) == {"hologram": 1, "user/smell": 1}


#: Beginning of the file's name -> (what persons said, what agents said). The first were counted by hand in the raw files.
REAL = {
    "1a022d9c": (1, 4), "2026-01-22": (1, 8), "28596a79": (3, 3), "30bcbd5e": (2, 12), "3f7550d4": (1, 6), "772c3c50": (2, 8),
    "78368290": (2, 7), "792068f8": (1, 1), "9b76dc0f": (1, 1), "9d72a1f7": (1, 2), "a0af77b8": (2, 24), "b0376c04": (1, 1),
    "b4204c32": (9, 53), "be3da121": (2, 16),
}  # fmt: skip

TRANSCRIPTS = Path(__file__).parents[4] / "shared" / "data" / "transcripts" / "claude-code"


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the real transcripts lie beside the repository, not in it")
@pytest.mark.parametrize("name", REAL)
def test_real_files(name):
    """In real files every prompt of a person is found and none is invented."""
    (path,) = TRANSCRIPTS.glob(f"{name}*.jsonl")
    parsed = read(path, ClaudeCode()).parsed
    roles = [turn.role for turn in parsed.session.turns if not turn.sidechain]
    assert (roles.count("user"), roles.count("agent")) == REAL[name]
    assert not parsed.unknown
    assert (parsed.broken, parsed.replaced) == (0, 0)
    assert parsed.cursor.offset == path.stat().st_size
    assert parsed.session.id in path.name
