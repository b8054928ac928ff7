"""Checks of one memory's file: its properties, its name and its place."""

import re
from collections.abc import Iterator
from datetime import datetime
from difflib import get_close_matches
from functools import lru_cache

from vademecum.domain.kinds import FACETS, KINDS
from vademecum.domain.memory import PROPERTY_ORDER
from vademecum.plugin_api.upkeep import Page
from vademecum.plugin_api.vault import (
    NEVER_CLOSED,
    NOT_FIRST,
    TWO_BLOCKS,
    Found,
    is_in_order,
    names_of,
    places,
    read,
    unread_properties,
)
from vademecum.plugins.lint.checks import Finding, finding

TIMES = ("created", "said", "updated", "valid_from", "valid_until", "last_confirmed", "superseded_at")
_PLACEHOLDER = re.compile(
    r"(?:todo|tbd|tba|fixme|x{3,}|placeholder|untitled(?: \d+)?|lorem ipsum.*|<[^<>]+>|\{\{.*\}\}|\.{3}|…|\?+)", re.IGNORECASE
)
_NUMBER = re.compile(r"-\d+$")
_FILLED = ("title", "summary", "project", "agent", "source")
#: Property names of other programs that resemble ours but have their own meaning.
_OTHERS = frozenset({"tag", "alias", "topic", "sources", "source_url", "confidence_score"})
_ALIKE = 0.88
#: Common unambiguous date formats: year first, or the month as a word.
_WRITTEN_DATES = (
    "%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d %H:%M", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y/%m/%d %H:%M", "%Y-%m-%d, %H:%M",
)  # fmt: skip


def of_file(page: Page) -> Iterator[Finding]:
    """Yield findings about frontmatter, name and place of a memory's file."""
    assert page.found is not None
    match, names = page.found, names_of(page.found.text)
    unread = unread_properties(match.text)
    if read(match.text).damage or {NEVER_CLOSED, NOT_FIRST} & set(unread):
        yield from (finding("schema-drift", page.path, reason, page.ref) for reason in unread)
        return  # missing properties cannot be determined in a block that is not read
    if TWO_BLOCKS in unread:
        yield finding("schema-drift", page.path, TWO_BLOCKS, page.ref)
    yield from _properties(page, match, names)
    for name in sorted(set(names) & set(_FILLED)):
        value = getattr(match.memory, name)
        if isinstance(value, str) and _PLACEHOLDER.fullmatch(value.strip()):
            yield finding("placeholder-value", page.path, f"{name} is {value!r}.", page.ref)
    yield from _place(page, match)


def _properties(page: Page, found: Found, names: list[str]) -> Iterator[Finding]:
    reading = found.reading
    if reading.repairs and not places.original_place(found.memory.path):
        lacking = ", ".join(reading.repairs)
        yield finding("required-field", page.path, f"It lacks {lacking}.", page.ref, fixable=reading.editable)
    if not is_in_order(names):
        yield finding("field-order", page.path, "The properties are in another order.", page.ref, fixable=reading.editable)
    if reading.complaints or not reading.editable:
        yield from _complaints(page, found)
    for name in set(names) - set(PROPERTY_ORDER):
        if meant := _meant(name):
            yield finding("schema-drift", page.path, f"{name!r} is not a property here; {meant!r} is.", page.ref)
    if found.memory.facet and found.memory.facet not in FACETS and "kind" in names:
        word = str(read(found.text).texts().get("kind", ""))
        if word.lower() not in (*KINDS, *FACETS):
            yield finding("kind-taxonomy", page.path, f"{word!r} is not a kind; it is read as {found.memory.kind}.", page.ref)


def _complaints(page: Page, match: Found) -> Iterator[Finding]:
    bad = bad_dates(match)
    for name, written in bad.items():
        meant = date_meant(written)
        message = f"{name} is {written!r}, which is no date" + (f"; {meant} is meant." if meant else ".")
        yield finding("date-format", page.path, message, page.ref, fixable=bool(meant) and match.reading.editable)
    for complaint in match.reading.complaints:
        if complaint.partition(" ")[0] not in bad:
            yield finding("schema-drift", page.path, complaint, page.ref)


def bad_dates(found: Found) -> dict[str, str]:
    """Return the invalid dates of a file: property -> text."""
    written = {name: value for name, value in read(found.text).texts().items() if name in TIMES}
    return {name: value for name, value in written.items() if isinstance(value, str) and value.strip() and not _is_date(value)}


def date_meant(written: str) -> str:
    """Return the date in standard form if the text is unambiguous, else ""."""
    for form in _WRITTEN_DATES:
        try:
            moment = datetime.strptime(written.strip(), form)
        except ValueError:
            continue
        return moment.isoformat() + "Z" if "%H" in form else moment.date().isoformat()
    return ""


def _is_date(written: str) -> bool:
    try:
        datetime.fromisoformat(written.strip())
    except ValueError:
        return False
    return True


@lru_cache(maxsize=4096)
def _meant(name: str) -> str:
    """Return our property that a name nearly equals; "" for none."""
    if name in _OTHERS:
        return ""
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    return next(iter(get_close_matches(plain, PROPERTY_ORDER, 1, _ALIKE)), "")


def _place(page: Page, match: Found) -> Iterator[Finding]:
    memory = match.memory
    if places.original_place(memory.path):
        return
    _, status, group, _ = places.said_by_path(memory.path)
    folder, _, name = group.partition("/")
    says = {"projects": memory.project, "agents": memory.agent}.get(folder, "")
    if says and name and places.slugify(says) != name.partition("/")[0]:
        yield finding("arc-registry", page.path, f"It is in the folder of {name}, and says {says}.", page.ref)
    if memory.status != status and {memory.status, status} & {"inbox", "incubating"}:
        yield finding("idea-ledger", page.path, f"It is {memory.status}, but in the folder of what is {status}.", page.ref)
    named = places.stem(memory.path)
    slugs = {places.slugify(title) for title in (memory.title, *memory.aliases)}
    if slugs.isdisjoint((named, _NUMBER.sub("", named))):
        yield finding("slug-filename", page.path, f"{memory.title!r} would be {places.slugify(memory.title)}.md.", page.ref)
