"""Reads transcripts in a process of its own, to be killed: `ingest_killed.py HOW HOME DATA FOLDER`."""

import sys
from pathlib import Path

from msgspec.structs import replace

from vademecum.adapters.worker_process import SecondProcess
from vademecum.domain.host import HookEvent
from vademecum.settings import Settings
from vademecum.wiring import open_memory

#: Hosts of the transcripts, in turn.
HOSTS = ("plain", "codex", "claude-code")

how, home, data, folder = sys.argv[1:]
chosen = Settings(home=home, data_dir=data, cache_dir=data, device="laptop", embedder="none")
with open_memory(chosen) as memory:
    if how == "two processes":
        memory.context = replace(
            memory.context, outside=replace(memory.context.outside, open_worker=lambda size: SecondProcess())
        )
    print("ready", flush=True)
    if how == "session end":
        for path in sorted(Path(folder).iterdir()):
            number = int(path.stem.removeprefix("talk"))
            session = f"s{number}" if number % 3 == 2 else path.stem
            memory.sessions.record(HookEvent(HOSTS[number % 3], "end", "SessionEnd", session, transcript=str(path)))
        memory.sessions.process_due()
    else:
        memory.maintenance.capture((folder,))
    print("done", flush=True)
