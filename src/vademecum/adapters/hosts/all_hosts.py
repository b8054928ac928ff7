"""The table of all hosts: Claude Code and Codex (`OWN`), and those that plugins add (docs/plugins.md).

A host is added by a plugin: a subclass of :class:`vademecum.adapters.hosts.base.TableHost` in its `hosts`, as in `plugins/gemini/`. Its
name is also in `domain/conversation.py` if its agent may submit conversations itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from vademecum.adapters.hosts.claude_code import ClaudeCode
from vademecum.adapters.hosts.codex import Codex
from vademecum.adapters.hosts.pieces import PIECES
from vademecum.domain.errors import UnknownWord
from vademecum.domain.host import HostFolders, Programs, Reach
from vademecum.ports.host import Piece, Target, Wanted

if TYPE_CHECKING:
    from vademecum.adapters.hosts.base import TableHost
    from vademecum.adapters.hosts.installing import Wants

#: Hosts of the core.
OWN: tuple[TableHost, ...] = (ClaudeCode(), Codex())


@cache
def hosts() -> Mapping[str, TableHost]:
    """Return the hosts by name: those of the core, then those of plugins."""
    from vademecum.plugin import named  # imported here, because a hook without the helper needs only the hosts of the core

    return {host.name: host for host in (*OWN, *named("hosts", OWN, lambda host: host.name))}


def pieces() -> Mapping[str, Piece]:
    """Return the pieces that `vade install` can add to a project's files besides hooks, by name."""
    return {**PIECES, **{name: piece for host in hosts().values() for name, piece in host.pieces.items()}}


def other_names() -> Mapping[str, str]:
    """Return other names of hosts that people use -> name of the host."""
    return {
        other: name for name, host in hosts().items() for other in (host.title.lower().replace(" ", "-"), *host.other_names)
    }


def host_named(name: str) -> TableHost:
    """Return the host with that name.

    Raises:
        UnknownWord: there is none.
    """
    if name not in hosts():
        raise UnknownWord("host", name, [*hosts(), *pieces()])
    return hosts()[name]


def wants(folders: HostFolders, programs: Programs, *, mcp: bool = True) -> Wants:
    """Return a function that gives the required files of each target: a host or a piece."""

    def wanted(target: str, reach: Reach, project: str) -> tuple[Wanted, ...]:
        piece = pieces().get(target)
        if piece is not None:
            return piece.files(project, programs) if reach == "project" else ()
        return host_named(target).files(Target(folders, programs, reach, project, mcp))

    return wanted


def events() -> tuple[list[str], list[str]]:
    """Return (events that can deliver text to the agent of some host, all other events), by the hosts' own names."""
    rows = [row for host in hosts().values() for row in host.rows if " " not in row.event]
    heard = {row.event for row in rows if row.shows_text and row.moment in ("start", "prompt")}
    return sorted(heard), sorted({row.event for row in rows} - heard)


def prompt_events() -> list[str]:
    """Return the hosts' own names of the events at which a prompt may be answered."""
    rows = [row for host in hosts().values() for row in host.rows]
    return sorted({row.event for row in rows if row.shows_text and row.moment == "prompt" and " " not in row.event})


def known_by() -> dict[str, tuple[str, ...]]:
    """Return host -> the payload fields that identify it."""
    return {name: tuple(host.known_by) for name, host in hosts().items()}


def guess(payload: Mapping[str, object]) -> str:
    """Return the host with most identifying fields in a payload; "" if there are none, so that the word in the hook's command
    line decides.

    Some hosts run the hooks in Claude Code's file and have the same command in their own (X-46). Then the payload determines
    how it is interpreted and answered.
    """
    return guessed(known_by(), payload)


def guessed(known: Mapping[str, Sequence[str]], payload: Mapping[str, object]) -> str:
    """Return the same for given identifying fields, so that the hosts of plugins need not be loaded."""
    counts = {name: sum(field in payload for field in fields) for name, fields in known.items()}
    most = max(counts.values())
    return next(name for name, count in counts.items() if count == most) if most else ""


def hosts_with(name: str) -> Mapping[str, TableHost]:
    """Return only the hosts of the core if the named one is among them, else all."""
    own = {host.name: host for host in OWN}
    return own if name in own else hosts()
