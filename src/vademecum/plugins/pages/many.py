"""Actions on many memories: archive or forget all matches of the filters in batches, with progress."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import htpy as h
from htpy import Element

from vademecum.domain.errors import InvalidInput
from vademecum.domain.forgotten import Forgetting
from vademecum.domain.item import Item
from vademecum.domain.memory import STATUSES
from vademecum.domain.query import Recall
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import counted
from vademecum.plugins.pages import html
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.search import MOST_ANSWERS, filters_of
from vademecum.plugins.pages.visit import BY_PERSON_HERE, Done, Shown, Visit, address
from vademecum.plugins.pages.work import Work

#: Most memories in one operation; most titles in its preview.
MOST, NAMED = 1000, 200


class Kind(NamedTuple):
    """An action on many memories.

    Attributes:
        word: to type as confirmation.
        done: beginning of the report.
        statuses: memories on which it works.
        at_a_time: batch size; hooks wait during a batch.
    """

    title: str
    meaning: str
    word: str
    done: str
    statuses: tuple[str, ...]
    at_a_time: int


KINDS = {
    "archive": Kind(
        "Put all of these away", "They go to the archive, are no longer shown to agents, and one undo brings all of them back.",
        "DELETE", "Put away", ("active", "inbox", "incubating", "disputed", "resolved"), 10,
    ),
    "forget": Kind(
        "Forget all of these", "They are removed for good, with every copy of ours. There is no undo; putting them away has one.",
        "FORGET", "Forgotten", STATUSES, 25,
    ),
}  # fmt: skip


async def page(visit: Visit) -> Shown:
    """Show a preview, and ask for the confirmation word."""
    kind = _kind(visit.rest)
    items = await _named(visit, kind)
    back = address(f"{PAGES}/find", visit.query)
    if not items:
        return Shown(kind.title, [h.h1[kind.title], html.nothing("No memory matches these filters.", h.a(href=back)["Back"])])
    rest = len(items) > NAMED and h.p(".aside")[f"and {len(items) - NAMED:,} more"]
    body = [
        h.h1[kind.title],
        h.p[f"{counted(len(items), 'memory').capitalize()}. {kind.meaning}"],
        len(items) == MOST and h.p(".aside")[f"{MOST:,} at a time; repeat it for the rest."],
        _form(visit, kind, items, back),
        h.ul(".small")[[h.li[html.memory_link(visit, item.key, item.title), f" ({item.kind})"] for item in items[:NAMED]]],
        rest,
    ]
    return Shown(kind.title, body)


def _form(visit: Visit, kind: Kind, items: Sequence[Item], back: str) -> Element:
    refs = ",".join(item.key.removeprefix("memory://") for item in items)
    return h.form(method="post", action=f"{PAGES}/do/many", hx_replace_url="true")[
        html.carried(visit, {"what": visit.rest, "refs": refs, "back": back}),
        h.label(for_="word")["Type ", h.kbd[kind.word], " to do it"],
        h.input("#word", name="word", autocomplete="off"),
        h.div(".actions")[h.button(".danger")["Do it"], h.a(".button", href=back)["Cancel"]],
    ]


def _kind(name: str) -> Kind:
    if name not in KINDS:
        raise InvalidInput(f"There is no action {name!r} for many memories.", f"Known: {', '.join(KINDS)}")
    return KINDS[name]


async def _named(visit: Visit, kind: Kind) -> Sequence[Item]:
    """Return the memories that match the address: filters, with or without a question."""
    where = {"status": kind.statuses, **filters_of(visit), "source": ("memory",)}
    question = visit.query.get("q", "").strip()
    if not question:
        return await visit.read(_listed, where)
    result: Recall = await visit.do("search", question=question, limit=MOST_ANSWERS, **where)
    return list({hit.item.key: hit.item for hit in result.hits}.values())


def _listed(memory: Vademecum, where: dict[str, Any]) -> tuple[Item, ...]:
    return memory.notes.list(MOST, **where)


async def many(visit: Visit) -> Done:
    """Carry out the previewed action."""
    name = visit.form.get("what", "")
    kind, word = _kind(name), visit.form.get("word", "").strip()
    if word != kind.word:
        raise InvalidInput(f"Nothing was done: the word is {kind.word}.", "Go back and type it.")
    refs = [ref for ref in visit.form.get("refs", "").split(",") if ref][:MOST]
    step = partial(_archived if name == "archive" else _forgotten, visit)
    return await visit.works.done(
        visit, Work(kind.done, len(refs)), [refs[at : at + kind.at_a_time] for at in range(0, len(refs), kind.at_a_time)], step
    )


async def _archived(visit: Visit, work: Work, refs: Sequence[str]) -> None:
    def done(memory: Vademecum) -> str:
        return memory.notes.archive_together(refs, "put away together", by=BY_PERSON_HERE)[0].id

    work.undo.insert(0, await visit.decide(done))


async def _forgotten(visit: Visit, work: Work, refs: Sequence[str]) -> None:
    done: Forgetting = await visit.decide(lambda memory: memory.notes.forget_together(refs, by=BY_PERSON_HERE))
    still = [f"{search.place}: STILL in {', '.join(search.found)}" for search in done.proof if search.found]
    work.lines += [*still, *(f"stays: {to_erase.title} ({to_erase.why})" for to_erase in done.derived)]
    work.proved += sum(search.files for search in done.proof)
