"""What may enter the vault or a prompt: one gate on every entrance. Pure: it decides, others act and log."""

from vademecum.guard.gate import Action, Finding, Verdict, inspect

__all__ = ["Action", "Finding", "Verdict", "inspect"]
