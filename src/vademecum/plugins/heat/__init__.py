"""Which memories are used, and which to load at every session start."""
