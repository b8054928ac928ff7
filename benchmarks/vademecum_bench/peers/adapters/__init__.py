"""One file for each memory that is compared; each runs in an environment and process of its own."""
