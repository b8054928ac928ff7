"""Jobs over the whole memory: rebuild, forget, check, report."""
