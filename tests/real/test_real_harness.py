"""What the real programs do with a hook: facts that the rest of the project is built on, and the proof that this harness sees them.

No line of ours runs here but the stand-in for the model, so a fact can change only with a version in `programs.py`; `make soak`
asks for all of them. docs/measurements/hosts-checked.md tells the versions.
"""

import shlex
import sys

import pytest

from tests.real.model_api import ModelApi, ToolCall
from tests.real.person import Claude, Codex, Gemini, Program

pytestmark = pytest.mark.soak

PROMPT = "Which database does the billing service use?"
AT_START = "The person prefers short answers."
AT_PROMPT = "The billing service stores its data in PostgreSQL."


def test_context_arrives(program: Program, recording_hook, model_api: ModelApi):
    """What a hook says at the start and at a prompt stands in the very request that the prompt causes, once each."""
    start, prompt, *_ = program.events
    recording_hook.tell(start, AT_START)
    recording_hook.tell(prompt, AT_PROMPT)
    program.hook(recording_hook.command)
    model_api.answer("It is PostgreSQL.")

    ran = program.ask(PROMPT)

    assert ran.code == 0, ran
    assert ran.reply == "It is PostgreSQL."
    assert [payload["hook_event_name"] for payload in recording_hook.seen] == list(program.events)
    assert len(model_api.requests) == 1
    told = model_api.last.told
    assert [told.count(text) for text in (PROMPT, AT_START, AT_PROMPT)] == [1, 1, 1]
    assert AT_PROMPT in program.written(ran.session)


def test_resumed_session_repeats_context(program: Program, recording_hook, model_api: ModelApi):
    """A program keeps what hooks said and sends it again with every later prompt: telling it again would double it."""
    start, prompt, *_ = program.events
    recording_hook.tell(prompt, AT_PROMPT)
    program.hook(recording_hook.command)
    first = program.ask(PROMPT)
    recording_hook.answer(prompt)

    second = program.ask("And which version?", resume=first.session)

    assert second.code == 0, second
    assert second.session == first.session
    assert model_api.last.told.count(AT_PROMPT) == 1
    assert [payload["source"] for payload in recording_hook.seen_of(start)] == ["startup", "resume"]


def test_no_hook_no_context(claude: Claude, model_api: ModelApi):
    """The counterpart: without a hook nothing of it is there."""
    ran = claude.ask(PROMPT)
    assert ran.code == 0, ran
    assert PROMPT in model_api.last.told
    assert AT_PROMPT not in model_api.last.told


@pytest.mark.parametrize("code", [2, 3])
def test_x34_exit_code_erases_prompt(program: Program, recording_hook, model_api: ModelApi, code):
    """X-34: exit code 2 of a prompt hook keeps the prompt from the model in every program; 3 does so in Gemini CLI alone."""
    _, prompt, *_ = program.events
    recording_hook.answer(prompt, stderr="usage: vade hook [OPTIONS]", code=code)
    program.hook(recording_hook.command)

    program.ask(PROMPT)

    erased = code == 2 or isinstance(program, Gemini)
    assert bool(model_api.requests) is not erased


def test_x34_unknown_key_drops_context(program: Program, recording_hook, model_api: ModelApi):
    """X-34: one key too many and Codex drops the whole answer of a hook without a word. The others do not mind."""
    _, prompt, *_ = program.events
    recording_hook.tell(prompt, AT_PROMPT, traceId="1")
    program.hook(recording_hook.command)

    ran = program.ask(PROMPT)

    assert ran.code == 0, ran
    assert PROMPT in model_api.last.told
    assert (AT_PROMPT in model_api.last.told) is not isinstance(program, Codex)


