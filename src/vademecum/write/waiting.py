"""Proposals that nobody asked for: all of them wait until the person decides, and are shown in an order of their own."""

from collections.abc import Iterable, Sequence

from vademecum.context.context import Context
from vademecum.domain.item import Item
from vademecum.domain.kinds import CURATED_KINDS
from vademecum.domain.query import Scope
from vademecum.domain.session import Candidate
from vademecum.extract.triage import way_of

#: Above so many tokens of what is worked with a guess must be surer; a token is about so many bytes, the properties of a file so many.
FULL_TOKENS, BYTES_OF_A_TOKEN, PROPERTIES_BYTES = 20_000, 4, 300
_RANK = {"high": 0, "medium": 1, "low": 2}


def sure_enough(context: Context, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates in their order. All of them wait or are saved; while memory is full (:func:`is_full`) unsure guesses are
    left out, of which the status tells.
    """
    proposed = ("review", "inbox")
    unsure = [
        candidate
        for candidate in found
        if candidate.confidence == "low" and way_of(candidate, context.choices.review_mode) in proposed
    ]
    if not unsure or not is_full(context):
        return tuple(found)
    left_out = {id(candidate) for candidate in unsure}
    return tuple(candidate for candidate in found if id(candidate) not in left_out)


def likeliest_first(waiting: Iterable[Item]) -> tuple[Item, ...]:
    """Return what waits in the order in which it is shown: what the person said, what is surer and matters more, the newest."""
    newest = sorted(waiting, key=lambda item: (item.updated is not None, item.updated, item.key), reverse=True)
    return tuple(sorted(newest, key=lambda item: (item.trust != "user", _RANK[item.confidence], -item.importance)))


def core_tokens(context: Context) -> int:
    """Return about how many tokens all memories take that are worked with, by the size of their files."""
    scope = Scope(sources=("memory",), kinds=CURATED_KINDS, statuses=("active",))
    sizes = context.index.facets(scope, ("size",))
    return sum(max(0, int(size) - PROPERTIES_BYTES) * count for (size,), count in sizes.items()) // BYTES_OF_A_TOKEN


def is_full(context: Context) -> bool:
    """Return whether there is so much that unsure guesses are no longer proposed (SW-45). Nothing is put away for it."""
    return core_tokens(context) > FULL_TOKENS


def warnings(context: Context) -> list[str]:
    """Return that unsure guesses are not proposed any more, and why."""
    tokens = core_tokens(context)
    told = f"memories: the active ones take {tokens:,} tokens, more than {FULL_TOKENS:,}; uncertain guesses are not proposed"
    return [f"{told}; see vade heat, vade compact --digest"] if tokens > FULL_TOKENS else []
