"""Daily limit and count of a model's use: no interface and no job can use more in a day than the person allows (X-32)."""

from collections.abc import Callable

from vademecum.adapters.llms.completion import Complete, Completion
from vademecum.domain.errors import BudgetSpent
from vademecum.domain.llm import NOTHING, Limits, Prompt, Usage
from vademecum.domain.tokens import estimate_tokens
from vademecum.ports.clock import Clock
from vademecum.ports.llm import Ledger


def metered(model_id: str, ledger: Ledger, clock: Clock, limits: Limits) -> Callable[[Complete], Complete]:
    """Return a wrapper that applies `limits` to a function that asks a model.

    The maximum use of a question is recorded before it is asked and corrected afterwards by the real use, so that neither a
    second process nor a kill in between leads to uncounted use.
    """

    def around(complete: Complete) -> Complete:
        def counted(prompt: Prompt) -> Completion:
            day = clock.now().astimezone().date().isoformat()
            reserved = Usage(estimate_tokens(prompt.task + prompt.text), prompt.max_output_tokens)
            ledger.spend(day, model_id, reserved, 0.0)
            taken = NOTHING
            try:
                _must_fit(ledger, day, limits)
                got = complete(prompt)
                taken = got.usage
            finally:
                _correct(ledger, day, model_id, reserved, taken)
            return got

        return counted

    return around


def _must_fit(ledger: Ledger, day: str, limits: Limits) -> None:
    """Raise BudgetSpent when the day's tokens, including reserved ones, exceed the limits."""
    today = [use for use in ledger.spent(day) if use.day == day]
    read, written = sum(use.input_tokens for use in today), sum(use.output_tokens for use in today)
    if read > limits.input_tokens or written > limits.output_tokens:
        raise BudgetSpent(
            f"Today's tokens for models are used up ({limits.input_tokens} in, {limits.output_tokens} out).",
            "Reading continues tomorrow. See: vade reader show --usage; setting llm_daily_input_tokens",
        )


def _correct(ledger: Ledger, day: str, model_id: str, reserved: Usage, taken: Usage) -> None:
    difference = Usage(
        taken.input_tokens - reserved.input_tokens,
        taken.output_tokens - reserved.output_tokens,
        None,
        taken.calls - reserved.calls,
    )
    ledger.spend(day, model_id, difference, taken.cost or 0.0)
