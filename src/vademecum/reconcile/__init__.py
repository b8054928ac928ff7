"""Compare a statement that is about to be saved with what is known: the same, more, a conflict, or new.

Start with `decide.py` (`step_for`). `compare.py` compares two statements by their words, `clash.py` where words do not decide.
"""
