"""What answers the hooks of hosts, over a folder of data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vademecum.adapters.clock import SystemClock
from vademecum.adapters.event_queue import Spool
from vademecum.adapters.log import HookLog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from vademecum.ports.clock import Clock
    from vademecum.ports.host import Host


class HookParts(NamedTuple):
    """What answers the hooks of hosts: the hosts by name, who writes a payload ("" when unclear), the log, the queue of capture,
    the clock, what is wrong with the settings."""

    hosts: Mapping[str, Host]
    guess: Callable[[Mapping[str, object]], str]
    log: HookLog
    queue: Spool
    clock: Clock
    wrong: tuple[str, ...]


def parts_over(data_dir: str, wrong: tuple[str, ...]) -> HookParts:
    """Return what answers hooks, with its log and queue in the folder of the data.

    Args:
        wrong: what is wrong with the settings, a sentence each.
    """
    from vademecum.adapters.hosts import guess, hosts

    data = Path(data_dir)
    return HookParts(hosts(), guess, HookLog(data / "log"), Spool(data / "queue"), SystemClock(), wrong)


def parts_for(
    payload: Mapping[str, object], host: str, known_by: Mapping[str, tuple[str, ...]], data_dir: str, wrong: tuple[str, ...]
) -> HookParts:
    """Return the same for one payload, without loading hosts of plugins that it is not from.

    Args:
        host: word of the command line. known_by: as :func:`vademecum.adapters.hosts.known_by` gave it before.
    """
    from vademecum.adapters.hosts import guessed, hosts_with

    def guess(payload: Mapping[str, object]) -> str:
        return guessed(known_by, payload)

    data = Path(data_dir)
    return HookParts(
        hosts_with(guess(payload) or host), guess, HookLog(data / "log"), Spool(data / "queue"), SystemClock(), wrong
    )
