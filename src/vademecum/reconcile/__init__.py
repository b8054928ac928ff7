"""Compare new statements with existing memories."""
