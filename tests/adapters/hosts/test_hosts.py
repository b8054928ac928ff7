"""What every host promises, fed with what hosts send (payloads.json, made after what the real programs were seen to send)."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hosts_page import reference_page
from vademecum.adapters.hosts.all_hosts import guess, host_named, hosts
from vademecum.adapters.hosts.base import Limits, cut
from vademecum.adapters.hosts.claude_code import SHARED_WORD
from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.domain.host import Delivery, HookEvent
from vademecum.domain.tokens import estimate_tokens
from vademecum.plugin import added
from vademecum.plugins.copilot.host import CLI_PROMPT

#: Folder of the payloads of the core's hosts; a plugin has those of its host among its tests.
PAYLOADS = Path(__file__).parent / "payloads"
OF_PLUGINS = {host.name: Path(__file__).parents[2] / "plugins" / plugin / "payloads.json" for plugin, host in added("hosts")}
TRANSCRIPT = """\
{"step_index":0,"type":"USER_INPUT","source":"USER_EXPLICIT","content":"<USER_REQUEST>\\nHello\\n</USER_REQUEST>"}
{"step_index":1,"type":"PLANNER_RESPONSE","content":"Which USER_INPUT do you mean?"}
{"step_index":2,"type":"USER_INPUT","content":"<USER_REQUEST>\\nWhich port does the kettle service use?\\n</USER_REQUEST>\\n<X/>"}
"""

TOLD = Delivery("The kettle service uses port 8080.", "Loaded 1 memory: Kettle port", ("memory://1",), "told")

#: Host -> event -> the whole answer to TOLD. Events that are not here are answered with nothing at all.
CONTEXT = {"additionalContext": TOLD.text}
ANSWERS = {
    "claude-code": {
        event: {"hookSpecificOutput": {"hookEventName": event, **CONTEXT}, "systemMessage": TOLD.notice}
        for event in ("SessionStart", "UserPromptSubmit", "SubagentStart")
    },
    "codex": {
        event: {"hookSpecificOutput": {"hookEventName": event, **CONTEXT}, "systemMessage": TOLD.notice}
        for event in ("SessionStart", "UserPromptSubmit", "SubagentStart")
    },
    "gemini": {
        event: {"hookSpecificOutput": {"hookEventName": event, **CONTEXT}, "systemMessage": TOLD.notice}
        for event in ("BeforeAgent",)
    },
    "cursor": {
        event: {"additional_context": TOLD.text}
        for event in ("sessionStart", "beforeSubmitPrompt", "SessionStart", "UserPromptSubmit")
    },
    "vscode": {
        **{
            event: {"hookSpecificOutput": {"hookEventName": event, **CONTEXT}, "systemMessage": TOLD.notice}
            for event in ("SessionStart", "SubagentStart")
        },
        "sessionStart": CONTEXT,
        CLI_PROMPT: CONTEXT,
    },
    "antigravity": {
        event: {"injectSteps": [{"ephemeralMessage": TOLD.text}]} for event in ("SessionStart", "PreInvocation")
    },
    "opencode": {
        event: {"context": TOLD.text, "notice": TOLD.notice} for event in ("session.created", "chat.message", "session.compacted")
    },
}  # fmt: skip

#: What Codex checks an answer against: one key more, and all of it is dropped.
_CODEX_COMMON = {
    "continue": {"type": "boolean"}, "stopReason": {"type": "string"}, "suppressOutput": {"type": "boolean"},
    "systemMessage": {"type": "string"},
}  # fmt: skip
_CODEX_SCHEMAS = {
    event: {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **_CODEX_COMMON,
            "hookSpecificOutput": {
                "type": "object",
                "additionalProperties": False,
                "required": ["hookEventName"],
                "properties": {"hookEventName": {"const": event}, "additionalContext": {"type": "string"}},
            },
        },
    }
    for event in ("SessionStart", "UserPromptSubmit", "SubagentStart")
}


def sent(name, transcript=""):
    """Everything that a host was seen to send."""
    rows = json.loads(OF_PLUGINS.get(name, PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))
    return json.loads(json.dumps(rows).replace("TRANSCRIPT", transcript))


ROWS = [(name, row["name"]) for name in hosts() for row in sent(name)]


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "transcript.jsonl"
    path.write_text(TRANSCRIPT, encoding="utf-8")
    return path


@pytest.fixture
def row(transcript):
    """The row of a host by its name."""
    return lambda name, title: next(row for row in sent(name, transcript.as_posix()) if row["name"] == title)


def answered(name, event, delivery):
    text = hosts()[name].write(event, delivery)
    return json.loads(text) if text else None


@pytest.mark.parametrize(("name", "title"), ROWS)
def test_read(row, name, title):
    """What a host says is understood, event by event."""
    told = row(name, title)
    event = hosts()[guess(told["payload"]) or told.get("word", name)].read(told["payload"], "/here")
    assert event.host == name
    assert {field: getattr(event, field) for field in told["expect"]} == told["expect"]


@pytest.mark.parametrize(("name", "title"), ROWS)
def test_x34_answer_is_minimal(row, name, title):
    """X-34: an answer has exactly the keys that this host takes at this event; elsewhere nothing at all is printed."""
    host, payload = hosts()[name], row(name, title)["payload"]
    event = host.read(payload)
    wanted = ANSWERS[name].get(event.event) if event.moment != "other" else None
    assert answered(name, event, TOLD) == wanted
    assert host.write(event, Delivery()) == ""


@pytest.mark.parametrize("name", hosts())
def test_every_event_sent(name):
    """Each event that is registered or answered has a payload in the suite."""
    host = hosts()[name]
    events = {host.read(row["payload"]).event for row in sent(name)}
    told = {row.event for row in host.rows if row.wait_s or row.shows_text}
    through_claude = {"SessionStart", "UserPromptSubmit", "SubagentStop"} if name in ("cursor", "vscode") else set()
    assert told - through_claude <= events


@pytest.mark.parametrize("event", _CODEX_SCHEMAS)
def test_x34_codex_schema(event):
    """X-34: whatever is told, Codex's own check passes."""
    told = HookEvent("codex", "start", event, "s")
    for delivery in (TOLD, Delivery(text="x " * 20_000), Delivery(notice="n"), Delivery(text="a\ud800b", notice="\udc00")):
        jsonschema.validate(answered("codex", told, delivery), _CODEX_SCHEMAS[event])


