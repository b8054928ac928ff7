"""Replay all sessions of each person in time order, and compute figures."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vademecum.domain.errors import LLMUnavailable
from vademecum.domain.llm import Answer, Prompt
from vademecum.llm_reading.trial import SAMPLES, asked_of, session_of
from vademecum.wiring import parse_transcript
from vademecum_bench.metrics import percentile
from vademecum_bench.real.handoffs import handoff_figures, judge_handoff
from vademecum_bench.real.labels import Label, by_person, read_labels, with_refs_of
from vademecum_bench.real.life import Lived, live, private_settings
from vademecum_bench.real.oracle import ORACLE, Oracle, statements
from vademecum_bench.real.recording import write_prompt
from vademecum_bench.real.replay import REPLAY, change_since, key_of, read_recording, recorded_for
from vademecum_bench.real.verdicts import VIEWS, figures, judged_all, places, was_found

Progress = Callable[[str, int, int], None]


def bench_real(
    labels: Path,
    transcripts: Path,
    *,
    llm: str = "none",
    person: str = "",
    wrong: bool = False,
    prompts: Path | None = None,
    progress: Progress,
) -> dict[str, Any]:
    """Return figures for each person and in total, as one JSON object.

    Args:
        llm: setting of the reading model; "oracle": answers made from the labels.
        person: only persons whose name contains this.
        wrong: also list junk, doubles, memories of a wrong kind, and misses.
        prompts: folder for questions without an answer in the recording of `llm`; a missing recording is created.
    """
    read, missing = read_labels(labels, transcripts, person)
    with TemporaryDirectory(prefix="vade-bench-") as name:
        settings = private_settings(Path(name))
        rows = [with_refs_of(label, parse_transcript(settings, transcripts / label.path)) for label in read]
    every, _ = read_labels(labels, transcripts)
    reading = _Reading(llm, prompts, every)
    reading.offer_samples()
    lived: list[Lived] = []

    def passing(label: Label) -> None:
        progress("sessions", rows.index(label), len(rows))
        reading.label = label

    reader = llm if llm != ORACLE else Oracle(lambda: reading.label, statements(rows))
    for _, group in by_person(rows):
        lived += live(group, transcripts, reader, reading.asked, passing)
    about: dict[str, Any] = {
        "labels": str(labels), "llm": llm, "left_out": missing, "total": _all_figures(lived),
        "persons": {name: _all_figures([one for one in lived if one.label.person == name]) for name, _ in by_person(rows)},
        "problems": [f"{one.label.path}: {problem}" for one in lived for problem in one.problems],
    }  # fmt: skip
    if llm != "none":
        about["reading"] = reading.figures(lived)
    return {**about, "wrong": {**_wrong(lived), **reading.wrong()}} if wrong else about


def _all_figures(lived: Sequence[Lived]) -> dict[str, Any]:
    labels, kept = [one.label for one in lived], {one.label.path: one.kept for one in lived}
    views = {name: figures(judged_all(labels, kept, statuses)) for name, statuses in VIEWS.items()}
    return {**views, "handoffs": handoff_figures([judge_handoff(one.label.handoff, one.handoff) for one in lived])}


class _Reading:
    """Questions to the model session by session, and its consumption.

    Args:
        prompts: folder for questions without an answer; None: they are only counted.
        every: all labels, which number the sessions independent of the selected persons.

    Attributes:
        label: of the session that is read now.
    """

    label: Label

    def __init__(self, llm: str, prompts: Path | None, every: Sequence[Label]) -> None:
        self._recording = Path(llm.removeprefix(REPLAY)) if llm.startswith(REPLAY) else None
        self._prompts = prompts if self._recording else None
        self._numbers = {one.path: number for number, one in enumerate(every, 1)}
        self._tokens: dict[str, tuple[int, int]] = {}
        self._unanswered: dict[str, str] = {}
        self._changed: dict[str, str] = {}
        self._written: list[str] = []

    def offer_samples(self) -> None:
        """Write the questions about the samples of the reader's entrance test that have no answer, numbered 0.

        No test is made here, but with these answers a recording can serve as a reader elsewhere, too.
        """
        if self._prompts is None or self._recording is None:
            return
        self._recording.touch()
        recorded = read_recording(self._recording)
        questions = [asked_of(session_of(sample)) for sample in SAMPLES]
        for prompt in (one.prompt for one in questions if one is not None):
            if recorded_for(prompt, recorded) is None:
                self._written.append(str(write_prompt(self._prompts, 0, prompt)))

    def asked(self, prompt: Prompt, answer: Answer | LLMUnavailable) -> None:
        """Record a question to the model, and its answer or failure."""
        path = self.label.path
        key = f"{prompt.name} {key_of(prompt)}"
        if isinstance(answer, Answer):
            read, written = self._tokens.get(path, (0, 0))
            self._tokens[path] = (read + answer.usage.input_tokens, written + answer.usage.output_tokens)
            self._note_changes(prompt, key)
        elif key not in self._unanswered:
            self._unanswered[key] = f"{path}: {answer.message}"
            if self._prompts is not None:
                self._written.append(str(write_prompt(self._prompts, self._numbers[path], prompt)))

    def _note_changes(self, prompt: Prompt, key: str) -> None:
        found = recorded_for(prompt, read_recording(self._recording)) if self._recording else None
        changed = change_since(found, prompt) if found else None
        if changed and (changed.gone or changed.come):
            lost = f", {changed.lost} relations of the answer go nowhere" if changed.lost else ""
            self._changed[key] = f"{self.label.path}: {changed.gone} shown memories are gone, {changed.come} are new{lost}"

    def figures(self, lived: Sequence[Lived]) -> dict[str, Any]:
        """Return tokens per session, and differences from the recording."""
        read, written = ([taken[side] for taken in self._tokens.values()] for side in (0, 1))
        return {
            "sessions_read": len(self._tokens),
            "tokens_in": _middle(read),
            "tokens_out": _middle(written),
            "unanswered": list(self._unanswered.values()),
            "other_memories_shown": list(self._changed.values()),
            "prompts_written": self._written,
            "rejected": sum(len(one.rejected) for one in lived),
        }

    def wrong(self) -> dict[str, list[dict[str, Any]]]:
        """Return the differences from the recording, for inspection."""
        sorts = {"no answer recorded": self._unanswered, "other memories shown": self._changed}
        return {sort: [{"path": line} for line in lines.values()] for sort, lines in sorts.items() if lines}


def _middle(numbers: Sequence[int]) -> dict[str, float]:
    ordered = sorted(map(float, numbers))
    return {"median": percentile(ordered, 0.5), "p95": percentile(ordered, 0.95)} if ordered else {}


def _wrong(lived: Sequence[Lived]) -> dict[str, list[dict[str, Any]]]:
    """Return errors to inspect, by kind."""
    labels, kept = [one.label for one in lived], {one.label.path: one.kept for one in lived}
    found: dict[str, list[dict[str, Any]]] = {"junk": [], "double": [], "other kind": [], "missed": []}
    for name in ("active", "waiting"):
        for label, some in judged_all(labels, kept, VIEWS[name]):
            for one in some:
                sort = "other kind" if one.verdict == "right" and not one.kind_right else str(one.verdict)
                if sort in found and not one.kept.again:
                    about = {
                        "path": label.path,
                        "view": name,
                        "kind": one.kept.kind,
                        "text": one.kept.text.strip(),
                        "id": one.which,
                    }
                    found[sort].append({**about, "pasted": one.pasted, "tempted": one.tempted})
    held = places(judged_all(labels, kept, VIEWS["active and waiting"]))
    for label in labels:
        for due in label.expect:
            if not was_found(label, due, held):
                how = "explicit" if due.explicit else "contextual"
                about = {"path": label.path, "id": due.id, "kind": due.kind, "how": how, "said_by": due.said_by}
                found["missed"].append({**about, "text": due.statement})
    rejected = [{"path": one.label.path, "text": text, "why": why} for one in lived for text, why in one.rejected]
    handoffs = [{"path": one.label.path, **_handoff_faults(one)} for one in lived]
    return {**found, "rejected": rejected, "handoffs": [one for one in handoffs if len(one) > 1]}


def _handoff_faults(one: Lived) -> dict[str, Any]:
    """Return the faults of a session's handoff; empty for none."""
    judged = judge_handoff(one.label.handoff, one.handoff)
    faults = {
        "asked": "" if judged.asked else one.label.handoff.asked,
        "false_done": judged.false_done,
        "unnamed": judged.unnamed,
    }
    return {name: fault for name, fault in faults.items() if fault}
