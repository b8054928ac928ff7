"""Measure whether typed and pasted turns are distinguished (:func:`vademecum.extract.voice.voices`)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from vademecum.extract.voice import voices
from vademecum.settings import Settings
from vademecum.wiring import parse_transcript
from vademecum_bench.real.labels import Label, by_person, read_labels, with_refs_of
from vademecum_bench.real.life import private_settings
from vademecum_bench.real.verdicts import ratio

Progress = Callable[[str, int, int], None]
SHOWN_CHARS = 160


class Heard(Struct, frozen=True):
    """One turn of the person.

    Attributes:
        pasted: by the label.
        known: recognised as pasted by the program.
    """

    path: str
    ref: str
    text: str
    pasted: bool
    known: bool


def bench_typed(
    labels: Path, transcripts: Path, *, person: str = "", wrong: bool = False, progress: Progress
) -> dict[str, Any]:
    """Return how many pasted turns are recognised, and how many typed ones are mistaken, for each person and in total.

    Args:
        person: only persons whose name contains this.
        wrong: also list the turns judged differently from the label.
    """
    rows, missing = read_labels(labels, transcripts, person)
    with TemporaryDirectory(prefix="vade-bench-") as name:
        settings = private_settings(Path(name))
        heard: dict[str, list[Heard]] = {}
        for number, label in enumerate(rows):
            progress("sessions", number, len(rows))
            heard[label.path] = _heard(label, transcripts, settings)
    persons = {name: _figures([one for label in some for one in heard[label.path]]) for name, some in by_person(rows)}
    every = [one for some in heard.values() for one in some]
    about = {"labels": str(labels), "left_out": missing, "total": _figures(every), "persons": persons}
    return {**about, "wrong": _wrong(every)} if wrong else about


def _heard(label: Label, transcripts: Path, settings: Settings) -> list[Heard]:
    session = parse_transcript(settings, transcripts / label.path)
    label = with_refs_of(label, session)
    texts = {turn.ref: turn.text for turn in session.turns if turn.role == "user" and not turn.sidechain}
    heard = voices(session.turns)
    return [
        Heard(label.path, ref, text, ref in label.pasted, ref in heard and heard[ref].pasted) for ref, text in texts.items()
    ]


def _figures(heard: Sequence[Heard]) -> dict[str, Any]:
    pasted, typed = [one for one in heard if one.pasted], [one for one in heard if not one.pasted]
    known, lost = sum(one.known for one in pasted), sum(one.known for one in typed)
    return {
        "pasted": len(pasted), "known": known, "share_known": ratio(known, len(pasted)),
        "typed": len(typed), "lost": lost, "share_lost": ratio(lost, len(typed)),
    }  # fmt: skip


def _wrong(heard: Sequence[Heard]) -> dict[str, list[dict[str, str]]]:
    """Return the beginnings of turns judged differently from the label."""
    found: dict[str, list[dict[str, str]]] = {"pasted, not known": [], "typed, lost": []}
    for one in heard:
        if one.pasted != one.known:
            sort = "pasted, not known" if one.pasted else "typed, lost"
            found[sort].append({"path": one.path, "ref": one.ref, "text": " ".join(one.text.split())[:SHOWN_CHARS]})
    return found
