"""What may enter the vault or a prompt: one gate on every entrance. Pure: it decides, others act and log."""

from typing import TYPE_CHECKING

from vademecum.model.late import late

if TYPE_CHECKING:
    from vademecum.guard import command_rules, commands
    from vademecum.guard.gate import Action, Finding, Verdict, cleanse, inspect

__all__ = ["Action", "Finding", "Verdict", "cleanse", "command_rules", "commands", "inspect"]

_WHERE = {"command_rules": "command_rules", "commands": "commands"}
__getattr__ = late(__name__, dict.fromkeys(__all__, "gate") | _WHERE)
