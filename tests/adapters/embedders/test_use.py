"""The multilingual model against the published one, and across languages."""

import hashlib
import json
import random
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import weights
from vademecum.adapters.embedders import weight_files
from vademecum.adapters.embedders.pieces import Unigram

GOLDEN = json.loads((Path(__file__).parent / "use_onnx.json").read_text("utf-8"))

SAME = {
    "en": "The car is in the garage on the ground floor.",
    "de": "Das Auto steht in der Garage im Erdgeschoss.",
    "es": "El coche está en el garaje de la planta baja.",
    "fr": "La voiture est dans le garage au rez-de-chaussée.",
    "pt": "O carro está na garagem do rés do chão.",
    "zh": "车停在一楼的车库里。",
}
SIXTEEN = SAME | {
    "ar": "السيارة في المرآب في الطابق الأرضي.",
    "it": "L'auto è nel garage al piano terra.",
    "ja": "車は一階のガレージにあります。",
    "ko": "자동차는 1층 차고에 있습니다.",
    "nl": "De auto staat in de garage op de begane grond.",
    "pl": "Samochód stoi w garażu na parterze.",
    "ru": "Машина стоит в гараже на первом этаже.",
    "th": "รถอยู่ในโรงรถชั้นล่าง",
    "tr": "Araba zemin kattaki garajda.",
    "zh-Hant": "車停在一樓的車庫裡。",
}
#: SHA-256 of the published list: a piece, a tab and its score in nine digits on each line.
LISTED = "ae4977e828121001b5486bf86432c5a2c014a4f15662e38af568e2e12367bfc0"
OTHERS = [
    "The dentist closes at noon on Fridays.",
    "Wir essen abends immer warm.",
    "La réunion commence à neuf heures.",
    "我们下周去海边度假。",
    "O gato dorme no sofá.",
]


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["text"][:20])
def test_golden_vectors(loaded, case):
    """Vectors are those of the published encoder, whose own copy is rounded: to a cosine of 0.98 and better."""
    published = np.array(case["vector"])
    assert loaded("use").embed([case["text"]])[0] @ published / np.linalg.norm(published) >= 0.98


@pytest.mark.parametrize("asked", SAME)
@pytest.mark.parametrize("said", SAME)
def test_across_languages(loaded, asked, said):
    """What is said in one language is nearest to what says the same in another."""
    question, *rows = loaded("use").embed([SAME[asked], SAME[said], *OTHERS])
    assert int(np.argmax(rows @ question)) == 0


def test_pieces():
    """The cut with the likeliest pieces wins over the longest first piece; what no piece holds is unknown; spaces count as one."""
    pieces = ["<unk>", "<s>", "</s>", "▁", "▁to", "▁too", "l", "ol", "s", "ols", "▁a"]
    scores = [0.0, 0.0, 0.0, -3.0, -2.0, -2.5, -4.0, -3.0, -4.0, -2.0, -1.0]
    cut = Unigram(as_shipped(zip(pieces, scores, strict=True))).encode
    assert [pieces[number] for number in cut("tools \n a")] == ["<s>", "▁to", "ols", "▁a", "</s>"]
    assert cut("a?") == [1, 10, 0, 2]
    assert cut("") == [1, 2]


def as_shipped(scored):
    """The arrays of a vocabulary as the build writes them."""
    made = weights.vocabulary(scored)
    return {name: np.frombuffer(array.content, array.kind) for name, array in made.items()}


@pytest.fixture(scope="module")
def arrays():
    return weight_files.tensors(weight_files.USE)


@pytest.fixture(scope="module")
def published(arrays):
    """Every piece of the shipped vocabulary by its number, read from its tree."""
    label, first, ends = (arrays[f"pieces.{name}"].tolist() for name in ("label", "first", "end"))
    paths, pieces = [""] * len(label), ["<unk>", "<s>", "</s>"] + [""] * (len(arrays["pieces.score"]) - 3)
    for node, number in enumerate(ends):
        for child in range(first[node], first[node + 1]):
            paths[child] = paths[node] + chr(label[child])
        if number:
            pieces[number] = paths[node]
    return pieces


def test_vocabulary_is_the_published(arrays, published):
    """The shipped tree holds each of the 128,000 pieces with its score, as SentencePiece's own file lists them."""
    listed = "".join(f"{piece}\t{score:.9g}\n" for piece, score in zip(published, arrays["pieces.score"].tolist(), strict=True))
    assert hashlib.sha256(listed.encode()).hexdigest() == LISTED


def test_cut_like_a_dictionary(arrays, published):
    """In sixteen languages, and in texts made of pieces, the tree cuts as a plain look-up of every part of every word does."""
    numbers = {piece: number for number, piece in enumerate(published) if number > 2}
    scores, chance = arrays["pieces.score"].tolist(), random.Random(1)
    mixed = ["".join(chance.choices(published[3:], k=60)).replace("▁", " ") for _ in range(20)]
    cut = Unigram(arrays).encode
    for text in [*SIXTEEN.values(), *mixed, "\u200b \x00\ufffd 🙂‍↔️ ﬁ Ⅳ", "x" * 300]:
        assert cut(text) == [1, *looked_up(text, numbers, scores), 2], text


def looked_up(text, numbers, scores):
    """The likeliest pieces of a text, by trying every part of every word."""
    unknown, longest = min(scores) - 10, max(map(len, numbers))
    for word in ("▁" + word for word in unicodedata.normalize("NFKC", text).replace("\u200b", " ").split()):
        best = [(0.0, [])] + [(float("-inf"), [])] * len(word)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + longest) + 1):
                number = numbers.get(word[start:end])
                if number or end == start + 1:
                    reached = best[start][0] + (scores[number] if number else unknown)
                    if reached > best[end][0]:
                        best[end] = reached, [*best[start][1], number or 0]
        yield from best[-1][1]
