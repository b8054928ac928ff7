"""Open tasks, closed when a session says that they are done."""
