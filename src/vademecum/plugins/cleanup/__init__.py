"""Move obsolete memory files of agents away, once a newer form has their content."""
