"""The guard decides which texts may enter the vault or a prompt, at every entry point.

It is pure: others act on its verdicts and log them. Other packages use :class:`Guard` (`guard.py`), which holds the person's policy.
Start with `gate.py`: `inspect` collects the findings on a text and returns the verdict. It finds secrets and personal data in
`private.py`, attempts to steer an agent in `injections.py`, hidden characters in `hidden.py`. Rules are data: `secrets.tsv`, and
`orders.toml` and `asks.toml` of each language.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vademecum.guard import gate, injection_rules, injections, keyword_table, records, screen, secrets, values
    from vademecum.guard.gate import Action, Finding, Verdict
    from vademecum.guard.guard import Guard

__all__ = [
    "Action",
    "Finding",
    "Guard",
    "Verdict",
    "gate",
    "injection_rules",
    "injections",
    "keyword_table",
    "records",
    "screen",
    "secrets",
    "values",
]


def __getattr__(name: str) -> Any:
    """Import a part of the package on first use.

    Compiling the rules takes 80 ms, which a starting helper or a shell completion would otherwise spend before any text is
    judged.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    where = {"Action": "gate", "Finding": "gate", "Guard": "guard", "Verdict": "gate"}.get(name, name)
    module = importlib.import_module(f"{__name__}.{where}")
    return module if where == name else getattr(module, name)
