"""Find what is worth remembering in a session.

Start with `mine.py`, which finds candidates by patterns; `voice.py` tells before which words are the person's own. With a language
model, `reading_prompt.py` asks it and `llm_extraction.py` turns its answer into candidates. `outline.py` and `report.py`
describe where a session stopped, for its handoff.
"""
