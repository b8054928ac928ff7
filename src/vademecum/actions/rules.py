"""Which memories are told at which tool calls of an agent."""

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
from vademecum.domain.memory import BY_PERSON, By, Memory
from vademecum.domain.query import Scope, is_withheld
from vademecum.write.gate import cleaned_values

#: Kinds that say what to do, or what work taught. Facts, tasks and conversations are shown at no call.
TOLD_KINDS = ("preference", "decision", "lesson", "fix", "incident", "procedure", "spec")
#: Of these, what the person wants; the others are what was found out or chosen.
_WISHES = frozenset({"preference", "procedure"})
#: Memories looked at, the newest first.
MOST = 5_000
#: Characters of a rule as an agent is told it.
TEXT_MAX_CHARS = 240
#: Whose word is the person's.
_THEIRS = ("user", "extracted")


class KnownRules:
    """The rules that are told at tool calls: memories that hold, are told to agents, and name calls, by their property `when` or in their
    own words. A file that did not change is read once.
    """

    def __init__(self) -> None:
        self._read: dict[str, tuple[str, ActionRule | None]] = {}

    def changed(self, context: Context) -> Sequence[Item]:
        """Return the memories that were not read yet as they are now; forgets those that are told no more."""
        items = _told_items(context)
        self._read = {key: self._read[key] for key in self._read.keys() & {item.key for item in items}}
        return [item for item in items if self._read.get(item.key, ("", None))[0] != item.digest]

    def read(self, context: Context, items: Sequence[Item]) -> None:
        """Read the rules of memories."""
        self._read |= {item.key: (item.digest, _rule(context, item)) for item in items}

    def all(self, context: Context) -> tuple[ActionRule, ...]:
        """Return the rules as they are now, without patterns that fit too many calls; what the person gave a level is told all the same."""
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


def _told_items(context: Context) -> tuple[Item, ...]:
    scope = Scope(sources=("memory",), kinds=TOLD_KINDS, statuses=("active",))
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
    """Return the rule that a memory is; None when it is shown at no call."""
    when = memory.when or patterns_in(memory.kind, f"{memory.title}\n{memory.body}")
    if not when:
        return None
    level = memory.level or _level(memory, when)
    text = _one_line(memory)
    text = text if len(text) <= TEXT_MAX_CHARS else text[: TEXT_MAX_CHARS - 1].rsplit(" ", 1)[0] + "…"
    whose = "the person's own rule" if memory.trust in _THEIRS and memory.kind in _WISHES else memory.kind
    noted = "" if memory.trust in _THEIRS else ", noted by an agent"
    facts = f"{whose}{noted}, {memory.said_at:%Y-%m-%d}, {short_id(memory.id)}"
    return ActionRule(memory.uri, memory.project, when, memory.unless, level, f"{text} ({facts})", bool(memory.level))


def _one_line(memory: Memory) -> str:
    """Return the text of a memory on one line, behind its title where it does not begin with that."""
    body = " ".join(memory.body.split())
    bare = body.replace("`", "").replace("*", "").lower()
    title = memory.title.rstrip(".… ")
    return body if bare.startswith(title.replace("`", "").lower()) else f"{title}. {body}" if body else f"{title}."


def _level(memory: Memory, when: tuple[str, ...]) -> Level:
    """Return the level of a memory that has none: the person's own rule pauses the call that it forbids, once in a session."""
    theirs = memory.trust in _THEIRS and memory.kind in _WISHES
    text = f"{memory.title}\n{memory.body}"
    return "pause" if theirs and any(forbids_outright(text, pattern) for pattern in when) else "note"


class RuleLine(Struct, frozen=True):
    """A rule as a person sees it.

    Attributes:
        id, title: of its memory. own_words: the patterns were found in its text, nobody wrote them.
        told: how often agents were told it, at starts, prompts and calls together.
    """

    id: str
    title: str
    project: str
    level: Level
    when: tuple[str, ...]
    unless: tuple[str, ...]
    own_words: bool
    told: int
    text: str


def listed_rules(context: Context, project: str, at: str) -> tuple[RuleLine, ...]:
    """Return the rules that are told at tool calls, the strictest first.

    Args:
        project: only those told in this project; "": all. at: only those told at this call, written like a pattern ("edit: docs/a.md"),
            or as a bare command.

    Raises:
        InvalidInput: `at` is no call.
    """
    call = call_at(at) if at else None
    rules = [
        rule
        for rule in KnownRules().all(context)
        if (not project or rule.project in ("", project)) and (call is None or _is_told_at(rule, call))
    ]
    uses = context.state.usage.of([rule.id for rule in rules])
    lines = [_line(context, rule, uses[rule.id].told if rule.id in uses else 0) for rule in rules]
    return tuple(sorted(lines, key=lambda line: (-LEVELS.index(line.level), line.title)))


def _must_be_narrow(context: Context, project: str, line: str) -> None:
    try:
        why = too_wide(last_calls(context, project), line)
    except ValueError:
        return  # the vault says what is wrong with it
    if why:
        raise InvalidInput(f"{why}: it would be shown all the time.", "Name more words of the call, or an option.")


def call_at(text: str) -> tuple[str, str, str]:
    """Return the call that a person writes: a command, or a tool and what it is called with, as in a pattern.

    Raises:
        InvalidInput: it names nothing.
    """
    tool, colon, target = text.partition(":")
    tool, target = (tool.strip(), target.strip()) if colon and tool.strip() in TOOLS else ("run", text.strip())
    if not target:
        raise InvalidInput("This names no tool call.", "Write a command, such as: git push, or a file: edit: docs/a.md")
    return tool, target, ""


def _is_told_at(rule: ActionRule, call: tuple[str, str, str]) -> bool:
    return any(fits(*parsed(line), call) for line in rule.when) and not obeys(rule.unless, call)


def _line(context: Context, rule: ActionRule, count: int) -> RuleLine:
    memory = context.vault.get(rule.id)
    return RuleLine(
        memory.id, memory.title, rule.project, rule.level, rule.when, rule.unless, not memory.when, count, rule.text
    )  # fmt: skip


def set_rule(
    context: Context,
    ref: str,
    level: str = "",
    when: Sequence[str] = (),
    unless: Sequence[str] = (),
    reset: bool = False,
    *,
    by: By = BY_PERSON,
) -> RuleLine:
    """Say at which tool calls a memory is told, and what happens there; what is not given stays.

    Args:
        level: note, pause or barrier; "" leaves it. An agent sets note alone.
        reset: take back what was set: its own words and its kind decide again.

    Raises:
        NotFound, Ambiguous. InvalidInput: a pattern is none, or the memory is shown at no call. NeedsPerson: an agent stops calls.
    """
    given = {WHEN: list(when), UNLESS: list(unless), LEVEL: level}
    values: dict[str, object] = dict.fromkeys(given) if reset else {name: value for name, value in given.items() if value}
    memory = context.vault.get(ref)
    for line in when:
        _must_be_narrow(context, memory.project, line)
    if values:
        memory = context.vault.edit(memory.id, properties=cleaned_values(context, values, by), by=by)
    rule = rule_of(memory)
    if rule is None and reset:
        rule = ActionRule(memory.uri, memory.project, (), (), "note", memory.title)
    if rule is None:
        raise InvalidInput(
            f"{memory.title!r} names no tool call, so it is shown at none.", 'Say which: vade rule REF --when "run: git push"'
        )
    uses = context.state.usage.of([memory.uri])
    return _line(context, rule, uses[memory.uri].told if memory.uri in uses else 0)
