"""What is known of human languages. `data/` has one folder per language, `load.py` reads it; a new folder adds a language.

`text.py` folds text and splits it into words, `sentences.py` finds the sentences somebody spoke, `patterns.py` those worth saving.
"""
