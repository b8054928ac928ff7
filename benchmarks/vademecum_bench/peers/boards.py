"""Convert public suites to recall sets, so that `vade bench peers` and `vade bench recall` can use them."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from vademecum.domain.errors import InvalidInput
from vademecum_bench.peers.sample import SILENCE

Rows = Iterator[dict[str, Any]]


def longmemeval(path: Path) -> Rows:
    """Convert LongMemEval (`longmemeval_s.json`): one scope per question, with the sessions that contain the answer as gold.

    Questions without an answer (`_abs`) are adversarial. The suite's own measure is by session: any gold session among five, or
    strictly all.
    """
    for one in json.loads(path.read_text(encoding="utf-8")):
        scope = str(one["question_id"])
        held = zip(one["haystack_session_ids"], one["haystack_dates"], one["haystack_sessions"], strict=True)
        for name, date, turns in sorted(held, key=lambda session: session[1]):
            said = [
                {"id": f"{name}:{number}", "speaker": turn["role"], "text": turn["content"]}
                for number, turn in enumerate(turns)
            ]
            yield _session(scope, str(name), date[:10].replace("/", "-") + "T00:00:00", said)
        category = "adversarial" if scope.endswith("_abs") else one["question_type"]
        yield _query(scope, scope, one["question"], category, sessions=one["answer_session_ids"])


def brainbench(path: Path) -> Rows:
    """Convert gbrain's BrainBench (`evals/brainbench`): one scope per fixture, seed pages as notes, user turns as questions.

    A page is one turn marked `note`, so that a memory that tells notes from talk can take it as a note. A user turn for which
    nothing should be retrieved becomes a question of the category "silence", without gold.
    """
    for file in sorted((path / "fixtures").glob("*.fixture.json")):
        fixture = json.loads(file.read_text(encoding="utf-8"))
        name = fixture["fixture_id"]
        pages = fixture.get("seed_pages") or ()
        if not pages:
            continue
        for page in pages:
            head, _, body = page["content"].removeprefix("---\n").partition("---\n")
            title = next((line[6:].strip() for line in head.splitlines() if line.startswith("title:")), page["slug"])
            turn = {"id": page["slug"], "speaker": title, "text": body.strip() or head.strip(), "note": True}
            yield _session(name, page["slug"], None, [turn])
        gold = json.loads((path / "gold" / f"{name}.gold.json").read_text(encoding="utf-8"))["turns"]
        for turn in fixture["turns"]:
            right = gold.get(str(turn["turn_id"]))
            if turn["role"] == "user" and right and "should_retrieve" in right:
                wanted = right.get("gold_slugs") or () if right["should_retrieve"] else ()
                category = fixture["category"] if wanted else SILENCE
                yield _query(name, f"{name}#{turn['turn_id']}", turn["text"], category, turns=wanted)


def beir(path: Path) -> Rows:
    """Convert a retrieval task in the format of BEIR, MTEB and LMEB; each document becomes a session.

    The files are `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`.
    """
    for line in (path / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        text = f"{document.get('title') or ''}\n{document['text']}".strip()
        name = str(document["_id"])
        yield _session(path.name, name, None, [{"id": name, "speaker": "document", "text": text}])
    gold: dict[str, list[str]] = {}
    with (path / "qrels" / "test.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if int(row["score"]) > 0:
                gold.setdefault(row["query-id"], []).append(row["corpus-id"])
    for line in (path / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        if query["_id"] in gold:
            yield _query(path.name, query["_id"], query["text"], "", turns=gold[query["_id"]])


#: Name on the command line -> reader of its files.
BOARDS: Mapping[str, Callable[[Path], Rows]] = {"longmemeval": longmemeval, "brainbench": brainbench, "beir": beir}


def convert_board(board: str, path: Path, out: Path) -> tuple[int, int]:
    """Write the files of a public suite as a recall set; return the numbers of scopes and questions.

    Raises:
        InvalidInput: a file is missing, or does not belong to that suite.
    """
    try:
        rows = list(BOARDS[board](path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is not of {board}: {error!r}.", "See docs/measurements/comparison.md.") from error
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return len({row["scope"] for row in rows}), sum(row["type"] == "query" for row in rows)


def _session(scope: str, name: str, time: str | None, turns: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "session", "scope": scope, "id": name, "time": time, "turns": turns}


def _query(scope: str, name: str, text: str, category: str, *, turns: Any = (), sessions: Any = ()) -> dict[str, Any]:
    return {
        "type": "query",
        "scope": scope,
        "id": name,
        "text": text,
        "category": category,
        "gold_turns": list(turns),
        "gold_sessions": list(sessions),
        "visible_sessions": None,
    }
