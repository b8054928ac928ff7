"""The only way for a memory to be written.

Start with `gate.py` (`keep`): validate, guard, compare with what is known, write. `candidates.py` routes what was extracted
through it, `review.py` what the person decided in the inbox, `together.py` many memories as one operation.
"""