#: A broken hook -> the programs in which it keeps the prompt from the model.
PYTHON = shlex.quote(sys.executable)
BROKEN = {
    "/nowhere/vade-hook": {"gemini"},  # the shell says 127
    "echo 'a sentence that is no JSON'; exit 1": set(),
    "kill -9 $$": set(),
    f"{PYTHON} -I -S /nowhere/client.py": {"claude-code", "codex", "gemini"},  # Python says 2 of a file that is not there
    f"{PYTHON} -I -S /nowhere/client.py || exit 0": set(),
    "/nowhere/python -I -S client.py || exit 0": set(),
}


@pytest.mark.parametrize("command", BROKEN)
def test_x22_broken_hook(program: Program, model_api: ModelApi, command):
    """X-22: what a hook costs whose program is gone, fails or is killed. `|| exit 0` behind it makes each of them harmless."""
    program.hook(command, *program.events[:2])

    ran = program.ask(PROMPT)

    if program.name in BROKEN[command]:
        assert not model_api.requests
        return
    assert ran.code == 0, ran
    assert PROMPT in model_api.last.told
    assert "a sentence that is no JSON" not in model_api.last.told


def test_x33_late_hook(program: Program, model_api: ModelApi):
    """X-33: a hook that has not answered when its time is over is not heard, and the prompt goes on."""
    _, prompt, *_ = program.events
    program.hook("exec sleep 600", prompt, timeout_s=1)
    ran = program.ask(PROMPT)
    assert ran.code == 0, ran
    assert PROMPT in model_api.last.told


def test_x33_child_keeps_output_open(program: Program, recording_hook, model_api: ModelApi):
    """X-33: a process that a hook leaves behind must not hold its output. Claude Code reads on for a moment; Codex waits until the
    hook's time is over and then drops what it said; Gemini CLI waits for the process, whatever the time, and drops it too."""
    _, prompt, *_ = program.events
    recording_hook.tell(prompt, AT_PROMPT)
    patient = isinstance(program, Claude)
    program.hook(f"sleep 3 & {recording_hook.command}", prompt, timeout_s=60 if patient else 1)
    ran = program.ask(PROMPT)
    assert ran.code == 0, ran
    assert (AT_PROMPT in model_api.last.told) is patient


def test_plain_output_is_context(program: Program, recording_hook, model_api: ModelApi):
    """Plain text of a hook reaches the model in Claude Code and Codex; in Gemini CLI it is a message to the person."""
    _, prompt, *_ = program.events
    recording_hook.answer(prompt, AT_PROMPT)
    program.hook(recording_hook.command)
    program.ask(PROMPT)
    assert (AT_PROMPT in model_api.last.told) is not isinstance(program, Gemini)


def test_system_message_is_for_the_person(program: Program, recording_hook, model_api: ModelApi):
    """`systemMessage` never reaches the model."""
    _, prompt, *_ = program.events
    recording_hook.tell(prompt, AT_PROMPT, systemMessage="Loaded 1 memory: database")
    program.hook(recording_hook.command)
    program.ask(PROMPT)
    assert AT_PROMPT in model_api.last.told
    assert "Loaded 1 memory" not in model_api.last.told


def test_hooks_have_to_be_trusted(codex: Codex, recording_hook, model_api: ModelApi):
    """Codex runs no hook that the person has not reviewed, and says nothing of it in exec mode."""
    recording_hook.tell("UserPromptSubmit", AT_PROMPT)
    codex.hook(recording_hook.command)
    codex.trusting = False
    assert codex.ask(PROMPT).code == 0
    assert AT_PROMPT not in model_api.last.told
    assert recording_hook.seen == []


def test_tool_call_makes_second_request(claude: Claude, model_api: ModelApi):
    """The stand-in can make the agent work: what a tool answered stands in the next request."""
    (claude.person.work / "notes.txt").write_text("the answer is forty-two", "utf-8")
    model_api.answer(ToolCall("Read", {"file_path": str(claude.person.work / "notes.txt")}), "Forty-two.")
    ran = claude.ask("What do the notes say?")
    assert ran.reply == "Forty-two."
    assert "the answer is forty-two" in model_api.last.text("tool")
