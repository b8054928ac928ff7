"""`vade bench mixed`: answers from a person's memories beside a vault of ordinary notes and past conversations.

Memories and questions are in `mixed.jsonl`, written for this purpose. Notes and transcripts are given at run time, and memories
mined from the transcripts are saved too. Every answer takes the gated path of a prompt. Questions at even positions are for
tuning, those at odd ones are held out.
"""

import dataclasses
import json
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from vademecum.api import Vademecum
from vademecum.domain.query import Query
from vademecum.domain.saved import SaveOptions
from vademecum.settings import Settings
from vademecum.wiring import open_memory

ANSWER = "answer"
#: A question in another language than its memory, in addition to questions in the same language.
ACROSS = "across"
ANSWERED = (ANSWER, ACROSS)


class Kept(Struct, frozen=True):
    """A memory of the set."""

    memory: str
    kind: str
    language: str
    text: str


class Asked(Struct, frozen=True):
    """A question of the set.

    Attributes:
        sort: "answer", "across", "unrelated", "order" or "courtesy".
        gold: names of the memories that answer it.
    """

    question: str
    language: str
    sort: str
    gold: tuple[str, ...]


class Outcome(Struct, frozen=True):
    """Result for a question.

    Attributes:
        shown: whether anything was shown by the hook's path.
        right: a gold memory was shown.
        first: it was shown first.
        nearest: titles named although nothing was shown.
        ungated: whether the first result of an ungated search is right.
    """

    question: str
    language: str
    sort: str
    held_out: bool
    shown: bool
    right: bool
    first: bool
    ungated: bool
    confidence: float
    got: tuple[str, ...]


def bench_mixed(notes: Path | None, settings: Settings, sessions: Path | None = None) -> dict[str, Any]:
    """Return the shares for the whole set and its held-out half, and every wrong question."""
    kept, asked = mixed_set()
    with (
        tempfile.TemporaryDirectory(prefix="vade-bench-") as folder,
        open_memory(home_beside(settings, Path(folder), notes)) as memory,
    ):
        saved = [(memory.notes.save(one.kind, one.text, options=SaveOptions(unique=True)).memory, one.memory) for one in kept]
        names = {made.uri: name for made, name in saved if made is not None}
        memory.maintenance.sync()
        if sessions:
            memory.maintenance.capture((str(sessions),))
        memory.maintenance.refine()
        there = Counter[str]()
        for (source, _), count in memory.context.index.counts().items():
            there[source] += count
        outcomes = [_ask(memory, names, place, one) for place, one in enumerate(asked)]
    return {
        "memories": len(kept),
        "notes": there["document"],
        "sessions": there["session"],
        "mined": there["memory"] - len(names),
        "all": _shares(outcomes),
        "held_out": _shares([one for one in outcomes if one.held_out]),
        "by_language": {
            language: _shares([one for one in outcomes if one.language == language])
            for language in sorted({t.language for t in outcomes})
        },
        "wrong": [msgspec.to_builtins(one) for one in outcomes if not (one.first if one.sort in ANSWERED else not one.shown)],
        "every": [msgspec.to_builtins(one) for one in outcomes],
        "settings": {"embedder": settings.embedder},
    }


def mixed_set() -> tuple[tuple[Kept, ...], tuple[Asked, ...]]:
    """Return the memories and the questions."""
    lines = resources.files("vademecum_bench").joinpath("mixed.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    kept = tuple(msgspec.convert(row, Kept) for row in rows if "memory" in row)
    return kept, tuple(msgspec.convert(row, Asked) for row in rows if "question" in row)


def home_beside(settings: Settings, folder: Path, notes: Path | None) -> Settings:
    """Return the settings of an empty home beside a copy of the notes."""
    (folder / "home").mkdir()
    if notes:
        shutil.copytree(notes, folder / "notes")
    return dataclasses.replace(
        settings,
        home=str(folder / "home"),
        vault=str(folder / "notes") if notes else "",
        projects=(),
        data_dir=str(folder / "data"),
        transcripts=(),
        consent="silent",
        enabled=True,
    )


def _ask(memory: Vademecum, names: dict[str, str], place: int, asked: Asked) -> Outcome:
    answer = memory.recall.ask(Query(asked.question, unasked=True))
    right = [names.get(hit.item.key, "") in asked.gold for hit in answer.hits]
    first = memory.recall.ask(Query(asked.question, limit=1, gated=False)).hits[:1]
    return Outcome(
        asked.question,
        asked.language,
        asked.sort,
        held_out=place % 2 == 1,
        shown=bool(answer.hits),
        right=any(right),
        first=right[:1] == [True],
        ungated=any(names.get(hit.item.key, "") in asked.gold for hit in first),
        confidence=answer.confidence,
        got=tuple(hit.item.title for hit in answer.hits[:3]) or tuple(left.title for left in answer.left[:2]),
    )


def _shares(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    by_sort: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        by_sort[one.sort].append(one)
    return dict(_of_sorts(by_sort))


def _of_sorts(by_sort: dict[str, list[Outcome]]) -> Iterator[tuple[str, Any]]:
    for sort, outcomes in by_sort.items():
        share = {"asked": len(outcomes), "shown": _mean([one.shown for one in outcomes])}
        if sort in ANSWERED:
            share |= {name: _mean([getattr(one, name) for one in outcomes]) for name in ("right", "first", "ungated")}
        yield sort, share


def _mean(values: Sequence[bool]) -> float:
    return round(sum(values) / len(values), 4)
