"""A language model, its queue, and its use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from vademecum.domain.extraction import Extraction, Stop, Trial, Wait
    from vademecum.domain.llm import Answer, DayUse, Prompt, Usage


class LLM(Protocol):
    """A question with material -> a JSON object of a schema. Slow, costly, and often unavailable."""

    @property
    def model_id(self) -> str:
        """Service and model, such as "ollama:qwen3". Key of the ledger."""

    def ask(self, prompt: Prompt) -> Answer:
        """Return the requested object, with every member that the schema requires, each of its type.

        The caller must validate the entries of lists one by one.

        Raises:
            LLMRefused: it does not answer until the person does something. BadAnswer: the answer is not what was requested.
            BudgetSpent: today's budget is used up. LLMUnavailable: temporarily unavailable.
        """


class Ledger(Protocol):
    """Use of models, by day and model, on this device. Recorded use survives kill -9 once the call returned."""

    def spend(self, day: str, model: str, usage: Usage, cost: float) -> None:
        """Add to the use of a model on a day; negative numbers subtract. Totals never fall below 0."""

    def spent(self, since: str = "") -> tuple[DayUse, ...]:
        """Return the use of each model on each day from `since` on (YYYY-MM-DD; "": all), last day first, then by model."""

    def close(self) -> None:
        """Release files."""


class Extractions(Protocol):
    """Queue of a model (:mod:`vademecum.domain.extraction`), one row for each conversation. Several processes may change it.

    A change survives kill -9 of the process once the call returned.
    """

    def get(self, session: str) -> Extraction | None:
        """Return the row of the session with this URI; None when it was never queued."""

    def change(self, session: str, change: Callable[[Extraction | None], Extraction | None]) -> Extraction | None:
        """Atomically replace a row by `change(row)`; None deletes it. Return the new row.

        An exception in `change` is passed on, and nothing is changed.
        """

    def all(self, stages: Collection[Wait] | None = None) -> tuple[Extraction, ...]:
        """Return rows in these stages (None: all), the earliest due first; ties by session."""

    def stopped(self) -> Stop | None:
        """Return why no model is used; None when models may be used."""

    def stop(self, stop: Stop | None) -> None:
        """Record that no model is to be used any more; None: models may be used again."""

    def trial(self, llm: str) -> Trial:
        """Return the trial of the reader with this setting; a new one when nothing is recorded."""

    def note_trial(self, trial: Trial) -> None:
        """Record the trial of a reader."""

    def close(self) -> None:
        """Release files."""
