"""A perfect reader made from the labels: whatever is lost of its answers is lost in our own gates."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vademecum.domain.llm import Answer, Prompt, Usage
from vademecum.domain.tokens import estimate_tokens
from vademecum.extract.llm_extraction import PROVABLE
from vademecum.extract.numbers import READ_TEXT_MAX_CHARS as TEXT_MAX_CHARS
from vademecum_bench.real.labels import Expected, Label
from vademecum_bench.real.replay import messages_in
from vademecum_bench.real.ruler import NEAR, shares, words_of

#: Setting of a model that selects this reader, in measurements only.
ORACLE = "oracle"
NO_STATEMENTS: Mapping[str, str] = {}

_WORD = re.compile(r"\w+")
_KNOWN = re.compile(r"^(m\d+) \(\w+\): (.*)$", re.MULTILINE)


class Oracle:
    """A language model that knows the label of the session it is asked about.

    Args:
        label: returns that label.
        earlier: "<path>#<id>" -> statement of the expected things of all sessions.
    """

    model_id = ORACLE

    def __init__(self, label: Callable[[], Label], earlier: Mapping[str, str]) -> None:
        self._label, self._earlier = label, earlier

    def ask(self, prompt: Prompt) -> Answer:
        """Return the perfect answer; it never considers two memories related."""
        value = {"pairs": []} if prompt.name == "relation" else oracle_answer(prompt, self._label(), self._earlier)
        written = estimate_tokens(json.dumps(value, ensure_ascii=False))
        return Answer(value, Usage(estimate_tokens(prompt.task + prompt.text), written))


def oracle_answer(prompt: Prompt, label: Label, earlier: Mapping[str, str] = NO_STATEMENTS) -> Mapping[str, Any]:
    """Return the answer to a reading of the label's session: all expected things, each with its best quotation."""
    messages = tuple(map(str.strip, messages_in(prompt)))
    known = dict(_KNOWN.findall(next(part for part in prompt.material if part.startswith("<known_memories>"))))
    entries = (_entry(one, messages, known, earlier) for one in label.expect)
    handoff = label.handoff
    return {
        "memories": [entry for entry in entries if entry is not None],
        "handoff": {"asked": handoff.asked, "done": list(handoff.done), "open": list(handoff.open), "next": handoff.next},
        "summary": handoff.asked,
        "drifted": False,
    }


def statements(labels: Iterable[Label]) -> Mapping[str, str]:
    """Return "<path>#<id>" -> statement of each expected thing."""
    return {f"{label.path}#{one.id}": one.statement for label in labels for one in label.expect}


def _entry(
    one: Expected, messages: tuple[str, ...], known: Mapping[str, str], earlier: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return an expected thing as a memory; None if no message of this part contains its words.

    Of several quotations one that the person typed or that something backs is preferred, as the task asks.
    """
    found = [(number, quote) for quote in one.quotes for number in _messages_with(quote, messages)]
    if not found:
        return None
    backed = {number: _backing(one.kind, number, messages) for number, _ in found}
    at, quote = min(
        found, key=lambda place: (not _is_typed(messages[place[0] - 1]) and not backed[place[0]], _rank(messages[place[0] - 1]))
    )
    again = _named(one.statement, known) if one.repeats else ""
    outdated = next((name for place in one.replaces if (name := _named(earlier.get(place, ""), known))), "")
    relation = "update" if outdated else "same" if again else "new"
    return {
        "kind": one.kind, "title": one.title, "text": one.statement[:TEXT_MAX_CHARS], "quote": quote, "at": at,
        "backed": 0 if _is_typed(messages[at - 1]) else backed[at], "lasting": True, "until": "",
        "topics": [],
        "relation": relation, "target": outdated or again if relation != "new" else "",
    }  # fmt: skip


def _messages_with(quote: str, messages: tuple[str, ...]) -> list[int]:
    """Return the numbers of the messages that contain the quotation."""
    wanted = re.compile(r"\W+".join(map(re.escape, _WORD.findall(quote))), re.IGNORECASE)
    return [number for number, text in enumerate(messages, 1) if not text.startswith("ran:") and wanted.search(text)]


def _is_typed(message: str) -> bool:
    return message.startswith("user:")


def _rank(message: str) -> int:
    speakers = ("user:", "agent:", "user, pasted:")
    return next((rank for rank, speaker in enumerate(speakers) if message.startswith(speaker)), len(speakers))


def _backing(kind: str, at: int, messages: tuple[str, ...]) -> int:
    """Return the number of the message that agrees with the agent's, or of the command that proves it; 0 for none."""
    later = list(enumerate(messages, 1))[at:]
    agreed = next((number for number, text in later if text.startswith("user:") and not text.endswith("?")), 0)
    wanted = re.compile(r"ran:" if kind != "fix" else r"ran:(?!.*=> failed)")
    proving = [number for number, text in enumerate(messages, 1) if wanted.match(text)]
    proved = min(proving, key=lambda number: abs(number - at), default=0)
    return proved or agreed if kind in PROVABLE else agreed


def _named(statement: str, known: Mapping[str, str]) -> str:
    """Return the name of the known memory that says the same; "" for none."""
    said = words_of(statement)
    fitting = {name: min(shares(words_of(text), said)) for name, text in known.items() if said}
    best = max(fitting, key=lambda name: fitting[name], default="")
    return best if best and fitting[best] >= NEAR else ""
