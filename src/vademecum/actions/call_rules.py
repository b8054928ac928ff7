"""Which memories are shown at which tool calls of an agent."""

from collections.abc import Sequence
from functools import cache, partial

from msgspec import Struct
from msgspec.structs import replace

from vademecum.actions.narrow import last_calls, too_wide
from vademecum.actions.own_words import forbids_outright, patterns_in
from vademecum.context.context import Context
from vademecum.domain.action import LEVEL, LEVELS, UNLESS, WHEN, ActionRule, Level
from vademecum.domain.call_patterns import TOOLS, fits, obeys, parsed
from vademecum.domain.errors import InvalidInput, NotFound
from vademecum.domain.ids import short_id
from vademecum.domain.item import Item
from vademecum.domain.memory import By, Memory
from vademecum.domain.query import Scope, is_withheld
from vademecum.write.gate import cleaned_values

#: Kinds shown at calls: they say what to do, or what was learned. Facts, tasks and sessions are not shown.
RULE_KINDS = ("preference", "decision", "lesson", "fix", "incident", "procedure", "spec")
#: Kinds among them that express what the person wants; the others are findings or choices.
_WISHES = frozenset({"preference", "procedure"})
#: Maximum memories read, newest first.
MOST = 5_000
#: Maximum characters of a rule as shown to an agent.
TEXT_MAX_CHARS = 240
#: Trust values of statements that come from the person.
_THEIRS = ("user", "extracted")


class KnownRules:
    """The rules shown at tool calls, with a cache of the memories they were read from.

    A memory is a rule if it is active, visible to agents, and names calls in its property `when` or in its text. A file that did not
    change is read once.
    """

    def __init__(self) -> None:
        self._read: dict[str, tuple[str, ActionRule | None]] = {}

    def changed(self, context: Context) -> Sequence[Item]:
        """Return the memories that are new or changed since they were read; drop those that are no longer shown from the cache."""
        items = _rule_items(context)
        self._read = {key: self._read[key] for key in self._read.keys() & {item.key for item in items}}
        return [item for item in items if self._read.get(item.key, ("", None))[0] != item.digest]

    def read(self, context: Context, items: Sequence[Item]) -> None:
        """Read the rules of memories into the cache."""
        self._read |= {item.key: (item.digest, _rule(context, item)) for item in items}

    def all(self, context: Context) -> tuple[ActionRule, ...]:
        """Return the current rules, without patterns that match too many calls; a rule with a level set by the person keeps them all."""
        self.read(context, self.changed(context))
        calls_of = cache(partial(last_calls, context))
        rules = (rule for _, rule in self._read.values() if rule is not None)
        narrow = (
            rule
            if rule.is_set
            else replace(rule, when=tuple(line for line in rule.when if not too_wide(calls_of(rule.project), line)))
            for rule in rules
        )
        return tuple(rule for rule in narrow if rule.when)


def _rule_items(context: Context) -> tuple[Item, ...]:
    scope = Scope(sources=("memory",), kinds=RULE_KINDS, statuses=("active",))
    items = context.index.select(scope, limit=MOST)
    return tuple(
        item for item in items if not (is_withheld(item.tags) or item.agent or item.branch or item.trust == "external")
    )


def _rule(context: Context, item: Item) -> ActionRule | None:
    try:
        return rule_of(context.vault.read(item.space, item.path))
    except NotFound:
        return None


def rule_of(memory: Memory) -> ActionRule | None:
    """Return the rule of a memory; None if it is shown at no call."""
    when = memory.when or patterns_in(memory.kind, f"{memory.title}\n{memory.body}")
    if not when:
        return None
    level = memory.level or _level(memory, when)
    body = " ".join(memory.body.split())
    bare = body.replace("`", "").replace("*", "").lower()
    title = memory.title.rstrip(".… ")
    text = body if bare.startswith(title.replace("`", "").lower()) else f"{title}. {body}" if body else f"{title}."
    text = text if len(text) <= TEXT_MAX_CHARS else text[: TEXT_MAX_CHARS - 1].rsplit(" ", 1)[0] + "…"
    whose = "the person's own rule" if memory.trust in _THEIRS and memory.kind in _WISHES else memory.kind
    noted = "" if memory.trust in _THEIRS else ", noted by an agent"
    facts = f"{whose}{noted}, {memory.said_at:%Y-%m-%d}, {short_id(memory.id)}"
    return ActionRule(memory.uri, memory.project, when, memory.unless, level, f"{text} ({facts})", bool(memory.level))


