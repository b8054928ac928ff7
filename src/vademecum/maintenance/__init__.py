"""Work on the whole memory. `jobs.py` has the table of background jobs; most other modules are one verb of the same name:
`rebuild.py`, `forget.py`, `undo_many.py`, `status.py`."""
