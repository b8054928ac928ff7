"""Proposals that nobody asked for: how many may come, and for how long they wait for an answer."""

from collections.abc import Sequence
from datetime import timedelta

from vademecum.compose.core_memory import brain_kinds
from vademecum.context.context import Context
from vademecum.domain.kinds import kind_named
from vademecum.domain.memory import By
from vademecum.domain.query import Scope
from vademecum.domain.session import Candidate
from vademecum.extract.triage import way_of
from vademecum.write.gate import changed

#: Each proposal costs the person a look: at most so many of a session, and within a day.
PER_SESSION, PER_DAY = 3, 5
DAY = timedelta(days=1)
#: What nobody answered for so long is put away.
WAITS_FOR = timedelta(days=14)
#: More than ever wait; what is beyond is not looked at.
_LOOKED_AT = 1_000
#: Above so many tokens of what is worked with a guess must be surer; a token is about so many bytes, the properties of a file so many.
FULL_TOKENS, BYTES_OF_A_TOKEN, PROPERTIES_BYTES = 20_000, 4, 300
_UNANSWERED = "Nobody answered for two weeks."
_RANK = {"high": 0, "medium": 1, "low": 2}


def within_limits(context: Context, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates in their order, without the proposals that are too many: those that are less sure are left out.

    What is saved outright, and what waits already and is met again, is never left out.
    """
    proposals = [one for one in found if way_of(one, context.choices.review_mode) in ("review", "inbox")]
    if not proposals:
        return tuple(found)
    if is_full(context):
        unsure = {id(one) for one in proposals if one.confidence == "low"}
        found = [one for one in found if id(one) not in unsure]
        proposals = [one for one in proposals if id(one) not in unsure]
    waiting = context.index.select(Scope(sources=("memory",), statuses=("inbox",), branches=None), limit=_LOOKED_AT)
    since = context.clock.now() - DAY
    late = context.index.select(Scope(sources=("memory",), statuses=None, since=since, branches=None), limit=_LOOKED_AT)
    guesses = {item.key: item for item in (*waiting, *late) if item.trust == "extracted" and item.confidence != "high"}
    room = PER_DAY - sum(item.created is not None and item.created >= since for item in guesses.values())
    of_session = {one.source: PER_SESSION - sum(item.origin == one.source for item in guesses.values()) for one in proposals}
    known = {(item.kind, item.title) for item in waiting}
    left_out: set[int] = set()
    for one in sorted(proposals, key=lambda one: (one.trust != "user", _RANK[one.confidence], -one.importance)):
        if (kind_named(one.kind)[0], one.title) in known:
            continue
        if room > 0 and of_session[one.source] > 0:
            room, of_session[one.source] = room - 1, of_session[one.source] - 1
        else:
            left_out.add(id(one))
    return tuple(one for one in found if id(one) not in left_out)


def core_tokens(context: Context) -> int:
    """Return about how many tokens all memories take that are worked with, by the size of their files."""
    scope = Scope(sources=("memory",), kinds=brain_kinds(), statuses=("active",))
    sizes = context.index.facets(scope, ("size",))
    return sum(max(0, int(size) - PROPERTIES_BYTES) * count for (size,), count in sizes.items()) // BYTES_OF_A_TOKEN


def is_full(context: Context) -> bool:
    """Return whether there is so much that unsure guesses are no longer proposed (SW-45). Nothing is put away for it."""
    return core_tokens(context) > FULL_TOKENS


def warnings(context: Context) -> list[str]:
    """Return that unsure guesses are not proposed any more, and why."""
    tokens = core_tokens(context)
    told = f"memories: what is worked with takes {tokens:,} tokens, more than {FULL_TOKENS:,}; unsure guesses are not proposed"
    return [f"{told}; see vade heat, vade compact --digest"] if tokens > FULL_TOKENS else []


def put_away_unanswered(context: Context) -> int:
    """Archive the guesses that waited for two weeks, and return how many they were. What came from outside waits on."""
    if not context.enabled:
        return 0
    before = context.clock.now() - WAITS_FOR
    waiting = context.index.select(
        Scope(sources=("memory",), statuses=("inbox",), until=before, branches=None), limit=_LOOKED_AT
    )
    unanswered = [item for item in waiting if item.trust == "extracted"]
    by = By("extraction", "inbox")
    back = context.vault.history.touched_by(by) if unanswered else frozenset()
    unanswered = [item for item in unanswered if item.key.removeprefix("memory://") not in back]  # brought back: it stays
    for item in unanswered:
        changed(context, context.vault.archive(item.key.removeprefix("memory://"), _UNANSWERED, by=by))
    return len(unanswered)
