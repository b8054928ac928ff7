"""Skills: pointers to the person's own, and a watchlist of published ones, which may be adapted but are never installed.

A pointer is a memory that describes a skill and gives its path; nothing else is copied. Watchlist entries come from lists on
the web that the person configured. An entry waits for the person's decision and is shown to nobody before; its rating by rubric
and guard is saved with it.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from msgspec import Struct

from vademecum.domain.errors import InvalidInput, Problem, Refused, VademecumError, WebUnavailable
from vademecum.domain.memory import BY_PERSON, QUARANTINED, By, Draft, Memory
from vademecum.domain.places import place_named
from vademecum.domain.query import Scope
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import etag_of, read, text_of
from vademecum.plugin_api.writing import Word, decide, keep, similar
from vademecum.ports.web import WebPage

Watching = Literal["promote", "dismiss", "defer"]

#: Setting with the addresses of lists of published skills.
SOURCES = "skill_sources"
BY_SKILLS = By("extraction", "skills")
#: Folders where hosts store a person's skills, used if no folder is named.
PLACES = ("~/.claude/skills", "~/.agents/skills", "~/.codex/skills")
FILE, POINTER, WATCHED = "SKILL.md", "skill-pointer", "skill-watchlist"
#: Properties: hash of the file behind a pointer; score and its reasons; day until which an entry is deferred.
DIGEST, SCORE, REASONS, RESTS = "skill_digest", "skill_score", "skill_reasons", "rests_until"
#: Limits: skills of a folder; bytes of a file; new entries of a list at once; seconds for a page; characters of a description.
MOST, FILE_BYTES, NEW_AT_ONCE, FETCH_S, SAID_CHARS = 500, 64_000, 10, 20.0, 600
_ENTRY = re.compile(
    r"^\s*[-*+]\s+\**\[(?P<name>[^\]\n]{1,80})\]\((?P<url>https?://[^)\s]+)\)\**\s*[-–—:]*\s*(?P<text>[^\n]*)$", re.MULTILINE
)
#: Rubric: (points, reason, pattern); for, then against, adapting a skill.
_RUBRIC = (
    (1, "says when it is to be used", re.compile(r"\b(?:use (?:this |it )?when|when (?:you|the|a|asked|working)|whenever)\b", re.I)),
    (1, "says what it does", re.compile(r"\S.{39,}", re.DOTALL)),
    (1, "has steps that can be taken over", re.compile(r"^\s*(?:\d+\.|#{2,}) \S.*\n(?:.*\n)*?\s*(?:\d+\.|#{2,}) \S", re.MULTILINE)),
    (-1, "needs other programs or the network", re.compile(r"\b(?:curl|wget|npx|npm i|pip install|docker|api[ _-]?key)\b", re.I)),
)  # fmt: skip
#: Minimum score of a good entry. One with zero or less is archived.
HIGH_FROM = 3


class SkillsRead(Struct, frozen=True):
    """Result of reading skills, or lists of them: titles, and the number of unchanged ones."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    unchanged: int = 0
    problems: tuple[Problem, ...] = ()


class Watched(Struct, frozen=True):
    """A published skill on the watchlist.

    Attributes:
        score: None if not rated.
        rests: deferred until this day (ISO 8601); "" if not deferred.
    """

    memory: Memory
    score: int | None = None
    reasons: tuple[str, ...] = ()
    rests: str = ""


def index_skills(context: Context, paths: Sequence[str] = (), repo: str = "") -> SkillsRead:
    """Save one pointer for each SKILL.md below the folders; archive a pointer whose file no longer exists.

    Args:
        paths: folders; empty: :data:`PLACES`.
        repo: name of the collection; "": the name of the folder around `skills`.
    """
    by_key: dict[str, list[str]] = {"new": [], "changed": [], "gone": []}
    unchanged, problems, seen = 0, [], set[str]()
    for folder in (place_named(path).absolute() for path in paths or PLACES):
        for file in sorted(folder.rglob(FILE))[:MOST]:
            seen.add(file.as_uri())
            try:
                done, title = _pointed(context, file, repo or _collection(folder))
            except (VademecumError, OSError) as error:
                problems.append(Problem(str(file), str(error)))
                continue
            unchanged += done == "unchanged"
            by_key.setdefault(done, []).append(title)
        for item in _skills(context, ("active", "inbox")):
            if item.source.startswith(f"{folder.as_uri()}/") and item.source not in seen:
                context.vault.archive(item.id, "its file is gone", by=BY_SKILLS)
                by_key["gone"].append(item.title)
    return SkillsRead(tuple(by_key["new"]), tuple(by_key["changed"]), tuple(by_key["gone"]), unchanged, tuple(problems))


