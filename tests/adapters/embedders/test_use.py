"""The multilingual model against the published one, and across languages."""

import json
from pathlib import Path

import numpy as np
import pytest

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
    cut = Unigram(zip(pieces, scores, strict=True)).encode
    assert [pieces[number] for number in cut("tools \n a")] == ["<s>", "▁to", "ols", "▁a", "</s>"]
    assert cut("a?") == [1, 10, 0, 2]
    assert cut("") == [1, 2]
