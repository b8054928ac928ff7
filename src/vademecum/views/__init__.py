"""Pages generated from memories: current topics, lists, an index, logs; and the initial pages of a wiki."""
