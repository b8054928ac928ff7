"""What may enter the vault or a prompt: one gate on every entrance. Pure: it decides, others act and log.

Others come in through :class:`Guard`, which holds the person's policy; the functions behind it are for this package alone.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vademecum.guard import command_rules, commands, gate, records, screen, secrets, values
    from vademecum.guard.gate import Action, Finding, Verdict
    from vademecum.guard.guard import Guard

__all__ = [
    "Action",
    "Finding",
    "Guard",
    "Verdict",
    "command_rules",
    "commands",
    "gate",
    "records",
    "screen",
    "secrets",
    "values",
]


def __getattr__(name: str) -> Any:
    """Return a part of the package that was not asked for before.

    Compiling the rules takes 80 ms, which a helper that starts and a completion would spend before anybody judges a text.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    where = {"Action": "gate", "Finding": "gate", "Guard": "guard", "Verdict": "gate"}.get(name, name)
    module = importlib.import_module(f"{__name__}.{where}")
    return module if where == name else getattr(module, name)
