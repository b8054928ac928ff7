"""Rewrites hints for models: hints name terminal commands, but an agent has tools."""

import re
from collections.abc import Mapping

from vademecum.domain.errors import VademecumError
from vademecum.entrypoints.mcp.tools import USE_VERB, Tool, older_names
from vademecum.entrypoints.verbs.verb import Verb, with_flags

_COMMAND = re.compile(
    r"\bvade (?:agent )?(?P<first>[a-z]+(?:-[a-z]+)*)(?: (?P<second>[a-z]+(?:-[a-z]+)*)\b)?(?: (?P<flag>--[a-z]+(?:-[a-z]+)*)\b)?"
)


class Hints:
    """Rewrites hints for a list of tools, one of which can run every other verb."""

    def __init__(self, tools: Mapping[str, Tool], verbs: tuple[Verb, ...]) -> None:
        reached = [tool for tool in tools.values() if not tool.listed and tool.name not in older_names()]
        through = {verb: f"{USE_VERB} {tool.name}" for tool in reached for verb in tool.verbs}
        self._tool_of = through | {verb: tool.name for tool in tools.values() if tool.listed for verb in tool.verbs}
        self._verbs = {verb.name: verb for verb in with_flags(verbs)}

    def with_tools(self, problem: VademecumError) -> VademecumError:
        """Return the error with a message and hint that an agent can follow."""
        problem.message, problem.hint = self.text(problem.message), self.text(problem.hint)
        return problem

    def text(self, text: str) -> str:
        """Replace commands in a text by tools, or by a request to the person if agents have no such tool."""
        return _COMMAND.sub(self._tool, text)

    def _tool(self, command: re.Match[str]) -> str:
        first, second, flag = (command[part] or "" for part in ("first", "second", "flag"))
        typed = " ".join(filter(None, (first, second)))
        with_flag = f"{typed} {flag}"
        name = with_flag if with_flag in self._verbs else typed if typed in self._verbs else first
        rest = with_flag.removeprefix(name).rstrip()
        return self._named(name, rest, command[0])

    def _named(self, name: str, rest: str, command: str) -> str:
        if name in self._tool_of:
            return self._tool_of[name] + rest
        if name in self._verbs and self._verbs[name].agents:
            return f"{USE_VERB} {name}{rest}"
        return f"the person, at their terminal: {command}"
