"""Where `vade` begins. A host that starts `vade mcp` waits for it, so that one command does not load all the others."""

import sys
from collections.abc import Sequence

_MCP = "mcp"


def main() -> None:
    """Entry point of `vade`. Ends the process with a documented exit code."""
    arguments = sys.argv[1:]
    config = _config_of(arguments)
    if config is not None:
        sys.exit(_mcp(config))
    from vademecum.doors.cli import run

    sys.exit(run(arguments))


def _config_of(arguments: Sequence[str]) -> str | None:
    """The configuration file of a plain `[--config FILE] mcp`, "" when none is named; None for any other command line."""
    if list(arguments) == [_MCP]:
        return ""
    if len(arguments) == 3 and arguments[0] == "--config" and arguments[2] == _MCP:
        return arguments[1]
    return None


def _mcp(config: str) -> int:
    from pathlib import Path

    from vademecum.doors.mcp.command import run
    from vademecum.model.errors import VademecumError

    try:
        run(Path(config).absolute() if config else None)
    except VademecumError as error:
        print(f"vade: {error.message} {error.hint}".rstrip(), file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, BrokenPipeError):
        pass  # the host has gone
    return 0