def _collection(folder: Path) -> str:
    return (folder.parent if folder.name == "skills" else folder).name.lstrip(".") or "skills"


def _pointed(context: Context, file: Path, repo: str) -> tuple[str, str]:
    """Return (outcome for one file: new, changed or unchanged; its title)."""
    with file.open("rb") as opened:
        raw = opened.read(FILE_BYTES)
    fields = read(text_of(raw)).values()
    title = " ".join(str(fields.get("name") or file.parent.name).split())[:80]
    text = " ".join(str(fields.get("description") or "").split())[:SAID_CHARS]
    body = f"{text or f'A skill called {title}.'}\n\nIt is a skill of {repo}; read {file} before it is used.\n"
    known = next((memory for memory in _skills(context, ("active", "inbox")) if memory.source == file.as_uri()), None)
    if known is not None and known.extra.get(DIGEST, known.evidence.get(DIGEST)) == etag_of(raw):
        return "unchanged", title
    properties: dict[str, object] = {DIGEST: etag_of(raw), "skill_version": str(fields.get("version") or "")}
    given = {name: value for name, value in properties.items() if value}
    if known is not None:
        context.vault.edit(known.id, body=body, properties=given, by=BY_SKILLS)
        return "changed", title
    given |= {"source": file.as_uri(), "facet": POINTER}
    keep(context, Draft("skill", title, body, properties=given), by=BY_SKILLS, unique=True)
    return "new", title


def _skills(context: Context, statuses: tuple[str, ...] | None, tags: tuple[str, ...] | None = None) -> list[Memory]:
    scope = Scope(sources=("memory",), kinds=("skill",), statuses=statuses, tags=tags)
    return [context.vault.get(item.key) for item in context.index.select(scope, limit=MOST * 4)]


def discover(context: Context, dry_run: bool = False, max_sources: int = 0) -> SkillsRead:
    """Read the lists in the setting `skill_sources`; new entries go to the watchlist.

    Earlier entries, including dismissed ones, are recognised by their memories, so an unreachable list changes nothing.

    Raises:
        Refused: the web is not configured.
    """
    if context.outside.web is None:
        raise Refused("Looking things up on the web is switched off.", "Switch it on with: research = true")
    known = {memory.source for memory in _skills(context, None)}
    new, problems = [], []
    for url in context.setting(SOURCES)[: max_sources or None]:
        try:
            page = context.outside.web.fetch(url, FETCH_S)
        except WebUnavailable as error:
            problems.append(Problem(url, error.message))
            continue
        fresh = [row for row in _listed(page) if row[1] not in known][:NEW_AT_ONCE]
        for name, address, text in fresh:
            known.add(address)
            new.append(name)
            if not dry_run:
                _watch(context, name, address, text)
    return SkillsRead(tuple(new), problems=tuple(problems))


def _listed(page: WebPage) -> Iterator[tuple[str, str, str]]:
    """Yield (name, address, description) of the skills on a page, or of the page itself if it is a skill."""
    fields = read(page.text).values()
    if fields.get("name") and fields.get("description"):
        yield str(fields["name"])[:80], page.url, str(fields["description"])
        return
    for match in _ENTRY.finditer(page.text):
        yield match["name"], match["url"], match["text"].strip()


