"""Ideas: capture, list in Ideas.md, research, promote to a project, tidy up."""
