"""A language model, what it is to read, and what it took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from vademecum.domain.extraction import Extraction, Stop, Trial, Wait
    from vademecum.domain.llm import Answer, DayUse, Prompt, Usage


class LLM(Protocol):
    """A question with material -> a JSON object of a schema. Slow, costly, and often not there."""

    @property
    def model_id(self) -> str:
        """Service and model, such as "ollama:qwen3". Keys the ledger."""

    def ask(self, prompt: Prompt) -> Answer:
        """Return the object asked for: it has every member that the schema requires, each of its type. Entries of lists are the
        caller's to judge, one by one.

        Raises:
            LLMRefused: it will not answer before the person does something. BadAnswer: it does not answer with what was asked.
            BudgetSpent: enough was spent today. LLMUnavailable: it cannot be had now; later it may.
        """


class Ledger(Protocol):
    """What models took, by day and model, on this device. What was noted survives kill -9 when the call returns."""

    def spend(self, day: str, model: str, usage: Usage, cost: float) -> None:
        """Add to what a model took on a day; negative numbers take back. Nothing falls below 0."""

    def spent(self, since: str = "") -> tuple[DayUse, ...]:
        """Return what each model took on each day from `since` on (YYYY-MM-DD; "": ever), the last day first, then by model."""

    def close(self) -> None:
        """Release files."""


class Extractions(Protocol):
    """What a model is to read (:mod:`vademecum.domain.extraction`), one row for each conversation. Several processes may change them.

    What a call changed survives kill -9 of the process from the moment at which the call returns.
    """

    def get(self, session: str) -> Extraction | None:
        """Return the row of the session with this URI; None when it was never queued."""

    def change(self, session: str, change: Callable[[Extraction | None], Extraction | None]) -> Extraction | None:
        """Put in the place of a row what `change` makes of it, with nobody in between; None removes it.

        Whatever `change` raises is passed on, and nothing was changed.
        """

    def all(self, stages: Collection[Wait] | None = None) -> tuple[Extraction, ...]:
        """Return rows in these stages (None: in any), those due first first; ties by session."""

    def stopped(self) -> Stop | None:
        """Return why no model is asked; None when nothing speaks against it."""

    def stop(self, stop: Stop | None) -> None:
        """Note that no model is to be asked any more, or that one may be."""

    def trial(self, llm: str) -> Trial:
        """Return how the reader that the setting names so stands; as new when nothing is known of it."""

    def note_trial(self, trial: Trial) -> None:
        """Note how a reader stands now."""

    def close(self) -> None:
        """Release files."""
