"""Dates that a note of the person's states about itself: in its properties, else in the name of its file or folder.

A time without a zone is local time. A week, month, quarter or year counts from its first day.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime

from vademecum.domain.late_pattern import late_pattern

#: Names of properties for the creation date, then for any date, and for the modification date, as used by programs for notes in six
#: languages; spaces, hyphens and underscores do not count.
_CREATED = late_pattern(
    r"(?:linteryaml)?(?:date)?(?:time)?created?(?:at|on|time|date)?|creation(?:date|time)|cdate|ctime|(?:fechade)?creaci[oó]n|creado(?:el)?"
    r"|(?:data(?:de)?)?cria[cç][aã]o|criado(?:em)?|(?:datede)?cr[eé]ation|cr[eé][eé](?:le)?|erstellt(?:am)?|erstelldatum|angelegt(?:am)?"
    r"|创建(?:时间|日期|于)?|建立(?:时间|日期)?|作成日時?|생성(?:일|일자|일시)?|작성(?:일|일자|일시)?|만든날짜"
)
_DATED = late_pattern(
    r"(?:publish(?:ed)?|pub|entry|event|journal|meeting|note|dc:)?(?:date|day)|published|timestamp|datum|fecha|data|日期|日付|날짜"
)
_CHANGED = late_pattern(
    r"(?:linteryaml)?(?:date)?(?:last)?(?:updated?|modified|mod)(?:at|on|time|date)?|modificationdate|mtime|ge[aä]ndert(?:am)?|modificado(?:el|em)?"
    r"|modifi[eé](?:le)?|更新(?:时间|日期|日時?)?|修改(?:时间|日期)?|수정(?:일|일자|일시)?"
)
#: Names of months in English, German, French, Spanish, Portuguese and Italian.
_MONTHS = tuple(map(re.compile, (
    "jan(?:uary?|vier|v|eiro)?|enero?|gen(?:naio)?", "feb(?:ruary?|rero|braio)?|f[eé]v(?:r|rier|ereiro)?",
    "mar(?:ch|s|zo|ço)?|märz|maerz|mär", "apr(?:il|ile)?|avr(?:il)?|abr(?:il)?", "ma[iy]|mayo|maio|maggio|mag",
    "june?|juni|juin|junio|junho|giugno|giu", "jul(?:y|i|io|ho)?|juil(?:let)?|luglio|lug", "aug(?:ust)?|ao[uû]t|ago(?:sto)?",
    "sept?(?:ember|embre|iembre)?|set(?:embro|tembre)?", "o[ck]t(?:ober|obre|ubre)?|out(?:ubro)?|ott(?:obre)?",
    "nov(?:ember|embre|iembre|embro)?", "de[cz](?:ember|embro)?|d[eé]c(?:embre)?|dic(?:iembre|embre)?",
)))  # fmt: skip
_YEAR, _MONTH, _DAY = r"(?P<year>(?:19|20)\d\d)", r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
_MONTH_2, _DAY_2 = r"(?P<month>0[1-9]|1[0-2])", r"(?P<day>0[1-9]|[12]\d|3[01])"
_MONTH_WORD = rf"(?<![^\W\d_])(?P<word>{'|'.join(names.pattern for names in _MONTHS)})\.?"
_ORDINAL = r"(?:st|nd|rd|th|er|\.)?"
#: Forms of a day: 2026-03-04, 20260304, 2026年3月4日 and 2026. 3. 4., with the year first;
_YEAR_FIRST = (
    late_pattern(rf"(?<!\d){_YEAR}[-_./]?{_MONTH_2}[-_./]?{_DAY_2}(?!\d)"),
    late_pattern(rf"(?<!\d){_YEAR}(?P<sign>[-_./]){_MONTH}(?P=sign){_DAY}(?!\d)"),
    late_pattern(rf"(?<!\d){_YEAR}{_MONTH_2}{_DAY_2}(?=(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?(?!\d))"),
    late_pattern(rf"(?<!\d){_YEAR}(?:[年년] ?|\. ){_MONTH}(?:[月월] ?|\. ){_DAY}(?:[日일.]|(?!\d))"),
)
#: in words; and with the day first. A slash or hyphen after the day tells it from the month only where it is above twelve.
_WORDED = (
    late_pattern(rf"{_MONTH_WORD} {_DAY}{_ORDINAL},? {_YEAR}(?!\d)", re.I),
    late_pattern(rf"(?<!\d){_DAY}{_ORDINAL} (?:de )?{_MONTH_WORD}(?: de)?,? {_YEAR}(?!\d)", re.I),
)
_DAY_FIRST = late_pattern(rf"(?<![\d.]){_DAY}\.{_MONTH}\.{_YEAR}(?!\.?\d)")
_DAY_ABOVE_12 = late_pattern(rf"(?<![\d/-])(?P<day>1[3-9]|2\d|3[01])(?P<sign>[-/]){_MONTH}(?P=sign){_YEAR}(?![\d/-])")
_DAY_SECOND = late_pattern(rf"(?<![\d/-]){_MONTH}(?P<sign>[-/])(?P<day>1[3-9]|2\d|3[01])(?P=sign){_YEAR}(?![\d/-])")
#: The same at the end of a name, with signs between its parts.
_AT_END = late_pattern(rf"(?<!\d){_YEAR}(?P<sign>[-_.]){_MONTH_2}(?P=sign){_DAY_2}[)\]]?$")
#: A day spread over folders: 2026/03-March/04 Wed.
_IN_FOLDERS = late_pattern(rf"(?:^|/){_YEAR}/(?:\d{{4}}-)?{_MONTH_2}(?!\d)[^/]*/{_DAY_2}(?!\d)[^/]*$")
#: 2026-W12, 2026-03, 2026-Q1; in a property also 2026.
_PERIOD = late_pattern(rf"{_YEAR}(?:-?W(?P<week>0[1-9]|[1-4]\d|5[0-3])|-{_MONTH_2}|-?Q(?P<quarter>[1-4]))?(?![\w-])")
_EPOCH = late_pattern(r"1\d{9}(?:\d{3})?")
_CLOCK = late_pattern(r"(?:[T ,]+|^)(?:at )?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::\d\d)?\s*(?P<half>[ap]m)?", re.IGNORECASE)


def own_dates(properties: Mapping[str, object], path: str) -> tuple[datetime | None, datetime | None]:
    """Return when a note was created and last changed, aware, UTC; None if it does not say.

    Args:
        path: POSIX; a daily note is named after its day, or is in a folder that is.
    """
    named = {re.sub(r"[\s_-]", "", name.lower()): value for name, value in properties.items()}
    return _first(_CREATED, named) or _first(_DATED, named) or _of_path(path), _first(_CHANGED, named)


def _first(names: re.Pattern[str], properties: Mapping[str, object]) -> datetime | None:
    return next((time for name, value in properties.items() if names.fullmatch(name) and (time := moment(value))), None)


def moment(value: object) -> datetime | None:
    """Return the time in a property's value, which may be a link to a daily note; aware, UTC; None if it has none."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        return None
    text = value.strip().strip("[]").partition("|")[0].strip()
    text = text.rpartition("/")[2] if value.strip().startswith("[[") else text
    if _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    try:
        return _in_utc(datetime.fromisoformat(text))
    except ValueError:
        return _in_words(text)


