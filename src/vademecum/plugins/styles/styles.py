"""How to talk with the person, by context: memories of kind `style`, with a tag for the context and examples in the text."""

import re
from collections.abc import Iterable

from msgspec import Struct

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import BY_PERSON, By, Draft, Memory
from vademecum.domain.procedural import CONTEXT, DEFAULT_CONTEXT, contexts_of
from vademecum.domain.query import Scope, is_withheld
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import slugify
from vademecum.plugin_api.writing import Saved, cleaned, cleaned_values, keep

#: Most styles shown for a context (VO-10).
MATCHED_MAX = 5
_MOST = 1_000
_TITLE_CHARS = 60
_PARTS = re.compile(r"^(?:Context: .*|Examples:)$", re.MULTILINE)
_EXAMPLE = re.compile(r"^[-*] (.+)$", re.MULTILINE)


class Style(Struct, frozen=True):
    """How to talk with the person in a context (VO-10).

    Attributes:
        context: "default" for everywhere. examples: sentences in this style.
    """

    id: str
    context: str
    description: str
    examples: tuple[str, ...]
    importance: float


class StyleParts(Struct, frozen=True, kw_only=True):
    """What is said of a style; None or "" for what is not said.

    Attributes:
        context: "default": everywhere. importance: 0 to 1.
    """

    context: str = ""
    description: str = ""
    examples: tuple[str, ...] = ()
    importance: float | None = None


def add(ctx: Context, parts: StyleParts, *, by: By = BY_PERSON) -> Saved:
    """Save a style; without a context, for everywhere.

    Raises:
        InvalidInput: there is no description.
        Refused: by the guard, or memory is switched off.
    """
    if not parts.description.strip():
        raise InvalidInput("A style needs a description.", "Say in a sentence how to talk in this context.")
    name = _context(parts.context)
    properties = {} if parts.importance is None else {"importance": parts.importance}
    title, body = _title(name, parts.description), _body(name, parts.description, parts.examples)
    return keep(ctx, Draft("style", title, body, _tags(name), properties=properties), by=by, unique=True)


def update(ctx: Context, ref: str, parts: StyleParts, *, by: By = BY_PERSON) -> Memory:
    """Change the given parts of a style.

    Raises:
        InvalidInput: nothing is given, or it is no style. NotFound, Ambiguous.
        Refused: by the guard.
    """
    if not (parts.context.strip() or parts.description.strip() or parts.examples or parts.importance is not None):
        raise InvalidInput("Nothing to change.", "Give --context, --description, --examples or --importance.")
    memory = _style(ctx, ref)
    known = read(memory)
    name = _context(parts.context) if parts.context.strip() else known.context
    body = _body(name, parts.description.strip() or known.description, parts.examples or known.examples)
    kept = tuple(tag for tag in memory.tags if not tag.startswith(CONTEXT))
    properties: dict[str, object] = {"tags": (*kept, *_tags(name)) or None}
    if parts.importance is not None:
        properties["importance"] = parts.importance
    text, values = cleaned(ctx, body, by)[0], cleaned_values(ctx, properties, by)
    return ctx.vault.edit(memory.id, body=text, properties=values, by=by)


def remove(context: Context, ref: str, *, by: By = BY_PERSON) -> Memory:
    """Archive a style; it can be restored.

    Raises:
        InvalidInput: it is no style. NotFound, Ambiguous.
    """
    return context.vault.archive(_style(context, ref).id, "style removed", by=by)


def matching(ctx: Context, context: str = "", *, by: By = BY_PERSON) -> tuple[Style, ...]:
    """Return up to five styles for this context or everywhere, most important first; without a context, all styles.

    Withheld ones are returned only to the person.
    """
    items = ctx.index.select(Scope(sources=("memory",), kinds=("style",), statuses=("active",)), limit=_MOST)
    open_ones = [item for item in items if by.actor == "user" or not is_withheld(item.tags)]
    fitting = [item for item in open_ones if not context.strip() or fits(item.tags, (_context(context),))]
    ordered = sorted(fitting, key=lambda item: (-item.importance, item.key))
    return tuple(read(ctx.vault.get(item.key)) for item in (ordered[:MATCHED_MAX] if context.strip() else ordered))


def fits(tags: Iterable[str], contexts: Iterable[str]) -> bool:
    """Return whether a style with these tags applies to one of the contexts, or everywhere."""
    return bool({DEFAULT_CONTEXT, *contexts}.intersection(contexts_of(tags)))


def read(memory: Memory) -> Style:
    """Return a style parsed from its memory; text in another form counts as description."""
    result = _PARTS.split(memory.body, maxsplit=1)[0]
    listed = memory.body.partition("\nExamples:\n")[2]
    examples = tuple(match.strip() for match in _EXAMPLE.findall(listed))
    return Style(memory.id, contexts_of(memory.tags)[0], result.strip(), examples, memory.importance)


def _style(context: Context, ref: str) -> Memory:
    memory = context.vault.get(ref)
    if memory.kind != "style":
        raise InvalidInput(f"{memory.title!r} is no style, but {memory.kind}.", "See: vade style list")
    return memory


def _context(word: str) -> str:
    return slugify(word) if word.strip() else DEFAULT_CONTEXT


def _tags(context: str) -> tuple[str, ...]:
    return () if context == DEFAULT_CONTEXT else (CONTEXT + context,)


def _title(context: str, description: str) -> str:
    flat = " ".join(description.split())
    short = flat if len(flat) <= _TITLE_CHARS else flat[:_TITLE_CHARS].rpartition(" ")[0] + "…"
    return short if context == DEFAULT_CONTEXT else f"{context}: {short}"


def _body(context: str, description: str, examples: Iterable[str]) -> str:
    """Return the text. It contains the context, so that equal descriptions for two contexts are not taken for duplicates."""
    paragraphs = [description.strip()]
    if context != DEFAULT_CONTEXT:
        paragraphs.append(f"Context: {context}")
    listed = "\n".join(f"- {' '.join(example.split())}" for example in examples if example.strip())
    if listed:
        paragraphs += ["Examples:", listed]
    return "\n\n".join(paragraphs) + "\n"
