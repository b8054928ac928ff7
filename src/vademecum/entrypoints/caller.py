"""How an entrance reaches the memory: the settings of a command line, and what every caller gives."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

import click

from vademecum.api import Vademecum
from vademecum.settings import Settings
from vademecum.wiring import load_settings

T = TypeVar("T")


def current_config() -> Path | None:
    """Return the configuration file that this command line names, None for the platform's."""
    config: Path | None = click.get_current_context().find_root().params.get("config")
    return config.absolute() if config else None


def current_settings(*, forgiving: bool = False) -> Settings:
    """Return the settings of this command line.

    Args:
        forgiving: for a command that is needed when a setting is wrong: it goes on, and what is wrong is told on standard error.

    Raises:
        InvalidInput: unless forgiving, a setting is wrong.
    """
    home = click.get_current_context().find_root().params.get("home")
    settings = load_settings(config=current_config(), overrides={"home": home}, forgiving=forgiving)
    for sentence in settings.wrong:
        click.echo(sentence, err=True)
    return settings


class Caller(Protocol):
    """Runs an action on the memory and gives what it gives."""

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", aside: bool = False) -> T:
        """Return what `action` gives, or raises.

        Args:
            cwd: the folder that the work goes on in; "" when the caller does not know it.
            aside: it only reads and can be pickled, so another process may do it (:attr:`vademecum.entrypoints.verbs.table.Verb.is_aside`).
        """
