"""How endpoints fail, over a real connection."""

import json

import pytest
from tests.adapters.llms.test_llm_conformance import GOOD, PROMPT

from vademecum.adapters.llms import Options, create
from vademecum.domain.errors import BadAnswer, InvalidInput, LLMRefused, LLMUnavailable, UnknownWord

KEY = "sk-live-0123456789"


@pytest.fixture(params=["openai", "anthropic"])
def service(request):
    return request.param


@pytest.fixture
def llm(stub, service):
    waits = []
    made = create(f"{service}:small", Options(url=stub.url, api_key=lambda: KEY, timeout_s=5, sleep=waits.append))
    made.waits = waits
    return made


def failing(stub, status, text="no", headers=None, times=9):
    stub.failures = [(status, text, headers or {})] * times


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_person_must_act(stub, llm, status):
    failing(stub, status)
    with pytest.raises(LLMRefused, match=str(status)):
        llm.ask(PROMPT)
    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (429, '{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'),
        (400, '{"error": {"message": "Your credit balance is too low to access the API."}}'),
        (400, '{"error": {"message": "invalid x-api-key"}}'),
    ],
)
def test_no_money_under_another_status(stub, llm, status, text):
    """An empty account is told under many numbers; asking again would only be refused again."""
    failing(stub, status, text)
    with pytest.raises(LLMRefused):
        llm.ask(PROMPT)
    assert len(stub.requests) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_passing(stub, llm, status):
    failing(stub, status)
    with pytest.raises(LLMUnavailable) as raised:
        llm.ask(PROMPT)
    assert not isinstance(raised.value, LLMRefused)
    assert len(stub.requests) == 3


def test_waits_as_told(stub, llm):
    """The endpoint knows best when to come back; one that wants minutes is left to the queue."""
    failing(stub, 429, headers={"Retry-After": "7"}, times=1)
    stub.replies = [GOOD]
    assert llm.ask(PROMPT).value == GOOD
    assert llm.waits == [7.0]
    failing(stub, 429, headers={"Retry-After": "600"})
    with pytest.raises(LLMUnavailable):
        llm.ask(PROMPT)
    assert llm.waits == [7.0]


def test_bad_request(stub, llm):
    """A request that the endpoint does not understand is not repeated as it is."""
    failing(stub, 400, "context too long")
    with pytest.raises(LLMUnavailable, match="context too long"):
        llm.ask(PROMPT)
    assert len(stub.requests) == 1


def test_slow(stub, service):
    stub.delay_s = 1
    with pytest.raises(LLMUnavailable, match="No answer"):
        create(f"{service}:small", Options(url=stub.url, timeout_s=0.05)).ask(PROMPT)


def test_nobody_there(service):
    with pytest.raises(LLMUnavailable, match="No answer"):
        create(f"{service}:small", Options(url="http://127.0.0.1:9", timeout_s=1)).ask(PROMPT)


def test_broken_off(stub, llm):
    """An answer that ends before its end is no answer, even when what came is JSON."""
    stub.replies = [GOOD] * 3
    stub.announced = 100
    with pytest.raises(LLMUnavailable):
        llm.ask(PROMPT)


@pytest.mark.parametrize("body", [b"<html>", b"", b"[]", b'"x"', b"{}", b'{"choices": []}', b'{"content": [1]}', b"\xff"])
def test_wrong_protocol(stub, llm, body):
    """A page, another service, an empty answer: said as such."""
    stub.body = body
    with pytest.raises(BadAnswer):
        llm.ask(PROMPT)


def test_cut_off(stub, llm, service):
    """An answer that ran into its limit is not believed, though what there is of it may be whole."""
    stub.finish = {"openai": "length", "anthropic": "max_tokens"}[service]
    stub.replies = [GOOD, GOOD]
    with pytest.raises(BadAnswer, match="cut off after 500 tokens"):
        llm.ask(PROMPT)


def test_uncounted(stub, llm):
    """Servers that do not count: what was read and written is estimated, so that the budget holds."""
    stub.counts, stub.replies = False, [GOOD]
    usage = llm.ask(PROMPT).usage
    assert usage.input_tokens > 5
    assert usage.output_tokens > 5


def test_counted(stub, llm):
    """What was read from a cache was read too."""
    stub.replies = [GOOD]
    usage = llm.ask(PROMPT).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cost) == (100, 10, None)


def test_key_goes_nowhere_else(stub, llm, service):
    """A redirection is not followed, and no message tells the key."""
    failing(stub, 307, headers={"Location": f"{stub.url}/elsewhere"})
    with pytest.raises(LLMUnavailable) as raised:
        llm.ask(PROMPT)
    assert [request["path"] for request in stub.requests] == [stub.requests[0]["path"]]
    assert KEY not in str(raised.value) + raised.value.hint
    assert KEY in stub.requests[0]["headers"][{"openai": "authorization", "anthropic": "x-api-key"}[service]]


def test_openai_request(stub):
    """Schema, limit and place as the protocol wants them; without a key there is no header."""
    stub.replies = [GOOD]
    create("openai:small", Options(url=f"{stub.url}/v1/chat/completions")).ask(PROMPT)
    sent = stub.requests[0]
    assert sent["path"] == "/v1/chat/completions"
    assert sent["response_format"]["json_schema"]["schema"] == PROMPT.schema
    assert (sent["model"], sent["max_tokens"]) == ("small", 500)
    assert "authorization" not in sent["headers"]
    assert json.dumps(PROMPT.schema) in sent["messages"][0]["content"]


def test_server_without_schemas(stub):
    """A server that refuses `response_format` is asked without it, from then on."""
    failing(stub, 400, "unknown field response_format", times=1)
    stub.replies = [GOOD, GOOD]
    llm = create("openai:small", Options(url=stub.url))
    assert llm.ask(PROMPT).value == llm.ask(PROMPT).value == GOOD
    assert ["response_format" in sent for sent in stub.requests] == [True, False, False]


def test_anthropic_request(stub):
    """The model is made to call the one tool."""
    stub.replies = [GOOD]
    create("anthropic:small", Options(url=stub.url + "/v1", api_key=lambda: KEY)).ask(PROMPT)
    sent = stub.requests[0]
    assert sent["path"] == "/v1/messages"
    assert sent["tool_choice"] == {"type": "tool", "name": "memories"}
    assert sent["tools"][0]["input_schema"] == PROMPT.schema
    assert sent["headers"]["anthropic-version"]


def test_names():
    """None by default; a service without a model, or one that does not exist, is told at once."""
    assert create("none", Options()) is None
    assert create("anthropic", Options()).model_id.startswith("anthropic:")
    with pytest.raises(InvalidInput, match="names no model"):
        create("openai", Options())
    with pytest.raises(UnknownWord):
        create("telepathy:x", Options())
    with pytest.raises(LLMRefused, match="not an HTTP address"):
        create("openai:x", Options(url="file:///etc/passwd")).ask(PROMPT)
