"""The life of a session after its hooks: events, end, handoff, use.

Start with `lifecycle.py`: `record_event` stores what a host reports, `process_due` handles sessions that ended. `handoff.py` writes
where a session stopped; `uses.py` and `needs.py` detect which memories it used and needed.
"""
