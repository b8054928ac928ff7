"""Lines for the .gitignore of a repository that contains the memory folder."""
