"""A made-up life for pictures: somebody with a web shop and a garden controller, over two weeks.

It shows what pages look like and measures nothing.
"""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from vademecum.adapters.clock import FixedClock
from vademecum.adapters.device.log import HookLog
from vademecum.api import Vademecum
from vademecum.domain.host import HookEvent, Moment
from vademecum.domain.query import Query
from vademecum.settings import Settings
from vademecum.wiring import open_memory


class Saved(NamedTuple):
    """A memory that is saved so many days before the last one, at an hour."""

    days: int
    hour: int
    kind: str
    project: str
    title: str
    text: str
    tag: str = ""


class Talk(NamedTuple):
    """A conversation; the person speaks first, then the agent, in turn.

    Attributes:
        given: titles of the memories that the agent was shown; it used the first.
    """

    days: int
    hour: int
    project: str
    texts: tuple[str, ...]
    given: tuple[str, ...]


SHOP, GARDEN = "webshop", "garden"
_ORDERS = (
    "Orders live in PostgreSQL 16, because stock and payment must change in one transaction.\n\n"
    "- one database for orders, stock and payments\n- the search index is made from it\n\nSee [[orders-are-never-deleted]] and "
    "[[slow-search-was-a-missing-index]]."
)
MEMORIES = (
    Saved(13, 9, "preference", "", "Short answers in British English", "The answer in one sentence first, then details.", "style"),
    Saved(13, 9, "identity", "", "Backend developer who gardens", "I write Python and SQL, and run a watering controller at home."),
    Saved(13, 11, "decision", SHOP, "PostgreSQL for orders", _ORDERS, "storage"),
    Saved(13, 12, "fact", SHOP, "Staging runs on host amber", "The staging shop runs on host amber, port 8443, reset at 3.", "hosting"),
    Saved(12, 10, "lesson", SHOP, "Migrate before the worker starts", "A column of [[postgresql-for-orders]] was missing.", "deploy"),
    Saved(12, 16, "preference", SHOP, "Never push to main", "Open a pull request, also for one-line changes.", "git"),
    Saved(11, 9, "fix", SHOP, "Duplicate mails came from retries", "An idempotency key for each order cured it.", "mail"),
    Saved(11, 14, "decision", GARDEN, "The moisture sensor decides, not the clock", "Water below 30 %, but never at noon.", "water"),
    Saved(10, 8, "fact", GARDEN, "The pump is wired to relay 3", "Relay 3 switches the pump; relay 4 is spare.", "hardware"),
    Saved(10, 19, "lesson", GARDEN, "Calibrate the sensor in dry soil", "Readings were 12 % too high after wet soil.", "hardware"),
    Saved(9, 10, "decision", SHOP, "Orders are never deleted", "Cancelled ones get a status ([[postgresql-for-orders]]).", "storage"),
    Saved(8, 11, "incident", SHOP, "Checkout was down for 40 minutes", "A certificate expired. It alarms ten days before now.", "deploy"),
    Saved(7, 15, "procedure", SHOP, "Release in five steps", "1. Tag\n2. Build\n3. Migrate staging\n4. Smoke test\n5. Promote", "deploy"),
    Saved(6, 9, "fact", GARDEN, "Frost warnings come at 18:00", "Below 2 degrees the controller closes the valve.", "water"),
    Saved(5, 10, "task", SHOP, "Add a rate limit to the login page", "Ten tries a minute for each address, then 429.", "security"),
    Saved(4, 17, "idea", "", "A weekly summary of all projects", "One mail on Friday with what changed and what waits."),
    Saved(3, 9, "decision", SHOP, "Stripe instead of PayPal for cards", "Fees are lower and a refund is one call.", "payment"),
    Saved(2, 10, "lesson", SHOP, "Freeze time in tests of invoices", "They failed on the 31st: a month was added to today.", "tests"),
    Saved(1, 10, "fix", SHOP, "Slow search was a missing index", "A trigram index took the search from 900 to 40 ms.", "storage"),
    Saved(1, 15, "preference", "", "Ask before adding a dependency", "Say what it is for and what would be written instead.", "style"),
    Saved(0, 1, "fact", SHOP, "Refunds need the original charge id", "The service refuses a refund by order number.", "payment"),
    Saved(0, 2, "lesson", GARDEN, "Close the valve before rebooting", "The pump ran dry during a reboot.", "hardware"),
    Saved(0, 3, "decision", SHOP, "Flags are read once a minute", "A switch takes effect within a minute, without a release.", "deploy"),
)  # fmt: skip
WAITING = (
    Saved(0, 3, "lesson", SHOP, "Warm the cache after each deploy", "The first visitors after a deploy wait four seconds."),
    Saved(0, 3, "preference", "", "Commit messages in the imperative", "Write what the commit does, not what was done."),
    Saved(0, 3, "fact", GARDEN, "The water tank holds 200 litres", "That is enough for four dry days."),
)
CONFLICT = Saved(0, 3, "fact", SHOP, "Staging port", "The staging shop runs on host amber, port 9443, reset at 3.")
TALKS = (
    Talk(3, 8, SHOP, (
        "Card payments by PayPal are expensive. Which service has lower fees for refunds?",
        "Stripe is cheaper for our volume, and a refund is one call.", "Then we use Stripe instead of PayPal for cards.",
        "I changed the payment module and its tests."), ("PostgreSQL for orders", "Never push to main")),
    Talk(1, 10, SHOP, (
        "The product search takes almost a second. Find out why.", "The query scans all names; a trigram index is missing.",
        "Add it, and measure again.", "Done: 40 ms at the median. The migration is in the pull request."),
        ("PostgreSQL for orders", "Migrate before the worker starts", "Never push to main")),
    Talk(1, 18, GARDEN, (
        "The pump did not stop yesterday. Look at the log of the controller.",
        "The sensor reported 29 % all evening, one below the threshold.", "Raise the hysteresis to five percent and write a test.",
        "Both are done; the simulation waters twice a day now."),
        ("The moisture sensor decides, not the clock", "The pump is wired to relay 3")),
    Talk(0, 1, SHOP, (
        "A refund failed with 'unknown charge'. What do we send?", "The order number; the service wants the original charge id.",
        "Always send the charge id for refunds from now on.", "Changed in refunds.py; one test is still red."),
        ("Stripe instead of PayPal for cards", "Freeze time in tests of invoices")),
    Talk(0, 3, SHOP, (
        "We need feature flags that change without a release.", "A table with a cache of one minute would do.",
        "Good, feature flags live in the database. Write the migration.", "The migration is written, not applied yet."),
        ("PostgreSQL for orders", "Migrate before the worker starts", "Staging runs on host amber")),
)  # fmt: skip
QUESTIONS = ("which database holds our orders?", "how do we release?", "what decides when to water?")


