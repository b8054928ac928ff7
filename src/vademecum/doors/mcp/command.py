"""`vade mcp`: what hosts start as an MCP server. Bytes to the helper and back; imports little, because the host waits."""

import sys
from pathlib import Path

from vademecum import settings as settings_module
from vademecum.doors.mcp.proxy import HEADER, proxy
from vademecum.doors.serve.call import ensure
from vademecum.settings import socket_path


def run(config: Path | None, *, helper: bool = True) -> None:
    """Until the host closes the connection. Without a helper, one is started; when none comes up, this process serves itself.

    Raises:
        VademecumError: no memory, or the packages of MCP are missing.
    """
    settings = settings_module.load(config=config)
    header = HEADER.rstrip(b"\n") + b" " + bytes(settings_module.working_directory()) + b"\n"
    if helper and settings_module.has_helper():
        try:
            proxy(str(socket_path(settings)), header=header)
            return
        except OSError:
            if ensure(settings, config):
                proxy(str(socket_path(settings)), header=header)
                return
            print("vade: no helper came up; serving from this process", file=sys.stderr)
    _serve_here(settings)


def _serve_here(settings: settings_module.Settings) -> None:
    import asyncio

    from vademecum.doors.calling import OwnThread
    from vademecum.doors.mcp.server import Rules, build_server
    from vademecum.doors.mcp.transports import serve_stdio
    from vademecum.doors.serve.late import INSTALL, is_installed
    from vademecum.model.errors import Refused
    from vademecum.wiring import open_memory

    if not is_installed():
        raise Refused("MCP cannot be served.", INSTALL)
    folder = settings_module.working_directory()

    async def serve() -> None:
        async with OwnThread(lambda: open_memory(settings, folder=folder)) as call:
            rules = Rules(strict=settings.strict_interfaces, memory_tool=settings.memory_tool, cwd=str(folder))
            await serve_stdio(build_server(call, rules))

    asyncio.run(serve())
