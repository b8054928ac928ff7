"""Actions of the forms: each runs a verb or a use case of another interface, and redirects to a page with the result."""

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
    """Undo an operation, the last one of a memory, or several that belong together."""
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
    """Archive a memory as wrong."""
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
    """Decide about all proposals of a group, as one operation each."""
    refs, decision = visit.form.get("refs", "").split(","), visit.form.get("decision", "")
    for ref in refs:
        await visit.do("review", ref=ref, decision=decision)
    return Done(visit.back, f"{_DECIDED.get(decision, decision)}: {len(refs)}. Each can be undone on Home.")


async def settle(visit: Visit) -> Done:
    """Decide which of two memories holds."""
    later, earlier, holds = (visit.form.get(name, "") for name in ("later", "earlier", "holds"))
    if holds == "earlier" and not visit.form.get("disputed"):
        done: Memory = await visit.do("supersede", old=later, new=earlier, reason="the older one holds")
    elif holds in ("later", "earlier", "both"):
        done = await visit.do("settle", ref=earlier if holds == "earlier" else later, both=holds == "both")
    else:
        raise InvalidInput("Say which one holds.", "The later, the earlier, or both.")
    return Done(visit.back, "Both hold." if holds == "both" else f"It holds: {done.title}.", done.id)


def _plain(verb: str, entry: str) -> Callable[[Visit], Awaitable[Done]]:
    """Return an action that runs a verb with a memory and an optional reason."""

    async def done(visit: Visit) -> Done:
        more = {"reason": visit.form["reason"]} if visit.form.get("reason") else {}
        memory: Memory = await visit.do(verb, ref=visit.form.get("ref", ""), **more)
        return Done(visit.back, entry.format(memory.title), memory.id)

    return done


#: Name in the address -> action.
ACTIONS: Mapping[str, Callable[[Visit], Awaitable[Done | Shown]]] = {
    "undo": undo, "wrong": wrong, "review": review, "review-group": review_group, "settle": settle, "edit": edited,
    "evolve": evolved, "forget": forgotten, "many": many, "remember": remember, "setting": setting, "install": install,
    "exclude": exclude, "include": include, "mark": mark, "confirm": _plain("confirm", "It still holds: {}."),
    "archive": _plain("archive", "Put away: {}."), "restore": _plain("restore", "Brought back: {}."),
    "resolve": _plain("archive --resolved", "Done: {}."),
}  # fmt: skip
