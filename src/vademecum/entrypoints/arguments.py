"""Validation of arguments for all interfaces: checked against the parameters of a verb, described as JSON Schema, parsed from text.

An error names the argument, what it accepts and what was given, so that a program or a model can correct itself.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from vademecum.domain.daily import midnight
from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.domain.late_pattern import late_pattern
from vademecum.entrypoints.verbs.verb import DATES, REQUIRED, Param, Type

_HALF_CHARACTER = late_pattern("[\ud800-\udfff]")
_SHOWN_CHARS = 60
#: A character that is white space neither in Python nor in ECMAScript, whose regular expressions JSON Schema uses.
_FILLED = r"[^\s\u001c-\u001f\u0085\ufeff]"
#: A leap second, which RFC 3339 allows and Python rejects.
_LEAP_SECOND = late_pattern(r"(:\d\d:)60")


#: Days by their distance from today, and the days that each unit has.
_DAY = "[0-9]{1,5} ?(?:d|w|days?|weeks?)(?: ago)?|today|yesterday|last (?:week|month|year)"
_DISTANCE = late_pattern(_DAY)
_DAYS = {"d": 1, "w": 7, "today": 0, "yesterday": 1, "last week": 7, "last month": 30, "last year": 365}


class BadArgument(InvalidInput):
    """An argument does not fit its parameter. Nothing was done."""


class Takes(Protocol):
    """Something that takes arguments: a verb, a tool."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def params(self) -> tuple[Param, ...]:
        """Its parameters."""


def checked(row: Takes, given: Mapping[str, Any], called: str = "") -> dict[str, Any]:
    """Check arguments and fill in defaults. None counts as missing.

    Args:
        called: name of the verb in errors; "": its own.

    Raises:
        BadArgument: an unknown name, a missing value, or a value that does not fit.
    """
    return _checked(called or row.name, row.params, given)


def _checked(name: str, params: Sequence[Param], given: Mapping[str, Any]) -> dict[str, Any]:
    known = {param.name: param for param in params}
    for word in given:
        if word not in known:
            unknown_word = UnknownWord(f"argument of {name}", str(word), known)
            raise BadArgument(unknown_word.message, unknown_word.hint if known else f"{name} takes none.")
    return {param.name: _value(name, param, given.get(param.name)) for param in params}


def _value(name: str, param: Param, given: Any) -> Any:
    if given is None:
        if param.default is REQUIRED:
            raise BadArgument(f"{name} needs {param.name}.", param.meaning)
        return param.default
    value = _READ[param.type](param, given)
    if param.choices and value not in param.choices:
        unknown_word = UnknownWord(param.name, str(value), [choice for choice in param.choices if choice])
        raise BadArgument(unknown_word.message, unknown_word.hint)
    return value


def _misfit(param: Param, given: Any) -> BadArgument:
    shown = repr(given) if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= _SHOWN_CHARS else shown[:_SHOWN_CHARS] + "..."
    return BadArgument(f"{param.name} takes {_takes(param)}, not {shown}.", param.meaning)


def _takes(param: Param) -> str:
    bounds = {"number": "a whole number", "share": "a number"}.get(param.type)
    if bounds:
        least, most = _bounds(param)
        return f"{bounds} from {least:g} to {most:g}"
    return {
        "flag": "true or false",
        "list": "a list of texts",
        "date": DATES,
        "numbers": "a list of whole numbers",
        "object": "an object",
        "objects": "a list of objects with " + ", ".join(field.name for field in param.fields),
    }.get(param.type, "a text")


def _bounds(param: Param) -> tuple[float, float]:
    return param.least, 1.0 if param.type == "share" else param.most


def _text(param: Param, given: Any) -> str:
    if not isinstance(given, str):
        raise _misfit(param, given)
    if len(given) > param.max_chars:
        raise BadArgument(
            f"{param.name} has {len(given)} characters; {param.max_chars} are possible at most.", "Shorten it or split it."
        )
    if _HALF_CHARACTER.search(given):
        raise BadArgument(f"{param.name} contains half of a character (a lone surrogate).", "Remove it and try again.")
    return given


def _words(param: Param, given: Any) -> str:
    text = _text(param, given)
    if param.default is REQUIRED and not re.search(_FILLED, text):
        raise BadArgument(f"The {param.name} is empty.", f"Give {param.meaning[:1].lower()}{param.meaning[1:]}")
    return text


