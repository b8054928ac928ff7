"""Forms that change a memory, and the history of its changes."""

from collections.abc import Mapping, Sequence
from typing import Any

import htpy as h
from htpy import Element, Node

from vademecum.domain.errors import Conflict
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import Memory
from vademecum.language.readable import readable_line
from vademecum.plugin_api.upkeep import Version
from vademecum.plugin_api.vault import read
from vademecum.plugin_api.verbs import parse_date
from vademecum.plugin_api.writing import Saved
from vademecum.plugins.pages import html
from vademecum.plugins.pages.home import DID, WHO
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.markdown import own_address, rendered
from vademecum.plugins.pages.visit import BY_PERSON_HERE, Done, Shown, Visit

#: Most versions on a page.
VERSIONS_SHOWN = 30
#: Properties that are not shown, and labels of others.
_BOOKKEEPING = frozenset({"id", "created", "updated", "source_span", "source_interface"})
_NAMES = {
    "said": "Said on", "valid_from": "Holds from", "valid_until": "Holds until", "always_load": "In every briefing",
    "supersedes": "Replaces", "superseded_by": "Replaced by", "superseded_at": "Replaced on", "superseded_reason": "Replaced because",
    "contradicts": "Against", "source": "Comes from",
}  # fmt: skip


async def edit(visit: Visit) -> Shown:
    """Show the form that edits a memory."""
    memory: Memory = await visit.ask("show", ref=visit.rest)
    return _edit_form(visit, memory, memory.body.strip("\n"))


def _edit_form(visit: Visit, memory: Memory, typed: str, problem: Node = None, status: int = 200) -> Shown:
    base = own_address(memory.uri)
    body = [
        h.h1["Edit ", h.bdi[memory.title]],
        problem,
        h.form(method="post", action=f"{PAGES}/do/edit", hx_replace_url="true", data_keep=memory.id)[
            html.carried(visit, {"ref": memory.id, "etag": memory.etag, "back": base}),
            h.label(for_="body")["What it says"],
            h.textarea("#body", name="body", rows="12", dir="auto", autofocus=True)[f"\n{typed}"],
            _fields(visit, memory),
            h.p(".aside")["Did the fact itself change, rather than its wording? ", h.a(href=f"{base}/evolve")["Replace it"]],
            h.div(".actions")[h.button(".main")["Save"], h.a(".button", href=base)["Cancel"]],
        ],
    ]  # fmt: skip
    return Shown(f"Edit {memory.title}", body, status)


def _fields(visit: Visit, memory: Memory) -> Element:
    """Return fields for title, kind, project and tags."""
    typed = visit.form
    return h.div(".fields")[
        h.label["Title", h.input(name="title", required=True, dir="auto", value=typed.get("title", memory.title))],
        h.label["Kind", h.select(name="kind")[
            [h.option(selected=kind == typed.get("kind", memory.kind))[kind] for kind in KINDS]
        ]],
        h.label["Project", h.input(name="project", value=typed.get("project", memory.project), placeholder="none: it holds everywhere")],
        h.label["Tags", h.input(name="tags", value=typed.get("tags", ", ".join(memory.tags)), placeholder="garden, plants")],
    ]  # fmt: skip


async def edited(visit: Visit) -> Done | Shown:
    """Save an edited memory. If its file changed meanwhile, both texts are shown and nothing is lost."""
    ref, typed = visit.form.get("ref", ""), visit.form.get("body", "")
    before: Memory = await visit.ask("show", ref=ref)
    text = f"{before.body[: len(before.body) - len(before.body.lstrip(chr(10)))]}{typed.strip(chr(10))}\n"
    values = _changed(visit.form, before)
    body = None if values and text.strip() == before.body.strip() else text
    etag = visit.form.get("etag", "")
    try:
        done = await visit.decide(
            lambda memory: memory.notes.edit(before.id, body=body, properties=values, etag=etag, by=BY_PERSON_HERE)
        )
    except Conflict:
        now: Memory = await visit.ask("show", ref=ref)
        return _edit_form(visit, now, typed, _conflict(now, typed), 409)
    return Done(own_address(done.uri), f"Saved: {done.title}.", done.id)


def _changed(form: Mapping[str, str], before: Memory) -> dict[str, Any]:
    """Return the properties that the form changes; fields that were not sent are left out."""
    given = {name: form[name].strip() for name in ("title", "kind", "project") if name in form}
    values: dict[str, Any] = {name: text or None for name, text in given.items() if text != getattr(before, name)}
    tags = [tag.strip().removeprefix("#") for tag in form.get("tags", "").split(",") if tag.strip()]
    if "tags" in form and tuple(tags) != before.tags:
        values["tags"] = tags or None
    return values


def _conflict(now: Memory, typed: str) -> Element:
    return h.section(".alarm", role="alert")[
        h.h2["It was changed meanwhile"],
        h.p["Nothing was saved. Below stands what you typed; saving it now replaces what the file says."],
        h.div(".sides")[
            h.div[h.h3["The file says"], h.pre(".whole", dir="auto")[now.body.strip()]],
            h.div[h.h3["What differs"], html.difference(now.body.strip(), typed.strip())],
        ],
    ]


