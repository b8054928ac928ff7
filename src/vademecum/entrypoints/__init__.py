"""Ways in. One table of verbs (`verbs/`) serves every door; a door only reads arguments and shows results."""
