"""What is known of an item besides its words, as log odds: bounded, so that it sways and does not decide."""

from datetime import datetime

from vademecum.domain.decay import importance_of
from vademecum.domain.item import Item
from vademecum.ports.state import Use
from vademecum.recall.profiles import Profile
from vademecum.recall.run import Run
from vademecum.recall.threshold import PERSONAL_KINDS
from vademecum.recall.topics import weight_of

#: Effective importance moves the log odds by at most half of this, up or down: it breaks ties, it does not decide.
IMPORTANCE_SWAY = 0.4
#: A memory that the person keeps says more than a passing remark with the same words.
MEMORY_SWAY = 2.5
#: One of a kind that says who the person is, when they ask about themselves.
PERSONAL_SWAY = 0.7
#: Words of the same project, and of the period that the question names, in log odds.
PROJECT_SWAY = 0.7
PERIOD_SWAY = 1.5
#: What the session is about, where the profile looks at that: a fifth of the most that two arms can give.
TOPIC_SWAY = 2.0


def adjustments(run: Run, item: Item, use: Use | None, now: datetime) -> dict[str, float]:
    """Return name -> log odds to add to every score of the item; only what is not neutral.

    Args:
        use: how often the item was used; None: never, or the profile does not age.
        now: aware, UTC.
    """
    query, shaped, profile = run.query, run.shaped, run.profile
    parts = dict(run.ranker.status_odds(item))
    if item.source == "memory":
        parts["memory"] = MEMORY_SWAY
    if item.source == "memory" and shaped.person and item.kind in PERSONAL_KINDS:
        parts["about the person"] = PERSONAL_SWAY
    if item.source == "memory" and profile.ageing:
        parts["importance"] = (_importance(item, use, now) - 0.5) * IMPORTANCE_SWAY
    if on_topic := weight_of(item.topics, run.lock):
        parts["topic"] = on_topic * TOPIC_SWAY
    if query.project and item.project == query.project:
        parts["project"] = PROJECT_SWAY
    if shaped.period and item.updated and shaped.period[0] <= item.updated < shaped.period[1]:
        parts["period"] = PERIOD_SWAY
    return parts


def status_factor(profile: Profile, item: Item) -> float:
    """Return what a score of the item counts by its status; 1 for what stands."""
    return {"superseded": profile.superseded, "inbox": profile.inbox, "archived": profile.archived}.get(item.status, 1.0)


def _importance(item: Item, use: Use | None, now: datetime) -> float:
    return importance_of(item, now, use.last_used if use else None, use.used if use else 0)
