"""Ask recorded questions again under another profile, and log both answers (SW-26).

Doing that at each prompt would double its cost. The questions are recorded anyway (`vade why --recent`), so they are asked
again on request.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import InvalidInput
from vademecum.domain.query import Hit, Query
from vademecum.plugin_api.memory import Vademecum, prepared
from vademecum.plugin_api.recall import profile_named, read_story

LOG = "recall_shadow.jsonl"


class Compared(Struct, frozen=True):
    """Comparison for one question.

    Attributes:
        shown: titles that were shown, in order.
        would_show: titles that the other profile would show, in order.
        same: both have the same items.
    """

    question: str
    shown: tuple[str, ...]
    would_show: tuple[str, ...]
    same: bool


class Shadow(Struct, frozen=True):
    """A comparison of profiles.

    Attributes:
        log: file to which each answer was appended as a line of JSON.
        same: number of equal answers among the compared ones.
    """

    profile: str
    log: str
    compared: int
    same: int
    differing: tuple[Compared, ...]


def shadow(memory: Vademecum, profile: str, limit: int) -> Shadow:
    """Compare the answers since the last comparison with those of another profile, oldest first.

    Raises:
        InvalidInput: no profile is named.
        UnknownWord: there is no such profile.
    """
    name = profile or memory.context.setting("shadow_profile")
    if not name:
        raise InvalidInput(
            "No profile to compare with is set.", "Give --profile, or set one: vade settings set shadow_profile swarm"
        )
    profile_named(name)
    log = Path(memory.context.storage.data_dir, LOG)
    compared: list[Compared] = []
    with log.open("a", encoding="utf-8") as lines:
        for trace, question, shown in _asked_since(memory, _last(log), name, limit):
            recall = memory.recall.context
            would = recall.searcher.recall(prepared(recall, Query(question, profile=name, limit=len(shown) or None)))
            keys = (_keys(shown), _keys(would.hits))
            answer = Compared(question, _titles(shown), _titles(would.hits), keys[0] == keys[1])
            facts = {
                "trace": trace,
                "profile": name,
                "question": question,
                "shown": answer.shown,
                "would_show": answer.would_show,
            }
            lines.write(json.dumps(facts, ensure_ascii=False) + "\n")
            compared.append(answer)
    differing = tuple(answer for answer in compared if not answer.same)
    return Shadow(name, str(log), len(compared), len(compared) - len(differing), differing)


def _asked_since(memory: Vademecum, last: str, profile: str, limit: int) -> Iterator[tuple[str, str, tuple[Hit, ...]]]:
    """Yield id, question and hits of answers after the given one, oldest first, without those of this profile."""
    stories = []
    for text in memory.context.state.traces.latest(limit):
        story = read_story(json.loads(text))
        if story.trace == last:
            break
        if story.query.profile != profile:
            stories.append((story.trace, story.query.text, story.hits))
    return reversed(stories)


def _keys(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(hit.item.key for hit in hits)


def _titles(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(hit.item.title for hit in hits)


def _last(log: Path) -> str:
    """Return the id of the last compared answer; "" for none."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return str(json.loads(lines[-1])["trace"]) if lines else ""
    except (FileNotFoundError, ValueError, KeyError):
        return ""
