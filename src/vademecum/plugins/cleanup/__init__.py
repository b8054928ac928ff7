"""Old forms of agents' memory files that were taken over."""
