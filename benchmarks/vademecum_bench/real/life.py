"""Replay one person's sessions: each is captured, handed over and read at its end, one after the other, in one new memory.

The memory has default settings and a private home. Its clock is at the end of the current session, and so is the time of its
transcript, a copy; so everything that depends on days behaves as in reality, and ids are the same in each run.
"""

import os
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum import settings as settings_module
from vademecum.adapters.clock import FixedClock
from vademecum.api import Vademecum
from vademecum.context.context import Context
from vademecum.domain.errors import LLMUnavailable, NotFound
from vademecum.domain.extraction import Trial
from vademecum.domain.host import Delivery, HookEvent
from vademecum.domain.llm import Answer, Prompt
from vademecum.domain.memory import BY_PERSON
from vademecum.domain.query import Hit
from vademecum.domain.saved import Saved
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.notes import Evidence
from vademecum.ingest.growth import Captured
from vademecum.inject.ask import why
from vademecum.inject.context import RecallContext
from vademecum.inject.deliver import deliver
from vademecum.inject.touch import prompt_words, terms_in
from vademecum.llm_reading.results import ModelRead
from vademecum.ports.llm import LLM
from vademecum.settings import Settings
from vademecum.wiring import open_context, open_memory, open_recall, parse_transcript, registries
from vademecum_bench.real.labels import Label
from vademecum_bench.real.replay import REPLAY
from vademecum_bench.real.verdicts import Kept

#: Statuses of memories that count; archived ones do not.
HELD = ("active", "inbox", "disputed", "incubating")
JUDGED = frozenset({"active", "inbox"})
ALL = 100_000
_LIST = next(verb for verb in VERBS if verb.name == "list")

#: Called with each question to the model, and its answer or the failure.
Asked = Callable[[Prompt, Answer | LLMUnavailable], None]


class Lived(Struct, frozen=True):
    """Result of one session.

    Attributes:
        handoff: its text; "" for none.
        rejected: (beginning of the text, reason) of rejected model output.
        problems: as sentences.
    """

    label: Label
    kept: tuple[Kept, ...]
    handoff: str
    rejected: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()


class Listening:
    """A model whose questions and answers are reported to a callback."""

    def __init__(self, llm: LLM, asked: Asked) -> None:
        self._llm, self._asked = llm, asked

    @property
    def model_id(self) -> str:
        """Id of the model."""
        return self._llm.model_id

    def ask(self, prompt: Prompt) -> Answer:
        """Ask the model, and report question and answer."""
        try:
            answer = self._llm.ask(prompt)
        except LLMUnavailable as error:
            self._asked(prompt, error)
            raise
        self._asked(prompt, answer)
        return answer


