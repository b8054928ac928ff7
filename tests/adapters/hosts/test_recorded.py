"""What the real programs sent, as our tables understand it.

`recorded/HOST/EVENT.json` and `tests/plugins/HOST/recorded/EVENT.json` are written by tests/real/test_real_payloads.py.
"""

import json
from pathlib import Path

import pytest

from vademecum.adapters.hosts.all_hosts import guess, hosts
from vademecum.domain.host import Delivery

TESTS = Path(__file__).parents[2]
RECORDED = sorted([*TESTS.glob("adapters/hosts/recorded/*/*.json"), *TESTS.glob("plugins/*/recorded/*.json")])
SESSION = "00000000-0000-4000-8000-000000000001"

#: Recorded file -> what is understood, where it is not the rule for its event.
MOMENTS = {
    "SessionStart": "start", "UserPromptSubmit": "prompt", "BeforeAgent": "prompt", "Stop": "pause", "AfterAgent": "pause",
    "SubagentStart": "agent start", "SubagentStop": "agent end", "PreCompact": "shrink", "SessionEnd": "end",
    "PreToolUse": "call", "BeforeTool": "call", "AfterTool": "call",
}  # fmt: skip
#: What is said at these would cost the person's first prompt.
GEMINI_STARTS = {"gemini/SessionStart-startup", "gemini/SessionStart-resume"}
NOT_BY_PERSON = {"claude-code/UserPromptSubmit-task-notification", "codex/UserPromptSubmit-of-agent"}


def host_of(path):
    return path.parents[1 if path.parent.name == "recorded" else 0].name


def title(path):
    return f"{host_of(path)}/{path.stem}"


def read(path):
    payload = json.loads(path.read_text("utf-8"))
    assert guess(payload) == ""
    return payload, hosts()[host_of(path)].read(payload)


@pytest.mark.parametrize("path", RECORDED, ids=title)
def test_understood(path):
    """Event, session, folder, moment and transcript of everything that was sent."""
    payload, event = read(path)
    assert (event.event, event.session, event.cwd) == (payload["hook_event_name"], payload["session_id"], "/home/user/work")
    assert event.moment == MOMENTS.get(event.event, "other")
    assert event.by_person is (title(path) not in NOT_BY_PERSON)
    assert event.transcript.endswith(".jsonl")


@pytest.mark.parametrize(
    "path", [path for path in RECORDED if path.stem.startswith(("UserPromptSubmit", "BeforeAgent"))], ids=title
)
def test_x23_prompt_is_what_was_typed(path):
    """X-23: what our own hook said before is no part of the prompt."""
    payload, event = read(path)
    typed = "Which database does the billing service use?" if "with-context" in path.stem else payload["prompt"]
    assert event.prompt == typed


@pytest.mark.parametrize("path", RECORDED, ids=title)
def test_x34_never_told_where_nobody_listens(path):
    """X-34: text goes only into events that take it; with nothing to tell nothing is printed."""
    _, event = read(path)
    host = hosts()[host_of(path)]
    heard = event.moment in {"start", "prompt", "agent start"} and title(path) not in GEMINI_STARTS
    assert bool(host.write(event, Delivery("A fact."))) is event.heard is heard
    assert host.write(event, Delivery()) == ""
