"""Ideas, styles, sources and the like."""
