"""What an agent is given when its host runs a hook: a briefing at a start, hits at a prompt, or nothing and the reason."""

from collections.abc import Callable
from operator import attrgetter

from msgspec.structs import replace

from vademecum.domain.errors import IndexDamaged
from vademecum.domain.host import Delivery, HookEvent
from vademecum.domain.late_pattern import compile_late_patterns
from vademecum.domain.why_nothing import COULD_NOT_SEARCH
from vademecum.inject.at_prompt import deliver_at_prompt
from vademecum.inject.at_start import deliver_at_start
from vademecum.inject.context import RecallContext
from vademecum.inject.delivered import always, count_delivered, why_silent
from vademecum.inject.notices import record_notices_shown
from vademecum.language.patterns import compile_patterns
from vademecum.plugin import observed


@observed("deliver", attrgetter("context.clock"))
def deliver(recall: RecallContext, event: HookEvent, in_time: Callable[[], bool] = always, waited_s: float = 0.0) -> Delivery:
    """Return what an agent is given at an event of its host.

    The host waits, so the index is not repaired here: if it cannot be used, the verdict is "could not search".

    Args:
        in_time: True while the host still waits; called last, because a delivery that the host no longer reads is not recorded.
        waited_s: seconds the host has already waited; they count towards the deadline of a prompt.
    """
    if reason := why_silent(recall.context, event):
        return Delivery(verdict=reason)
    if event.moment not in ("start", "prompt"):
        return Delivery()
    context = recall.context
    try:
        if event.moment == "start":
            delivery = deliver_at_start(recall, event, in_time)
            record_notices_shown(context, delivery.keys, context.clock.now())
        else:
            delivery = deliver_at_prompt(recall, event, recall.prompt(waited_s), in_time)
    except IndexDamaged:
        return Delivery(verdict=COULD_NOT_SEARCH)
    count_delivered(context, delivery.keys, context.clock.now(), recall.project)
    return replace(delivery, text=recall.clean(delivery.text), notice=recall.clean(delivery.notice))


def expect(recall: RecallContext, event: HookEvent) -> None:
    """Start the preparations for a prompt while other requests are answered. Can be called from any thread."""
    if event.moment == "prompt" and event.by_person and recall.context.enabled:
        recall.searcher.expect(recall.clean(event.prompt))


def warm_up(recall: RecallContext) -> None:
    """Load everything that the first answer would wait for. A long-running process calls it while idle."""
    recall.searcher.warm_up()
    compile_patterns()
    compile_late_patterns()
