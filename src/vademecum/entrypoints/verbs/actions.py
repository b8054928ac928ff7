"""Verbs about rules that are shown at tool calls of agents."""

from collections.abc import Sequence

from vademecum.actions.call_rules import RuleLine
from vademecum.actions.repeats import Repeated
from vademecum.api import Vademecum
from vademecum.domain.action import LEVELS
from vademecum.domain.ids import short_id
from vademecum.entrypoints.text import day
from vademecum.entrypoints.verbs.verb import Param, Verb, ref_param

_DOES = {
    "note": "shown with the result of the call",
    "pause": "stops the first such call of a session, once",
    "barrier": "refuses each such call",
}


def rules_text(rules: Sequence[RuleLine]) -> str:
    """Return the rules, each with its call patterns and level."""
    if not rules:
        return 'No rule applies to tool calls yet.\nMake a memory a rule: vade rule REF --when "run: git push --force"'
    return "\n".join(map(rule_text, rules))


def rule_text(rule: RuleLine) -> str:
    """Return one rule."""
    if not rule.when:
        return f"{rule.title}  ({short_id(rule.id)})\n  shown at no call"
    where = f"in project {rule.project}" if rule.project else "in every project"
    found = " (from its own words)" if rule.own_words else ""
    lines = [
        f"{rule.level:7}  {rule.title}  ({short_id(rule.id)})",
        f"  {_DOES[rule.level]}, {where}; shown {rule.shown} times",
    ]
    lines += [f"  when    {pattern}{found}" for pattern in rule.when]
    lines += [f"  unless  {text}" for text in rule.unless]
    return "\n".join(lines)


def repeats_text(found: Sequence[Repeated]) -> str:
    """Return repeated failures and refusals, each with the memory about it."""
    if not found:
        return "Nothing failed or was refused in more than one of the sessions that were read."
    return "\n".join(map(_repeat_text, found))


def _repeat_text(one: Repeated) -> str:
    what = "refused" if one.refused else "failed"
    days = dict.fromkeys(day(at).strip() for at in (one.first, one.last) if at)
    times = f"{what} {one.times} times in {one.sessions} sessions{', ' * bool(days)}{' to '.join(days)}"
    lines = [f"{one.pattern}  ({one.project})", f"  {times}"]
    lines += [f'  the person said: "{one.said}"' if one.refused else f"  {one.said}"] if one.said else []
    lines += [f"  worked instead: {one.worked}"] if one.worked else []
    lines.append(f"  {_memory_text(one)}; {'shown' if one.shown else 'not shown'} at the next such call{_since(one)}")
    return "\n".join(lines)


def _memory_text(one: Repeated) -> str:
    if not one.memory:
        return "no memory covers it"
    return f"{'proposed in the inbox' if one.waits else 'memory'}: {one.title} ({short_id(one.memory)})"


def _since(repeat: Repeated) -> str:
    succeeded = f", {repeat.succeeded} succeeded" if repeat.succeeded else ""
    return f"; not again since {day(repeat.last).strip()}{succeeded}" if repeat.last else succeeded


VERBS = (
    Verb("rule --all", "Rules that agents are shown at their tool calls (commands, edits, calls of other servers), strictest first.", (
        Param("at", "text", 'Only rules for this call: a command, or for example "edit: docs/a.md".', ""),
        Param("project", "text", "Only rules of this project.", "", max_chars=100),
    ), Vademecum.actions.rules, rules_text, signed=True),
    Verb("rule", "Show or set the tool calls at which a memory is shown, and whether such a call is only noted, paused once, or refused.", (
        ref_param(),
        Param("level", "text", "note: shown with the result; pause: stops the first such call of a session; barrier: refuses every call.",
              "", choices=("", *LEVELS)),
        Param("when", "list", 'Calls that show it: "run: git push --force", "edit: docs/*.md", "mcp: github create", "run: /REGEX/".', (),
              commas=False),
        Param("unless", "list", "A text in a call which shows that it follows the rule already.", (), commas=False),
        Param("reset", "flag", "Remove what was set; the text of the memory decides again.", False),
    ), Vademecum.actions.rule, rule_text, writes=True, signed=True),
    Verb("rule --repeats", "Tool calls that failed or were refused in several sessions, how often, and whether a memory covers them.", (
        Param("project", "text", "Only in this project.", "", max_chars=100),
    ), Vademecum.actions.repeats, repeats_text),
)  # fmt: skip
