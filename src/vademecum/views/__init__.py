"""Pages that are made of memories: what is going on, lists, an index, logs; and what a wiki begins with."""
