"""Ideas: captured, listed in Ideas.md, looked up, made a project, tidied."""
