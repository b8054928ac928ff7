"""Check the properties of a memory before they are written; `frontmatter.set_properties` writes them.

:func:`checked` calls the check of each property (`_CHECKS`), so that files stay readable for every program.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime

from vademecum.domain.action import LEVEL, LEVELS, UNLESS, WHEN
from vademecum.domain.agents import agent_named
from vademecum.domain.call_patterns import parsed
from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.domain.kinds import FACETS, KINDS, Kind, resolve_kind
from vademecum.domain.memory import CONFIDENCES, RELATIONS, STATUSES, SUMMARY_MAX_CHARS, TRUSTS, VISIBILITIES
from vademecum.vault.frontmatter import Value
from vademecum.vault.places import check_tag

TITLE_MAX_CHARS = 300

#: Set when the memory is created; never changed afterwards.
UNCHANGEABLE = frozenset({"id", "created"})

#: Status -> the command that sets it.
LEAVING = {"superseded": "vade evolve or vade supersede", "archived": "vade archive"}

_WORDS = {"status": STATUSES, "confidence": CONFIDENCES, "visibility": VISIBILITIES, "trust": TRUSTS, LEVEL: LEVELS}
_TIMES = frozenset({"created", "said", "updated", "valid_from", "valid_until", "last_confirmed", "superseded_at"})
_PATTERNS = frozenset({WHEN})
_LISTS = frozenset({UNLESS, "tags", "topics", "aliases", *RELATIONS})
_FLAGS = frozenset({"always_load", "pin"})
_COUNTS = frozenset({"confirmations", "priority"})


def known_kind(word: str) -> tuple[Kind, str]:
    """Return the kind and facet ("" for one of our own words) that a word names.

    Raises:
        UnknownWord: it is the word of no known system.
    """
    try:
        kind, facet = resolve_kind(word)
    except KeyError as error:
        raise UnknownWord("kind", word, [*KINDS, *FACETS], list_all=True) from error
    return kind, facet or ""


def checked(properties: Mapping[str, object]) -> dict[str, Value]:
    """Return the properties as they are written to a file; None removes one.

    Raises:
        InvalidInput, UnknownWord: a value is invalid; the message names it.
    """
    return {name: None if value is None else _checked(name, value) for name, value in properties.items()}


def _checked(name: str, value: object) -> Value:
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise InvalidInput(f"{name!r} cannot be the name of a property.", "Use letters, digits, _ and -.")
    for names, check in _CHECKS:
        if name in names:
            return check(name, value)
    return _free(name, value)


def _word(name: str, value: object) -> str:
    if value not in _WORDS[name]:
        raise UnknownWord(name, str(value), _WORDS[name])
    return str(value)


def _time(name: str, value: object) -> datetime | date:
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        time = None
    if isinstance(time, datetime):
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    if isinstance(time, date):
        return time
    raise InvalidInput(f"{name} cannot be {value!r}.", "Give a date such as 2026-01-31 or 2026-01-31T10:00:00Z.")


def _list(name: str, value: object) -> list[str]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) and item.strip() for item in items):
        raise InvalidInput(f"{name} takes a list of texts, not {value!r}.")
    if name == "tags":
        plain = [check_tag(item) for item in items]
    elif name == "topics":
        plain = [topic_slug(item) for item in items]
    else:
        plain = [_line(name, item) for item in items]
    return list(dict.fromkeys(plain))


def _patterns(name: str, value: object) -> list[str]:
    lines = _list(name, value)
    for line in lines:
        try:
            parsed(line)
        except ValueError as error:
            raise InvalidInput(str(error), "The patterns are described in docs/actions.md.") from error
    return lines


def topic_slug(topic: str) -> str:
    """Return a topic as it is compared and stored: lower case, inner white space as "-" (VO-03)."""
    return "-".join(_line("topics", topic).lower().split())


def _flag(name: str, value: object) -> bool:
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):  # as typed on a command line
        return value.strip().lower() == "true"
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} is true or false, not {value!r}.")
    return value


def _number(value: object, kind: Callable[[str], float]) -> object:
    """Return a number that was typed on a command line as one; any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return kind(value)
    except ValueError:
        return value


def _count(name: str, value: object) -> int:
    value = _number(value, int)
    if isinstance(value, bool) or not isinstance(value, int) or (name == "confirmations" and value < 0):
        raise InvalidInput(f"{name} is a whole number, not {value!r}.")
    return value


def _share(name: str, value: object) -> float:
    value = _number(value, float)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidInput(f"{name} is a number from 0 to 1, not {value!r}.")
    return value


def _title(name: str, value: object) -> str:
    title = _line(name, value)
    if len(title) > TITLE_MAX_CHARS:
        raise InvalidInput(
            f"The title has {len(title)} characters; at most {TITLE_MAX_CHARS} are possible.", "Put the rest in the text."
        )
    return title


def _summary(name: str, value: object) -> str:
    summary = _line(name, value)
    if len(summary) > SUMMARY_MAX_CHARS:
        raise InvalidInput(
            f"The summary has {len(summary)} characters; at most {SUMMARY_MAX_CHARS} are possible.", "Shorten it."
        )
    return summary


def _line(name: str, value: object) -> str:
    """Return one line of text with white space collapsed, without control characters."""
    line = " ".join(value.split()) if isinstance(value, str) else ""
    if not line or any(ord(char) < 32 or "\x7f" <= char <= "\x9f" for char in line):
        raise InvalidInput(f"{name} cannot be {value!r}.", "Give one line of text.")
    return line


def _free(name: str, value: object) -> Value:
    """Return a property unknown to this program: a scalar or a list of scalars."""
    if isinstance(value, (str, bool, int, float, datetime, date)):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(item, (str, bool, int, float, datetime, date)) for item in value):
        return list(value)
    raise InvalidInput(
        f"{name} cannot hold {type(value).__name__}.", "Properties are texts, numbers, dates, or lists of these."
    )


_CHECKS: tuple[tuple[frozenset[str], Callable[[str, object], Value]], ...] = (
    (frozenset(_WORDS), _word),
    (_TIMES, _time),
    (_LISTS, _list),
    (_PATTERNS, _patterns),
    (_FLAGS, _flag),
    (_COUNTS, _count),
    (frozenset({"importance"}), _share),
    (frozenset({"title"}), _title),
    (frozenset({"summary"}), _summary),
    (frozenset({"kind", "facet", "source", "source_interface", "source_span", "project", "branch", "profile"}), _line),
    (frozenset({"agent"}), lambda name, value: agent_named(_line(name, value))),
    (frozenset({"superseded_reason"}), _line),
)
