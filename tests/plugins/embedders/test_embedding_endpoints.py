"""Endpoints that answer, refuse, dawdle or talk nonsense."""

import socket
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from tests.plugins.embedders.embedding_stub import create

from vademecum.adapters.embedders.reference import Hashing
from vademecum.domain.errors import EmbedderUnavailable, InvalidInput
from vademecum.plugins.embedders.borrowed import CONNECT
from vademecum.plugins.embedders.options import Options
from vademecum.plugins.embedders.remote import BGE, for_model
from vademecum.plugins.embedders.services import SERVICES
from vademecum.wiring import load_settings

WIRES = ["openai:m", "ollama:m", "bedrock:m"]


@pytest.fixture(params=WIRES)
def make(request, stub):
    def make(**options):
        url = stub.url + ("/v1" if request.param.startswith("openai") else "")
        return create(request.param, Options(**{"url": url, **options}))

    return make


def test_rows(make):
    """Vectors come back in the order of the texts, whatever order the endpoint answers in."""
    texts = [f"text number {n}" for n in range(150)]
    assert np.allclose(make().embed(texts), Hashing().embed(texts), atol=1e-6)


def test_wire(stub):
    """What is sent is what each protocol asks for, with the key where it belongs."""
    create("openai:m", Options(url=f"{stub.url}/v1/embeddings/", api_key=lambda: "k", dim=64)).embed(["a"])
    create("ollama:m", Options(url=stub.url, dim=64)).embed(["a"])
    assert stub.requests == [
        {"path": "/v1/embeddings", "key": "Bearer k", "model": "m", "input": ["a"], "encoding_format": "float"},
        {"path": "/api/embed", "key": None, "model": "m", "input": ["a"], "truncate": True},
    ]


def test_sw18_bedrock(stub):
    """SW-18: Titan on Bedrock is asked text by text, with the person's Bedrock key."""
    named = create("bedrock:amazon.titan-embed-text-v2:0", Options(url=stub.url, api_key=lambda: "k", dim=64))
    named.embed(["a", "b"])
    path = "/model/amazon.titan-embed-text-v2%3A0/invoke"
    assert stub.requests == [{"path": path, "key": "Bearer k", "inputText": text} for text in "ab"]


def test_prefixes(stub):
    """A model that wants questions and passages marked gets them marked; a setting has the last word."""
    named = create("ollama:nomic-embed-text", Options(url=stub.url, dim=64))
    named.embed(["a"], role="query")
    named.embed(["a"])
    create("openai:BAAI/bge-large-en-v1.5", Options(url=stub.url, dim=64)).embed(["a"], role="query")
    create("ollama:other", Options(url=stub.url, dim=64, query_prefix="Q ", passage_prefix="P ")).embed(["a"])
    assert [request["input"] for request in stub.requests] == [
        ["search_query: a"], ["search_document: a"], [BGE + "a"], ["P a"],
    ]  # fmt: skip


def test_blank_texts_are_not_sent(make, stub):
    """Nothing is paid or waited for where there is nothing to embed."""
    assert not make(dim=64).embed(["", " \n"]).any()
    assert stub.requests == []


def test_dimension_is_asked_once(make, stub):
    """Without a setting the endpoint's first answer tells how long a vector is."""
    embedder = make()
    stub.dim = 32
    assert (embedder.dim, embedder.dim) == (32, 32)
    assert len(stub.requests) == 1


def test_wrong_dimension(make):
    """Another model under the same name is noticed before its vectors are mixed with the old ones."""
    with pytest.raises(EmbedderUnavailable, match=r"\(1, 64\).*\(1, 100\)") as caught:
        make(dim=100).embed(["a"])
    assert caught.value.hint


@pytest.mark.parametrize("status", [400, 401, 404])
def test_refusals(make, stub, status):
    """A refusal is passed on with the endpoint's own words, at once."""
    stub.failures = [status] * 9
    with pytest.raises(EmbedderUnavailable, match=f"{status}.*no"):
        make(sleep=lambda _: None).embed(["a"])
    assert len(stub.requests) == 1


def test_retries(make, stub):
    """A busy endpoint is asked again after growing waits."""
    stub.failures = [503, 429]
    waits = []
    assert make(dim=64, attempts=3, sleep=waits.append).embed(["a"]).any()
    assert waits == [0.25, 0.5]


def test_retries_end(make, stub):
    """An endpoint that stays busy is given up, with the last reason."""
    stub.failures = [500, 502, 503, 504]
    with pytest.raises(EmbedderUnavailable, match="503"):
        make(dim=64, attempts=3, sleep=lambda _: None).embed(["a"])


