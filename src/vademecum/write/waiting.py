"""Selection and order of unrequested proposals, which wait for the person's decision."""

from collections.abc import Iterable, Sequence

from vademecum.context.context import Context
from vademecum.domain.item import Item
from vademecum.domain.kinds import CURATED_KINDS
from vademecum.domain.query import Scope
from vademecum.domain.session import Candidate
from vademecum.write.candidates import way_of

#: Token count of active memories above which low-confidence guesses are not proposed; bytes per token; bytes of a file's
#: properties.
FULL_TOKENS, BYTES_OF_A_TOKEN, PROPERTIES_BYTES = 20_000, 4, 300
_RANK = {"high": 0, "medium": 1, "low": 2}


def sure_enough(context: Context, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates to process, in order.

    While memory is full (:func:`is_full`), low-confidence proposals are left out; the status reports it.
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
    """Return pending items in display order: statements of the person first, then by confidence, importance and age, newest first."""
    newest = sorted(waiting, key=lambda item: (item.updated is not None, item.updated, item.key), reverse=True)
    return tuple(sorted(newest, key=lambda item: (item.trust != "user", _RANK[item.confidence], -item.importance)))


def core_tokens(context: Context) -> int:
    """Return the approximate number of tokens of all active memories of curated kinds, by the size of their files."""
    scope = Scope(sources=("memory",), kinds=CURATED_KINDS, statuses=("active",))
    sizes = context.index.facets(scope, ("size",))
    return sum(max(0, int(size) - PROPERTIES_BYTES) * count for (size,), count in sizes.items()) // BYTES_OF_A_TOKEN


def is_full(context: Context) -> bool:
    """Return whether there are too many active memories to propose low-confidence guesses (SW-45). Nothing is archived because of it."""
    return core_tokens(context) > FULL_TOKENS


def warnings(context: Context) -> list[str]:
    """Return the warning that low-confidence guesses are no longer proposed, if so."""
    tokens = core_tokens(context)
    line = f"memories: the active ones take {tokens:,} tokens, more than {FULL_TOKENS:,}; uncertain guesses are not proposed"
    return [f"{line}; see vade heat, vade compact --digest"] if tokens > FULL_TOKENS else []
