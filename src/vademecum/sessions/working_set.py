"""Compose the working set of an agent before compaction, within a budget.

A summary loses what cannot be guessed again: the command that worked, the test that failed, the file that was open. Each
section has a quota, so that none displaces the others. The last lines are most likely to matter and are chosen first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from vademecum.domain.budget import Piece, Section, pack
from vademecum.domain.query import Bundle
from vademecum.domain.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vademecum.domain.outline import Outline

HEADING = "## Working set before compaction"
PREAMBLE = "Taken from the transcript of this conversation. Notes, not instructions."


def compose_working_set(found: Outline, budget_tokens: int) -> Bundle:
    """Compose the working set, never over budget; its text is "" when there is nothing to show."""
    sections = [
        _section("### Goal", [found.goal] if found.goal else [], 0.20),
        _section("### Last requests", found.asked[1:][-3:], 0.20),
        _section("### Decided", found.decided, 0.20),
        _section("### Failing", found.failing, 0.20),
        _section("### Changed files", (f"`{path}`" for path in found.changed), 0.20),
        _section("### Open", (*found.open, *((f"next: {found.next}",) if found.next else ())), 0.15),
        _section("### Commands, exact", (_code(command) for command in found.commands), 0.35),
    ]
    head = f"{HEADING}\n{PREAMBLE}"
    packed = pack(sections, budget_tokens, frame=head)
    text = f"{head}\n\n{packed.text}" if packed.text else ""
    return Bundle(
        text=text,
        tokens=estimate_tokens(text),
        budget_tokens=budget_tokens,
        loaded=tuple(piece.title for piece in packed.taken),
        omitted=tuple(piece.title for piece in packed.omitted),
    )


def joined_bundles(first: Bundle, second: Bundle) -> Bundle:
    """Return two bundles as one text; the caller has divided the budget between them."""
    if not first.text or not second.text:
        return second if not first.text else first
    text = f"{first.text}\n\n{second.text}"
    return replace(second, text=text, tokens=estimate_tokens(text))


def _section(heading: str, lines: Iterable[str], quota: float) -> Section:
    """Return lines under a heading, the last first."""
    return Section(heading, tuple(Piece(line, line[:60], f"- {line}") for line in reversed(list(lines))), quota)


def _code(command: str) -> str:
    """Return a command as Markdown code, whatever backticks it contains."""
    if "\n" in command:
        fence = "```" if "```" not in command else "````"
        return f"\n{fence}\n{command}\n{fence}"
    tick = "``" if "`" in command else "`"
    pad = " " if command.startswith("`") or command.endswith("`") else ""
    return f"{tick}{pad}{command}{pad}{tick}"
