"""Rules that are shown at tool calls of agents."""

from collections.abc import Sequence

from vademecum.actions.call_rules import RuleChange, RuleLine, listed_rules, set_rule
from vademecum.actions.repeats import repeated
from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.memory import BY_PERSON, By
from vademecum.inject.seen import hidden_from


class ActionsAPI(Station[Context]):
    """What is shown at the calls of agents."""

    def rules(self, project: str = "", at: str = "", *, by: By = BY_PERSON) -> tuple[RuleLine, ...]:
        """Return the rules, the strictest first; see :func:`vademecum.actions.call_rules.listed_rules`."""
        hidden = hidden_from(self.context, by)
        return tuple(line for line in listed_rules(self.context, project, at) if f"memory://{line.id}" not in hidden)

    def rule(
        self,
        ref: str,
        level: str = "",
        when: Sequence[str] = (),
        unless: Sequence[str] = (),
        reset: bool = False,
        *,
        by: By = BY_PERSON,
    ) -> RuleLine:
        """Show a rule, or set it first; see :func:`vademecum.actions.call_rules.set_rule`."""
        return set_rule(self.context, ref, RuleChange(level, when, unless, reset), by=by)

    repeats = use_case(repeated)
