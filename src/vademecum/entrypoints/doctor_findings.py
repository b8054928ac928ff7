"""The findings of `vade doctor`: all checks of a memory and its machine, for every interface."""

from pathlib import Path
from typing import TYPE_CHECKING

from vademecum import settings as settings_module
from vademecum.settings import Settings

if TYPE_CHECKING:
    from vademecum.doctor.checks import Finding


def checked_up(settings: Settings, config: Path | None, *, sing: bool = False) -> "list[Finding]":
    """Return the finding of each check. Takes a second or more, because it runs every host.

    Args:
        config: the configuration file, unless it is the default one.
        sing: run the canary (save and recall in a temporary memory) now, even if it ran today.
    """
    from vademecum.doctor.checks import findings
    from vademecum.doctor.facts import Running, gather
    from vademecum.entrypoints.daemon.call import call
    from vademecum.entrypoints.hooks.place import client_files
    from vademecum.wiring import system_clock

    facts = gather(
        settings,
        system_clock(),
        settings_module.working_directory(),
        config=config,
        running=Running(client_files(settings, config), call(settings, "status")),
        sing=sing,
    )
    return list(findings(facts))
