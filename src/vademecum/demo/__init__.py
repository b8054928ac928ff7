"""A demonstration with sample conversations of one person and one small project. `show.py` runs it, `script.py` has its texts."""
