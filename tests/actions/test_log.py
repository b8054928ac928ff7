"""Tool calls are logged as they are captured, each once, with what it came to; forgetting and exclusion reach them."""

import pytest
from tests.actions.talks import lines_of, ran, refused, talked

from vademecum.domain.action import LoggedCall

ONE = "session://claude-code/one"


@pytest.fixture
def log(memory):
    return memory.context.storage.calls


def test_calls_of_a_session(memory, log, tmp_path):
    """Commands, edits, searches of the web, tools of servers and skills, in order; reading and planning is none of them."""
    path = talked(
        tmp_path / "talk",
        "one",
        ran("make quay", "error: no rope", failed=True),
        ran("", tool="Read", given={"file_path": "/srv/harbour/a.md"}),
        ran("", tool="Edit", given={"file_path": "/srv/harbour/a.md", "old_string": "x", "new_string": "y"}),
        ran("", tool="WebFetch", given={"url": "https://tides.example", "prompt": "when"}),
        ran("", tool="mcp__port__berth", given={"row": "nine"}),
        ran("", tool="Skill", given={"skill": "knots"}),
        ran("", tool="TodoWrite", given={"todos": []}),
        refused("rm -rf old", "keep it"),
    )
    memory.maintenance.capture((path,))
    told = [(call.tool, call.target, call.outcome, call.says or call.words) for call in log.of(ONE)]
    assert told == [
        ("run", "make quay", "failed", "error: no rope"),
        ("edit", "/srv/harbour/a.md", "ok", ""),
        ("web", "https://tides.example", "ok", ""),
        ("mcp", 'mcp__port__berth {"row": "nine"}', "ok", ""),
        ("skill", "knots", "ok", ""),
        ("run", "rm -rf old", "refused", "keep it"),
    ]
    assert {call.project for call in log.of(ONE)} == {"harbour"}


@pytest.mark.parametrize(
    "tool",
    [
        "Bash",
        "shell",
        "exec_command",
        "run_shell_command",
        "run_terminal_cmd",
        "execute_bash",
        "Execute",
        "powershell",
        "run_in_terminal",
    ],
)
def test_shells_of_hosts(memory, log, tmp_path, tool):
    """A command is one, whatever its host calls the tool."""
    memory.maintenance.capture((talked(tmp_path / "talk", "one", ran("ship list", tool=tool)),))
    assert [(call.tool, call.target) for call in log.of(ONE)] == [("run", "ship list")]


def test_grows(memory, log, tmp_path):
    """An answer that comes with a later capture completes its call; a call is logged once however often its transcript is read."""
    lines = list(lines_of("one", [ran("ship list"), ran("ship pack", "error: unknown command 'pack'", failed=True)]))
    path = tmp_path / "one.jsonl"
    path.write_text("".join(lines[:-1]))
    memory.maintenance.capture((str(path),))
    assert [call.outcome for call in log.of(ONE)] == ["ok", ""]
    path.write_text("".join(lines))
    memory.maintenance.capture((str(path),))
    assert [call.outcome for call in log.of(ONE)] == ["ok", "failed"]
    memory.maintenance.rebuild()
    assert [(call.target, call.outcome) for call in log.of(ONE)] == [("ship list", "ok"), ("ship pack", "failed")]


@pytest.mark.parametrize(
    ("command", "answer", "outcome"),
    [
        ("ship pack | tail -5", "error: unknown command 'pack'", "failed"),
        ("git fetch upstream 2>&1 | tail -1", "fatal: 'upstream' does not appear to be a git repository", "failed"),
        ("npm install | tail", "npm ERR! code E404", "failed"),
        ("cat log.txt | tail", "fatal: the build of yesterday", "ok"),
        ("ship list", "error: unknown command 'pack'", "ok"),
        ("ship list", "<tool_use_error>Sibling tool call errored</tool_use_error>", ""),
    ],
)
def test_exit_codes_behind_pipes(memory, log, tmp_path, command, answer, outcome):
    """Where a pipe hides the exit code, an answer that complains of the command itself tells; what a file says does not."""
    memory.maintenance.capture((talked(tmp_path / "talk", "one", ran(command, answer)),))
    assert [call.outcome for call in log.of(ONE)] == [outcome]


def test_forgotten(memory, log, tmp_path):
    """Words that are forgotten, and conversations that are, leave no byte in the log."""
    memory.maintenance.capture(
        (talked(tmp_path / "talk", "one", ran("echo the lantern code"), ran("ls"), said="The third lantern code."),)
    )
    memory.maintenance.capture((talked(tmp_path / "talk", "two", ran("moor --at jetty")),))
    assert len(log.of(ONE)) == 2
    memory.notes.forget("lantern code", "subject", yes=True)
    assert [call.target for call in log.of(ONE)] == ["ls"]
    memory.notes.forget("session://claude-code/two", "source", yes=True)
    assert not log.of("session://claude-code/two")
    held = b"".join(path.read_bytes() for path in (tmp_path / "data").glob("actions.db*"))
    assert held and b"lantern" not in held and b"jetty" not in held


def test_secrets(memory, log, tmp_path):
    """A secret in a command is redacted in the log as everywhere."""
    key = "ghp_" + "b9Lf73mNqR15yQa8SuZx2WcO6dYf4VgIi0Kt"
    call = ran(f"curl -H 'Authorization: Bearer {key}' tides.example", f"curl: (22) error: {key} was refused", failed=True)
    memory.maintenance.capture((talked(tmp_path / "talk", "one", call),))
    [logged] = log.of(ONE)
    assert "Bearer" in logged.target and "was refused" in logged.says
    assert b"b9Lf73" not in b"".join(path.read_bytes() for path in (tmp_path / "data").glob("actions.db*"))


def test_damaged(memory, log, opened, tmp_path):
    """A damaged log is set aside; nobody but its owner may read it; a rebuild fills it again."""
    memory.maintenance.capture((talked(tmp_path / "talk", "one", ran("ls")),))
    file = tmp_path / "data" / "actions.db"
    assert file.stat().st_mode & 0o077 == 0
    memory.close()
    for path in (tmp_path / "data").glob("actions.db*"):
        path.unlink()
    file.write_bytes(b"no database" * 500)
    again = opened()
    assert again.context.storage.calls.of(ONE) == ()
    again.maintenance.rebuild()
    assert [call.target for call in again.context.storage.calls.of(ONE)] == ["ls"]


def test_known_outcome_stays(log):
    """A call that is read again without its answer keeps what it came to."""
    call = LoggedCall(ONE, "a", "harbour", None, "run", "ls", "failed", "no", id="x")
    log.put([call])
    log.put([LoggedCall(ONE, "a", "harbour", None, "run", "ls", "", id="x")])
    assert log.of(ONE) == (call,) == log.failed("harbour", None) == log.failed(None, None)
    assert log.propose("harbour", "run: ls") and not log.propose("harbour", "run: ls")
