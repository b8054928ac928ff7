"""The guard with the person's choices in it: every text passes it before it is kept, and once more before it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from vademecum import guard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vademecum.domain.guarding import Policy
    from vademecum.domain.item import Trust
    from vademecum.guard.gate import Verdict

T = TypeVar("T")


class Guard(Struct, frozen=True):
    """Judges and cleans texts by one policy. Can be sent to another process. The rules are loaded by the first text.

    Attributes:
        policy: what the person decided about personal data and about what is let through.
    """

    policy: Policy

    def load(self) -> None:
        """Load and compile every rule now: for a process from which others are forked, so that none of them does."""
        guard.screen.compile_rules()
        self.clean_value("")

    def judge(self, text: str, *, trust: Trust, interface: str = "") -> Verdict:
        """Return what may be done with one text. Judging its `text_clean` again leaves that as it is.

        Args:
            trust: who speaks. Only "user" may address the agent.
            interface: the door it came through ("cli", "mcp", "hook", "import", ...).
        """
        return guard.gate.inspect(text, trust=trust, interface=interface, policy=self.policy)

    def clean(self, text: str) -> str:
        """Return `text` without secrets, hidden characters, and the personal data that the policy names."""
        return guard.gate.cleanse(text, self.policy)

    def clean_all(self, texts: Sequence[str]) -> list[str]:
        """Clean each text, in order; much faster than one by one for many texts, of which few hold anything."""
        return guard.records.cleanse_all(texts, self.policy)

    def clean_records(self, data: bytes) -> bytes:
        """Return a transcript's whole lines without secrets; a line that holds none keeps every byte."""
        return guard.records.cleanse_records(data, self.policy)

    def clean_value(self, value: T) -> T:
        """Return `value` with every string in it clean; the very same object when nothing is found.

        Looks into mappings (their names included), lists, tuples, sets and records; everything else passes as it is.
        """
        return guard.values.clean_value(value, self.policy)

    def count_placeholders(self, text: str) -> int:
        """Return how many secrets were taken out of `text` before."""
        return len(guard.secrets.placeholders(text))
