"""`vade bench guard --corpora FOLDER`: detection rates of the guard on labelled corpora of others, which are not distributed.

FOLDER contains one file per corpus, `<name>.jsonl`, with one JSON object per line:

    {"text": "...", "label": "secret", "class": "recognisable form", "values": ["..."]}
    {"text": "...", "label": "order", "class": "mail"}
    {"text": "...", "label": "harmless", "class": "note"}

`label` is "secret" (found when none of `values` is left in the clean text; without `values`, when any was found), "order" (found when
the text waits or is refused as one from outside) or "harmless". `class` is any word that groups the rates. One half of a
corpus, by the hash of the text, is for writing rules; the other half, and corpora that nobody has read, are for evaluating them.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from vademecum.domain.errors import InvalidInput
from vademecum.guard import Verdict

#: Actions that keep a text out of all prompts.
HELD = ("quarantine", "refuse")
#: Halves of a corpus: rules may be written after reading the first.
HALVES = ("in view", "held out")


class Sample(Struct, frozen=True):
    """A labelled text; `values` are the secrets in it, if known."""

    text: str
    label: Literal["secret", "order", "harmless"]
    sort: str = field(name="class")
    values: tuple[str, ...] = ()


def bench_corpora(folder: Path, judge: Callable[[str], Verdict], *, misses: Path | None = None) -> dict[str, Any]:
    """Return the rates of each corpus: `{name: {half: {"label, class": [found, of]}}}`.

    For harmless texts there are two rates: "held back", and "with a secret seen".

    Args:
        misses: a file for wrongly judged texts of the halves in view; held-out texts are never shown.

    Raises:
        InvalidInput: the folder contains no corpus, or a line is invalid.
    """
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise InvalidInput(f"There is no corpus (*.jsonl) in {folder}.")
    result, wrong = {}, []
    for file in files:
        rates: dict[str, dict[str, list[int]]] = {half: defaultdict(lambda: [0, 0]) for half in HALVES}
        for sample in read_samples(file):
            half = HALVES[hashlib.sha256(sample.text.encode("utf-8", "replace")).digest()[0] % 2]
            for name, found in _judged(sample, judge(sample.text)).items():
                rates[half][name][0] += found
                rates[half][name][1] += 1
                if half == HALVES[0] and found == (sample.label == "harmless"):
                    wrong.append({"corpus": file.stem, "as": name, "text": sample.text})
        result[file.stem] = {half: dict(sorted(counts.items())) for half, counts in rates.items()}
    if misses is not None:
        misses.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in wrong))
    return result


def read_samples(file: Path) -> Iterator[Sample]:
    """Yield the samples of a corpus, in order.

    Raises:
        InvalidInput: a line is no sample; the message names it.
    """
    decoder = msgspec.json.Decoder(Sample)
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            yield decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise InvalidInput(f"{file}, line {number}: {error}.") from error


def _judged(sample: Sample, verdict: Verdict) -> Mapping[str, bool]:
    """Return the criteria that apply to a sample -> whether each was met."""
    held = verdict.action in HELD
    seen = any(finding.kind == "secret" for finding in verdict.findings)
    if sample.label == "harmless":
        return {f"harmless held back, {sample.sort}": held, f"harmless with a secret seen, {sample.sort}": seen}
    if sample.label == "order":
        return {f"order, {sample.sort}": held}
    return {f"secret, {sample.sort}": seen and not any(value in verdict.text_clean for value in sample.values)}
