"""The one way in: gate, candidates, review."""
