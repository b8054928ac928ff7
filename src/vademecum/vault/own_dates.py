"""Dates that a note of the person's states about itself: in its properties, else in the name of its file or folder.

A time without a zone is local time.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

#: Names of properties for the creation and modification date, as used by Obsidian plugins and other programs.
_BEGUN = ("created", "date", "creationdate", "datecreated", "createdat", "createdtime", "createddate", "published", "pubdate",
          "datum", "erstellt", "erstelltam", "fecha", "creado", "créé", "data", "criado", "创建时间", "创建日期", "日期")  # fmt: skip
_CHANGED = (
    "updated",
    "modified",
    "datemodified",
    "lastmodified",
    "updatedat",
    "modifiedat",
    "lastmod",
    "lastupdated",
    "dateupdated",
    "geändert",
    "geändertam",
    "modificado",
    "modifié",
    "更新时间",
    "修改时间",
)
_DAY = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-_./]?(?P<month>0[1-9]|1[0-2])[-_./]?(?P<day>0[1-9]|[12]\d|3[01])(?!\d)")
#: The same at the end of a file's name, with signs between its parts; and as written where the day comes first.
_DAY_AT_END = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<sign>[-_.])(?P<month>0[1-9]|1[0-2])(?P=sign)(?P<day>0[1-9]|[12]\d|3[01])$"
)
_DAY_FIRST = re.compile(r"(?<![\d.])(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0?[1-9]|1[0-2])\.(?P<year>(?:19|20)\d\d)(?!\.?\d)")
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?")
_CLOCK = re.compile(r"[T ,]+(?:at )?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::\d\d)?\s*(?P<half>[ap]m)?", re.IGNORECASE)
#: Format of an Obsidian linter: "Wednesday, February 11th 2026, 2:30:00 pm".
_IN_WORDS = re.compile(
    r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})",
    re.I,
)
_IN_WORDS_DAY_FIRST = re.compile(
    r"(?<!\d)(?P<day>\d{1,2})(?:st|nd|rd|th)? (?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,? (?P<year>\d{4})",
    re.I,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def own_dates(properties: Mapping[str, object], path: str) -> tuple[datetime | None, datetime | None]:
    """Return when a note was created and last changed, aware, UTC; None if it does not say.

    Args:
        path: POSIX; a daily note is named after its day, or is in a folder that is.
    """
    named = {re.sub(r"[\s_-]", "", name.lower()): value for name, value in properties.items()}
    begun = next((time for name in _BEGUN if (time := moment(named.get(name)))), None) or _of_path(path)
    return begun, next((time for name in _CHANGED if (time := moment(named.get(name)))), None)


def moment(value: object) -> datetime | None:
    """Return the time in a property's value, which may be a link to a daily note; aware, UTC; None if it has none."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        return None
    text = value.strip().strip("[]").strip()
    if _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    try:
        return _in_utc(datetime.fromisoformat(text))
    except ValueError:
        return _in_words(text)


def _in_words(text: str) -> datetime | None:
    worded = _IN_WORDS.search(text) or _IN_WORDS_DAY_FIRST.search(text)
    match = worded or _DAY.match(text.strip()) or _DAY_FIRST.match(text.strip())
    if match is None:
        return None
    month = _MONTHS.index(match["month"].lower()) + 1 if worded else int(match["month"])
    clock = _CLOCK.match(text, match.end()) if worded else _CLOCK.match(text.strip(), match.end())
    hour, minute = (int(clock["hour"]), int(clock["minute"])) if clock else (0, 0)
    if clock and clock["half"]:
        hour = hour % 12 + (12 if clock["half"].lower() == "pm" else 0)
    try:
        return _in_utc(datetime(int(match["year"]), month, int(match["day"]), hour, minute))
    except ValueError:
        return None


def _of_path(path: str) -> datetime | None:
    """Return the day after which the note, or the nearest such folder, is named."""
    *folders, name = path.removesuffix(".md").split("/")
    days = [_DAY.match(name) or _DAY_AT_END.search(name) or _DAY_FIRST.search(name), *map(_DAY.match, reversed(folders))]
    for match in days:
        if match and (time := _in_words(match.group())):
            return time
    return None


def _in_utc(time: datetime) -> datetime | None:
    try:
        return time.astimezone(UTC)  # a time without a zone is local time
    except (OverflowError, ValueError):
        return None
