"""How an interface reaches the memory: the settings of a command line, and the protocol of a caller."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

if TYPE_CHECKING:
    from vademecum.api import Vademecum
    from vademecum.settings import Settings

T = TypeVar("T")


def current_config() -> Path | None:
    """Return the configuration file named on this command line; None for the default one."""
    config: Path | None = click.get_current_context().find_root().params.get("config")
    return config.absolute() if config else None


def current_settings(*, forgiving: bool = False) -> "Settings":
    """Return the settings of this command line.

    Args:
        forgiving: print problems of the settings to standard error and go on, for commands that help to mend them.

    Raises:
        InvalidInput: unless forgiving, a setting is wrong.
    """
    from vademecum.wiring import load_settings

    home = click.get_current_context().find_root().params.get("home")
    settings = load_settings(config=current_config(), overrides={"home": home}, forgiving=forgiving)
    for sentence in settings.wrong:
        click.echo(sentence, err=True)
    return settings


class Caller(Protocol):
    """Runs an action on the memory."""

    async def __call__(self, action: "Callable[[Vademecum], T]", *, cwd: str = "", aside: bool = False) -> T:
        """Run `action` and return its result or raise its error.

        Args:
            cwd: the working folder; "" if unknown.
            aside: it only reads and is picklable, so another process may run it (:attr:`vademecum.entrypoints.verbs.verb.Verb.is_aside`).
        """
