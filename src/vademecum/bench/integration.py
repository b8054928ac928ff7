"""`vade bench integrate`: what becomes of a statement that is like a known one, on labelled pairs, through the write gate itself.

Each pair is saved into a project of its own; then all pairs into one, where much is alike, as in a memory that was used for years.
What a cosine alone would have done, by the published bands, is computed beside it from the same embedder.
"""

import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from vademecum.bench.learning import isolated
from vademecum.memory import Vademecum
from vademecum.model.errors import InvalidInput
from vademecum.model.ports import Embedder
from vademecum.model.relations import PUBLISHED, RELATIONS, Relation
from vademecum.model.reports import Saved
from vademecum.settings import Settings
from vademecum.wiring import clock_at, open_memory

#: The pairs that come with the package: those the rules were worked on with, and those held out.
DEV, TEST = (Path(__file__).parent / "integrate" / f"{name}.toml" for name in ("dev", "test"))
FIRST = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
#: Label -> what has to become of the second statement.
WANTED = {"same": "confirmed", "update": "superseded", "conflict": "disputed", "extend": "linked", "other": "saved"}

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements. `label`: a key of WANTED. `stated`: relation that a model is taken to have stated, "new" for none."""

    language: str
    label: str
    kind: str
    old: str
    new: str
    stated: Relation


def read_pairs(path: Path) -> tuple[Pair, ...]:
    """The pairs of a file, in order.

    Raises:
        InvalidInput: it is no such file.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["pairs"]
        pairs = tuple(
            Pair(language, label, kind, old, new, stated or "new") for language, label, kind, old, new, stated in rows
        )
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path} holds no labelled pairs: {error}", "Their form: docs/learning.md") from error
    wrong = [pair for pair in pairs if pair.label not in WANTED or pair.stated not in RELATIONS]
    if wrong:
        raise InvalidInput(f"{path}: {wrong[0].label!r} or {wrong[0].stated!r} is no label.", "Their form: docs/learning.md")
    return pairs


def bench_integrate(path: Path, settings: Settings, *, embedder: str, progress: Progress) -> dict[str, Any]:
    """All figures of one file of pairs, as one JSON object (docs/learning.md names its keys)."""
    pairs = read_pairs(path)
    with tempfile.TemporaryDirectory(prefix="vade-bench-") as name:
        made = replace(isolated(settings, Path(name)), embedder=embedder, cache_dir=str(Path(name) / "cache"))
        with open_memory(made, clock=clock_at(FIRST + timedelta(days=1))) as memory:
            apart, doubted, wrong = _apart(memory, pairs, path.name, progress)
            crowded = _together(memory, pairs)
            alone = _by_cosine(memory.parts.embedder, pairs)
    changes = [pair for pair in pairs if pair.label == "update"]
    others = len(pairs) - len(changes)
    return {
        "file": path.name,
        "embedder": embedder,
        "pairs": len(pairs),
        "outcomes": {label: dict(apart[label]) for label in WANTED},
        "right": _share(sum(apart[label][wanted] for label, wanted in WANTED.items()), len(pairs)),
        "false_supersession": _share(sum(apart[label]["superseded"] for label in WANTED if label != "update"), others),
        "missed_update": _share(len(changes) - apart["update"]["superseded"], len(changes)),
        "update_pointed_out": _share(doubted["update"], len(changes)),
        "falsely_pointed_out": _share(sum(doubted.values()) - doubted["update"], others),
        "false_confirmation": _share(
            sum(apart[label]["confirmed"] for label in WANTED if label != "same"), len(pairs) - sum(apart["same"].values())
        ),
        "false_dispute": _share(
            sum(apart[label]["disputed"] for label in ("same", "extend", "other")),
            sum(sum(apart[label].values()) for label in ("same", "extend", "other")),
        ),
        "by_language": _by_language(pairs, wrong),
        "together": crowded,
        "by_cosine_alone": alone,
        "wrong": [f"{pair.language}: {pair.label} was {got}: {pair.old} | {pair.new}" for pair, got in wrong],
    }


