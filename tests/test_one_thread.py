"""Linear algebra stays on one thread."""

import subprocess
import sys

SCRIPT = """
import vademecum.entrypoints.cli.cli, numpy, os
a = numpy.ones((600, 600), numpy.float32); a @ a
print(len(os.listdir('/proc/self/task')))
"""


def test_one_thread():
    """X-33: threads that wait for each other made a 22 ms question take half a second; a process computes on one."""
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "1"
