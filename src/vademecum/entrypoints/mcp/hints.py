"""What to do next, said to a model: hints name commands of a terminal, an agent has tools."""

import re
from collections.abc import Mapping

from vademecum.domain.errors import VademecumError
from vademecum.entrypoints.mcp.tools import OLDER_NAMES, USE_VERB, Tool
from vademecum.entrypoints.verbs.table import Verb

_COMMAND = re.compile(r"\bvade (?:agent )?(?P<first>[a-z]+(?:-[a-z]+)*)(?: (?P<second>[a-z]+(?:-[a-z]+)*)\b)?")


class Hints:
    """Rewrites hints for a list of tools, of which one reaches the verbs that no other stands for."""

    def __init__(self, tools: Mapping[str, Tool], verbs: tuple[Verb, ...]) -> None:
        reached = [tool for tool in tools.values() if not tool.listed and tool.name not in OLDER_NAMES]
        through = {verb: f"{USE_VERB} {tool.name}" for tool in reached for verb in tool.verbs}
        self._tool_of = through | {verb: tool.name for tool in tools.values() if tool.listed for verb in tool.verbs}
        self._verbs = {verb.name: verb for verb in verbs}

    def told(self, problem: VademecumError) -> VademecumError:
        """Return the error with its message and hint as an agent can follow them."""
        problem.message, problem.hint = self.text(problem.message), self.text(problem.hint)
        return problem

    def text(self, text: str) -> str:
        """Return a text whose commands are tools, or the person's where agents have none."""
        return _COMMAND.sub(self._tool, text)

    def _tool(self, command: re.Match[str]) -> str:
        both = f"{command['first']} {command['second']}"
        name = both if both in self._verbs else command["first"]
        rest = "" if name == both or not command["second"] else f" {command['second']}"
        if name in self._tool_of:
            return self._tool_of[name] + rest
        if name in self._verbs and self._verbs[name].agents:
            return f"{USE_VERB} {name}{rest}"
        return f"the person, at their terminal: {command[0]}"
