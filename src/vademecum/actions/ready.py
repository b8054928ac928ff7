"""Write the rules for tool calls as the hook client reads them: one line per rule, and the folders of their projects."""

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from vademecum.actions.call_rules import KnownRules
from vademecum.actions.failures import failing
from vademecum.context.context import Context
from vademecum.domain.action import ActionRule
from vademecum.domain.call_patterns import literal, parsed
from vademecum.domain.project import path_in


def ready_lines(context: Context, rules: KnownRules, folders: Iterable[str]) -> Sequence[str]:
    """Return the lines of the rules file; none while memory is off or paused for all sessions.

    Args:
        rules: the rules of memories; some may already be cached.
        folders: where sessions recently began; a clone not yet recorded in the vault belongs to the project of its repository.
    """
    pauses = [pause for pause in context.storage.pauses.all() if pause.end is None]
    if not context.enabled or any(not pause.about for pause in pauses):
        return ()
    silent = [f"silent {pause.folder or pause.session.rpartition('/')[2]}" for pause in pauses]
    action_rules = _with_failures(rules.all(context), failing(context))
    slugs = {rule.project for rule in action_rules} - {""}
    projects = context.outside.projects
    places = {
        str(Path(path_in(folder)).expanduser()): project.slug for project in projects.known() for folder in project.folders
    }
    places |= {folder: projects.slug_of(folder) for folder in folders if folder not in places}
    named = [
        f"folder {path}\t{slug}"
        for path, slug in sorted(places.items())
        if slug in slugs and "\t" not in path and "\n" not in path
    ]
    return (*silent, *named, *map(_line, action_rules))


def _with_failures(known: Sequence[ActionRule], failed: Sequence[ActionRule]) -> tuple[ActionRule, ...]:
    """Return the rules of memories, and the rules from failures where no memory covers the same calls.

    A memory has the wording that the person approved. The call is still paused as before, unless the person set another level.
    """
    pairs = {(rule.project, pattern) for rule in known for pattern in rule.when}
    paused = {(rule.project, rule.when[0]) for rule in failed if rule.level == "pause"}
    return (
        *(_as_strict(rule, paused) for rule in known),
        *(rule for rule in failed if not {(rule.project, rule.when[0]), ("", rule.when[0])} & pairs),
    )


def _as_strict(rule: ActionRule, paused: Collection[tuple[str, str]]) -> ActionRule:
    """Return the rule of a memory; if its level was not set, it pauses the calls that the failures pause."""
    pauses = rule.level == "note" and not rule.is_set and any((rule.project, pattern) in paused for pattern in rule.when)
    return replace(rule, level="pause") if pauses else rule


def _line(rule: ActionRule) -> str:
    literals = ",".join(sorted({literal(parsed(pattern)[1]) for pattern in rule.when}))
    fields = {name: getattr(rule, name) for name in ("id", "project", "when", "unless", "level", "text")}
    return f"rule {literals}\t{json.dumps(fields, ensure_ascii=False)}"
