"""The entry point of `vade`. Before anything is imported, a command is handed to the command server if one runs.

`vade mcp` and the helper must start fast, so they import only what they need; `collections` alone takes 2 ms.
"""

import gc
import sys

from vademecum.entrypoints.cli import through_helper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: New objects after which a command looks for garbage. Imports make most of them, so that the usual 700 would cost time and free nothing.
COLLECT_AFTER = 200_000


def main() -> None:
    """Run `vade`. Ends the process with a documented exit code."""
    arguments = sys.argv[1:]
    config, words = _config_of(arguments)
    if words in (["mcp"], ["serve"]):
        sys.exit(_exit_code_of(_mcp if words == ["mcp"] else _serve, config))
    code = through_helper.run(arguments)
    if code is None:
        gc.set_threshold(COLLECT_AFTER)
        from vademecum.entrypoints.quick_import import MSGSPEC_WITHOUT, quick_import

        quick_import("msgspec", MSGSPEC_WITHOUT)
        from vademecum.entrypoints.cli.cli import run

        code = run(arguments)
        gc.freeze()  # the end of the process frees all memory at once
    sys.exit(code)


def _config_of(arguments: "Sequence[str]") -> "tuple[str, Sequence[str]]":
    """Return (the configuration file or "", the remaining arguments)."""
    if len(arguments) > 1 and arguments[0] == "--config":
        return arguments[1], arguments[2:]
    return "", arguments


def _mcp(config: str) -> None:
    from pathlib import Path

    from vademecum.entrypoints.mcp.command import run

    run(Path(config).absolute() if config else None)


def _serve(config: str) -> None:
    from pathlib import Path

    gc.disable()  # until the helper is open
    from vademecum.entrypoints.daemon.start import serve
    from vademecum.wiring import load_settings

    path = Path(config).absolute() if config else None
    settings = load_settings(config=path, forgiving=True)
    for sentence in settings.wrong:
        print(sentence, file=sys.stderr)
    serve(settings, path)


def _exit_code_of(run: "Callable[[str], None]", config: str) -> int:
    from vademecum.domain.errors import VademecumError

    try:
        run(config)
    except VademecumError as error:
        print(f"vade: {error.message} {error.hint}".rstrip(), file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, BrokenPipeError):
        pass  # the host has gone
    return 0
