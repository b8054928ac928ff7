"""Rules that are told at tool calls of agents."""

from vademecum.actions.repeats import Repeated, repeated
from vademecum.actions.rules import RuleLine, listed_rules, set_rule
from vademecum.api.station import Station
from vademecum.context.context import Context
from vademecum.domain.memory import BY_PERSON, By
from vademecum.inject.scope import hidden_from


class ActionsAPI(Station[Context]):
    """What is told at the calls of agents."""

    def rules(self, project: str = "", at: str = "", *, by: By = BY_PERSON) -> tuple[RuleLine, ...]:
        """Return the rules, the strictest first; see :func:`vademecum.actions.rules.listed_rules`."""
        hidden = hidden_from(self.context, by)
        return tuple(line for line in listed_rules(self.context, project, at) if f"memory://{line.id}" not in hidden)

    def rule(
        self,
        ref: str,
        level: str = "",
        when: tuple[str, ...] = (),
        unless: tuple[str, ...] = (),
        reset: bool = False,
        *,
        by: By = BY_PERSON,
    ) -> RuleLine:
        """Say at which calls a memory is told, and what happens there; see :func:`vademecum.actions.rules.set_rule`."""
        return set_rule(self.context, ref, level, when, unless, reset=reset, by=by)

    def repeats(self, project: str = "") -> tuple[Repeated, ...]:
        """Return what failed or was refused in more than one session; see :func:`vademecum.actions.repeats.repeated`."""
        return repeated(self.context, project)
