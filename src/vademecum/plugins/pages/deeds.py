"""What forms of the pages do: each one verb, or a use case that another door has on a key. They go on at a page that tells of it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import Memory
from vademecum.plugin_api.upkeep import Version
from vademecum.plugin_api.verbs import decision_lines
from vademecum.plugin_api.writing import Decided
from vademecum.plugins.pages.change import edited, evolved
from vademecum.plugins.pages.choices import setting
from vademecum.plugins.pages.forget import forgotten
from vademecum.plugins.pages.hosts import install
from vademecum.plugins.pages.many import many
from vademecum.plugins.pages.sessions import exclude, include, mark, remember
from vademecum.plugins.pages.visit import BY_PERSON_HERE, Done, Shown, Visit
from vademecum.plugins.pages.work import Work

_DECIDED = {"approve": "Approved", "edit": "Approved with your text", "reject": "Rejected", "supersede": "Approved"}


async def undo(visit: Visit) -> Done:
    """Take back an operation, or the last one of a memory; or several, which were one piece of work."""
    named = visit.form.get("operation", "").split(",")
    if len(named) > 1:
        return await visit.works.done(
            visit, Work("Steps taken back", len(named)), [[entry] for entry in named], partial(_undone, visit)
        )
    done: Version = await visit.do("undo", operation=visit.form.get("operation", ""))
    return Done(visit.back, f"Taken back: {done.reason.removeprefix('undo ') or done.op}.", done.operation)


async def _undone(visit: Visit, work: Work, operations: Sequence[str]) -> None:
    for operation in operations:
        await visit.do("undo", operation=operation)


async def wrong(visit: Visit) -> Done:
    """Put away what should never have been kept."""
    ref = visit.form.get("ref", "")
    done = await visit.decide(lambda memory: memory.inbox.wrong(ref, by=BY_PERSON_HERE))
    return Done(visit.back, f"Put away as wrong: {done.memory.title}.", done.memory.id)


async def review(visit: Visit) -> Done:
    """Decide about a proposal."""
    wanted = {name: visit.form[name] for name in ("ref", "decision", "body", "older") if name in visit.form}
    return _decided(visit, await visit.do("review", **wanted))


def _decided(visit: Visit, done: Decided) -> Done:
    lines = [
        f"{_DECIDED.get(done.decision, done.decision)}: {done.memory.title}.",
        *(f"{line}." for line in decision_lines(done)),
    ]
    return Done(visit.back, " ".join(lines), done.memory.id)


async def review_group(visit: Visit) -> Done:
    """Decide about all of a group, one operation for each."""
    refs, decision = visit.form.get("refs", "").split(","), visit.form.get("decision", "")
    for ref in refs:
        await visit.do("review", ref=ref, decision=decision)
    return Done(visit.back, f"{_DECIDED.get(decision, decision)}: {len(refs)}. Each can be undone on Home.")


async def settle(visit: Visit) -> Done:
    """Say which of two memories holds."""
    later, earlier, holds = (visit.form.get(name, "") for name in ("later", "earlier", "holds"))
    if holds == "earlier" and not visit.form.get("disputed"):
        done: Memory = await visit.do("supersede", old=later, new=earlier, reason="the older one holds")
    elif holds in ("later", "earlier", "both"):
        done = await visit.do("settle", ref=earlier if holds == "earlier" else later, both=holds == "both")
    else:
        raise InvalidInput("Say which one holds.", "The later, the earlier, or both.")
    return Done(visit.back, "Both hold." if holds == "both" else f"It holds: {done.title}.", done.id)


def _plain(verb: str, entry: str) -> Callable[[Visit], Awaitable[Done]]:
    """Return what carries out a verb that takes a memory and perhaps a reason."""

    async def done(visit: Visit) -> Done:
        more = {"reason": visit.form["reason"]} if visit.form.get("reason") else {}
        memory: Memory = await visit.do(verb, ref=visit.form.get("ref", ""), **more)
        return Done(visit.back, entry.format(memory.title), memory.id)

    return done


#: Name in the address -> what does it.
DEEDS: Mapping[str, Callable[[Visit], Awaitable[Done | Shown]]] = {
    "undo": undo, "wrong": wrong, "review": review, "review-group": review_group, "settle": settle, "edit": edited,
    "evolve": evolved, "forget": forgotten, "many": many, "remember": remember, "setting": setting, "install": install,
    "exclude": exclude, "include": include, "mark": mark, "confirm": _plain("confirm", "It still holds: {}."),
    "archive": _plain("archive", "Put away: {}."), "restore": _plain("restore", "Brought back: {}."),
    "resolve": _plain("archive --resolved", "Done: {}."),
}  # fmt: skip
