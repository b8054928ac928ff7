"""`vade lint` and `vade lint --health`."""

from collections import Counter

from vademecum.domain.ids import short_id
from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb, counted
from vademecum.plugins.lint.checks import CHECKS, Finding
from vademecum.plugins.lint.propose import OTHERS, SKILLS, THREADS, Proposals, propose
from vademecum.plugins.lint.run import Linted, lint

#: Most findings shown for one check; --json returns all.
_SHOWN = 20


def linted_text(result: Linted) -> str:
    """Return the findings by check, then their counts; informational ones are only counted."""
    lines: list[str] = []
    wrong = Counter(finding.check for finding in result.findings if finding.level != "note")
    known = Counter(finding.check for finding in result.findings if finding.level == "note")
    for check in (name for name in CHECKS if name in wrong):
        own = [(finding, count) for finding, count in result.folded(check) if finding.level != "note"]
        lines.append(f"{check}: {CHECKS[check][1]}")
        lines += [_finding_line(finding, count) for finding, count in own[:_SHOWN]]
        lines += [f"  ... and {len(own) - _SHOWN} more: vade lint --check {check} --json"] if len(own) > _SHOWN else []
    lines += [f"Good to know: {_counts(known)} (all: --json)"] if known else []
    lines.append(f"{counted(result.notes, 'note')} checked: {_counts(wrong) or 'nothing is wrong.'}")
    lines += [f"{counted(result.mended, 'note')} set right; take it back with: vade undo"] if result.mended else []
    lines += [f"Report: {result.report}"] if result.report else []
    if any(one.fixable for one in result.findings):
        lines.append("Some of it can be corrected without a decision: vade lint --fix")
    return "\n".join(lines)


def _counts(result: Counter[str]) -> str:
    return ", ".join(f"{count} {check}" for check, count in result.items())


def _finding_line(finding: Finding, count: int) -> str:
    more = f" and {count - 1} more of kind {finding.kind} (all: --json)" if count > 1 else ""
    place = f"{finding.path}: " if finding.path else ""
    return f"  {finding.level:<6}  {place}{finding.message}" + (f" ({finding.other})" if finding.other else "") + more


def _is_wrong(result: Linted) -> bool:
    return any(finding.level != "note" for finding in result.findings)


def proposed_text(result: Proposals) -> str:
    """Return a line for each memory that could be archived, and the next command."""
    if not result.proposals:
        return "Nothing needs to be archived."
    lines = [f"{one.kind:<10}  {one.title}: {one.why}  {short_id(one.id)}" for one in result.proposals]
    lines += [
        f"{result.left} more next time: at most {THREADS} tasks, {SKILLS} skills and {OTHERS} others are archived at once"
    ] * bool(result.left)
    if result.archived:
        return "\n".join([*lines, "Archived. Take it back with: vade undo"])
    return "\n".join([*lines, "Archive them with: vade lint --health --archive; only one with: vade archive REF"])


VERBS = (
    Verb("lint",
         "Find what is wrong in your memories and notes: dead links, duplicates, outdated claims, broken chains, properties. Exits with 1"
         " when there is something.", (
        Param("check", "list", "Only these checks, by id.", ()),
        Param("space", "text", "Only the memories and notes of this space.", ""),
        Param("fix", "flag", "Correct what needs no decision; one undo takes it back.", False),
        Param("report", "flag", "Write it to _views/lint-DATE.md.", False),
    ), on_context(lint), linted_text, writes_with=("fix", "report"), failed=_is_wrong, signed=True),
    Verb("lint --health",
         "What could be archived, a few at a time: what has expired, what is there twice, what a model considers out of date.", (
        Param("archive", "flag", "Archive it, as one operation.", False),
        Param("model", "flag",
              "Also ask the language model: it is shown memories that were not confirmed for a long time, and names ids.", False),
    ), on_context(propose), proposed_text, writes_with=("archive", "model"), agents=False, signed=True),
)  # fmt: skip
