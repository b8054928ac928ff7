"""Rules that are told at tool calls of agents."""

from vademecum.actions.call_rules import RuleLine, listed_rules, set_rule
from vademecum.actions.repeats import repeated
from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.memory import BY_PERSON, By
from vademecum.inject.seen import hidden_from


class ActionsAPI(Station[Context]):
    """What is told at the calls of agents."""

    def rules(self, project: str = "", at: str = "", *, by: By = BY_PERSON) -> tuple[RuleLine, ...]:
        """Return the rules, the strictest first; see :func:`vademecum.actions.call_rules.listed_rules`."""
        hidden = hidden_from(self.context, by)
        return tuple(line for line in listed_rules(self.context, project, at) if f"memory://{line.id}" not in hidden)

    rule = use_case(set_rule)
    repeats = use_case(repeated)
