"""Word pieces as BERT cuts them."""

import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vademecum.adapters.embedders import weight_files
from vademecum.adapters.embedders.wordpiece import WordPiece, words

GOLDEN = json.loads((Path(__file__).parent / "minilm_float32.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def wordpiece():
    return WordPiece(weight_files.vocabulary())


def pieces(wordpiece, text):
    vocabulary = weight_files.vocabulary()
    return [vocabulary[number] for number in wordpiece.encode(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Unbelievably fast!", ["un", "##bel", "##ie", "##va", "##bly", "fast", "!"]),
        ("Crème BRÛLÉE", ["cr", "##eme", "br", "##ule", "##e"]),
        ("東京タワー", ["東", "京", "タ", "##ワ", "##ー"]),
        ("ΟΔΟΣ", ["ο", "##δ", "##ο", "##σ"]),
        ("İstanbul", ["istanbul"]),
        ("a\u0301\u0302b", ["ab"]),
        ("zero\u200bwidth soft\u00adhyphen", ["zero", "##wi", "##dt", "##h", "soft", "##hy", "##ph", "##en"]),
        ("no\u00a0break\u3000space", ["no", "break", "space"]),
        ("tab\tline\nend\r", ["tab", "line", "end"]),
        ("nul\0and\x07bell", ["nu", "##land", "##bell"]),
        ("lone \ud800 surrogate", ["lone", "sur", "##rogate"]),
        ("\ufffd", []),
        ("snake_case->x", ["snake", "_", "case", "-", ">", "x"]),
        ("«quoted» — ¿sí?", ["«", "quoted", "»", "—", "¿", "si", "?"]),
        ("😀", ["[UNK]"]),
        ("x" * 101, ["[UNK]"]),
        ("[SEP]", ["[", "sep", "]"]),
        ("", []),
    ],
)
def test_golden_pieces(wordpiece, text, expected):
    """Accents, scripts, control characters and marks are treated as the model was taught."""
    assert pieces(wordpiece, text) == expected


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["text"][:20])
def test_golden_numbers(wordpiece, case):
    """Whole sentences have the numbers that the published tokenizer gives."""
    assert wordpiece.encode(case["text"]) == case["tokens"]


@given(st.text(st.characters(), max_size=60))
def test_any_text(text):
    """Whatever a person pastes, words come out: not blank, without white space, in lower case."""
    for word in words(text):
        assert word
        assert not any(char.isspace() and char not in "\x1c\x1d\x1e\x1f\x85" for char in word)


@given(st.text(st.sampled_from("ab .,é東\n"), max_size=400), st.integers(1, 12))
def test_cut_is_a_beginning(text, max_tokens):
    """A limit gives the first tokens of the whole, also where long text is not read to its end."""
    wordpiece = WordPiece(["[UNK]", "[CLS]", "[SEP]", "a", "##a", "b", "##b", ".", ",", "e", "##e", "東"])
    assert wordpiece.encode(text, max_tokens) == wordpiece.encode(text)[:max_tokens]


def test_memory_is_bounded(wordpiece, monkeypatch):
    """A stream of new words does not grow the process for ever."""
    monkeypatch.setattr("vademecum.adapters.embedders.wordpiece.MAX_KNOWN_WORDS", 10)
    for number in range(100):
        wordpiece.encode(f"word{number} other{number}")
    assert len(wordpiece._pieces) <= 14


@pytest.fixture(scope="module")
def oracle():
    tokenizers = pytest.importorskip("tokenizers", reason="an oracle for developers; pip install tokenizers")
    return tokenizers.BertWordPieceTokenizer(str(weight_files.FOLDER / weight_files.VOCABULARY), lowercase=True)


@settings(max_examples=300)
@given(st.text(st.characters(max_codepoint=0x052F, exclude_categories=["Cs", "Cn"]), max_size=60))
def test_oracle(wordpiece, oracle, text):
    """Where the published tokenizer's library is installed, it agrees, except on the names of special tokens."""
    assume("[" not in text)
    assert wordpiece.encode(text) == oracle.encode(text, add_special_tokens=False).ids
