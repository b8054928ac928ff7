"""Prompts to Gemini's apps in an export of Google Takeout: "My Activity" with the product Gemini Apps, format JSON.

As of 2026-11. Google does not document it; several independent readers agree on the fields. One list, newest first:

    {"header": "Gemini Apps", "title": "Prompted Where do otters sleep?", "time": "2026-07-26T06:07:57.773Z", "products": ["Gemini Apps"],
     "safeHtmlItem": [{"html": "<p>On their backs.</p>"}]}

An activity names no conversation, so those with less than half an hour between them are taken for one. The person's words follow a verb. In
an account of another language the verb is not known, and what follows it is not taken for the person's words.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from vademecum.plugin_api.transcripts import (
    Format,
    Reading,
    Record,
    Said,
    digest_of,
    mapping,
    mappings,
    parse_time,
    prompt,
    read_html,
    short,
    text_of,
    word,
)

#: Silence after which a conversation counts as another one.
SILENCE = timedelta(minutes=30)
_PRODUCT = re.compile(r"gemini|bard", re.I)
_PROMPTED = re.compile(r"\A(?:Prompted(?: with)?|Asked(?: Gemini| Bard)?|Said|Branched|Answered):?\s+")
_DONE = re.compile(
    r"\A(?:Created|Used|Added|Gave|Selected|Shared|Deleted|Viewed|Visited|Searched|Edited|Pinned|Renamed|Exported|Updated)\b"
)
_ATTACHED = re.compile(r"\s*Attached \d+ files?\.?\s*\Z")


def is_activity(value: Mapping[str, Any]) -> bool:
    """Return whether a record of a list of activities is of Gemini's apps."""
    products = value.get("products")
    named = [value.get("header"), *(products if isinstance(products, list) else ())]
    return isinstance(value.get("title"), str) and any(_PRODUCT.search(word(name)) for name in named)


def conversations_of(activities: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (name, document) of each conversation, oldest first. An activity without a time belongs to none."""
    group: list[Mapping[str, Any]] = []
    last: datetime | None = None
    dated = [(time, entry) for entry in activities if (time := parse_time(entry.get("time"))) is not None]
    for time, entry in sorted(dated, key=lambda pair: pair[0]):
        if group and last is not None and time - last > SILENCE:
            yield _document(group)
            group = []
        group.append(entry)
        last = time
    if group:
        yield _document(group)


def _document(group: list[Mapping[str, Any]]) -> tuple[str, dict[str, Any]]:
    name = digest_of(word(group[0].get("time")).encode())
    return name, {"gemini_activity": name, "activities": group}


class _Activities(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        self.head(id=value.get("gemini_activity"))
        for entry in mappings(value.get("activities")):
            time = word(entry.get("time"))
            self.add(record, _said(entry), ref=time, time=parse_time(time))


def _said(entry: Mapping[str, Any]) -> Iterator[Said]:
    title = text_of(entry.get("title")).strip()
    answer = "\n".join(read_html(text_of(mapping(item).get("html")))[1] for item in mappings(entry.get("safeHtmlItem"))).strip()
    if verb := _PROMPTED.match(title):
        yield prompt(_ATTACHED.sub("", title[verb.end() :]).strip(), title, pictures=False)
    else:
        yield Said("document" if answer and not _DONE.match(title) else "note", short(title))
    if answer:
        yield Said("agent", answer)


class GeminiActivity(Format):
    """A conversation with Gemini's apps, of such an export."""

    name = "gemini-app"
    reading = _Activities
    spanning = True

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return isinstance(value.get("gemini_activity"), str) and isinstance(value.get("activities"), list)
