"""The values and errors of the project. Imports nothing of ours, so every other folder may import it.

Start with `memory.py` (what is stored), `item.py` (what is indexed), `session.py` (a conversation), `query.py` (a question and its
answer) and `kinds.py` (the kinds of memory with their policies).
"""
