"""`vade` in a process of its own that dies at its N-th touch of a file, as by kill -9: `restore_killed.py N WORDS...`; 0: never.

It ends by saying how many touches there were.
"""

import os
import sys

from vademecum.adapters.backups import sealed
from vademecum.entrypoints.cli import cli

TOUCHES = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.utime", "os.chmod", "shutil.rmtree", "shutil.move"}
sealed.WORK = 4
dies_at, touched = int(sys.argv[1]), 0


def touch(event, _):
    global touched  # noqa: PLW0603
    if event in TOUCHES:
        touched += 1
        if touched == dies_at:
            os._exit(9)


sys.addaudithook(touch)
code = cli.run(sys.argv[2:])
print("touches", touched)
sys.exit(code)