class Life:
    """One person's memory while their sessions are replayed.

    Args:
        folder: empty, for all data.
        llm: setting of the reading model, "none" for none, or the model itself.
        asked: called with each question to it.
    """

    def __init__(self, folder: Path, llm: str | LLM, asked: Asked) -> None:
        self._clock = FixedClock(datetime(2000, 1, 1, tzinfo=UTC))
        settings = private_settings(folder, llm if isinstance(llm, str) else "none")
        self.settings, self._transcripts = settings, folder / "transcripts"
        context = open_context(settings, clock=self._clock)
        context = _listened_to(context if isinstance(llm, str) else _with_model(context, llm), self._was_asked)
        self.context = replace(context, pause=lambda seconds: self._clock.advance(timedelta(seconds=seconds)))
        self.memory = open_memory(settings, beside=self.context)
        long_ago = self._clock.now()
        self.context.storage.extractions.note_trial(Trial(self.context.models.llm_name, shown=long_ago, tried=long_ago))
        self._asked = asked
        self._missing: set[str] = set()
        self._seen: set[str] = set()

    def _was_asked(self, prompt: Prompt, answer: Answer | LLMUnavailable) -> None:
        if isinstance(answer, LLMUnavailable) and self.settings.llm.startswith(REPLAY):
            self._missing.add(str(answer))
        self._asked(prompt, answer)

    def pass_session(self, label: Label, transcripts: Path) -> Lived:
        """Replay the end of a session with all later processing."""
        session = parse_transcript(self.settings, transcripts / label.path)
        ended = session.ended or datetime.fromisoformat(label.time)
        self.advance_to(ended)
        path = self._transcripts / label.path
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(transcripts / label.path, path)
        os.utime(path, (ended.timestamp(), ended.timestamp()))
        report = self.memory.maintenance.capture((str(path),))
        problems = [str(problem) for problem in report.problems]
        event = HookEvent(session.host, "end", "SessionEnd", session.id, session.cwd, transcript=str(path))
        self.memory.sessions.record(event)
        problems += [f"{one.session}: {one.error}" for one in self.memory.sessions.process_due().sessions if one.error]
        readings = self.memory.llm.run().reads if self.context.models.llm_name else ()
        problems += self._unread(readings)
        self.memory.maintenance.refine()  # as the helper does until the next session
        kept = self._kept(report.sessions, [saved for one in readings for saved in one.saved])
        rejected = tuple(entry for one in readings for entry in one.rejected)
        return Lived(label, kept, self._handoff(session.uri), rejected, tuple(problems))

    def advance_to(self, moment: datetime) -> None:
        """Advance the clock to a moment, unless it has passed."""
        self._clock.advance(max(timedelta(), moment - self._clock.now()))

    def hear(self, event: HookEvent) -> Delivery:
        """Return the delivery of a hook at an event.

        Its folder does not exist on this machine, so the path identifies the project.
        """
        return deliver(self._recall(event.cwd), event)

    def story(self, trace: str) -> tuple[Hit, ...]:
        """Return all hits of the recall with that id, with scores."""
        return why(self._recall(""), trace).hits if trace else ()

    def touch(self, folder: str, prompt: str, hit: Hit) -> float:
        """Return the overlap of a hit with a prompt typed in a folder."""
        index, text = self.context.index, f"{hit.item.title}\n{hit.passage.text}"
        return prompt_words(index, self._recall(folder).project, prompt).touch(terms_in(index, text))

    def _recall(self, folder: str) -> RecallContext:
        return open_recall(self.settings, self.context, Path(folder) if folder else None)

    def lasting(self) -> frozenset[str]:
        """Return the ids of the memories that are active now."""
        return frozenset(one.id for one in held(self.memory) if one.status == "active")

    def close(self) -> None:
        """Release files."""
        self.memory.close()

    def _unread(self, readings: Sequence[ModelRead]) -> list[str]:
        """Return why conversations were not read. One without a recorded answer is not retried and not reported."""
        failed = [one for one in readings if one.error]
        for one in failed:
            if one.error in self._missing:
                self.memory.llm.drop(one.session)
        return [f"{one.session}: {one.error}" for one in failed if one.error not in self._missing]

    def _kept(self, captured: Sequence[Captured], read: Sequence[Saved]) -> tuple[Kept, ...]:
        """Return the new memories, and those that capture or reading confirmed."""
        got: dict[str, Kept] = {}
        confirmed = [saved for saved in read if saved.action == "confirmed"]
        for one in (*(saved for session in captured for saved in session.saved), *confirmed):
            memory = one.memory
            if memory is not None and one.action not in ("refused", "dropped"):
                turns = _turns(memory.source_span)
                got[memory.id] = Kept(memory.id, memory.kind, memory.body, memory.status, turns, replaced=one.replaced)
        replaced = {saved.memory.id: saved.replaced for saved in read if saved.memory is not None}
        for found in held(self.memory):
            if found.id not in self._seen and found.id not in got:
                turns = _turns(found.span)
                instead = replaced.get(found.id, ())
                got[found.id] = Kept(found.id, found.kind, found.body, found.status, turns, replaced=instead)
        kept = [
            replace(one, again=one.id in self._seen, replaced=tuple(old for old in one.replaced if old in self._seen))
            for one in got.values()
            if one.status in JUDGED
        ]
        self._seen |= got.keys()
        return tuple(kept)

    def _handoff(self, session: str) -> str:
        try:
            saved = self.memory.sessions.handoff(session)
        except NotFound:
            return ""
        return f"# {saved.memory.title}\n\n{saved.memory.body}" if saved.memory else ""


def private_settings(folder: Path, llm: str = "none") -> Settings:
    """Return default settings of a person who has only this folder."""
    (folder / "home").mkdir()
    (folder / "memory").mkdir()
    overrides: dict[str, Any] = {"home": str(folder / "memory"), "llm": llm}
    environment = {"HOME": str(folder / "home")}
    return settings_module.load(environment=environment, overrides=overrides, registries=registries())


def held(memory: Vademecum) -> list[Evidence]:
    """Return the memories from sessions, as in `vade list --evidence`, without handoffs."""
    found = _LIST.run(memory, limit=ALL, evidence=True, by=BY_PERSON, where={"status": HELD})
    return [one for one in found if one.source.startswith("session://") and one.kind != "handoff"]


def live(
    labels: Sequence[Label], transcripts: Path, llm: str | LLM, asked: Asked, passing: Callable[[Label], None]
) -> list[Lived]:
    """Replay one person's sessions, in the given order.

    Args:
        passing: called with each session when it begins.
    """
    with TemporaryDirectory(prefix="vade-bench-") as name:
        life = Life(Path(name), llm, asked)
        try:
            done = []
            for label in labels:
                passing(label)
                done.append(life.pass_session(label, transcripts))
            lasting = life.lasting()
        finally:
            life.close()
    return [replace(one, kept=tuple(replace(kept, lasting=kept.id in lasting) for kept in one.kept)) for one in done]


def _turns(span: str) -> frozenset[str]:
    return frozenset(span.split(" to ")) - {""}


def _with_model(context: Context, llm: LLM) -> Context:
    named = {"llm_name": llm.model_id, "llm_mark": llm.model_id}
    return replace(context, models=replace(context.models, open_llm=lambda: llm, **named))


def _listened_to(context: Context, asked: Asked) -> Context:
    open_llm = context.models.open_llm

    def opened() -> LLM | None:
        llm = open_llm()
        return None if llm is None else Listening(llm, asked)

    return replace(context, models=replace(context.models, open_llm=opened))
