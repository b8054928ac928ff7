"""The baseline, measured in the same run: a plain SQLite FTS5 search in twenty lines."""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Sequence

from vademecum.language.text import common_words
from vademecum_bench.recall_set import SetQuery, SetSession

#: Number of rows requested, from which rows not yet visible are removed.
FLOOR_LIMIT = 200


#: A character of a script without spaces; here each is a word.
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")


def _spaced(text: str) -> str:
    return _UNSPACED.sub(r" \1 ", text)


def asked_words(question: str) -> list[str]:
    """Return the words of a question for a plain search: without stop words, each Chinese or Japanese character by itself."""
    words = ["".join(letter for letter in word if letter.isalnum()) for word in _spaced(question.lower()).split()]
    common = common_words(question)
    return [word for word in words if word and word not in common]


class PlainWords:
    """Rows of text, found by any word of the question except stop words, ranked by SQLite's bm25."""

    def __init__(self, path: str) -> None:
        """Create an index in a file, or in ":memory:"."""
        self._base = sqlite3.connect(path)
        self._base.execute("CREATE VIRTUAL TABLE rows USING fts5(name UNINDEXED, text, tokenize = 'porter unicode61')")

    def add(self, rows: list[tuple[str, str]]) -> None:
        """Add (name, text) pairs in one transaction."""
        self._base.executemany("INSERT INTO rows VALUES(?, ?)", [(name, _spaced(text)) for name, text in rows])
        self._base.commit()

    def ask(self, question: str, limit: int = 10) -> list[str]:
        """Return the names of the best rows, best first."""
        asked = [f'"{word}"' for word in asked_words(question)]
        if not asked:
            return []
        found = self._base.execute(
            "SELECT name FROM rows WHERE rows MATCH ? ORDER BY rank LIMIT ?", (" OR ".join(asked), limit)
        )
        return [name for (name,) in found]


def floors(sessions: Sequence[SetSession], queries: Sequence[SetQuery], pooled: bool) -> dict[str, list[float]]:
    """Return the recall of plain search for each question: of turns, of turns indexed with both neighbours, and of sessions.

    Rows that were not yet visible at the question are not counted.
    """
    turns: dict[str, PlainWords] = defaultdict(lambda: PlainWords(":memory:"))
    windows: dict[str, PlainWords] = defaultdict(lambda: PlainWords(":memory:"))
    whole: dict[str, PlainWords] = defaultdict(lambda: PlainWords(":memory:"))
    order: dict[str, list[str]] = defaultdict(list)
    for session in sessions:
        group = "all" if pooled else session.scope
        texts = [f"{turn['speaker']} {turn['text']}" for turn in session.turns]
        names = [f"{session.scope} {session.id} {turn['id']}" for turn in session.turns]
        turns[group].add(list(zip(names, texts, strict=True)))
        around = [" ".join(texts[max(at - 1, 0) : at + 2]) for at in range(len(texts))]
        windows[group].add(list(zip(names, around, strict=True)))
        whole[group].add([(f"{session.scope} {session.id} ", " ".join(texts))])
        order[session.scope].append(session.id)
    found: dict[str, list[float]] = defaultdict(list)
    for query in queries:
        if query.category == "adversarial":
            continue
        group = "all" if pooled else query.scope
        hidden = (
            {f"{query.scope} {name} " for name in order[query.scope][query.visible :]} if query.visible is not None else set()
        )
        if query.gold_turns:
            gold = set(query.gold_turns)
            for level, index in (("turn recall@10", turns), ("windowed turn recall@10", windows)):
                found[level].append(_recall(index[group].ask(query.text, FLOOR_LIMIT), query.scope, hidden, gold, 10))
        if query.gold_sessions:
            gold = {f"{name} " for name in query.gold_sessions}
            found["session recall@5"].append(_recall(whole[group].ask(query.text, FLOOR_LIMIT), query.scope, hidden, gold, 5))
    return found


def _recall(names: Sequence[str], scope: str, hidden: Collection[str], gold: Collection[str], most: int) -> float:
    """Return the share of the gold among the first `most` visible rows."""
    seen = [name for name in names if not any(name.startswith(one) for one in hidden)][:most]
    own = [name.removeprefix(f"{scope} ") for name in seen if name.startswith(f"{scope} ")]
    return len({one if one in gold else one.partition(" ")[2] for one in own} & set(gold)) / len(gold)
