"""Builds what answers hooks, for a data folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vademecum.adapters.clock import SystemClock
from vademecum.adapters.device.event_queue import Spool
from vademecum.adapters.device.log import HookLog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from vademecum.ports.clock import Clock
    from vademecum.ports.host import Host


class HookParts(NamedTuple):
    """What answers hooks.

    Attributes:
        hosts: by name.
        guess: payload -> name of the host that sent it, or "". Some hosts run the hooks of other hosts.
        queue: of events for capture. wrong: problems of the settings, repeated in each log line.
    """

    hosts: Mapping[str, Host]
    guess: Callable[[Mapping[str, object]], str]
    log: HookLog
    queue: Spool
    clock: Clock
    wrong: tuple[str, ...]


def parts_over(data_dir: str, wrong: tuple[str, ...]) -> HookParts:
    """Return the parts that answer hooks, with log and queue in the data folder.

    Args:
        wrong: problems of the settings, a sentence each.
    """
    from vademecum.adapters.hosts.all_hosts import guess, hosts

    data = Path(data_dir)
    return HookParts(hosts(), guess, HookLog(data / "log"), Spool(data / "queue"), SystemClock(), wrong)


def parts_for(
    payload: Mapping[str, object], host: str, known_by: Mapping[str, tuple[str, ...]], data_dir: str, wrong: tuple[str, ...]
) -> HookParts:
    """Return the same for one payload, importing only the plugin of the host that sent it.

    Args:
        host: word on the command line. known_by: stored result of :func:`vademecum.adapters.hosts.known_by`.
    """
    from vademecum.adapters.hosts.all_hosts import guessed, hosts_with

    def guess(payload: Mapping[str, object]) -> str:
        return guessed(known_by, payload)

    data = Path(data_dir)
    return HookParts(
        hosts_with(guess(payload) or host), guess, HookLog(data / "log"), Spool(data / "queue"), SystemClock(), wrong
    )
