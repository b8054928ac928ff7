"""Reads transcripts over and over in a process of its own: `reads_rounds.py HOME DATA FOLDER`, a round for each line of its input."""

import sys

from vademecum.settings import Settings
from vademecum.wiring import open_memory

home, data, folder = sys.argv[1:]
with open_memory(Settings(home=home, data_dir=data, cache_dir=data, device="laptop", embedder="none")) as memory:
    print("ready", flush=True)
    for _ in sys.stdin:
        memory.maintenance.capture((folder,))
        print("done", flush=True)