def _apart(
    memory: Vademecum, pairs: Sequence[Pair], name: str, progress: Progress
) -> tuple[Mapping[str, Counter[str]], Counter[str], list[tuple[Pair, str]]]:
    """Label -> outcome -> pairs; label -> pairs of which the first statement was marked as perhaps replaced; what went wrong."""
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    doubted: Counter[str] = Counter()
    wrong: list[tuple[Pair, str]] = []
    for number, pair in enumerate(pairs):
        progress(f"bench {name}", number, len(pairs))
        project = f"pair-{number}"
        _saved(memory, pair.kind, pair.old, project, "new")
        saved = _saved(memory, pair.kind, pair.new, project, pair.stated)
        got = _outcome(saved)
        outcomes[pair.label][got] += 1
        doubted[pair.label] += bool(saved.likely)
        if got != WANTED[pair.label]:
            wrong.append((pair, got))
    return outcomes, doubted, wrong


def _together(memory: Vademecum, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Every statement into one project: how often a statement of another pair gave way, and how often a model would be asked."""
    pair_of: dict[str, int] = {}
    foreign = disputed = inserts = asked = 0
    for number, pair in enumerate(pairs):
        for text, stated in ((pair.old, "new"), (pair.new, pair.stated)):
            saved = _saved(memory, pair.kind, text, "together", stated)  # type: ignore[arg-type]
            inserts += 1
            asked += bool(saved.unclear)
            foreign += sum(pair_of.get(old, number) != number for old in saved.replaced)
            disputed += saved.action == "disputed" and any(pair_of.get(other, number) != number for other in saved.related)
            if saved.memory and saved.action != "confirmed":
                pair_of[saved.memory.id] = number
    return {
        "inserts": inserts,
        "asked": asked,
        "asked_share": _share(asked, inserts),
        "replaced_of_other_pairs": foreign,
        "disputed_with_other_pairs": disputed,
        "false_supersession": _share(foreign, inserts),
    }


def _saved(memory: Vademecum, kind: str, text: str, project: str, relation: Relation) -> Saved:
    title = " ".join(text.split()[:12])[:80]
    return memory.save(kind, title, text, project=project, unique=True, relation=relation)


def _outcome(saved: Saved) -> str:
    return "linked" if saved.action == "saved" and saved.related else saved.action


def _by_cosine(embedder: Embedder | None, pairs: Sequence[Pair]) -> dict[str, Any] | None:
    """What bands over the cosine would do by themselves: confirm from the first on, replace from the second on (VO-31)."""
    if embedder is None:
        return None
    rows = embedder.embed([pair.old for pair in pairs]), embedder.embed([pair.new for pair in pairs])
    cosines = (rows[0] * rows[1]).sum(axis=1)
    replaced = [pair for pair, cosine in zip(pairs, cosines, strict=True) if PUBLISHED.changed <= cosine < PUBLISHED.same]
    confirmed = [pair for pair, cosine in zip(pairs, cosines, strict=True) if cosine >= PUBLISHED.same]
    changes = sum(pair.label == "update" for pair in pairs)
    same = sum(pair.label == "same" for pair in pairs)
    return {
        "false_supersession": _share(sum(pair.label != "update" for pair in replaced), len(pairs) - changes),
        "missed_update": _share(changes - sum(pair.label == "update" for pair in replaced), changes),
        "false_confirmation": _share(sum(pair.label != "same" for pair in confirmed), len(pairs) - same),
    }


def _by_language(pairs: Sequence[Pair], wrong: Sequence[tuple[Pair, str]]) -> dict[str, list[int]]:
    """Language -> [right, all]."""
    every, bad = Counter(pair.language for pair in pairs), Counter(pair.language for pair, _ in wrong)
    return {language: [every[language] - bad[language], every[language]] for language in sorted(every)}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
