"""The hosts: Claude Code and Codex, and those that plugins add (docs/plugins.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from vademecum.adapters.hosts.claude_code import ClaudeCode
from vademecum.adapters.hosts.codex import Codex
from vademecum.adapters.hosts.pieces import PIECES
from vademecum.domain.errors import UnknownWord
from vademecum.domain.host import HostFolders, Programs, Reach
from vademecum.ports.host import Piece, Wanted

if TYPE_CHECKING:
    from vademecum.adapters.hosts.installing import Wants
    from vademecum.adapters.hosts.table import TableHost

#: Those of the core.
OWN: tuple[TableHost, ...] = (ClaudeCode(), Codex())


@cache
def hosts() -> Mapping[str, TableHost]:
    """Return the hosts by name: those of the core, then those of plugins."""
    from vademecum.plugin import named  # a hook without a helper needs those of the core

    return {host.name: host for host in (*OWN, *named("hosts", OWN, lambda host: host.name))}


def pieces() -> Mapping[str, Piece]:
    """Return what `vade install` puts into files of projects beside hooks, by name."""
    return {**PIECES, **{name: piece for host in hosts().values() for name, piece in host.pieces.items()}}


def other_names() -> Mapping[str, str]:
    """Return what people call a host -> its name."""
    return {
        other: name for name, host in hosts().items() for other in (host.title.lower().replace(" ", "-"), *host.other_names)
    }


def host_named(name: str) -> TableHost:
    """Return the host of that name.

    Raises:
        UnknownWord: there is none.
    """
    if name not in hosts():
        raise UnknownWord("host", name, [*hosts(), *pieces()])
    return hosts()[name]


def wants(folders: HostFolders, programs: Programs, *, mcp: bool = True) -> Wants:
    """Return what each target wants in which files: the hosts, and the pieces that projects keep."""

    def wanted(target: str, reach: Reach, project: str) -> tuple[Wanted, ...]:
        piece = pieces().get(target)
        if piece is not None:
            return piece.files(project, programs) if reach == "project" else ()
        return host_named(target).files(folders, programs, reach, project, mcp=mcp)

    return wanted


def events() -> tuple[list[str], list[str]]:
    """Return (events at which the agent of some host may be told something, all others), by the hosts' own names."""
    rows = [row for host in hosts().values() for row in host.rows if " " not in row.event]
    heard = {row.event for row in rows if row.told and row.moment in ("start", "prompt")}
    return sorted(heard), sorted({row.event for row in rows} - heard)


def prompt_events() -> list[str]:
    """Return the hosts' own names of the events at which a prompt may be answered."""
    rows = [row for host in hosts().values() for row in host.rows]
    return sorted({row.event for row in rows if row.told and row.moment == "prompt" and " " not in row.event})


def known_by() -> dict[str, tuple[str, ...]]:
    """Return host -> the fields of a payload that it is known by."""
    return {name: tuple(host.known_by) for name, host in hosts().items()}


def guess(payload: Mapping[str, object]) -> str:
    """Return the host that is known by most fields of a payload; "" when the word in the hook's command line has to tell.

    Some hosts run the hooks of Claude Code's file and have the same command in their own (X-46), so there the payload decides what it
    means and how it is answered.
    """
    return guessed(known_by(), payload)


def guessed(known: Mapping[str, Sequence[str]], payload: Mapping[str, object]) -> str:
    """Return the same of hosts that are known by these fields; those of plugins need not be loaded for it."""
    counts = {name: sum(field in payload for field in fields) for name, fields in known.items()}
    most = max(counts.values())
    return next(name for name, count in counts.items() if count == most) if most else ""


def hosts_with(name: str) -> Mapping[str, TableHost]:
    """Return the hosts of the core when the one named is among them, else all."""
    own = {host.name: host for host in OWN}
    return own if name in own else hosts()
