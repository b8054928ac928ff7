"""What every embedder promises, tried on every embedder."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum.adapters.embedders import create
from vademecum.adapters.embedders.calibration import calibration_of

SAMPLE = (
    "The kettle needs descaling every month.",
    "kettle",
    "",
    "Crème brûlée and naïve cafés in 東京.",
    "word " * 600,
    "   \n\t ",
    "The kettle needs descaling every month.",
    "def fuse(rankings): return sorted(rankings)",
)
#: Words, marks, scripts, and what breaks careless code: NUL, a lone surrogate, joiners, emoji.
TEXT = st.text(st.sampled_from("abc xyz.,\n\0\ud800\u200d\u0301é東ΣİK😀"), max_size=40)

relaxed = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def test_shape(embedder):
    """One float32 row per text, in order, as long as the embedder says."""
    rows = embedder.embed(SAMPLE)
    assert rows.shape == (len(SAMPLE), embedder.dim)
    assert rows.dtype == np.float32
    assert np.array_equal(rows[0], rows[6])


def test_no_texts(embedder):
    """Nothing asked, nothing answered, in the right shape."""
    assert embedder.embed([]).shape == (0, embedder.dim)


def test_unit_length(embedder):
    """Each row has length one, so that a product of two rows is their cosine."""
    lengths = np.linalg.norm(embedder.embed([text for text in SAMPLE if text.strip()]), axis=1)
    assert np.allclose(lengths, 1, atol=1e-5)


def test_zero_rows(embedder):
    """A text without any token means nothing: a zero row is like no other text."""
    assert not embedder.embed(["", "  \n\t ", "\0", "\ud800"]).any()


@relaxed
@given(texts=st.lists(TEXT, max_size=5))
def test_batch_independence(embedder, texts):
    """A text has the same vector, bit for bit, alone and among others."""
    together = embedder.embed(texts)
    for row, text in zip(together, texts, strict=True):
        assert np.array_equal(row, embedder.embed([text])[0])


def test_lengths_in_a_batch(embedder):
    """Texts of all lengths in one batch do not disturb each other."""
    texts = [" ".join(["the small kettle sings"] * n) for n in (1, 2, 3, 5, 8, 13, 21, 80)]
    together = embedder.embed(texts[::-1])[::-1]
    assert all(np.array_equal(row, embedder.embed([text])[0]) for row, text in zip(together, texts, strict=True))


@pytest.mark.parametrize("role", ["query", "passage"])
def test_roles(embedder, role):
    """Questions and passages are both understood."""
    assert np.allclose(np.linalg.norm(embedder.embed(["kettle"], role=role)), 1, atol=1e-5)


def test_identity(embedder):
    """The model says who it is, how long its rows are, and how alike it finds texts."""
    usual = embedder.calibration["en"]
    assert embedder.model_id
    assert embedder.dim > 0
    assert -1 < usual.mean < usual.related < 1
    assert 0 < usual.deviation < 1


def test_calibration_is_measured(model):
    """The constants of a model are what the calibration texts give, in each language that there are such texts in."""
    measured = calibration_of(model)
    assert set(measured) == set(model.calibration) and len(measured) == 6
    assert all(np.allclose(model.calibration[language], measured[language], atol=4e-3) for language in measured)


@pytest.mark.parametrize("name", ["use", "hashing"])
def test_other_process(name):
    """Another process, with another hash seed, comes to the same bits: stored vectors stay comparable."""
    code = (
        "import hashlib, sys; from vademecum.adapters.embedders import create;"
        "print(hashlib.sha256(create(sys.argv[1]).embed(sys.argv[2:]).tobytes()).hexdigest())"
    )
    texts = [text for text in SAMPLE if "\0" not in text]
    seeded = {**os.environ, "PYTHONHASHSEED": "7"}
    said = subprocess.run([sys.executable, "-c", code, name, *texts], capture_output=True, text=True, check=True, env=seeded)
    assert said.stdout.strip() == hashlib.sha256(create(name).embed(texts).tobytes()).hexdigest()


PARAPHRASES = [
    ("Where did I leave the car keys?", "The keys of the car are in the blue bowl."),
    ("How do we undo a bad release?", "A failed deployment is rolled back with the previous image."),
    ("Is anyone allergic to nuts?", "Maria must not eat peanuts."),
    ("Which database do we use?", "We chose PostgreSQL because two teams already run it."),
    ("When is the train?", "The railway departure to Lisbon is at ten past six."),
]


def test_paraphrases(model):
    """Each question is nearer to its answer in other words than to any of the other answers."""
    questions = model.embed([question for question, _ in PARAPHRASES], role="query")
    answers = model.embed([answer for _, answer in PARAPHRASES])
    best = (questions @ answers.T).argmax(axis=1).tolist()
    assert best == list(range(len(PARAPHRASES)))


def test_related_stands_out(model):
    """A paraphrase stands well above what the model finds between texts that have nothing in common."""
    mean, deviation, _ = model.calibration["en"]
    a, b = model.embed(["The cat sleeps on the sofa.", "A kitten is napping on the couch."])
    assert (a @ b - mean) / deviation > 3
