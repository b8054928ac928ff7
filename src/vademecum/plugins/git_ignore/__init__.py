"""What a repository that holds the memory folder should leave out."""