@pytest.mark.parametrize("name", hosts())
@given(
    payload=st.dictionaries(
        st.sampled_from(["hook_event_name", "hookEventName", "session_id", "prompt", "source", "workspace_roots", "invocationNum",
                         "transcriptPath", "cwd", "conversationId", "x"]),
        st.one_of(st.none(), st.text(max_size=5), st.integers(), st.lists(st.integers(), max_size=2),
                  st.sampled_from(["UserPromptSubmit", "SessionStart", "Stop", "PreInvocation"])),
    ),
)  # fmt: skip
@settings(deadline=None)
def test_any_payload(name, payload):
    """A payload that nobody expected is understood or refused as invalid; nothing else happens."""
    try:
        event = hosts()[name].read(payload, "/here")
    except InvalidInput:
        return
    assert event.event
    assert isinstance(hosts()[name].write(event, TOLD), str)


def strings(value):
    """All texts in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in strings(one)]


@pytest.mark.parametrize("name", hosts())
@pytest.mark.parametrize("unit", ["a fact. ", "Satz mit Ümläuten.\n", "记忆是有用的。", "one paragraph\nof lines\n\n"])
def test_limits_kept(name, unit):
    """No host is given more than it takes, whatever the script."""
    host = hosts()[name]
    for event, wanted in ANSWERS[name].items():
        text = host.write(HookEvent(host.name, "prompt", event, "s"), Delivery(unit * 5000))
        told = max(strings(json.loads(text)), key=len)
        assert 4000 < len(told) <= 9000 or name == "codex", wanted
        assert name != "codex" or 2200 < estimate_tokens(told) <= 2400


@given(st.text(alphabet="ab \n。中", max_size=60), st.integers(1, 50))
def test_cut(told, room):
    """A text that is too long ends before a word that does not fit, and loses nothing else but blanks."""
    short = cut(told, Limits(chars=room))
    whole = told.strip()
    assert len(short) <= max(room, 0) and whole.startswith(short)
    following = whole[len(short) :]
    if following and short:
        assert following[0] in " \n" or short[-1] in "。中" or following[0] in "。中"


def test_cut_prefers_paragraphs():
    """A paragraph's end before a line's, a line's before a word's."""
    assert cut("one two\n\nthree four\nfive six seven", Limits(chars=30)) == "one two\n\nthree four"
    assert cut("first part here\n\nsecond part here", Limits(chars=25)) == "first part here"
    assert cut("x" * 50, Limits(chars=20)) == ""


@pytest.mark.parametrize("line", [
    "", "not json USER_INPUT", '{"type":"USER_INPUT"}', '["USER_INPUT"]', '{"type":"USER_INPUT","content":7}',
])  # fmt: skip
def test_strange_transcript(tmp_path, line):
    """A transcript that is missing, empty or strange gives no prompt, and no error."""
    path = tmp_path / "strange.jsonl"
    payload = {"conversationId": "c", "invocationNum": 0, "transcriptPath": str(path)}
    assert hosts()["antigravity"].read(payload).prompt == ""
    path.write_text(line, encoding="utf-8")
    assert hosts()["antigravity"].read(payload).prompt == ""


def test_long_transcript(transcript):
    """The last prompt is found behind a megabyte of other steps, when it stands near the end."""
    earlier = json.dumps({"type": "TOOL", "content": "x" * 1_000_000})
    transcript.write_text(earlier + "\n" + TRANSCRIPT, encoding="utf-8")
    payload = {"conversationId": "c", "invocationNum": 0, "transcriptPath": str(transcript)}
    assert hosts()["antigravity"].read(payload).prompt == "Which port does the kettle service use?"


def test_x46_host_is_told_by_payload():
    """X-46: one command line stands in the files of three hosts; what is sent tells which of them called."""
    for name in hosts():
        for told in sent(name):
            assert guess(told["payload"]) in ("", name)
            assert guess(told["payload"]) or name not in ("cursor", "vscode") or told.get("word") == name
    assert SHARED_WORD in hosts()


def test_unknown_host():
    """A host that does not exist is named, with what is known."""
    with pytest.raises(UnknownWord, match="codx"):
        host_named("codx")


def test_page_is_current():
    """docs/hosts.md is what the tables say; write it anew with tools/write_docs.py."""
    page = Path(__file__).parents[3] / "docs" / "hosts.md"
    assert page.read_text(encoding="utf-8") == reference_page()