def _level(memory: Memory, when: tuple[str, ...]) -> Level:
    """Return the default level: the person's own rule pauses the call that it forbids, once per session; others are notes."""
    theirs = memory.trust in _THEIRS and memory.kind in _WISHES
    text = f"{memory.title}\n{memory.body}"
    return "pause" if theirs and any(forbids_outright(text, pattern) for pattern in when) else "note"


class RuleLine(Struct, frozen=True):
    """A rule as listed for the person.

    Attributes:
        id, title: of its memory. own_words: the patterns were extracted from its text, not set.
        shown: how often the memory was shown to agents, at starts, prompts and calls together.
    """

    id: str
    title: str
    project: str
    level: Level
    when: tuple[str, ...]
    unless: tuple[str, ...]
    own_words: bool
    shown: int
    text: str


def listed_rules(context: Context, project: str, at: str) -> tuple[RuleLine, ...]:
    """Return the rules shown at tool calls, strictest first.

    Args:
        project: only those shown in this project; "": all. at: only those shown at this call, written like a pattern ("edit: docs/a.md")
            or as a bare command.

    Raises:
        InvalidInput: `at` is not a call.
    """
    call = call_at(at) if at else None
    rules = [
        rule
        for rule in KnownRules().all(context)
        if (not project or rule.project in ("", project)) and (call is None or _applies_to(rule, call))
    ]
    uses = context.state.usage.of([rule.id for rule in rules])
    lines = [_line(context, rule, uses[rule.id].shown if rule.id in uses else 0) for rule in rules]
    return tuple(sorted(lines, key=lambda line: (-LEVELS.index(line.level), line.title)))


def _must_be_narrow(context: Context, project: str, line: str) -> None:
    try:
        why = too_wide(last_calls(context, project), line)
    except ValueError:
        return  # the vault reports what is wrong with it
    if why:
        raise InvalidInput(f"{why}: it would be shown all the time.", "Name more words of the call, or an option.")


def call_at(text: str) -> tuple[str, str, str]:
    """Parse a call written by a person: a command, or a tool and its target, as in a pattern.

    Raises:
        InvalidInput: it has no target.
    """
    tool, colon, target = text.partition(":")
    tool, target = (tool.strip(), target.strip()) if colon and tool.strip() in TOOLS else ("run", text.strip())
    if not target:
        raise InvalidInput("This names no tool call.", "Write a command, such as: git push, or a file: edit: docs/a.md")
    return tool, target, ""


def _applies_to(rule: ActionRule, call: tuple[str, str, str]) -> bool:
    return any(fits(*parsed(line), call) for line in rule.when) and not obeys(rule.unless, call)


def _line(context: Context, rule: ActionRule, count: int) -> RuleLine:
    memory = context.vault.get(rule.id)
    return RuleLine(
        memory.id, memory.title, rule.project, rule.level, rule.when, rule.unless, not memory.when, count, rule.text
    )  # fmt: skip


class RuleChange(Struct, frozen=True):
    """What to set of a rule; values that are not given stay unchanged.

    Attributes:
        level: note, pause or barrier. An agent may only set note.
        reset: remove what was set, so that the memory's text and kind decide again.
    """

    level: str = ""
    when: Sequence[str] = ()
    unless: Sequence[str] = ()
    reset: bool = False


def set_rule(context: Context, ref: str, change: RuleChange, *, by: By) -> RuleLine:
    """Set the tool calls at which a memory is shown, and its level.

    Raises:
        NotFound, Ambiguous: `ref` names no memory, or several. InvalidInput: not a pattern, or the memory is shown at no call.
        NeedsPerson: an agent tried to stop calls.
    """
    given = {WHEN: list(change.when), UNLESS: list(change.unless), LEVEL: change.level}
    values: dict[str, object] = (
        dict.fromkeys(given) if change.reset else {name: value for name, value in given.items() if value}
    )
    memory = context.vault.get(ref)
    for line in change.when:
        _must_be_narrow(context, memory.project, line)
    if values:
        memory = context.vault.edit(memory.id, properties=cleaned_values(context, values, by), by=by)
    rule = rule_of(memory)
    if rule is None and change.reset:
        rule = ActionRule(memory.uri, memory.project, (), (), "note", memory.title)
    if rule is None:
        raise InvalidInput(
            f"{memory.title!r} names no tool call, so it is shown at none.", 'Say which: vade rule REF --when "run: git push"'
        )
    uses = context.state.usage.of([memory.uri])
    return _line(context, rule, uses[memory.uri].shown if memory.uri in uses else 0)
