"""The guard with the person's policy. Every text passes it before it is stored, and again before it is shown."""

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
    """Judges and cleans texts by one policy. It can be pickled for another process. Rules are loaded with the first text.

    Attributes:
        policy: the person's choices about personal data and exceptions.
    """

    policy: Policy

    def load(self) -> None:
        """Compile every rule now, in a process that forks others, so that none of them has to."""
        guard.screen.compile_rules()
        self.clean_value("")

    def judge(self, text: str, *, trust: Trust, interface: str = "") -> Verdict:
        """Return what may be done with one text. Judging its `text_clean` again does not change it.

        Args:
            trust: the author. Only "user" may address the agent.
            interface: the entry point that the text came through ("cli", "mcp", "hook", "import", ...).
        """
        return guard.gate.inspect(text, trust=trust, interface=interface, policy=self.policy)

    def clean(self, text: str) -> str:
        """Return `text` without secrets, hidden characters, and the personal data that the policy names."""
        return guard.gate.cleanse(text, self.policy)

    def clean_all(self, texts: Sequence[str]) -> list[str]:
        """Clean each text, in order. Much faster than one by one for many texts, few of which contain anything."""
        return guard.records.cleanse_all(texts, self.policy)

    def clean_records(self, data: bytes) -> bytes:
        """Return complete lines of a transcript without secrets; lines without any stay byte for byte the same."""
        return guard.records.cleanse_records(data, self.policy)

    def clean_value(self, value: T) -> T:
        """Return `value` with every string in it clean; the same object when nothing is found.

        Covers mappings (including keys), lists, tuples, sets and records; everything else is returned unchanged.
        """
        return guard.values.clean_value(value, self.policy)

    def count_placeholders(self, text: str) -> int:
        """Return the number of placeholders for secrets in `text`."""
        return len(guard.secrets.placeholders(text))
