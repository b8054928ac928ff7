"""Conversations of `tools/changes/told`, in which something known changes, or seems to: what was said, sentence by sentence.

TOML, one `[[told]]` each: `language`, `kind` and `old` (what was known), `turns` as [speaker, text], and `new`, the very words that tell
what holds now, "" where nothing changed. Each file is by an author of its own; `six` holds mostly near misses.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from vademecum.capture.mine import ANSWERED_CHARS
from vademecum.capture.speech import Sentence, sentences
from vademecum.capture.statements import asks_or_passes, own_words

FOLDER = Path(__file__).parent / "changes" / "told"


@dataclass(frozen=True)
class Said:
    """A sentence, what was said right beside it, what the agent had said before, and whether it tells that `old` changed."""

    text: str
    around: str
    answered: str
    changes: bool


@dataclass(frozen=True)
class Conversation:
    """What was known, and the sentences of the person that could tell of a change of it, in order."""

    file: str
    language: str
    old: str
    said: tuple[Said, ...]


def read_told() -> list[Conversation]:
    """All conversations."""
    return [
        Conversation(path.stem, row["language"], row["old"], tuple(_said(row["turns"], row["new"])))
        for path in sorted(FOLDER.glob("*.toml"))
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["told"]
    ]


def _said(turns: Iterable[tuple[str, str]], new: str) -> Iterable[Said]:
    answered = ""
    for speaker, text in turns:
        if speaker == "agent":
            answered = text[:ANSWERED_CHARS]
            continue
        own = list(own_words(list(sentences(text)), text))
        for place, sentence in enumerate(own):
            changes = _tells(sentence, new)
            if changes or not asks_or_passes(sentence.said):
                beside = [own[at].text for at in (place - 1, place + 1) if 0 <= at < len(own)]
                yield Said(sentence.text, " ".join(beside), answered, changes)


def _tells(sentence: Sentence, new: str) -> bool:
    said, wanted = _letters(sentence.text), _letters(new)
    return bool(said and wanted) and (wanted in said or said in wanted)


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