async def evolve(visit: Visit) -> Shown:
    """Show the form that replaces the text of a memory."""
    memory: Memory = await visit.ask("show", ref=visit.rest)
    base = own_address(memory.uri)
    body = [
        h.h1["Replace ", h.bdi[memory.title]],
        h.p["The old text stays, under its own name, and both know each other."],
        h.form(method="post", action=f"{PAGES}/do/evolve", hx_replace_url="true", data_keep=f"{memory.id} evolve")[
            html.carried(visit, {"ref": memory.id, "back": base}),
            h.label(for_="body")["What holds now"],
            h.textarea("#body", name="body", rows="10", dir="auto", required=True, autofocus=True)[f"\n{memory.body.strip()}"],
            h.label(for_="reason")["Why it changed (may stay empty)"],
            h.input("#reason", name="reason", dir="auto"),
            h.div(".actions")[h.button(".main")["Replace"], h.a(".button", href=base)["Cancel"]],
        ],
    ]
    return Shown(f"Replace {memory.title}", body)


async def evolved(visit: Visit) -> Done:
    """Replace the text of a memory."""
    wanted = {name: visit.form.get(name, "") for name in ("ref", "body", "reason")}
    done: Saved = await visit.do("evolve", **wanted)
    assert done.memory is not None
    return Done(
        own_address(done.memory.uri), f"Replaced; the old text stays under its own name: {done.memory.title}.", done.memory.id
    )


async def history(visit: Visit) -> Shown:
    """Show every change of a memory as a difference, newest first."""
    versions: Sequence[Version] = await visit.ask("history", ref=visit.rest)
    texts = [None, *(version.text for version in versions)]
    rows = [_version(visit, version, texts[place]) for place, version in enumerate(versions)][::-1]
    more = len(rows) - VERSIONS_SHOWN
    title = f"History of {visit.rest}"
    body = [
        h.h1["History", bool(versions) and [" of ", h.bdi[_title_of(versions)]]],
        h.p[h.a(href=f"{PAGES}/m/{visit.rest}")["Back to the memory"]],
        h.ol(".entries")[rows[:VERSIONS_SHOWN]] if rows else html.nothing("No change is recorded."),
        more > 0 and h.p[f"{more} older changes: ", h.code[f"vade history {visit.rest}"]],
    ]
    return Shown(title, body)


def _title_of(versions: Sequence[Version]) -> str:
    """Return the title of a memory in its newest version that is not a removal."""
    texts = [version.text for version in versions if version.text is not None]
    return str(read(texts[-1]).texts().get("title", "")) if texts else "a removed memory"


def _version(visit: Visit, version: Version, before: str | None) -> Element:
    moment = parse_date(version.time)
    return h.li(".entry", data_entry=True)[
        h.div(".line")[
            h.strong[DID.get(version.op, version.op)],
            " by ",
            WHO.get(version.actor, version.actor),
            " ",
            html.when(visit, moment),
        ],
        version.reason and h.p(".aside")[version.reason],
        _what_changed(before, version.text),
        h.div(".actions")[html.action(visit, "undo", "Undo this", {"operation": version.operation}, key="u")],
    ]


def _what_changed(before: str | None, after: str | None) -> Node:
    """Return the content of the first version; for a later one, the changed properties and lines."""
    if after is None:
        return h.p(".aside")["The file was removed."]
    now = read(after)
    values = {name: _words_of(name, value) for name, value in now.texts().items() if not _is_bookkeeping(name)}
    if before is None:
        return [
            html.facts((_named(name), value) for name, value in values.items()),
            h.div(".text", dir="auto")[rendered(now.body)],
        ]
    then = read(before)
    earlier = {name: _words_of(name, value) for name, value in then.texts().items() if not _is_bookkeeping(name)}
    names = [name for name in {**earlier, **values} if earlier.get(name) != values.get(name)]
    changed = [(_named(name), _change_of(earlier.get(name, ""), values.get(name, ""))) for name in names]
    is_same_text = then.body.strip() == now.body.strip()
    return [
        bool(changed) and html.facts(changed),
        None if is_same_text and changed else html.difference(then.body.strip("\n"), now.body.strip("\n")),
    ]


def _change_of(before: str, after: str) -> Node:
    return [bool(before) and h.del_[before], bool(before and after) and " ", bool(after) and h.ins[after]]


def _is_bookkeeping(name: str) -> bool:
    return name in _BOOKKEEPING or name.startswith("mining_")


def _named(name: str) -> str:
    """Return the label of a property."""
    return _NAMES.get(name, name.replace("_", " ").capitalize())


def _words_of(name: str, value: object) -> str:
    """Return the value of a property in a form for people."""
    parts = value if isinstance(value, list | tuple) else [value]
    words = ", ".join(readable_line(str(part)) for part in parts if part is not None)
    return html.STATUS_WORDS.get(words, words) if name == "status" else words
