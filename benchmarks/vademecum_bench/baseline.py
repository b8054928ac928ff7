"""What our figures are held against in the same run: twenty lines of SQLite FTS5, as anyone would write them first."""

import json
import sqlite3
import time
from collections import defaultdict
from pathlib import Path

from vademecum.language.text import stop_words
from vademecum_bench.metrics import measures, percentile


class PlainWords:
    """Rows of text, found by any of the question's words without stop-words, ordered by SQLite's bm25."""

    def __init__(self) -> None:
        self._base = sqlite3.connect(":memory:")
        self._base.execute("CREATE VIRTUAL TABLE rows USING fts5(name UNINDEXED, text, tokenize = 'porter unicode61')")

    def add(self, rows: list[tuple[str, str]]) -> None:
        """(name, text) pairs, in one transaction."""
        self._base.executemany("INSERT INTO rows VALUES(?, ?)", rows)
        self._base.commit()

    def ask(self, question: str, limit: int = 10) -> list[str]:
        """Names of the best rows, best first."""
        words = ["".join(letter for letter in word if letter.isalnum()) for word in question.lower().split()]
        asked = [f'"{word}"' for word in words if word and word not in stop_words()]
        if not asked:
            return []
        found = self._base.execute(
            "SELECT name FROM rows WHERE rows MATCH ? ORDER BY rank LIMIT ?", (" OR ".join(asked), limit)
        )
        return [name for (name,) in found]


def plain_recall(path: Path, *, pooled: bool) -> dict[str, float]:
    """Turn hit@5 and recall@10, session hit@5, and milliseconds, of the plain way on a recall set."""
    turns: dict[str, PlainWords] = defaultdict(PlainWords)
    queries = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["type"] == "query":
            queries.append(row)
            continue
        group = "all" if pooled else row["scope"]
        turns[group].add([(f"{row['scope']} {turn['id']}", f"{turn['speaker']} {turn['text']}") for turn in row["turns"]])
    rows, took = [], []
    for query in queries:
        if not query["gold_turns"] or query["category"] == "adversarial":
            continue
        start = time.perf_counter()
        found = turns["all" if pooled else query["scope"]].ask(query["text"])
        took.append((time.perf_counter() - start) * 1000)
        rows.append(measures(found, {f"{query['scope']} {gold}" for gold in query["gold_turns"]}))
    mean = {name: sum(row[name] for row in rows) / len(rows) for name in ("hit@5", "recall@5", "recall@10", "ndcg@10")}
    return {**mean, "p50": percentile(took, 0.5), "p95": percentile(took, 0.95)}