def _number(param: Param, given: Any) -> int:
    whole = isinstance(given, float) and given.is_integer()
    if isinstance(given, bool) or not (isinstance(given, int) or whole):
        raise _misfit(param, given)
    return int(_within(param, given))


def _share(param: Param, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _misfit(param, given)
    return _within(param, given)


def _within(param: Param, given: float) -> float:
    least, most = _bounds(param)
    if not least <= given <= most:
        raise _misfit(param, given)
    return given


def _flag(param: Param, given: Any) -> bool:
    if not isinstance(given, bool):
        raise _misfit(param, given)
    return given


def _list(param: Param, given: Any) -> tuple[str, ...]:
    return tuple(text for entry in _entries(param, given) if (text := _text(param, entry)).strip())


def _entries(param: Param, given: Any) -> Sequence[Any]:
    if not isinstance(given, list | tuple):
        raise _misfit(param, given)
    if len(given) > param.max_items:
        raise BadArgument(
            f"{param.name} has {len(given)} entries; {param.max_items} are possible at most.", "Split it into several calls."
        )
    return given


def _date(param: Param, given: Any) -> datetime:
    return given if isinstance(given, datetime) else parse_date(_text(param, given))


def _numbers(param: Param, given: Any) -> tuple[int, ...]:
    return tuple(_number(param, entry) for entry in _entries(param, given))


def _object(param: Param, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise _misfit(param, given)
    return dict(given)


def _objects(param: Param, given: Any) -> tuple[dict[str, Any], ...]:
    entries = _entries(param, given)
    for entry in entries:
        if not isinstance(entry, Mapping):
            raise _misfit(param, entry)
    return tuple(_checked(f"{param.name}[{place}]", param.fields, entry) for place, entry in enumerate(entries))


_READ: Mapping[Type, Callable[[Param, Any], Any]] = {
    "text": _text, "words": _words, "file": _text, "number": _number, "share": _share, "flag": _flag, "list": _list,
    "date": _date, "numbers": _numbers, "object": _object, "objects": _objects,
}  # fmt: skip


def parse_date(text: str) -> datetime:
    """Parse an ISO date or datetime, without a zone in local time, or a day by its distance: "yesterday", "3d", "2w", "last week".

    A day stands for its beginning.

    Raises:
        BadArgument: it is none of these.
    """
    if (days := _days_ago(text)) is not None:
        from vademecum.wiring import system_clock

        today = _local_time(system_clock().now()).date()
        return midnight(today - timedelta(days=days), _local_time)
    try:
        moment = datetime.fromisoformat(_LEAP_SECOND.sub(r"\g<1>59", text))
    except ValueError:
        raise BadArgument(f"{text!r} is no date.", f"Write {DATES}.") from None
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # at an end of the calendar, where the zone does not matter
        return moment.replace(tzinfo=UTC)


def _local_time(moment: datetime) -> datetime:
    return moment.astimezone()


def _days_ago(text: str) -> int | None:
    """Return how many days before today a day is that is named by its distance; None for any other text."""
    said = " ".join(text.casefold().split())
    if not _DISTANCE.fullmatch(said):
        return None
    count = re.match(r"(\d+) ?([dw])", said)
    return int(count[1]) * _DAYS[count[2]] if count else _DAYS[said]


def from_text(param: Param, texts: Sequence[str]) -> Any:
    """Convert text of a command line or query string to a value for :func:`checked`.

    Args:
        texts: all values given for the parameter, in order; only "list" and "words" use more than the last.

    Raises:
        BadArgument: the text is no number, flag or JSON where one is needed.
    """
    if param.type == "words":
        return " ".join(texts)
    if param.type == "list":
        return [part.strip() for text in texts for part in (text.split(",") if param.commas else [text]) if part.strip()]
    text = texts[-1]
    try:
        if param.type in ("number", "share"):
            return int(text) if param.type == "number" else float(text)
        if param.type == "flag":
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        return json.loads(text) if param.type in ("numbers", "object", "objects") else text
    except (ValueError, KeyError, RecursionError):
        raise _misfit(param, text) from None


def unwritten(params: Sequence[Param], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with values that a client wrote as texts, "3" or "[\\"a\\"]", as what their parameters take; a text alone is a list.

    A text that cannot be read as that is returned unchanged.
    """
    rows = {param.name: param for param in params}
    return {
        name: _unwritten(rows[name], value) if name in rows and isinstance(value, str) else value
        for name, value in given.items()
    }


def _unwritten(param: Param, text: str) -> Any:
    if param.type == "list":
        return _json_list(text) or from_text(param, [text])
    if param.type not in ("number", "share", "flag", "numbers", "object", "objects"):
        return text
    try:
        return from_text(param, [text.strip()])
    except BadArgument:
        return text


def _json_list(text: str) -> list[str]:
    """Return the texts of a list written as JSON; [] for any other text."""
    try:
        value = json.loads(text) if text.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) and all(isinstance(entry, str) for entry in value) else []


def schema(row: Takes, *, brief: bool = False) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the parameters of a verb or tool.

    Args:
        brief: without limits that are rarely reached, to save tokens. They are enforced all the same.
    """
    return _schema(row.params, brief)


def _schema(params: Sequence[Param], brief: bool) -> dict[str, Any]:
    required = [param.name for param in params if param.default is REQUIRED]
    rows = {param.name: param_schema(param, brief=brief) for param in params}
    if not brief:
        rows = {param.name: rows[param.name] if param.default is REQUIRED else _or_null(rows[param.name]) for param in params}
    whole: dict[str, Any] = {"type": "object", "properties": rows}
    return whole | ({"required": required} if required else {}) | ({} if brief else {"additionalProperties": False})


def _or_null(row: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional parameter, which also accepts null."""
    choices = {"enum": [*row["enum"], None]} if "enum" in row else {}
    formats = {"anyOf": [*row["anyOf"], {"type": "null"}]} if "anyOf" in row else {}
    return row | {"type": [row["type"], "null"]} | choices | formats


def param_schema(param: Param, *, brief: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of one parameter."""
    fields = {"description": param.meaning} if param.meaning else {}
    if param.choices and not param.many:
        return {"type": "string", "enum": list(param.choices), **fields}
    return _SCHEMAS[param.type](param, brief) | fields


def _text_schema(param: Param, brief: bool) -> dict[str, Any]:
    limit = {} if brief and (param.max_chars in _USUAL_LIMITS or param.max_chars <= _SHORT) else {"maxLength": param.max_chars}
    return {"type": "string", **limit}


def _words_schema(param: Param, brief: bool) -> dict[str, Any]:
    filled = {} if brief or param.default is not REQUIRED else {"pattern": _FILLED}
    return _text_schema(param, brief) | filled


def _number_schema(param: Param, brief: bool) -> dict[str, Any]:
    least, most = _bounds(param)
    kind = "integer" if param.type == "number" else "number"
    limits = {} if brief and param.type == "number" and most in _USUAL_LIMITS else {"maximum": most}
    return {"type": kind, **({} if brief else {"minimum": least}), **limits}


def _list_schema(param: Param, brief: bool) -> dict[str, Any]:
    limit = {} if brief and param.max_items in _USUAL_LIMITS else {"maxItems": param.max_items}
    return {"type": "array", "items": _text_schema(param, brief), **limit}


def _objects_schema(param: Param, brief: bool) -> dict[str, Any]:
    return {"type": "array", "items": _schema(param.fields, brief), "maxItems": param.max_items}


def _date_schema(param: Param, brief: bool) -> dict[str, Any]:
    if brief:
        return {"type": "string"}
    return {"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}, {"pattern": f"^(?:{_DAY})$"}]}


_ROW = Param("", "text", "")
#: A brief schema leaves out limits of text up to this: such a text is a name, and nobody exceeds its limit by accident.
_SHORT = 300
_USUAL_LIMITS = (_ROW.max_chars, _ROW.max_items, _ROW.most)

_SCHEMAS: Mapping[Type, Callable[[Param, bool], dict[str, Any]]] = {
    "text": _text_schema,
    "words": _words_schema,
    "file": _text_schema,
    "number": _number_schema,
    "share": _number_schema,
    "flag": lambda param, brief: {"type": "boolean"},
    "list": _list_schema,
    "date": _date_schema,
    "numbers": lambda param, brief: {"type": "array", "items": {"type": "integer"}, "maxItems": param.max_items},
    "object": lambda param, brief: {"type": "object"},
    "objects": _objects_schema,
}
