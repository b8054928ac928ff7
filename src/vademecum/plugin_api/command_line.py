"""Commands that stand only on the command line."""

from vademecum.entrypoints.cli.backup import FILE, PASSPHRASE, UNENCRYPTED, existing, passphrase, passphrase_of
from vademecum.entrypoints.cli.groups import LineCommand
from vademecum.entrypoints.cli.output import JSON, telling

__all__ = [
    "FILE",
    "JSON",
    "PASSPHRASE",
    "UNENCRYPTED",
    "LineCommand",
    "existing",
    "passphrase",
    "passphrase_of",
    "telling",
]
