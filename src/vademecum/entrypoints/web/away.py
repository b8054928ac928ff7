"""Many put away at once: what the filters of Find name, as one operation that one undo takes back."""

import htpy as h

from vademecum.api import Vademecum
from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import Item
from vademecum.domain.memory import Memory
from vademecum.entrypoints.http.access import PAGES
from vademecum.entrypoints.web import html
from vademecum.entrypoints.web.find import filters_of
from vademecum.entrypoints.web.visit import BY_PERSON_HERE, Done, Shown, Visit, address

#: What is typed before many are put away.
AWAY_WORD = "DELETE"
#: Memories in one operation: hooks wait while it is written, about a hundredth of a second for each.
MOST = 100
STANDING = ("active", "inbox", "incubating", "disputed", "resolved")


async def page(visit: Visit) -> Shown:
    """Show what would be put away, and the word that it takes."""
    items = await visit.read(lambda memory: _named(memory, visit))
    count = "1 memory" if len(items) == 1 else f"{len(items)} memories"
    more = len(items) == MOST and h.p(".aside")[f"{MOST} at a time; come back for the rest."]
    back = address(f"{PAGES}/find", visit.query)
    body = [
        h.h1["Put all of these away"],
        h.p[f"{count}. They go to the archive, are told to nobody any more, and one undo brings all of them back."],
        more,
        h.ul(".small")[[h.li[html.memory_link(one.key, one.title), f" ({one.kind})"] for one in items]],
        h.form(method="post", action=f"{PAGES}/do/away", hx_replace_url="true")[
            html.carried(visit, {"refs": ",".join(one.key.removeprefix("memory://") for one in items), "back": back}),
            h.label(for_="word")["Type ", h.kbd[AWAY_WORD], " to do it"],
            h.input("#word", name="word", autocomplete="off"),
            h.div(".deeds")[h.button(".danger")["Put them away"], h.a(".button", href=back)["Leave them"]],
        ],
    ]
    nobody = html.nothing("Nothing of this stands.", h.a(href=back)["Back"])
    return Shown("Put away", body if items else [h.h1["Put all of these away"], nobody])


def _named(memory: Vademecum, visit: Visit) -> tuple[Item, ...]:
    return memory.notes.list(MOST, **{"status": STANDING, **filters_of(visit), "source": ("memory",)})


async def away(visit: Visit) -> Done:
    """Put away what was shown."""
    if visit.form.get("word", "").strip() != AWAY_WORD:
        raise InvalidInput(f"Nothing was put away: the word is {AWAY_WORD}.", "Go back and type it.")
    refs = [ref for ref in visit.form.get("refs", "").split(",") if ref][:MOST]

    def done(memory: Vademecum) -> tuple[Memory, ...]:
        return memory.notes.archive_together(refs, "put away together", by=BY_PERSON_HERE)

    kept = await visit.decide(done)
    return Done(visit.back, f"Put away: {len(kept)}.", kept[0].id)
