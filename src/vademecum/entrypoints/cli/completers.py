"""Completes arguments in the shell. Every command names its completers, so what they need is imported when one runs."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vademecum.domain.errors import VademecumError
from vademecum.domain.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

    import click
    from click.shell_completion import CompletionItem

    from vademecum.entrypoints.verbs.verb import Named

#: Most memories offered, and their statuses.
OFFERED, OFFERED_STATUSES = 500, ("active", "disputed", "inbox", "incubating")


def completer(named: Named) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]] | None:
    """Return the completer of an argument; None if the shell's own completion applies."""
    return {"kind": _kinds, "memory": _memories}.get(named)


def _kinds(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(kind.name, help=kind.meaning) for kind in KINDS.values() if kind.name.startswith(begun)]


def _memories(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return file names of memories without folder and extension, newest first."""
    from click.shell_completion import CompletionItem

    from vademecum.api.runner import READS, run
    from vademecum.wiring import load_settings, open_memory

    root = ctx.find_root().params
    try:
        settings = load_settings(config=root.get("config"), overrides={"home": root.get("home")})
        with open_memory(settings) as memory:
            items = run(memory.context, READS, lambda: memory.notes.list(OFFERED, status=OFFERED_STATUSES))
    except VademecumError:
        return []  # completion cannot show an error; the command itself will
    names = {PurePosixPath(item.path).stem: item.title for item in items}
    return [CompletionItem(name, help=title) for name, title in names.items() if name.startswith(begun)]
