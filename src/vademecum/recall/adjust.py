"""Boosts of an item for what is known of it beside its text (status, importance, topic, project, period), as log odds.

They are bounded, so only the order of items with similar scores changes."""

from datetime import datetime

from vademecum.domain.decay import importance_of
from vademecum.domain.feed import Use
from vademecum.domain.item import Item
from vademecum.recall.confidence import PERSONAL_KINDS
from vademecum.recall.profiles import Profile
from vademecum.recall.run import Run
from vademecum.recall.topics import weight_of
from vademecum.recall.weights import ADDED


def adjustments(run: Run, item: Item, use: Use | None, now: datetime) -> dict[str, float]:
    """Return name -> log odds to add to every score of the item; neutral ones are left out.

    Args:
        use: how often the item was used; None: never, or the profile has no ageing.
        now: aware, UTC.
    """
    query, shaped, profile = run.query, run.shaped, run.profile
    parts = dict(run.ranker.status_odds(item))
    if item.source == "memory":
        parts["memory"] = ADDED["memory"]
    if item.source == "memory" and shaped.person and item.kind in PERSONAL_KINDS:
        parts["about the person"] = ADDED["about the person"]
    if item.source == "memory" and profile.ageing:
        parts["importance"] = (_importance(item, use, now) - 0.5) * ADDED["importance"]
    if on_topic := weight_of(item.topics, run.lock):
        parts["topic"] = on_topic * ADDED["topic"]
    if query.project and item.project == query.project:
        parts["project"] = ADDED["project"]
    if shaped.period and item.updated and shaped.period[0] <= item.updated < shaped.period[1]:
        parts["period"] = ADDED["period"]
    return parts


def status_factor(profile: Profile, item: Item) -> float:
    """Return the factor on the item's score for its status; 1 if it is active."""
    return {"superseded": profile.superseded, "inbox": profile.inbox, "archived": profile.archived}.get(item.status, 1.0)


def _importance(item: Item, use: Use | None, now: datetime) -> float:
    return importance_of(item, now, use.last_used if use else None, use.used if use else 0)
