"""Ways in. One table of verbs (`verbs.py`) serves every door; a door only reads arguments and shows results."""
