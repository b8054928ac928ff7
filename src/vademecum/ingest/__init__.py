"""Read transcripts: new bytes become sessions, turns, an archive and candidates.

Start with `transcripts.py`: `absorb` finds files (`discover.py`), reads what is new (`reader.py`), identifies the session
(`identity.py`) and hands it to `batch.py`, which indexes, archives (`archiver.py`) and mines. The modules `pauses.py` and `paused_*.py`
keep out what was said while memory was paused.
"""
