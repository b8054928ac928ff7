"""Open tasks, which are closed when a session reports them as done."""