def test_timeouts(make, stub):
    """An endpoint that does not answer in time costs that time and no more."""
    stub.delay_s = 0.4
    with pytest.raises(EmbedderUnavailable, match="No answer from"):
        make(timeout_s=0.05).embed(["a"])


@pytest.mark.parametrize("body", [b"<html>hello</html>", b"[]", b"{}", b'{"data": [{}], "embeddings": null}', b'{"data": 3}'])
def test_nonsense(make, stub, body):
    """Something that is no embeddings endpoint is told apart from one."""
    stub.body = body
    with pytest.raises(EmbedderUnavailable):
        make(dim=64).embed(["a"])


@pytest.mark.parametrize("value", ["NaN", '"x"', "1, 2"])
def test_bad_numbers(make, stub, value):
    """Numbers that are none never reach the index."""
    stub.body = f'{{"data": [{{"index": 0, "embedding": [{value}]}}], "embeddings": [[{value}]]}}'.encode()
    with pytest.raises(EmbedderUnavailable):
        make(dim=1).embed(["a"])


@pytest.mark.parametrize("name", WIRES)
def test_nobody_listens(name):
    """No server at the address: one sentence that names the address, and a hint."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(EmbedderUnavailable, match=url) as caught:
            create(name, Options(url=url)).embed(["a"])
    assert "running" in caught.value.hint


@pytest.mark.parametrize("url", ["file:///etc/passwd", "localhost:11434", "ftp://x"])
def test_only_http(url):
    """An address of another kind is refused, never opened."""
    with pytest.raises(EmbedderUnavailable, match="not an HTTP address"):
        create("ollama:m", Options(url=url)).embed(["a"])


def test_misspelt_service():
    """A misspelt service is answered with the one that was probably meant."""
    with pytest.raises(InvalidInput) as caught:
        load_settings(overrides={"embedder": "olama:x"})
    assert "ollama:<model>" in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("fastembed:m", "fastembed", "fastembed"),
        ("sentence-transformers:m", "sentence_transformers", "sentence-transformers"),
    ],
)
def test_missing_extra(monkeypatch, name, package, extra):
    """A model whose package is not installed says which command installs it."""
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderUnavailable) as caught:
        create(name)
    assert caught.value.hint.startswith("Install it with: ")
    assert f"install '{extra}>=" in caught.value.hint


def test_borrowed_packages(monkeypatch):
    """The two packages are called as their documents say, each with its usual model, whose question gets its instruction (seed 000)."""
    said = []

    class Model:
        def __init__(self, name=None, model_name=None):
            said.append(name or model_name)

        def embed(self, texts):
            said.extend(texts)
            yield from np.ones((len(texts), 8), np.float32)

        def encode(self, texts, convert_to_numpy, show_progress_bar):
            return np.stack(list(self.embed(texts)))

    monkeypatch.setitem(sys.modules, "fastembed", SimpleNamespace(TextEmbedding=Model))
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Model))
    for name in ("fastembed", "sentence-transformers"):
        assert np.allclose(create(name, Options(dim=8)).embed(["a"], role="query"), 8**-0.5)
    assert said == [
        "google/embeddinggemma-300m", "task: search result | query: a", "intfloat/multilingual-e5-large", "query: a",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("model", "question", "passage"),
    [
        ("Snowflake/snowflake-arctic-embed-m-v2.0", "query: a", "a"),
        ("snowflake-arctic-embed2", "query: a", "a"),
        ("snowflake-arctic-embed-m", BGE + "a", "a"),
        ("embeddinggemma", "task: search result | query: a", "title: none | text: a"),
        ("intfloat/multilingual-e5-large", "query: a", "passage: a"),
    ],
)
def test_prefixes_of_families(model, question, passage):
    """The second Arctic wants other words before a question than the first; Gemma marks both sides."""
    known = for_model(model)
    assert (known.query + "a", known.passage + "a") == (question, passage)


def test_names_are_cheap():
    """The names of services, which every check of the settings reads, import nothing that asks one; each service can be opened."""
    code = "import sys; from vademecum.plugins.embedders.services import SERVICES; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"
    assert {service.name for service in SERVICES} == CONNECT.keys()


def test_opened_by_the_registry(stub):
    """A service as the registry has it asks the address of the settings with their key."""
    (ollama,) = (service for service in SERVICES if service.name == "ollama")
    embedder = ollama.open("m", stub.url, lambda: "k")
    assert (embedder.model_id, embedder.embed(["a"]).shape[0]) == ("ollama:m", 1)
    assert {request["key"] for request in stub.requests} == {"Bearer k"}
