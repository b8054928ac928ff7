"""What every language model does, whatever it is behind: the reference, both wire formats, and both programs."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.scripted_llm import Scripted

from vademecum.adapters.llms import Options, create
from vademecum.adapters.llms.endpoint import PassingFailure
from vademecum.adapters.llms.structured import Structured
from vademecum.adapters.web.endpoint import retrying
from vademecum.domain.errors import BadAnswer, LLMRefused, LLMUnavailable
from vademecum.domain.llm import Prompt

SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}, "drift": {"type": "boolean"}},
    "required": ["facts", "drift"],
    "additionalProperties": False,
}
PROMPT = Prompt("memories", "Tell what was said.", ("user: Tea, please.",), SCHEMA, 500)
GOOD = {"facts": ["The user drinks tea."], "drift": False}
LACKING = {"facts": []}
#: A complaint that passes, one that does not: what the script of each model makes of them.
BUSY, NO_KEY = "busy", "no key"


@dataclass
class Model:
    """A model with a script.

    Attributes:
        asked: what it read, one text for each time. waits: seconds it was waited before asking again.
    """

    llm: Any
    script: Any
    asked: Any
    waits: list[float] = field(default_factory=list)


@pytest.fixture(params=["reference", "openai", "ollama", "anthropic", "claude-cli", "codex-cli"])
def model(request):
    return _reference() if request.param == "reference" else _made(request.param, request)


def _reference():
    waits = []
    faults = {BUSY: PassingFailure("busy"), NO_KEY: LLMRefused("no key")}
    script = []
    scripted = Scripted(lambda prompt: script.pop(0))
    llm = Structured("scripted", retrying(scripted._next, 3, waits.append))
    return Model(llm, lambda *said: script.extend(faults.get(str(one), one) for one in said),
                 lambda: [f"{prompt.task}\n{prompt.text}" for prompt in scripted.asked], waits)  # fmt: skip


def _made(service, request):
    waits = []
    options = {"sleep": waits.append, "api_key": lambda: "k", "timeout_s": 30}
    if service.endswith("-cli"):
        programs = request.getfixturevalue("programs")
        faults = {BUSY: {"fail": "the service is overloaded"}, NO_KEY: {"fail": "Not logged in. Please run /login"}}
        llm = create(f"{service}:small", Options(environment=request.getfixturevalue("environment"), **options))
        return Model(llm, lambda *said: programs.say(*(faults.get(str(one), one) for one in said)),
                     lambda: [" ".join(run["arguments"]) + run["stdin"] for run in programs.runs], waits)  # fmt: skip
    stub = request.getfixturevalue("stub")
    llm = create(f"{service}:small", Options(url=stub.url + "/v1", **options))

    def script(*said):
        for one in said:
            if one in (BUSY, NO_KEY):
                stub.failures.append((503 if one == BUSY else 401, "no", {}))
            else:
                stub.replies.append(one)

    return Model(llm, script, lambda: [str(one) for one in stub.requests], waits)


def test_object(model):
    """The object, and what it took."""
    model.script(GOOD)
    answer = model.llm.ask(PROMPT)
    assert answer.value == GOOD
    assert answer.usage.input_tokens > 0 < answer.usage.output_tokens
    assert answer.usage.calls == 1


def test_told(model):
    """The model reads the task, the material and the schema."""
    model.script(GOOD)
    model.llm.ask(PROMPT)
    assert all(part in model.asked()[0] for part in ("Tell what was said.", "Tea, please."))


def test_object_in_a_text(model):
    """Fences and a sentence around it are no fault."""
    model.script('Here it is:\n```json\n{"facts": ["a {brace}"], "drift": true}\n```\nDone.')
    assert model.llm.ask(PROMPT).value == {"facts": ["a {brace}"], "drift": True}


@pytest.mark.parametrize("bad", [LACKING, {"facts": "tea", "drift": False}, "I cannot.", '{"facts": ["tea"'])
def test_repaired_once(model, bad):
    """An answer that does not fit is shown to the model, with what is wrong; both answers are counted."""
    model.script(bad, GOOD)
    answer = model.llm.ask(PROMPT)
    assert answer.value == GOOD
    assert answer.usage.calls == 2
    assert "cannot be used" in model.asked()[1]
    assert "cannot be used" not in model.asked()[0]


def test_repaired_no_more(model):
    """Twice wrong is an error that says what was wrong."""
    model.script(LACKING, LACKING, GOOD)
    with pytest.raises(BadAnswer, match="lacks drift"):
        model.llm.ask(PROMPT)
    assert len(model.asked()) == 2


def test_asked_again(model):
    """What passes is waited for, longer each time."""
    model.script(BUSY, BUSY, GOOD)
    assert model.llm.ask(PROMPT).value == GOOD
    assert model.waits == [1.0, 2.0]


def test_given_up(model):
    """After three attempts it is left to the caller, who may come back."""
    model.script(BUSY, BUSY, BUSY, GOOD)
    with pytest.raises(LLMUnavailable) as raised:
        model.llm.ask(PROMPT)
    assert not isinstance(raised.value, LLMRefused)
    assert len(model.asked()) == 3


def test_refused(model):
    """Without a key that counts nobody asks twice, and the person is told what to do."""
    model.script(NO_KEY, GOOD)
    with pytest.raises(LLMRefused) as raised:
        model.llm.ask(PROMPT)
    assert raised.value.hint or model.llm.model_id == "scripted"
    assert len(model.asked()) == 1
    assert not model.waits
