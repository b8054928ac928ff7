"""`vade mcp`: the MCP server that hosts start. It connects the host to the helper, and imports little, because the host waits."""

import sys
from pathlib import Path

from vademecum import settings as settings_module
from vademecum.domain.errors import VaultMissing
from vademecum.entrypoints.daemon.call import call, ensure
from vademecum.entrypoints.mcp.proxy import HEADER, STRICT, proxy
from vademecum.settings import socket_path


def run(config: Path | None, *, home: str | None = None, helper: bool = True) -> None:
    """Serve until the host closes the connection: through the helper, started if needed, or else from this process.

    Restrictions set in the environment of this host hold for this connection: the helper is told to be strict about interfaces, and a
    helper that is less restrictive in any other way is not used.

    Raises:
        VademecumError: no memory, or the packages of MCP are missing.
    """
    settings = settings_module.load(config=config, overrides={"home": home}, forgiving=True)
    if helper and _is_carried(settings, config):
        return
    _serve_here(config, home)


def _is_carried(settings: settings_module.Settings, config: Path | None) -> bool:
    """Return whether the helper served the connection to its end.

    Raises:
        InvalidInput, VaultMissing: no helper runs, and none can be started, because no memory is set or its folder is missing.
    """
    result = [HEADER.strip(), *([STRICT.encode()] if settings.strict_interfaces else [])]
    header = b" ".join([*result, bytes(settings_module.working_directory())]) + b"\n"
    if settings_module.looser({}, settings) and not _may_serve(settings):  # the environment restricts something
        return False
    try:
        proxy(str(socket_path(settings)), header=header)
    except OSError:
        if not settings.home:
            raise settings_module.no_memory(settings) from None
        if not Path(settings.home).is_dir():
            raise VaultMissing(settings.home) from None
        if not ensure(settings, config):
            print("vade: the helper did not start; serving from this process", file=sys.stderr)
            return False
        proxy(str(socket_path(settings)), header=header)
    return True


def _may_serve(settings: settings_module.Settings) -> bool:
    """Return whether the running helper is at least as restrictive as these settings, apart from what a connection can request."""
    status = call(settings, "status")
    return status is not None and not settings_module.looser(status.get("settings", {}), settings)


def _serve_here(config: Path | None, home: str | None) -> None:
    import asyncio

    from vademecum.domain.errors import Refused
    from vademecum.entrypoints.daemon.lazy_apps import what_is_missing
    from vademecum.entrypoints.mcp.own_thread import OwnThread
    from vademecum.entrypoints.mcp.server import build_server, rules_of
    from vademecum.entrypoints.mcp.transports import serve_stdio
    from vademecum.wiring import load_settings, open_memory

    if missing := what_is_missing():
        raise Refused("MCP cannot be served.", missing)
    settings = load_settings(config=config, overrides={"home": home}, forgiving=True)
    folder = settings_module.working_directory()

    async def serve() -> None:
        async with OwnThread(lambda: open_memory(settings, folder=folder)) as call:
            rules = rules_of(settings, str(folder), strict=False)
            await serve_stdio(build_server(call, rules))

    asyncio.run(serve())
