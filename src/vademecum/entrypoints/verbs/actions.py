"""Verbs about rules that are told at tool calls of agents."""

from collections.abc import Sequence

from vademecum.actions.rules import RuleLine
from vademecum.api import Vademecum
from vademecum.domain.action import LEVELS
from vademecum.domain.ids import short_id
from vademecum.entrypoints.verbs.table import Param, Verb, ref_param

#: Stands over these verbs in the help of the command line.
TITLE = "At tool calls"

_DOES = {
    "note": "told beside the result of the call",
    "pause": "holds the first such call of a session back, once",
    "barrier": "refuses each such call",
}


def rules_text(rules: Sequence[RuleLine]) -> str:
    """Return the rules, each with its calls and what happens there."""
    if not rules:
        return 'No rule is told at tool calls.\nMake one of a memory: vade rule REF --when "run: git push --force"'
    return "\n".join(map(rule_text, rules))


def rule_text(rule: RuleLine) -> str:
    """Return one rule."""
    where = f"in project {rule.project}" if rule.project else "in every project"
    found = " (from its own words)" if rule.own_words else ""
    lines = [f"{rule.level:7}  {rule.title}  ({short_id(rule.id)})", f"  {_DOES[rule.level]}, {where}; told {rule.told} times"]
    lines += [f"  when    {pattern}{found}" for pattern in rule.when]
    lines += [f"  unless  {text}" for text in rule.unless]
    return "\n".join(lines)


VERBS = (
    Verb("rules", "Memories that agents are told at their tool calls: a command, an edit, a call of another server; the strictest first.", (
        Param("at", "text", 'Only those told at this call: a command, or such as "edit: docs/a.md".', ""),
        Param("project", "text", "Only those told in this project.", "", max_chars=100),
    ), Vademecum.actions.rules, rules_text),
    Verb("rule", "Show or set at which tool calls a memory is told, and whether such a call is only noted, held back once, or refused.", (
        ref_param(),
        Param("level", "text", "note: told beside the result; pause: holds the first such call of a session back; barrier: refuses each.",
              "", choices=("", *LEVELS)),
        Param("when", "list", 'A call it is told at: "run: git push --force", "edit: docs/*.md", "mcp: github create", "run: /REGEX/".', (),
              commas=False),
        Param("unless", "list", "A text by which such a call already obeys.", (), commas=False),
        Param("reset", "flag", "Take back what was set; its own words decide again.", False),
    ), Vademecum.actions.rule, rule_text, writes=True),
)  # fmt: skip