def _in_words(text: str) -> datetime | None:
    """Return the day with which a text begins, or that stands in it in words; with the time behind it."""
    begins = next(
        (match for form in (*_YEAR_FIRST, _DAY_FIRST, _DAY_ABOVE_12, _DAY_SECOND) if (match := form.match(text))), None
    )
    match = begins or next((match for form in _WORDED if (match := form.search(text))), None)
    return _time_of(match, text) if match else _begin_of(_PERIOD.fullmatch(text))


def _time_of(match: re.Match[str], text: str) -> datetime | None:
    """Return the day of a match in `text`, and the time behind it."""
    parts, clock = match.groupdict(), _CLOCK.match(text, match.end())
    word = (parts.get("word") or "").lower()
    month = next(at for at, names in enumerate(_MONTHS, 1) if names.fullmatch(word)) if word else int(parts["month"])
    hour, minute = (int(clock["hour"]), int(clock["minute"])) if clock else (0, 0)
    if clock and clock["half"]:
        hour = hour % 12 + (12 if clock["half"].lower() == "pm" else 0)
    try:
        return _in_utc(datetime(int(parts["year"]), month, int(parts["day"]), hour, minute))
    except ValueError:
        return None


def _begin_of(period: re.Match[str] | None) -> datetime | None:
    """Return the first day of a week, month, quarter or year."""
    if period is None:
        return None
    year = int(period["year"])
    if period["week"]:
        day = date.fromisocalendar(year, min(int(period["week"]), 52), 1)
    else:
        day = date(year, int(period["month"] or 3 * int(period["quarter"] or 1) - 2), 1)
    return _in_utc(datetime(day.year, day.month, day.day))


def _of_path(path: str) -> datetime | None:
    """Return the day or period after which the note, or the nearest such folder, is named."""
    whole = path.removesuffix(".md")
    *folders, name = whole.split("/")
    forms = (
        *(form.match for form in _YEAR_FIRST),
        _AT_END.search,
        _DAY_FIRST.search,
        _DAY_ABOVE_12.match,
        *(w.search for w in _WORDED),
    )
    match = next((match for find in forms if (match := find(name))), None)
    if match or (match := _IN_FOLDERS.search(whole)):
        return _time_of(match, "")
    days = (_YEAR_FIRST[0].match(folder) for folder in reversed(folders))
    period = _PERIOD.match(name)
    if period and period.lastgroup != "year":
        return _begin_of(period)
    return next((_time_of(day, "") for day in days if day), None)


def _in_utc(time: datetime) -> datetime | None:
    try:
        return time.astimezone(UTC)  # a time without a zone is local time
    except (OverflowError, ValueError):
        return None