_MOMENTS: tuple[Moment, ...] = ("start", "end")


def lived(settings: Settings, now: datetime) -> None:
    """Fill an empty memory with two weeks up to `now`, which is aware."""
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    clock = FixedClock(day - timedelta(days=14))
    with open_memory(settings, clock=clock) as memory:
        for row in sorted((*MEMORIES, *TALKS), key=lambda row: (-row.days, row.hour)):
            clock.advance(max(day - timedelta(days=row.days) + timedelta(hours=row.hour) - clock.now(), timedelta()))
            if isinstance(row, Saved):
                _save(memory, row)
            else:
                path = _transcript(settings, row, clock.now())
                memory.maintenance.capture((str(path),))
                folder = f"/home/me/{row.project}"
                for moment in _MOMENTS:
                    memory.sessions.record(HookEvent("claude-code", moment, "", path.stem, folder, transcript=str(path)))
        clock.advance(max(now - clock.now(), timedelta()))
        memory.sessions.process_due()
        for row in WAITING:
            _save(memory, row)
            memory.notes.edit(row.title, properties={"status": "inbox"})
        _save(memory, CONFLICT)
        memory.maintenance.refine()
        for question in QUESTIONS:
            memory.recall.ask(Query(question))
        _deliver(memory, HookLog(Path(settings.data_dir) / "log"), clock.now())


def _save(memory: Vademecum, row: Saved) -> None:
    memory.notes.save(row.kind, row.title, row.text, project=row.project, tags=(row.tag,) if row.tag else ())


def _deliver(memory: Vademecum, hooks: HookLog, now: datetime) -> None:
    """Note that the agents of the last conversations were given some memories, and used one of them."""
    given = {talk.texts[0]: talk.given for talk in TALKS}
    for session in memory.notes.list(len(TALKS), source=("session",)):
        keys = [memory.notes.get(title).uri for title in given[session.title]]
        moment = session.updated or now
        memory.context.state.shown.record(session.key, keys, moment)
        memory.context.state.usage.note("told", keys, moment)
        memory.context.state.usage.note("used", keys[:1], moment)
        hooks.write({"tokens": 400 + 60 * len(keys)}, moment)


def _transcript(settings: Settings, talk: Talk, moment: datetime) -> Path:
    """Write a conversation as Claude Code writes it; return its file."""
    folder = Path(settings.data_dir).parent / "talks"
    folder.mkdir(exist_ok=True)
    session = f"{moment:%m%d%H}00-0000-4000-8000-{TALKS.index(talk):012}"
    path = folder / f"{session}.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in _lines(talk.texts, session, talk.project, moment)))
    return path


def _lines(texts: Sequence[str], session: str, project: str, moment: datetime) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        lines.append({
            "type": role, "sessionId": session, "uuid": f"{session[:8]}-0000-4000-8000-{number:012}", "isSidechain": False,
            "timestamp": (moment + timedelta(minutes=4 * number)).isoformat(), "cwd": f"/home/me/{project}", "userType": "external",
            "version": "2.1.332", "message": {"role": role, "content": [{"type": "text", "text": text}] if number % 2 else text},
        })  # fmt: skip
    return lines
