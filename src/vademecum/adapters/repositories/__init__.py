"""Repositories: what git and the files around it say about a folder, its project and its branches."""
