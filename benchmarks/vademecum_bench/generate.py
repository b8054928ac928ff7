"""Synthetic notes and conversations with realistic word frequencies; deterministic for a seed."""

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

#: Size of the vocabulary, and exponent of Zipf's law (about that of English).
VOCABULARY = 40_000
EXPONENT = 1.05
_SYLLABLES = [
    first + second for first in "bcdfghjklmnprstvz" for second in ("a", "e", "i", "o", "u", "an", "er", "il", "on", "us")
]
_COMMON = "the of to and in is it for on with as we at by that this from be are was not or have has will can should".split()
#: Number of topics over which the notes are spread, one per note.
TOPICS = 500
_KINDS = ("decision", "fact", "lesson", "fix", "preference", "procedure")


class Generator:
    """Text whose words follow Zipf's law."""

    def __init__(self, seed: int = 1) -> None:
        self.chance = random.Random(seed)
        self._words = [*_COMMON, *(self._word() for _ in range(VOCABULARY - len(_COMMON)))]
        self._cumulative = list(itertools.accumulate(1 / (rank + 2) ** EXPONENT for rank in range(len(self._words))))

    def _word(self) -> str:
        return "".join(self.chance.choices(_SYLLABLES, k=self.chance.choice((2, 2, 3, 3, 4))))

    def topic(self, number: int) -> str:
        """Return the label of a topic."""
        return f"{self._words[100 + number % TOPICS]} {self._words[1000 + number % TOPICS]}"

    def words(self, count: int) -> list[str]:
        """Return `count` words, drawn by frequency."""
        return self.chance.choices(self._words, cum_weights=self._cumulative, k=count)

    def text(self, words: int) -> str:
        """Return sentences of six to eighteen words."""
        parts = []
        left = words
        while left > 0:
            sentence = self.words(min(left, self.chance.randint(6, 18)))
            parts.append(" ".join(sentence).capitalize() + ".")
            left -= len(sentence)
        return " ".join(parts)


def write_notes(folder: Path, count: int, generator: Generator, projects: Sequence[str] = ()) -> Iterator[tuple[Path, str]]:
    """Write memory files of 20 to 80 words; yield (path, text) of each.

    Args:
        projects: slugs over which they are spread; empty: all are personal.
    """
    for number in range(count):
        kind = generator.chance.choice(_KINDS)
        title = " ".join(generator.words(5)).capitalize()
        body = generator.text(generator.chance.randint(20, 80))
        day = f"2026-{1 + number % 12:02}-{1 + number % 28:02}"
        project = projects[number % len(projects)] if projects else ""
        group = f"projects/{project}" if project else "personal"
        path = folder / group / kind / f"{number % 997:03}-{number}.md"
        if projects or number < 997 * len(_KINDS):
            path.parent.mkdir(parents=True, exist_ok=True)
        belongs = f"project: {project}\n" if project else ""
        text = (
            f"---\nid: {identity(number)}\nkind: {kind}\ntitle: {title}\nstatus: active\n{belongs}"
            f"topics: [{generator.topic(number)}]\n"
            f"created: {day}T10:00:00Z\nupdated: {day}T10:00:00Z\n---\n\n{body}\n"
        )
        path.write_text(text, encoding="utf-8")
        yield path, f"{title} {body}"


def write_conversations(
    folder: Path, turns: int, generator: Generator, *, each: int = 200, places: Sequence[Path] = ()
) -> Iterator[Path]:
    """Write plain transcripts of `each` turns with 8 to 60 words; yield their paths.

    Args:
        places: folders in which they took place, in turn.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(0, turns, each):
        path = folder / f"c{number}.jsonl"
        lines = [{"type": "session", "id": f"c{number}", "time": f"2026-{1 + number % 12:02}-03T09:00:00Z"}]
        if places:
            lines[0]["cwd"] = str(places[number // each % len(places)])
        for turn in range(min(each, turns - number)):
            speaker = "user" if turn % 2 == 0 else "assistant"
            lines.append({"id": str(turn), "speaker": speaker, "text": generator.text(generator.chance.randint(8, 60))})
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        yield path


def question_about(text: str, generator: Generator) -> str:
    """Return a question with three to six words of `text`."""
    words = text.replace(".", "").lower().split()
    chosen = generator.chance.sample(words, k=min(len(words), generator.chance.randint(3, 6)))
    return "What did we say about the " + " ".join(chosen) + "?"


def mistype(question: str, generator: Generator) -> str:
    """Return the question with one wrong letter in each longer word."""
    return " ".join(_mistyped(word, generator.chance) if len(word) > 4 else word for word in question.split())


def _mistyped(word: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(word))
    return word[:place] + chance.choice("aeioulnrst") + word[place + 1 :]


def identity(number: int) -> str:
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    digits = []
    for _ in range(16):
        number, rest = divmod(number, 32)
        digits.append(alphabet[rest])
    return "01JZZZZZZZ" + "".join(reversed(digits))
