"""Reads transcripts in a process of its own, to be killed: `ingest_killed.py HOME DATA FOLDER`."""

import sys

from vademecum.settings import Settings
from vademecum.wiring import open_memory

home, data, folder = sys.argv[1:]
chosen = Settings(home=home, data_dir=data, cache_dir=data, device="laptop", embedder="none", quick_embedder="none")
with open_memory(chosen) as memory:
    print("ready", flush=True)
    memory.capture((folder,))
    print("done", flush=True)