def _watch(context: Context, name: str, address: str, text: str) -> None:
    properties = {
        "status": "inbox",
        "trust": QUARANTINED,
        "source": address,
        "facet": WATCHED,
        "confidence": "low",
        "mining_route": "pending",
        "mining_rationale": "web.skill: published by others; say what to take over of it, or dismiss it",
    }
    body = f"{' '.join(text.split())[:SAID_CHARS] or name}\n"
    keep(context, Draft("skill", name, body, (WATCHED,), properties=properties), by=BY_SKILLS, unique=True)


def judge(context: Context, ref: str = "") -> tuple[Watched, ...]:
    """Rate entries of the watchlist by the rubric, and archive those without any merit; nothing is adopted.

    Args:
        ref: one entry; "": all that are not rated.
    """
    wanted = (
        [_entry(context, ref)]
        if ref
        else [memory for memory in _skills(context, ("inbox",), (WATCHED,)) if _score(memory) is None]
    )
    return tuple(_judged(context, memory) for memory in wanted)


def _judged(context: Context, entry: Memory) -> Watched:
    text = f"{entry.title}\n{entry.body}\n{_fetched(context, entry.source)}"
    reasons = [f"{points:+d} {reason}" for points, reason, sign in _RUBRIC if sign.search(text)]
    own = Scope(sources=("memory",), kinds=("skill",), statuses=("active",))
    if not similar(context, f"{entry.title} {entry.body}", own, 1):
        reasons.append("+1 is like none that you have")
    if context.guard.judge(text, trust="external", interface="web").action in ("quarantine", "refuse"):
        reasons.append("-2 gives orders to agents")
    score = sum(int(reason.split()[0]) for reason in reasons)
    values = {
        SCORE: score,
        REASONS: reasons or ["nothing speaks for it"],
        "confidence": "high" if score >= HIGH_FROM else "medium",
    }
    kept = context.vault.edit(entry.id, properties=values, by=BY_SKILLS)
    if score <= 0:
        kept = context.vault.archive(entry.id, "nothing speaks for it", by=BY_SKILLS)
    return Watched(kept, score, tuple(reasons))


def _fetched(context: Context, address: str) -> str:
    """Return the page of an entry, if web access is allowed, else "". It is rated but not saved."""
    try:
        return context.outside.web.fetch(address, FETCH_S).text[:FILE_BYTES] if context.outside.web else ""
    except WebUnavailable:
        return ""


def watchlist(context: Context, everything: bool = False) -> tuple[Watched, ...]:
    """Return the watchlist, highest scores first; deferred entries only with `everything`."""
    today = context.local_time(context.clock.now()).date().isoformat()
    waiting = [
        Watched(memory, _score(memory), _lines(_of(memory, REASONS)), str(_of(memory, RESTS) or ""))
        for memory in _skills(context, ("inbox",), (WATCHED,))
    ]
    shown = [watched for watched in waiting if everything or watched.rests <= today]
    return tuple(
        sorted(shown, key=lambda watched: (-(watched.score if watched.score is not None else 0), watched.memory.title))
    )


def decide_watched(context: Context, ref: str, decision: Watching, days: int = 30, *, by: By = BY_PERSON) -> Watched:
    """Carry out the person's decision: activate an entry, archive it, or defer it for some days."""
    entry = _entry(context, ref)
    if decision == "defer":
        until: date = context.local_time(context.clock.now()).date() + timedelta(days=days)
        kept = context.vault.edit(entry.id, properties={RESTS: until.isoformat()}, by=by)
        return Watched(kept, _score(kept), rests=until.isoformat())
    done = decide(context, entry.id, Word("approve" if decision == "promote" else "reject"), by=by)
    return Watched(done.memory or entry, _score(entry))


def _entry(context: Context, ref: str) -> Memory:
    entry = context.vault.get(ref)
    if entry.status != "inbox" or WATCHED not in entry.tags:
        raise InvalidInput(f"{entry.title!r} is not on the watchlist.", "See: vade skills watchlist")
    return entry


def _lines(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _of(memory: Memory, name: str) -> object:
    return memory.extra.get(name, memory.evidence.get(name))


def _score(memory: Memory) -> int | None:
    score = _of(memory, SCORE)
    return score if isinstance(score, int) else None
