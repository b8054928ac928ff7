"""Whether anything should be said at all: absolute evidence of the best answers, never scaled per question (X-09, rule 7).

A logistic formula over two features, fitted on questions asked of an index that can answer them and of others that cannot.
No feature knows the question's own best or worst hit as a scale, so one weak hit stays weak.
"""

import math

#: Weight of the best cosine in the index, and of the best share of the question's possible BM25 (unseen words count as uncovered).
MEANING, WORDS = 21.0, 12.0
#: A larger index holds something similar to anything: per ln of its passages over PASSAGES.
SIZE, PASSAGES = -0.25, 600
BIAS = -12.4
#: The same without vectors: words alone must carry the decision.
WORDS_ALONE, BIAS_ALONE = 16.0, -6.4


def confidence(best_cosine: float | None, best_words: float, passages: int) -> float:
    """0..1, one half where saying something becomes better than silence.

    Args:
        best_cosine: of the question with any passage in scope, on the scale of the default model; None without vectors.
        best_words: largest "words" evidence of a candidate, 0..1.
        passages: in the index.
    """
    size = SIZE * math.log(max(passages, 1) / PASSAGES)
    if best_cosine is None:
        odds = WORDS_ALONE * best_words + BIAS_ALONE + size
    else:
        odds = MEANING * best_cosine + WORDS * best_words + BIAS + size
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, odds))))
