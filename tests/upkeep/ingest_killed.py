"""Reads transcripts in a process of its own, to be killed: `ingest_killed.py HOW HOME DATA FOLDER`."""

import dataclasses
import sys
from pathlib import Path

from vademecum.adapters.hands import SecondProcess
from vademecum.model.host import HookEvent
from vademecum.settings import Settings
from vademecum.wiring import open_memory

#: Hosts of the transcripts, in turn.
HOSTS = ("plain", "codex", "claude-code")

how, home, data, folder = sys.argv[1:]
chosen = Settings(home=home, data_dir=data, cache_dir=data, device="laptop", embedder="none", quick_embedder="none")
with open_memory(chosen) as memory:
    if how == "two processes":
        memory.parts = dataclasses.replace(memory.parts, open_hands=lambda size: SecondProcess())
    print("ready", flush=True)
    if how == "session end":
        for path in sorted(Path(folder).iterdir()):
            number = int(path.stem.removeprefix("talk"))
            session = f"s{number}" if number % 3 == 2 else path.stem
            memory.attend(HookEvent(HOSTS[number % 3], "end", "SessionEnd", session, transcript=str(path)))
        memory.tend()
    else:
        memory.capture((folder,))
    print("done", flush=True)
