"""The notice for the person at the start of a session: what was saved, what waits for review, which model reads or could read.

Only memories of the starting project, or of no project, are counted and named. Each notice is shown once per device. Shown notices
are recorded under keys of their own, so that a briefing printed from a prepared file is also known to have shown them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.llm_queue import pause_notice
from vademecum.domain.item import Item
from vademecum.domain.llm import TOKENS_OF_A_READING
from vademecum.domain.query import Scope
from vademecum.domain.uris import session_ref
from vademecum.inject.numbers import ASKED_AFTER, LOOKED_AT, NAMED, NEWS_FOR, PROJECTS_NAMED, TITLE_CHARS
from vademecum.language.text import brief
from vademecum.recall.conflicts import open_conflicts
from vademecum.write.inbox import inbox

#: Prefix of the key of a notice; the rest identifies it.
PREFIX = "notice:"
#: Name under which notices shown to the person are recorded, beside the sessions of agents.
TO_PERSON = "person://notices"


class Notice(Struct, frozen=True):
    """A notice for the person. `keys`: shown until all are recorded as shown; empty: shown as long as it applies."""

    text: str
    keys: tuple[str, ...] = ()


def notices(context: Context, project: str) -> tuple[Notice, ...]:
    """Return the notices that the person should see now, in the order of the line.

    Args:
        project: the project that the session is briefed for; "" for none.
    """
    names = context.state.shown.keys(TO_PERSON)
    here = Scope(sources=("memory",), projects=(project,))
    key = f"{PREFIX}inbox:{context.local_time(context.clock.now()):%Y-%m-%d}"
    shown = [
        _saved(context, here, names),
        _of_conflicts(context, here, names),
        Notice("") if key in names else Notice(inbox(context, quick=True).alarm, (key,)),
        *_of_reader(context, names),
        _of_benefit(context, names),
    ]
    return tuple(notice for notice in shown if notice.text)


def record_notices_shown(context: Context, keys: Iterable[str], moment: datetime) -> bool:
    """Record which of these keys are notices shown to the person; return whether there were any."""
    ours = [key for key in keys if key.startswith(PREFIX)]
    if ours:
        context.state.shown.record(TO_PERSON, ours, moment)
    if _shown_key(context) in ours:
        extractions = context.storage.extractions
        extractions.note_trial(replace(extractions.trial(context.models.llm_name), shown=moment))
    return bool(ours)


def _saved(context: Context, here: Scope, names: frozenset[str]) -> Notice:
    """Return what was extracted from conversations since the last notice: what was saved, and what waits for review."""
    since = context.clock.now() - NEWS_FOR
    scope = replace(here, statuses=("active", "inbox"), branches=None)
    recent = context.index.select(scope, order="recent", limit=LOOKED_AT)
    news = [item for item in recent if _is_mined(item) and item.created and item.created > since and _key(item) not in names]
    saved = [item for item in news if item.status == "active"]
    waiting = len(news) - len(saved)
    if not news:
        return Notice("")
    parts = [f"saved {len(saved)} {_when(context, saved)}: {_titles(saved)}"] if saved else []
    parts += [f"{waiting} {'waits' if waiting == 1 else 'wait'} (vade review)"] if waiting else []
    parts += [f"wrong? {_undo(saved)}"] if saved else []
    return Notice("; ".join(parts), tuple(map(_key, news)))


def _of_conflicts(context: Context, here: Scope, names: frozenset[str]) -> Notice:
    """Return the open conflicts between memories; each pair is shown once."""
    conflicts = {
        f"{PREFIX}conflict:{conflict.later.key} {conflict.earlier.key}": conflict
        for conflict in open_conflicts(context.index, here)
    }
    news = {key: conflict for key, conflict in conflicts.items() if key not in names}
    if not news:
        return Notice("")
    named = "; ".join(
        f'"{brief(conflict.later.title, TITLE_CHARS)}", earlier "{brief(conflict.earlier.title, TITLE_CHARS)}"'
        for conflict in list(news.values())[:NAMED]
    )
    more = f" and {len(news) - NAMED} more" if len(news) > NAMED else ""
    return Notice(f"cannot both hold: {named}{more} (vade review)", tuple(news))


def _undo(saved: Sequence[Item]) -> str:
    """Return the command that undoes what was saved: everything from one conversation, or else the last change."""
    origins = {item.origin for item in saved}
    session = session_ref(origins.pop()) if len(origins) == 1 else ""
    return f"vade sessions undo {session}" if session else "vade undo"


def _is_mined(item: Item) -> bool:
    return item.trust == "extracted" and item.kind != "handoff"


def _key(item: Item) -> str:
    return f"{PREFIX}{item.status}:{item.key}"


def _when(context: Context, items: Sequence[Item]) -> str:
    today = context.local_time(context.clock.now()).date()
    days = {context.local_time(item.created).date() for item in items if item.created}
    if days == {today}:
        return "today"
    return "from yesterday" if days == {today - timedelta(days=1)} else "lately"


def _titles(items: Sequence[Item]) -> str:
    named = "; ".join(brief(item.title, TITLE_CHARS) for item in items[:NAMED])
    return f"{named} and {len(items) - NAMED} more" if len(items) > NAMED else named


def _of_reader(context: Context, names: frozenset[str]) -> Iterator[Notice]:
    """Return which model could read, what the chosen one will read for the first time, or why it is paused or not trusted."""
    if not context.models.llm_name:
        yield _offer(context, names)
        return
    yield Notice(pause_notice(context))
    trial = context.storage.extractions.trial(context.models.llm_name)
    waiting = context.storage.extractions.all({"waiting"})
    if trial.shown is None and waiting:
        yield _first_reading(context, [extraction.session for extraction in waiting])
    if trial.fault and (key := f"{PREFIX}fault:{context.models.llm_name}") not in names:
        text = (
            f"{context.models.llm_name} failed the samples ({trial.fault}); what it finds waits in the inbox: vade reader show"
        )
        yield Notice(text, (key,))


def _of_benefit(context: Context, names: frozenset[str]) -> Notice:
    key, since = f"{PREFIX}benefit", context.state.shown.since()
    if not context.choices.benefit_undecided or key in names or since is None or context.clock.now() - since < ASKED_AFTER:
        return Notice("")
    return Notice("memory has been in use for four weeks; find out whether it helps you: vade benefit", (key,))


def _offer(context: Context, names: frozenset[str]) -> Notice:
    key = f"{PREFIX}offer"
    found = context.models.readers() if context.choices.reader_undecided and key not in names else ()
    if not found:
        return Notice("")
    text = f"your own {found[0].title} could read each ended conversation once (about {TOKENS_OF_A_READING} tokens): vade reader use "
    return Notice(f"{text}{found[0].llm}; to decline: vade reader off", (key,))


def _first_reading(context: Context, sessions: Sequence[str]) -> Notice:
    items = context.index.items(sessions)
    projects = Counter(item.project for item in items.values() if item.project)
    named = ", ".join(project for project, _ in projects.most_common(PROJECTS_NAMED)) or "no project"
    tokens = len(sessions) * TOKENS_OF_A_READING
    text = f"{context.models.llm_name} will read {len(sessions)} ended conversations ({named}; about {tokens} tokens)"
    return Notice(
        f"{text}; what is sent: vade reader show --preview; to exclude a project: vade reader exclude", (_shown_key(context),)
    )


def _shown_key(context: Context) -> str:
    return f"{PREFIX}shown:{context.models.llm_name}"
