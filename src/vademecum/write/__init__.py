"""The only write path for memories: gate, candidates, review."""
