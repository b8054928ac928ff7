"""What use cases are given and share."""
