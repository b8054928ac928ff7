"""Commands that exist only on the command line."""

from vademecum.entrypoints.cli.groups import LineCommand
from vademecum.entrypoints.cli.output import JSON, Printer, printing
from vademecum.entrypoints.cli.progress import Progress
from vademecum.entrypoints.cli.sealed_files import FILE, PASSPHRASE, UNENCRYPTED, existing, passphrase, passphrase_of
